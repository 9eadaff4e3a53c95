"""Fast Downward in processes whose limits on wall time and memory always hold, and that end with this one."""

import math
import os
import re
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from skolem.planning.limits import NO_LIMITS, Clock, Limits, Stop
from skolem.planning.overflow import LONGEST_PLAN, METRIC, MOST_FACTS, can_overflow, sum_chain
from skolem.planning.translator import (
    DOMAIN,
    ERRORS,
    OUTPUT,
    PLAN,
    PROBLEM,
    SAS,
    SEARCHING,
    Job,
    NeedsDriverError,
    Translator,
    find_driver,
)
from skolem.planning.translator_pool import borrow_translator
from skolem.support import parent_death
from skolem.support.errors import ExitCode, UsageError
from skolem.support.files import write_text
from skolem.support.similar import hint_similar
from skolem.support.temporary import make_temporary_folder
from skolem.task.costs import LARGEST_COST

if TYPE_CHECKING:
    import subprocess

Status = Literal["solved", "unsolvable", "unsolved", "error"]

# A sum that the planner cannot count shows as a negative one.
_COST = re.compile(r"; cost = (-?\d+) ")
# An optimal search says so when all that is cheaper has been looked at.
_BOUND = re.compile(r"\bf = (\d+)\b")
_POLL_SECONDS = 0.01
_LONGEST_WAIT = 3600.0
_MOST_SECONDS = 10**9
_MOST_MEGABYTES = 10**9
"""Limits beyond these are none: the system cannot count them."""
_NO_MEMORY = re.compile(r"MemoryError|[Cc]annot allocate memory|bad_alloc|failed to map segment|out of memory")
_NO_PART = "Unhandled exit codes: set()"
"""What the driver says when the time is too short for any part of a portfolio."""
_UNSTRATIFIED = "The axioms are not stratifiable"
UNSTRATIFIED = (
    "the planner does not take derived predicates that depend on each other through `forall`,"
    " expected one over fewer objects, which can be written out"
)
"""The message where Fast Downward makes negations of a `forall` and then finds that the axioms have no layers."""
# Lines of its output that say nothing about a failure.
_CHATTER = re.compile(
    r"INFO |Tried to use|Usage error occurred|Terminating|search exit code|\[t=|Peak memory|Remove inter"
)

# Fast Downward's codes that have another name in ours: a task the translator proves unsolvable, a search bounded in
# cost, and faulty planner strings.
_RENAMED = {
    10: ExitCode.UNSOLVABLE,
    13: ExitCode.UNSOLVED_INCOMPLETE,
    33: ExitCode.USAGE_ERROR,
    37: ExitCode.UNSUPPORTED,
}


@dataclass(frozen=True)
class PlannerResult:
    """What a run gave: a plan and its cost if it is solved, else an exit code and a message that say why not."""

    status: Status
    plan: tuple[str, ...] | None
    cost: int | None
    exit_code: ExitCode
    seconds: float
    message: str
    first_cost: int | None = None
    """The cost of the first plan, which an anytime planner may have improved on."""
    bound: int | None = None
    """What A* proved that every plan costs at least, if its estimate is admissible; None for other searches."""


@dataclass(frozen=True)
class _Run:
    """How a run ended, what it said, and the plans that it left."""

    code: int
    timed_out: bool
    searched: bool
    output: str
    errors: str
    plans: tuple[str, ...]


def check_alias(planner: str, others: Iterable[str] = ()) -> None:
    """A UsageError for a planner that is no alias, no search string and none of some others."""
    if "(" in planner:
        if planner.count("(") != planner.count(")"):
            raise UsageError(f"planner {planner!r}: the parentheses of the search string do not match")
        return
    if planner == "lama-first":
        return
    known = [*others, *list_aliases()]
    if planner not in known:
        hint = hint_similar(planner, known) or f", expected a search string or one of {', '.join(known)}"
        raise UsageError(f"there is no planner {planner!r}{hint}")


@cache
def list_aliases() -> tuple[str, ...]:
    """The names that Fast Downward has for its planners, portfolios included."""
    driver = find_driver().parent / "driver"
    names = re.findall(r'^ALIASES\["([^"]+)"\]', _read(driver / "aliases.py"), re.MULTILINE)
    names += [file.stem.replace("_", "-") for file in (driver / "portfolios").glob("*.py")]
    return tuple(sorted(names))


