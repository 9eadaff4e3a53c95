"""A part of a dataset as graphs with their costs, ready for training."""

import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from typing import Literal

import numpy as np
import torch

from skolem.network.encoding import EncodedGraphs, StateEncoder
from skolem.network.graphs import Graphs, count_up, join
from skolem.network.rgnn import BindingPairs
from skolem.network.vocabulary import Vocabulary
from skolem.oracle.dataset import ShardReader
from skolem.support.parallel import begin_work
from skolem.task.constraints.relations_index import RelationsIndex, index_relations

Tensor = torch.Tensor
Bindings = Literal["all", "static"]

_CHUNK = 2_000
"""Nodes that one worker encodes at a time."""
_UNMARKED = 8
"""One node in so many has its bindings encoded without marks."""


@dataclass(frozen=True)
class Parents:
    """The nodes whose bindings are labelled, for the head that rates bindings before they are made."""

    start: Tensor  # (G,) int64: where the bindings of each node begin below
    count: Tensor  # (G,) int64
    samples: Tensor  # (Q,) int64: the sample of the bound goal
    variables: Tensor  # (Q,) int64: the variable's place among the graph's nodes
    objects: Tensor  # (Q,) int64

    def __len__(self) -> int:
        return len(self.start)

    def draw(self, count: int, seed: int) -> Tensor:
        """So many of them at random, some perhaps twice; on the CPU."""
        return torch.randint(len(self), (count,), generator=torch.Generator().manual_seed(seed))

    def list_pairs(self, drawn: Tensor, graphs: Tensor, start: Tensor) -> tuple[BindingPairs, Tensor]:
        """The bindings of some of them, given the graph of each and its first node, and the samples of the results."""
        lengths = self.count[drawn]
        rows = count_up(self.start[drawn], lengths)
        first = start.repeat_interleave(lengths)
        pairs = BindingPairs(
            first + self.variables[rows], first + self.objects[rows], graphs.repeat_interleave(lengths)
        )
        return pairs, self.samples[rows]


@dataclass(frozen=True)
class Samples:
    """The labelled pairs of a part, sorted by node, so that siblings stand together."""

    graphs: Graphs
    """Of the pairs, then of the parents if there are any."""
    costs: Tensor  # (P,) float32; 0 where not reachable
    reachable: Tensor  # (P,) bool
    bounded: Tensor  # (P,) bool: the cost is only known to be at least that
    groups: Tensor  # (P,) int64: the node whose bindings are compared, -1 for a node itself
    parents: Parents | None = None

    def __len__(self) -> int:
        return len(self.costs)

    def aim(self, unreachable: float) -> Tensor:
        """What a network should predict: the costs, a constant for unreachable goals, and -b for "at least b"."""
        return torch.where(self.bounded, -self.costs, torch.where(self.reachable, self.costs, unreachable))

    def to(self, device: torch.device | str) -> "Samples":
        """The same samples on another device."""
        parents = self.parents and Parents(*(getattr(self.parents, f.name).to(device) for f in fields(Parents)))
        costs, reachable, bounded, groups = (
            t.to(device) for t in (self.costs, self.reachable, self.bounded, self.groups)
        )
        return Samples(self.graphs.to(device), costs, reachable, bounded, groups, parents)


def measure_errors(predicted: Tensor, aims: Tensor) -> Tensor:
    """How far predictions are from their aims; what should be "at least b" is wrong only below that."""
    return torch.where(aims < 0, (-aims - predicted).relu(), predicted - aims)


class NodeEncoder:
    """Encodes nodes of a shard one after another; what neighbouring nodes share is prepared once."""

    def __init__(self, reader: ShardReader, vocabulary: Vocabulary, bindings: Bindings) -> None:
        self.reader = reader
        self._vocabulary = vocabulary
        self._bindings: Bindings = bindings
        self._task, self._state = -1, -1
        self._statics: RelationsIndex
        self._encoder: StateEncoder

    def prepare_state(self, node: int) -> StateEncoder:
        """The encoder of a node's state."""
        shard = self.reader.shard
        state = int(shard.node_state[node])
        if state != self._state:
            task = int(shard.state_task[state])
            if task != self._task:
                self._task = task
                self._statics = index_relations(self.reader.statics(task), int(shard.objects[task]))
            self._state = state
            relations = {**self._statics, **self.reader.fluents(state)}
            self._encoder = StateEncoder(self._vocabulary, relations, self._statics, self._bindings)
        return self._encoder

    def encode(self, node: int, choices: Sequence[tuple[int, int]]) -> EncodedGraphs:
        """The graphs of a node with one more variable bound (variable -1: of the node itself)."""
        query = self.reader.node(node)
        queries = [query if variable < 0 else query.bind(variable, obj) for variable, obj in choices]
        # Some groups have no marks, so that goals are known without them too.
        chosen = [variable if node % _UNMARKED else -1 for variable, _ in choices]
        # No relation for attributes that join variables is used more than another.
        return self.prepare_state(node).encode(queries, chosen, turn=node)


