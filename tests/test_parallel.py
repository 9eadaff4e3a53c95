"""Parallel runs give the same results whatever the number of workers."""

import pytest

from skolem.errors import UnsupportedError
from skolem.parallel import run_parallel


def square(number: int) -> int:
    return number * number


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_the_items(jobs: int) -> None:
    seen: list[int] = []
    assert run_parallel(square, [3, 1, 2], jobs, report=seen.append) == [9, 1, 4]
    assert seen == [1, 2, 3]


def test_a_missing_cluster_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray.util.joblib", None)
    with pytest.raises(UnsupportedError, match=r"skolem\[cluster\]"):
        run_parallel(square, [1], 2, "ray")
