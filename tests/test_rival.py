"""The time that a comparison with the exact route has; what becomes of its plans is in test_solve.py."""

from dataclasses import replace

import pytest

from skolem.planning.limits import Clock, Limits
from skolem.rival import find_spare


@pytest.mark.parametrize(
    ("seconds", "used", "spare"), [(None, 2.0, 2.0), (100.0, 2.0, 2.0), (100.0, 0.0, 0.5), (10.0, 8.0, 1.7)]
)
def test_a_comparison_has_the_time_that_was_used_so_far_or_what_is_left(
    seconds: float | None, used: float, spare: float
) -> None:
    begun = Clock.begin(Limits(seconds))
    limits = find_spare(replace(begun, start=begun.start - used))
    assert limits is not None
    assert limits.seconds == pytest.approx(spare, abs=0.1)


def test_a_comparison_needs_some_time() -> None:
    assert find_spare(Clock.begin(Limits(0.7))) is None
