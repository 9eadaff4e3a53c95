"""What is true in a state, prepared for joins: what never changes once for all states, the rest state by state."""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

import numpy as np

from skolem.task.constraints.relations_index import Partners, RelationsIndex, Rows
from skolem.task.formulas import Variable
from skolem.task.model import make_relation, type_relation
from skolem.task.query import Relations

Row = tuple[int, ...]
Tuples = Mapping[str, AbstractSet[Row]]
"""The tuples of every relation that is not static."""


class Facts(RelationsIndex):
    """Static relations, shared by many states, and the tuples of one state's other relations."""

    def __init__(self, statics: RelationsIndex, tuples: Tuples, arities: Mapping[str, int]) -> None:
        """The relations named in `arities` are those in `tuples`, which may make them when they are asked for."""
        super().__init__({}, statics.objects)
        self._statics = statics
        self._own = tuples
        self._arities = arities
        self._rows: dict[str, Rows] = {}

    def __getitem__(self, name: str) -> Rows:
        if name not in self._arities:
            return self._statics[name]
        if name not in self._rows:
            self._rows[name] = make_relation(sorted(self._own[name]), self._arities[name])
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*self._statics, *self._arities))

    def __len__(self) -> int:
        return len(self._statics) + len(self._arities)

    def __contains__(self, name: object) -> bool:
        return name in self._arities or name in self._statics.relations

    def contains(self, name: str, values: Row) -> bool:
        """Whether the objects are a tuple of a relation; one that there is not has none."""
        return values in self._own[name] if name in self._arities else self._statics.contains(name, values)

    def select(
        self, name: str, pattern: tuple[int, ...], positive: bool = True
    ) -> int | tuple[Partners, Partners] | Rows:
        """What an atom allows its variables; of a static relation this is prepared once for all states."""
        if name in self._arities:
            return super().select(name, pattern, positive)
        return self._statics.select(name, pattern, positive)


def unite_types(variables: Iterable[Variable], relations: Relations) -> Relations:
    """The relations of the variables' types that are unions of several types."""
    unions = {v.types for v in variables if "object" not in v.types and type_relation(v.types) not in relations}
    return {type_relation(types): np.concatenate([relations[f"type:{t}"] for t in types]) for types in unions}
