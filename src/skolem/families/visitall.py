"""Visitall: a robot visits coloured cells of a grid.

Any colour is near on a grid coloured evenly, so plans would be short: some colours are rarer than others, goals ask
for different colours first, and the robot often starts in a corner.
"""

from collections import Counter
from random import Random

from skolem.families.family import (
    ONE_TO_SIX,
    Colouring,
    Family,
    GoalSpec,
    Layout,
    NamedAtom,
    Shares,
    describe,
    name_variables,
    pick_by_colour,
    weigh_colours,
)
from skolem.families.grid import Passages, connect_grid, sample_grid, sample_odd_grid


def sample_layout(rng: Random, size: int, variables: int) -> Layout:
    """A grid with the robot, in half of the layouts, in a corner, and otherwise anywhere; its cell is visited."""
    grid = sample_grid(rng, size)
    return place_robot(rng, tuple(grid), connect_grid(grid))


def sample_odd_layout(rng: Random, size: int, variables: int) -> Layout:
    """The same on a path, a ring, a maze or a grid with walls."""
    return place_robot(rng, *sample_odd_grid(rng, size))


def place_robot(rng: Random, cells: tuple[str, ...], passages: Passages) -> Layout:
    """Cells with the robot, in half of the layouts, in a corner."""
    neighbours = Counter(cell for cell, _ in passages)
    corners = [cell for cell in cells if neighbours[cell] == min(neighbours.values())]
    start = rng.choice(corners if rng.random() < 0.5 else list(cells))
    atoms: list[NamedAtom] = [("connected", *pair) for pair in passages]
    atoms += [("at-robot", start), ("visited", start)]
    return Layout(cells, tuple(atoms), cells)


def sample_goal(rng: Random, layout: Layout, colours: Colouring, variables: int) -> GoalSpec:
    """Distinct cells, described by their colours, to visit; one goal in five names one more."""
    names = name_variables(variables)
    named = int(variables < len(layout.objects) and rng.random() < 0.2)
    witnesses = pick_by_colour(rng, colours, variables + named)
    atoms = describe(names, witnesses, colours)
    atoms.extend(("visited", term) for term in [*names, *witnesses[variables:]])
    return GoalSpec(names, tuple(atoms))


VISITALL = Family(
    name="visitall",
    domain="visitall",
    sizes={"train": range(2, 17), "validation": range(17, 37), "optimal": (20,), "lama": range(25, 101)},
    test_variables=ONE_TO_SIX,
    colours=Shares({1: 1, 2: 1, 3: 2, 4: 4, 5: 6, 6: 6}),
    most_variables=lambda size: size,
    sample_layout=sample_layout,
    sample_odd_layout=sample_odd_layout,
    sample_colours=weigh_colours,
    sample_goal=sample_goal,
)
