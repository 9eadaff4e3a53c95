"""The atoms of encoded goals against their definition, one goal at a time."""

from dataclasses import replace
from itertools import product
from random import Random
from typing import Literal

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.network.worlds import ATTRIBUTES, RELATIONS, encode, make_goal, make_state

from skolem.network.encoding import StateEncoder
from skolem.network.graphs import Graphs, collate
from skolem.network.vocabulary import Vocabulary
from skolem.oracle.dataset import Relation
from skolem.support.errors import UnsupportedError
from skolem.task.constraints.candidates import find_candidates
from skolem.task.constraints.relations_index import index_relations
from skolem.task.query import Query, Relations

PLAIN = Vocabulary.of(RELATIONS)
DECIDED = Vocabulary.of(RELATIONS, attributes=ATTRIBUTES)
MARKING = Vocabulary.of(RELATIONS, True, ATTRIBUTES)
SHOWING = [Vocabulary.of(RELATIONS, attributes=ATTRIBUTES, inequalities=shown) for shown in ("all", "facts")]
STATIC = {r.name for r in RELATIONS if r.static}
Atoms = set[tuple[str, tuple[int, ...]]]


def list_atoms(graphs: Graphs, number: int, vocabulary: Vocabulary) -> list[tuple[str, tuple[int, ...]]]:
    """The atoms of one graph by relation name."""
    place = int(graphs.arg_start[number])
    atoms = []
    for name, arity, count in zip(vocabulary.names, vocabulary.arities, graphs.counts[number].tolist(), strict=True):
        for _ in range(count):
            atoms.append((name, tuple(graphs.args[place : place + arity].tolist())))
            place += arity
    return atoms


def define_atoms(
    vocabulary: Vocabulary, state: Relations, objects: int, query: Query, bindings: Literal["all", "static"]
) -> Atoms:
    """The atoms that the encoding should have, written down as it is defined."""
    node = {~v: objects + i for i, v in enumerate(query.unbound)}
    facts = {(name, tuple(row)) for name, rows in state.items() for row in rows.tolist()}

    def place(argument: int) -> int:
        term = query.resolve(argument)
        return term if term >= 0 else node[term]

    def attach(name: str, args: tuple[int, ...]) -> Atoms:
        return {(name, args)} if args else {(name, (o,)) for o in range(objects)}

    def violate(args: tuple[int, ...]) -> Atoms:
        return {("Violated", (a,)) for a in args}

    atoms: Atoms = {("Constant", (o,)) for o in range(objects)} | {("Variable", (x,)) for x in node.values()}
    for name, args in facts:
        if name in vocabulary.index:
            atoms |= attach(name, args)
    joins = [n for n, a in query.atoms if n in ATTRIBUTES and len(a) == 2 and len({x for x in a if x < 0}) == 2]
    slots = {name: f"Join{i + 1}" for i, name in enumerate(list(dict.fromkeys(joins))[: vocabulary.joins])}
    for positive, literals in ((True, query.atoms), (False, query.denied)):
        for name, args in literals:
            row = tuple(place(a) for a in args)
            unbound = {x for x in row if x >= objects}
            if not vocabulary.decided or name not in STATIC:
                atoms |= attach(f"{name}_{'G' if positive else 'N'}", row)
            elif not unbound and ((name, row) in facts) != positive:
                atoms |= violate(row)
            elif positive and len(unbound) > 1:
                if name in vocabulary.index:
                    atoms.add((f"{name}_G", row))
                elif name in slots:
                    atoms.add((f"{slots[name]}_G", row))
                    atoms |= {(slots[name], fact) for n, fact in facts if n == name}
    for a, b in query.unequal:
        x, y = place(a), place(b)
        if max(x, y) >= objects or (x == y and not vocabulary.decided) or vocabulary.inequalities != "false":
            atoms |= {("Neq_G", (x, y)), ("Neq_G", (y, x))}
        elif x == y:
            atoms |= violate((x,))
    if query.unequal and vocabulary.inequalities == "facts":
        atoms |= {("Neq", (x, y)) for x, y in product(range(objects), repeat=2) if x != y}
    statics = {name: state[name] for name in STATIC}
    allowed = find_candidates(query, statics, objects)
    for v, obj in product(query.unbound, range(objects)):
        if bindings == "all" or allowed[v, obj]:
            atoms.add(("PossibleBinding", (obj, node[~v])))
    return atoms


