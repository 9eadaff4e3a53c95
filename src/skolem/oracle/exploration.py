"""States found by random walks, without exact costs: what a search that knows nothing can tell about itself.

Every walked state is expanded, and some of its successors are walked on. A state that was reached proves an upper bound
of what it costs, from any other state that leads to it through what was found; the least of these bounds satisfies the
equations of V* on the found states. Nothing is said of goals that none of them satisfies.
"""

import time
from random import Random

import numpy as np

from skolem.oracle.ground_task import GroundTask
from skolem.oracle.space import (
    NONE,
    CollisionError,
    Edges,
    Space,
    SpaceLimits,
    StateTable,
    find_rows,
    index_edges,
    list_places,
    list_successors,
)
from skolem.support.errors import LimitError

_WALKERS = 32
_RESTART = 0.03
"""How often a walker goes on from a random state that was walked before."""


def explore(task: GroundTask, limits: SpaceLimits, rng: Random) -> Space:
    """The states that random walks from the initial state find, as many as fit in the limits."""
    for salt in range(8):
        try:
            return _walk(task, limits, rng, salt)
        except CollisionError:
            continue
    raise LimitError("states could not be told apart by their hash values")


def _walk(task: GroundTask, limits: SpaceLimits, rng: Random, salt: int) -> Space:
    table = StateTable(task, salt)
    deadline = time.monotonic() + limits.seconds
    following: dict[int, list[int]] = {}
    walkers = [0] * _WALKERS
    parts: list[Edges] = []
    idle = 0
    # When the walks find nothing new for long, they have most likely seen everything.
    while idle < 3 * _WALKERS:
        fresh = np.array(sorted(set(walkers) - following.keys()), dtype=np.int64)
        idle = 0 if len(fresh) else idle + 1
        if len(fresh):
            states = find_rows(table, fresh)
            try:
                edges = list_successors(table, states, fresh, limits, deadline, 8 * limits.states)
            except LimitError:
                break
            parts.append(edges)
            following |= {state: [] for state in fresh.tolist()}
            for source, target in zip(edges[0].tolist(), edges[1].tolist(), strict=True):
                following[source].append(target)
        walked = list(following) if len(following) < _WALKERS else rng.sample(list(following), _WALKERS)
        for i, state in enumerate(walkers):
            ahead = following[state]
            walkers[i] = rng.choice(ahead) if ahead and rng.random() >= _RESTART else rng.choice(walked)
    sources, targets, costs = (np.concatenate([e[i] for e in parts] or [NONE]) for i in range(3))
    unit = task.unit_costs
    distance = index_edges(sources, targets, None if unit else costs, table.count).search(np.zeros(1, dtype=np.int64))
    order = np.argsort(distance, kind="stable")
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Space(
        atoms=tuple(task.atoms),
        places=list_places(task),
        states=np.concatenate(table.parts, axis=1)[:, order],
        fluents=task.fluents,
        sources=place[sources],
        targets=place[targets],
        costs=None if unit else costs,
        depth=distance[order],
        horizon=None,
        is_sample=True,
    )
