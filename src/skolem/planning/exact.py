"""Plans for quantified goals by exact rewritings: one of the routes, or the best of them for the task at hand."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from skolem.planning import bind_axiom, dnf, end, miniscope
from skolem.planning.fast_downward import PlannerResult, PlannerRun, Status, run_planner, start_planner
from skolem.planning.goal_pattern import find_patterns
from skolem.planning.limits import NO_LIMITS, Clock, Limits, Stop
from skolem.planning.rewriting import Rewriting
from skolem.planning.validation import validate
from skolem.support.errors import ExitCode, InputError, SkolemError
from skolem.task.costs import check_total
from skolem.task.model import Task
from skolem.task.satisfaction import satisfy

ROUTES: Mapping[str, Callable[[Task], Rewriting]] = {
    "dnf": dnf.rewrite,
    "bind-axiom": bind_axiom.rewrite,
    "end": end.rewrite,
    "miniscope": miniscope.rewrite,
}

MOST_RULES = 20_000
"""Ground rules up to which miniscope takes a few seconds at most; it finds the cheapest first plans."""
ADMISSIBLE = {"blind", "lmcut", "hmax", "ipdb", "zopdbs", "cpdbs", "cegar", "merge_and_shrink", "max"}
"""Evaluators of Fast Downward that never exceed the cost of a plan."""
FIRST_SHARE = 0.6
"""The share of the time for the first route, which finds cheaper plans than bind-axiom but more seldom finds one."""
FIRST_SECONDS = 60.0
"""The time for the first route when there is no limit."""


@dataclass(frozen=True)
class RouteResult:
    """A validated plan with the objects it found and the route that gave it, or why there is none."""

    status: Status
    plan: tuple[str, ...] | None
    cost: int | None
    binding: dict[str, str] | None
    route: str
    exit_code: ExitCode
    seconds: float
    message: str


def plan_exact(
    task: Task,
    route: str = "exact",
    planner: str = "lama-first",
    limits: Limits = NO_LIMITS,
    stop: Stop | None = None,
) -> RouteResult:
    """The outcome of a route on a task; `exact` chooses the route, and a second one if the first gives nothing."""
    if route not in ("exact", *ROUTES):
        raise InputError(f"unknown route '{route}', expected exact, {', '.join(ROUTES)}")
    clock = Clock.begin(limits)
    witness = satisfy(task, task.init)
    if witness is not None:
        # Anytime planners would search on for a plan cheaper than the empty one.
        message = "the goal is true already"
        return RouteResult("solved", (), 0, witness, "initial-state", ExitCode.SUCCESS, clock.elapsed, message)
    if not find_patterns(task):
        message = "no objects fit the goal's static description"
        return RouteResult("unsolvable", None, None, None, "candidates", ExitCode.UNSOLVABLE, clock.elapsed, message)
    first, *others = choose_routes(task, planner) if route == "exact" else [route]
    if not others:
        return _follow(task, first, planner, clock.left(), clock, stop)
    share = clock.left(FIRST_SHARE) if limits.seconds is not None else Limits(FIRST_SECONDS, limits.memory_mb)
    result = _follow(task, first, planner, share, clock, stop)
    if result.status in ("solved", "unsolvable"):
        return result
    # A planner that cannot take axioms can still take the one route without any.
    other = "end" if result.exit_code == ExitCode.UNSUPPORTED else others[0]
    return _follow(task, other, planner, clock.left(), clock, stop)


def choose_routes(task: Task, planner: str) -> list[str]:
    """The route that suits the task and the planner, and another one for when it finds no plan."""
    if is_optimal(planner):
        # Optimal planners mostly refuse axioms, and their plans for `end` are optimal for the goal.
        return ["end"]
    patterns = find_patterns(task)
    rules = sum(miniscope.count_rules(p, step) for p in patterns for step in miniscope.order_eliminations(p))
    return ["miniscope" if rules <= MOST_RULES else "end", "bind-axiom"]


def is_optimal(planner: str) -> bool:
    """Whether an alias or search string asks for a cheapest plan."""
    return planner.startswith("seq-opt") or "astar(" in planner


def proves_optimality(planner: str) -> bool:
    """Whether the plans of an alias or search string are cheapest ones, proven.

    >>> proves_optimality("astar(lmcut())"), proves_optimality("astar(ff())")
    (True, False)
    """
    if "(" not in planner:
        return planner.startswith("seq-opt")
    used = set(re.findall(r"(\w+)\s*\(", planner))
    return "astar" in used and used - {"astar"} <= ADMISSIBLE and re.search("transform|bound|max_time", planner) is None


def _follow(task: Task, route: str, planner: str, limits: Limits, clock: Clock, stop: Stop | None) -> RouteResult:
    own = Clock.begin(limits)
    rewriting = ROUTES[route](task)
    asked = _leave_dummies(rewriting, stop)
    result = run_planner(rewriting.domain_text, rewriting.problem_text, planner, own.left(), stop=asked)
    return _check(task, route, rewriting, result, clock)


def _leave_dummies(rewriting: Rewriting, stop: Stop | None) -> Stop | None:
    """Whether to stop at a plan of the rewriting, by what it costs without the added actions."""
    return stop and (lambda cost: stop(None if cost is None else cost - rewriting.dummy_cost))


def _check(task: Task, route: str, rewriting: Rewriting, result: PlannerResult, clock: Clock) -> RouteResult:
    """The planner's outcome as one for the task, its plan validated."""
    messages = [result.message] if result.message else []
    if task.goal.outside is not None and route == "dnf":
        messages.append(f"the goal has {task.goal.outside}, so it went to the planner as it is")
    message = "; ".join(messages)
    if result.plan is None:
        return RouteResult(result.status, None, None, None, route, result.exit_code, clock.elapsed, message)
    plan = rewriting.restore(result.plan)
    check = validate(task, plan)
    if not check.valid:
        message = f"the planner's plan is not valid: {check.reason}"
        return RouteResult("error", None, None, None, route, ExitCode.INVALID_PLAN, clock.elapsed, message)
    check_total(check.cost)
    return RouteResult("solved", plan, check.cost, check.binding, route, ExitCode.SUCCESS, clock.elapsed, message)


@dataclass(frozen=True)
class ExactRun:
    """The first exact route of a task, at work while this process does other things."""

    task: Task
    route: str
    rewriting: Rewriting
    run: PlannerRun
    clock: Clock

    @property
    def cost(self) -> float:
        """The cost of the cheapest plan so far, infinite before there is one."""
        cost = self.run.cost
        return math.inf if cost is None else cost - self.rewriting.dummy_cost

    def finish(self, stop: Stop) -> RouteResult | None:
        """A validated plan if there is one by the time that `stop` says so, or by the end."""
        result = self.run.finish(_leave_dummies(self.rewriting, stop))
        if result is None or result.plan is None:
            return None
        found = _check(self.task, self.route, self.rewriting, result, self.clock)
        return found if found.status == "solved" else None


@contextmanager
def start_exact(task: Task, planner: str, limits: Limits) -> Iterator[ExactRun | None]:
    """The exact route at work until the end of the context; None where that cannot be."""
    try:
        route = choose_routes(task, planner)[0]
        rewriting = ROUTES[route](task)
    except SkolemError:
        # What it cannot take another route may.
        yield None
        return
    with start_planner(rewriting.domain_text, rewriting.problem_text, planner, limits) as run:
        yield None if run is None else ExactRun(task, route, rewriting, run, Clock.begin(limits))
