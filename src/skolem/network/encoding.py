"""(state, goal) -> relations over constants and unbound variables, for many goals of one state at once (numpy)."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from skolem.network.vocabulary import BINDING, CHOSEN, COMPANION, UNEQUAL, VARIABLE, Vocabulary
from skolem.task.constraints.candidates import find_candidates
from skolem.task.constraints.relations_index import RelationsIndex
from skolem.task.query import Query, Relations

Ints = npt.NDArray[np.integer[Any]]
Bools = npt.NDArray[np.bool_]


class StateEncoder:
    """Encodes goals over one state, whose own atoms are laid out once."""

    def __init__(
        self, vocabulary: Vocabulary, relations: Relations, statics: RelationsIndex, bindings: Literal["all", "static"]
    ) -> None:
        self.vocabulary = vocabulary
        self.statics = statics
        self.objects = objects = statics.objects
        self.bindings = bindings
        everything = np.arange(objects, dtype=np.int32)[:, None]
        rows = [relations.get(r.name, everything[:0]) for r in vocabulary.relations]
        # A nullary atom is attached to every constant.
        rows = [everything[: objects * len(array)] if not array.shape[1] else array for array in rows]
        rows.append(everything)
        self._rows = rows
        self._counts = np.array([len(array) for array in rows])
        self._args = np.concatenate([array.reshape(-1) for array in rows])

    @cached_property
    def twins(self) -> list[int]:
        """For every object the first one that has the same atoms but for itself: the two may change places."""
        atoms: list[set[tuple[int, ...]]] = [set() for _ in range(self.objects)]
        for number, rows in enumerate(self._rows):
            for row in rows.tolist():
                for obj in row:
                    atoms[obj].add((number, *(-1 if a == obj else a for a in row)))
        first: dict[frozenset[tuple[int, ...]], int] = {}
        return [first.setdefault(frozenset(own), obj) for obj, own in enumerate(atoms)]

    def encode(self, queries: Sequence[Query], chosen: Sequence[int] | None = None) -> "EncodedGraphs":
        """The graphs of goals that differ in their bindings only.

        `chosen` is the variable of each that was bound last, for vocabularies with marks; -1 for no mark.
        """
        first = queries[0]
        binding = np.array([q.binding for q in queries], dtype=np.int64).reshape(len(queries), first.variables)
        unbound = binding < 0
        places = np.where(unbound, self.objects + unbound.cumsum(1) - 1, binding)
        # A term's column: object a in column a, variable ~i counted from the end.
        terms = np.concatenate(
            [np.broadcast_to(np.arange(self.objects), (len(queries), self.objects)), places[:, ::-1]], axis=1
        )
        goal = self._goal_rows(first, terms)
        in_goal = np.zeros((len(queries), self.objects + first.variables + 1), dtype=np.bool_)
        for rows, kept in goal.values():
            np.put_along_axis(in_goal, np.where(kept[:, :, None], rows, -1).reshape(len(queries), -1), True, axis=1)
        free = unbound.sum(1)
        nodes = self.objects + free
        numbers = np.arange(in_goal.shape[1])
        in_goal = in_goal | (numbers >= self.objects)
        goal[self.vocabulary.numbers[VARIABLE]] = (
            np.broadcast_to(numbers[self.objects : -1], (len(queries), first.variables))[:, :, None],
            numbers[None, self.objects : -1] < nodes[:, None],
        )
        goal[self.vocabulary.numbers[BINDING]] = self._binding_rows(queries, places, unbound)
        if self.vocabulary.marks and chosen is not None:
            goal |= self._mark(first, terms, np.array(chosen))
        return self._lay_out(nodes, goal, in_goal[numbers < nodes[:, None]])

    def _goal_rows(self, query: Query, terms: Ints) -> dict[int, tuple[Ints, Bools]]:
        """For every relation of the goal its atoms (goal, atom, argument), and which of them are no repetition."""
        found: dict[str, list[tuple[int, ...]]] = {}
        for name, args in query.atoms:
            found.setdefault(name, []).extend([args] if args else [(a,) for a in range(self.objects)])
        first = len(self.vocabulary.relations) + 1
        arrays = {first + self.vocabulary.index[name]: np.array(rows) for name, rows in found.items()}
        if query.unequal:
            pairs = np.array(query.unequal)
            # Inequality is symmetric: it is written in both directions.
            arrays[self.vocabulary.numbers[UNEQUAL]] = np.concatenate([pairs, pairs[:, ::-1]])
        return {number: _drop_repeated(terms[:, rows]) for number, rows in sorted(arrays.items())}

    def _mark(self, query: Query, terms: Ints, chosen: Ints) -> dict[int, tuple[Ints, Bools]]:
        """The rows of the marks: what each chosen variable is bound to, and the other arguments of its atoms."""
        others = [
            sorted({a for _, args in query.atoms if ~v in args for a in args} - {~v}) for v in range(query.variables)
        ]
        others.append([])  # of no variable
        width = max(map(len, others))
        table = np.array([[*row, *[0] * (width - len(row))] for row in others], dtype=np.int64)
        kept = np.arange(width) < np.array([len(row) for row in others])[chosen][:, None]
        rows = np.take_along_axis(terms, table[chosen] % terms.shape[1], axis=1)
        for i in range(1, width):
            kept[:, i] &= ~((rows[:, :i] == rows[:, i : i + 1]) & kept[:, :i]).any(axis=1)
        own = np.take_along_axis(terms, ~chosen[:, None] % terms.shape[1], axis=1)
        return {
            self.vocabulary.numbers[CHOSEN]: (own[:, :, None], (chosen >= 0)[:, None]),
            self.vocabulary.numbers[COMPANION]: (rows[:, :, None], kept),
        }

    def _binding_rows(self, queries: Sequence[Query], places: Ints, unbound: Bools) -> tuple[Ints, Bools]:
        shape = (*unbound.shape, self.objects)
        kept = np.broadcast_to(unbound[:, :, None], shape)
        if self.bindings == "static":
            kept = kept & np.stack([find_candidates(q, self.statics, self.objects) for q in queries])
        pairs = np.stack(np.broadcast_arrays(np.arange(self.objects), places[:, :, None]), axis=-1)
        return pairs.reshape(len(queries), -1, 2), kept.reshape(len(queries), -1)

    def _lay_out(self, nodes: Ints, goal: dict[int, tuple[Ints, Bools]], in_goal: Bools) -> "EncodedGraphs":
        graphs = len(nodes)
        counts = np.zeros((graphs, len(self.vocabulary.names)), dtype=np.int32)
        counts[:, : len(self._counts)] = self._counts
        columns = [np.broadcast_to(self._args, (graphs, len(self._args)))]
        masks = [np.ones((graphs, len(self._args)), dtype=np.bool_)]
        for number, (rows, kept) in sorted(goal.items()):
            counts[:, number] = kept.sum(1)
            columns.append(rows.reshape(graphs, -1))
            masks.append(np.repeat(kept, rows.shape[2], axis=1))
        args = np.concatenate(columns, axis=1)[np.concatenate(masks, axis=1)]
        largest = int(nodes.max(initial=0))
        dtype = np.uint8 if largest <= 256 else np.int16 if largest <= 2**15 else np.int32
        if counts.max(initial=0) < 2**15:
            counts = counts.astype(np.int16)
        return nodes.astype(np.int32), counts, args.astype(dtype), in_goal


EncodedGraphs = tuple[Ints, Ints, Ints, Bools]
"""Some graphs as arrays.

