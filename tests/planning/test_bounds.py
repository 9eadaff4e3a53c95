"""Lower bounds on the cost of quantified goals."""

from pathlib import Path

import pytest
from tests.task.household import house

from skolem.evaluation.test_sets import load_optimal_set
from skolem.families.registry import FAMILIES
from skolem.pddl.reading import read_task, read_task_text
from skolem.planning.bounds import find_bound
from skolem.planning.exact import plan_exact, proves_optimality
from skolem.planning.limits import Limits
from skolem.planning.validation import validate
from skolem.request import Request, Solution
from skolem.solve import solve
from skolem.support.errors import ExitCode
from skolem.task.model import Source

EXAMPLES = Path(__file__).parents[2] / "examples"
TOWER = read_task(EXAMPLES / "blocks" / "domain.pddl", EXAMPLES / "blocks" / "tower.pddl")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_search_that_ends_has_the_exact_cost(family: str) -> None:
    chosen = load_optimal_set(family, True)
    (instance,) = chosen.instances(1)
    texts = Source("domain.pddl", instance.domain_text), Source("problem.pddl", instance.problem_text)
    task = read_task_text(*texts)
    bound = find_bound(task)
    assert bound.value == chosen.costs[0]
    assert validate(task, bound.plan or ()).cost == chosen.costs[0]


def test_a_search_that_is_stopped_has_a_bound_below_the_cost() -> None:
    breakfast = EXAMPLES / "household" / "breakfast.pddl"
    bound = find_bound(read_task(EXAMPLES / "household" / "domain.pddl", breakfast), Limits(1.0))
    assert bound.value is None or bound.value <= 26


def test_with_axioms_and_conditional_effects_the_search_is_blind() -> None:
    task = house("(exists (?t - thing) (and (handy ?t) (clean ?t) (at ?t kitchen)))")
    bound = find_bound(task)
    assert bound.reason == "by blind search"
    assert bound.value == plan_exact(task, planner="astar(blind())").cost


def test_a_solution_with_a_bound_says_how_good_it_is() -> None:
    solution = solve(TOWER, Request(grounder="exact", bound_seconds=60.0))
    assert (solution.cost, solution.bound, solution.optimal) == (9, 9, True)
    assert solution.describe_quality() == "optimal (proven)"
    assert solution.to_dict()["bound"] == 9


def test_without_a_bound_nothing_is_claimed() -> None:
    solution = solve(TOWER, Request(grounder="exact", effort="fast"))
    assert not solution.optimal
    assert "bound" not in solution.to_dict()


def test_an_optimal_planners_proof_is_told_unless_it_is_for_one_binding() -> None:
    assert solve(TOWER, Request(planner="seq-opt-lmcut")).optimal
    assert not solve(TOWER, Request(grounder="random-valid", planner="seq-opt-lmcut")).optimal


@pytest.mark.parametrize(
    ("cost", "bound", "text"),
    [
        (9, 8, "at most 13% above optimal"),
        (9, 0, "no lower bound above 0"),
        (9, None, ""),
        (20, 10, "at most 100% above optimal"),
    ],
)
def test_the_distance_from_the_bound_is_rounded_up(cost: int, bound: int | None, text: str) -> None:
    solution = Solution("solved", ExitCode.SUCCESS, "end", {}, cost, (), True, bound=bound)
    assert solution.describe_quality() == text


@pytest.mark.parametrize(
    ("planner", "proves"),
    [
        ("seq-opt-lmcut", True),
        ("astar(lmcut())", True),
        ("astar(max([lmcut(), blind()]))", True),
        ("astar(ff())", False),
        ("astar(lmcut(), bound=5)", False),
        ("lama", False),
    ],
)
def test_only_admissible_estimates_prove_something(planner: str, proves: bool) -> None:
    assert proves_optimality(planner) == proves
