"""Muon: the change of every weight matrix is made orthogonal, so that all its directions learn at the same pace.

Momentum, then five Newton-Schulz iterations towards the nearest orthogonal matrix (K. Jordan and others, 2024). The
change is scaled to the size of an Adam step (J. Liu and others, 2025), so that both take similar rates. Biases and
the last layer, which has one output, are changed by Adam.
"""

from collections.abc import Callable, Iterable

import torch

Tensor = torch.Tensor

_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Of the polynomial that drives singular values towards one; those of the authors."""
_ITERATIONS = 5
_SIZE = 0.2
"""The root mean square of an Adam step, over the rate."""
_BETAS = (0.9, 0.999)
_LEAST = 1e-8


class Muon(torch.optim.Optimizer):
    """Muon for parameters that are stacks of matrices, (count, inputs, outputs), and Adam for all others."""

    def __init__(
        self, parameters: Iterable[Tensor], lr: float | Tensor, weight_decay: float, momentum: float = 0.95
    ) -> None:
        super().__init__(parameters, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Changes all parameters once by their gradients."""
        for group in self.param_groups:
            alike: dict[tuple[int, ...], list[Tensor]] = {}
            for parameter in group["params"]:
                if parameter.grad is not None:
                    shape = tuple(parameter.shape[1:]) if has_matrices(parameter) else ()
                    alike.setdefault(shape, []).append(parameter)
            for shape, parameters in alike.items():
                if shape:
                    self._step_orthogonally(parameters, group["lr"], group["weight_decay"], group["momentum"])
                else:
                    self._step_by_adam(parameters, group["lr"])

    def _step_orthogonally(self, parameters: list[Tensor], rate: float | Tensor, decay: float, momentum: float) -> None:
        """Changes parameters whose matrices have the same shape."""
        gradients = _list_gradients(parameters)
        (momenta,) = self._find_state(parameters, "momentum")
        torch._foreach_lerp_(momenta, gradients, 1 - momentum)
        stacked = orthogonalise(torch.cat(torch._foreach_lerp(gradients, momenta, momentum)))
        stacked *= rate * (_SIZE * max(stacked.shape[1:]) ** 0.5)
        torch._foreach_mul_(parameters, 1 - rate * decay)
        torch._foreach_sub_(parameters, list(torch.split(stacked, [len(parameter) for parameter in parameters])))

    def _step_by_adam(self, parameters: list[Tensor], rate: float | Tensor) -> None:
        gradients = _list_gradients(parameters)
        # Not "step", which PyTorch would leave on the processor where a saved run is continued.
        means, squares, counts = self._find_state(parameters, "mean", "square", "count")
        torch._foreach_add_(counts, 1.0)
        torch._foreach_lerp_(means, gradients, 1 - _BETAS[0])
        torch._foreach_mul_(squares, _BETAS[1])
        torch._foreach_addcmul_(squares, gradients, gradients, 1 - _BETAS[1])
        first, second = (1 - torch.pow(beta, counts[0].flatten()[0]) for beta in _BETAS)
        sizes = torch._foreach_sqrt(squares)
        torch._foreach_add_(sizes, _LEAST)
        changes = torch._foreach_div(means, sizes)
        torch._foreach_mul_(changes, rate * second.sqrt() / first)
        torch._foreach_sub_(parameters, changes)

    def _find_state(self, parameters: list[Tensor], *names: str) -> list[list[Tensor]]:
        """What is kept for the parameters under each of the names, zeros at first."""
        for parameter in parameters:
            for name in names:
                if name not in self.state[parameter]:
                    self.state[parameter][name] = torch.zeros_like(parameter)
        return [[self.state[parameter][name] for parameter in parameters] for name in names]


def has_matrices(parameter: Tensor) -> bool:
    """Whether a parameter is a stack of matrices with more than one row and column."""
    return parameter.ndim == 3 and min(parameter.shape[1:]) > 1


def orthogonalise(stack: Tensor) -> Tensor:
    """Matrices near the orthogonal ones that are nearest to those of a stack."""
    a, b, c = _COEFFICIENTS
    tall = stack.shape[1] > stack.shape[2]
    x = stack.mT if tall else stack
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(_ITERATIONS):
        square = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(square, square, square, beta=b, alpha=c), x, beta=a)
    return x.mT if tall else x


def _list_gradients(parameters: list[Tensor]) -> list[Tensor]:
    return [parameter.grad for parameter in parameters if parameter.grad is not None]
