"""A small made-up domain whose costs are counted, not planned: enough to learn from, and exact."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, product
from random import Random
from typing import Literal

import numpy as np

from skolem.network.encoding import StateEncoder
from skolem.network.graphs import Graphs
from skolem.network.vocabulary import Vocabulary
from skolem.oracle.dataset import Relation, ShardBuilder
from skolem.task.constraints.candidates import iterate_valid
from skolem.task.constraints.relations_index import index_relations
from skolem.task.query import Query, Relations, merge_equal

RELATIONS = (
    Relation("on", 2, False),
    Relation("clear", 1, False),
    Relation("handempty", 0, False),
    Relation("between", 3, False),
    Relation("red", 1, True),
    Relation("blue", 1, True),
    Relation("next", 2, True),
    Relation("likes", 2, True),
)
ATTRIBUTES = ("red", "blue", "likes")
"""What no action would read."""
COLOURS = ("red", "blue")
Bindings = Literal["all", "static"]


def make_state(rng: Random, objects: int) -> Relations:
    """A random state over some objects."""

    def draw(arity: int, share: float) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
        rows = [row for row in product(range(objects), repeat=arity) if rng.random() < share]
        return np.array(rows, dtype=np.int32).reshape(len(rows), arity)

    red = draw(1, 0.5)
    blue = np.array([[o] for o in range(objects) if o not in red[:, 0]], dtype=np.int32).reshape(-1, 1)
    return {
        "on": draw(2, 1 / objects),
        "clear": draw(1, 0.5),
        "handempty": draw(0, 0.5),
        "between": draw(3, 2 / objects**2),
        "red": red,
        "blue": blue,
        "next": draw(2, 1 / objects),
        "likes": draw(2, 0.5),
    }


def make_goal(rng: Random, objects: int, variables: int) -> Query:
    """A random goal: a colour and a condition for every variable; sometimes inequalities, constants, no arguments."""
    atoms: list[tuple[str, tuple[int, ...]]] = []
    for v in range(variables):
        atoms.append((rng.choice(COLOURS), (~v,)))
        other = rng.choice([~w for w in range(variables)] + [rng.randrange(objects)])
        atoms.append(rng.choice([("clear", (~v,)), ("on", (~v, other))]))
    if rng.random() < 0.3:
        atoms.append(("handempty", ()))
    if rng.random() < 0.3:
        atoms.append(("between", (~0, rng.randrange(objects), ~(variables - 1))))
    if rng.random() < 0.3:
        atoms.append((rng.choice(("next", "likes")), (~0, rng.choice([~(variables - 1), rng.randrange(objects)]))))
    denied: list[tuple[str, tuple[int, ...]]] = []
    if rng.random() < 0.3:
        denied.append(rng.choice([("clear", (~0,)), ("on", (~0, ~(variables - 1))), ("red", (~0,)), ("handempty", ())]))
    unequal = tuple((~v, ~w) for v in range(variables) for w in range(v)) if rng.random() < 0.5 else ()
    kept = tuple(atom for atom in denied if atom not in atoms)
    return Query(variables, tuple(dict.fromkeys(atoms)), unequal=unequal, denied=kept)


def count_cost(state: Relations, query: Query, binding: tuple[int, ...]) -> int | None:
    """The cost of a complete binding: twice the atoms that are false, or None if a static one or an inequality is."""
    bound = replace(query, binding=binding)
    if any(bound.resolve(a) == bound.resolve(b) for a, b in query.unequal):
        return None
    cost = 0
    static = {r.name for r in RELATIONS if r.static}
    for name, args in query.atoms:
        row = [bound.resolve(a) for a in args]
        if not (state[name] == np.array(row, dtype=np.int32)).all(axis=1).any():
            if name in static:
                return None
            cost += 2
    for name, args in query.denied:
        row = [bound.resolve(a) for a in args]
        if (state[name] == np.array(row, dtype=np.int32)).all(axis=1).any():
            if name in static:
                return None
            cost += 2
    return cost


def find_cost(state: Relations, objects: int, query: Query) -> int | None:
    """The least cost over all completions of a partly bound goal."""
    ranges = [range(objects) if obj < 0 else [obj] for obj in query.binding]
    costs = [count_cost(state, query, binding) for binding in product(*ranges)]
    return min((c for c in costs if c is not None), default=None)


def fill_builder(builder: ShardBuilder, rng: Random, goals: int, objects: int, complete: bool) -> None:
    """Adds random goals, each labelled with all bindings of one of its variables."""
    static = {r.name for r in RELATIONS if r.static}
    for _ in range(goals):
        state = make_state(rng, objects)
        task = builder.add_task(objects, {name: rows for name, rows in state.items() if name in static})
        number = builder.add_state(task, {name: rows for name, rows in state.items() if name not in static})
        query = make_goal(rng, objects, rng.randint(1, 3))
        node = builder.add_node(builder.add_goal(task, query), number, query.binding)
        builder.add_pair(node, -1, -1, find_cost(state, objects, query))
        variable = rng.randrange(query.variables)
        for obj in range(objects):
            builder.add_pair(node, variable, obj, find_cost(state, objects, query.bind(variable, obj)))
        if complete:
            statics = {name: rows for name, rows in state.items() if name in static}
            for binding in iterate_valid(query, statics, objects):
                builder.add_complete(node, binding, count_cost(state, query, binding))


def encode(
    vocabulary: Vocabulary, relations: Relations, objects: int, queries: Sequence[Query], bindings: Bindings
) -> Graphs:
    """The graphs of goals over one state; consecutive goals with the same atoms are encoded together."""
    statics = index_relations(vocabulary.select_statics(relations), objects)
    encoder = StateEncoder(vocabulary, relations, statics, bindings)
    for query in queries:
        vocabulary.check_query(query, statics)
    merged = [merge_equal(query).query if query.equal else query for query in queries]
    groups = groupby(merged, key=lambda query: (query.variables, query.atoms, query.unequal, query.denied))
    return Graphs.of(vocabulary, [encoder.encode(list(group)) for _, group in groups])
