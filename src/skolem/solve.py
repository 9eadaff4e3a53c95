"""All together: a task goes in, a validated plan and the objects it found come out.

`solve` is the list of stages; each answers, or leaves the task to the next one.
"""

import math
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import islice

from skolem.grounders import BEYOND_TRAINING, POLICY, check_model, check_planner, make_grounder
from skolem.grounding.protocol import Grounder, Grounding
from skolem.pddl.writing import format_formula, spell_as_written
from skolem.planning.derived import separate_denied
from skolem.planning.exact import (
    ROUTES,
    ExactRun,
    choose_routes,
    is_optimal,
    plan_exact,
    proves_optimality,
)
from skolem.planning.fast_downward import Status, run_planner
from skolem.planning.limits import RESERVE_SECONDS, Clock, Limits, Patience, Stop, leave_reserve
from skolem.planning.rewriting import Rewriter, Rewriting
from skolem.planning.validation import validate
from skolem.request import Request, Solution
from skolem.rival import (
    ANYTIME,
    ask_exact,
    count_failures,
    find_cheapest,
    find_spare,
    follow_prediction,
    start_rival,
    take_route,
)
from skolem.support.errors import ExitCode, InputError, LimitError, SkolemError
from skolem.task.constraints.candidates import find_valid_candidates
from skolem.task.costs import check_total
from skolem.task.formulas import And, Atom, Not
from skolem.task.goal_normal_form import list_alternatives
from skolem.task.goals import ground_goal, make_goal
from skolem.task.model import Binding, Task
from skolem.task.proofs.impossible import find_impossible_atoms
from skolem.task.satisfaction import satisfy
from skolem.task.scopes import list_shared

EXACT = ("exact", *ROUTES)

MOST_BINDINGS = 3
"""How many learned bindings are planned for before the exact route takes over."""
BINDING_SHARE = 0.4
"""The share of the remaining time that planning for one binding may take."""
BINDING_SECONDS = 60.0
"""The time for one binding when there is no limit."""
MANY_BINDINGS = 2
"""How many bindings are then compared by their plans."""
EXPLAIN_SECONDS, MOST_EXPLAINED = 5.0, 3
"""The time that must be left for a word on why a goal is unsolvable, and how many atoms it names."""
NO_TIME = Limits(0.0)
BEST_SECONDS = 10.0
"""With the effort "best" and no time limit, a search ends when so long nothing cheaper was found."""


def solve(task: Task, request: Request, clock: Clock | None = None) -> Solution:
    """A validated plan for the task, with a lower bound on its cost if that is asked for, or why there is no plan."""
    clock = clock or Clock.begin(request.limits)
    return add_bound(task, find_plan(task, request, clock), request, clock)


def add_bound(task: Task, solution: Solution, request: Request, clock: Clock) -> Solution:
    """The solution with a lower bound on its cost, if that is asked for."""
    if solution.optimal:
        return replace(solution, bound=solution.cost)
    if request.bound_seconds is None or solution.status != "solved":
        return solution
    return _search_bound(task, solution, request.bound_seconds, clock)


def _search_bound(task: Task, solution: Solution, seconds: float, clock: Clock) -> Solution:
    """The solution with a lower bound, or the cheapest plan if the search for the bound comes to it."""
    from skolem.planning.bounds import find_bound

    left = clock.left()
    spare = seconds if left.seconds is None else min(seconds, left.seconds - RESERVE_SECONDS)
    if spare <= 0:
        return replace(solution, bound_reason="no time was left for a lower bound")
    found = find_bound(task, Limits(spare, left.memory_mb))
    optimal = found.value is not None and found.value == solution.cost
    times = {**solution.times, "bound": found.seconds}
    solution = replace(solution, times=times, bound=found.value, bound_reason=found.reason, optimal=optimal)
    if found.plan is None or optimal:
        return solution
    message = f"cheaper than the plan of cost {solution.cost} by route {solution.route}"
    return replace(
        solution,
        route="end",
        binding=found.binding,
        cost=found.value,
        plan=found.plan,
        message=message,
        predicted=None,
        residual=None,
        optimal=True,
    )


