"""Goals over numbered objects: the form that joins, candidates, labels and the network share (numpy alone)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Relations = Mapping[str, npt.NDArray[np.int32]]
"""The tuples of every relation, one row each: a state, or the static part of one."""

CodedAtom = tuple[str, tuple[int, ...]]
"""A predicate and its arguments: a >= 0 is object a, a < 0 is variable ~a."""


@dataclass(frozen=True)
class Query:
    """A conjunctive goal; argument a >= 0 is object a, argument a < 0 is variable ~a.

    `binding` holds the object of each variable, -1 while it is unbound. Binding a variable leaves
    the atoms as they are, so that all partly bound goals of one root share them. `denied` are the atoms that must be
    false.

    >>> query = Query(2, (("on", (~0, ~1)), ("red", (~0,))))
    >>> query.bind(0, 7).resolve(~0), query.bind(0, 7).unbound
    (7, (1,))
    """

    variables: int
    atoms: tuple[CodedAtom, ...]
    equal: tuple[tuple[int, int], ...] = ()
    unequal: tuple[tuple[int, int], ...] = ()
    binding: tuple[int, ...] = ()
    denied: tuple[CodedAtom, ...] = ()

    def __post_init__(self) -> None:
        if not self.binding:
            object.__setattr__(self, "binding", (-1,) * self.variables)

    @property
    def unbound(self) -> tuple[int, ...]:
        """The variables that have no object yet."""
        return tuple(i for i, obj in enumerate(self.binding) if obj < 0)

    def resolve(self, argument: int) -> int:
        """The argument with a bound variable replaced by its object."""
        if argument >= 0 or self.binding[~argument] < 0:
            return argument
        return self.binding[~argument]

    def bind(self, variable: int, obj: int) -> "Query":
        """The query with one more variable bound."""
        binding = (*self.binding[:variable], obj, *self.binding[variable + 1 :])
        return replace(self, binding=binding)


@dataclass(frozen=True)
class Merged:
    """A query without equalities; `home` is the variable of `query` that stands for each original variable."""

    query: Query
    home: tuple[int, ...]

    def extend(self, objects: Sequence[int]) -> tuple[int, ...]:
        """The objects of all original variables, from those of the merged ones."""
        return tuple(objects[home] for home in self.home)


def merge_equal(query: Query) -> Merged:
    """The query with equal variables merged and variables that equal an object bound to it.

    Equalities that contradict each other become an inequality of an object with itself, which nothing satisfies.

    >>> merged = merge_equal(Query(3, (("on", (~0, ~2)),), equal=((~0, ~1), (~2, 5))))
    >>> merged.query.atoms, merged.query.binding, merged.extend((4, 5))
    ((('on', (-1, -2)),), (-1, 5), (4, 4, 5))
    """
    leader = list(range(query.variables))

    def find(variable: int) -> int:
        while leader[variable] != variable:
            leader[variable] = leader[leader[variable]]
            variable = leader[variable]
        return variable

    fixed = [(i, obj) for i, obj in enumerate(query.binding) if obj >= 0]
    contradictions = []
    for left, right in query.equal:
        if left < 0 and right < 0:
            first, second = sorted((find(~left), find(~right)))
            leader[second] = first
        elif left < 0 or right < 0:
            fixed.append((~min(left, right), max(left, right)))
        elif left != right:
            contradictions.append((left, left))

    number: dict[int, int] = {}
    home = tuple(number.setdefault(find(i), len(number)) for i in range(query.variables))
    binding = [-1] * len(number)
    for variable, obj in fixed:
        if binding[home[variable]] not in (-1, obj):
            contradictions.append((obj, obj))
        binding[home[variable]] = obj

    def move(argument: int) -> int:
        return argument if argument >= 0 else ~home[~argument]

    atoms, denied = (
        dict.fromkeys((name, tuple(move(a) for a in args)) for name, args in literals)
        for literals in (query.atoms, query.denied)
    )
    unequal = dict.fromkeys((move(a), move(b)) for a, b in query.unequal)
    unequal.update(dict.fromkeys(contradictions))
    merged = Query(len(number), tuple(atoms), (), tuple(unequal), tuple(binding), tuple(denied))
    return Merged(merged, home)
