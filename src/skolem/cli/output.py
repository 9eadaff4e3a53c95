"""What the user sees: tables and lines for people, one JSON value for programs."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skolem.grounding.explanation import Explanation
    from skolem.grounding.protocol import Grounding
    from skolem.solve import Solution


class Console:
    """Where a command's output goes: JSON on standard output, or text unless `quiet`.

    The JSON value is kept until `close`, so that there is exactly one, whatever happens after it was made.
    """

    def __init__(self, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json, self.quiet = as_json, quiet
        self._result: str | None = None

    def say(self, text: str = "") -> None:
        """Prints a line for people."""
        if not self.as_json and not self.quiet:
            print(text, flush=True)

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
        # A width of its own when piped: rich would otherwise fold long names at 80 columns.
        rich = RichConsole(file=sys.stdout, width=None if sys.stdout.isatty() else 200, highlight=False)
        # Printed by us: rich has its own way to end the process where standard output cannot be written.
        with rich.capture() as text:
            rich.print(table)
        print(text.get(), end="", flush=True)

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
        """Writes what is still to be written; an OSError where that is impossible."""
        if self._result is not None:
            result, self._result = self._result, None
            print(result)
        sys.stdout.flush()

    def silence(self) -> None:
        """Gives up standard output: Python would try again at its end to write what could not be written."""
        _silence(sys.stdout.fileno())


def _silence(stream: int) -> None:
    with suppress(OSError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream)
        os.close(null)


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


def describe_solution(solution: "Solution", times: Mapping[str, float]) -> dict[str, Any]:
    """The `--json` form of a plan."""
    return {
        "status": solution.status,
        "binding": solution.binding,
        **_describe_residual(solution),
        "cost": solution.cost,
        "plan": None if solution.plan is None else list(solution.plan),
        "valid": solution.valid,
        "route": solution.route,
        **_describe_bound(solution),
        "times": {name: round(times.get(name, 0.0), 4) for name in ("read", "ground", "plan", "total")},
        "message": solution.message,
    }


def describe_grounding(grounding: "Grounding", times: Mapping[str, float]) -> dict[str, Any]:
    """The `--json` form of a grounding."""
    trace = [
        {
            "variable": step.variable,
            "object": step.object,
            "ranked": [{"variable": c.variable, "object": c.object, "value": c.value} for c in step.ranked],
        }
        for step in grounding.trace
    ]
    return {
        "status": grounding.status,
        "binding": grounding.binding,
        **_describe_residual(grounding),
        "predicted_cost": grounding.predicted_cost,
        "trace": trace,
        "route": grounding.route,
        "times": {name: round(times.get(name, 0.0), 4) for name in ("read", "ground", "total")},
        "message": grounding.message,
    }


def _describe_bound(solution: "Solution") -> dict[str, Any]:
    """The lower bound, where it was asked for or an optimal planner has one."""
    if solution.bound is None and not solution.bound_reason:
        return {}
    return {"bound": solution.bound, "optimal": solution.optimal}


def _describe_residual(found: "Solution | Grounding") -> dict[str, str]:
    return {} if found.residual is None else {"residual": found.residual}


def show_binding(console: Console, found: "Solution | Grounding") -> None:
    """Prints the chosen objects as a table, and what was not bound."""
    if found.binding:
        console.table(("variable", "object"), [(variable, obj) for variable, obj in found.binding.items()])
        console.say()
    if found.residual is not None:
        console.say(f"left to the planner: {found.residual}\n")


def show_solution(console: Console, solution: "Solution", times: Mapping[str, float]) -> None:
    """Prints a plan, its objects, cost, route and times for people."""
    if solution.status != "solved":
        console.say(f"{solution.status}: {solution.message or solution.route} (route: {solution.route})")
        return
    show_binding(console, solution)
    for action in solution.plan or ():
        console.say(action)
    spent = ", ".join(f"{name} {times.get(name, 0.0):.2f} s" for name in ("read", "ground", "plan", "total"))
    quality = solution.describe_quality()
    shown = f"cost {solution.cost}" + (f", {quality}" if quality else "")
    console.say(f"\n{shown}, valid for the quantified goal, by route {solution.route}")
    if solution.bound is None and solution.bound_reason:
        console.say(f"no lower bound: {solution.bound_reason}")
    if solution.message:
        console.say(solution.message)
    console.say(spent)


def show_grounding(
    console: Console, grounding: "Grounding", text: str | None, explanation: "Explanation | None" = None
) -> None:
    """Prints the chosen objects, on request why they were chosen, and the grounded problem unless it went to a file."""
    if explanation is not None:
        from skolem.cli.explaining import show_explanation

        show_explanation(console, explanation)
    elif grounding.status != "grounded":
        console.say(f"{grounding.status} (route: {grounding.route})")
    else:
        show_binding(console, grounding)
        if grounding.predicted_cost is not None:
            console.say(f"predicted cost {grounding.predicted_cost:.2f}")
        console.say(f"route {grounding.route}")
        if grounding.residual is not None:
            console.say(grounding.message)
    if text is not None:
        console.say()
        console.say(text.rstrip("\n"))
