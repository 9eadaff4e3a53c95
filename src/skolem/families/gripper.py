"""Gripper: a robot with two grippers brings coloured balls to rooms.

Most rooms are joined pairwise, and few variables come a little more often than many: both shorten the plans.
"""

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

ROOMS = ("room-a", "room-b", "room-c")
GRIPPERS = ("left", "right")


def sample_layout(rng: Random, size: int, variables: int) -> Layout:
    """Three rooms joined pairwise or, in one layout of four, in a row; the robot and every ball in a random room."""
    balls = tuple(f"ball{i}" for i in range(1, count_balls(size) + 1))
    doors = list(combinations(ROOMS, 2))
    if rng.random() < 0.25:
        doors.remove(rng.choice(doors))
    atoms: list[NamedAtom] = [
        *(("room", room) for room in ROOMS),
        *(("gripper", gripper) for gripper in GRIPPERS),
        *(("ball", ball) for ball in balls),
        *(("connected", *pair) for a, b in doors for pair in ((a, b), (b, a))),
        ("at-robby", rng.choice(ROOMS)),
        *(("free", gripper) for gripper in GRIPPERS),
        *(("at", ball, rng.choice(ROOMS)) for ball in balls),
    ]
    return Layout((*ROOMS, *GRIPPERS, *balls), tuple(atoms), balls)


def sample_goal(rng: Random, layout: Layout, colours: Colouring, variables: int) -> GoalSpec:
    """Distinct balls, described by their colours, each in a random room; one goal in ten names one more."""
    names = name_variables(variables)
    named = int(variables < len(layout.coloured) and rng.random() < 0.1)
    witnesses = rng.sample(layout.coloured, variables + named)
    atoms = describe(names, witnesses, colours)
    atoms.extend(("at", term, rng.choice(ROOMS)) for term in [*names, *witnesses[variables:]])
    return GoalSpec(names, tuple(atoms))


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
    sample_colours=spread_colours,
    sample_goal=sample_goal,
)
