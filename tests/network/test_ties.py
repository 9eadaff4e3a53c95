"""Costs that differ by rounding alone are ordered the same everywhere."""

from itertools import pairwise
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skolem.network.ties import NEAR, settle

ROUNDING = 1e-5
"""More than engines mostly are apart."""
NOISE = st.lists(st.floats(-ROUNDING, ROUNDING), min_size=12, max_size=12)


def test_costs_that_differ_by_rounding_alone_are_equal() -> None:
    assert settle([2.0004, 3.0, 2.0, 2.0008, 2.0025]) == [2.0, 3.0, 2.0, 2.0, 2.0025]
    assert settle([inf, 1.0, inf]) == [inf, 1.0, inf]
    assert settle([]) == []


def test_a_cost_that_is_near_the_next_lower_one_is_equal_to_all_below() -> None:
    assert settle([2.0, 2.0012, 2.0008, 2.0016, 2.003]) == [2.0, 2.0, 2.0, 2.0, 2.003]


@given(
    st.lists(st.integers(0, 50).map(lambda n: n / 4), min_size=1, max_size=12),
    st.lists(st.floats(-4e-4, 4e-4), min_size=12, max_size=12),
)
def test_noise_does_not_change_the_order_of_choices(costs: list[float], noise: list[float]) -> None:
    noisy = settle([cost + n for cost, n in zip(costs, noise, strict=False)])
    assert np.argsort(noisy, kind="stable").tolist() == np.argsort(costs, kind="stable").tolist()
    assert noisy == pytest.approx(costs, abs=2e-3)


@given(st.lists(st.floats(0, 3 * NEAR), min_size=1, max_size=4), st.data(), NOISE)
def test_costs_that_are_equal_without_noise_are_never_parted(
    levels: list[float], data: st.DataObject, noise: list[float]
) -> None:
    """However close to each other the others are."""
    costs = data.draw(st.lists(st.sampled_from(levels), min_size=1, max_size=12))
    settled = settle([cost + n for cost, n in zip(costs, noise, strict=False)])
    for level in levels:
        assert len({rank for cost, rank in zip(costs, settled, strict=True) if cost == level}) <= 1


@given(st.lists(st.floats(0, 5 * NEAR), max_size=12), NOISE)
def test_noise_changes_the_order_only_where_a_gap_is_as_wide_as_the_tolerance(
    costs: list[float], noise: list[float]
) -> None:
    gaps = [above - below for below, above in pairwise(sorted(costs))]
    noisy = settle([cost + n for cost, n in zip(costs, noise, strict=False)])
    if all(abs(gap - NEAR) > 3 * ROUNDING for gap in gaps):
        assert np.argsort(noisy, kind="stable").tolist() == np.argsort(settle(costs), kind="stable").tolist()


@given(st.lists(st.floats(0, 5 * NEAR), max_size=12))
def test_a_higher_cost_is_never_ranked_before_a_lower_one(costs: list[float]) -> None:
    settled = settle(costs)
    assert [settled[i] for i in sorted(range(len(costs)), key=costs.__getitem__)] == sorted(settled)
    assert all(rank <= cost for rank, cost in zip(settled, costs, strict=True))
