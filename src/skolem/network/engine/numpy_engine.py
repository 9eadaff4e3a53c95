"""The engine in NumPy, for where no compiler was there."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from skolem.network.beginning import begin_embeddings
from skolem.network.config import NetworkConfig
from skolem.network.encoding import Bools, EncodedGraphs, Ints, join_encoded
from skolem.network.engine.protocol import Choices, check_choices, check_part, list_numbers
from skolem.network.model_folder import Floats, Weights
from skolem.network.vocabulary import Vocabulary

SLOTS = 9_000
"""Messages per batch: few enough that those of a layer stay in the processor's cache."""
LEAST = np.float32(-60.0)
"""Where exponents are cut off: e^-60 is nothing beside the 1 of the largest message, but still a normal number, and
processors are many times slower on numbers that are not."""
FINEST = np.float32(96)
"""Adding and subtracting 0.75 * 2^n rounds numbers up to 1 so far that fewer than 2^n add up without any error."""

Layers = tuple[Floats, Floats, Floats, Floats]
"""The weights of one network: inner weight and bias, outer weight and bias."""


class NumpyEngine:
    """A network whose weights are NumPy arrays."""

    def __init__(self, config: NetworkConfig, vocabulary: Vocabulary, weights: Weights) -> None:
        self.config = config
        self.vocabulary = vocabulary
        place = {r: (a, i) for a, numbers in vocabulary.by_arity.items() for i, r in enumerate(numbers)}
        # Messages come multiplied by the smoothness, so that the maximum takes a pass less over all of them.
        smoothness = np.float32(config.smoothness)
        self._relations: list[Layers] = []
        for relation in range(len(vocabulary.arities)):
            arity, index = place[relation]
            inner, bias, outer, outer_bias = _select(weights, f"relation.{arity}", index)
            self._relations.append((inner, bias, outer * smoothness, outer_bias * smoothness))
        inner, bias, outer, outer_bias = _select(weights, "update", 0)
        scale = np.repeat(np.array([1, 1 / config.smoothness], dtype=np.float32), config.width)
        self._update: Layers = (inner * scale[:, None], bias, outer, outer_bias)
        self._readout = _select(weights, "readout", 0)
        self._head = _select(weights, "head", 0) if config.head else None

    @property
    def description(self) -> str:
        """What computes, in a few words."""
        return "NumPy"

    def predict(self, parts: Sequence[EncodedGraphs]) -> list[float]:
        """The predicted cost of every graph."""
        if not parts:
            return []
        costs = [_apply(self._readout, self._summarise(f, batch))[:, 0] for batch, f in self._embed(parts)]
        return [cost for piece in costs for cost in list_numbers(piece)]

    def rate(self, parts: Sequence[EncodedGraphs], choices: Choices) -> list[float]:
        """The head's cost of every choice."""
        if self._head is None:
            raise ValueError("the network has no head")
        if not parts:
            return []
        check_choices(join_encoded(parts)[0], choices)
        ratings, graph = list[float](), 0
        for batch, f in self._embed(parts):
            first, last = np.searchsorted(choices.graphs, [graph, graph + len(batch.start)])
            graphs = choices.graphs[first:last] - graph
            shift = batch.start[graphs]
            nodes = (choices.variables[first:last] + shift, choices.objects[first:last] + shift)
            rows = [f[nodes[0]], f[nodes[1]], self._summarise(f, batch)[graphs]]
            ratings += list_numbers(_apply(self._head, np.concatenate(rows, axis=1))[:, 0])
            graph += len(batch.start)
        return ratings

    def _embed(self, parts: Sequence[EncodedGraphs]) -> "list[tuple[_Batch, Floats]]":
        """The batches of all graphs, each with the final embeddings of its nodes."""
        part = join_encoded(parts)
        check_part(self.vocabulary, part)
        batches = _split(self.vocabulary, part)
        begin = begin_embeddings(self.config, len(part[3]))
        places = pairwise(np.cumsum([0, *(len(batch.goal) for batch in batches)]).tolist())
        return [(batch, self._embed_batch(batch, begin[a:b])) for batch, (a, b) in zip(batches, places, strict=True)]

    def _embed_batch(self, batch: "_Batch", f: Floats) -> Floats:
        k = self.config.width
        hidden = np.empty((len(batch.targets), k), dtype=np.float32)
        messages = np.empty_like(hidden)
        stages = _prepare_stages(self._relations, batch, hidden, messages)
        inner, bias, outer, outer_bias = self._update
        with np.errstate(all="ignore"):
            for _ in range(self.config.layers):
                for stage in stages:
                    stage.fill_hidden(f)
                _activate(hidden, messages)
                for stage in stages:
                    np.matmul(stage.hidden, stage.layers[2], out=stage.messages)
                    np.add(stage.messages, stage.layers[3], out=stage.messages)
                rows = f @ inner[:k]
                rows += batch.maximise(messages, hidden) @ inner[k:]
                rows += bias
                _activate(rows, np.empty_like(rows))
                change = rows @ outer
                change += outer_bias
                f = f + change if self.config.residual else change
        return f

    def _summarise(self, f: Floats, batch: "_Batch") -> Floats:
        """The sum of the embeddings that the readout takes, for every graph."""
        taken = f * batch.goal[:, None] if self.config.readout == "goal" else f
        return np.stack([rows.sum(axis=0) for rows in np.split(taken, batch.start[1:])])


