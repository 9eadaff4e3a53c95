"""Complete bindings of a goal, and what each of them costs from one state."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from skolem.oracle.goals import Bits, encode_rows, pack_bits
from skolem.oracle.space import Costs, Space
from skolem.support.errors import ExitCode, LimitError
from skolem.task.query import Query, Relations

Bindings = npt.NDArray[np.int32]
"""(bindings, variables): complete bindings, one row each."""

_BLOCK = 1 << 20


def list_valid(statics: Relations, objects: int, query: Query, limit: int) -> Bindings:
    """All complete bindings that satisfy the static literals and (in)equalities; a LimitError beyond the limit."""
    rows = np.zeros((1, 0), dtype=np.int32)
    literals = [(n, a, True) for n, a in query.atoms if n in statics]
    literals += [(n, a, False) for n, a in query.denied if n in statics]
    literals += [("=", pair, True) for pair in query.equal] + [("=", pair, False) for pair in query.unequal]
    checks = [(frozenset(~a for a in literal[1] if a < 0), literal) for literal in literals]

    def keep(rows: Bindings, literal: tuple[str, Sequence[int], bool]) -> npt.NDArray[np.bool_]:
        name, args, positive = literal
        columns = [rows[:, ~a] if a < 0 else np.full(len(rows), a, dtype=np.int32) for a in args]
        if name == "=":
            return np.equal(np.equal(columns[0], columns[1]), positive)
        facts = encode_rows(list(statics[name].T), objects, len(statics[name]))
        return np.isin(encode_rows(columns, objects, len(rows)), facts, invert=not positive)

    for used, literal in checks:
        if not used and not keep(rows, literal)[0]:
            return np.zeros((0, query.variables), dtype=np.int32)
    for variable, bound in enumerate(query.binding):
        values = np.arange(objects, dtype=np.int32) if bound < 0 else np.array([bound], dtype=np.int32)
        for used, literal in checks:
            if used == {variable}:
                column = np.zeros((len(values), query.variables), dtype=np.int32)
                column[:, variable] = values
                values = values[keep(column, literal)]
        if len(rows) * len(values) > max(limit, objects) * objects:
            raise LimitError(f"the goal has more than {limit} valid bindings", ExitCode.SEARCH_OUT_OF_MEMORY)
        rows = np.column_stack([np.repeat(rows, len(values), axis=0), np.tile(values, len(rows))])
        for used, literal in checks:
            if len(used) > 1 and max(used) == variable:
                rows = rows[keep(rows, literal)]
        if len(rows) > limit:
            raise LimitError(f"the goal has more than {limit} valid bindings", ExitCode.SEARCH_OUT_OF_MEMORY)
    return rows


def find_columns(space: Space, statics: Relations, query: Query, bindings: Bindings) -> npt.NDArray[np.int32]:
    """(bindings, fluent goal literals): the columns that must hold for each binding, -1 for those that never do.

    With n atoms of the space, column n + i says that atom i is false, and column 2n holds everywhere.
    """
    parts = []
    for positive, literals in ((True, query.atoms), (False, query.denied)):
        for name, args in literals:
            if name not in statics:
                found = _find_atoms(space, name, args, bindings)
                missing, shift = (-1, 0) if positive else (2 * len(space.atoms), len(space.atoms))
                parts.append(np.where(found < 0, missing, found + shift).astype(np.int32))
    return np.column_stack(parts) if parts else np.zeros((len(bindings), 0), dtype=np.int32)


def _find_atoms(space: Space, name: str, args: Sequence[int], bindings: Bindings) -> npt.NDArray[np.int32]:
    """The place of an atom in the space for each binding, -1 where it is none of its atoms."""
    columns = [bindings[:, ~a] if a < 0 else np.full(len(bindings), a) for a in args]
    table = space.columns.get(name)
    if table is None:
        return np.full(len(bindings), -1, dtype=np.int32)
    if not columns:
        return np.full(len(bindings), table[()], dtype=np.int32)
    inside = np.all([c < table.shape[0] for c in columns], axis=0)
    return np.where(inside, table[tuple(np.where(inside, c, 0) for c in columns)], -1)


class View:
    """A space seen from one state: its states in the order of their cost from there, as far as that is known."""

    def __init__(self, space: Space, state: int) -> None:
        if space.horizon is not None and not space.is_ball and (state or space.costs is not None):
            raise ValueError(
                "a partial space that is no ball has costs from its initial state only, and only unit costs"
            )
        distance = space.forward.search(np.array([state]))
        self.space = space
        self.state = state
        self.bound: int | None = None
        """What a goal that holds nowhere costs at least; None if it is unreachable."""
        if space.horizon is not None:
            self.bound = space.horizon - int(space.depth[state])
            distance[distance > self.bound] = -1
        reached = np.flatnonzero(distance >= 0)
        narrow = np.uint16 if distance.max(initial=0) < 1 << 16 else np.int32
        self.order = reached[np.argsort(distance[reached].astype(narrow), kind="stable")]
        self.costs = distance[self.order]
        self._states = space.states[:, self.order]
        self._bits: dict[int, Bits] = {}
        self.unresolved = -1 if space.horizon is None and not space.is_sample else -2
        """What stands for a goal that holds nowhere: unreachable, or in a partial space not known."""

    def find_costs(self, columns: npt.NDArray[np.int32]) -> Costs:
        """The least cost of a state in which all columns of a row hold, for every row."""
        result = np.full(len(columns), self.unresolved, dtype=np.int32)
        # An atom that holds in no state of a whole space or of its relaxation is unreachable either way.
        never = (columns < 0).any(axis=1)
        result[never] = -1
        rows, inverse = _deduplicate(columns[~never], 2 * len(self.space.atoms) + 1)
        result[~never] = self._find_first(rows)[inverse]
        return result

    def _find_first(self, rows: npt.NDArray[np.integer[Any]]) -> Costs:
        result = np.full(len(rows), self.unresolved, dtype=np.int32)
        if not rows.size:
            result[:] = 0
            return result
        half = rows.shape[1] // 2
        used, places = np.unique(rows, return_inverse=True)
        table = np.stack([self._column(int(column)) for column in used])
        halves = [_deduplicate(places.reshape(rows.shape)[:, part], len(used)) for part in (np.s_[:half], np.s_[half:])]
        open_rows = np.arange(len(rows))
        start, size = 0, 16
        while start < table.shape[1] and len(open_rows):
            end = min(start + size, table.shape[1])
            both = None
            for parts, inverse in halves:
                if not parts.shape[1]:
                    continue
                bits = np.bitwise_and.reduce(table[parts, start:end], axis=1)
                both = bits[inverse[open_rows]] if both is None else both & bits[inverse[open_rows]]
            assert both is not None
            hit = both.any(axis=1)
            word = (both[hit] != 0).argmax(axis=1)
            lowest = _lowest_bit(both[hit, word])
            result[open_rows[hit]] = self.costs[(start + word) * 64 + lowest]
            open_rows = open_rows[~hit]
            start, size = end, min(size * 2, max(16, _BLOCK // max(1, len(open_rows))))
        return result

    def _column(self, column: int) -> Bits:
        """In which states a column of `find_columns` holds."""
        if column not in self._bits:
            denied, atom = divmod(column, len(self.space.atoms)) if self.space.atoms else (2, 0)
            if denied == 2:
                truth = np.ones(len(self.order), dtype=np.bool_)
            else:
                word, bit = self.space.places[atom]
                truth = ((self._states[word] & np.uint64(1 << int(bit))) != 0) != bool(denied)
            self._bits[column] = pack_bits(truth)
        return self._bits[column]


def _deduplicate(
    rows: npt.NDArray[np.integer[Any]], base: int
) -> tuple[npt.NDArray[np.integer[Any]], npt.NDArray[np.int64]]:
    """The distinct rows as sets, and the place of every row among them."""
    rows = np.sort(rows, axis=1)
    _, first, inverse = np.unique(encode_rows(list(rows.T), base, len(rows)), return_index=True, return_inverse=True)
    return rows[first], inverse


def _lowest_bit(words: Bits) -> npt.NDArray[np.int64]:
    """The place of the lowest set bit of every word."""
    isolated = words & (~words + np.uint64(1))
    return np.frexp(isolated.astype(np.float64))[1].astype(np.int64) - 1
