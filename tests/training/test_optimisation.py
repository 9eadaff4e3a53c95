"""What errors cost in training."""

import pytest
import torch

from skolem.support.errors import InputError
from skolem.training.optimisation import weigh
from skolem.training.recipe import Recipe


def test_large_errors_cost_their_square_or_grow_straight_beyond_one_step() -> None:
    errors = torch.tensor([-3.0, -0.5, 0.0, 1.0, 10.0])
    assert weigh(errors, Recipe(loss="squared")).tolist() == [9.0, 0.25, 0.0, 1.0, 100.0]
    assert weigh(errors, Recipe(loss="huber")).tolist() == [5.0, 0.25, 0.0, 1.0, 19.0]


def test_the_loss_is_one_of_two() -> None:
    with pytest.raises(InputError, match="the loss is squared or huber"):
        Recipe(loss="cubed")  # type: ignore[arg-type]