def find_plan(task: Task, request: Request, clock: Clock) -> Solution:
    """A validated plan for the task, or an honest word why there is none."""
    check_planner(request)
    check_model(task, request)
    if request.effort == "best" and request.planner == Request.planner:
        request = replace(request, planner=ANYTIME[0])
    if request.grounder in EXACT:
        return _plan_exactly(task, request, clock, request.grounder)

    # Is the goal true already, or does no object fit? No planner is as quick to say so, or as sure.
    answer = answer_at_once(task)
    if answer is not None:
        return answer

    # A grounder that was asked for by name has one binding, and its plan or failure is the answer.
    if request.grounder != "auto":
        return _plan_for_chosen(task, request, clock)

    # An optimal plan for one binding need not be optimal for the goal, so that all bindings must be searched.
    if is_optimal(request.planner):
        return _plan_exactly(task, request, clock, "exact")

    # Learned bindings come first: a plan for named objects is found sooner than one for a description, and is
    # improved while it costs more than the network predicts. One far from its prediction may be for a bad binding:
    # it is compared with a plan of the exact route.
    learned = _plan_for_learned(task, request, clock)
    first = learned.cheapest
    # Without a limit an anytime planner could go on for ever.
    if (
        first is not None
        and request.effort != "best"
        and not (request.planner in ANYTIME and clock.limits.seconds is not None)
    ):
        return first

    # The exact route needs no model and finds a plan where there is one; its word on the outcome is the last one.
    try:
        exact = _plan_exactly(task, _without_policy(request), clock, "exact")
    except LimitError:
        if first is None:
            raise
        return first
    exact = replace(
        exact,
        message=join_sentences(*learned.describe(request.planner), exact.message),
        times={**exact.times, "ground": learned.seconds},
    )
    return min((s for s in (first, exact) if s is not None), key=lambda s: (s.plan is None, s.cost or 0))


def ground(task: Task, request: Request, clock: Clock | None = None) -> Grounding:
    """A binding of the goal's variables; the exact routes plan and return their witness."""
    clock = clock or Clock.begin(request.limits)
    check_planner(request)
    check_model(task, request)
    answer = answer_at_once(task)
    if answer is not None:
        return _take_binding(task, answer, predicted_cost=None if answer.cost is None else 0.0)
    if request.grounder not in ("auto", *EXACT):
        return make_grounder(task, request).ground(task)
    why = ""
    if request.grounder == "auto":
        try:
            return make_grounder(task, request).ground(task)
        except SkolemError as error:
            refuse_detour(request, error)
            why = f"exact route: {error}".splitlines()[0]
            request = replace(_without_policy(request), grounder="exact")
    solution = _plan_exactly(task, request, clock, request.grounder)
    return _take_binding(task, replace(solution, message=join_sentences(why, solution.message)))


def _take_binding(task: Task, solution: Solution, predicted_cost: float | None = None) -> Grounding:
    """The grounding that an answer is the witness of; its word as an error where there is no binding."""
    if solution.status == "unsolvable":
        return Grounding("unsolvable", None, None, (), solution.route, solution.message)
    if solution.binding is None:
        error = SkolemError(solution.message or "no binding was found")
        error.exit_code = solution.exit_code
        raise error
    alternative = _find_alternative(task, solution.binding)
    return Grounding("grounded", solution.binding, predicted_cost, (), solution.route, solution.message, alternative)


def _find_alternative(task: Task, binding: Binding) -> Task | None:
    """The alternative of a goal all of whose variables a witness has; None if there is none, or nothing to resolve."""
    for alternative in list_alternatives(task) if task.goal.outside is not None else ():
        goal = alternative.goal
        if goal.outside is None and goal.residual is None and all(v.name in binding for v in goal.variables):
            return alternative
    return None


def answer_at_once(task: Task) -> Solution | None:
    """The answer for a goal that is true already or has no valid binding; None for all others."""
    witness = satisfy(task, task.init)
    if witness is not None:
        message = "the goal is true already"
        return Solution("solved", ExitCode.SUCCESS, "initial-state", witness, 0, (), True, message, optimal=True)
    if all(has_no_binding(alternative) for alternative in list_alternatives(task)):
        message = join_sentences("no objects fit the goal's static description", *explain_impossible(task, NO_TIME))
        return Solution("unsolvable", ExitCode.UNSOLVABLE, "candidates", message=message)
    return None


def explain_impossible(task: Task, left: Limits) -> list[str]:
    """Which atoms of an unsolvable goal no action can make true, as far as there is time to find out."""
    static_only = left.seconds is not None and left.seconds < EXPLAIN_SECONDS
    try:
        atoms = find_impossible_atoms(task, static_only=static_only).atoms
    except LimitError:
        return []
    style = spell_as_written(task)
    return [f"no action can make {format_formula(atom, style)} true" for atom in atoms[:MOST_EXPLAINED]]


