"""States found by random walks, without exact costs: what a search that knows nothing can tell about itself.

Every walked state is expanded, and some of its successors are walked on. A state that was reached proves an upper bound
of what it costs, from any other state that leads to it through what was found; the least of these bounds satisfies the
equations of V* on the found states. Nothing is said of goals that none of them satisfies, unless the walks have left
nothing to be found.
"""

import time
from random import Random

import numpy as np

from skolem.oracle.ground_task import GroundTask
from skolem.oracle.space import (
    NONE,
    CollisionError,
    Edges,
    Indices,
    Space,
    SpaceLimits,
    StateTable,
    find_rows,
    index_edges,
    list_places,
    list_successors,
)
from skolem.support.errors import LimitError

MOST_WALKED = 2_000
"""The most states that walks through a task find: a small part of most state spaces, so that this is no search."""
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
    while True:
        if idle == 3 * _WALKERS:
            # They have most likely seen everything: what was never walked through is looked at as well.
            walkers, idle = sorted(set(range(table.count)) - following.keys()), 0
            if not walkers:
                break
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
    return build_sample(task, table, (sources, targets, costs), is_whole=len(following) == table.count)[0]


def build_sample(task: GroundTask, table: StateTable, edges: Edges, is_whole: bool) -> tuple[Space, Indices]:
    """The found states by their cost through what was found, and where each state of the table is among them."""
    sources, targets, costs = edges
    steps = None if task.unit_costs else costs
    distance = index_edges(sources, targets, steps, table.count).search(np.zeros(1, dtype=np.int64))
    order = np.argsort(distance, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    space = Space(
        atoms=tuple(task.atoms),
        places=list_places(task),
        states=np.concatenate(table.parts, axis=1)[:, order],
        fluents=task.fluents,
        sources=place[sources].astype(np.int32),
        targets=place[targets].astype(np.int32),
        costs=steps,
        depth=distance[order],
        horizon=None,
        is_sample=not is_whole,
    )
    return space, place