def _select(weights: Weights, name: str, index: int) -> Layers:
    inner, bias, outer, outer_bias = (
        weights[f"{name}.{part}"][index] for part in ("inner_weight", "inner_bias", "outer_weight", "outer_bias")
    )
    return inner, bias, outer, outer_bias


def _apply(layers: Layers, rows: Floats) -> Floats:
    """The outputs of a network for every row."""
    inner, bias, outer, outer_bias = layers
    hidden = rows @ inner + bias
    with np.errstate(all="ignore"):
        _activate(hidden, np.empty_like(hidden))
    return hidden @ outer + outer_bias


def _activate(x: Floats, space: Floats) -> None:
    """Replaces x by mish(x): x / (1 + 2 / w), where w = e^x (e^x + 2).

    A w that is too large for a number leaves x as it is, and one that is too small makes it 0, as it should be.
    """
    np.maximum(x, LEAST, out=space)
    np.exp(space, out=space)
    w = space + np.float32(2)
    w *= space
    np.divide(np.float32(2), w, out=w)
    w += np.float32(1)
    x /= w


@dataclass(frozen=True)
class _Batch:
    """Graphs joined into one."""

    atoms: list[Ints]  # of every relation (M, arity): nodes
    nodes: Ints  # of every graph
    start: Ints  # the first node of every graph
    goal: Bools  # for every node

    @cached_property
    def targets(self) -> Ints:
        """(S,) the node of every slot."""
        return np.concatenate([rows.reshape(-1) for rows in self.atoms])

    @cached_property
    def _blocks(self) -> "tuple[Ints, list[tuple[slice, slice, int, np.float32]], Ints]":
        """Slots sorted by their node's number of slots, then by node; the blocks of equal number; the nodes' order."""
        degrees = np.bincount(self.targets, minlength=len(self.goal))
        by_degree = np.argsort(degrees, kind="stable")
        place = np.empty_like(by_degree)
        place[by_degree] = np.arange(len(place))
        order = np.argsort(place[self.targets], kind="stable")
        blocks, slot, node = [], 0, 0
        for degree, nodes in zip(*np.unique(degrees, return_counts=True), strict=True):
            grid = max(FINEST, np.float32(0.75 * 2 ** int(degree).bit_length()))
            slots = slice(slot, slot + int(degree * nodes))
            blocks.append((slots, slice(node, node + int(nodes)), int(degree), grid))
            slot, node = slots.stop, node + int(nodes)
        return order, blocks, place

    def maximise(self, messages: Floats, space: Floats) -> Floats:
        """The smooth maximum, of smoothness 1, of the messages to every node.

        Nodes that are symmetric keep the same embedding, because sums do not depend on the order of the slots.
        """
        order, blocks, place = self._blocks
        np.take(messages, order, axis=0, out=space, mode="clip")
        result = np.empty((len(place), messages.shape[1]), dtype=np.float32)
        total = np.empty_like(result)
        for slots, nodes, degree, _ in blocks:
            rows = space[slots].reshape(-1, degree, space.shape[1])
            np.max(rows, axis=1, out=result[nodes])
            rows -= result[nodes, None]
        np.maximum(space, LEAST, out=space)
        np.exp(space, out=space)
        np.add(space, FINEST, out=space)
        np.subtract(space, FINEST, out=space)
        for slots, nodes, degree, grid in blocks:
            rows = space[slots].reshape(-1, degree, space.shape[1])
            if grid > FINEST:
                rows += grid
                rows -= grid
            np.sum(rows, axis=1, out=total[nodes])
        result += np.log(total)
        return result[place]


