"""The relational graph neural network: the reference for all engines.

A network maps a batch of graphs (`skolem.network.graphs.Batch`) to one cost per graph. `RGNN.embed` is the
reference for every faster path: a fused path computes the same embeddings from the same parameters.

Parameters (names as in the saved file; A = arity, R = relations of that arity in the order of
`vocabulary.by_arity`, k = width):

    relation.A.inner_weight (R, A*k, A*k)   relation.A.inner_bias (R, A*k)
    relation.A.outer_weight (R, A*k, A*k)   relation.A.outer_bias (R, A*k)
    update.inner_weight     (1, 2*k, 2*k)   update.inner_bias     (1, 2*k)
    update.outer_weight     (1, 2*k, k)     update.outer_bias     (1, k)
    readout.inner_weight    (1, k, k)       readout.inner_bias    (1, k)
    readout.outer_weight    (1, k, 1)       readout.outer_bias    (1, 1)
    head.inner_weight       (1, 3*k, 3*k)   head.inner_bias       (1, 3*k)     only with a head
    head.outer_weight       (1, 3*k, 1)     head.outer_bias       (1, 1)

Weights are stored as (input, output): a layer computes `x @ weight + bias`. The relation network of an atom
p(o_1, ..., o_A) reads [f(o_1), ..., f(o_A)] and writes the messages to o_1, ..., o_A in the same order. The
update reads [f(o), m(o)], m being the smooth maximum of the messages to o.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import nn
from torch.nn.functional import mish

from skolem.network.config import NetworkConfig
from skolem.network.graphs import Batch
from skolem.network.vocabulary import Vocabulary

Tensor = torch.Tensor


@dataclass(frozen=True)
class BindingPairs:
    """Bindings of a variable to an object in the graphs of a batch."""

    variables: Tensor  # (Q,) the node of the variable
    objects: Tensor  # (Q,) the node of the object
    graphs: Tensor  # (Q,) the graph of both


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


Layers = tuple[Tensor, Tensor, Tensor, Tensor]
"""The weights of one network: inner weight and bias, outer weight and bias."""


def split_networks(networks: nn.Module) -> list[Layers]:
    """The weights of each of some `Perceptrons`."""
    parameters = dict(networks.named_parameters())
    names = ("inner_weight", "inner_bias", "outer_weight", "outer_bias")
    return list(zip(*(parameters[name].unbind() for name in names), strict=True))


def apply_layers(layers: Layers, rows: Tensor) -> Tensor:
    """The outputs of a network for every row."""
    inner_weight, inner_bias, outer_weight, outer_bias = layers
    return torch.addmm(outer_bias, mish(torch.addmm(inner_bias, rows, inner_weight)), outer_weight)


class RGNN(nn.Module):
    """The relational graph neural network: one cost for every graph."""

    def __init__(self, config: NetworkConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.config = config
        self.vocabulary = vocabulary
        k = config.width
        counts = {arity: len(numbers) for arity, numbers in vocabulary.by_arity.items()}
        self.relation = nn.ModuleDict({str(a): Perceptrons(n, a * k, a * k, a * k) for a, n in counts.items()})
        self.update = Perceptrons(1, 2 * k, 2 * k, k)
        self.readout = Perceptrons(1, k, k, 1)
        self.head = Perceptrons(1, 3 * k, 3 * k, 1) if config.head else None
        self.embedder: Callable[[RGNN, Batch], Tensor] = RGNN.embed
        """How `forward` finds the embeddings; there are faster functions, which training chooses between."""

    def forward(self, batch: Batch, pairs: BindingPairs | None = None) -> Tensor:
        """The predicted cost of every graph, then, by the head, that after each of some bindings."""
        return self.rate(self.embedder(self, batch), batch, pairs)

    def begin(self, nodes: int) -> Tensor:
        """The first embeddings of so many nodes, as in training: a random half is drawn anew every time."""
        start = self.update.inner_weight.new_zeros(nodes, self.config.width)
        if self.config.embeddings == "half-random":
            start[:, self.config.width - self.config.width // 2 :].normal_()
        return start

    def embed(self, batch: Batch, start: Tensor | None = None) -> Tensor:
        """The final embedding of every node, by plain PyTorch; the first ones are those of training if not given."""
        # Split once: the gradient of every split is as large as all networks of the arity.
        relation = {int(arity): split_networks(networks) for arity, networks in self.relation.items()}
        (update,) = split_networks(self.update)
        f = self.begin(batch.nodes) if start is None else start
        for _ in range(self.config.layers):
            messages = send_messages(relation, gather(f, batch), batch)
            m = maximise_smoothly(messages, batch, self.config.smoothness)
            change = apply_layers(update, torch.cat([f, m], 1))
            f = f + change if self.config.residual else change
        return f

    def rate(self, f: Tensor, batch: Batch, pairs: BindingPairs | None) -> Tensor:
        """What `forward` predicts, from the final embeddings."""
        costs = self.read(f, batch)
        return costs if pairs is None else torch.cat([costs, self.rate_pairs(f, batch, pairs)])

    def read(self, f: Tensor, batch: Batch) -> Tensor:
        """The predicted cost of every graph from the final embeddings."""
        (readout,) = split_networks(self.readout)
        return apply_layers(readout, self.summarise(f, batch)).squeeze(1)

    def rate_pairs(self, f: Tensor, batch: Batch, pairs: BindingPairs) -> Tensor:
        """The head's cost of a goal after each of some bindings, from the embeddings before them."""
        assert self.head is not None, "the network has no head"
        (head,) = split_networks(self.head)
        sums = self.summarise(f, batch)
        # Not by indexing in brackets: its gradient on a GPU adds the rows of equal indices one after another.
        takes = ((f, pairs.variables), (f, pairs.objects), (sums, pairs.graphs))
        rows = [table.index_select(0, numbers) for table, numbers in takes]
        return apply_layers(head, torch.cat(rows, 1)).squeeze(1)

    def summarise(self, f: Tensor, batch: Batch) -> Tensor:
        """The sum of the embeddings that the readout takes, for every graph."""
        taken = f * batch.goal.unsqueeze(1) if self.config.readout == "goal" else f
        return f.new_zeros(batch.graphs, self.config.width).index_add(0, batch.graph, taken)


