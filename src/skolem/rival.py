"""The exact route beside the learned one: when it is asked, how long it may take, and whether its plan is taken.

A plan for a learned binding is improved while it costs more than the network predicts. One that stays far from its
prediction may be for a bad binding, and is compared with a plan of the exact route: that has been at work on another
processor since the beginning where it is likely to be asked, and otherwise is asked then.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from skolem.grounders import BEYOND_TRAINING
from skolem.grounding.models import UNPROVEN
from skolem.grounding.protocol import LEVEL_DOUBT
from skolem.planning.exact import ExactRun, RouteResult, plan_exact, start_exact
from skolem.planning.limits import NO_LIMITS, RESERVE_SECONDS, Clock, Limits, Patience, Stop, leave_reserve
from skolem.request import Solution
from skolem.support.parallel import count_processors
from skolem.task.model import Task

ANYTIME = ("lama", "seq-sat-lama-2011")

CLOSE = (1.02, 0.5)
"""A plan within this factor and so much more than the predicted cost is not improved."""
FAR = (1.25, 1.0)
"""Beyond this the binding itself may be a bad one, and the exact route is asked too."""
LEAST_SECONDS = 0.5
"""The least time for the exact route then, which needs less for most tasks."""
LEAST_DOUBTED = {UNPROVEN: 5.0} | dict.fromkeys(BEYOND_TRAINING, 2.0)
"""The same for models that were not measured to be better than the exact route, and where that needs longer."""
RIVAL_VARIABLES = 4
"""With so many variables a wrong choice is likely enough for the exact route to be at work beside the learned one."""
RIVAL_MEMORY = 0.25
"""The share of the memory that it has."""
LEAST_BESIDE = 1.0
"""The least time for a first plan of a binding when there is one of the exact route."""
SHORT = 0.25
"""The share of its time for improving an exact plan where the learned one costs no more than predicted."""


def find_cheapest(tried: Sequence[Solution]) -> Solution | None:
    """The cheapest plan, if there is one."""
    return min((s for s in tried if s.status == "solved"), key=lambda s: s.cost or 0, default=None)


def start_rival(task: Task, clock: Clock, doubt: str) -> AbstractContextManager[ExactRun | None]:
    """The exact route at work beside the learned one, where it may well be asked and has a processor of its own."""
    likely = len(task.goal.variables) >= RIVAL_VARIABLES or doubt
    if not likely or count_processors() == 1:
        return nullcontext()
    limits = leave_reserve(clock)
    megabytes = None if limits.memory_mb is None else int(RIVAL_MEMORY * limits.memory_mb)
    return start_exact(task, ANYTIME[0], Limits(limits.seconds, megabytes))


def ask_exact(task: Task, clock: Clock, tried: Sequence[Solution], rival: ExactRun | None) -> Iterator[Solution]:
    """An exact plan, if that is cheaper than a plan that costs more than the model predicts or that is in doubt."""
    first = find_cheapest(tried)
    if first is None:
        exact = _take_plan(rival, lambda cost: True) if rival else None
        ground_seconds, message = sum(s.times["ground"] for s in tried[:1]), count_failures(tried)
    elif first.predicted is None or not (first.doubt or _is_dear(first)):
        return
    else:
        exact = _take_or_follow(task, clock, first, rival) if rival else _follow_exact(task, clock, first)
        ground_seconds = first.times["ground"]
        message = f"cheaper than the plan of cost {first.cost} for the learned binding"
    if exact is not None and exact.cost is not None and (first is None or exact.cost < (first.cost or 0)):
        times = {"ground": ground_seconds, "plan": clock.elapsed - ground_seconds}
        yield replace(exact, times=times, message=message)


def count_failures(tried: Sequence[Solution]) -> str:
    """How many bindings gave no plan, in words."""
    return f"{len(tried)} learned binding{'s' * (len(tried) != 1)} gave no plan"


def _is_dear(solution: Solution, margin: tuple[float, float] = CLOSE) -> bool:
    """Whether a plan costs more than predicted, by more than a margin."""
    return (solution.cost or 0) > _exceed(margin, solution.predicted or 0.0)


def _bound_wait(rival: ExactRun, first: Solution) -> Stop:
    """When to take the exact plan that there is: at once where the learned one is near its prediction."""
    far = _is_dear(first, FAR)
    if not first.doubt and not far:
        return lambda cost: True
    own = Clock.begin(NO_LIMITS)
    least = LEAST_DOUBTED.get(first.doubt, LEAST_SECONDS)
    patience = _choose_exact_patience(own, first)
    return lambda cost: rival.clock.elapsed >= least if cost is None else patience(cost)


def _choose_exact_patience(own: Clock, first: Solution) -> Patience:
    """When a plan of the exact route is cheap enough beside a learned one, or not worth a longer search."""
    trusted = not first.doubt or first.doubt == LEVEL_DOUBT
    enough = _exceed(CLOSE, first.predicted or 0.0) if trusted else 0.0
    most = 1.0 if _is_dear(first, FAR) or first.doubt in BEYOND_TRAINING else SHORT
    return Patience(own, enough, most=most)


def _take_plan(rival: ExactRun, stop: Stop) -> Solution | None:
    """The plan of the exact route that has been at work."""
    result = rival.finish(stop)
    return None if result is None else take_route(result)


def _take_or_follow(task: Task, clock: Clock, first: Solution, rival: ExactRun) -> Solution | None:
    """The plan of the exact route that has been at work; where it ended without one, that of a run with all memory."""
    wait, is_given_up = _bound_wait(rival, first), False

    def stop(cost: float | None) -> bool:
        nonlocal is_given_up
        is_given_up = wait(cost)
        return is_given_up

    found = _take_plan(rival, stop)
    return found if found is not None or is_given_up else _follow_exact(task, clock, first)


def _follow_exact(task: Task, clock: Clock, first: Solution) -> Solution | None:
    """The plan of the exact route, asked now; None where the plan is near its prediction or there is no time."""
    if not first.doubt and not _is_dear(first, FAR):
        return None
    limits = find_spare(clock, LEAST_DOUBTED.get(first.doubt, LEAST_SECONDS))
    if limits is None:
        return None
    own = Clock.begin(limits)
    patience = _choose_exact_patience(own, first)
    return take_route(plan_exact(task, "exact", ANYTIME[0], own.left(), patience))


def _exceed(margin: tuple[float, float], cost: float) -> float:
    """The cost with a factor and so much more."""
    return margin[0] * cost + margin[1]


def find_spare(clock: Clock, least: float = LEAST_SECONDS) -> Limits | None:
    """As much time as was used so far, and enough for most tasks, if there is; None where not even that is left."""
    left, wanted = clock.left(), max(clock.elapsed, least)
    if left.seconds is None:
        return Limits(wanted, left.memory_mb)
    spare = left.seconds - RESERVE_SECONDS
    return None if spare < least else Limits(min(wanted, spare), left.memory_mb)


def follow_prediction(clock: Clock, predicted: float, doubt: str, rival: ExactRun | None) -> Stop:
    """When to stop at a plan that should cost as much; beyond training it may well cost less."""
    close, far = _exceed(CLOSE, predicted), _exceed(FAR, predicted)
    started = clock.elapsed
    if doubt in BEYOND_TRAINING:
        close, far = 0.0, close
    patience = Patience(clock, close, started, far=far)
    if rival is None:
        return patience

    def stop(cost: float | None) -> bool:
        if cost is None:
            return clock.elapsed - started > max(started, LEAST_BESIDE) and rival.cost < math.inf
        return patience(min(cost, rival.cost))

    return stop


def take_route(result: RouteResult) -> Solution:
    """What an exact route found, as a solution."""
    return Solution(
        status=result.status,
        exit_code=result.exit_code,
        route=result.route,
        binding=result.binding,
        cost=result.cost,
        plan=result.plan,
        valid=result.plan is not None,
        message=result.message,
    )
