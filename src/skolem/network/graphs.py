"""Many encoded goals in little memory, and a batch of them as the index tensors that a network reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

from skolem.network.encoding import EncodedGraphs, join_encoded
from skolem.network.vocabulary import Vocabulary

Tensor = torch.Tensor


@dataclass(frozen=True)
class Graphs:
    """P graphs as flat arrays; all on one device.

    The nodes of a graph are its constants, then its unbound variables, numbered from 0. `args` holds the
    arguments of all atoms in the order (graph, relation of the vocabulary, atom, argument).
    """

    vocabulary: Vocabulary
    nodes: Tensor  # (P,) int32
    counts: Tensor  # (P, R) int16 or int32: atoms of each relation
    args: Tensor  # uint8, int16 or int32
    goal: Tensor  # bool for every node: is it a variable, or named in the goal
    arg_start: Tensor  # (P,) int64: where a graph's arguments begin
    node_start: Tensor  # (P,) int64: where a graph's nodes begin in `goal`

    def __len__(self) -> int:
        return len(self.nodes)

    @staticmethod
    def pack(vocabulary: Vocabulary, nodes: Tensor, counts: Tensor, args: Tensor, goal: Tensor) -> "Graphs":
        """The graphs with their offsets."""
        arity = torch.tensor(vocabulary.arities, device=counts.device)
        words = (counts.to(torch.int64) * arity).sum(1)
        return Graphs(vocabulary, nodes, counts, args, goal, words.cumsum(0) - words, nodes.cumsum(0) - nodes)

    @staticmethod
    def of(vocabulary: Vocabulary, parts: Sequence[EncodedGraphs]) -> "Graphs":
        """All encoded graphs in their order."""
        return Graphs.pack(vocabulary, *(torch.from_numpy(array) for array in join_encoded(parts)))

    @property
    def encoded(self) -> EncodedGraphs:
        """The same graphs as the arrays that an engine reads; they are on the CPU."""
        return self.nodes.numpy(), self.counts.numpy(), self.args.numpy(), self.goal.numpy()

    def to(self, device: torch.device | str) -> "Graphs":
        """The same graphs on another device."""
        moved = (t.to(device) for t in (self.nodes, self.counts, self.args, self.goal, self.arg_start, self.node_start))
        return Graphs(self.vocabulary, *moved)


def join(graphs: Sequence[Graphs]) -> Graphs:
    """All the graphs in their order."""
    first = graphs[0]
    widest = max((g.args.dtype for g in graphs), key=lambda dtype: dtype.itemsize)
    return Graphs.pack(
        first.vocabulary,
        torch.cat([g.nodes for g in graphs]),
        torch.cat([g.counts for g in graphs]),
        torch.cat([g.args.to(widest) for g in graphs]),
        torch.cat([g.goal for g in graphs]),
    )


@dataclass(frozen=True)
class Batch:
    """Graphs joined into one: what `RGNN.forward` and the fused kernels read.

    `atoms[a]` holds the node numbers of all atoms with a arguments, (M_a, a) int64, sorted by relation and graph:
    first those of relation `vocabulary.by_arity[a][0]`, then `[1]`, and so on; `sizes[a]` says how many each
    has. The nodes of a graph are consecutive and in the graphs' order; every node is in at least one atom
    (`Constant` or `Variable`). Every argument of every atom is a slot: one message to one node.
    """

    graphs: int
    atoms: Mapping[int, Tensor]
    sizes: Mapping[int, tuple[int, ...]]
    graph: Tensor  # (N,) int64: the graph of every node
    goal: Tensor  # (N,) bool: does the node take part in the goal readout
    start: Tensor  # (graphs,) int64: the first node of every graph

    @property
    def nodes(self) -> int:
        """The number of nodes of all graphs."""
        return len(self.graph)

    @cached_property
    def targets(self) -> Tensor:
        """(S,) int64: the node of every slot, in the order of `atoms`."""
        return torch.cat([rows.reshape(-1) for rows in self.atoms.values()])

    @cached_property
    def order(self) -> Tensor:
        """(S,) int64: the slots sorted by node."""
        return self.targets.argsort(stable=True)

    @cached_property
    def place(self) -> Tensor:
        """(S,) int64: where each slot stands in `order`."""
        place = torch.empty_like(self.order)
        place[self.order] = torch.arange(len(place), device=place.device)
        return place

    @cached_property
    def bounds(self) -> Tensor:
        """(N + 1,) int64: where the slots of each node begin and end in `order`."""
        counts = torch.bincount(self.targets, minlength=self.nodes)
        return torch.cat([counts.new_zeros(1), counts.cumsum(0)])

    def to(self, device: torch.device | str) -> "Batch":
        """The same batch on another device."""
        atoms = {arity: rows.to(device) for arity, rows in self.atoms.items()}
        return Batch(self.graphs, atoms, self.sizes, self.graph.to(device), self.goal.to(device), self.start.to(device))


def collate(graphs: Graphs, index: Tensor) -> Batch:
    """The graphs numbered `index` as a batch, assembled on their device."""
    device = graphs.nodes.device
    nodes = graphs.nodes[index].to(torch.int64)
    counts = graphs.counts[index].to(torch.int64)
    words = counts * torch.tensor(graphs.vocabulary.arities, device=device)
    start = graphs.arg_start[index, None] + words.cumsum(1) - words
    first = nodes.cumsum(0) - nodes
    atoms, sizes = {}, {}
    for arity, numbers in graphs.vocabulary.by_arity.items():
        columns = torch.tensor(numbers, device=device)
        lengths = words[:, columns].T.reshape(-1)
        places = count_up(start[:, columns].T.reshape(-1), lengths)
        shift = first.repeat(len(numbers)).repeat_interleave(lengths)
        atoms[arity] = (graphs.args[places].to(torch.int64) + shift).view(-1, arity)
        sizes[arity] = tuple(counts[:, columns].sum(0).tolist())
    return Batch(
        graphs=len(index),
        atoms=atoms,
        sizes=sizes,
        graph=torch.arange(len(index), device=device).repeat_interleave(nodes),
        goal=graphs.goal[count_up(graphs.node_start[index], nodes)],
        start=first,
    )


def count_up(starts: Tensor, lengths: Tensor) -> Tensor:
    """start, start + 1, ... for every start, `length` numbers each."""
    shift = starts - (lengths.cumsum(0) - lengths)
    steps = shift.repeat_interleave(lengths)
    return steps + torch.arange(len(steps), device=steps.device)