@settings(deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["all", "static"]), st.sampled_from([PLAIN, DECIDED, *SHOWING]))
def test_every_goal_of_a_state_has_the_atoms_of_its_definition(
    seed: int, bindings: Literal["all", "static"], vocabulary: Vocabulary
) -> None:
    rng = Random(seed)
    objects = rng.randint(1, 5)
    state = make_state(rng, objects)
    roots = [make_goal(rng, objects, rng.randint(0, 3) or 1) for _ in range(2)]
    if not vocabulary.decided:
        roots = [replace(root, denied=()) for root in roots]
    queries = [root for root in roots for _ in range(2)]
    queries += [root.bind(v, o) for root in roots for v in range(root.variables) for o in range(objects)]
    queries.append(Query(2, (("on", (~0, ~1)), ("on", (~1, ~0)), ("clear", (0,))), binding=(0, 0)))
    graphs = encode(vocabulary, state, objects, queries, bindings)
    assert len(graphs) == len(queries)
    for number, query in enumerate(queries):
        atoms = list_atoms(graphs, number, vocabulary)
        assert set(atoms) == define_atoms(vocabulary, state, objects, query, bindings)
        assert len(set(atoms)) == len(atoms)
        assert int(graphs.nodes[number]) == objects + len(query.unbound)


def show(query: Query, vocabulary: Vocabulary = DECIDED) -> Atoms:
    """What a goal adds to the graph of a small state: red 0 and 1, blue 2, next(0, 1), likes(0, 2)."""
    state = {r.name: np.zeros((0, r.arity), dtype=np.int32) for r in RELATIONS}
    state |= {"red": np.array([[0], [1]]), "blue": np.array([[2]])}
    state |= {"next": np.array([[0, 1]]), "likes": np.array([[0, 2]])}
    atoms = list_atoms(encode(vocabulary, state, 3, [query], "static"), 0, vocabulary)
    return {atom for atom in atoms if atom[0] not in ("Constant", "next")}


def test_an_inequality_between_objects_is_decided() -> None:
    query = Query(2, (("clear", (~0,)), ("clear", (~1,))), unequal=((~0, ~1),))
    both = {("clear_G", (0,)), ("clear_G", (1,))}
    assert show(replace(query, binding=(0, 1))) == both
    assert show(replace(query, binding=(1, 1))) == {("clear_G", (1,)), ("Violated", (1,))}
    asked = {("clear_G", (0,)), ("clear_G", (3,)), ("Neq_G", (0, 3)), ("Neq_G", (3, 0)), ("Variable", (3,))}
    assert show(query.bind(0, 0)) == asked | {("PossibleBinding", (o, 3)) for o in (1, 2)}
    assert ("Neq_G", (1, 1)) in show(replace(query, binding=(1, 1)), PLAIN)
    assert not [name for name, _ in show(replace(query, binding=(0, 1)), PLAIN) if name == "Neq_G"]


def test_an_attribute_restricts_candidates_and_marks_what_violates_it() -> None:
    query = Query(1, (("red", (~0,)), ("clear", (~0,))))
    variable = {("clear_G", (3,)), ("Variable", (3,))}
    assert show(query) == variable | {("PossibleBinding", (o, 3)) for o in (0, 1)}
    assert show(query.bind(0, 1)) == {("clear_G", (1,))}
    assert show(query.bind(0, 2)) == {("clear_G", (2,)), ("Violated", (2,))}
    denied = Query(1, (("clear", (~0,)),), denied=(("red", (~0,)),))
    assert show(denied) == variable | {("PossibleBinding", (2, 3))}
    assert show(denied.bind(0, 1)) == {("clear_G", (1,)), ("Violated", (1,))}


def test_an_attribute_that_joins_variables_is_shown_while_it_does() -> None:
    query = Query(2, (("likes", (~0, ~1)), ("clear", (~0,)), ("next", (~0, ~1))))
    joined = {("Join1", (0, 2)), ("Join1_G", (3, 4)), ("next_G", (3, 4))}
    assert joined <= show(query)
    assert not [name for name, _ in show(query.bind(0, 0)) if name.startswith(("Join", "next_G"))]
    assert {("Violated", (0,)), ("Violated", (1,))} <= show(query.bind(0, 0).bind(1, 1))