def has_no_binding(task: Task) -> bool:
    """Whether no complete binding satisfies the static part of the goal, proven."""
    if not task.goal.variables:
        return False
    return find_valid_candidates(task.query, task.statics, len(task.objects)).unsolvable


@dataclass(frozen=True)
class _Learned:
    """What planning for learned bindings gave."""

    tried: tuple[Solution, ...] = ()
    seconds: float = 0.0
    """How long it took to choose the first binding."""
    refusal: str = ""
    """Why there is no learned binding at all."""

    @property
    def cheapest(self) -> Solution | None:
        """The cheapest plan, if there is one."""
        return find_cheapest(self.tried)

    def describe(self, planner: str) -> Iterator[str]:
        """Why there is more to be done, and what is done then."""
        route = "exact route" + " with lama-first" * (planner == POLICY)
        if self.refusal:
            yield f"{route}: {self.refusal}"
            return
        if self.cheapest is None:
            yield count_failures(self.tried)
        if planner == POLICY:
            yield from dict.fromkeys(s.message for s in self.tried)
            yield route


def _plan_for_learned(task: Task, request: Request, clock: Clock) -> _Learned:
    """The outcomes of planning for the first few learned bindings, each with a share of the time.

    Where they are compared with a plan of the exact route that is cheaper, this is the last one.
    """
    started, tried = clock.elapsed, list[Solution]()
    try:
        grounder = make_grounder(task, request)
        comparable = _is_comparable(request, grounder)
        with start_rival(task, clock, grounder.doubt) if comparable else nullcontext() as rival:
            for solution in _try_bindings(task, request, clock, grounder, rival):
                tried.append(solution)
            if comparable:
                tried += ask_exact(task, clock, tried, rival)
    except LimitError:
        # A plan in hand is an answer, also when there is no time for another one.
        if find_cheapest(tried) is None:
            raise
    except SkolemError as error:
        refuse_detour(request, error)
        return _Learned(refusal=str(error).splitlines()[0])
    seconds = tried[0].times.get("ground", 0.0) if tried else clock.elapsed - started
    return _Learned(tuple(tried), seconds)


def refuse_detour(request: Request, error: SkolemError) -> None:
    """Raises an error of a model that was asked for: a detour is for models that were chosen for the user."""
    if request.model is not None and isinstance(error, InputError):
        raise error


def _is_comparable(request: Request, grounder: Grounder) -> bool:
    """Whether a plan is compared with its prediction: a planner that was asked for by name decides itself."""
    return grounder.predicts and request.planner == Request.planner and request.effort == "default"


def _try_bindings(
    task: Task, request: Request, clock: Clock, grounder: Grounder, rival: ExactRun | None
) -> Iterator[Solution]:
    """The outcomes of planning for one binding after another, until there is a plan or bindings run out."""
    solved, ground_seconds, planned_until = 0, 0.0, 0.0
    for grounding in islice(grounder.groundings(task), MOST_BINDINGS):
        if grounding.binding is None:
            return
        ground_seconds += clock.elapsed - planned_until
        whole = leave_reserve(clock)
        if rival is not None and whole.memory_mb is not None:
            whole = replace(whole, memory_mb=whole.memory_mb - (rival.clock.limits.memory_mb or 0))
        seconds = BINDING_SECONDS if whole.seconds is None else whole.seconds * BINDING_SHARE
        part = Clock.begin(replace(whole, seconds=seconds))
        stop: Stop | None = _choose_patience(request, clock)
        comparable = _is_comparable(request, grounder)
        if grounding.predicted_cost is not None and comparable:
            stop = follow_prediction(clock, grounding.predicted_cost, grounding.doubt, rival)
        solution = _plan_bound(task, request, grounder, grounding, part, ground_seconds, stop)
        yield solution
        planned_until = clock.elapsed
        solved += solution.status == "solved"
        seeks_another = comparable and grounding.doubt in BEYOND_TRAINING and solved < MANY_BINDINGS
        if solved and request.planner not in ANYTIME and not (seeks_another and find_spare(clock, planned_until)):
            return
        if rival is not None and rival.cost < math.inf and solution.exit_code > ExitCode.UNSOLVED_INCOMPLETE:
            # It was given up for a plan in hand, and so would be the next one.
            return


def _choose_patience(request: Request, clock: Clock) -> Patience | None:
    """When an anytime planner that is to find the best plan may stop though no time limit stops it."""
    if request.effort != "best" or clock.limits.seconds is not None or request.planner not in ANYTIME:
        return None
    return Patience(clock, started=clock.elapsed, least=BEST_SECONDS, most=math.inf)


