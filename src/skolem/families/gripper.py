"""Gripper: a robot with two grippers brings coloured balls to rooms.

Most rooms are joined pairwise, and few variables come a little more often than many: both shorten the plans.
"""

import string
from collections.abc import Mapping
from itertools import combinations
from random import Random

from skolem.families.family import (
    Colouring,
    Family,
    GoalSpec,
    Layout,
    NamedAtom,
    Shares,
    describe,
    name_variables,
    spread_colours,
)
from skolem.families.grid import Passages, join_rooms, pick_far

ROOMS = ("room-a", "room-b", "room-c")
GRIPPERS = ("left", "right")


def sample_layout(rng: Random, size: int, variables: int) -> Layout:
    """Three rooms joined pairwise or, in one layout of four, in a row; the robot and every ball in a random room."""
    balls = name_balls(count_balls(size))
    doors = list(combinations(ROOMS, 2))
    if rng.random() < 0.25:
        doors.remove(rng.choice(doors))
    passages = [pair for a, b in doors for pair in ((a, b), (b, a))]
    return write_layout(ROOMS, passages, rng.choice(ROOMS), {ball: rng.choice(ROOMS) for ball in balls})


def sample_odd_layout(rng: Random, size: int, variables: int) -> Layout:
    """More rooms and fewer balls: rooms in a row, a ring, a star or a tree, with balls often far from the robot."""
    most = size - len(GRIPPERS) - max(1, variables)
    rooms = tuple(f"room-{string.ascii_lowercase[i]}" for i in range(rng.randint(min(3, most), most)))
    balls = name_balls(size - len(GRIPPERS) - len(rooms))
    passages = join_rooms(rng, rooms, rng.choice(("path", "path", "ring", "ring", "star", "tree")))
    robot = rng.choice(rooms)
    return write_layout(rooms, passages, robot, {ball: pick_far(rng, rooms, passages, [robot]) for ball in balls})


def write_layout(rooms: tuple[str, ...], passages: Passages, robot: str, places: Mapping[str, str]) -> Layout:
    """Rooms with their passages, the robot's room, and the balls in theirs."""
    atoms: list[NamedAtom] = [
        *(("room", room) for room in rooms),
        *(("gripper", gripper) for gripper in GRIPPERS),
        *(("ball", ball) for ball in places),
        *(("connected", *pair) for pair in passages),
        ("at-robby", robot),
        *(("free", gripper) for gripper in GRIPPERS),
        *(("at", ball, room) for ball, room in places.items()),
    ]
    return Layout((*rooms, *GRIPPERS, *places), tuple(atoms), tuple(places))


def sample_goal(rng: Random, layout: Layout, colours: Colouring, variables: int) -> GoalSpec:
    """Distinct balls, described by their colours, each in a random room; one goal in ten names one more."""
    names = name_variables(variables)
    rooms = [name for name in layout.objects if ("room", name) in layout.atoms]
    named = int(variables < len(layout.coloured) and rng.random() < 0.1)
    witnesses = rng.sample(layout.coloured, variables + named)
    atoms = describe(names, witnesses, colours)
    atoms.extend(("at", term, rng.choice(rooms)) for term in [*names, *witnesses[variables:]])
    return GoalSpec(names, tuple(atoms))


def name_balls(count: int) -> tuple[str, ...]:
    """The balls `ball1`, `ball2`, and so on."""
    return tuple(f"ball{i}" for i in range(1, count + 1))


def count_balls(size: int) -> int:
    """How many of the objects are balls."""
    return size - len(ROOMS) - len(GRIPPERS)


GRIPPER = Family(
    name="gripper",
    domain="gripper",
    sizes={"train": range(9, 12), "validation": range(12, 18), "optimal": (13,), "lama": range(15, 48)},
    test_variables=Shares({1: 20, 2: 20, 3: 18, 4: 14, 5: 14, 6: 14}),
    colours=Shares({1: 1, 2: 2, 3: 3, 4: 3, 5: 2, 6: 2}),
    most_variables=count_balls,
    sample_layout=sample_layout,
    sample_odd_layout=sample_odd_layout,
    sample_colours=spread_colours,
    sample_goal=sample_goal,
)