def encode_pairs(reader: ShardReader, vocabulary: Vocabulary, bindings: Bindings, jobs: int = 1) -> Samples:
    """The labelled pairs of a shard as samples."""
    shard = reader.shard
    order = np.argsort(shard.pair_node, kind="stable")
    owners = shard.pair_node[order].astype(np.int64)
    nodes, first = np.unique(owners, return_index=True)
    choices = np.stack([shard.pair_variable[order], shard.pair_object[order]], axis=1).tolist()
    ends = np.append(first[1:], len(order))
    work = [(int(n), choices[a:b]) for n, a, b in zip(nodes, first, ends, strict=True)]
    parts = _encode_work(NodeEncoder(reader, vocabulary, bindings), work, jobs)
    itself = shard.pair_variable[order].astype(np.int64) < 0
    return Samples(
        graphs=Graphs.of(vocabulary, parts),
        costs=torch.from_numpy(np.where(shard.pair_reachable[order], shard.pair_cost[order], 0).astype(np.float32)),
        reachable=torch.from_numpy(shard.pair_reachable[order]),
        bounded=torch.from_numpy(shard.pair_bound[order]),
        groups=torch.from_numpy(np.where(itself, -1, owners)),
    )


def add_parents(
    samples: Samples, reader: ShardReader, vocabulary: Vocabulary, bindings: Bindings, jobs: int = 1
) -> Samples:
    """The samples with the graphs of the nodes whose bindings they are.

    Nodes with more unbound variables than any labelled goal are left out: the network is not to see such goals.
    """
    shard = reader.shard
    order = np.argsort(shard.pair_node, kind="stable")
    unbound = shard.goal_variables[shard.node_goal].astype(np.int64) - (shard.node_binding.astype(np.int64) >= 0).sum(1)
    binds = shard.pair_variable[order].astype(np.int64) >= 0
    before = unbound[shard.pair_node[order]]
    kept = binds & ~shard.pair_bound[order] & (before <= (before - binds).max(initial=0))
    order = order[kept]
    variable, owner = shard.pair_variable[order].astype(np.int64), shard.pair_node[order]
    nodes, start, count = np.unique(owner, return_index=True, return_counts=True)
    free = (shard.node_binding[owner].astype(np.int64) < 0).cumsum(1)[np.arange(len(order)), variable]
    constants = shard.objects[shard.goal_task[shard.node_goal[owner]]].astype(np.int64)
    parents = Parents(
        start=torch.from_numpy(start),
        count=torch.from_numpy(count),
        samples=torch.from_numpy(np.flatnonzero(kept)),
        variables=torch.from_numpy(constants + free - 1),
        objects=torch.from_numpy(shard.pair_object[order].astype(np.int64)),
    )
    work = [(int(node), [(-1, -1)]) for node in nodes]
    graphs = Graphs.of(vocabulary, _encode_work(NodeEncoder(reader, vocabulary, bindings), work, jobs))
    return replace(samples, graphs=join([samples.graphs, graphs]), parents=parents)


Work = Sequence[tuple[int, list[tuple[int, int]]]]
"""Nodes, each with the bindings whose graphs are wanted."""


def _encode_work(encoder: NodeEncoder, work: Work, jobs: int) -> list[EncodedGraphs]:
    chunks = [work[i : i + _CHUNK] for i in range(0, len(work), _CHUNK)]
    if jobs == 1 or len(chunks) <= 1:
        _start(encoder)
        return [_encode_chunk(chunk) for chunk in chunks]
    # Spawned: a fork of a process whose tensors have started threads may wait for them forever.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, initializer=_start_worker, initargs=(os.getpid(), encoder))
    try:
        return list(pool.map(_encode_chunk, chunks))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


_encoder: NodeEncoder


def _start_worker(parent: int, encoder: NodeEncoder) -> None:
    begin_work(parent)
    _start(encoder)


def _start(encoder: NodeEncoder) -> None:
    global _encoder
    _encoder = encoder


def _encode_chunk(work: Work) -> EncodedGraphs:
    parts = [_encoder.encode(node, choices) for node, choices in work]
    nodes, counts, args, goal = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return nodes, counts, args, goal


def arrange(samples: Samples, seed: int, epoch: int, sampling: Literal["shuffled", "by-cost"] = "shuffled") -> Tensor:
    """The samples of an epoch in their order: all shuffled, or as many draws with every value of the cost as likely."""
    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
    if sampling == "shuffled":
        return torch.randperm(len(samples), generator=generator)
    # Being unreachable is one more value.
    values, inverse = samples.aim(torch.inf).cpu().unique(return_inverse=True)  # type: ignore[no-untyped-call]
    counts = inverse.bincount()
    drawn = torch.randint(len(values), (len(samples),), generator=generator)
    places = (torch.rand(len(samples), generator=generator, dtype=torch.float64) * counts[drawn]).to(torch.int64)
    order: Tensor = inverse.argsort(stable=True)[(counts.cumsum(0) - counts)[drawn] + places]
    return order
