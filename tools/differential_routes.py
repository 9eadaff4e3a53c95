"""What a random task is asked of programs: every route of the product, Fast Downward, and unified-planning."""

import io
from collections.abc import Iterator
from contextlib import redirect_stdout

from tests.adl.plain_text import is_plain, write_plain
from tools.differential_checks import Comparison, Disagreement, break_plan
from unified_planning.engines import SequentialPlanValidator
from unified_planning.environment import get_environment
from unified_planning.io import PDDLReader

from skolem.oracle.costs import Oracle
from skolem.planning.fast_downward import run_planner
from skolem.planning.limits import Limits
from skolem.solve import Request, solve
from skolem.support.errors import ExitCode, UnsupportedError

ROUTES = ("auto", "exact", "bind-axiom", "end", "miniscope", "dnf", "random-valid")
OPTIMAL = "astar(blind())"
LIMITS = Limits(10.0, 2000)
"""Far more than such tasks need, but for those that the translator multiplies out."""

get_environment().credits_stream = None


def check_routes(comparison: Comparison) -> None:
    """Every route, each with an optimal planner or the usual one."""
    for route in ROUTES:
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
    elif ExitCode.TRANSLATE_OUT_OF_MEMORY <= solution.exit_code <= ExitCode.SEARCH_OUT_OF_MEMORY_AND_TIME:
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
    sample = comparison.sample
    texts, kind = (sample.domain, sample.problem), "original"
    if not is_plain(comparison.search, sample.problem, sample.domain):
        texts, kind = write_plain(comparison.search), "plain"
    result = run_planner(*texts, OPTIMAL, LIMITS)
    about = (kind, result.status, result.plan, result.message)
    if ExitCode.TRANSLATE_OUT_OF_MEMORY <= result.exit_code <= ExitCode.SEARCH_OUT_OF_MEMORY_AND_TIME:
        comparison.refused["Fast Downward: out of time or memory"] += 1
        return
    comparison.expect(f"Fast Downward, {kind} text", result.cost, sample.cost, about)
    if result.plan is not None:
        verdict = comparison.search.judge(result.plan)
        comparison.expect("plan of Fast Downward", (verdict.valid, verdict.cost), (True, result.cost), about)


def check_unified_planning(comparison: Comparison) -> None:
    """The plan validator of unified-planning, on a cheapest plan and on broken ones."""
    sample = comparison.sample
    try:
        with redirect_stdout(io.StringIO()):
            reader = PDDLReader()
            problem = reader.parse_problem_string(sample.domain, sample.problem)
    except Exception as error:
        comparison.refused[f"unified-planning: {_name_refusal(sample.domain + sample.problem, error)}"] += 1
        return
    for plan in _list_plans(comparison):
        try:
            steps = reader.parse_plan_string(problem, "\n".join(plan))
            with SequentialPlanValidator() as validator:
                valid = bool(validator.validate(problem, steps))
        except Exception as error:
            comparison.refused[f"unified-planning, plan: {type(error).__name__}"] += 1
            continue
        comparison.expect("unified-planning", valid, comparison.search.judge(plan).valid, plan)


def _name_refusal(text: str, error: Exception) -> str:
    for word in (":derived", "either"):
        if word in text:
            return word
    return type(error).__name__


def _list_plans(comparison: Comparison) -> Iterator[tuple[str, ...]]:
    plan = comparison.sample.plan or ()
    yield plan
    yield from comparison.rng.sample(list(break_plan(comparison, plan)), 3)


CHECKS = (check_routes, check_planner_oracle, check_fast_downward, check_unified_planning)
