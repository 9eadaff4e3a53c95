"""The families by name, and the tasks of their sets: the same arguments always give the same text.

How colours, variables and layouts are drawn is stated by each family, and the same for training, validation and
tests but for the sizes and the number of variables. It was chosen so that the cheapest plans of the set `optimal`
are as long on average as those of the published test sets, before any model existed. An instance whose goal is true
at the start is drawn again.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from skolem.families.blocks import BLOCKS, BLOCKS_C
from skolem.families.delivery import DELIVERY
from skolem.families.family import (
    Colouring,
    Family,
    GoalSpec,
    Layout,
    colour_atoms,
    index_atoms,
    require_distinct,
    write_problem,
)
from skolem.families.gripper import GRIPPER
from skolem.families.visitall import VISITALL
from skolem.support.errors import InputError
from skolem.task.satisfaction import find_witness

FAMILIES: Mapping[str, Family] = {f.name: f for f in (BLOCKS, BLOCKS_C, GRIPPER, DELIVERY, VISITALL)}

SETS = ("train", "validation", "optimal", "lama")

GOLDEN_RATIO = 0.6180339887498949
ATTEMPTS = 1000


@dataclass(frozen=True)
class Instance:
    """A task of a family, and where it came from."""

    family: str
    set: str
    seed: int
    index: int
    size: int
    neq: bool
    layout: Layout
    colours: Colouring
    goal: GoalSpec

    @property
    def name(self) -> str:
        """A name that tells the instance from all others of its family."""
        return f"{self.family}-{self.set}{'-neq' * self.neq}-{self.seed}-{self.index}"

    @property
    def variables(self) -> int:
        """How many variables the goal has."""
        return len(self.goal.variables)

    @property
    def domain_text(self) -> str:
        """The PDDL domain."""
        return FAMILIES[self.family].domain_text

    @property
    def problem_text(self) -> str:
        """The PDDL problem."""
        init = (*self.layout.atoms, *colour_atoms(self.colours))
        return write_problem(self.name, FAMILIES[self.family].domain, self.layout.objects, init, self.goal)


def generate_problem(
    family: str,
    set_: str,
    seed: int,
    index: int,
    *,
    size: int | None = None,
    variables: int | None = None,
    neq: bool = False,
) -> Instance:
    """The instance with that number in a set; its goal is reachable, and false in the initial state.

    Every instance has a random stream of its own, so the sets share none. The numbers of variables
    follow their shares evenly along the indices, so that every run of them has nearly these shares.
    """
    kind = find_family(family)
    rng = open_stream(family, set_, neq, seed, index)
    sizes = list(kind.sizes[set_]) if size is None else [size]
    quota = (Random(seed).random() + index * GOLDEN_RATIO) % 1
    if variables is None:
        variables = kind.get_variables(set_).pick(quota, max(map(kind.most_variables, sizes)))
    smallest = min(kind.sizes["train"])
    sizes = [s for s in sizes if s >= smallest and 1 <= variables <= kind.most_variables(s)]
    if not sizes:
        wanted = "of those sizes" if size is None else f"of size {size} (the smallest is {smallest})"
        raise InputError(f"no {family} task {wanted} has room for a goal of {variables} variables")
    size = rng.choice(sizes)
    for _ in range(ATTEMPTS):
        layout = kind.sample_layout(rng, size, variables)
        colours = kind.sample_colours(rng, layout, kind.colours.draw(rng))
        goal = kind.sample_goal(rng, layout, colours, variables)
        if neq:
            goal = require_distinct(goal)
        init = index_atoms(layout.objects, (*layout.atoms, *colour_atoms(colours)))
        if find_witness(goal.to_query(layout.objects), init, len(layout.objects)) is None:
            return Instance(family, set_, seed, index, size, neq, layout, colours, goal)
    raise InputError(f"every {family} goal of {variables} variables drawn for size {size} was true at the start")


def find_family(name: str) -> Family:
    """The family of that name; an InputError that lists the families if there is none."""
    if name not in FAMILIES:
        raise InputError(f"unknown family {name}: expected one of {', '.join(FAMILIES)}")
    return FAMILIES[name]


def open_stream(*key: object) -> Random:
    """The random numbers that belong to a key."""
    digest = hashlib.sha256("/".join(map(str, key)).encode()).digest()
    return Random(int.from_bytes(digest))
