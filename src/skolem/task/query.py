"""Goals over numbered objects: the form that joins, candidates, labels and the network share (numpy alone)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Relations = Mapping[str, npt.NDArray[np.int32]]
"""The tuples of every relation, one row each: a state, or the static part of one."""


@dataclass(frozen=True)
class Query:
    """A conjunctive goal; argument a >= 0 is object a, argument a < 0 is variable ~a.

    `binding` holds the object of each variable, -1 while it is unbound. Binding a variable leaves
    the atoms as they are, so that all partly bound goals of one root share them.

    >>> query = Query(2, (("on", (~0, ~1)), ("red", (~0,))))
    >>> query.bind(0, 7).resolve(~0), query.bind(0, 7).unbound
    (7, (1,))
    """

    variables: int
    atoms: tuple[tuple[str, tuple[int, ...]], ...]
    equal: tuple[tuple[int, int], ...] = ()
    unequal: tuple[tuple[int, int], ...] = ()
    binding: tuple[int, ...] = ()

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