def _plan_exactly(task: Task, request: Request, clock: Clock, route: str) -> Solution:
    started = clock.elapsed
    result = plan_exact(task, route, request.planner, leave_reserve(clock), _choose_patience(request, clock))
    why = explain_impossible(task, clock.left()) if result.status == "unsolvable" else []
    return replace(
        take_route(result),
        message=join_sentences(result.message, *why),
        times={"ground": 0.0, "plan": clock.elapsed - started},
        # The routes lose no plan and add the same to the cost of each, so that the planner's proof is one for the goal.
        optimal=result.plan is not None and (proves_optimality(request.planner) or result.cost == 0),
    )


def _plan_for_chosen(task: Task, request: Request, clock: Clock) -> Solution:
    """A plan for the one binding that a grounder chooses."""
    started = clock.elapsed
    grounder = make_grounder(task, request)
    grounding = grounder.ground(task)
    if grounding.binding is None:
        return Solution("unsolvable", ExitCode.UNSOLVABLE, grounding.route)
    own, patience = Clock.begin(leave_reserve(clock)), _choose_patience(request, clock)
    return _plan_bound(task, request, grounder, grounding, own, clock.elapsed - started, patience)


def _plan_bound(
    task: Task,
    request: Request,
    grounder: Grounder,
    grounding: Grounding,
    clock: Clock,
    ground_seconds: float,
    stop: Stop | None = None,
) -> Solution:
    """The outcome of planning for a binding; where something says when to stop also for a plan that costs less."""
    binding, route = dict(grounding.binding or {}), grounding.route
    alternative = grounding.alternative or task
    if request.planner == POLICY and grounder.model is not None:
        from skolem.grounding.policy import follow_policy

        route += "+policy"
        result = follow_policy(grounder.model, alternative, binding, clock.left())
    else:
        improves = stop is not None and request.planner not in ANYTIME
        planner = ANYTIME[0] if improves else request.planner
        bound = _rewrite_bound(alternative, binding, planner)
        result = run_planner(bound.domain_text, bound.problem_text, planner, clock.left(), stop=stop)
        result = replace(result, plan=None if result.plan is None else bound.restore(result.plan))
        if improves and result.cost != result.first_cost:
            route += f"+{planner}"
    times = {"ground": ground_seconds, "plan": clock.elapsed}
    if result.plan is None:
        # An unreachable binding says nothing about the other bindings of the goal.
        unreachable = result.status == "unsolvable"
        code = ExitCode.UNSOLVED_INCOMPLETE if unreachable else result.exit_code
        message = "this binding cannot be reached; another one may be" if unreachable else result.message
        message = join_sentences(grounding.message, message)
        status: Status = "error" if result.status == "error" else "unsolved"
        return Solution(status, code, route, binding, message=message, times=times, residual=grounding.residual)
    check = validate(task, result.plan)
    check_total(check.cost)
    return Solution(
        status="solved" if check.valid else "error",
        exit_code=ExitCode.SUCCESS if check.valid else ExitCode.INVALID_PLAN,
        route=route,
        binding=binding,
        cost=check.cost,
        plan=result.plan,
        valid=check.valid,
        message=grounding.message if check.valid else f"the planner's plan is not valid: {check.reason}",
        times=times,
        predicted=grounding.predicted_cost,
        residual=grounding.residual,
        doubt=grounding.doubt,
        trace=grounding.trace,
    )


def _rewrite_bound(task: Task, binding: Binding, planner: str) -> Rewriting:
    """The task with its goal bound, for the planner; what is left of the goal goes through an exact route."""
    goal, residual = ground_goal(task, binding), task.goal.residual
    if residual is None or all(isinstance(part, And | Atom | Not) for part in list_shared(residual)):
        # Written again rather than as the user wrote it: Fast Downward does not take all of PDDL's types.
        rewriter = Rewriter(task)
        parts = goal.parts if isinstance(goal, And) else (goal,)
        if not is_optimal(planner):
            goal = And(separate_denied(rewriter, parts))
        return rewriter.finish(goal)
    bound = replace(task, goal=make_goal(goal, task.domain.derived))
    return ROUTES[choose_routes(bound, planner)[0]](bound)


def _without_policy(request: Request) -> Request:
    """The request for the exact route, which has no model to follow."""
    return replace(request, planner="lama-first") if request.planner == POLICY else request


def join_sentences(*sentences: str) -> str:
    """The sentences that say something, as one message."""
    return "; ".join(s for s in sentences if s)
