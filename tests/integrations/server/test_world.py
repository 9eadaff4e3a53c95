"""Worlds: what is told about them, and what cannot be meant."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.integrations.server.servers import MUGS, read_example

from skolem.integrations.server.world import Change, World, change_world, make_task, open_world, write_problem
from skolem.support.errors import InputError, SkolemError

WORLD, TASK = open_world(MUGS["domain"], MUGS["problem"])


@pytest.mark.parametrize("name", ["blocks/tower", "household/breakfast", "colouring/map", "robot/mugs"])
def test_a_world_is_the_problem_again(name: str) -> None:
    texts = read_example(name)
    world, task = open_world(texts["domain"], texts["problem"])
    again = make_task(world)
    assert set(again.objects) == set(task.objects)
    assert again.types == task.types
    assert again.values == task.values
    assert again.has_metric == task.has_metric
    assert len(again.goal.variables) == len(task.goal.variables)
    named = [
        {p: {tuple(t.objects[o] for o in row) for row in rows.tolist()} for p, rows in t.init.items()}
        for t in (task, again)
    ]
    assert named[0] == named[1]
    assert open_world(world.domain, write_problem(world))[0] == replace(world, domain=world.domain)


def test_atoms_come_and_go() -> None:
    world = change_world(WORLD, Change(remove=("(robot-at table)",), add=("(ROBOT-AT  counter)",)))
    assert "(robot-at counter)" in world.atoms
    assert "(robot-at table)" not in world.atoms


def test_telling_twice_changes_nothing() -> None:
    change = Change(remove=("(robot-at table)",), add=("(robot-at counter)",))
    once = change_world(WORLD, change)
    assert change_world(once, change) == once


def test_what_was_true_of_an_object_goes_with_it() -> None:
    world = change_world(WORLD, Change(gone=("mug1",)))
    assert "mug1" not in world.objects
    assert not [atom for atom in world.atoms if "mug1" in atom]
    assert len(make_task(world).objects) == len(TASK.objects) - 1


def test_an_object_comes() -> None:
    world = change_world(WORLD, Change(objects={"mug4": "mug"}, add=("(on mug4 counter)",)))
    assert world.objects["mug4"] == "mug"
    assert "mug4" in make_task(world).objects


def test_an_object_may_come_back() -> None:
    world = change_world(WORLD, Change(gone=("mug1",), objects={"mug1": "mug"}, add=("(on mug1 sink)",)))
    assert "(on mug1 sink)" in world.atoms
    assert "(clean mug1)" not in world.atoms


def test_another_goal() -> None:
    world = change_world(WORLD, Change(goal="(exists (?p - plate) (held ?p)) ; a comment"))
    assert [v.name for v in make_task(world).goal.variables] == ["?p"]


def test_values_change() -> None:
    texts = read_example("household/breakfast")
    world, _ = open_world(texts["domain"], texts["problem"])
    world = change_world(world, Change(add=("(= (distance kitchen dining) 7)",)))
    assert make_task(world).values["distance", "kitchen", "dining"] == 7


@pytest.mark.parametrize(
    ("change", "place", "message"),
    [
        (Change(add=("(clean mug1)", "(on mug1 table) (held mug2)")), "add[1]", "after the end of the definition"),
        (Change(add=("(clean mug1)", "(clean cup)")), "add[1]", "unknown object 'cup'"),
        (Change(add=("(clan mug1)",)), "add[0]", "unknown predicate 'clan', expected 'clean'"),
        (Change(add=("(on mug1)",)), "add[0]", "'on' with 1 argument, expected 2"),
        (Change(add=("(on table mug1)",)), "add[0]", "'table' is of type place, expected thing"),
        (Change(add=("(not (clean mug1))",)), "add[0]", "expected an atom"),
        (Change(add=("clean mug1",)), "add[0]", "outside of any form"),
        (Change(remove=("(clan mug1)",)), "remove[0]", "unknown predicate"),
        (Change(gone=("cup",)), "gone[0]", "there is no object 'cup'"),
        (Change(objects={"mug1": "mug"}), "objects.mug1", "there is an object 'mug1' already"),
        (Change(objects={"cup": "cup"}), "objects.cup", "unknown type 'cup'"),
        (Change(objects={"a b": "mug"}), "objects.a b", "expected one name and its type"),
        (Change(objects={"a": "mug) (:goal (p)"}), "objects.a", "after the end of the definition"),
        (Change(gone=("table",)), "goal", "the goal names table, which is gone"),
    ],
)
def test_what_cannot_be_meant_is_refused(change: Change, place: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        change_world(WORLD, change)
    assert caught.value.place is not None
    assert caught.value.place.path == place
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("goal", "line", "column", "message"),
    [
        ("(exists (?m - mug)\n  (cleen ?m))", 2, 4, "unknown predicate 'cleen'"),
        ("(clean mug1) (clean mug2)", 1, 14, "after the end of the definition"),
        ("(clean mug1)) (:metric minimize (total-cost)", 1, 13, "after the end of the definition"),
        ("(clean", 1, 7, "expected ')'"),
    ],
)
def test_a_mistake_in_the_goal_has_its_place_there(goal: str, line: int, column: int, message: str) -> None:
    with pytest.raises(SkolemError) as caught:
        make_task(replace(WORLD, goal=goal))
    assert caught.value.place is not None
    assert (caught.value.place.path, caught.value.place.line, caught.value.place.column) == ("goal", line, column)
    assert message in caught.value.message


@given(
    st.lists(st.sampled_from(WORLD.atoms)),
    st.lists(st.sampled_from(WORLD.atoms)),
    st.lists(st.sampled_from(["mug1", "mug2", "mug3", "plate1"]), unique=True),
)
def test_changes_are_set_algebra(remove: list[str], add: list[str], gone: list[str]) -> None:
    add = [atom for atom in add if not any(name in atom for name in gone)]
    changed = change_world(WORLD, Change(tuple(gone), {}, tuple(remove), tuple(add)))
    kept = {atom for atom in WORLD.atoms if not any(name in atom for name in gone)}
    assert set(changed.atoms) == (kept - set(remove)) | set(add)
    assert isinstance(changed, World)
    assert set(make_task(changed).objects) == set(TASK.objects) - set(gone)
