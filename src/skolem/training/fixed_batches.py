"""Batches assembled ahead of training, many at a time, all of the same size in memory.

A fixed batch is one batch for the fused kernels as a row of int32 words: what the network reads and what it should
predict. All of an epoch have the same format, so that a CUDA graph captured on one of them plays every other:
nodes and atoms that a batch does not have are left out by its counts, or belong to a graph that is ignored;
bindings that it does not have weigh nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from skolem.network.gpu.fused import ARITIES, ATOMS, PROGRAMS, SlotLayout, share_out
from skolem.network.graphs import Batch, Graphs, count_up
from skolem.network.rgnn import BindingPairs
from skolem.training.samples import Parents

Tensor = torch.Tensor

_SLACK = 1.02
"""How much larger than the first batches later ones may be; beyond that the format grows."""
_HAND = 65_536
"""Graphs that are assembled at a time."""


@dataclass(frozen=True)
class Format:
    """What fits into a batch."""

    samples: int
    """Graphs with costs; they come first."""
    graphs: int
    nodes: int
    pairs: int
    """Bindings for the head, in the other graphs."""
    atoms: Mapping[int, int]
    relations: Mapping[int, int]

    @cached_property
    def fields(self) -> dict[str, tuple[int, int]]:
        """Where each field begins, and how many words it has."""
        sizes = {"starts": self.nodes + 1, "graph": self.nodes, "goal": self.nodes, "costs": self.samples}
        sizes |= dict.fromkeys(("variables", "objects", "owners", "pair_costs", "weights"), self.pairs)
        for arity, count in self.atoms.items():
            sizes[f"atoms{arity}"] = sizes[f"slots{arity}"] = count * arity
            sizes[f"programs{arity}"] = 3 * self.programs(arity)
        # Multiples of 16 bytes, so that kernels may read four words at once.
        rounded = [-(-size // 4) * 4 for size in sizes.values()]
        begin = np.cumsum([0, *rounded]).tolist()
        return {name: (begin[i], size) for i, (name, size) in enumerate(sizes.items())}

    @cached_property
    def words(self) -> int:
        """The length of a batch."""
        begin, size = max(self.fields.values())
        return -(-(begin + size) // 4) * 4

    def programs(self, arity: int) -> int:
        """The largest number of programs that the atoms of an arity are shared out to."""
        return min(PROGRAMS, -(-self.atoms[arity] // ATOMS)) + self.relations[arity]

    def holds(self, nodes: int, pairs: int, atoms: Mapping[int, int]) -> bool:
        """Whether a batch of that size fits."""
        fits = all(count <= self.atoms[arity] for arity, count in atoms.items())
        return fits and nodes <= self.nodes and pairs <= self.pairs


@dataclass(frozen=True)
class FixedBatch:
    """Views of a batch's words."""

    layout: SlotLayout
    batch: Batch
    """What the readout takes; its last graph is no graph of the batch."""
    costs: Tensor
    pairs: BindingPairs | None
    pair_costs: Tensor
    weights: Tensor
    """The share of each binding in the mean error: 0 for those that are none of the batch."""

    @staticmethod
    def read(words: Tensor, form: Format) -> "FixedBatch":
        """The fields of a batch."""
        part = {name: words[begin : begin + size] for name, (begin, size) in form.fields.items()}
        layout = SlotLayout(
            starts=part["starts"],
            atoms={a: part[f"atoms{a}"].view(-1, a) for a in form.atoms},
            slots={a: part[f"slots{a}"].view(-1, a) for a in form.atoms},
            programs={a: part[f"programs{a}"].view(-1, 3) for a in form.atoms},
            count=sum(a * count for a, count in form.atoms.items()),
        )
        batch = Batch(form.graphs + 1, {}, {}, part["graph"], part["goal"], part["graph"][:0])
        pairs = BindingPairs(part["variables"], part["objects"], part["owners"]) if form.pairs else None
        costs, pair_costs, weights = (part[name].view(torch.float32) for name in ("costs", "pair_costs", "weights"))
        return FixedBatch(layout, batch, costs, pairs, pair_costs, weights)