nodes (P,), counts (P, R) of the atoms of each relation, args in the order (graph, relation, atom, argument), and goal:
for every node, is it a variable or named in the goal. The nodes of a graph are its constants, then its unbound
variables, numbered from 0.
"""


def join_encoded(parts: Sequence[EncodedGraphs]) -> EncodedGraphs:
    """All graphs in their order."""
    nodes, counts, args, goal = zip(*parts, strict=True)
    return np.concatenate(nodes), np.concatenate(counts), np.concatenate(args), np.concatenate(goal)


def _drop_repeated(rows: Ints) -> tuple[Ints, Bools]:
    """The rows of every goal in sorted order, and which of them are the first of their kind."""
    if rows.shape[1] == 1:
        return rows, np.ones(rows.shape[:2], dtype=np.bool_)
    base = int(rows.max(initial=0)) + 1
    codes = np.zeros(rows.shape[:2], dtype=np.int64)
    for column in range(rows.shape[2]):
        codes = codes * base + rows[:, :, column]
    order = codes.argsort(axis=1, kind="stable")
    codes = np.take_along_axis(codes, order, axis=1)
    kept = np.ones(codes.shape, dtype=np.bool_)
    kept[:, 1:] = codes[:, 1:] != codes[:, :-1]
    return np.take_along_axis(rows, order[:, :, None], axis=1), kept
