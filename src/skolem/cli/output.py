"""What the user sees: tables and lines for people, one JSON value for programs."""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skolem.support.errors import ExitCode
from skolem.support.standard_output import write_output

if TYPE_CHECKING:
    from skolem.grounding.explanation import Explanation
    from skolem.grounding.protocol import Grounding
    from skolem.request import Solution

Spell = Callable[[str], str]
"""How the user writes a name."""
HINTS = {
    ExitCode.UNSOLVABLE: "skolem explain shows what rules objects out",
    ExitCode.TRANSLATE_OUT_OF_TIME: "a longer --time-limit may help",
    ExitCode.SEARCH_OUT_OF_TIME: "a longer --time-limit may help",
    ExitCode.TRANSLATE_OUT_OF_MEMORY: "a larger --memory-limit may help",
    ExitCode.SEARCH_OUT_OF_MEMORY: "a larger --memory-limit may help",
}
"""What to do next where there is no plan."""


class Console:
    """Where a command's output goes: JSON on standard output, or text unless `quiet`.

    The JSON value is kept until `close`, so that there is exactly one, whatever happens after it was made.
    """

    def __init__(self, as_json: bool = False, quiet: bool = False, started: float | None = None) -> None:
        self.as_json, self.quiet = as_json, quiet
        self._started = time.monotonic() if started is None else started
        self._result: str | None = None

    @property
    def waited(self) -> float:
        """Seconds since the user called the command."""
        return time.monotonic() - self._started

    def say(self, text: str = "") -> None:
        """Prints a line for people."""
        if not self.as_json and not self.quiet:
            write_output(f"{text}\n")

    def result(self, content: Any) -> None:
        """Sets the machine-readable result."""
        if self.as_json:
            self._result = json.dumps(content)

    def table(self, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]], title: str = "") -> None:
        """Prints a small table for people."""
        if self.as_json or self.quiet:
            return
        from rich.console import Console as RichConsole
        from rich.table import Table

        table = Table(*columns, title=title or None, title_justify="left", box=None, pad_edge=False)
        for row in rows:
            table.add_row(*row)
        # Printed by us: rich has its own way to end the process where standard output cannot be written.
        text, shown = StringIO(), sys.stdout.isatty()
        # A width of its own when piped: rich would otherwise fold long names at 80 columns.
        rich = RichConsole(file=text, force_terminal=shown or None, width=None if shown else 200, highlight=False)
        rich.print(table)
        write_output(text.getvalue())

    def warn(self, message: str) -> None:
        """Prints a line on standard error, if anybody can hear it."""
        try:
            print(message, file=sys.stderr, flush=True)
        except OSError:
            _silence(sys.stderr.fileno())

    def fail(self, message: str, exit_code: int, empty: Mapping[str, Any]) -> int:
        """Prints an error (as JSON too when asked for, in place of any other result), and returns its exit code."""
        self.result({**empty, "status": "error", "message": message})
        self.warn(message)
        return int(exit_code)

    def close(self) -> None:
        """Writes what is still to be written; an OutputError where that is impossible."""
        result, self._result = self._result, None
        write_output("" if result is None else f"{result}\n")

    def silence(self) -> None:
        """Gives up standard output: Python would try again at its end to write what could not be written."""
        _silence(sys.stdout.fileno())


def _silence(stream: int) -> None:
    with suppress(OSError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream)
        os.close(null)


def find_start() -> float:
    """When this process began, on the monotonic clock; now, where the system does not tell."""
    with suppress(OSError, ValueError, AttributeError, IndexError):
        ticks = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - int(ticks) / os.sysconf("SC_CLK_TCK")
        return time.monotonic() - max(0.0, age)
    return time.monotonic()


def prepare_streams() -> None:
    """Opens standard streams that are closed, so that no other file takes their numbers, and lets them take any name.

    Names of files need not be UTF-8: what cannot be decoded is written as it came.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        is_utf8 = sys.stdout.encoding.lower().replace("-", "") == "utf8"
        reconfigure(errors="surrogateescape" if is_utf8 else "backslashreplace")


def show_binding(console: Console, found: "Solution | Grounding", spell: Spell) -> None:
    """Prints the chosen objects as a table, and what was not bound."""
    if found.binding:
        rows = [(spell(variable), spell(obj)) for variable, obj in found.binding.items()]
        console.table(("variable", "object"), rows)
        console.say()
    if found.residual is not None:
        console.say(f"left to the planner: {found.residual}\n")


def show_solution(console: Console, solution: "Solution", spell: Spell = str) -> None:
    """Prints a plan, its objects as the user names them, cost, route and times for people."""
    if solution.status != "solved":
        console.say(f"{solution.status}: {solution.message or solution.route} (route: {solution.route})")
        hint = HINTS.get(solution.exit_code)
        if hint:
            console.say(hint)
        return
    show_binding(console, solution, spell)
    for action in solution.plan or ():
        console.say(action)
    stages: dict[str, float] = {
        name: round(solution.times[name], 2) for name in ("read", "ground", "plan", "bound") if name in solution.times
    }
    # The sum of what is shown, so that nobody misses a hundredth.
    stages["total"] = sum(stages.values())
    quality = solution.describe_quality()
    shown = f"cost {solution.cost}" + (f", {quality}" if quality else "")
    console.say(f"\n{shown}, valid for the quantified goal, by route {solution.route}")
    if solution.bound is None and solution.bound_reason:
        console.say(f"no lower bound: {solution.bound_reason}")
    if solution.message:
        console.say(solution.message)
    console.say(", ".join(f"{name} {seconds:.2f} s" for name, seconds in stages.items()))


def show_grounding(
    console: Console,
    grounding: "Grounding",
    text: str | None,
    explanation: "Explanation | None" = None,
    spell: Spell = str,
) -> None:
    """Prints the chosen objects, on request why they were chosen, and the grounded problem unless it went to a file."""
    if explanation is not None:
        from skolem.cli.explaining import show_explanation

        show_explanation(console, explanation, spell)
    elif grounding.status != "grounded":
        console.say(f"{grounding.status} (route: {grounding.route})")
    else:
        show_binding(console, grounding, spell)
        if grounding.predicted_cost is not None:
            console.say(f"predicted cost {grounding.predicted_cost:.2f}")
        console.say(f"route {grounding.route}")
        if grounding.residual is not None:
            console.say(grounding.message)
    if text is not None:
        console.say()
        console.say(text.rstrip("\n"))
