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
from skolem.families.grid import connect_grid, sample_grid


def sample_layout(rng: Random, size: int, variables: int) -> Layout:
    """A grid with the robot, in half of the layouts, in a corner, and otherwise anywhere; its cell is visited."""
    grid = sample_grid(rng, size)
    pairs = connect_grid(grid)
    neighbours = Counter(cell for cell, _ in pairs)
    corners = [cell for cell in grid if neighbours[cell] == min(neighbours.values())]
    start = rng.choice(corners if rng.random() < 0.5 else list(grid))
    atoms: list[NamedAtom] = [("connected", *pair) for pair in pairs]
    atoms += [("at-robot", start), ("visited", start)]
    return Layout(tuple(grid), tuple(atoms), tuple(grid))


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
    sample_colours=weigh_colours,
    sample_goal=sample_goal,
)
