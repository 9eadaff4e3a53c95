"""Where the labelled goals come from: the tasks of a family (those of a user are in `user_tasks`)."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

import numpy as np

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
from skolem.oracle.costs import SpaceCache
from skolem.oracle.dataset import Relation
from skolem.oracle.masks import MASKS, PAIRS, describe_further, draw_masks, draw_pairs
from skolem.oracle.space import Space
from skolem.pddl.reading import read_task_text
from skolem.support.errors import LimitError
from skolem.task.attributes import find_attributes, list_named_objects
from skolem.task.model import Source, Task, empty_relation
from skolem.task.query import Query, Relations
from skolem.task.schemas import describe_actions

VALIDATION_SHARE = 20
"""One task in so many is for validation."""
_NAMED_SHARE = 0.4
"""How many layouts have goals that name objects, where there are such goals."""
_KINDS_SHARE = 0.15
"""How many masked tasks have kinds that are objects."""


@dataclass(frozen=True)
class Variety:
    """In how many tasks of a family layouts and attributes are others than those of the paper."""

    odd: float = 0.0
    """The share of layouts with long distances: paths, mazes, walls, rings, tall towers."""
    masks: float = 0.0
    """The share of tasks whose objects are described by random overlapping masks instead of one colour each."""


PLAIN = Variety()


@dataclass(frozen=True)
class TrainingTask:
    """A coloured task: its space, initial state, static relations, and how its goals are drawn."""

    task: Task
    space: Space
    initial: int
    objects: int
    statics: Relations
    draw_goal: Callable[[Random], Query]


class Origin(Protocol):
    """What training tasks are drawn from."""

    domain: str
    """The name of the PDDL domain."""
    relations: tuple[Relation, ...]
    attributes: tuple[str, ...]
    """The relations that no action and no axiom reads, and types that all objects have."""
    actions: tuple[str, ...]
    """The actions and axioms in canonical text."""
    metric: bool
    """Whether costs are those of the metric."""

    def draw_tasks(self, rng: Random, part: str, spaces: SpaceCache) -> list[TrainingTask]:
        """Tasks of one layout, which share a space; none where the draw was not usable."""


def list_relations(tasks: Sequence[Task], made_up: bool = False) -> tuple[Relation, ...]:
    """The relations of a dataset: the domain's predicates, types, objects that actions name, and made-up attributes."""
    domain = tasks[0].domain
    relations = [Relation(n, len(domain.predicates[n]), n in domain.static) for n in sorted(domain.predicates)]
    relations += [Relation(f"type:{name}", 1, True) for name in sorted(domain.supertypes) if name != "object"]
    relations += [Relation(f"named:{name}", 1, True) for name in list_named_objects(domain)]
    if made_up:
        relations += [Relation(name, 1, True) for name in MASKS] + [Relation(name, 2, True) for name in PAIRS]
    return tuple(relations)


def list_attributes(tasks: Sequence[Task], relations: Sequence[Relation]) -> tuple[str, ...]:
    """The relations that only describe objects: attributes, types that all objects have, and what is made up."""
    spare = {*find_attributes(tasks[0].domain), *MASKS, *PAIRS}
    types = {r.name for r in relations if r.name.startswith("type:")}
    spare |= {name for name in types if all(len(task.init[name]) == len(task.objects) for task in tasks)}
    return tuple(r.name for r in relations if r.name in spare)


