"""Walks towards goals, guided by a network: cheaper ways than random walks find, and so better upper bounds.

A walker goes to the successor from which its goal costs least, as the network sees it, and never back to where it was.
Whatever it finds is added to the states that random walks found, with all their successors: what is labelled afterwards
is the cheapest way through all of them. The network only proposes; a way that was found proves every bound.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Protocol

import numpy as np
import numpy.typing as npt

from skolem.oracle.bindings import View
from skolem.oracle.exploration import build_sample
from skolem.oracle.ground import ground
from skolem.oracle.ground_task import GroundTask
from skolem.oracle.labels import BindingCosts
from skolem.oracle.space import (
    CollisionError,
    Edges,
    Space,
    SpaceLimits,
    StateTable,
    find_rows,
    list_successors,
    read_relations,
)
from skolem.oracle.training_tasks import TrainingTask
from skolem.support.errors import LimitError
from skolem.task.query import Query, Relations

_STEPS = 32
"""The most steps of a walk."""
_FAR = np.iinfo(np.int32).max
"""Stands for what a goal costs of which no way is known."""
_GROWTH = 3
"""How many times as many states there may be in the end."""
_THERE = 0.5
"""A goal that costs less, as the network sees it, counts as reached."""
_SECONDS = 600.0
"""A guard only."""


class Guide(Protocol):
    """Something that knows what goals cost, more or less."""

    @property
    def checksum(self) -> str:
        """Tells it from all others."""

    def predict(self, statics: Relations, objects: int, asked: Sequence[tuple[Relations, Query]]) -> list[float]:
        """The costs of goals, each from a state of one task."""


@dataclass
class Walker:
    """A goal that is walked to."""

    task: TrainingTask
    query: Query
    state: int
    left: int
    """What the rest of the way may cost to be worth its while."""

    def __post_init__(self) -> None:
        self.seen = {self.state}


@dataclass(frozen=True, eq=False)
class Asked:
    """A goal from a state of a task, and what its bindings cost as far as that is known."""

    task: TrainingTask
    view: View
    query: Query
    costs: BindingCosts


def walk_to_goals(asked: Sequence[Asked], guide: Guide, rng: Random, arities: dict[str, int]) -> list[Asked]:
    """The same goals, of tasks that share a space, seen in that space with what walks to them found."""
    if not asked or not asked[0].task.space.is_sample:
        # Nothing more can be found.
        return list(asked)
    space, place = _extend(asked, guide, rng, arities)
    tasks = {id(a.task): replace(a.task, space=space, initial=int(place[a.task.initial])) for a in asked}
    views = {a.view.state: View(space, int(place[a.view.state])) for a in asked}
    return [
        Asked(tasks[id(a.task)], views[a.view.state], a.query, a.costs.see_from(views[a.view.state])) for a in asked
    ]


def _extend(
    asked: Sequence[Asked], guide: Guide, rng: Random, arities: dict[str, int]
) -> tuple[Space, npt.NDArray[np.int64]]:
    """The space with what was found, and the new number of every old state."""
    task = asked[0].task
    for salt in range(8):
        try:
            return _Walks(ground(task.task), task.space, salt).run(asked, guide, rng, arities)
        except CollisionError:
            continue
    raise LimitError("states could not be told apart by their hash values")


class _Walks:
    """The states of a space and those that walkers find, numbered anew."""

    def __init__(self, task: GroundTask, space: Space, salt: int) -> None:
        self.task = task
        self.space = space
        self.limits = SpaceLimits(_GROWTH * len(space) + 100, _SECONDS)
        self.table = StateTable(task, salt)
        self.place = self.table.number(space.states[: space.fluents], self.limits.states)
        costs = np.ones(len(space.sources), dtype=np.int32) if space.costs is None else space.costs
        self.edges: list[Edges] = []
        self.following: dict[int, list[tuple[int, int]]] = {}
        self._add((self.place[space.sources], self.place[space.targets], costs))

    def run(
        self, asked: Sequence[Asked], guide: Guide, rng: Random, arities: dict[str, int]
    ) -> tuple[Space, npt.NDArray[np.int64]]:
        walkers = [walker for each in asked for walker in self._send(each, rng)]
        deadline = time.monotonic() + _SECONDS
        for _ in range(_STEPS):
            try:
                self._expand(sorted({w.state for w in walkers} - self.following.keys()), deadline)
            except LimitError:
                break
            walkers = self._step(walkers, guide, arities)
        sources, targets, costs = (np.concatenate(arrays) for arrays in zip(*self.edges, strict=True))
        found, order = build_sample(self.task, self.table, (sources, targets, costs), is_whole=False)
        return found, order[self.place]

    def _send(self, asked: Asked, rng: Random) -> list[Walker]:
        """A walker to the goal, and one to a binding of it at random."""
        query, costs, state = asked.query, asked.costs, int(self.place[asked.view.state])
        walkers = [Walker(asked.task, query, state, _FAR if costs.best is None else costs.best)]
        if len(costs.bindings) > 1:
            number = rng.randrange(len(costs.bindings))
            cost = int(costs.costs[number])
            if cost != -1:
                bound = replace(query, binding=tuple(costs.bindings[number].tolist()))
                walkers.append(Walker(asked.task, bound, state, _FAR if cost < 0 else cost))
        # What costs one is as cheap as it gets.
        return [walker for walker in walkers if walker.left > 1]

    def _add(self, edges: Edges) -> None:
        self.edges.append(edges)
        for source, target, cost in zip(*(array.tolist() for array in edges), strict=True):
            self.following.setdefault(source, []).append((target, cost))

    def _expand(self, states: list[int], deadline: float) -> None:
        if states:
            numbers = np.array(states, dtype=np.int64)
            rows = find_rows(self.table, numbers)
            self._add(list_successors(self.table, rows, numbers, self.limits, deadline, 8 * self.limits.states))
            for state in states:
                self.following.setdefault(state, [])

    def _step(self, walkers: list[Walker], guide: Guide, arities: dict[str, int]) -> list[Walker]:
        """The walkers that go on, each at its next state."""
        ahead = [[e for e in self.following[w.state] if e[0] not in w.seen and e[1] < w.left] for w in walkers]
        states = sorted({state for edges in ahead for state, _ in edges})
        if not states:
            return []
        rows = find_rows(self.table, np.array(states, dtype=np.int64))
        relations = {
            state: read_relations(self.space.atoms, self.space.places, rows[:, i], arities)
            for i, state in enumerate(states)
        }
        moved = []
        for task in {id(w.task): w.task for w in walkers}.values():
            group = [(w, edges) for w, edges in zip(walkers, ahead, strict=True) if w.task is task and edges]
            questions = [(relations[state], w.query) for w, edges in group for state, _ in edges]
            values = iter(guide.predict(task.statics, task.objects, questions))
            for walker, edges in group:
                value, cost, state = min((next(values) + cost, cost, state) for state, cost in edges)
                walker.state, walker.left = state, walker.left - cost
                walker.seen.add(state)
                if value - cost >= _THERE and walker.left > 1:
                    moved.append(walker)
        return moved
