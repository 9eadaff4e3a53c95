"""What every family of tasks offers: layouts, colourings and quantified goals drawn from a random stream."""

import sys
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from itertools import accumulate, combinations
from random import Random

import numpy as np

from skolem.task.query import Query, Relations

COLOURS = ("red", "blue", "green", "yellow", "orange", "purple")

NamedAtom = tuple[str, ...]
"""A predicate and its terms; in goals a term that starts with `?` is a variable."""

Colouring = Mapping[str, str]
"""The colour of every coloured object."""


@dataclass(frozen=True)
class Layout:
    """An initial state without its colours, so that one state space serves every colouring."""

    objects: tuple[str, ...]
    atoms: tuple[NamedAtom, ...]
    coloured: tuple[str, ...]
    """The objects that get a colour."""


@dataclass(frozen=True)
class GoalSpec:
    """A quantified conjunction: its variables, atoms, and the pairs of variables that must differ."""

    variables: tuple[str, ...]
    atoms: tuple[NamedAtom, ...]
    unequal: tuple[tuple[str, str], ...] = ()

    def to_query(self, objects: Sequence[str]) -> Query:
        """The goal over objects numbered by their place in `objects`."""
        code = {name: i for i, name in enumerate(objects)} | {v: ~i for i, v in enumerate(self.variables)}
        return Query(
            variables=len(self.variables),
            atoms=tuple((name, tuple(code[t] for t in terms)) for name, *terms in self.atoms),
            unequal=tuple((code[a], code[b]) for a, b in self.unequal),
        )


@dataclass(frozen=True)
class Shares:
    """How often each value is taken, in relative weights."""

    weights: Mapping[int, float]

    def draw(self, rng: Random) -> int:
        """A random value."""
        return self.pick(rng.random())

    def pick(self, quota: float, most: int = sys.maxsize) -> int:
        """The value at that quota of the weights, among the values up to `most`; `most` if none is."""
        values = [v for v in self.weights if v <= most]
        sums = list(accumulate(self.weights[v] for v in values))
        return values[bisect(sums, quota * sums[-1])] if values else most


ONE_TO_FOUR = Shares(dict.fromkeys(range(1, 5), 1))
ONE_TO_SIX = Shares(dict.fromkeys(range(1, 7), 1))


@dataclass(frozen=True)
class Family:
    """A kind of task: a PDDL domain and how its layouts, colours and goals are drawn."""

    name: str
    domain: str
    """The name of the PDDL domain, and of its file."""
    sizes: Mapping[str, Sequence[int]]
    """The numbers of constants of every set."""
    test_variables: Shares
    """How often each number of variables is taken; training takes 1 to 4 equally often."""
    colours: Shares
    """How often each number of colours is taken."""
    most_variables: Callable[[int], int]
    """The most variables a goal can have in a task of that size."""
    sample_layout: Callable[[Random, int, int], Layout]
    """A layout of a size that has room for goals with a number of variables."""
    sample_colours: Callable[[Random, Layout, int], Colouring]
    """A colouring with at most that many colours."""
    sample_odd_layout: Callable[[Random, int, int], Layout]
    """A layout with long distances, for training alone."""
    sample_goal: Callable[[Random, Layout, Colouring, int], GoalSpec]
    """A goal with that many variables, without inequalities; it stays reachable when all of them must differ."""

    def get_variables(self, set_: str) -> Shares:
        """How often each number of variables is taken in a set."""
        return ONE_TO_FOUR if set_ == "train" else self.test_variables

    @property
    def domain_text(self) -> str:
        """The PDDL domain."""
        return (resources.files(__package__) / f"{self.domain}.pddl").read_text(encoding="utf-8")


def colour_atoms(colours: Colouring) -> tuple[NamedAtom, ...]:
    """The atoms that state the colours."""
    return tuple((colour, name) for name, colour in colours.items())


def weigh_colours(rng: Random, layout: Layout, count: int) -> Colouring:
    """Every coloured object takes one of `count` random colours, the i-th of them with weight 1/i."""
    used = rng.sample(COLOURS, count)
    weights = [1 / i for i in range(1, count + 1)]
    return {name: rng.choices(used, weights)[0] for name in layout.coloured}


def spread_colours(rng: Random, layout: Layout, count: int) -> Colouring:
    """Every coloured object takes one of `count` random colours, all equally likely."""
    used = rng.sample(COLOURS, count)
    return {name: rng.choice(used) for name in layout.coloured}


def require_distinct(goal: GoalSpec) -> GoalSpec:
    """The goal with all its variables pairwise unequal."""
    return replace(goal, unequal=tuple(combinations(goal.variables, 2)))


def pick_by_colour(rng: Random, colours: Colouring, count: int) -> list[str]:
    """Distinct objects, one of each colour in random order before any colour comes again."""
    free: dict[str, list[str]] = {}
    for name in rng.sample(list(colours), len(colours)):
        free.setdefault(colours[name], []).append(name)
    picked: list[str] = []
    while len(picked) < count:
        rounds = rng.sample(list(free), len(free))
        picked.extend(free[colour].pop() for colour in rounds if free[colour])
    return picked[:count]


def name_variables(count: int) -> tuple[str, ...]:
    """The variables `?x1`, `?x2`, and so on."""
    return tuple(f"?x{i}" for i in range(1, count + 1))


def describe(variables: Sequence[str], objects: Sequence[str], colours: Colouring) -> list[NamedAtom]:
    """Goal atoms that give every variable the colour of the object in the same place."""
    return [(colours[name], variable) for variable, name in zip(variables, objects, strict=False)]


def index_atoms(objects: Sequence[str], atoms: Sequence[NamedAtom]) -> Relations:
    """The atoms as one array of object numbers per predicate."""
    number = {name: i for i, name in enumerate(objects)}
    rows: dict[str, list[list[int]]] = {}
    for predicate, *terms in atoms:
        rows.setdefault(predicate, []).append([number[t] for t in terms])
    return {name: np.array(r, dtype=np.int32).reshape(len(r), -1) for name, r in rows.items()}


def write_problem(name: str, domain: str, objects: Sequence[str], init: Sequence[NamedAtom], goal: GoalSpec) -> str:
    """The PDDL problem."""
    facts = "\n".join(f"    {write_atom(atom)}" for atom in init)
    unequal = [f"(not (= {a} {b}))" for a, b in goal.unequal]
    parts = "\n".join(f"      {part}" for part in [*map(write_atom, goal.atoms), *unequal])
    return (
        f"(define (problem {name})\n  (:domain {domain})\n  (:objects {' '.join(objects)})\n"
        f"  (:init\n{facts})\n"
        f"  (:goal (exists ({' '.join(goal.variables)})\n    (and\n{parts}))))\n"
    )


def write_atom(atom: NamedAtom) -> str:
    """The atom in PDDL."""
    return f"({' '.join(atom)})"
