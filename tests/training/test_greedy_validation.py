"""How choices among siblings are judged, on numbers that are checked by hand."""

import torch

from skolem.training.greedy_validation import measure_choices

GROUPS = torch.tensor([4, 4, 4, -1, 9, 9])
COSTS = torch.tensor([2.0, 2.0, 5.0, 0.0, 7.0, 3.0])


def test_without_siblings_there_is_nothing_to_choose() -> None:
    alone = torch.tensor([-1, -1])
    assert measure_choices(torch.ones(2), torch.ones(2), alone) == (0, 0)


def test_a_choice_is_right_only_if_all_least_predictions_are_best() -> None:
    assert measure_choices(COSTS, COSTS, GROUPS) == (2, 2)
    assert measure_choices(-COSTS, COSTS, GROUPS) == (2, 0)
    assert measure_choices(torch.zeros(6), COSTS, GROUPS) == (2, 0)
    assert measure_choices(torch.zeros(6), torch.ones(6), GROUPS) == (0, 0)
