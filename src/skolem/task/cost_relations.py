"""What actions cost for which objects, as relations: a network reads no numbers, only what is true of objects.

The values of a function such as `(road-length ?from ?to)` fall into a few ranges, each of which is a static relation
whose name says what it holds: `cost:road-length:3:5` are the pairs with a value from 3 to 5. The first range has no
lower end and the last one no upper end, so that any value is in one of them.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from skolem.task.formulas import Atom
from skolem.task.model import Task, make_relation
from skolem.task.query import Relations
from skolem.task.relation import Relation

PREFIX = "cost:"
MOST_RANGES = 8
"""Ranges of one function."""


def list_cost_relations(tasks: Sequence[Task]) -> tuple[Relation, ...]:
    """The relations for the values that functions have in some tasks; none if plans are compared by their length."""
    if not tasks[0].has_metric:
        return ()
    domain = tasks[0].domain
    used = {cost.predicate for action in domain.actions for cost in action.costs if isinstance(cost, Atom)}
    found = []
    for name in sorted(used):
        arity = len(domain.functions[name])
        values = [value for task in tasks for key, value in task.values.items() if key[0] == name]
        # One value for all says nothing.
        if arity and len(set(values)) > 1:
            found += [Relation(f"{PREFIX}{name}:{low}:{high}", arity, True) for low, high in _divide(values)]
    return tuple(found)


def _divide(values: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Ranges with about as many of the values each, as text; the outer ends are empty."""
    distinct = sorted(set(values))
    if len(distinct) > MOST_RANGES:
        shares = np.quantile(np.array(values), np.arange(MOST_RANGES) / MOST_RANGES, method="lower")
        distinct = sorted({int(value) for value in shares})
    for i, low in enumerate(distinct):
        high = str(distinct[i + 1] - 1) if i + 1 < len(distinct) else ""
        yield (str(low) if i else ""), high


def find_cost_relations(task: Task, relations: Iterable[Relation]) -> Relations:
    """The rows in a task of those of some relations that are ranges of costs."""
    found = {}
    for relation in relations:
        if relation.name.startswith(PREFIX):
            function, low, high = relation.name.removeprefix(PREFIX).rsplit(":", 2)
            rows = [
                tuple(task.index[obj] for obj in key[1:])
                for key, value in task.values.items()
                if key[0] == function and (not low or int(low) <= value) and (not high or value <= int(high))
            ]
            fits = relation.arity == len(task.domain.functions.get(function, ()))
            found[relation.name] = make_relation(sorted(rows) if fits else [], relation.arity)
    return found
