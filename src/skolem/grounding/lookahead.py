"""Whether a partly bound goal still has a binding that may be reachable."""

from dataclasses import replace
from itertools import combinations

import numpy as np

from skolem.support.errors import LimitError
from skolem.task.constraints.candidates import find_valid_candidates, solve_static
from skolem.task.proofs.reachability import Refuter
from skolem.task.query import Query, Relations

EFFORT = 400
"""Partly bound goals that are looked at before the question is left open: some tenths of a second."""
MOST_DEEP = 200
"""Variables that are bound one after another before the question is left open: Python's stack has an end."""


class LookAhead:
    """Looks ahead from partly bound goals of one task; what is known of a goal is kept."""

    def __init__(self, refuter: Refuter, statics: Relations, objects: int) -> None:
        self._refuter = refuter
        self._statics = statics
        self._objects = objects
        self._known: dict[tuple[int, ...], bool] = {}
        self._witnesses: list[tuple[int, ...]] = []
        """Complete bindings that are valid and not refuted."""
        self._left = 0

    def remain(self, query: Query, effort: int | None = None) -> bool:
        """False if it is proven that no complete binding is both statically valid and reachable."""
        self._left = EFFORT if effort is None else effort
        return self._search(query, 0)

    @property
    def sure(self) -> bool:
        """Whether the last answer is more than a guess."""
        return self._left >= 0

    @property
    def left(self) -> int:
        """How much of the last effort was not spent."""
        return max(0, self._left)

    def _search(self, query: Query, depth: int) -> bool:
        if query.binding in self._known:
            return self._known[query.binding]
        if any(all(b in (-1, w) for b, w in zip(query.binding, witness, strict=True)) for witness in self._witnesses):
            return True
        self._left = self._left - 1 if depth < MOST_DEEP else -1
        if self._left < 0:
            return True
        found = self._complete(query, depth)
        if self._left >= 0:
            # Where the effort ran out, True is only a guess.
            self._known[query.binding] = found
        return found

    def _complete(self, query: Query, depth: int) -> bool:
        if self._refuter.refutes(query):
            return False
        valid = find_valid_candidates(query, self._statics, self._objects)
        if valid.solution is None:
            return not valid.complete
        if not self._refuter.refutes(replace(query, binding=valid.solution)):
            self._witnesses.append(valid.solution)
            return True
        apart = self._find_apart(query)
        if apart is not None and not self._refuter.refutes(replace(query, binding=apart)):
            self._witnesses.append(apart)
            return True
        # The variable with the fewest objects has the fewest ways to fail.
        slot = min(query.unbound, key=lambda v: int(valid.candidates[v].sum()))
        return any(
            self._search(query.bind(slot, int(obj)), depth + 1) for obj in np.flatnonzero(valid.candidates[slot])
        )

    def _find_apart(self, query: Query) -> tuple[int, ...] | None:
        """A valid binding to objects that are all different, also from those that are named: towers have no others."""
        named = sorted({argument for _, arguments in query.atoms for argument in arguments if argument >= 0})
        terms = [~variable for variable in range(query.variables)] + named
        pairs = [pair for pair in combinations(terms, 2) if pair[0] < 0]
        try:
            return solve_static(replace(query, unequal=(*query.unequal, *pairs)), self._statics, self._objects)
        except LimitError:
            return None
