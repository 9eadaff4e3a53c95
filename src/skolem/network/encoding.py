"""(state, goal) -> relations over constants and unbound variables, for many goals of one state at once (numpy)."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from skolem.network.vocabulary import BINDING, CHOSEN, COMPANION, DIFFERENT, UNEQUAL, VARIABLE, VIOLATED, Vocabulary
from skolem.task.constraints.candidates import find_candidates
from skolem.task.constraints.relations_index import RelationsIndex
from skolem.task.query import Query, Relations
from skolem.task.relation import Relation

Ints = npt.NDArray[np.integer[Any]]
Bools = npt.NDArray[np.bool_]


class StateEncoder:
    """Encodes goals over one state, whose own atoms are laid out once.

    What is static and ground is decided, not shown: a true inequality between two objects is left out. Where the
    vocabulary says so, a false one marks its object as violated, and so with static literals: true ones are left out,
    false ones mark their objects. A static literal with one unbound variable is left out as well: the variable's
    candidates, by `PossibleBinding`, say the same. One that joins two unbound variables stays: as `p_G` if actions read
    p, and as `Join1_G`, with the facts as `Join1`, if p is an attribute. Denied static atoms only restrict candidates.
    """

    def __init__(
        self, vocabulary: Vocabulary, relations: Relations, statics: RelationsIndex, bindings: Literal["all", "static"]
    ) -> None:
        self.vocabulary = vocabulary
        self.statics = statics
        self.objects = objects = statics.objects
        self.bindings = bindings
        everything = np.arange(objects, dtype=np.int32)[:, None]
        rows = [_find_rows(r, statics if r.static else relations, everything[:0]) for r in vocabulary.relations]
        # A nullary atom is attached to every constant.
        rows = [everything[: objects * len(array)] if not array.shape[1] else array for array in rows]
        rows.append(everything)
        self._rows = rows
        self._counts = np.array([len(array) for array in rows])
        self._args = np.concatenate([array.reshape(-1) for array in rows])
        self._facts: dict[str, Ints] = {}

    @cached_property
    def twins(self) -> list[int]:
        """For every object the first one that has the same atoms but for itself: the two may change places."""
        atoms: list[set[tuple[int, ...]]] = [set() for _ in range(self.objects)]
        attributes = [rows for name, rows in self.statics.items() if name not in self.vocabulary.index]
        for number, rows in enumerate([*self._rows, *attributes]):
            for row in rows.tolist():
                for obj in row:
                    atoms[obj].add((number, *(-1 if a == obj else a for a in row)))
        first: dict[frozenset[tuple[int, ...]], int] = {}
        return [first.setdefault(frozenset(own), obj) for obj, own in enumerate(atoms)]

    def list_left_out(self, query: Query) -> tuple[str, ...]:
        """The attributes that join variables of a goal and that its graphs cannot show."""
        shown = self._assign_joins(query, 0)
        joining = [name for name, args in query.atoms if self._is_attribute(name) and _count_variables(args) > 1]
        return tuple(dict.fromkeys(name for name in joining if name not in shown))

    def encode(self, queries: Sequence[Query], chosen: Sequence[int] | None = None, turn: int = 0) -> "EncodedGraphs":
        """The graphs of goals that differ in their bindings only.

        `chosen` is the variable of each that was bound last, for vocabularies with marks; -1 for no mark. `turn` says
        by how many places the attributes that join variables are moved on among the relations for them.
        """
        first = queries[0]
        binding = np.array([q.binding for q in queries], dtype=np.int64).reshape(len(queries), first.variables)
        unbound = binding < 0
        places = np.where(unbound, self.objects + unbound.cumsum(1) - 1, binding)
        # A term's column: object a in column a, variable ~i counted from the end.
        terms = np.concatenate(
            [np.broadcast_to(np.arange(self.objects), (len(queries), self.objects)), places[:, ::-1]], axis=1
        )
        goal = self._goal_rows(first, terms, turn)
        in_goal = np.zeros((len(queries), self.objects + first.variables + 1), dtype=np.bool_)
        for rows, kept in goal.values():
            np.put_along_axis(in_goal, np.where(kept[:, :, None], rows, -1).reshape(len(queries), -1), True, axis=1)
        free = unbound.sum(1)
        nodes = self.objects + free
        numbers = np.arange(in_goal.shape[1])
        in_goal = in_goal | (numbers >= self.objects)
        goal |= self._join_facts(first, goal, turn)
        if self.vocabulary.inequalities == "facts" and first.unequal:
            pairs = np.argwhere(~np.eye(self.objects, dtype=np.bool_))
            goal[self.vocabulary.numbers[DIFFERENT]] = (
                np.broadcast_to(pairs, (len(queries), *pairs.shape)),
                np.ones((len(queries), len(pairs)), dtype=np.bool_),
            )
        goal[self.vocabulary.numbers[VARIABLE]] = (
            np.broadcast_to(numbers[self.objects : -1], (len(queries), first.variables))[:, :, None],
            numbers[None, self.objects : -1] < nodes[:, None],
        )
        goal[self.vocabulary.numbers[BINDING]] = self._binding_rows(queries, places, unbound)
        if self.vocabulary.marks and chosen is not None:
            goal |= self._mark(first, terms, np.array(chosen))
        return self._lay_out(nodes, goal, in_goal[numbers < nodes[:, None]])

    def _goal_rows(self, query: Query, terms: Ints, turn: int) -> "GoalRows":
        """For every relation of the goal its atoms (goal, atom, argument), and which of them count."""
        numbers, objects = self.vocabulary.numbers, self.objects
        # The arguments of the atoms of each relation; where it is not all of them, which goals have each atom.
        found: dict[int, list[tuple[Ints, Bools | None]]] = {}

        def add(name: str, args: Sequence[int], kept: Bools | None = None) -> None:
            rows = np.array([args] if args else [(a,) for a in range(objects)], dtype=np.int64)
            found.setdefault(numbers[name], []).append((rows, kept))

        def violate(args: Sequence[int], where: Bools) -> None:
            for a in args or range(objects):
                add(VIOLATED, (a,), where)

        joins = self._assign_joins(query, turn)
        for positive, literals in ((True, query.atoms), (False, query.denied)):
            for name, args in literals:
                if not self.vocabulary.decided or name not in self.statics:
                    add(f"{name}_{'G' if positive else 'N'}", args)
                    continue
                rows = terms[:, list(args)].reshape(len(terms), len(args))
                ground = (rows < objects).all(axis=1)
                if ground.any():
                    wrong = ground & (self._is_true(name, rows) != positive)
                    if wrong.any():
                        violate(args, wrong)
                shown = joins.get(name) if self._is_attribute(name) else f"{name}_G"
                if positive and shown and _count_variables(args) > 1 and not ground.all():
                    # The largest and the smallest number of an unbound variable are two if there are two.
                    largest = rows.max(axis=1)
                    smallest = np.where(rows < objects, largest[:, None], rows).min(axis=1)
                    add(shown, args, smallest != largest)
        for pair in query.unequal:
            sides = terms[:, list(pair)]
            asked, same = np.greater_equal(sides.max(axis=1), objects), np.equal(sides[:, 0], sides[:, 1])
            if self.vocabulary.inequalities != "false":
                kept = np.ones_like(asked)
            elif self.vocabulary.decided:
                kept = asked
                if (same & ~asked).any():
                    violate(pair[:1], same & ~asked)
            else:
                kept = asked | same
            if kept.any():
                # Inequality is symmetric: it is written in both directions.
                add(UNEQUAL, pair, kept)
                add(UNEQUAL, pair[::-1], kept)
        return {number: self._gather(parts, terms) for number, parts in sorted(found.items())}

    @staticmethod
    def _gather(parts: Sequence[tuple[Ints, Bools | None]], terms: Ints) -> tuple[Ints, Bools]:
        """The atoms of one relation with their terms filled in; of equal ones the first counts."""
        rows = terms[:, np.concatenate([rows for rows, _ in parts])]
        kept = None
        if any(each is not None for _, each in parts):
            everywhere = np.ones(len(terms), dtype=np.bool_)
            columns = [everywhere if each is None else each for args, each in parts for _ in args]
            kept = np.stack(columns, axis=1)
        return _drop_repeated(rows, kept)

    def _is_attribute(self, name: str) -> bool:
        return name in self.statics and self.vocabulary.decided and self.vocabulary.find_known(name) is None

    def _is_true(self, name: str, rows: Ints) -> Bools:
        """Which of the rows, of objects or whatever, are facts of a static relation."""
        facts = self._facts.get(name)
        if facts is None:
            facts = self._facts[name] = np.sort(_number_rows(self.statics[name], self.objects))
        if not len(facts):
            return np.zeros(len(rows), dtype=np.bool_)
        codes = _number_rows(rows, self.objects)
        return np.equal(facts[np.minimum(facts.searchsorted(codes), len(facts) - 1)], codes)

    def _assign_joins(self, query: Query, turn: int) -> dict[str, str]:
        """The relation for the goal atoms of every attribute of two arguments that joins variables of the goal."""
        count = self.vocabulary.joins
        joining = [
            name
            for name, args in query.atoms
            if len(args) == 2 and _count_variables(args) == 2 and self._is_attribute(name)
        ]
        names = list(dict.fromkeys(joining))[:count]
        return {name: f"Join{(i + turn) % count + 1}_G" for i, name in enumerate(names)}

    def _join_facts(self, query: Query, goal: "GoalRows", turn: int) -> "GoalRows":
        """The facts of the attributes that join variables, in the graphs of the goals where they still do."""
        numbers = self.vocabulary.numbers
        facts: GoalRows = {}
        for name, shown in self._assign_joins(query, turn).items():
            if numbers[shown] in goal:
                kept = np.atleast_1d(goal[numbers[shown]][1].any(axis=1))
                rows = self.statics[name]
                facts[numbers[shown.removesuffix("_G")]] = (
                    np.broadcast_to(rows, (len(kept), *rows.shape)),
                    np.broadcast_to(kept[:, None], (len(kept), len(rows))),
                )
        return facts

    def _mark(self, query: Query, terms: Ints, chosen: Ints) -> "GoalRows":
        """The rows of the marks: what each chosen variable is bound to, and the other arguments of its atoms."""
        literals = [args for name, args in (*query.atoms, *query.denied) if not self._is_attribute(name)]
        others = [sorted({a for args in literals if ~v in args for a in args} - {~v}) for v in range(query.variables)]
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

    def _lay_out(self, nodes: Ints, goal: "GoalRows", in_goal: Bools) -> "EncodedGraphs":
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


GoalRows = dict[int, tuple[Ints, Bools]]
"""For relations of a graph, atoms (goal, atom, argument), and which of them each goal has."""

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


def _find_rows(relation: Relation, relations: Relations, nothing: Ints) -> Ints:
    """The tuples of a relation; a type and a unary predicate of the same name count as one."""
    name = relation.name
    other = name.removeprefix("type:") if name.startswith("type:") else f"type:{name}"
    rows = relations.get(name)
    if rows is None and relation.static and relation.arity == 1:
        rows = relations.get(other)
    return nothing if rows is None else rows


def _count_variables(args: Sequence[int]) -> int:
    return len({a for a in args if a < 0})


def _number_rows(rows: Ints, base: int) -> Ints:
    """One number for every row of numbers below the base."""
    codes = np.zeros(len(rows), dtype=np.int64)
    for column in range(rows.shape[1]):
        codes = codes * base + rows[:, column]
    return codes


def _drop_repeated(rows: Ints, given: Bools | None) -> tuple[Ints, Bools]:
    """The rows of every goal in sorted order, and which of those given (None: all) are the first of their kind."""
    if rows.shape[1] == 1:
        return rows, np.ones(rows.shape[:2], dtype=np.bool_) if given is None else given
    base = int(rows.max(initial=0)) + 1
    codes = _number_rows(rows.reshape(-1, rows.shape[2]), base).reshape(rows.shape[:2])
    if given is not None:
        codes = np.where(given, codes, np.iinfo(np.int64).max)
    order = codes.argsort(axis=1, kind="stable")
    codes = np.take_along_axis(codes, order, axis=1)
    kept = np.ones(codes.shape, dtype=np.bool_)
    kept[:, 1:] = codes[:, 1:] != codes[:, :-1]
    if given is not None:
        kept &= np.take_along_axis(given, order, axis=1)
    return np.take_along_axis(rows, order[:, :, None], axis=1), kept