@dataclass(frozen=True)
class _Stage:
    """One relation's atoms in a batch, and space for what its network computes of them."""

    layers: Layers
    rows: Ints  # (arity, M) nodes, or their places among the distinct ones
    hidden: Floats  # (M, arity * k)
    messages: Floats  # (M, arity * k)
    distinct: list[Ints]  # of every argument the nodes that are projected; none if atoms are fewer
    weights: list[Floats]  # for every argument the part of the inner weight that reads it

    def fill_hidden(self, f: Floats) -> None:
        """Computes the hidden layer of every atom up to its activation."""
        if not self.distinct:
            np.matmul(f[self.rows.T].reshape(self.hidden.shape), self.layers[0], out=self.hidden)
            np.add(self.hidden, self.layers[1], out=self.hidden)
            return
        for argument, (nodes, weight) in enumerate(zip(self.distinct, self.weights, strict=True)):
            projected = f[nodes] @ weight
            if argument == 0:
                projected += self.layers[1]
                np.take(projected, self.rows[0], axis=0, out=self.hidden, mode="clip")
            else:
                np.add(self.hidden, projected[self.rows[argument]], out=self.hidden)


def _prepare_stages(relations: Sequence[Layers], batch: _Batch, hidden: Floats, messages: Floats) -> list[_Stage]:
    stages, start = [], 0
    for atoms, layers in zip(batch.atoms, relations, strict=True):
        count, arity = atoms.shape
        if not count:
            continue
        slots = slice(start, start + atoms.size)
        start += atoms.size
        found = [np.unique(column, return_inverse=True) for column in atoms.T] if arity > 1 else []
        # Projecting every node by itself is less work than reading all arguments of many atoms.
        pays = arity > 1 and sum(len(nodes) for nodes, _ in found) < 0.8 * arity * count
        stages.append(
            _Stage(
                layers=layers,
                rows=np.stack([inverse for _, inverse in found]) if pays else np.ascontiguousarray(atoms.T),
                hidden=hidden[slots].reshape(count, -1),
                messages=messages[slots].reshape(count, -1),
                distinct=[nodes for nodes, _ in found] if pays else [],
                weights=np.split(layers[0], arity) if pays else [],
            )
        )
    return stages


def _split(vocabulary: Vocabulary, part: EncodedGraphs) -> list[_Batch]:
    """Graphs as batches of about SLOTS slots."""
    nodes, counts, args, goal = part
    words = counts.astype(np.int64) * np.array(vocabulary.arities)
    ends, node_ends = words.sum(1).cumsum(), np.cumsum(nodes, dtype=np.int64)
    starts = (ends - words.sum(1))[:, None] + words.cumsum(1) - words
    cuts = [0, *(np.flatnonzero(np.diff((ends - 1) // SLOTS)) + 1).tolist(), len(nodes)] if len(nodes) else []
    batches = []
    for first, last in pairwise(cuts):
        own = nodes[first:last].astype(np.int64)
        start = own.cumsum() - own
        atoms = []
        for relation, arity in enumerate(vocabulary.arities):
            lengths = words[first:last, relation]
            shift = starts[first:last, relation] - (lengths.cumsum() - lengths)
            places = np.repeat(shift, lengths) + np.arange(lengths.sum())
            atoms.append((args[places].astype(np.int64) + np.repeat(start, lengths)).reshape(-1, arity))
        flags = goal[node_ends[first] - own[0] : node_ends[last - 1]]
        batches.append(_Batch(atoms, own, start, flags))
    return batches
