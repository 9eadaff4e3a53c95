"""How the choices of a greedy step are compared: by the costs of all bound goals, by the head, or by both."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Literal

import numpy as np

from skolem.network.decoding import Decision, Score
from skolem.network.engine.protocol import Choices, Engine
from skolem.network.ties import settle
from skolem.support.errors import UnsupportedError

Mode = Literal["full", "head", "both"]


@dataclass(frozen=True)
class Shortlist:
    """Which choices are evaluated in full after the head has rated all."""

    few: int = 4
    """So many choices are evaluated without being rated: it would only cost another pass."""
    margin: float = 2.0
    """By how many steps a rating may be above the least one (results/shortlist.md)."""
    share: float = 0.25
    """The same as a share of the least one, where that is more: far goals are rated less exactly."""
    least: int = 2
    most: int = 8

    def pick(self, numbers: Sequence[int], ratings: Sequence[float]) -> list[int]:
        """The best rated of some choices, in the order of their numbers."""
        settled = settle(ratings)
        ranked = sorted(numbers, key=settled.__getitem__)
        margin = max(self.margin, self.share * settled[ranked[0]])
        near = sum(settled[number] - settled[ranked[0]] <= margin for number in ranked)
        return sorted(ranked[: min(max(near, self.least), self.most)])


SHORTLIST = Shortlist()


def make_score(
    model: Engine, mode: Mode = "full", rater: Engine | None = None, shortlist: Shortlist = SHORTLIST
) -> Score:
    """The comparison by full evaluation of all choices, by the head in one pass, or in full of the head's best.

    The head is that of the rater, or the model's own if there is none.
    """
    rater = rater or model
    if mode == "full":
        return partial(score_fully, model)
    if not rater.config.head:
        raise UnsupportedError("the model has no head that scores bindings")
    return partial(score_by_head, rater) if mode == "head" else partial(score_best, model, rater, shortlist)


def score_fully(model: Engine, steps: Sequence[Decision]) -> list[list[float]]:
    """The cost of every choice by the network's value of the bound goal; choices that are alike are evaluated once."""
    alike = [find_alike(step) for step in steps]
    costs = _evaluate(model, steps, [sorted(set(first)) for first in alike])
    return [[cost[i] for i in first] for cost, first in zip(costs, alike, strict=True)]


def score_by_head(model: Engine, steps: Sequence[Decision]) -> list[list[float]]:
    """The cost of every choice by the head, from one graph for each step."""
    variables, objects, graphs = [], [], []
    for i, step in enumerate(steps):
        place = {v: step.problem.encoder.objects + n for n, v in enumerate(step.query.unbound)}
        variables += [place[v] for v, _ in step.choices]
        objects += [obj for _, obj in step.choices]
        graphs += [i] * len(step.choices)
    costs = model.rate([step.encode() for step in steps], Choices(*map(np.array, (graphs, variables, objects))))
    return _part(costs, [len(step.choices) for step in steps])


def score_best(model: Engine, rater: Engine, shortlist: Shortlist, steps: Sequence[Decision]) -> list[list[float]]:
    """The full costs of the choices that the head likes most, and of those like them; infinite for the others."""
    alike = [find_alike(step) for step in steps]
    chosen = [sorted(set(first)) for first in alike]
    crowded = [i for i, numbers in enumerate(chosen) if len(numbers) > shortlist.few]
    rated = score_by_head(rater, [steps[i] for i in crowded]) if crowded else []
    for i, ratings in zip(crowded, rated, strict=True):
        chosen[i] = shortlist.pick(chosen[i], ratings)
    costs_of = _evaluate(model, steps, chosen)
    return [[cost[i] for i in first] for cost, first in zip(costs_of, alike, strict=True)]


def find_alike(step: Decision) -> list[int]:
    """For every choice the first one of the same variable whose object may change places with its own.

    They may if they have the same atoms but for themselves and the goal names neither. Equal embeddings would be
    no proof: the objects of a ring of six and those of two rings of three look the same until one of them is bound.
    """
    query, twins = step.query, step.problem.encoder.twins
    arguments = [a for _, args in query.atoms for a in args] + [a for pair in query.unequal for a in pair]
    named = {*arguments, *query.binding}
    first: dict[tuple[int, int], int] = {}
    # Below zero a number stands for all twins of an object that are not named, not for the object.
    return [
        first.setdefault((v, obj if obj in named else ~twins[obj]), number)
        for number, (v, obj) in enumerate(step.choices)
    ]


def _evaluate(model: Engine, steps: Sequence[Decision], chosen: Sequence[Sequence[int]]) -> list[list[float]]:
    values = model.predict([step.encode_choices(numbers) for step, numbers in zip(steps, chosen, strict=True)])
    costs = []
    for step, numbers, part in zip(steps, chosen, _part(values, [len(n) for n in chosen]), strict=True):
        cost = [float("inf")] * len(step.choices)
        for number, value in zip(numbers, part, strict=True):
            cost[number] = value
        costs.append(cost)
    return costs


def _part(values: Sequence[float], sizes: Sequence[int]) -> list[list[float]]:
    ends = list(accumulate(sizes))
    return [list(values[end - size : end]) for end, size in zip(ends, sizes, strict=True)]
