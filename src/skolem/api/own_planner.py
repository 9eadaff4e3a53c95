"""Plans by a planner of the user's own: a function that is given one grounded problem after another."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from skolem.grounding.protocol import Grounding
from skolem.pddl.writing import write_grounded
from skolem.planning.limits import Clock
from skolem.planning.validation import parse_plan, validate
from skolem.solve import (
    EXACT,
    MOST_BINDINGS,
    Request,
    Solution,
    answer_at_once,
    check_model,
    ground,
    join_sentences,
    leave_reserve,
    make_grounder,
)
from skolem.support.errors import ExitCode, InputError, SkolemError
from skolem.task.model import Task

Planner = Callable[[str, str, float | None], Sequence[str] | None]
"""From the text of a domain, that of a grounded problem and a time limit in seconds to a plan, or None for none."""
ROUTE = "own planner"


def plan_with(planner: Planner, task: Task, request: Request, clock: Clock) -> Solution:
    """The first valid plan that the planner finds for one of a few bindings, or why there is none."""
    check_model(task, request)
    answer = answer_at_once(task)
    if answer is not None:
        return answer
    started, failed = clock.elapsed, list[Solution]()
    for grounding in _list_groundings(task, request, clock):
        if grounding.binding is None:
            break
        ground_seconds = clock.elapsed - started
        started = clock.elapsed
        solution = _plan_bound(planner, task, grounding, leave_reserve(clock).seconds)
        solution = replace(solution, times={"ground": ground_seconds, "plan": clock.elapsed - started})
        if solution.status == "solved":
            return solution
        failed.append(solution)
        started = clock.elapsed
    if not failed:
        return Solution("unsolvable", ExitCode.UNSOLVABLE, ROUTE, message="no binding of the goal can be reached")
    # A plan that is not valid says more than none.
    return min(failed, key=lambda solution: solution.status != "error")


def _list_groundings(task: Task, request: Request, clock: Clock) -> Iterator[Grounding]:
    """The bindings to plan for: those of the grounder, and where no model can choose any the exact route's."""
    if request.grounder not in EXACT:
        try:
            most = MOST_BINDINGS if request.grounder == "auto" else 1
            yield from islice(make_grounder(task, request).groundings(task), most)
            return
        except SkolemError as error:
            if request.grounder != "auto" or (request.model is not None and isinstance(error, InputError)):
                raise
    yield ground(task, replace(request, grounder="exact" if request.grounder == "auto" else request.grounder), clock)


def _plan_bound(planner: Planner, task: Task, grounding: Grounding, seconds: float | None) -> Solution:
    binding, route = dict(grounding.binding or {}), f"{grounding.route}+{ROUTE}"
    problem = write_grounded(grounding.alternative or task, binding)
    found = planner(task.domain.source.text, problem, seconds)
    if found is None:
        message = join_sentences(
            grounding.message, "the planner found no plan for this binding; another one may have one"
        )
        code = ExitCode.UNSOLVED_INCOMPLETE
        return Solution("unsolved", code, route, binding, message=message, residual=grounding.residual)
    plan = parse_plan("\n".join(found), "<plan>")
    check = validate(task, plan)
    return Solution(
        status="solved" if check.valid else "error",
        exit_code=ExitCode.SUCCESS if check.valid else ExitCode.INVALID_PLAN,
        route=route,
        binding=binding,
        cost=check.cost,
        plan=plan,
        valid=check.valid,
        message=grounding.message if check.valid else f"the planner's plan is not valid: {check.reason}",
        predicted=grounding.predicted_cost,
        residual=grounding.residual,
    )
