"""What each family's layouts and goals look like, and that they vary."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skolem.families.family import COLOURS, Family, NamedAtom
from skolem.families.grid import connect_grid, sample_grid
from skolem.families.registry import FAMILIES, Instance, generate_problem, open_stream

Atoms = tuple[NamedAtom, ...]


def generate(family: str, count: int = 60) -> list[Instance]:
    return [generate_problem(family, "optimal", 0, index, neq=index % 2 == 1) for index in range(count)]


def select(atoms: Atoms, predicate: str) -> list[NamedAtom]:
    return [atom for atom in atoms if atom[0] == predicate]


def names_object(atoms: Atoms, place: int) -> bool:
    """Whether some fluent goal atom has a constant in that place."""
    return any(not atom[place].startswith("?") for atom in atoms if atom[0] not in COLOURS)


def measure_towers(atoms: Atoms) -> list[int]:
    """The heights of the towers that `on` atoms make."""
    below = {atom[1]: atom[2] for atom in select(atoms, "on")}
    heights = []
    for top in set(below) - set(below.values()):
        heights.append(1)
        while top in below:
            top, heights[-1] = below[top], heights[-1] + 1
    return sorted(heights)


def test_blocks_goals_are_towers_of_several_shapes() -> None:
    goals = [instance.goal for instance in generate("blocks", 120)]
    shapes = Counter(tuple(measure_towers(goal.atoms)) for goal in goals)
    assert shapes.keys() >= {(2,), (3,), (4,), (5,), (6,), (2, 2), (2, 3)}
    assert any(len(shape) >= 2 and sum(shape) >= 6 for shape in shapes)
    for goal in goals:
        supports = select(goal.atoms, "on")
        assert all(len({atom[place] for atom in supports}) == len(supports) for place in (1, 2))
        assert {term for atom in supports for term in atom[1:]} >= set(goal.variables)


def test_blocks_goals_name_some_blocks() -> None:
    goals = [instance.goal for instance in generate("blocks") if instance.variables > 1]
    assert {names_object(goal.atoms, 1) or names_object(goal.atoms, 2) for goal in goals} == {False, True}


def test_blocks_layouts_place_every_block_once() -> None:
    for instance in generate("blocks", 20):
        atoms = instance.layout.atoms
        placed = [atom[1] for atom in atoms if atom[0] in ("on", "ontable")]
        assert sorted(placed) == sorted(instance.layout.objects)
        assert len(select(atoms, "ontable")) == len(select(atoms, "clear"))
    assert len({len(select(i.layout.atoms, "ontable")) for i in generate("blocks")}) >= 4


def test_blocks_c_goals_are_clear_blocks() -> None:
    goals = [instance.goal for instance in generate("blocks-c")]
    assert {atom[0] for goal in goals for atom in goal.atoms} <= {"clear", *COLOURS}
    assert {names_object(goal.atoms, 1) for goal in goals} == {False, True}


def test_gripper_has_three_rooms_two_grippers_and_balls() -> None:
    doors = set()
    for instance in generate("gripper"):
        atoms = instance.layout.atoms
        assert [len(select(atoms, kind)) for kind in ("room", "gripper", "ball", "at-robby")] == [3, 2, 8, 1]
        assert {atom[1] for atom in select(atoms, "connected")} == {"room-a", "room-b", "room-c"}
        doors.add(len(select(atoms, "connected")))
    assert doors == {4, 6}


def test_gripper_goals_use_several_rooms_and_some_named_balls() -> None:
    goals = [instance.goal for instance in generate("gripper")]
    rooms = Counter(len({atom[2] for atom in select(goal.atoms, "at")}) for goal in goals)
    assert sorted(rooms) == [1, 2, 3]
    assert {names_object(goal.atoms, 1) for goal in goals} == {False, True}


def test_delivery_goals_park_the_truck_and_share_or_name_cells_at_times() -> None:
    instances = generate("delivery", 150)
    goals = [instance.goal for instance in instances]
    parked = Counter(any(atom[1] == "t" for atom in select(goal.atoms, "at")) for goal in goals)
    assert min(parked[False], parked[True]) > 30
    places = [[atom[2] for atom in select(goal.atoms, "at")] for goal in goals]
    assert any(len(set(cells)) < len(cells) for cells in places)
    assert {names_object(goal.atoms, 2) for goal in goals} == {False, True}
    for instance, goal in zip(instances, goals, strict=True):
        packages = select(instance.layout.atoms, "package")
        assert 1 <= len(packages) <= 5
        assert len(goal.variables) <= len(packages) + 1


def test_delivery_has_up_to_four_packages_in_training_and_six_in_large_tasks() -> None:
    for set_, most in (("train", 4), ("lama", 6)):
        counts = {len(select(generate_problem("delivery", set_, 0, i).layout.atoms, "package")) for i in range(60)}
        assert counts == set(range(1, most + 1))


def test_visitall_starts_in_a_visited_cell() -> None:
    instances = generate("visitall")
    for instance in instances:
        start, visited = (select(instance.layout.atoms, name) for name in ("at-robot", "visited"))
        assert [atom[1] for atom in start] == [atom[1] for atom in visited]
    assert {names_object(instance.goal.atoms, 1) for instance in instances} == {False, True}


@given(st.integers(1, 100), st.integers(0, 100))
def test_grids_are_connected_and_compact(cells: int, seed: int) -> None:
    grid = sample_grid(open_stream(seed), cells)
    pairs = connect_grid(grid)
    reached, frontier = {next(iter(grid))}, [next(iter(grid))]
    while frontier:
        cell = frontier.pop()
        new = {b for a, b in pairs if a == cell} - reached
        reached |= new
        frontier.extend(new)
    height, width = (1 + max(place[axis] for place in grid.values()) for axis in (0, 1))
    assert len(grid) == cells
    assert reached == set(grid)
    assert max(height, width) <= 2 * min(height, width)
    assert {(b, a) for a, b in pairs} == set(pairs)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_odd_layouts_have_the_same_objects_and_atoms_but_longer_ways(family: Family) -> None:
    rng = Random(3)
    usual = {atom[0] for _ in range(20) for atom in family.sample_layout(rng, max(family.sizes["train"]), 1).atoms}
    for size in family.sizes["train"]:
        for variables in range(1, min(4, family.most_variables(size)) + 1):
            layout = family.sample_odd_layout(rng, size, variables)
            assert len(layout.objects) == len(set(layout.objects)) == size
            assert {atom[0] for atom in layout.atoms} <= usual
            assert len(layout.coloured) >= min(variables, 1)
            colours = family.sample_colours(rng, layout, 3)
            assert len(family.sample_goal(rng, layout, colours, variables).variables) == variables
