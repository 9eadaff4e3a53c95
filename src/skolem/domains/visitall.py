"""Visitall: a robot visits coloured cells of a grid."""

from random import Random

from skolem.domains.family import (
    Colouring,
    Family,
    GoalSpec,
    GroundAtom,
    Layout,
    Shares,
    name_variables,
    spread_colours,
)
from skolem.domains.grid import connect_grid, sample_grid


def sample_layout(rng: Random, size: int, variables: int) -> Layout:
    """A grid with the robot in a random cell, which is visited."""
    grid = sample_grid(rng, size)
    start = rng.choice(list(grid))
    atoms: list[GroundAtom] = [("connected", *pair) for pair in connect_grid(grid)]
    atoms += [("at-robot", start), ("visited", start)]
    return Layout(tuple(grid), tuple(atoms), tuple(grid))


def sample_goal(rng: Random, layout: Layout, colours: Colouring, variables: int) -> GoalSpec:
    """Distinct cells, described by their colours, to visit; one goal in five names one more."""
    names = name_variables(variables)
    named = int(variables < len(layout.objects) and rng.random() < 0.2)
    witnesses = rng.sample(layout.objects, variables + named)
    atoms: list[GroundAtom] = [(colours[w], v) for v, w in zip(names, witnesses, strict=False)]
    atoms.extend(("visited", term) for term in [*names, *witnesses[variables:]])
    return GoalSpec(names, tuple(atoms))


VISITALL = Family(
    name="visitall",
    domain="visitall",
    sizes={"train": range(2, 17), "validation": range(17, 37), "optimal": (20,), "lama": range(25, 101)},
    variables={
        "train": Shares(dict.fromkeys(range(1, 5), 1)),
        "validation": Shares(dict.fromkeys(range(1, 7), 1)),
        "optimal": Shares(dict.fromkeys(range(1, 7), 1)),
        "lama": Shares(dict.fromkeys(range(1, 7), 1)),
    },
    colours=Shares({1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1}),
    most_variables=lambda size: size,
    sample_layout=sample_layout,
    sample_colours=spread_colours,
    sample_goal=sample_goal,
)
