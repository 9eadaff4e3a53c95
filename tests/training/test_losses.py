"""Terms over groups of siblings, on numbers that are checked by hand."""

import math

import torch

from skolem.training.losses import measure_choices, rank_siblings

GROUPS = torch.tensor([4, 4, 4, -1, 9, 9])
COSTS = torch.tensor([2.0, 2.0, 5.0, 0.0, 7.0, 3.0])


def test_the_ranking_term_is_the_surprise_at_the_best_choice() -> None:
    predicted = torch.tensor([1.0, 1.0, 1.0, 9.0, 0.0, 1.0], requires_grad=True)
    first = math.log(3) - math.log(2)
    second = math.log(1 + math.exp(-1)) + 1
    loss = rank_siblings(predicted, COSTS, GROUPS)
    assert math.isclose(float(loss.detach()), (first + second) / 2, rel_tol=1e-6)
    torch.autograd.backward(loss)
    assert predicted.grad is not None
    assert float(predicted.grad[3]) == 0
    assert float(predicted.grad[5]) > 0 > float(predicted.grad[4])


def test_without_siblings_there_is_nothing_to_rank() -> None:
    alone = torch.tensor([-1, -1])
    assert float(rank_siblings(torch.ones(2), torch.ones(2), alone)) == 0
    assert measure_choices(torch.ones(2), torch.ones(2), alone) == (0, 0)


def test_a_choice_is_right_only_if_all_least_predictions_are_best() -> None:
    assert measure_choices(COSTS, COSTS, GROUPS) == (2, 2)
    assert measure_choices(-COSTS, COSTS, GROUPS) == (2, 0)
    assert measure_choices(torch.zeros(6), COSTS, GROUPS) == (2, 0)
    assert measure_choices(torch.zeros(6), torch.ones(6), GROUPS) == (0, 0)
