"""One training step, the averaged weights, and everything that has to be saved to continue."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from skolem.network.graphs import Batch, collate
from skolem.network.rgnn import RGNN, BindingPairs
from skolem.training.muon import Muon
from skolem.training.recipe import Recipe
from skolem.training.samples import Samples, measure_errors

Tensor = torch.Tensor


@dataclass(frozen=True)
class Targets:
    """What the network should predict for the graphs of a batch."""

    costs: Tensor
    pairs: BindingPairs | None = None
    """Bindings that the head should rate; they are in graphs after those that have costs."""
    pair_costs: Tensor | None = None


def assemble(samples: Samples, aims: Tensor, index: Tensor, drawn: Tensor | None) -> tuple[Batch, Targets]:
    """Some samples as a batch with their aims and, for the head, all labelled bindings of the drawn parents."""
    if samples.parents is None or drawn is None:
        return collate(samples.graphs, index), Targets(aims[index])
    batch = collate(samples.graphs, torch.cat([index, drawn + len(samples)]))
    owners = torch.arange(len(index), batch.graphs, device=index.device)
    pairs, results = samples.parents.list_pairs(drawn, owners, batch.start[len(index) :])
    return batch, Targets(aims[index], pairs, aims[results])


def weigh(errors: Tensor, recipe: Recipe) -> Tensor:
    """What each error costs."""
    if recipe.loss == "squared":
        return errors.square()
    size = errors.abs()
    return torch.where(size < 1, errors.square(), 2 * size - 1)


def make_optimiser(model: RGNN, recipe: Recipe, rate: float | Tensor) -> torch.optim.Optimizer:
    """The recipe's optimiser; with a tensor for a rate its steps can be captured."""
    if recipe.optimiser == "muon":
        return Muon(model.parameters(), lr=rate, weight_decay=recipe.decay)
    kind = torch.optim.AdamW if recipe.optimiser == "adamw" else torch.optim.Adam
    capturable = isinstance(rate, Tensor)
    return kind(model.parameters(), lr=rate, weight_decay=recipe.decay, fused=True, capturable=capturable)


class Optimisation:
    """A network in training: its optimiser and the average of its weights.

    `network` is what is called in a step: the model, or a wrapper that shares its gradients among processes.
    """

    def __init__(self, model: RGNN, recipe: Recipe, network: nn.Module | None = None) -> None:
        self.model = model
        self.recipe = recipe
        self.network = network or model
        self.optimiser = make_optimiser(model, recipe, recipe.rate)
        self.average = {name: value.detach().clone() for name, value in model.state_dict().items()}
        self.steps = 0

    def step(self, batch: Batch, targets: Targets, rate: float) -> Tensor:
        """Changes the weights once; the mean squared error before that."""
        recipe = self.recipe
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.zero_grad(set_to_none=True)
        output = self.network(batch, targets.pairs)
        errors = measure_errors(output[: len(targets.costs)], targets.costs)
        loss = weigh(errors, recipe).mean()
        if targets.pair_costs is not None:
            loss = recipe.value * loss + weigh(output[batch.graphs :] - targets.pair_costs, recipe).mean()
        torch.autograd.backward(loss)
        if recipe.clip is not None:
            nn.utils.clip_grad_norm_(self.model.parameters(), recipe.clip)
        self.optimiser.step()
        self.steps += 1
        self._update_average()
        return errors.detach().square().mean()

    def measure_share(self) -> float:
        """The share of the new weights in their average."""
        if self.recipe.average is None:
            return 1.0
        # While there are few steps the average is short, so that it forgets the first weights.
        return 1 - min(self.recipe.average, (1 + self.steps) / (10 + self.steps))

    def _update_average(self) -> None:
        current, share = self.model.state_dict(), self.measure_share()
        for name, value in self.average.items():
            value.lerp_(current[name], share)

    def export(self) -> dict[str, Tensor]:
        """Copies of all tensors that the next step depends on."""
        tensors = {f"weights.{name}": value.clone() for name, value in self.model.state_dict().items()}
        tensors |= {f"average.{name}": value.clone() for name, value in self.average.items()}
        for number, state in self.optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser.{number}.{name}": value.clone() for name, value in state.items()}
        return tensors | {"steps": torch.tensor(self.steps)}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Sets everything to what `export` gave."""
        parts: dict[str, dict[str, Tensor]] = {"weights": {}, "average": {}, "optimiser": {}}
        for name, value in tensors.items():
            kind, _, rest = name.partition(".")
            if kind in parts:
                parts[kind][rest] = value
        self.model.load_state_dict(parts["weights"])
        for name, value in self.average.items():
            value.copy_(parts["average"][name])
        states: dict[int, dict[str, Any]] = {}
        for name, value in parts["optimiser"].items():
            number, _, key = name.partition(".")
            states.setdefault(int(number), {})[key] = value.clone()
        self.optimiser.load_state_dict({**self.optimiser.state_dict(), "state": states})
        self.steps = int(tensors["steps"])


@torch.no_grad()
def calm_down(model: RGNN, mean: float) -> None:
    """Shrinks the first updates and costs: unscaled, embeddings of residual networks grow with every layer."""
    readouts = [model.readout] if model.head is None else [model.readout, model.head]
    for readout in readouts:
        readout.outer_weight.mul_(0.1)
        readout.outer_bias.fill_(mean)
    if model.config.residual:
        model.update.outer_weight.mul_(model.config.layers**-0.5)
        model.update.outer_bias.mul_(model.config.layers**-0.5)


class Watch:
    """Notices when training diverges: the loss is no number, or far above both its best and the targets' spread."""

    def __init__(self, spread: float) -> None:
        self.spread = spread
        self.best = float("inf")

    def accept(self, loss: float) -> bool:
        """True if a window's mean loss is sound."""
        if not loss < max(20 * self.best, self.spread):
            return False
        self.best = min(self.best, loss)
        return True