def run_planner(
    domain_text: str,
    problem_text: str,
    planner: str = "lama-first",
    limits: Limits = NO_LIMITS,
    stop: Stop | None = None,
) -> PlannerResult:
    """The outcome of Fast Downward on a domain and problem; `planner` is an alias or a `--search` string.

    An anytime planner that reaches a limit, or that `stop` ends, is solved with the best plan it had found. Costs that
    it cannot count are refused where they would keep it from its end, or from the truth.
    """
    clock = Clock.begin(limits)
    if "lmcut" in planner and can_overflow(domain_text, problem_text, MOST_FACTS):
        refusal = _refuse_chains(domain_text, problem_text, planner, clock)
        if refusal is not None:
            return refusal
    result = _run_once(domain_text, problem_text, planner, clock.left(), stop)
    if result.status != "unsolvable" or not can_overflow(domain_text, problem_text, LONGEST_PLAN):
        return result
    # Whether there is a plan does not depend on what it costs: without costs nothing can be left out for them.
    again = _run_once(
        domain_text, problem_text.replace(METRIC, ""), planner, clock.left(), lambda cost: cost is not None
    )
    if again.status != "solved":
        return replace(again, seconds=clock.elapsed)
    message = f"the planner finds no plan that costs less than {LARGEST_COST}, but there are others"
    return _refuse(f"{message}: it counts no further", clock)


def _refuse_chains(domain_text: str, problem_text: str, planner: str, clock: Clock) -> PlannerResult | None:
    """Why landmark cuts cannot be computed for a task, None if they can."""
    with _write_task(domain_text, problem_text) as folder:
        command = [*_start_driver(clock.left()), "--translate", DOMAIN, PROBLEM]
        _run_driver(command, folder, clock.left().seconds, None)
        cost = sum_chain(_read(Path(folder, SAS)))
    if cost < LARGEST_COST:
        return None
    message = f"planner {planner!r} adds up costs, here to as much as {cost}, expected less than {LARGEST_COST}"
    return _refuse(f"{message}: it counts no further", clock)


def _refuse(message: str, clock: Clock) -> PlannerResult:
    return PlannerResult("error", None, None, ExitCode.UNSUPPORTED, clock.elapsed, message)


def _run_once(domain_text: str, problem_text: str, planner: str, limits: Limits, stop: Stop | None) -> PlannerResult:
    start = time.monotonic()
    with _write_task(domain_text, problem_text) as folder:
        run = _run(planner, limits, folder, stop)
    return _conclude(run, planner, limits, time.monotonic() - start)


@contextmanager
def _write_task(domain_text: str, problem_text: str) -> Iterator[str]:
    """A temporary folder with a domain and a problem."""
    with make_temporary_folder() as folder:
        write_text(Path(folder, DOMAIN), domain_text)
        write_text(Path(folder, PROBLEM), problem_text)
        yield folder


def _conclude(run: _Run, planner: str, limits: Limits, seconds: float) -> PlannerResult:
    """The outcome of a run."""
    costs = _read_costs(run.plans)
    if costs:
        best = min(costs, key=lambda plan: costs[plan])
        steps = tuple(f"({' '.join(line.strip('() ').split())})" for line in best.splitlines() if line.startswith("("))
        # Every further plan of an anytime planner costs less.
        first = max(costs.values())
        return PlannerResult(
            "solved", steps, costs[best], ExitCode.SUCCESS, seconds, "", first, _read_bound(run.output)
        )
    code = _exit_code(run, limits, seconds)
    message = _explain(code, run, planner, limits)
    return PlannerResult(_status(code), None, None, code, seconds, message, bound=_read_bound(run.output))


def _read_bound(output: str) -> int | None:
    """The largest bound that an optimal search wrote."""
    return max((int(found) for found in _BOUND.findall(output)), default=None)


def _run(planner: str, limits: Limits, folder: str, stop: Stop | None) -> _Run:
    """What a planner does in a folder: without the driver where a translator is kept and the planner is one search."""
    clock = Clock.begin(limits)
    with borrow_translator() as translator:
        if translator is not None:
            job = Job(folder, planner, _count_cpu_seconds(limits), _count_megabytes(limits))
            with suppress(NeedsDriverError):
                return _run_job(translator, job, limits.seconds, stop)
    left = clock.left()
    return _run_driver(_spell_driver(planner, left), folder, left.seconds, stop)


def _run_job(translator: Translator, job: Job, seconds: float | None, stop: Stop | None) -> _Run:
    return _await_job(translator, translator.start(job), job.folder, seconds, stop)


