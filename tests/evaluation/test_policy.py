"""The policy is judged by the cost of its plans over the costs of the goal and of the binding."""

from skolem.evaluation.policy import describe, measure_cell, summarise
from skolem.evaluation.store import Record, Runner
from skolem.request import Request


def walk(v_star: int, binding_cost: int | None, cost: int | None) -> Record:
    place = {"family": "blocks", "neq": True}
    return {**place, "v_star": v_star, "binding_cost": binding_cost, "cost": cost, "seconds": 1.0}


def test_a_cell_averages_over_the_plans_there_are() -> None:
    (cell,) = summarise([walk(4, 4, 4), walk(4, 5, 10), walk(2, 3, None), walk(2, None, None)])
    found = describe(cell)
    assert (found["count"], found["coverage"], found["reachable"]) == (4, 0.5, 0.75)
    assert (found["ratio"], found["ratio_to_binding"], found["optimal"]) == (1.75, 1.5, 0.25)


def test_a_cell_without_plans_has_no_quotients() -> None:
    (cell,) = summarise([walk(4, None, None)])
    found = describe(cell)
    assert (found["coverage"], found["ratio"], found["ratio_to_binding"]) == (0.0, None, None)


def test_the_policy_arrives_on_the_first_instances() -> None:
    for record in measure_cell(Request("learned", "policy"), "visitall", True, 3, Runner()):
        assert record["status"] == "solved"
        assert record["v_star"] <= record["binding_cost"] <= record["cost"]
