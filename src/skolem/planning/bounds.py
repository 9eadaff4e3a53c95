"""How cheap could a plan be? Lower bounds on the cost of a quantified goal, by A* on the route `end`.

The steps that bind variables cost nothing there, so that what A* proves of the rewritten task holds for the goal: all
that is cheaper than the bound has been looked at. The estimate is that of landmark cuts. It is not to be had where
there are axioms or conditional effects, and then the search is blind.
"""

from dataclasses import dataclass

from skolem.planning import end
from skolem.planning.fast_downward import run_planner
from skolem.planning.limits import NO_LIMITS, Clock, Limits
from skolem.planning.validation import validate
from skolem.support.errors import ExitCode, SkolemError
from skolem.task.model import Task

ESTIMATE, BLIND = "astar(lmcut())", "astar(blind())"


@dataclass(frozen=True)
class LowerBound:
    """What every plan costs at least, and a cheapest plan if the search came so far; or why there is no bound."""

    value: int | None
    reason: str
    """What the bound is by, or why there is none."""
    plan: tuple[str, ...] | None = None
    """A cheapest plan."""
    binding: dict[str, str] | None = None
    seconds: float = 0.0


def find_bound(task: Task, limits: Limits = NO_LIMITS) -> LowerBound:
    """A lower bound on the cost of the goal, as good as it gets within the limits."""
    clock = Clock.begin(limits)
    try:
        rewriting = end.rewrite(task, free=True)
    except SkolemError as error:
        return LowerBound(None, str(error), seconds=clock.elapsed)
    needs_blind = "(:derived " in rewriting.domain_text or "(when " in rewriting.domain_text
    search = BLIND if needs_blind else ESTIMATE
    result = run_planner(rewriting.domain_text, rewriting.problem_text, search, clock.left())
    if result.exit_code == ExitCode.UNSUPPORTED and search == ESTIMATE:
        # The translator makes axioms of some conditions.
        search = BLIND
        result = run_planner(rewriting.domain_text, rewriting.problem_text, search, clock.left())
    how = "blind search" if search == BLIND else "A* with landmark cuts"
    if result.plan is None:
        reason = f"by {how}" if result.bound is not None else f"{how} gave no bound: {result.message}"
        return LowerBound(result.bound, reason, seconds=clock.elapsed)
    plan = rewriting.restore(result.plan)
    check = validate(task, plan)
    if not check.valid:
        return LowerBound(None, f"the plan of {how} is not valid: {check.reason}", seconds=clock.elapsed)
    return LowerBound(check.cost, f"by {how}", plan, check.binding, clock.elapsed)
