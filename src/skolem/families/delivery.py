"""Delivery: a truck that holds one package brings packages to coloured cells of a grid, and parks.

Every cell costs a drive, so goals with many variables and colours have long plans: the shares below take few of both
more often, and half of the goals ask for the truck's place, which is the cheapest atom to reach.
"""

from collections.abc import Mapping
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
from skolem.families.grid import Passages, connect_grid, pick_far, sample_grid, sample_odd_grid

TRUCK = "t"
FEWEST_CELLS = 4


def sample_layout(rng: Random, size: int, variables: int) -> Layout:
    """A grid with the truck and every package in random cells, and at least as many packages as variables less one."""
    most = min(most_packages(size), size - 1 - variables)
    packages = [f"p{i}" for i in range(1, rng.randint(max(1, variables - 1), most) + 1)]
    grid = sample_grid(rng, size - 1 - len(packages))
    cells = tuple(grid)
    return write_layout(cells, connect_grid(grid), {thing: rng.choice(cells) for thing in (TRUCK, *packages)})


def sample_odd_layout(rng: Random, size: int, variables: int) -> Layout:
    """The same on a path, a ring, a maze or a grid with walls, with fewer packages, which are often far apart."""
    most = min(most_packages(size), size - 1 - variables)
    fewest = max(1, variables - 1)
    count = min(rng.randint(fewest, most), rng.randint(fewest, most))
    cells, passages = sample_odd_grid(rng, size - 1 - count)
    places: dict[str, str] = {}
    for thing in (TRUCK, *(f"p{i}" for i in range(1, count + 1))):
        places[thing] = pick_far(rng, cells, passages, places.values())
    return write_layout(cells, passages, places)


def write_layout(cells: tuple[str, ...], passages: Passages, places: Mapping[str, str]) -> Layout:
    """Cells with their passages, and the truck and the packages in their places."""
    packages = [thing for thing in places if thing != TRUCK]
    atoms: list[NamedAtom] = [
        ("truck", TRUCK),
        *(("package", package) for package in packages),
        *(("cell", cell) for cell in cells),
        *(("adjacent", *pair) for pair in passages),
        ("empty", TRUCK),
        *(("at", thing, cell) for thing, cell in places.items()),
    ]
    return Layout((*places, *cells), tuple(atoms), cells)


def sample_goal(rng: Random, layout: Layout, colours: Colouring, variables: int) -> GoalSpec:
    """Packages, and in half of the goals the truck, in distinct cells described by their colours.

    One goal in ten brings one more package to a described cell, or to a named one, where there is one more.
    """
    names = name_variables(variables)
    packages = [name for name in layout.objects if ("package", name) in layout.atoms]
    parks = variables > len(packages) or rng.random() < 0.5
    movers = rng.sample(packages, variables - parks) + [TRUCK] * parks
    spare = [package for package in packages if package not in movers]
    witnesses = rng.sample(layout.coloured, variables)
    places = list(names)
    if spare and rng.random() < 0.1:
        movers.append(rng.choice(spare))
        places.append(rng.choice([*names, rng.choice(layout.coloured)]))
    atoms = describe(names, witnesses, colours)
    atoms.extend(("at", mover, place) for mover, place in zip(movers, places, strict=True))
    return GoalSpec(names, tuple(atoms))


def most_packages(size: int) -> int:
    """The most packages of a task: four up to the largest training size, five up to the next set, then six."""
    return min(4 if size <= 25 else 5 if size <= 30 else 6, size - 1 - FEWEST_CELLS)


DELIVERY = Family(
    name="delivery",
    domain="delivery",
    sizes={"train": range(6, 26), "validation": range(26, 41), "optimal": range(26, 31), "lama": range(31, 89)},
    test_variables=Shares({1: 32, 2: 22, 3: 13, 4: 11, 5: 11, 6: 11}),
    colours=Shares({1: 1, 2: 5, 3: 3, 4: 2, 5: 1, 6: 1}),
    most_variables=lambda size: min(most_packages(size) + 1, size // 2),
    sample_layout=sample_layout,
    sample_odd_layout=sample_odd_layout,
    sample_colours=spread_colours,
    sample_goal=sample_goal,
)
