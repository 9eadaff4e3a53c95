"""The optimal sets are the published ones, and grounders are judged by exact costs."""

from statistics import fmean

import pytest

from skolem.domains.registry import FAMILIES, generate_problem
from skolem.errors import InputError
from skolem.evaluation import test_sets
from skolem.evaluation.optimal import Outcome, evaluate_cell, find_bound_cost, summarise
from skolem.evaluation.paper import OPTIMAL
from skolem.evaluation.test_sets import build_optimal_set, find_exact_cost, load_optimal_set, read_instance
from skolem.solve import Request
from skolem.task.satisfaction import satisfy

CELLS = [(family, neq) for family in FAMILIES for neq in (False, True)]


@pytest.mark.parametrize(("family", "neq"), CELLS)
def test_the_published_sets_are_as_hard_as_the_papers(family: str, neq: bool) -> None:
    made = load_optimal_set(family, neq)
    assert len(made.costs) == 500
    assert abs(fmean(made.costs) / OPTIMAL[family, neq].v_star - 1) < 0.15
    for variables in range(1, 7):
        assert made.variables.count(variables) >= 50


@pytest.mark.parametrize(("family", "neq"), CELLS)
def test_the_generator_still_makes_the_published_sets(family: str, neq: bool) -> None:
    instances = load_optimal_set(family, neq).instances()
    assert len({i.problem_text.split("\n", 1)[1] for i in instances}) == 500
    for instance in instances[:10]:
        task = read_instance(instance)
        assert satisfy(task, task.init) is None


def test_a_changed_generator_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = load_optimal_set("visitall", False)
    monkeypatch.setattr(test_sets, "generate_problem", lambda *a, **k: generate_problem(a[0], a[1], 7, *a[3:], **k))
    with pytest.raises(InputError, match="no longer gives the published"):
        made.instances()


def test_a_set_built_anew_begins_like_the_published_one() -> None:
    made, published = build_optimal_set("blocks-c", True, count=4), load_optimal_set("blocks-c", True)
    assert (made.indices, made.costs) == (published.indices[:4], published.costs[:4])


def test_both_ways_to_the_cost_of_a_binding_agree() -> None:
    published = load_optimal_set("gripper", True)
    instance = published.instances()[0]
    task = read_instance(instance)
    assert find_exact_cost(task) == published.costs[0]
    cell = evaluate_cell("gripper", True, Request("end", "seq-opt-lmcut"), count=2)
    assert [outcome.cost for outcome in cell.outcomes] == list(published.costs[:2])


def test_an_invalid_binding_has_no_cost() -> None:
    instance = load_optimal_set("gripper", False).instances()[0]
    task = read_instance(instance)
    rooms = {variable.name: "room1" if "room1" in task.index else task.objects[0] for variable in task.goal.variables}
    assert find_bound_cost(task, rooms) == (False, None)


def test_a_summary_averages_over_what_is_covered() -> None:
    outcomes = [Outcome(1, 4, True, 6), Outcome(2, 5, True, 5), Outcome(2, 3, False, None)]
    assert summarise(outcomes) == {
        "count": 3,
        "coverage": 2 / 3,
        "validity": 2 / 3,
        "v_star": 4.0,
        "ratio": 1.25,
    }


def test_the_learned_grounder_is_near_optimal_on_the_first_instances() -> None:
    cell = evaluate_cell("gripper", False, Request("learned"), count=6)
    found = cell.describe()
    assert found["coverage"] == 1.0
    assert found["ratio"] <= 1.2
