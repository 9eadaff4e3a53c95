"""Where the labelled goals come from: the tasks of a family, or a user's own problems."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

import numpy as np

from skolem.families.family import Family, GoalSpec, Layout, colour_atoms, index_atoms, require_distinct, write_problem
from skolem.oracle.costs import SpaceCache
from skolem.oracle.dataset import Relation
from skolem.oracle.lifting import lift_goal
from skolem.oracle.space import Space
from skolem.pddl.reading import read_domain, read_task_text
from skolem.support.errors import LimitError
from skolem.task.model import Domain, Source, Task, empty_relation
from skolem.task.query import Query, Relations

VALIDATION_SHARE = 20
"""One task in so many is for validation."""
_NAMED_SHARE = 0.4
"""How many layouts have goals that name objects, where there are such goals."""


@dataclass(frozen=True)
class TrainingTask:
    """A coloured task: its space, initial state, static relations, and how its goals are drawn."""

    space: Space
    initial: int
    objects: int
    statics: Relations
    draw_goal: Callable[[Random], Query]


class Origin(Protocol):
    """What scenes are drawn from."""

    domain: str
    """The name of the PDDL domain."""
    relations: tuple[Relation, ...]

    def draw_scenes(self, rng: Random, part: str, spaces: SpaceCache) -> list[TrainingTask]:
        """Scenes of one layout, which share a space; none where the draw was not usable."""


def list_relations(domain: Domain) -> tuple[Relation, ...]:
    """The vocabulary of a dataset: the domain's predicates, and its types where it declares any."""
    relations = [Relation(n, len(domain.predicates[n]), n in domain.static) for n in sorted(domain.predicates)]
    types = [Relation(f"type:{name}", 1, True) for name in sorted(domain.supertypes) if name != "object"]
    return (*relations, *types)


class FamilyOrigin:
    """Tasks of a family, every layout with several colourings."""

    def __init__(self, family: Family, set_: str, colourings: int, named: int = 0) -> None:
        self.domain = family.domain
        self.family = family
        self.set = set_
        self.colourings = colourings
        self.named = named
        """How many variables more than the set's goals have some are drawn with, for objects to be named instead."""
        self.source = Source(f"{family.domain}.pddl", family.domain_text)
        self.relations = list_relations(read_domain(self.source))

    def draw_scenes(self, rng: Random, part: str, spaces: SpaceCache) -> list[TrainingTask]:
        """Scenes of one random layout; large sizes and many variables are drawn more often: they have more to learn."""
        family = self.family
        sizes = family.sizes[self.set]
        size = rng.choices(sizes, [s * s for s in sizes])[0]
        counts = list(family.get_variables(self.set).weights)
        variables = rng.choices(counts, counts)[0]
        if self.named and rng.random() < _NAMED_SHARE:
            variables = max(counts) + rng.randint(1, self.named)
        variables = min(variables, family.most_variables(size))
        layout = family.sample_layout(rng, size, variables)
        task = self._read(layout)
        try:
            space, initial = spaces.find(task)
        except LimitError:
            return []
        scenes = []
        for _ in range(self.colourings):
            coloured = self._colour(rng, part, layout, task, variables)
            if coloured is not None:
                scenes.append(TrainingTask(space, initial, len(layout.objects), *coloured))
        return scenes

    def _colour(
        self, rng: Random, part: str, layout: Layout, task: Task, variables: int
    ) -> tuple[Relations, Callable[[Random], Query]] | None:
        """The static relations of a random colouring that belongs to the part, and goals for it."""
        family = self.family
        for _ in range(100):
            colours = family.sample_colours(rng, layout, family.colours.draw(rng))
            atoms = index_atoms(layout.objects, colour_atoms(colours))
            statics = {name: atoms.get(name, rows) for name, rows in task.statics.items()}
            if belongs(part, layout.objects, statics):
                break
        else:
            return None

        def draw_goal(rng: Random) -> Query:
            count = variables if rng.random() < 0.6 else rng.randint(1, variables)
            goal: GoalSpec = family.sample_goal(rng, layout, colours, count)
            return (require_distinct(goal) if rng.random() < 0.5 else goal).to_query(layout.objects)

        return statics, draw_goal

    def _read(self, layout: Layout) -> Task:
        goal = GoalSpec(("?x",), ())
        text = write_problem("layout", self.family.domain, layout.objects, layout.atoms, goal)
        return read_task_text(self.source, Source("layout.pddl", text))


class ProblemOrigin:
    """A user's problems; goals are lifted from their reachable states."""

    def __init__(self, tasks: Sequence[Task], variables: int) -> None:
        self.domain = tasks[0].domain.name
        self.tasks = tasks
        self.variables = variables
        self.relations = list_relations(tasks[0].domain)

    def draw_scenes(self, rng: Random, part: str, spaces: SpaceCache) -> list[TrainingTask]:
        """The scene of one random problem."""
        usable = [task for task in self.tasks if belongs(part, task.objects, task.statics)]
        # With few problems a part may be empty: then its goals, drawn from a stream of their own, tell it apart.
        task = rng.choice(usable or list(self.tasks))
        try:
            space, initial = spaces.find(task)
        except LimitError:
            return []
        arities = {r.name: r.arity for r in self.relations if not r.static}
        statics = {r.name: task.statics.get(r.name, empty_relation(r.arity)) for r in self.relations if r.static}

        def draw_goal(rng: Random) -> Query:
            target = space.relations(rng.randrange(len(space)), arities)
            return lift_goal(rng, statics, target, rng.randint(1, self.variables))

        return [TrainingTask(space, initial, len(task.objects), statics, draw_goal)]


def belongs(part: str, objects: Sequence[str], statics: Mapping[str, "np.ndarray"]) -> bool:
    """Whether a task, told by its objects and static atoms, is one of that part."""
    digest = hashlib.sha256("/".join(objects).encode())
    for name in sorted(statics):
        digest.update(name.encode() + np.ascontiguousarray(statics[name]).tobytes())
    chosen = int.from_bytes(digest.digest()[:4]) % VALIDATION_SHARE == 0
    return part == "larger" or chosen == (part == "validation")
