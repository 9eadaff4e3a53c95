"""Goals that name what can never be true."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.planning.pddl_examples import read_blocks, read_household
from tests.task.household import house

from skolem.pddl.writing import format_formula
from skolem.planning.successors import Simulator
from skolem.support.errors import LimitError
from skolem.task.model import Task
from skolem.task.proofs.impossible import find_impossible_atoms
from skolem.task.satisfaction import satisfy


def list_texts(task: Task) -> list[str]:
    return [format_formula(atom) for atom in find_impossible_atoms(task).atoms]


def test_no_action_adds_an_atom_for_objects_that_fit() -> None:
    task = read_household("(exists (?r - room) (and (robot-at ?r) (wet-floor ?r)))")
    found = find_impossible_atoms(task)
    assert (list_texts(task), found.whole) == (["(robot-at ?r)"], True)


def test_a_static_atom_that_is_nowhere_true() -> None:
    assert list_texts(house("(exists (?r - room) (and (robot ?r) (door ?r ?r) (door kitchen ?r)))")) == [
        "(door kitchen ?r)"
    ]


def test_named_objects_and_types() -> None:
    assert list_texts(read_household("(and (robot-at cellar) (clean cup1))")) == ["(robot-at cellar)"]
    assert list_texts(house("(exists (?c - cup) (clean ?c))")) == []


def test_one_alternative_is_enough() -> None:
    task = house("(or (exists (?r - room) (and (door kitchen ?r) (robot ?r))) (quiet))")
    assert not find_impossible_atoms(task).whole


def test_too_many_rules() -> None:
    with pytest.raises(LimitError):
        find_impossible_atoms(read_blocks("(exists (?x) (on ?x a))"), most_rules=3)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(["on", "holding", "ontable", "red"]), st.data())
def test_nothing_that_is_reached_is_called_impossible(predicate: str, data: st.DataObject) -> None:
    terms = data.draw(st.lists(st.sampled_from(["a", "b", "c", "?x"]), min_size=2, max_size=2))
    terms = terms if predicate == "on" else terms[:1]
    task = read_blocks(f"(exists (?x) (and (blue ?x) ({predicate} {' '.join(terms)})))")
    if not find_impossible_atoms(task).whole:
        return
    simulator = Simulator(task)
    layer, seen = [simulator.start], {simulator.start}
    while layer:
        assert all(satisfy(task, simulator.read(state)) is None for state in layer)
        layer = list({s.state for state in layer for s in simulator.list_successors(state)} - seen)
        seen.update(layer)
