import sys
from operator import mul

import pytest

from skolem.support.errors import InputError
from skolem.support.parallel import run_jobs


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_job_is_done_once(jobs: int) -> None:
    assert sorted(run_jobs(mul, [(i, 10) for i in range(7)], jobs)) == [0, 10, 20, 30, 40, 50, 60]


def test_processes_of_their_own_need_no_package_and_may_be_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "joblib", None)
    results = run_jobs(mul, [(i, 10) for i in range(7)], 2, "spawn")
    assert next(results) % 10 == 0
    results.close()
    assert sorted(run_jobs(mul, [(i, 10) for i in range(5)], 2, "spawn")) == [0, 10, 20, 30, 40]


def test_no_jobs_give_no_results() -> None:
    assert list(run_jobs(mul, [])) == []


def test_the_ray_backend_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray.util.joblib", None)
    with pytest.raises(InputError, match=r"skolem\[cluster\]"):
        list(run_jobs(mul, [(1, 2)], backend="ray"))


def test_unknown_backends_are_refused() -> None:
    with pytest.raises(InputError, match="unknown backend dask: expected one of loky, ray, spawn"):
        list(run_jobs(mul, [(1, 2)], backend="dask"))