class FamilyOrigin:
    """Tasks of a family, every layout with several colourings."""

    def __init__(
        self,
        family: Family,
        set_: str,
        colourings: int,
        named: int = 0,
        variety: Variety = PLAIN,
        neq: bool | None = None,
    ) -> None:
        self.domain = family.domain
        self.family = family
        self.set = set_
        self.colourings = colourings
        self.named = named
        """How many variables more than the set's goals have some are drawn with, for objects to be named instead."""
        self.variety = variety
        self.neq = neq
        """Whether variables must differ; None for half of the goals."""
        self.source = Source(f"{family.domain}.pddl", family.domain_text)
        smallest = min(family.sizes["train"])
        some = self._read(family.sample_layout(Random(0), smallest, 1))
        self.relations = list_relations([some], made_up=variety.masks > 0)
        self.attributes = list_attributes([some], self.relations)
        self.actions = describe_actions(some)
        self.metric = False

    def draw_tasks(self, rng: Random, part: str, spaces: SpaceCache) -> list[TrainingTask]:
        """Tasks of one random layout; large sizes and many variables are drawn more often: they have more to learn."""
        family = self.family
        sizes = family.sizes[self.set]
        size = rng.choices(sizes, [s * s for s in sizes])[0]
        counts = list(family.get_variables(self.set).weights)
        variables = rng.choices(counts, counts)[0]
        if self.named and rng.random() < _NAMED_SHARE:
            variables = max(counts) + rng.randint(1, self.named)
        variables = min(variables, family.most_variables(size))
        odd = self.variety.odd > 0 and rng.random() < self.variety.odd
        if odd and rng.random() < 0.5:
            # Few variables leave room for long distances.
            variables = min(variables, rng.randint(1, 2))
        layout = (family.sample_odd_layout if odd else family.sample_layout)(rng, size, variables)
        task = self._read(layout)
        try:
            space, initial = spaces.find(task)
        except LimitError:
            return []
        tasks = []
        for _ in range(self.colourings):
            described = self._describe(rng, part, layout, task, variables)
            if described is not None:
                tasks.append(TrainingTask(task, space, initial, *described))
        return tasks

    def _describe(
        self, rng: Random, part: str, layout: Layout, task: Task, variables: int
    ) -> tuple[int, Relations, Callable[[Random], Query]] | None:
        """The number of objects, static relations of random attributes that belong to the part, and goals for them."""
        masked = self.variety.masks > 0 and rng.random() < self.variety.masks
        for _ in range(100):
            objects, attributes, colours, kinds = (self._mask if masked else self._colour)(rng, layout, task)
            statics = self._complete({**task.statics, **attributes})
            if belongs(part, layout.objects, statics):
                break
        else:
            return None

        def draw_goal(rng: Random) -> Query:
            count = variables if rng.random() < 0.6 else rng.randint(1, variables)
            goal: GoalSpec = self.family.sample_goal(rng, layout, colours, count)
            distinct = rng.random() < 0.5 if self.neq is None else self.neq
            query = (require_distinct(goal) if distinct else goal).to_query(layout.objects)
            return describe_further(rng, query, statics, kinds) if masked else query

        return objects, statics, draw_goal

    def _colour(self, rng: Random, layout: Layout, task: Task) -> "Attributes":
        """One colour for every object that gets one."""
        colours = self.family.sample_colours(rng, layout, self.family.colours.draw(rng))
        return len(layout.objects), index_atoms(layout.objects, colour_atoms(colours)), colours, ()

    def _mask(self, rng: Random, layout: Layout, task: Task) -> "Attributes":
        """Masks and pairs over the objects that get a colour otherwise, in some tasks with kinds that are objects."""
        count = len(layout.objects)
        described = [task.index[name] for name in layout.coloured]
        kinds = range(count, count + rng.randint(1, 4)) if rng.random() < _KINDS_SHARE else range(0)
        masks = draw_masks(rng, described, task.init, count)
        pairs = draw_pairs(rng, described, task.init, count, kinds)
        owners: dict[int, list[str]] = {}
        for name, rows in masks.items():
            for obj in rows[:, 0].tolist():
                owners.setdefault(obj, []).append(name)
        # A goal describes a variable by one of the masks of its witness.
        colours = {layout.objects[obj]: rng.choice(names) for obj, names in sorted(owners.items())}
        return count + len(kinds), {**masks, **pairs}, colours, kinds

    def _complete(self, statics: Relations) -> Relations:
        return {r.name: statics.get(r.name, empty_relation(r.arity)) for r in self.relations if r.static}

    def _read(self, layout: Layout) -> Task:
        goal = GoalSpec(("?x",), ())
        text = write_problem("layout", self.family.domain, layout.objects, layout.atoms, goal)
        return read_task_text(self.source, Source("layout.pddl", text))


Attributes = tuple[int, Relations, Colouring, Sequence[int]]
"""The number of objects, their attributes, by which of them goals describe each object, and which are kinds."""


def belongs(part: str, objects: Sequence[str], statics: Mapping[str, "np.ndarray"]) -> bool:
    """Whether a task, told by its objects and static atoms, is one of that part."""
    digest = hashlib.sha256("/".join(objects).encode())
    for name in sorted(statics):
        digest.update(name.encode() + np.ascontiguousarray(statics[name]).tobytes())
    chosen = int.from_bytes(digest.digest()[:4]) % VALIDATION_SHARE == 0
    return part == "larger" or chosen == (part == "validation")