def _await_job(translator: Translator, number: int, folder: str, seconds: float | None, stop: Stop | None) -> _Run:
    """What a translator's job does in a folder until it ends, its time is up, or a plan is good enough."""
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    timed_out, code = False, None
    try:
        while code is None:
            code = translator.wait(number, _choose_wait(deadline, stop))
            timed_out = code is None and time.monotonic() >= deadline
            if timed_out or (code is None and _is_enough(folder, stop)):
                translator.stop(number)
                code = -signal.SIGKILL
    except NeedsDriverError:
        raise
    except BaseException:
        translator.stop(number)
        raise
    output, errors = (_read(Path(folder, name)) for name in (OUTPUT, ERRORS))
    return _Run(code, timed_out, SEARCHING in output, output, errors, _read_plans(folder))


class PlannerRun:
    """A planner that works while this process does other things."""

    def __init__(self, translator: Translator, job: Job, limits: Limits) -> None:
        self._translator, self._job = translator, job
        self._clock = Clock.begin(limits)
        self._number = translator.start(job)
        self._at_work = True

    @property
    def cost(self) -> int | None:
        """The cost of the cheapest plan so far."""
        return _find_least(self._job.folder)

    def finish(self, stop: Stop | None = None) -> PlannerResult | None:
        """The outcome, with `stop` as for `run_planner`; None where it takes the driver."""
        left = self._clock.left().seconds
        self._at_work = False
        try:
            run = _await_job(self._translator, self._number, self._job.folder, left, stop)
        except NeedsDriverError:
            return None
        return _conclude(run, self._job.planner, self._clock.limits, self._clock.elapsed)

    def end(self) -> None:
        """Ends the planner, unless its outcome was taken."""
        if self._at_work:
            self._translator.stop(self._number)


@contextmanager
def start_planner(
    domain_text: str, problem_text: str, planner: str, limits: Limits = NO_LIMITS
) -> Iterator[PlannerRun | None]:
    """A planner at work until the end of the context; None where no translator is at hand."""
    with borrow_translator() as translator:
        if translator is None:
            yield None
            return
        with _write_task(domain_text, problem_text) as folder:
            run = PlannerRun(
                translator, Job(folder, planner, _count_cpu_seconds(limits), _count_megabytes(limits)), limits
            )
            try:
                yield run
            finally:
                run.end()


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""


def _count_cpu_seconds(limits: Limits) -> int | None:
    """A limit on CPU time, in whole seconds: it stops the planner should this process die before it can."""
    if limits.seconds is None or limits.seconds >= _MOST_SECONDS:
        return None
    return math.ceil(limits.seconds) + 1


def _count_megabytes(limits: Limits) -> int | None:
    return None if limits.memory_mb is None or limits.memory_mb >= _MOST_MEGABYTES else limits.memory_mb


def _spell_driver(planner: str, limits: Limits) -> list[str]:
    """The command of the driver, which starts the translator and the search one after another."""
    is_search = "(" in planner
    command = [*_start_driver(limits), "--plan-file", PLAN]
    command += [] if is_search else ["--alias", planner]
    command += [DOMAIN, PROBLEM]
    return command + (["--search-options", "--search", planner] if is_search else [])


def _start_driver(limits: Limits) -> list[str]:
    command = [sys.executable, parent_death.__file__, str(os.getpid()), str(find_driver()), "--sas-file", SAS]
    cpu_seconds, megabytes = _count_cpu_seconds(limits), _count_megabytes(limits)
    command += [] if cpu_seconds is None else ["--overall-time-limit", f"{cpu_seconds}s"]
    return command + ([] if megabytes is None else ["--overall-memory-limit", f"{megabytes}M"])


def _run_driver(command: list[str], folder: str, seconds: float | None, stop: Stop | None) -> _Run:
    """What the driver does in a folder, in a process group of its own that nothing is left of afterwards."""
    import subprocess

    timed_out = False
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, errors, timed_out = _wait(process, folder, seconds, stop)
        except BaseException:
            _kill_group(process)
            # The pipes end with the last process of the group; only then may its folder be removed.
            process.communicate()
            raise
    return _Run(process.returncode, timed_out, SEARCHING in errors + output, output, errors, _read_plans(folder))


