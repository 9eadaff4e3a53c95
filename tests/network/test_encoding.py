"""The atoms of encoded goals against their definition, one goal at a time."""

from itertools import product
from random import Random
from typing import Literal

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.network.worlds import RELATIONS, encode, make_goal, make_state

from skolem.network.encoding import StateEncoder
from skolem.network.graphs import Graphs, collate
from skolem.network.vocabulary import Vocabulary
from skolem.support.errors import UnsupportedError
from skolem.task.constraints.candidates import find_candidates
from skolem.task.constraints.relations_index import index_relations
from skolem.task.query import Query, Relations

VOCABULARY = Vocabulary.of(RELATIONS)
MARKING = Vocabulary.of(RELATIONS, marks=True)
Atoms = set[tuple[str, tuple[int, ...]]]


def list_atoms(graphs: Graphs, number: int, vocabulary: Vocabulary = VOCABULARY) -> list[tuple[str, tuple[int, ...]]]:
    """The atoms of one graph by relation name."""
    place = int(graphs.arg_start[number])
    atoms = []
    for name, arity, count in zip(vocabulary.names, vocabulary.arities, graphs.counts[number].tolist(), strict=True):
        for _ in range(count):
            atoms.append((name, tuple(graphs.args[place : place + arity].tolist())))
            place += arity
    return atoms


def define_atoms(state: Relations, objects: int, query: Query, bindings: Literal["all", "static"]) -> Atoms:
    """The atoms that the encoding should have, written down as it is defined."""
    node = {~v: objects + i for i, v in enumerate(query.unbound)}

    def place(argument: int) -> int:
        term = query.resolve(argument)
        return term if term >= 0 else node[term]

    def attach(name: str, args: tuple[int, ...]) -> Atoms:
        return {(name, args)} if args else {(name, (o,)) for o in range(objects)}

    atoms: Atoms = {("Constant", (o,)) for o in range(objects)} | {("Variable", (x,)) for x in node.values()}
    for name, rows in state.items():
        for row in rows.tolist():
            atoms |= attach(name, tuple(row))
    for name, args in query.atoms:
        atoms |= attach(f"{name}_G", tuple(place(a) for a in args))
    for a, b in query.unequal:
        atoms |= {("Neq_G", (place(a), place(b))), ("Neq_G", (place(b), place(a)))}
    statics = {r.name: state[r.name] for r in RELATIONS if r.static}
    allowed = find_candidates(query, statics, objects)
    for v, obj in product(query.unbound, range(objects)):
        if bindings == "all" or allowed[v, obj]:
            atoms.add(("PossibleBinding", (obj, node[~v])))
    return atoms


@given(st.integers(0, 10_000), st.sampled_from(["all", "static"]))
def test_every_goal_of_a_state_has_the_atoms_of_its_definition(seed: int, bindings: Literal["all", "static"]) -> None:
    rng = Random(seed)
    objects = rng.randint(1, 5)
    state = make_state(rng, objects)
    roots = [make_goal(rng, objects, rng.randint(0, 3) or 1) for _ in range(2)]
    queries = [root for root in roots for _ in range(2)]
    queries += [root.bind(v, o) for root in roots for v in range(root.variables) for o in range(objects)]
    queries.append(Query(2, (("on", (~0, ~1)), ("on", (~1, ~0)), ("clear", (0,))), binding=(0, 0)))
    graphs = encode(VOCABULARY, state, objects, queries, bindings)
    assert len(graphs) == len(queries)
    for number, query in enumerate(queries):
        atoms = list_atoms(graphs, number)
        assert set(atoms) == define_atoms(state, objects, query, bindings)
        assert len(set(atoms)) == len(atoms)
        assert int(graphs.nodes[number]) == objects + len(query.unbound)


def test_the_goal_readout_takes_variables_and_named_constants() -> None:
    state = make_state(Random(1), 4)
    query = Query(2, (("on", (~0, 3)), ("clear", (~1,)), ("clear", (~0,))))
    graphs = encode(VOCABULARY, state, 4, [query, query.bind(0, 1), query.bind(0, 1).bind(1, 0)], "all")
    batch = collate(graphs, torch.arange(3))
    assert batch.goal[batch.graph == 0].nonzero().flatten().tolist() == [3, 4, 5]
    assert batch.goal[batch.graph == 1].nonzero().flatten().tolist() == [1, 3, 4]
    assert batch.goal[batch.graph == 2].nonzero().flatten().tolist() == [0, 1, 3]


@given(st.integers(0, 10_000))
def test_marks_say_what_was_bound_last_and_what_it_shares_atoms_with(seed: int) -> None:
    rng = Random(seed)
    objects = rng.randint(1, 5)
    state = make_state(rng, objects)
    root = make_goal(rng, objects, 3).bind(0, rng.randrange(objects))
    chosen = [rng.choice((-1, 1, 2)) for _ in range(6)]
    queries = [root if v < 0 else root.bind(v, rng.randrange(objects)) for v in chosen]
    encoder = StateEncoder(MARKING, state, index_relations(MARKING.select_statics(state), objects), "static")
    graphs = Graphs.of(MARKING, [encoder.encode(queries, chosen)])
    for number, (query, variable) in enumerate(zip(queries, chosen, strict=True)):
        atoms = list_atoms(graphs, number, MARKING)
        assert len(set(atoms)) == len(atoms)
        node = {~v: objects + i for i, v in enumerate(query.unbound)}
        shared = {a for _, args in query.atoms if ~variable in args for a in args if a != ~variable}
        terms = {query.resolve(a) for a in shared} if variable >= 0 else set()
        marks = {("Companion", (term if term >= 0 else node[term],)) for term in terms}
        marks |= {("Chosen", (query.binding[variable],))} if variable >= 0 else set()
        assert set(atoms) == define_atoms(state, objects, query, "static") | marks


def test_equal_variables_are_encoded_as_one() -> None:
    state = make_state(Random(2), 4)
    merged = Query(1, (("on", (~0, ~0)),))
    written = Query(2, (("on", (~0, ~1)),), equal=((~0, ~1),))
    graphs = encode(VOCABULARY, state, 4, [merged, written], "static")
    assert list_atoms(graphs, 0) == list_atoms(graphs, 1)


def test_many_objects_are_numbered_beyond_a_byte() -> None:
    everything = np.arange(300, dtype=np.int32)[:, None]
    state = {**make_state(Random(3), 1), "clear": everything}
    graphs = encode(VOCABULARY, state, 300, [Query(1, (("clear", (~0,)),))], "all")
    assert set(list_atoms(graphs, 0)) >= {("PossibleBinding", (299, 300)), ("clear", (299,)), ("Variable", (300,))}


def test_a_goal_with_an_unknown_predicate_is_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"does not know the goal's shiny, wet"):
        encode(VOCABULARY, make_state(Random(4), 2), 2, [Query(1, (("wet", (~0,)), ("shiny", (~0,))))], "all")
