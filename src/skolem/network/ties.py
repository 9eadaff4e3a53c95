"""Predicted costs that differ by rounding alone: what counts as equal, on every engine and every machine."""

from collections.abc import Sequence
from math import inf

NEAR = 1e-3
"""Costs this close count as equal: another machine, or other company in a batch, may order them otherwise."""


def is_near(cost: float, below: float) -> bool:
    """Whether a cost counts as equal to the next lower one; infinite costs are equal."""
    return not cost - below >= NEAR


def settle(costs: Sequence[float]) -> list[float]:
    """What to compare choices by: the costs, but those near the next lower one are lowered to what that one is.

    Choices that differ by rounding alone are then equal, so that their order decides on every machine. They are equal
    whatever else is compared: limits at fixed distances, from the least cost or from zero, would part some of them.
    """
    settled, below, level = list(costs), -inf, -inf
    for i in sorted(range(len(costs)), key=costs.__getitem__):
        if not is_near(costs[i], below):
            level = costs[i]
        below, settled[i] = costs[i], level
    return settled
