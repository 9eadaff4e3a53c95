"""What there is to learn from: the problems as read, what they are good for, and that in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from skolem.oracle.ball import grow_ball
from skolem.oracle.ground import ground
from skolem.oracle.space import SpaceLimits
from skolem.oracle.user_tasks import GROWN, LARGER, split_problems
from skolem.pddl.reading import read_task
from skolem.support.errors import InputError, LimitError, Place
from skolem.task.attributes import find_attributes
from skolem.task.model import Task
from skolem.task.schemas import uses_metric

MOST_STATES = 20_000
"""The most states of a space; of a larger one a ball of so many is used."""
_LOOK = 3.0
"""Seconds for looking at one problem's space."""


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
    useless: tuple[str, ...]
    """Problems that are too large to be grounded, or in which nothing can be done."""

    def describe(self) -> list[str]:
        """What will be learned and from what, a line each."""
        task = self.tasks[0]
        domain = task.domain
        sizes = sorted(len(t.objects) for t in self.tasks)
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
        if self.useless:
            lines.append(f"not used, too large or without anything to do: {', '.join(self.useless)}")
        if self.kept:
            lines.append(f"kept apart to see whether what is learned holds elsewhere: {', '.join(self.kept)}")
        else:
            lines.append("too few problems to keep one apart: give four or more")
        lines.append(
            f"training tasks of up to {int(sizes[-1] * GROWN)} objects, measured on up to {int(sizes[-1] * LARGER)}"
        )
        return lines


def survey_problems(domain: str, problems: Sequence[str]) -> Survey:
    """Reads the problems and looks at what can be done with each; an InputError where that is nothing."""
    tasks = [read_task(domain, problem, needs_goal=False) for problem in problems]
    if len({task.has_metric for task in tasks}) > 1:
        raise InputError("some of the problems have a metric and some have none, expected one or the other")
    if not tasks[0].domain.actions:
        raise InputError("the domain has no actions: there is nothing to learn", Place(domain))
    whole, balls, useless = [], [], []
    usable = []
    for task, file in zip(tasks, problems, strict=True):
        name = Path(file).name
        try:
            space = grow_ball(ground(task), SpaceLimits(MOST_STATES, _LOOK))
        except LimitError:
            useless.append(name)
            continue
        if len(space) < 2:
            useless.append(name)
            continue
        usable.append(task)
        (whole if space.horizon is None else balls).append(name)
    if not usable:
        raise InputError("in none of the problems anything can be done", Place(problems[0]))
    kept = {id(task) for task in split_problems(usable)[0]}
    names = tuple(Path(task.source.path).name for task in usable if id(task) in kept)
    return Survey(tuple(usable), names, tuple(whole), tuple(balls), tuple(useless))
