"""What actions cost: sums over all objects that have values."""

from tests.planning.test_costs import INIT, read_roads

from skolem.task.costs import CostTable, find_overflow, tabulate_costs


def test_sums_are_taken_over_objects_that_fit() -> None:
    task = read_roads("(increase (total-cost) (far ?a ?b)) (increase (total-cost) (toll ?b))")
    (action,) = task.domain.actions
    _, a, b = action.parameters
    sums: dict[tuple[str, ...], int] = {
        ("home", "shore"): 10,
        ("shore", "peak"): 4,
        ("home", "hill"): 3,
        ("hill", "peak"): 5,
    }
    assert tabulate_costs(task, action) == CostTable((a, b), sums)


def test_a_term_with_a_constant_and_a_repeated_variable() -> None:
    effect = "(increase (total-cost) (far home ?b)) (increase (total-cost) (far ?b ?b))"
    task = read_roads(effect, INIT + "(= (far hill hill) 5)")
    assert tabulate_costs(task, task.domain.actions[0]).costs == {("hill",): 7}


def test_an_action_without_costs_costs_nothing() -> None:
    task = read_roads("")
    assert tabulate_costs(task, task.domain.actions[0]) == CostTable((), {(): 0})


def test_terms_without_a_common_variable_meet_everywhere() -> None:
    task = read_roads("(increase (total-cost) (toll ?a)) (increase (total-cost) (toll ?b)) (increase (total-cost) 1)")
    costs = tabulate_costs(task, task.domain.actions[0]).costs
    assert (len(costs), costs["shore", "peak"], costs["peak", "shore"]) == (16, 13, 13)
    assert find_overflow(task) is None
