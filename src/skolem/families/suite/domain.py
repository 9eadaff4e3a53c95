"""What a domain of the suite offers: its PDDL text, and problems with quantified goals drawn by size."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from random import Random

from skolem.pddl.reading import read_task_text
from skolem.support.errors import InputError
from skolem.task.model import Source
from skolem.task.semantics.dynamics import Dynamics

ATTEMPTS = 200

Draw = Callable[[int, Random], str]


@dataclass(frozen=True)
class SuiteDomain:
    """A domain that researchers know, with problems of its own."""

    name: str
    domain: str
    """The PDDL text of the domain."""
    draw_problem: Draw
    """A problem of a size as PDDL text; its quantified goal is false at the start, and reachable unless `notes` say
    otherwise."""
    learning_sizes: Sequence[int]
    """Sizes whose state spaces are small; the size is the number of objects unless `notes` say otherwise."""
    test_sizes: Sequence[int]
    notes: str
    """What is special: types, attributes, costs, dead ends, axioms."""


def make_domain(
    name: str, draw: Draw, learning_sizes: Sequence[int], test_sizes: Sequence[int], notes: str
) -> SuiteDomain:
    """The domain in the file of that name; what is drawn with a goal that is true at the start is drawn again."""
    text = (resources.files(__package__) / f"{name}.pddl").read_text(encoding="utf-8")
    source = Source(f"{name}.pddl", text)

    def draw_open(size: int, rng: Random) -> str:
        for _ in range(ATTEMPTS):
            problem = draw(size, rng)
            task = read_task_text(source, Source(f"{name}-{size}.pddl", problem))
            dynamics = Dynamics(task)
            if not dynamics.holds(dynamics.start, task.goal.formula):
                return problem
        raise InputError(f"every {name} goal drawn for size {size} was true at the start")

    return SuiteDomain(name, text, draw_open, tuple(learning_sizes), tuple(test_sizes), notes)
