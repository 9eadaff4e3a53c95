"""The optimal sets are the published ones, and grounders are judged by exact costs."""

from pathlib import Path
from statistics import fmean

import pytest

from skolem.evaluation import optimal, test_sets
from skolem.evaluation.optimal import STEPS, Outcome, evaluate_cell, find_bound_cost, summarise
from skolem.evaluation.paper import OPTIMAL
from skolem.evaluation.store import Store
from skolem.evaluation.test_sets import build_optimal_set, find_exact_cost, load_optimal_set, read_instance
from skolem.families.registry import FAMILIES, generate_problem
from skolem.grounding.learned import DeadEndError
from skolem.oracle.costs import Oracle
from skolem.pddl.reading import read_task_text
from skolem.planning.limits import Limits
from skolem.solve import Request, ground
from skolem.support.errors import InputError
from skolem.task.model import Source
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


@pytest.mark.parametrize("family", ["delivery", "visitall"])
def test_costs_of_random_bindings_agree_with_the_rewriting_of_the_whole_goal(family: str) -> None:
    for instance in load_optimal_set(family, True).instances(3):
        task = read_instance(instance)
        binding = ground(task, Request("random-valid")).binding
        assert binding is not None
        query = task.query
        for i, variable in enumerate(task.goal.variables):
            query = query.bind(i, task.index[binding[variable.name]])
        assert find_bound_cost(task, binding) == (True, Oracle().find_cost_by_planner(task, query).cost)


def test_an_unreachable_binding_has_no_cost() -> None:
    action = "(:action a :parameters (?x) :precondition (p ?x) :effect (q ?x))"
    domain = f"(define (domain d) (:predicates (p ?x) (q ?x)) {action})"
    problem = "(define (problem e) (:domain d) (:objects o1 o2) (:init (p o1)) (:goal (exists (?x) (q ?x))))"
    task = read_task_text(Source("d.pddl", domain), Source("e.pddl", problem))
    assert find_bound_cost(task, {"?x": "o1"}) == (True, 1)
    assert find_bound_cost(task, {"?x": "o2"}) == (True, None)


def test_an_evaluation_that_was_killed_ends_with_the_same_cell(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    request = Request("random-valid", seed=3)
    whole = evaluate_cell("gripper", False, request, count=5)
    told: list[int] = []
    assert evaluate_cell("gripper", False, request, count=5, store=Store(path), report=told.append) == whole
    assert told[-1] == STEPS * 5
    lines = path.read_bytes()
    for cut in (len(lines) // 4, 4 * len(lines) // 5):
        path.write_bytes(lines[:cut])
        assert evaluate_cell("gripper", False, request, count=5, store=Store(path)) == whole


def test_equal_bindings_of_two_grounders_are_judged_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "results.jsonl")
    first = evaluate_cell("visitall", True, Request("random-valid"), count=3, store=store)
    monkeypatch.setattr(optimal, "find_bound_cost", None)
    again = evaluate_cell("visitall", True, Request("random-valid", planner="lama"), count=3, store=store)
    assert again.outcomes == first.outcomes


def test_a_cost_that_was_not_found_does_not_end_the_evaluation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "results.jsonl")
    monkeypatch.setattr(test_sets, "GROUND_LIMITS", Limits(seconds=0.01))
    cell = evaluate_cell("delivery", False, Request("random-valid"), count=2, store=store)
    assert cell.describe()["undecided"] == 2
    assert all("ran out of time" in outcome.undecided for outcome in cell.outcomes)
    assert any("ran out of time" in record.get("undecided", "") for _, record in store.records())


def test_a_grounder_that_gives_up_does_not_end_the_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(*_: object) -> None:
        raise DeadEndError("the learned grounder gave up")

    monkeypatch.setattr(optimal, "ground", give_up)
    (outcome,) = evaluate_cell("blocks", False, Request("learned"), count=1).outcomes
    assert (outcome.cost, outcome.undecided) == (None, "the learned grounder gave up")


def test_an_error_that_is_no_limit_ends_the_evaluation(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"config\.json"):
        evaluate_cell("delivery", False, Request("learned", model=tmp_path), count=2)


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
        "undecided": 0,
    }


def test_an_undecided_instance_is_counted_as_such_and_not_as_covered() -> None:
    outcomes = [Outcome(1, 4, True, 4), Outcome(1, 5, True, None, "out of time")]
    found = summarise(outcomes)
    assert (found["undecided"], found["coverage"], found["ratio"]) == (1, 0.5, 1.0)


def test_the_learned_grounder_is_near_optimal_on_the_first_instances() -> None:
    cell = evaluate_cell("gripper", False, Request("learned"), count=6)
    found = cell.describe()
    assert found["coverage"] == 1.0
    assert found["ratio"] <= 1.2
