"""The random grounders, baselines of the learned ones: any object at all, or any statically valid binding."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from skolem.grounding.protocol import Grounding
from skolem.support.errors import UnsupportedError
from skolem.task.constraints.candidates import iterate_valid, sample_valid
from skolem.task.constraints.relations_index import index_relations
from skolem.task.model import Task

# After this many draws in a row that were there before, the bindings left are listed instead.
_MOST_REPEATS = 100


@dataclass(frozen=True)
class RandomGrounder:
    """Binds every variable to an object drawn uniformly from all objects; the binding need not be valid."""

    seed: int = 0
    name: str = "random"
    predicts: bool = False
    doubt: str = ""
    model: None = None

    def ground(self, task: Task) -> Grounding:
        """The first binding drawn."""
        return next(self.groundings(task))

    def groundings(self, task: Task) -> Iterator[Grounding]:
        """All bindings in random order."""
        rng = _make_rng(self, task)
        count, variables = len(task.objects), len(task.goal.variables)
        if not count and variables:
            yield Grounding("unsolvable", None, None, (), self.name)
        seen: set[tuple[int, ...]] = set()
        while len(seen) < count**variables:
            objects = tuple(rng.randrange(count) for _ in range(variables))
            if objects not in seen:
                seen.add(objects)
                yield Grounding("grounded", task.name_binding(objects), None, (), self.name)


@dataclass(frozen=True)
class RandomValidGrounder:
    """Draws a binding from all statically valid ones, as `sample_valid` does; unsolvable if there is none."""

    seed: int = 0
    name: str = "random-valid"
    predicts: bool = False
    doubt: str = ""
    model: None = None

    def ground(self, task: Task) -> Grounding:
        """The first binding drawn."""
        return next(self.groundings(task))

    def groundings(self, task: Task) -> Iterator[Grounding]:
        """All valid bindings: in random order while new ones are drawn easily, then the rest as they are listed."""
        rng = _make_rng(self, task)
        count = len(task.objects)
        statics = index_relations(task.statics, count)
        seen: set[tuple[int, ...]] = set()
        repeats = 0
        while repeats < _MOST_REPEATS:
            objects = sample_valid(task.query, statics, count, rng)
            if objects is None:
                yield Grounding("unsolvable", None, None, (), self.name)
                return
            repeats += 1
            if objects not in seen:
                repeats = 0
                seen.add(objects)
                yield Grounding("grounded", task.name_binding(objects), None, (), self.name)
        for objects in iterate_valid(task.query, statics, count):
            if objects not in seen:
                yield Grounding("grounded", task.name_binding(objects), None, (), self.name)


def _make_rng(grounder: RandomGrounder | RandomValidGrounder, task: Task) -> Random:
    """Random numbers that depend on the seed and the task alone; an UnsupportedError outside the fragment."""
    if task.goal.outside is not None:
        raise UnsupportedError(f"the {grounder.name} grounder cannot bind this goal: {task.goal.outside}")
    return Random(f"{grounder.seed}\n{task.domain.name}\n{task.name}\n{task.source.text}")
