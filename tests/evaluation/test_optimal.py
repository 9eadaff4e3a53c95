"""The optimal sets are the published ones, and grounders are judged by exact costs."""

from contextlib import nullcontext
from pathlib import Path
from statistics import fmean

import pytest

from skolem.evaluation import optimal, test_sets
from skolem.evaluation.comparison import list_rows, list_unexplained
from skolem.evaluation.optimal import STEPS, collect, describe, measure_cell, summarise, tabulate
from skolem.evaluation.paper import OPTIMAL
from skolem.evaluation.store import Record, Runner, Store
from skolem.evaluation.test_sets import (
    build_optimal_set,
    find_bound_cost,
    find_exact_cost,
    load_optimal_set,
    read_instance,
)
from skolem.families.registry import FAMILIES, generate_problem
from skolem.grounding.protocol import DeadEndError
from skolem.oracle.costs import Oracle
from skolem.pddl.reading import read_task_text
from skolem.planning.limits import Limits
from skolem.request import Request
from skolem.solve import ground
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


def test_both_methods_for_the_cost_of_a_binding_agree() -> None:
    published = load_optimal_set("gripper", True)
    instance = published.instances()[0]
    task = read_instance(instance)
    assert find_exact_cost(task) == published.costs[0]
    records = measure_cell(Request("end", "seq-opt-lmcut"), "gripper", True, 2, Runner())
    assert [record["cost"] for record in records] == list(published.costs[:2])


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


