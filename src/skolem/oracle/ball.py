"""Balls: the neighbourhood of a state by cost, which gives exact costs where the whole space is too large.

States are settled in the order of their cost from the centre. When the next ones would be too many, the cost at which
the search stands is the horizon h: every state that costs less is in the ball, and those in it that cost h do cost h.
From the centre, a goal that holds in a state of the ball costs what the cheapest such state does. From another state
at cost k a goal state inside may be reached by a cheaper way outside, but every way outside costs at least h - k: what
costs at most h - k inside costs exactly that. Any other goal costs at least h - k, and nothing more is known of it.
"""

import time

import numpy as np

from skolem.oracle.ground_task import GroundTask
from skolem.oracle.space import (
    CollisionError,
    Edges,
    Indices,
    Space,
    SpaceLimits,
    StateTable,
    find_rows,
    list_places,
    list_successors,
)
from skolem.support.errors import LimitError

_FAR = np.iinfo(np.int32).max
_MOST_TRANSITIONS = 8
"""How many times as many transitions as states are looked at for one cost."""


def grow_ball(task: GroundTask, limits: SpaceLimits) -> Space:
    """The states nearest to the task's initial state, as many as fit in the limits: the whole space if that does."""
    for salt in range(8):
        try:
            return _Growth(task, limits, salt).run()
        except CollisionError:
            continue
    raise LimitError("states could not be told apart by their hash values")


class _Growth:
    """States settled in the order of their cost, all of one cost at a time."""

    def __init__(self, task: GroundTask, limits: SpaceLimits, salt: int) -> None:
        self.task = task
        self.limits = limits
        self._table = StateTable(task, salt)
        self._distance = np.zeros(1, dtype=np.int32)
        self._settled = np.zeros(1, dtype=np.bool_)
        self._edges: list[Edges] = []

    def run(self) -> Space:
        deadline = time.monotonic() + self.limits.seconds
        horizon = None
        while not self._settled.all():
            waiting = np.flatnonzero(~self._settled)
            least = int(self._distance[waiting].min())
            try:
                # A free transition leads to a state of the same cost, which is settled in the next round.
                self._settle(waiting[self._distance[waiting] == least], least, deadline)
            except LimitError:
                horizon = least
                break
        return self._build(horizon)

    def _settle(self, numbers: Indices, cost: int, deadline: float) -> None:
        most = _MOST_TRANSITIONS * self.limits.states
        states = find_rows(self._table, numbers)
        edges = list_successors(self._table, states, numbers, self.limits, deadline, most)
        new = self._table.count - len(self._distance)
        self._distance = np.concatenate([self._distance, np.full(new, _FAR, dtype=np.int32)])
        self._settled = np.concatenate([self._settled, np.zeros(new, dtype=np.bool_)])
        self._settled[numbers] = True
        self._edges.append(edges)
        np.minimum.at(self._distance, edges[1], cost + edges[2])

    def _build(self, horizon: int | None) -> Space:
        """The states up to the horizon, by cost, with the transitions between them."""
        cost = self._distance
        kept = np.flatnonzero(cost <= (_FAR if horizon is None else horizon))
        kept = kept[np.argsort(cost[kept], kind="stable")]
        place = np.full(len(cost), -1, dtype=np.int32)
        place[kept] = np.arange(len(kept), dtype=np.int32)
        none = np.zeros(0, dtype=np.int32)
        sources, targets, costs = (np.concatenate([e[i] for e in self._edges] or [none]) for i in range(3))
        inside = (place[sources] >= 0) & (place[targets] >= 0)
        return Space(
            atoms=tuple(self.task.atoms),
            places=list_places(self.task),
            states=np.concatenate(self._table.parts, axis=1)[:, kept],
            fluents=self.task.fluents,
            sources=place[sources[inside]],
            targets=place[targets[inside]],
            costs=None if self.task.unit_costs else costs[inside],
            depth=cost[kept],
            horizon=horizon,
            is_ball=True,
        )
