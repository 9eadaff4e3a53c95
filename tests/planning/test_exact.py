"""The choice of the route, answers without planning, and limits."""

from collections.abc import Sequence

import pytest
from tests.planning.pddl_examples import read_blocks, read_circuit, read_household

from skolem.planning import exact
from skolem.planning.exact import choose_routes, plan_exact
from skolem.planning.fast_downward import PlannerResult
from skolem.planning.limits import Limits
from skolem.planning.validation import validate
from skolem.support.errors import ExitCode, InputError

TOWER = "(exists (?x ?y) (and (red ?x) (blue ?y) (on ?x ?y) (ontable ?y) (clear ?x)))"


@pytest.mark.parametrize("planner", ["lama-first", "lama", "seq-opt-lmcut"])
def test_a_goal_that_is_true_already_needs_no_planner(planner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "run_planner", None)
    result = plan_exact(read_blocks("(exists (?x) (and (red ?x) (clear ?x)))"), "exact", planner)
    assert (result.status, result.plan, result.cost, result.route) == ("solved", (), 0, "initial-state")
    assert result.binding in ({"?x": "a"}, {"?x": "e"})


@pytest.mark.parametrize(
    "goal",
    [
        "(exists (?x) (and (red ?x) (blue ?x) (clear ?x)))",
        "(exists (?x) (and (clear ?x) (not (= ?x ?x))))",
        "(exists (?x ?y ?z) (and (blue ?x) (blue ?y) (blue ?z) (not (= ?x ?y)) (not (= ?y ?z)) (not (= ?x ?z))))",
        "(and (red b) (clear b))",
        "(exists (?x) (and (= ?x a) (= ?x b) (clear ?x)))",
    ],
)
@pytest.mark.parametrize("route", ["exact", "end", "miniscope", "bind-axiom"])
def test_a_goal_without_candidates_is_unsolvable(route: str, goal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    task = read_blocks(goal)
    for rewrite in exact.ROUTES.values():
        assert rewrite(task).problem_text
    monkeypatch.setattr(exact, "run_planner", None)
    result = plan_exact(task, route)
    assert (result.status, result.exit_code, result.route) == ("unsolvable", ExitCode.UNSOLVABLE, "candidates")


def test_the_route_depends_on_goal_and_planner(monkeypatch: pytest.MonkeyPatch) -> None:
    task = read_blocks(TOWER)
    assert choose_routes(task, "lama-first") == ["miniscope", "bind-axiom"]
    assert choose_routes(task, "seq-opt-lmcut") == ["end"]
    assert choose_routes(task, "astar(lmcut())") == ["end"]
    assert choose_routes(read_circuit("(exists (?x) (and (lamp ?x) (live ?x)))"), "lama")[0] == "miniscope"
    monkeypatch.setattr(exact, "MOST_RULES", 3)
    assert choose_routes(task, "lama-first") == ["end", "bind-axiom"]


def test_exact_plans_are_valid() -> None:
    task = read_blocks(TOWER)
    result = plan_exact(task, limits=Limits(30.0, 2000))
    assert (result.status, result.route, result.exit_code) == ("solved", "miniscope", ExitCode.SUCCESS)
    assert result.plan is not None
    verdict = validate(task, result.plan)
    assert (verdict.cost, verdict.binding) == (result.cost, result.binding)


def test_an_optimal_planner_gets_a_task_without_axioms() -> None:
    result = plan_exact(read_blocks(TOWER), planner="seq-opt-lmcut")
    assert (result.status, result.route, result.cost) == ("solved", "end", 3)


def test_a_planner_that_refuses_axioms_gets_another_route() -> None:
    result = plan_exact(read_blocks(TOWER), planner="lazy_greedy([lmcut()])")
    assert (result.status, result.route) == ("solved", "end")


def test_an_optimal_planner_cannot_take_the_axioms_of_the_domain() -> None:
    result = plan_exact(read_circuit("(exists (?x) (and (lamp ?x) (closed ?x)))"), planner="seq-opt-lmcut")
    assert (result.status, result.exit_code) == ("error", ExitCode.UNSUPPORTED)
    assert "axioms" in result.message


def test_anytime_planning_keeps_the_best_plan() -> None:
    goal = "(exists (?c - cup ?p - plate ?r - room) (and (clean ?c) (in ?c ?r) (in ?p ?r) (not (= ?r kitchen))))"
    best = plan_exact(read_household(goal), planner="lama", limits=Limits(4.0, 2000))
    optimum = plan_exact(read_household(goal), planner="astar(blind())")
    assert (best.status, best.cost) == ("solved", optimum.cost)


def run_scripted(monkeypatch: pytest.MonkeyPatch, results: Sequence[PlannerResult]) -> list[Limits]:
    """Lets the planner give these results one after the other; the limits of its runs are collected."""
    limits: list[Limits] = []

    def run(domain: str, problem: str, planner: str, limit: Limits, stop: object = None) -> PlannerResult:
        limits.append(limit)
        return results[len(limits) - 1]

    monkeypatch.setattr(exact, "run_planner", run)
    return limits


NO_TIME = PlannerResult("unsolved", None, None, ExitCode.TRANSLATE_OUT_OF_TIME, 1.0, "out of time")
SENSELESS = PlannerResult("solved", ("(pick-up a)",), 1, ExitCode.SUCCESS, 1.0, "")


def test_the_second_route_gets_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = run_scripted(monkeypatch, [NO_TIME, NO_TIME])
    result = plan_exact(read_blocks(TOWER), limits=Limits(100.0, 500))
    assert (result.status, result.route, result.exit_code) == ("unsolved", "bind-axiom", NO_TIME.exit_code)
    first, second = limits
    assert first.seconds is not None
    assert second.seconds is not None
    assert first.seconds < second.seconds < 100
    assert first.memory_mb == second.memory_mb == 500


def test_without_a_limit_only_the_first_route_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = run_scripted(monkeypatch, [NO_TIME, NO_TIME])
    plan_exact(read_blocks(TOWER))
    assert [limit.seconds is None for limit in limits] == [False, True]


def test_a_plan_that_does_not_validate_is_never_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    run_scripted(monkeypatch, [SENSELESS])
    result = plan_exact(read_blocks(TOWER), "end")
    assert (result.status, result.exit_code, result.plan) == ("error", ExitCode.INVALID_PLAN, None)
    assert "step 1, (pick-up a)" in result.message


def test_unknown_routes_are_refused() -> None:
    with pytest.raises(InputError, match="expected exact, dnf"):
        plan_exact(read_blocks(TOWER), "guess")
