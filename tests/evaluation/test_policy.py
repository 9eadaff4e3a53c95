"""The policy is judged by the cost of its plans over the costs of the goal and of the binding."""

from skolem.evaluation.policy import PolicyCell, Walk, evaluate_policy
from skolem.solve import Request


def test_a_cell_averages_over_the_plans_there_are() -> None:
    walks = (Walk(4, 4, 4, 1.0), Walk(4, 5, 10, 1.0), Walk(2, 3, None, 1.0), Walk(2, None, None, 1.0))
    found = PolicyCell("blocks", True, walks).describe()
    assert (found["count"], found["coverage"], found["reachable"]) == (4, 0.5, 0.75)
    assert (found["ratio"], found["ratio_to_binding"], found["optimal"]) == (1.75, 1.5, 0.25)


def test_a_cell_without_plans_has_no_quotients() -> None:
    found = PolicyCell("blocks", False, (Walk(4, None, None, 1.0),)).describe()
    assert (found["coverage"], found["ratio"], found["ratio_to_binding"]) == (0.0, None, None)


def test_the_policy_arrives_on_the_first_instances() -> None:
    cell = evaluate_policy("visitall", True, Request("learned", "policy"), count=3)
    for walk in cell.walks:
        assert walk.plan_cost is not None
        assert walk.binding_cost is not None
        assert walk.v_star <= walk.binding_cost <= walk.plan_cost
