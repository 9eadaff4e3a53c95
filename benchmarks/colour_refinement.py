"""Colour refinement (one-dimensional Weisfeiler-Leman) over encoded goals: what no network of this kind can tell apart.

A node's next colour is its own and the multiset of its atoms, each with its relation, the node's place in it and the
colours of all arguments. A layer of the network reads nothing else, so that nodes with equal colours have equal
embeddings whatever the weights are.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from skolem.network.encoding import EncodedGraphs
from skolem.network.vocabulary import Vocabulary


@dataclass(frozen=True)
class Graph:
    """One encoded goal: its atoms, and which nodes the readout of the goal takes."""

    goal: tuple[bool, ...]
    atoms: tuple[tuple[str, tuple[int, ...]], ...]


def list_graphs(vocabulary: Vocabulary, encoded: EncodedGraphs) -> list[Graph]:
    """Encoded goals, one by one and with names."""
    nodes, counts, args, goal = encoded
    graphs, at, node = [], 0, 0
    for size, row in zip(nodes.tolist(), counts.tolist(), strict=True):
        atoms = []
        for name, arity, count in zip(vocabulary.names, vocabulary.arities, row, strict=True):
            rows = args[at : at + arity * count].reshape(count, arity).tolist()
            atoms += [(name, tuple(each)) for each in rows]
            at += arity * count
        graphs.append(Graph(tuple(goal[node : node + size].tolist()), tuple(atoms)))
        node += size
    return graphs


def encode_graphs(vocabulary: Vocabulary, graphs: Sequence[Graph]) -> EncodedGraphs:
    """The same the other way round."""
    counts = np.zeros((len(graphs), len(vocabulary.names)), dtype=np.int16)
    args: list[int] = []
    for number, graph in enumerate(graphs):
        for place, name in enumerate(vocabulary.names):
            rows = [row for relation, row in graph.atoms if relation == name]
            counts[number, place] = len(rows)
            args += [node for row in rows for node in row]
    nodes = np.array([len(graph.goal) for graph in graphs], dtype=np.int32)
    goal = np.array([flag for graph in graphs for flag in graph.goal], dtype=np.bool_)
    return nodes, counts, np.array(args, dtype=np.int16), goal


def refine(graphs: Sequence[Graph]) -> list[Mapping[int, int]]:
    """For every graph how many nodes have each colour, in colours that all of them share."""
    number: dict[Hashable, int] = {}
    colours = [[number.setdefault(flag, len(number)) for flag in graph.goal] for graph in graphs]
    while True:
        before, number = len(number), {}
        colours = [
            [number.setdefault(each, len(number)) for each in _look_around(graph, own)]
            for graph, own in zip(graphs, colours, strict=True)
        ]
        if len(number) == before:
            return [Counter(own) for own in colours]


def classify(graphs: Sequence[Graph]) -> list[int]:
    """The number of every graph's class; graphs of one class cannot be told apart."""
    classes: dict[frozenset[tuple[int, int]], int] = {}
    return [classes.setdefault(frozenset(found.items()), len(classes)) for found in refine(graphs)]


def _look_around(graph: Graph, colours: Sequence[int]) -> list[Hashable]:
    """What each node sees: its colour, and that of all arguments of its atoms."""
    seen: list[list[tuple[str, int, tuple[int, ...]]]] = [[] for _ in colours]
    for name, args in graph.atoms:
        row = tuple(colours[a] for a in args)
        for place, node in enumerate(args):
            seen[node].append((name, place, row))
    return [(own, tuple(sorted(around))) for own, around in zip(colours, seen, strict=True)]
