"""All together: a task goes in, a validated plan and the objects it found come out."""

from dataclasses import dataclass, field

from skolem.errors import ExitCode, LimitError, SkolemError, UnsupportedError
from skolem.grounding.protocol import Grounder, Grounding
from skolem.grounding.random import RandomGrounder, RandomValidGrounder
from skolem.planning.exact import ROUTES, plan_exact
from skolem.planning.fast_downward import Status, run_planner
from skolem.planning.limits import NO_LIMITS, Clock, Limits
from skolem.planning.validation import validate
from skolem.task.candidates import find_valid_candidates
from skolem.task.model import Task
from skolem.task.satisfaction import satisfy
from skolem.task.writing import write_grounded

EXACT = ("exact", *ROUTES)
GROUNDERS = ("auto", "random", "random-valid", *EXACT)

RESERVE_SECONDS = 0.3
"""Kept back from the planner's time for reading its plan, validating it and writing the answer."""


@dataclass(frozen=True)
class Solution:
    """The outcome of a planning request; `valid` says that the plan achieves the original quantified goal."""

    status: Status
    exit_code: ExitCode
    route: str
    binding: dict[str, str] | None = None
    cost: int | None = None
    plan: tuple[str, ...] | None = None
    valid: bool = False
    message: str = ""
    times: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """How a task is to be solved."""

    grounder: str = "auto"
    planner: str = "lama-first"
    limits: Limits = NO_LIMITS
    seed: int = 0


def solve(task: Task, request: Request, clock: Clock | None = None) -> Solution:
    """A validated plan for the task, or an honest word why there is none."""
    clock = clock or Clock.begin(request.limits)
    trivial = solve_without_planning(task)
    if trivial is not None:
        return trivial
    if request.grounder in ("auto", *EXACT):
        return _solve_exactly(task, request, clock)
    return _solve_grounded(task, request, clock)


def solve_without_planning(task: Task) -> Solution | None:
    """The answer for a goal that is true already or has no valid binding; None for all others."""
    witness = satisfy(task, task.init)
    if witness is not None:
        return Solution("solved", ExitCode.SUCCESS, "initial-state", witness, 0, (), True, "the goal is true already")
    if task.goal.outside is None and has_no_binding(task):
        message = "no objects fit the goal's static description"
        return Solution("unsolvable", ExitCode.UNSOLVABLE, "candidates", message=message)
    return None


def has_no_binding(task: Task) -> bool:
    """Whether no complete binding satisfies the static part of the goal, proven."""
    if not task.goal.variables:
        return False
    return find_valid_candidates(task.query, task.statics, len(task.objects)).unsolvable


def ground(task: Task, request: Request, clock: Clock | None = None) -> Grounding:
    """A binding of the goal's variables; the exact routes plan and return their witness."""
    if request.grounder not in ("auto", *EXACT):
        return make_grounder(request).ground(task)
    solution = solve(task, request, clock)
    if solution.status == "unsolvable":
        return Grounding("unsolvable", None, None, (), solution.route)
    if solution.binding is None:
        raise _as_error(solution)
    return Grounding("grounded", solution.binding, None, (), solution.route)


def make_grounder(request: Request) -> Grounder:
    """The grounder a request names."""
    if request.grounder == "random":
        return RandomGrounder(request.seed)
    return RandomValidGrounder(request.seed)


def leave_reserve(clock: Clock) -> Limits:
    """The limits that a planner started now must keep; a LimitError when no time is left."""
    left = clock.left()
    if left.seconds is None:
        return left
    if left.seconds <= RESERVE_SECONDS:
        raise LimitError("the time limit was reached before planning began", ExitCode.TRANSLATE_OUT_OF_TIME)
    return Limits(left.seconds - RESERVE_SECONDS, left.memory_mb)


def _solve_exactly(task: Task, request: Request, clock: Clock) -> Solution:
    route = "exact" if request.grounder == "auto" else request.grounder
    started = clock.elapsed
    result = plan_exact(task, route, request.planner, leave_reserve(clock))
    return Solution(
        status=result.status,
        exit_code=result.exit_code,
        route=result.route,
        binding=result.binding,
        cost=result.cost,
        plan=result.plan,
        valid=result.plan is not None,
        message=result.message,
        times={"ground": 0.0, "plan": clock.elapsed - started},
    )


def _solve_grounded(task: Task, request: Request, clock: Clock) -> Solution:
    if task.goal.outside is not None:
        raise UnsupportedError(f"--grounder {request.grounder} cannot bind this goal: {task.goal.outside}")
    started = clock.elapsed
    grounding = make_grounder(request).ground(task)
    grounded = clock.elapsed
    if grounding.binding is None:
        return Solution("unsolvable", ExitCode.UNSOLVABLE, grounding.route)
    text = write_grounded(task, grounding.binding)
    result = run_planner(task.domain.source.text, text, request.planner, leave_reserve(clock))
    times = {"ground": grounded - started, "plan": clock.elapsed - grounded}
    if result.plan is None:
        # An unreachable binding says nothing about the other bindings of the goal.
        unreachable = result.status == "unsolvable"
        code = ExitCode.UNSOLVED_INCOMPLETE if unreachable else result.exit_code
        message = "this binding cannot be reached; another one may be" if unreachable else result.message
        status: Status = "error" if result.status == "error" else "unsolved"
        return Solution(status, code, grounding.route, dict(grounding.binding), message=message, times=times)
    check = validate(task, result.plan)
    return Solution(
        status="solved" if check.valid else "error",
        exit_code=ExitCode.SUCCESS if check.valid else ExitCode.INVALID_PLAN,
        route=grounding.route,
        binding=dict(grounding.binding),
        cost=check.cost,
        plan=result.plan,
        valid=check.valid,
        message=check.reason,
        times=times,
    )


def _as_error(solution: Solution) -> SkolemError:
    error = SkolemError(solution.message or "no binding was found")
    error.exit_code = solution.exit_code
    return error
