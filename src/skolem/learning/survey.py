"""What there is to learn from: the problems as read, what they are good for, and that in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from skolem.oracle.ball import grow_ball
from skolem.oracle.ground import ground
from skolem.oracle.ground_task import GroundTask
from skolem.oracle.space import SpaceLimits
from skolem.oracle.user_tasks import GROWN, LARGER, MOST_OBJECTS, measure_largest, split_problems
from skolem.pddl.reading import read_task
from skolem.support.errors import InputError, LimitError, Place
from skolem.task.attributes import find_attributes
from skolem.task.model import Task
from skolem.task.schemas import uses_metric

MOST_STATES, LEAST_STATES = 20_000, 2_000
"""The most states of a space, fewer where there are many actions to try; of a larger one a ball of so many is used."""
_EFFORT = 4_000_000
"""States times ground actions that take about a second."""
_GUARD = 60.0
"""A guard only: seconds for a space."""


@dataclass(frozen=True)
class Survey:
    """The problems by how they are used."""

    tasks: tuple[Task, ...]
    kept: tuple[str, ...]
    """The files of the problems that are kept apart."""
    whole: tuple[str, ...]
    """Problems whose whole state space is used."""
    balls: tuple[str, ...]
    """Problems of which the states around a state are used."""
    shrunk: tuple[str, ...]
    """Problems that are too large as they are: only some of their objects are used at a time."""
    idle: tuple[str, ...]
    """Problems in which nothing can be done."""
    states: int
    """The most states of a space."""

    def describe(self) -> list[str]:
        """What will be learned and from what, a line each."""
        task = self.tasks[0]
        domain = task.domain
        sizes, largest = sorted(len(t.objects) for t in self.tasks), measure_largest(self.tasks)
        cost = "the cost of a cheapest plan" if uses_metric(task) else "the length of a shortest plan"
        asked = sum(bool(t.goal.variables) for t in self.tasks)
        lines = [
            f"domain {domain.name}: {len(domain.actions)} actions, {len(domain.axioms)} axioms; "
            f"what a goal costs is {cost}",
            f"{len(self.tasks)} problems of {sizes[0]} to {sizes[-1]} objects, {asked} with quantified goals",
        ]
        attributes = sorted(name for name in find_attributes(domain) if not name.startswith("type:"))
        if attributes:
            lines.append(f"left out, because no action reads them: {', '.join(attributes)}")
        if self.balls:
            lines.append(f"too large for their whole state space, used near their states: {', '.join(self.balls)}")
        if self.shrunk:
            lines.append(f"too large, shrunk to some of their objects: {', '.join(self.shrunk)}")
        if self.idle:
            lines.append(f"nothing can be done in: {', '.join(self.idle)}")
        if self.kept:
            lines.append(f"kept apart to see whether what is learned holds elsewhere: {', '.join(self.kept)}")
        else:
            lines.append("too few problems to keep one apart: give four or more")
        lines.append(
            f"training tasks of up to {int(largest * GROWN)} objects, larger ones of up to {int(largest * LARGER)}"
        )
        return lines


def survey_problems(domain: str, problems: Sequence[str]) -> Survey:
    """Reads the problems and looks at what can be done with each; an InputError where that is nothing."""
    tasks = [read_task(domain, problem, needs_goal=False) for problem in problems]
    if len({task.has_metric for task in tasks}) > 1:
        raise InputError("some of the problems have a metric and some have none, expected one or the other")
    if not tasks[0].domain.actions:
        raise InputError("the domain has no actions: there is nothing to learn", Place(domain))
    whole: list[str] = []
    balls: list[str] = []
    shrunk: list[str] = []
    idle: list[str] = []
    grounded: dict[str, GroundTask] = {}
    for task, file in zip(tasks, problems, strict=True):
        name = Path(file).name
        if len(task.objects) > MOST_OBJECTS:
            shrunk.append(name)
            continue
        try:
            grounded[name] = ground(task)
        except LimitError:
            shrunk.append(name)
    actions = max((len(task.actions) for task in grounded.values()), default=1)
    states = max(LEAST_STATES, min(MOST_STATES, _EFFORT // max(1, actions)))
    for name, ground_task in grounded.items():
        space = grow_ball(ground_task, SpaceLimits(states, _GUARD))
        (idle if len(space) < 2 else whole if space.horizon is None else balls).append(name)
    if not whole and not balls and not shrunk:
        raise InputError("there is nothing that can be done in any of the problems", Place(problems[0]))
    kept = [Path(task.source.path).name for task in split_problems(tasks)[0]]
    return Survey(tuple(tasks), tuple(kept), tuple(whole), tuple(balls), tuple(shrunk), tuple(idle), states)