def test_attributes_beyond_the_relations_for_them_are_left_out_and_named() -> None:
    names = [f"likes{i}" for i in range(4)]
    relations = [*RELATIONS, *(Relation(name, 2, True) for name in names)]
    vocabulary = Vocabulary.of(relations, attributes=(*ATTRIBUTES, *names))
    state = {**make_state(Random(0), 3)} | {name: np.array([[0, 1]]) for name in names}
    query = Query(2, tuple((name, (~0, ~1)) for name in names))
    encoder = StateEncoder(vocabulary, state, index_relations(vocabulary.select_statics(state), 3), "static")
    assert encoder.list_left_out(query) == ("likes3",)
    for turn, last in ((0, "Join3"), (1, "Join1")):
        graphs = Graphs.of(vocabulary, [encoder.encode([query], turn=turn)])
        shown = {name for name, _ in list_atoms(graphs, 0, vocabulary) if name.endswith("_G")}
        assert shown == {"Join1_G", "Join2_G", "Join3_G"}
        assert encoder._assign_joins(query, turn)["likes2"] == f"{last}_G"


def test_negated_fluents_are_relations_of_their_own() -> None:
    query = Query(1, (("clear", (~0,)),), denied=(("on", (~0, 2)), ("handempty", ())))
    added = {("on_N", (1, 2)), *(("handempty_N", (o,)) for o in range(3))}
    assert show(query.bind(0, 1)) == {("clear_G", (1,)), *added}
    with pytest.raises(UnsupportedError, match="not handempty, not on"):
        show(query, PLAIN)


def test_the_goal_readout_takes_variables_named_constants_and_what_is_violated() -> None:
    state = {**make_state(Random(1), 4)} | {"red": np.array([[0]])}
    query = Query(2, (("on", (~0, 3)), ("clear", (~1,)), ("clear", (~0,)), ("red", (2,))))
    queries = [query, query.bind(0, 1), query.bind(0, 1).bind(1, 0)]
    for vocabulary in (PLAIN, DECIDED):
        batch = collate(encode(vocabulary, state, 4, queries, "all"), torch.arange(3))
        taken = [batch.goal[batch.graph == i].nonzero().flatten().tolist() for i in range(3)]
        assert taken == [[2, 3, 4, 5], [1, 2, 3, 4], [0, 1, 2, 3]]


@settings(deadline=None)
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
        literals = [args for name, args in (*query.atoms, *query.denied) if name not in ATTRIBUTES]
        shared = {a for args in literals if ~variable in args for a in args if a != ~variable}
        terms = {query.resolve(a) for a in shared} if variable >= 0 else set()
        marks = {("Companion", (term if term >= 0 else node[term],)) for term in terms}
        marks |= {("Chosen", (query.binding[variable],))} if variable >= 0 else set()
        assert set(atoms) == define_atoms(MARKING, state, objects, query, "static") | marks


def test_objects_that_differ_in_attributes_are_no_twins() -> None:
    state = {r.name: np.zeros((0, r.arity), dtype=np.int32) for r in RELATIONS} | {"red": np.array([[0], [1]])}
    encoder = StateEncoder(DECIDED, state, index_relations(DECIDED.select_statics(state), 3), "static")
    assert encoder.twins == [0, 0, 2]


def test_equal_variables_are_encoded_as_one() -> None:
    state = make_state(Random(2), 4)
    merged = Query(1, (("on", (~0, ~0)),))
    written = Query(2, (("on", (~0, ~1)),), equal=((~0, ~1),))
    graphs = encode(PLAIN, state, 4, [merged, written], "static")
    assert list_atoms(graphs, 0, PLAIN) == list_atoms(graphs, 1, PLAIN)


def test_many_objects_are_numbered_beyond_a_byte() -> None:
    everything = np.arange(300, dtype=np.int32)[:, None]
    state = {**make_state(Random(3), 1), "clear": everything}
    graphs = encode(PLAIN, state, 300, [Query(1, (("clear", (~0,)),))], "all")
    assert set(list_atoms(graphs, 0, PLAIN)) >= {
        ("PossibleBinding", (299, 300)),
        ("clear", (299,)),
        ("Variable", (300,)),
    }


def test_a_goal_with_an_unknown_predicate_is_refused() -> None:
    state = make_state(Random(4), 2)
    for vocabulary in (PLAIN, DECIDED):
        with pytest.raises(UnsupportedError, match=r"does not know the goal's shiny, wet"):
            encode(vocabulary, state, 2, [Query(1, (("wet", (~0,)), ("shiny", (~0,))))], "all")
