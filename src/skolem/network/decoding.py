"""The greedy policy over tensors: binds one variable after another, for many goals at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from skolem.network.encoding import Part, StateEncoder
from skolem.task.candidates import find_valid_candidates
from skolem.task.query import Query

Score = Callable[[Sequence[Part]], Sequence[float]]
"""The predicted costs of all graphs of some parts, in their order."""


@dataclass(frozen=True)
class Problem:
    """A goal to be grounded, and the encoder of its state."""

    encoder: StateEncoder
    query: Query


def list_choices(
    problem: Problem, query: Query, candidates: Literal["all", "static"], in_order: bool
) -> list[tuple[int, int]]:
    """The (variable, object) pairs that the policy compares; in order: those of the first unbound variable only."""
    variables = query.unbound[:1] if in_order else query.unbound
    if candidates == "all":
        return [(v, obj) for v in variables for obj in range(problem.encoder.objects)]
    allowed = find_valid_candidates(query, problem.encoder.statics, problem.encoder.objects).candidates
    return [(v, int(obj)) for v in variables for obj in np.flatnonzero(allowed[v])]


def decode_greedily(
    problems: Sequence[Problem],
    score: Score,
    candidates: Literal["all", "static"] = "static",
    in_order: bool = False,
) -> list[tuple[int, ...] | None]:
    """For every goal the objects that the policy chooses, or None if a variable has no candidates.

    Each step takes, of all (variable, object) pairs, the one whose goal has the least predicted cost.
    """
    queries: list[Query | None] = [problem.query for problem in problems]
    while True:
        steps = [
            (i, query, list_choices(problems[i], query, candidates, in_order))
            for i, query in enumerate(queries)
            if query is not None and query.unbound
        ]
        if not steps:
            return [None if query is None else query.binding for query in queries]
        for i, _, choices in steps:
            if not choices:
                queries[i] = None
        open_steps = [step for step in steps if step[2]]
        if not open_steps:
            continue
        parts = [problems[i].encoder.encode([q.bind(*choice) for choice in choices]) for i, q, choices in open_steps]
        costs = np.asarray(score(parts))
        start = 0
        for i, query, choices in open_steps:
            best = int(np.argmin(costs[start : start + len(choices)]))
            queries[i] = query.bind(*choices[best])
            start += len(choices)
