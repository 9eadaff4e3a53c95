"""Plans by a planner of the user's own: a function that is given one grounded problem after another."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from skolem.grounders import check_model, make_grounder
from skolem.grounding.protocol import Grounding
from skolem.pddl.writing import write_grounded
from skolem.planning.limits import Clock, leave_reserve
from skolem.planning.validation import parse_plan, validate
from skolem.request import Request, Solution
from skolem.solve import (
    BINDING_SHARE,
    EXACT,
    MOST_BINDINGS,
    add_bound,
    answer_at_once,
    ground,
    join_sentences,
    refuse_detour,
)
from skolem.support.errors import ExitCode, InputError, LimitError, SkolemError, UnsupportedError
from skolem.task.model import Task

Planner = Callable[[str, str, float | None], Sequence[str] | None]
"""From the text of a domain, that of a grounded problem and a time limit in seconds to a plan, or None for none."""
Attempt = Callable[[Grounding, float | None], "Outcome"]
"""What a planner makes of one binding, in so many seconds."""


@dataclass(frozen=True)
class Outcome:
    """The plan of a planner for one binding, or the exit code and the word that say why there is none."""

    plan: tuple[str, ...] | None
    exit_code: ExitCode = ExitCode.UNSOLVED_INCOMPLETE
    message: str = "the planner has no plan for this binding; another one may have"


def plan_with(planner: Planner, task: Task, request: Request, clock: Clock) -> Solution:
    """The first valid plan that the planner finds for one of a few bindings, or why there is none."""

    def attempt(grounding: Grounding, seconds: float | None) -> Outcome:
        problem = write_grounded(grounding.alternative or task, grounding.binding or {})
        found = planner(task.domain.source.text, problem, seconds)
        return Outcome(None if found is None else _read_steps(found))

    return add_bound(task, plan_by_bindings(attempt, task, request, clock), request, clock)


def _read_steps(found: object) -> tuple[str, ...]:
    """The steps of what a planner returned: a list of them, or their text."""
    steps = [found] if isinstance(found, str) else list(found) if isinstance(found, Iterable) else [found]
    for step in steps:
        if not isinstance(step, str):
            raise TypeError(f"the planner returned {found!r}, expected a list of '(action object ...)' or None")
    return parse_plan("\n".join(map(str, steps)), "<plan>")


def plan_by_bindings(attempt: Attempt, task: Task, request: Request, clock: Clock) -> Solution:
    """The first valid plan of all attempts: for the grounder's bindings, then for the exact route's.

    That one's proof that no binding can be reached is the last word; one binding's is none.
    """
    check_model(task, request)
    answer = answer_at_once(task)
    if answer is not None:
        return answer
    ground_seconds, failed = 0.0, list[Solution]()
    started = clock.elapsed
    try:
        for grounding, share in _list_groundings(task, request, clock):
            ground_seconds += clock.elapsed - started
            if grounding.binding is None:
                return Solution("unsolvable", ExitCode.UNSOLVABLE, grounding.route, message=grounding.message)
            # The exact route's last binding may be one that was tried before.
            if all(solution.binding != grounding.binding for solution in failed):
                seconds = leave_reserve(clock).seconds
                outcome = attempt(grounding, None if seconds is None else share * seconds)
                solution = _check(task, grounding, outcome)
                if solution.status == "solved":
                    times = {"ground": ground_seconds, "plan": clock.elapsed - ground_seconds}
                    return replace(solution, times=times)
                failed.append(solution)
            started = clock.elapsed
    except (InputError, UnsupportedError):
        raise
    except SkolemError as error:
        # The exact route found no binding, for want of time or of a plan.
        if not failed:
            raise
        failed.append(Solution("unsolved", ExitCode(error.exit_code), "exact", message=str(error)))
    if not failed:
        raise SkolemError("no binding was found")
    # A plan that is not valid says more than none, and the last attempt more than those before.
    return next((solution for solution in failed if solution.exit_code == ExitCode.INVALID_PLAN), failed[-1])


def _list_groundings(task: Task, request: Request, clock: Clock) -> Iterator[tuple[Grounding, float]]:
    """Bindings to plan for, each with its share of the time that is left: the grounder's, then the exact route's."""
    auto = request.grounder == "auto"
    if request.grounder not in EXACT:
        try:
            grounder = make_grounder(task, request)
            for grounding in islice(grounder.groundings(task), MOST_BINDINGS if auto else 1):
                yield grounding, BINDING_SHARE if auto else 1.0
                if grounding.binding is None:
                    return
        except LimitError:
            raise
        except SkolemError as error:
            if not auto:
                raise
            refuse_detour(request, error)
    if auto or request.grounder in EXACT:
        yield ground(task, replace(request, grounder="exact" if auto else request.grounder), clock), 1.0


def _check(task: Task, grounding: Grounding, outcome: Outcome) -> Solution:
    """What an attempt gave: its plan is one only if it achieves the quantified goal."""
    binding, plan = dict(grounding.binding or {}), outcome.plan
    message, code = join_sentences(grounding.message, outcome.message), outcome.exit_code
    solution = Solution("unsolved", code, grounding.route, binding, message=message, residual=grounding.residual)
    if plan is None:
        return replace(solution, status="error" if code >= ExitCode.TRANSLATE_CRITICAL_ERROR else "unsolved")
    check = validate(task, plan)
    return replace(
        solution,
        status="solved" if check.valid else "error",
        exit_code=ExitCode.SUCCESS if check.valid else ExitCode.INVALID_PLAN,
        cost=check.cost,
        plan=plan,
        valid=check.valid,
        message=grounding.message if check.valid else f"the planner's plan is not valid: {check.reason}",
        predicted=grounding.predicted_cost,
        trace=grounding.trace,
    )
