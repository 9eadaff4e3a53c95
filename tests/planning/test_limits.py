"""How long a planner goes on for a cheaper plan."""

from types import SimpleNamespace

import pytest

from skolem.planning import limits
from skolem.planning.limits import NO_LIMITS, Clock, Patience


def ask(monkeypatch: pytest.MonkeyPatch, enough: float, costs: dict[float, int]) -> list[bool]:
    """The answers to the costs of the cheapest plan by the time on a clock."""
    times = iter([0.0, *costs])
    monkeypatch.setattr(limits, "time", SimpleNamespace(monotonic=lambda: next(times)))
    patience = Patience(Clock.begin(NO_LIMITS), enough)
    return [patience(cost) for cost in costs.values()]


def test_the_search_for_a_cheaper_plan_takes_as_long_again_as_the_first_one_took(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ask(monkeypatch, 9.0, {3.0: 13, 5.9: 12, 6.0: 12}) == [False, False, True]


def test_a_plan_that_is_cheap_enough_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(monkeypatch, 9.0, {3.0: 9}) == [True]
    assert ask(monkeypatch, 9.0, {3.0: 13, 4.0: 8}) == [False, True]


def test_a_first_plan_found_at_once_leaves_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(monkeypatch, 9.0, {0.01: 13, 0.1: 13, 0.12: 13}) == [False, False, True]