def _wait(
    process: "subprocess.Popen[str]", folder: str, seconds: float | None, stop: Stop | None
) -> tuple[str, str, bool]:
    """What a process says until its end, and whether its time was up before."""
    from subprocess import TimeoutExpired

    deadline = math.inf if seconds is None else time.monotonic() + seconds
    while True:
        try:
            return *process.communicate(timeout=_choose_wait(deadline, stop)), False
        except TimeoutExpired:
            timed_out = time.monotonic() >= deadline
            if timed_out or _is_enough(folder, stop):
                _kill_group(process)
                return *process.communicate(), timed_out


def _choose_wait(deadline: float, stop: Stop | None) -> float:
    """How long to wait for the end of a planner before looking again."""
    return min(max(0.0, deadline - time.monotonic()), _LONGEST_WAIT if stop is None else _POLL_SECONDS)


def _is_enough(folder: str, stop: Stop | None) -> bool:
    """Whether the planner is to stop with what it has found so far."""
    return stop is not None and stop(_find_least(folder))


def _find_least(folder: str) -> int | None:
    """The cost of the cheapest plan so far."""
    return min(_read_costs(_read_plans(folder)).values(), default=None)


def _read_plans(folder: str) -> tuple[str, ...]:
    return tuple(p.read_text(encoding="utf-8") for p in sorted(Path(folder).glob("plan*")))


def _read_costs(plans: Iterable[str]) -> dict[str, int]:
    """The cost of every plan; one that is still being written does not have it yet."""
    return {plan: int(found[1]) for plan in plans if (found := _COST.search(plan))}


def _kill_group(process: "subprocess.Popen[str]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _exit_code(run: _Run, limits: Limits, seconds: float) -> ExitCode:
    no_time = ExitCode.SEARCH_OUT_OF_TIME if run.searched else ExitCode.TRANSLATE_OUT_OF_TIME
    no_memory = ExitCode.SEARCH_OUT_OF_MEMORY if run.searched else ExitCode.TRANSLATE_OUT_OF_MEMORY
    if run.timed_out or _NO_PART in run.output + run.errors:
        return no_time
    if limits.memory_mb is not None and run.code in (1, 30, 32, 35, 127) and _NO_MEMORY.search(run.errors + run.output):
        return no_memory
    if _UNSTRATIFIED in run.output + run.errors:
        return ExitCode.UNSUPPORTED
    if run.code in _RENAMED:
        return _RENAMED[run.code]
    if 10 <= run.code < 40 and run.code in set(ExitCode):
        return ExitCode(run.code)
    if run.code in (-signal.SIGKILL, 256 - signal.SIGKILL):
        # Killed from outside: by the kernel for its CPU limit, or for memory.
        return no_time if limits.seconds is not None and seconds >= limits.seconds else no_memory
    return ExitCode.SEARCH_CRITICAL_ERROR if run.searched else ExitCode.TRANSLATE_CRITICAL_ERROR


def _status(code: ExitCode) -> Status:
    if code == ExitCode.UNSOLVABLE:
        return "unsolvable"
    return "error" if code >= ExitCode.TRANSLATE_CRITICAL_ERROR else "unsolved"


def _explain(code: ExitCode, run: _Run, planner: str, limits: Limits) -> str:
    part = "the search" if run.searched else "the translator"
    if code == ExitCode.UNSOLVABLE:
        return "the planner proved that there is no plan"
    if code == ExitCode.UNSOLVED_INCOMPLETE:
        return "the planner ended without a plan and without a proof that there is none"
    if code in (ExitCode.TRANSLATE_OUT_OF_TIME, ExitCode.SEARCH_OUT_OF_TIME):
        return (
            f"{part} ran out of time ({round(limits.seconds, 2):g} s)"
            if limits.seconds is not None
            else f"{part} was stopped"
        )
    if code < ExitCode.TRANSLATE_CRITICAL_ERROR:
        limit = f" ({limits.memory_mb} MB)" if limits.memory_mb is not None else ""
        return f"{part} ran out of memory{limit}"
    if _UNSTRATIFIED in run.output + run.errors:
        return UNSTRATIFIED
    return f"planner {planner!r} failed: {_last_words(run)}"


def _last_words(run: _Run) -> str:
    # The driver prints what the translator wrote on its error stream as a bytes literal.
    lines = [line.strip(" '\"") for line in f"{run.output}\n{run.errors}".replace("\\n", "\n").splitlines()]
    own = [line for line in lines if line and not _CHATTER.match(line)]
    telling = [line for line in own if re.search(r"error|support|unknown|undefined|must|reason|no time", line, re.I)]
    return (telling or own or [f"exit code {run.code}"])[-1][:300]
