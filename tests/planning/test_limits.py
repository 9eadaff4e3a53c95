"""How long a planner goes on for a cheaper plan."""

import math
from types import SimpleNamespace

import pytest

from skolem.planning import limits
from skolem.planning.limits import NO_LIMITS, Clock, Patience


def ask(
    monkeypatch: pytest.MonkeyPatch,
    enough: float,
    costs: dict[float, int],
    started: float = 0.0,
    far: float = math.inf,
) -> list[bool]:
    """The answers to the costs of the cheapest plan by the time on a clock."""
    times = iter([0.0, *costs])
    monkeypatch.setattr(limits, "time", SimpleNamespace(monotonic=lambda: next(times)))
    patience = Patience(Clock.begin(NO_LIMITS), enough, started, far=far)
    return [patience(cost) for cost in costs.values()]


def test_the_search_for_a_cheaper_plan_takes_as_long_again_as_the_first_one_took(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ask(monkeypatch, 9.0, {3.0: 13, 5.9: 12, 6.0: 12}) == [False, False, True]


def test_a_plan_that_is_cheap_enough_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(monkeypatch, 9.0, {3.0: 9}) == [True]
    assert ask(monkeypatch, 9.0, {3.0: 13, 4.0: 8}) == [False, True]


def test_a_first_plan_found_at_once_leaves_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(monkeypatch, 9.0, {0.01: 13, 0.05: 13, 0.07: 13}) == [False, False, True]


def test_the_search_ends_where_nothing_cheaper_comes_as_soon_as_the_first_plan_came(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The planner was started at 2 and found a plan at 3, another one at 3.5, and then none for a second.
    costs = {3.0: 13, 3.5: 12, 4.4: 12, 4.6: 12}
    assert ask(monkeypatch, 9.0, costs, started=2.0) == [False, False, False, True]


def test_the_search_goes_on_for_some_seconds_while_a_plan_is_far_too_dear(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(monkeypatch, 9.0, {0.2: 21, 1.7: 21, 1.8: 21}, far=20.0) == [False, False, True]
    costs = {0.2: 24, 1.6: 23, 3.0: 22, 4.3: 21, 4.9: 21, 5.1: 21}
    assert ask(monkeypatch, 9.0, costs, far=20.0)[3:] == [False, False, True]
    assert ask(monkeypatch, 9.0, {5.0: 40, 9.9: 40, 10.1: 40}, far=20.0) == [False, False, True]


def test_the_dearer_a_plan_is_the_longer_the_search_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(monkeypatch, 9.0, {0.2: 60, 4.6: 60, 4.8: 60}, far=20.0) == [False, False, True]
    assert ask(monkeypatch, 9.0, {0.2: 200, 6.1: 200, 6.3: 200}, far=20.0) == [False, False, True]


def test_a_plan_that_is_no_longer_too_dear_is_improved_as_long_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = {0.2: 40, 1.6: 40, 1.65: 18, 1.75: 18, 1.85: 18}
    assert ask(monkeypatch, 9.0, costs, far=20.0) == [False, False, False, False, True]
