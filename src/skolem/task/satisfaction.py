"""Does a state satisfy a goal? By joins, with the objects that do it."""

from skolem.task.joins import Effort, get_join
from skolem.task.query import Query, Relations
from skolem.task.structure import prepare

EFFORT = 10_000_000
"""Search steps, more than any goal in practice needs."""


def find_witness(query: Query, relations: Relations, objects: int) -> tuple[int, ...] | None:
    """The objects of all variables with which every atom is true in the state, or None if there are none.

    Relations that the state lacks have no tuples.

    >>> import numpy as np
    >>> state = {"on": np.array([[0, 1], [1, 2]]), "red": np.array([[1]])}
    >>> find_witness(Query(2, (("on", (~0, ~1)), ("red", (~0,)))), state, 3)
    (1, 2)
    """
    if any(name not in relations for name, _ in query.atoms):
        return None
    join = get_join(prepare(relations, objects), query)
    domains = join.restrict(query.binding)
    solution = None if domains is None else join.search(domains, Effort(EFFORT))
    return None if solution is None else join.complete(solution)
