"""Blocks World: build coloured towers (blocks), or uncover coloured blocks (blocks-c).

Towers ask for different colours first and take many colours more often than few, which leaves less choice and makes
plans longer; clear blocks are drawn evenly.
"""

from itertools import pairwise
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
    spread_colours,
)

SIZES = {"train": range(2, 8), "validation": range(8, 13), "optimal": (8,), "lama": range(9, 18)}


def sample_layout(rng: Random, size: int, variables: int) -> Layout:
    """Blocks put one by one, in random order, on the table (32 in 100) or on a random tower."""
    blocks = tuple(f"b{i}" for i in range(1, size + 1))
    towers: list[list[str]] = []
    for block in rng.sample(blocks, size):
        if not towers or rng.random() < 0.32:
            towers.append([block])
        else:
            rng.choice(towers).append(block)
    return write_layout(blocks, towers)


def sample_odd_layout(rng: Random, size: int, variables: int) -> Layout:
    """All blocks in one tall tower, or in two."""
    blocks = tuple(f"b{i}" for i in range(1, size + 1))
    mixed = rng.sample(blocks, size)
    cut = rng.choice((0, 0, rng.randrange(size)))
    return write_layout(blocks, [tower for tower in (mixed[:cut], mixed[cut:]) if tower])


def write_layout(blocks: tuple[str, ...], towers: list[list[str]]) -> Layout:
    """The blocks in towers, each from the table up."""
    atoms: list[NamedAtom] = [("handempty",)]
    for tower in sorted(towers):
        atoms.append(("ontable", tower[0]))
        atoms.extend(("on", above, below) for below, above in pairwise(tower))
        atoms.append(("clear", tower[-1]))
    return Layout(blocks, tuple(atoms), blocks)


def sample_towers(rng: Random, layout: Layout, colours: Colouring, variables: int) -> GoalSpec:
    """One or several towers of distinct blocks, some of them named, the others described by their colours.

    A single variable stands on or below a named block; otherwise one goal in four has a named block too.
    One goal in four of those with four blocks or more is cut at random into towers of two or more.
    """
    names = name_variables(variables)
    named = int(variables == 1 or (variables < len(layout.objects) and rng.random() < 0.25))
    witnesses = pick_by_colour(rng, colours, variables + named)
    terms = [*names, *witnesses[variables:]]
    rng.shuffle(terms)
    atoms = describe(names, witnesses, colours)
    for tower in cut_towers(rng, terms):
        atoms.extend(("on", above, below) for above, below in pairwise(tower))
    return GoalSpec(names, tuple(atoms))


def cut_towers(rng: Random, terms: list[str]) -> list[list[str]]:
    """The terms as one tower, or cut into towers of at least two."""
    if len(terms) < 4 or rng.random() < 0.75:
        return [terms]
    cut = rng.randint(2, len(terms) - 2)
    return [terms[:cut], *cut_towers(rng, terms[cut:])]


def sample_clear(rng: Random, layout: Layout, colours: Colouring, variables: int) -> GoalSpec:
    """Distinct blocks, described by their colours, that must be clear; one goal in five names one more."""
    names = name_variables(variables)
    named = int(variables < len(layout.objects) and rng.random() < 0.2)
    witnesses = rng.sample(layout.objects, variables + named)
    atoms = describe(names, witnesses, colours)
    atoms.extend(("clear", term) for term in [*names, *witnesses[variables:]])
    return GoalSpec(names, tuple(atoms))


BLOCKS = Family(
    name="blocks",
    domain="blocks",
    sizes=SIZES,
    test_variables=ONE_TO_SIX,
    colours=Shares({1: 1, 2: 1, 3: 2, 4: 4, 5: 6, 6: 6}),
    most_variables=lambda size: size,
    sample_layout=sample_layout,
    sample_odd_layout=sample_odd_layout,
    sample_colours=spread_colours,
    sample_goal=sample_towers,
)

BLOCKS_C = Family(
    name="blocks-c",
    domain="blocks",
    sizes=SIZES,
    test_variables=ONE_TO_SIX,
    colours=Shares({1: 1, 2: 2, 3: 3, 4: 3, 5: 3, 6: 3}),
    most_variables=lambda size: size,
    sample_layout=sample_layout,
    sample_odd_layout=sample_odd_layout,
    sample_colours=spread_colours,
    sample_goal=sample_clear,
)