class FixedBatches:
    """The batches of an epoch in that form, assembled on the device of the graphs shortly before they are needed.

    The first graphs have costs; the others are those of the parents, whose bindings a head learns to rate.
    """

    def __init__(self, graphs: Graphs, costs: Tensor, batch: int, parents: Parents | None = None) -> None:
        self.graphs = graphs
        self.costs = costs.to(torch.float32)
        self.batch = batch
        self.parents = parents
        self._format: Format | None = None
        self._order = torch.empty(0, dtype=torch.int64)
        self._hand = (0, torch.empty(0))

    @staticmethod
    def suits(graphs: Graphs) -> bool:
        """Whether fixed batches hold all relations of the graphs."""
        return all(arity in ARITIES for arity in graphs.vocabulary.by_arity)

    def __len__(self) -> int:
        return len(self._order)

    @property
    def format(self) -> Format:
        """What the batches of the epoch hold."""
        assert self._format is not None, "an epoch begins with shuffle"
        return self._format

    def shuffle(self, order: Tensor, drawn: Tensor | None = None) -> None:
        """Starts an epoch with the graphs in that order, those after the last full batch left out, and the parents
        that are drawn for each batch.
        """
        self._order = order[: len(order) // self.batch * self.batch].view(-1, self.batch)
        self._hand = (0, torch.empty(0))
        pairs = 0
        if self.parents is not None and drawn is not None:
            pairs = int(self.parents.count[drawn].sum(1).max())
            self._order = torch.cat([self._order, drawn + len(self.costs)], 1)
        nodes = int(self.graphs.nodes[self._order].sum(1).max())
        counts = torch.stack([self.graphs.counts[row].sum(0, dtype=torch.int64) for row in self._order]).cpu().numpy()
        by_arity = self.graphs.vocabulary.by_arity
        atoms = {arity: int(counts[:, list(numbers)].sum(1).max()) for arity, numbers in by_arity.items()}
        old = self._format
        if old is None or not old.holds(nodes, pairs, atoms):
            # Never smaller than before: the next epoch may be large in another way.
            self._format = Format(
                samples=self.batch,
                graphs=self._order.shape[1],
                nodes=max(int(nodes * _SLACK), old.nodes if old else 0),
                pairs=max(int(pairs * _SLACK), old.pairs if old else 0),
                atoms={a: max(int(n * _SLACK) + ATOMS, old.atoms[a] if old else 0) for a, n in atoms.items()},
                relations={arity: len(numbers) for arity, numbers in by_arity.items()},
            )

    def draw(self, place: int) -> Tensor:
        """The epoch's batch with that number."""
        size = max(1, _HAND // self.batch)
        first, hand = self._hand
        if not first <= place < first + len(hand):
            first = place // size * size
            hand = deal(self.graphs, self._order[first : first + size], self.costs, self.format, self.parents)
            self._hand = (first, hand)
        return hand[place - first]


def deal(graphs: Graphs, index: Tensor, costs: Tensor, form: Format, parents: Parents | None = None) -> Tensor:
    """A batch for every row of `index`, the graphs of a batch: samples, then parents."""
    device = index.device
    batches, flat = len(index), index.reshape(-1)
    rows = torch.zeros(batches, form.words, dtype=torch.int32, device=device)
    nodes = graphs.nodes[index].to(torch.int64)
    first = nodes.cumsum(1) - nodes
    counts = graphs.counts[flat].to(torch.int64).view(batches, form.graphs, -1)
    words = counts * torch.tensor(graphs.vocabulary.arities, device=device)
    start = graphs.arg_start[index, None] + words.cumsum(2) - words

    def write(field: str, lengths: Tensor, values: Tensor) -> Tensor:
        """Writes so many values to the field of each batch; where."""
        places = count_up(torch.arange(batches, device=device) * form.words + form.fields[field][0], lengths)
        rows.view(-1)[places] = values.to(torch.int32)
        return places

    keys, slots, total = [], [], torch.zeros(batches, dtype=torch.int64, device=device)
    for arity, numbers in graphs.vocabulary.by_arity.items():
        columns = torch.tensor(numbers, device=device)
        lengths = words[:, :, columns].transpose(1, 2).reshape(-1)
        places = count_up(start[:, :, columns].transpose(1, 2).reshape(-1), lengths)
        shift = first[:, None, :].expand(-1, len(numbers), -1).reshape(-1).repeat_interleave(lengths)
        args = graphs.args[places].to(torch.int64) + shift
        size = lengths.view(batches, -1).sum(1)
        written = write(f"atoms{arity}", size, args)
        slots.append(written - form.fields[f"atoms{arity}"][0] + form.fields[f"slots{arity}"][0])
        keys.append(args + (torch.arange(batches, device=device) * form.nodes).repeat_interleave(size))
        total += size
        begin, length = form.fields[f"programs{arity}"]
        sizes = counts[:, :, columns].sum(1).cpu().numpy()
        programs = np.zeros((batches, length), dtype=np.int32)
        for row, each in zip(programs, sizes, strict=True):
            shares = share_out(tuple(each.tolist())).reshape(-1)
            row[: len(shares)] = shares
        rows[:, begin : begin + length] = torch.from_numpy(programs).to(device)
    key = torch.cat(keys).to(torch.int32)
    place = torch.empty(len(key), dtype=torch.int32, device=device)
    place[key.argsort(stable=True)] = torch.arange(len(key), dtype=torch.int32, device=device)
    owner = torch.cat(slots) // form.words
    rows.view(-1)[torch.cat(slots)] = place - (total.cumsum(0) - total)[owner].to(torch.int32)
    degree = torch.bincount(key, minlength=batches * form.nodes).view(batches, -1)
    begin, length = form.fields["starts"]
    rows[:, begin + 1 : begin + length] = degree.cumsum(1)
    begin, length = form.fields["graph"]
    rows[:, begin : begin + length] = form.graphs
    write(
        "graph",
        nodes.sum(1),
        torch.arange(form.graphs, device=device).repeat(batches).repeat_interleave(nodes.view(-1)),
    )
    write("goal", nodes.sum(1), graphs.goal[count_up(graphs.node_start[flat], nodes.view(-1))])
    begin, length = form.fields["costs"]
    rows[:, begin : begin + length] = costs[index[:, : form.samples]].view(torch.int32)
    if parents is not None:
        drawn = index[:, form.samples :] - len(costs)
        owners = torch.arange(form.samples, form.graphs, device=device).repeat(batches)
        pairs, results = parents.list_pairs(drawn.reshape(-1), owners, first[:, form.samples :].reshape(-1))
        size = parents.count[drawn].sum(1)
        write("variables", size, pairs.variables)
        write("objects", size, pairs.objects)
        write("owners", size, pairs.graphs)
        write("pair_costs", size, costs[results].view(torch.int32))
        write("weights", size, size.to(torch.float32).reciprocal().repeat_interleave(size).view(torch.int32))
    return rows
