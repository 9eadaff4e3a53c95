"""The greedy policy over tensors: binds one variable after another, for many goals at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from skolem.network.encoding import EncodedGraphs, StateEncoder
from skolem.network.ties import settle
from skolem.task.constraints.candidates import find_valid_candidates
from skolem.task.query import Query


@dataclass(frozen=True)
class Problem:
    """A goal to be grounded, and the encoder of its state."""

    encoder: StateEncoder
    query: Query


@dataclass(frozen=True)
class Decision:
    """A partly bound goal, and the (variable, object) pairs that may be bound next."""

    problem: Problem
    query: Query
    choices: Sequence[tuple[int, int]]

    def encode(self) -> EncodedGraphs:
        """The goal's graph as it is."""
        return self.problem.encoder.encode([self.query])

    def encode_choices(self, numbers: Sequence[int]) -> EncodedGraphs:
        """The graphs of the goal after each of the choices with these numbers."""
        choices = [self.choices[number] for number in numbers]
        return self.problem.encoder.encode([self.query.bind(*choice) for choice in choices], [v for v, _ in choices])


Score = Callable[[Sequence[Decision]], Sequence[Sequence[float]]]
"""The predicted cost after every choice of every step; infinite for choices that are out of the question."""


def list_choices(
    problem: Problem, query: Query, candidates: Literal["all", "static"], in_order: bool
) -> list[tuple[int, int]]:
    """The (variable, object) pairs that the policy compares; `in_order` those of the first unbound one only."""
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
        steps = {}
        for i, query in enumerate(queries):
            if query is not None and query.unbound:
                choices = list_choices(problems[i], query, candidates, in_order)
                if choices:
                    steps[i] = Decision(problems[i], query, choices)
                else:
                    queries[i] = None
        if not steps:
            return [None if query is None else query.binding for query in queries]
        for (i, step), costs in zip(steps.items(), score(list(steps.values())), strict=True):
            queries[i] = step.query.bind(*step.choices[int(np.argmin(settle(costs)))])
