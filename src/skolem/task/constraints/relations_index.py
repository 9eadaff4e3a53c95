"""Relations over numbered objects, prepared for joins: a set of objects is an integer with their bits set."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from skolem.task.constraints.bitsets import pack
from skolem.task.query import Relations

Rows = npt.NDArray[np.int32]
Partners = dict[int, int]
"""From the bit of an object to the bits of its partners."""

# Above this many objects the partners of all objects would take too much memory: rows are kept instead.
MOST_PAIRED = 4096
MOST_LISTED = 1_000_000
"""Tuples up to which those that a relation lacks are listed."""
_MOST_CACHED = 4096


class RelationsIndex(Mapping[str, Rows]):
    """Relations that remember what joins prepare: one per task or state, passed wherever `Relations` go."""

    def __init__(self, relations: Relations, objects: int) -> None:
        self.relations = relations
        self.objects = objects
        self.full = (1 << objects) - 1
        self.joins: dict[Any, Any] = {}
        """What the solver prepared for goals, kept as long as the relations are."""
        self._tuples: dict[str, set[tuple[int, ...]]] = {}
        self._selections: dict[tuple[str, tuple[int, ...], bool], int | tuple[Partners, Partners] | Rows] = {}

    def __getitem__(self, name: str) -> Rows:
        return self.relations[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.relations)

    def __len__(self) -> int:
        return len(self.relations)

    def contains(self, name: str, values: tuple[int, ...]) -> bool:
        """Whether the objects are a tuple of a relation; one that there is not has none."""
        if name not in self._tuples:
            self._tuples[name] = set(map(tuple, self[name].tolist())) if name in self else set()
        return values in self._tuples[name]

    def select(
        self, name: str, pattern: tuple[int, ...], positive: bool = True
    ) -> int | tuple[Partners, Partners] | Rows:
        """What an atom allows its variables, where ~0, ~1, ... in the pattern are its variables as they first occur.

        Without variables: 1 if it is true, else 0. One variable: the set of its objects. Two: their partners in
        both directions. More, or more than MOST_PAIRED objects: the rows. The last two differ by type.
        With `positive` False: the same for the negated atom, if it `can_deny` that.
        """
        key = (name, pattern, positive)
        found = self._selections.get(key)
        if found is None:
            if len(self._selections) >= _MOST_CACHED:
                self._selections.clear()
            found = self._selections[key] = self._select(name, pattern, positive)
        return found

    def _select(self, name: str, pattern: tuple[int, ...], positive: bool) -> int | tuple[Partners, Partners] | Rows:
        rows = self[name]
        columns: list[int] = []
        for column, argument in enumerate(pattern):
            if not len(rows):
                break
            if argument >= 0:
                rows = rows[rows[:, column] == argument]
            elif ~argument < len(columns):
                rows = rows[rows[:, column] == rows[:, columns[~argument]]]
            else:
                columns.append(column)
        variables = len({a for a in pattern if a < 0})
        if not variables:
            return int((len(rows) > 0) == positive)
        if variables == 1:
            mask = pack(rows[:, columns[0]], self.objects) if len(rows) else 0
            return mask if positive else self.full ^ mask
        if variables == 2 and self.objects <= MOST_PAIRED:
            pairs = rows[:, columns].tolist() if len(rows) else []
            return self._pair(pairs, positive), self._pair([(b, a) for a, b in pairs], positive)
        kept = rows[:, columns] if len(rows) else np.zeros((0, variables), dtype=np.int32)
        return kept if positive else self._complement(kept)

    def can_deny(self, args: Sequence[int]) -> bool:
        """Whether what a negated atom allows its variables can be listed."""
        variables = len({a for a in args if a < 0})
        if variables == 2:
            return self.objects <= MOST_PAIRED
        return variables < 2 or self.objects**variables <= MOST_LISTED

    def _complement(self, rows: Rows) -> Rows:
        """All tuples but those that are rows."""
        shape = (self.objects,) * rows.shape[1]
        assert self.objects ** rows.shape[1] <= MOST_LISTED, "too many tuples to be listed"
        absent = np.ones(shape, dtype=np.bool_)
        absent[tuple(rows.T)] = False
        return np.argwhere(absent).astype(np.int32)

    def _pair(self, pairs: Sequence[Sequence[int]], positive: bool) -> Partners:
        partners: Partners = {}
        for a, b in pairs:
            partners[1 << a] = partners.get(1 << a, 0) | 1 << b
        if positive:
            return partners
        return {1 << a: self.full & ~partners.get(1 << a, 0) for a in range(self.objects)}


def index_relations(relations: Relations, objects: int) -> RelationsIndex:
    """The relations with their index: themselves, if they have one already."""
    if isinstance(relations, RelationsIndex) and relations.objects == objects:
        return relations
    return RelationsIndex(relations, objects)