def send_messages(relation: Mapping[int, Sequence[Layers]], rows: Tensor, batch: Batch) -> Tensor:
    """The message of every slot, given the embedding of every slot's node."""
    sizes = [(arity, size) for arity, sizes in batch.sizes.items() for size in sizes]
    layers = [each for arity in batch.sizes for each in relation[arity]]
    parts = rows.split_with_sizes([arity * size for arity, size in sizes])
    messages = [
        apply_layers(each, part.view(size, -1)).view(size * arity, -1)
        for each, part, (arity, size) in zip(layers, parts, sizes, strict=True)
        if size
    ]
    return torch.cat(messages)


def gather(f: Tensor, batch: Batch) -> Tensor:
    """The embedding of every slot's node."""
    rows: Tensor = _Gather.apply(f, batch)  # type: ignore[no-untyped-call]
    return rows


def maximise_smoothly(messages: Tensor, batch: Batch, smoothness: float) -> Tensor:
    """log(sum(exp(smoothness * m))) / smoothness over the messages m to each node, per component."""
    maximum: Tensor = _SmoothMaximum.apply(messages, batch, smoothness)  # type: ignore[no-untyped-call]
    return maximum


# Both functions have derivatives of their own because those of index_select and index_add scatter rows one by
# one, which takes most of a training step on a CPU; sums over slots sorted by node take little.
class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, f: Tensor, batch: Batch) -> Tensor:
        ctx.batch = batch
        return f.index_select(0, batch.targets)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        batch: Batch = ctx.batch
        return _reduce(gradient.index_select(0, batch.order), batch, "sum"), None


LEAST = -80.0
"""Where exponents are cut off: e^-80 is nothing beside the 1 of the largest message, but still a normal number, and
processors are many times slower on numbers that are not."""


class _SmoothMaximum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, messages: Tensor, batch: Batch, smoothness: float) -> Tensor:
        nodes = batch.targets.index_select(0, batch.order)
        rows = messages.index_select(0, batch.order)
        largest = _reduce(rows, batch, "max")
        shares = rows.sub_(largest.index_select(0, nodes)).mul_(smoothness).clamp_(min=LEAST).exp_()
        total = _reduce(shares, batch, "sum")
        ctx.batch = batch
        ctx.save_for_backward(shares, total, nodes)
        return largest + total.log() / smoothness

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        batch: Batch = ctx.batch
        shares, total, nodes = ctx.saved_tensors
        rows = (gradient / total).index_select(0, nodes).mul_(shares)
        return rows.index_select(0, batch.place), None, None


def _reduce(rows: Tensor, batch: Batch, kind: Literal["max", "sum"]) -> Tensor:
    """The maximum or the sum of each node's rows, given in `batch.order`."""
    return torch.segment_reduce(rows, kind, offsets=batch.bounds, axis=0, unsafe=True)
