"""Training tasks from a user's own problems: some of the problems are kept apart, larger tasks are made by joining."""

from collections.abc import Sequence
from random import Random

from skolem.oracle.costs import SpaceCache
from skolem.oracle.lifting import Language, lift_goal, list_shapes
from skolem.oracle.masks import MASKS, PAIRS, draw_masks, draw_pairs
from skolem.oracle.space import Space
from skolem.oracle.training_tasks import TrainingTask, list_attributes, list_relations
from skolem.oracle.variants import Variants
from skolem.support.errors import LimitError
from skolem.task.cost_relations import find_cost_relations, list_cost_relations
from skolem.task.model import Task, empty_relation
from skolem.task.query import Query, Relations
from skolem.task.schemas import describe_actions, uses_metric

KEPT_SHARE = 6
"""One problem in so many is kept apart, and at least one of four."""
GROWN = 2.0
"""How many times as many objects as the largest problem a training task may have."""
LARGER = 3.0
"""The same for the larger tasks, which have more objects than any training task."""
MOST_OBJECTS = 40
"""Problems with more objects count as if they had so many: they are shrunk."""
_FEW = 4
_ATTEMPTS = 6
_LEAST_STATES = 12
"""Tasks with fewer states, dead ends mostly, have little to learn from."""


class ProblemOrigin:
    """Tasks from a user's problems; goals are lifted from their reachable states.

    A share of `masks` of the tasks describes objects by made-up attributes, the others by their own; a share of
    `variants` is made from the problems instead of being one of them.
    """

    def __init__(self, tasks: Sequence[Task], variables: int, masks: float = 0.0, variants: float = 0.0) -> None:
        self.domain = tasks[0].domain.name
        self.masks = masks
        self.variants = variants
        self.relations = (*list_relations(tasks, made_up=masks > 0), *list_cost_relations(tasks))
        self.attributes = list_attributes(tasks, self.relations)
        self.actions = describe_actions(tasks[0])
        self.metric = uses_metric(tasks[0])
        self.kept, self.training = split_problems(tasks)
        self.largest = measure_largest(self.training)
        # What the tasks are drawn from is the same for every shard.
        self._maker = Variants(tasks, Random(0)) if variants else None
        self._language = describe_language(tasks, self.attributes, variables)
        # Goals with derived predicates are not bound by a network.
        derived = tasks[0].domain.derived
        self._arities = {r.name: r.arity for r in self.relations if not r.static and r.name not in derived}

    def draw_tasks(self, rng: Random, part: str, spaces: SpaceCache) -> list[TrainingTask]:
        """One random task, several times with other attributes if they are made up."""
        found = self._open(rng, part, spaces)
        return [] if found is None else [self._describe(rng, *found) for _ in range(4 if self.masks > 0 else 1)]

    def _open(self, rng: Random, part: str, spaces: SpaceCache) -> tuple[Task, Space, int] | None:
        """A task with its space and initial state; one of few states only if no other is found."""
        small = None
        for _ in range(_ATTEMPTS):
            task = self._draw(rng, part)
            if task is None:
                continue
            try:
                space, initial = spaces.find(task)
            except LimitError:
                continue
            if len(space) >= _LEAST_STATES:
                return task, space, initial
            if len(space) > 1:
                small = task, space, initial
        return small

    def _draw(self, rng: Random, part: str) -> Task | None:
        if self._maker is None:
            return rng.choice(self.training if part == "train" else self.kept or self.training)
        everything = [*self.training, *self.kept]
        size = int(self.largest * GROWN)
        if part == "train":
            return self._maker.draw(rng, self.training, size, self.variants)
        if part == "validation":
            return self._maker.draw(rng, self.kept or self.training, self.largest, self.variants)
        larger = self._maker.draw(rng, everything, int(self.largest * LARGER), larger_than=size)
        # Where problems cannot be joined, those that are kept apart are the best that there is.
        return larger or self._maker.draw(rng, self.kept or everything, size, self.variants)

    def _describe(self, rng: Random, task: Task, space: Space, initial: int) -> TrainingTask:
        objects = len(task.objects)
        made_up: Relations = {}
        if self.masks > 0 and rng.random() < self.masks:
            everything = range(objects)
            made_up = draw_masks(rng, everything, task.init, objects)
            made_up = {**made_up, **draw_pairs(rng, everything, task.init, objects, ())}
        found = {**task.statics, **find_cost_relations(task, self.relations), **made_up}
        statics = {r.name: found.get(r.name, empty_relation(r.arity)) for r in self.relations if r.static}
        unary = [name for name, rows in task.statics.items() if rows.shape[1] == 1 and name in statics]
        attributes = MASKS if made_up else [name for name in unary if name not in self._language.kinds]
        pairs = PAIRS[:-1] if made_up else ()
        layers = [0, *(int(i) for i in (space.depth[1:] != space.depth[:-1]).nonzero()[0] + 1), len(space)]

        possible: dict[str, list[tuple[int, ...]]] = {}
        for name, args in space.atoms:
            possible.setdefault(name, []).append(args)

        def draw_goal(rng: Random) -> Query:
            def draw_target() -> Relations:
                # By layer half of the time: most states are far away.
                state = rng.randrange(len(space))
                if rng.random() < 0.5:
                    layer = rng.randrange(len(layers) - 1)
                    state = rng.randrange(layers[layer], layers[layer + 1])
                return space.relations(state, self._arities)

            return lift_goal(rng, self._language, statics, draw_target, possible, attributes, pairs)

        return TrainingTask(task, space, initial, objects, statics, draw_goal)


def measure_largest(tasks: Sequence[Task]) -> int:
    """The objects of the largest problem that need not be shrunk."""
    return min(MOST_OBJECTS, max(len(task.objects) for task in tasks))


def split_problems(tasks: Sequence[Task]) -> tuple[list[Task], list[Task]]:
    """The problems that are kept apart, and those for training."""
    if len(tasks) < _FEW:
        return [], list(tasks)
    order = Random(len(tasks)).sample(range(len(tasks)), len(tasks))
    kept = set(order[: max(1, len(tasks) // KEPT_SHARE)])
    return [task for i, task in enumerate(tasks) if i in kept], [task for i, task in enumerate(tasks) if i not in kept]


def describe_language(tasks: Sequence[Task], attributes: Sequence[str], variables: int) -> Language:
    """What goals of the tasks' domain are made of."""
    statics = {name: rows.shape[1] for name, rows in tasks[0].statics.items() if not name.startswith("named:")}
    asked = {name for task in tasks if task.goal.outside is None for name, _ in task.query.atoms}
    read = {name for name in statics if name not in attributes and "|" not in name and name != "type:object"}
    return Language(
        shapes=tuple(dict.fromkeys(shape for task in tasks for shape in list_shapes(task))),
        kinds=frozenset(name for name in read if statics[name] == 1),
        joins=frozenset(n for n, arity in statics.items() if arity > 1 and (n in read or n in asked)),
        variables=variables,
    )
