"""Muon: orthogonal changes for matrices, Adam's for everything else."""

import pytest
import torch

from skolem.training.muon import Muon, has_matrices, orthogonalise


@pytest.mark.parametrize("shape", [(3, 8, 8), (2, 8, 16), (2, 16, 8), (1, 32, 32)])
def test_directions_of_all_strengths_become_about_equally_strong(shape: tuple[int, int, int]) -> None:
    torch.manual_seed(0)
    matrices = torch.randn(shape) * torch.logspace(-2, 2, shape[0])[:, None, None]
    values = torch.linalg.svdvals(orthogonalise(matrices))
    assert values.max() < 1.3
    assert values.min() > 0.3
    left, _, right = torch.linalg.svd(matrices, full_matrices=False)
    nearest = left @ right
    agreement = (orthogonalise(matrices) * nearest).sum((1, 2)) / nearest.square().sum((1, 2))
    assert (agreement > 0.7).all()


def test_what_has_no_gradient_does_not_move() -> None:
    assert torch.equal(orthogonalise(torch.zeros(2, 4, 4)), torch.zeros(2, 4, 4))


def test_biases_and_single_outputs_are_changed_as_by_adam() -> None:
    torch.manual_seed(0)
    ours = [torch.nn.Parameter(torch.randn(2, 5)), torch.nn.Parameter(torch.randn(1, 6, 1))]
    theirs = [torch.nn.Parameter(parameter.detach().clone()) for parameter in ours]
    assert not any(map(has_matrices, ours))
    muon, adam = Muon(ours, lr=0.01, weight_decay=0.1), torch.optim.Adam(theirs, lr=0.01)
    for _ in range(20):
        for mine, other in zip(ours, theirs, strict=True):
            mine.grad = torch.randn_like(mine)
            other.grad = mine.grad.clone()
        muon.step()
        adam.step()
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, other, atol=1e-5, rtol=0)


def test_a_rate_may_be_a_tensor_and_a_step_has_the_size_of_one_of_adam() -> None:
    torch.manual_seed(0)
    weights = torch.nn.Parameter(torch.zeros(3, 32, 64))
    muon = Muon([weights], lr=torch.tensor(0.01), weight_decay=0.0)
    weights.grad = torch.randn_like(weights)
    muon.step()
    size = weights.detach().square().mean().sqrt()
    assert 0.1 * 0.01 < size < 0.3 * 0.01


def test_it_goes_on_where_it_was() -> None:
    torch.manual_seed(0)
    gradients = torch.randn(6, 2, 8, 8)
    found = []
    for parted in (False, True):
        weights = torch.nn.Parameter(torch.ones(2, 8, 8))
        muon = Muon([weights], lr=0.1, weight_decay=0.1)
        for number, gradient in enumerate(gradients):
            weights.grad = gradient.clone()
            muon.step()
            if parted and number == 2:
                state = muon.state_dict()
                muon = Muon([weights], lr=0.1, weight_decay=0.1)
                muon.load_state_dict(state)
        found.append(weights.detach())
    assert torch.equal(*found)