def test_an_evaluation_that_was_killed_ends_with_the_same_records(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    request = Request("random-valid", seed=3)
    told: list[int] = []
    watched = Runner(progress=lambda title, total, unit: nullcontext(told.append))
    whole = measure_cell(request, "gripper", False, 5, watched)
    assert told[-1] == STEPS * 5
    assert measure_cell(request, "gripper", False, 5, Runner(Store(path))) == whole
    lines = path.read_bytes()
    for cut in (len(lines) // 4, 4 * len(lines) // 5):
        path.write_bytes(lines[:cut])
        assert measure_cell(request, "gripper", False, 5, Runner(Store(path))) == whole


def test_a_store_alone_gives_the_same_records() -> None:
    runner = Runner()
    measured = [
        record
        for request in (Request("random-valid"), Request("random-valid", seed=3), Request("end"))
        for record in measure_cell(request, "gripper", False, 3, runner)
    ]
    found = collect(dict(runner.store.records()))
    assert sorted(found, key=str) == sorted(measured, key=str)
    assert list(dict.fromkeys(record["route"] for record in found)) == ["end", "random-valid", "random-valid seed=3"]


def test_of_two_models_in_a_store_the_last_counts() -> None:
    runner = Runner()
    (first,) = measure_cell(Request("learned"), "gripper", False, 1, runner)
    (key,) = (key for key, record in runner.store.records() if "binding" in record)
    runner.store.add(key.replace(first["model"], "0123456789ab"), {"binding": None})
    (record,) = collect(dict(runner.store.records()))
    assert (record["route"], record["model"], record["cost"]) == ("learned", "0123456789ab", None)


def test_equal_bindings_of_two_grounders_are_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    runner = Runner()
    first = measure_cell(Request("random-valid"), "visitall", True, 3, runner)
    monkeypatch.setattr(optimal, "find_bound_cost", None)
    again = measure_cell(Request("random-valid", planner="lama"), "visitall", True, 3, runner)
    assert [record["cost"] for record in again] == [record["cost"] for record in first]


def test_a_cost_that_was_not_found_does_not_end_the_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    runner = Runner()
    monkeypatch.setattr(test_sets, "GROUND_LIMITS", Limits(seconds=0.01))
    records = measure_cell(Request("random-valid"), "delivery", False, 2, runner)
    (cell,) = summarise(records)
    assert describe(cell)["undecided"] == 2
    assert all("ran out of time" in record["reason"] for record in records)
    assert any("ran out of time" in record.get("undecided", "") for _, record in runner.store.records())


def test_a_grounder_that_gives_up_does_not_end_the_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(*_: object) -> None:
        raise DeadEndError("the learned grounder gave up")

    monkeypatch.setattr(optimal, "ground", give_up)
    (record,) = measure_cell(Request("learned"), "blocks", False, 1, Runner())
    assert (record["cost"], record["reason"], record["undecided"]) == (None, "the learned grounder gave up", True)


def test_an_error_that_is_no_limit_ends_the_evaluation(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"config\.json"):
        measure_cell(Request("learned", model=tmp_path), "delivery", False, 2, Runner())


def test_an_invalid_binding_has_no_cost() -> None:
    instance = load_optimal_set("gripper", False).instances()[0]
    task = read_instance(instance)
    rooms = {variable.name: "room1" if "room1" in task.index else task.objects[0] for variable in task.goal.variables}
    assert find_bound_cost(task, rooms) == (False, None)


def make_record(route: str, variables: int, v_star: int, cost: int | None, **others: object) -> Record:
    place = {"family": "gripper", "neq": False, "index": variables, "task": str(variables)}
    model = "0123456789ab" if route == "learned" else ""
    record = {**place, "route": route, "model": model, "seed": 0, "variables": variables, "v_star": v_star}
    return {**record, "cost": cost, "valid": True, "undecided": False, **others}


LEARNED = [make_record("learned", 1, 4, 4), make_record("learned", 2, 4, 6)]
RANDOM = [make_record("random", 1, 4, None, valid=False), make_record("random", 2, 4, None, undecided=True)]


def test_a_cell_averages_over_what_is_covered() -> None:
    (cell,) = summarise([*LEARNED, make_record("learned", 2, 1, None, valid=False)])
    found = describe(cell)
    assert (found["count"], found["coverage"], found["validity"]) == (3, 2 / 3, 2 / 3)
    assert (found["v_star"], found["ratio"], found["undecided"]) == (3.0, 1.25, 0)
    assert found["by_variables"]["1"]["count"] == 1


def test_the_ratio_of_sums_weighs_long_plans_more() -> None:
    (cell,) = summarise([make_record("learned", 1, 1, 2), make_record("learned", 2, 9, 9)])
    found = describe(cell)
    assert (found["ratio"], found["total_ratio"]) == (1.5, 1.1)
    assert found["intervals"] == {"ratio": [1.0, 2.0], "total_ratio": [1.0, 2.0]}
    assert found["by_variables"]["1"]["total_ratio"] == 2.0


def test_an_undecided_instance_is_counted_as_such_and_not_as_covered() -> None:
    (cell,) = summarise([LEARNED[0], make_record("learned", 1, 5, None, undecided=True)])
    found = describe(cell)
    assert (found["undecided"], found["coverage"], found["ratio"]) == (1, 0.5, 1.0)


def test_tables_stand_beside_the_papers() -> None:
    learned, random, joint, costs, by_variables = tabulate(summarise([*LEARNED, *RANDOM]))
    place = ("gripper", "no", "2")
    ratio = "1.250 [1.000, 1.500]"
    assert learned.rows == [(*place, "100.0%", "100.0%", "100.0%", "4.000", "4.780", ratio, ratio, "1.298", "0")]
    assert random.rows == [(*place, "0.0%", "3.0%", "50.0%", "4.000", "4.780", "-", "-", "-", "1")]
    assert joint.rows == [("gripper", "no", "100.0% 1.298", "100.0% 1.250", "0.0% -")]
    assert costs.rows == [("gripper", "no", "4.00 (1)", "4.00 (1)")]
    assert by_variables.rows[0] == ("learned", "gripper", "no", "100.0% 1.000", "100.0% 1.500")


def test_the_learned_grounder_is_near_optimal_on_the_first_instances() -> None:
    records = measure_cell(Request("learned"), "gripper", False, 6, Runner())
    assert list_unexplained(list_rows(records)) == []
    (cell,) = summarise(records)
    found = describe(cell)
    assert found["coverage"] == 1.0
    assert found["ratio"] <= 1.2
