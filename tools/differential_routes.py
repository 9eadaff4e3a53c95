"""What a random task is asked of programs: every route of the product, Fast Downward, and unified-planning."""

import warnings
from collections.abc import Iterator

from tests.adl.plain_text import is_plain, write_plain
from tools.differential_checks import Comparison, Disagreement, break_plan
from unified_planning.engines import SequentialPlanValidator
from unified_planning.environment import get_environment
from unified_planning.exceptions import UPValueError
from unified_planning.io import PDDLReader

from skolem.oracle.costs import Oracle
from skolem.planning.cancelled_deletes import write_out_cancelled
from skolem.planning.fast_downward import UNSTRATIFIED, run_planner
from skolem.planning.limits import Limits
from skolem.request import Request
from skolem.solve import solve
from skolem.support.errors import ExitCode, LimitError, UnsupportedError

ROUTES = ("auto", "exact", "bind-axiom", "end", "miniscope", "dnf", "random-valid")
OPTIMAL = "astar(blind())"
LIMITS = Limits(10.0, 2000)
"""Far more than such tasks need, but for those that the translator multiplies out."""
MULTIPLIED = "Fast Downward: out of time or memory"

FORALL_IN_RECURSION = "Fast Downward: a forall between derived predicates that depend on each other"
"""It makes two negations of the `forall`, and then says that the axioms are not stratifiable."""

CANCELLED_DELETE = "Fast Downward: a delete that an add of the same action cancels"
"""It takes the atom for deleted when it looks for mutually exclusive ones, and then proves too much."""

get_environment().credits_stream = None


def check_routes(comparison: Comparison) -> None:
    """Every route, each with an optimal planner or the usual one."""
    # What the translator multiplies out, it does so on every route.
    for route in ROUTES if not comparison.refused[MULTIPLIED] else ("exact",):
        planner = comparison.rng.choice((OPTIMAL, "lama-first"))
        _check_route(comparison, route, planner)


def _check_route(comparison: Comparison, route: str, planner: str) -> None:
    task, best = comparison.task, comparison.sample.cost
    check = f"route {route}"
    try:
        solution = solve(task, Request(route, planner, LIMITS, comparison.sample.seed))
    except UnsupportedError:
        if task.goal.outside is None:
            raise
        comparison.refused[f"{check}: goals outside the fragment"] += 1
        return
    except LimitError:
        comparison.refused[f"{check}: out of time or memory"] += 1
        return
    comparison.made[f"{check}: {solution.status}"] += 1
    about = (planner, solution.route, solution.plan, solution.message)
    if solution.plan is not None and solution.status == "solved":
        verdict = comparison.search.judge(solution.plan)
        comparison.expect(f"{check}: plan", (verdict.valid, verdict.cost), (solution.valid, solution.cost), about)
        one_binding = route == "random-valid" and solution.route != "initial-state"
        exact = planner == OPTIMAL and not one_binding
        right = verdict.cost == best if exact else best is not None and verdict.cost >= best
        comparison.expect(f"{check}: cost", right, True, (*about, verdict.cost, best))
    elif solution.status == "unsolvable":
        comparison.expect(f"{check}: unsolvable", True, best is None, about)
    elif _is_limit(solution.exit_code):
        comparison.refused[f"{check}: out of time or memory"] += 1
    elif solution.status == "error" or (best is not None and route != "random-valid"):
        comparison.disagreements.append(Disagreement(f"{check}: status", f"{solution.status}, V* is {best}: {about}"))


def check_planner_oracle(comparison: Comparison) -> None:
    """V* by an optimal planner on a rewriting of the goal."""
    if comparison.task.goal.outside is not None:
        comparison.refused["V* by a planner: goals outside the fragment"] += 1
        return
    result = Oracle(planner_limits=LIMITS).find_cost_by_planner(comparison.task)
    if result.status == "limit":
        comparison.refused["V* by a planner: axioms or conditional effects"] += 1
        return
    comparison.expect("V* by a planner", result.cost, comparison.sample.cost)


def check_fast_downward(comparison: Comparison) -> None:
    """The user's own texts, or plain ones where Fast Downward is known to read them otherwise."""
    kind, texts = _choose_texts(comparison)
    result = run_planner(*texts, OPTIMAL, LIMITS)
    if _is_limit(result.exit_code):
        comparison.refused[MULTIPLIED] += 1
        return
    about = (kind, result.status, result.plan, result.message)
    if result.message == UNSTRATIFIED:
        found = Disagreement(f"Fast Downward, {kind} text", str(about), FORALL_IN_RECURSION)
        comparison.disagreements.append(found)
        return
    if result.status == "unsolvable" and comparison.sample.plan is not None and _has_cancelled_delete(comparison):
        found = Disagreement(f"Fast Downward, {kind} text", str(about), CANCELLED_DELETE)
        comparison.disagreements.append(found)
        return
    comparison.expect(f"Fast Downward, {kind} text", result.cost, comparison.sample.cost, about)
    if result.plan is not None:
        verdict = comparison.search.judge(result.plan)
        comparison.expect("plan of Fast Downward", (verdict.valid, verdict.cost), (True, result.cost), about)


def _has_cancelled_delete(comparison: Comparison) -> bool:
    """Whether the routes write a delete of the task otherwise, so that Fast Downward is not misled."""
    task = comparison.task
    return any(write_out_cancelled(task, action).effects != action.effects for action in task.domain.actions)


def _choose_texts(comparison: Comparison) -> tuple[str, tuple[str, str]]:
    if is_plain(comparison.search):
        return "original", (comparison.sample.domain, comparison.sample.problem)
    return "plain", write_plain(comparison.search)


def _is_limit(code: ExitCode) -> bool:
    return ExitCode.TRANSLATE_OUT_OF_MEMORY <= code <= ExitCode.SEARCH_OUT_OF_MEMORY_AND_TIME


def check_unified_planning(comparison: Comparison) -> None:
    """The plan validator of unified-planning, on a cheapest plan and on broken ones."""
    if comparison.search.rules:
        comparison.refused["unified-planning: derived predicates"] += 1
        return
    # It takes few of the original texts as they are: no nested effects, and types only in some places.
    kind, texts = "plain", write_plain(comparison.search)
    reader = PDDLReader()
    try:
        # It calls its parser in a way that the parser warns about.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            problem = reader.parse_problem_string(*texts)
    except Exception as error:
        comparison.refused[f"unified-planning, {kind} text: {type(error).__name__}"] += 1
        return
    for plan in _list_plans(comparison):
        try:
            steps = reader.parse_plan_string(problem, "\n".join(plan))
        except (AssertionError, UPValueError):
            # A step that names no action or object, or has too many objects.
            valid = False
        else:
            with SequentialPlanValidator() as validator:
                valid = bool(validator.validate(problem, steps))
        comparison.expect(f"unified-planning, {kind} text", valid, comparison.search.judge(plan).valid, plan)


def _list_plans(comparison: Comparison) -> Iterator[tuple[str, ...]]:
    plan = comparison.sample.plan or ()
    yield plan
    yield from comparison.rng.sample(list(break_plan(comparison, plan)), 3)


CHECKS = (check_fast_downward, check_routes, check_planner_oracle, check_unified_planning)
