"""The relational graph neural network and its configuration.

A network maps a batch of graphs (`skolem.network.graphs.Batch`) to one cost per graph. `RGNN.embed` is the
reference for every faster path: a fused path computes the same embeddings from the same parameters.

Parameters (names as in the saved file; A = arity, R = relations of that arity in `vocabulary.by_arity` order, k = width):

    relation.A.inner_weight (R, A*k, A*k)   relation.A.inner_bias (R, A*k)
    relation.A.outer_weight (R, A*k, A*k)   relation.A.outer_bias (R, A*k)
    update.inner_weight     (1, 2*k, 2*k)   update.inner_bias     (1, 2*k)
    update.outer_weight     (1, 2*k, k)     update.outer_bias     (1, k)
    readout.inner_weight    (1, k, k)       readout.inner_bias    (1, k)
    readout.outer_weight    (1, k, 1)       readout.outer_bias    (1, 1)

Weights are stored as (input, output): a layer computes `x @ weight + bias`. The relation network of an atom
p(o_1, ..., o_A) reads [f(o_1), ..., f(o_A)] and writes the messages to o_1, ..., o_A in the same order. The
update reads [f(o), m(o)], m being the smooth maximum of the messages to o.
"""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import nn
from torch.nn.functional import mish

from skolem.errors import InputError
from skolem.network.graphs import Batch
from skolem.network.vocabulary import Vocabulary

Tensor = torch.Tensor


@dataclass(frozen=True)
class NetworkConfig:
    """The shape of a network and of its input."""

    layers: int = 30
    width: int = 32
    smoothness: float = 12.0
    """The temperature of the smooth maximum; the larger, the closer to the maximum."""
    readout: Literal["sum", "goal"] = "goal"
    """Sum over all nodes, or over the goal's variables and the constants named in it."""
    residual: bool = True
    """Is the update added to the embedding, or does it replace it."""
    bindings: Literal["all", "static"] = "static"
    """PossibleBinding(o, x) for all objects, or for the candidates of x."""

    def __post_init__(self) -> None:
        if self.layers < 1 or self.width < 1:
            raise InputError("a network needs at least one layer and a width of at least one")
        if not (self.smoothness > 0 and math.isfinite(self.smoothness)):
            raise InputError("the smoothness of the maximum must be positive and finite")
        if self.readout not in ("sum", "goal") or self.bindings not in ("all", "static"):
            raise InputError("readout is sum or goal, bindings is all or static")


PAPER = NetworkConfig(readout="sum", residual=False, bindings="all")
SKOLEM = NetworkConfig()


class Perceptrons(nn.Module):
    """`count` networks of the same shape: linear, Mish, linear."""

    def __init__(self, count: int, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.inner_weight = nn.Parameter(torch.empty(count, inputs, hidden))
        self.inner_bias = nn.Parameter(torch.empty(count, hidden))
        self.outer_weight = nn.Parameter(torch.empty(count, hidden, outputs))
        self.outer_bias = nn.Parameter(torch.empty(count, outputs))
        for weight, bias in ((self.inner_weight, self.inner_bias), (self.outer_weight, self.outer_bias)):
            bound = 1 / math.sqrt(weight.shape[1])
            nn.init.uniform_(weight, -bound, bound)
            nn.init.uniform_(bias, -bound, bound)

    def forward(self, rows: Tensor, number: int = 0) -> Tensor:
        """The outputs of the network with that number for every row."""
        hidden = mish(torch.addmm(self.inner_bias[number], rows, self.inner_weight[number]))
        return torch.addmm(self.outer_bias[number], hidden, self.outer_weight[number])


class RGNN(nn.Module):
    """The relational graph neural network: one cost for every graph."""

    def __init__(self, config: NetworkConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.config = config
        self.vocabulary = vocabulary
        k = config.width
        self.relation = nn.ModuleDict(
            {str(a): Perceptrons(len(numbers), a * k, a * k, a * k) for a, numbers in vocabulary.by_arity.items()}
        )
        self.update = Perceptrons(1, 2 * k, 2 * k, k)
        self.readout = Perceptrons(1, k, k, 1)

    def forward(self, batch: Batch) -> Tensor:
        """The predicted cost of every graph."""
        return self.read(self.embed(batch), batch)

    def embed(self, batch: Batch) -> Tensor:
        """The final embedding of every node, by plain PyTorch."""
        targets = torch.cat([rows.reshape(-1) for rows in batch.atoms.values()])
        f = self.update.inner_weight.new_zeros(batch.nodes, self.config.width)
        for _ in range(self.config.layers):
            m = maximise_smoothly(self._send(f, batch), targets, batch.nodes, self.config.smoothness)
            update = self.update(torch.cat([f, m], 1))
            f = f + update if self.config.residual else update
        return f

    def read(self, f: Tensor, batch: Batch) -> Tensor:
        """The predicted cost of every graph from the final embeddings."""
        cost: Tensor = self.readout(self.summarise(f, batch))
        return cost.squeeze(1)

    def summarise(self, f: Tensor, batch: Batch) -> Tensor:
        """The sum of the embeddings that the readout takes, for every graph."""
        taken = f * batch.goal.unsqueeze(1) if self.config.readout == "goal" else f
        return f.new_zeros(batch.graphs, self.config.width).index_add(0, batch.graph, taken)

    def _send(self, f: Tensor, batch: Batch) -> Tensor:
        """The messages of all atoms to their arguments, in the order of `batch.atoms`."""
        messages = []
        for arity, rows in batch.atoms.items():
            networks = self.relation[str(arity)]
            inputs = f[rows.reshape(-1)].view(-1, arity * self.config.width)
            for number, part in enumerate(inputs.split(batch.sizes[arity])):
                if len(part):
                    messages.append(networks(part, number).view(-1, self.config.width))
        return torch.cat(messages)


def maximise_smoothly(messages: Tensor, targets: Tensor, nodes: int, smoothness: float) -> Tensor:
    """log(sum(exp(smoothness * m))) / smoothness over the messages to each node, per component; 0 without any."""
    index = targets.unsqueeze(1).expand_as(messages)
    zeros = messages.new_zeros(nodes, messages.shape[1])
    with torch.no_grad():
        largest = zeros.scatter_reduce(0, index, messages, "amax", include_self=False)
    terms = torch.exp(smoothness * (messages - largest[targets]))
    # The largest message adds exactly 1, so that the bound changes only nodes without messages.
    return largest + zeros.index_add(0, targets, terms).clamp(min=1).log() / smoothness
