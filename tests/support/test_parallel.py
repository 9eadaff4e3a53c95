"""Jobs on the cores of this machine, and on a cluster whose machines may be lost."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from operator import mul
from pathlib import Path
from types import SimpleNamespace
from typing import Any

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
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"skolem\[cluster\]"):
        list(run_jobs(mul, [(1, 2)], backend="ray"))


def test_unknown_backends_are_refused() -> None:
    with pytest.raises(InputError, match="unknown backend dask: expected one of loky, ray, spawn"):
        list(run_jobs(mul, [(1, 2)], backend="dask"))


class Cluster:
    """Stands in for Ray: does tasks when they are waited for, the last one first."""

    exceptions = SimpleNamespace(RayTaskError=type("RayTaskError", (Exception,), {}))

    def __init__(self) -> None:
        self.started = 0
        self.most_running = 0

    def is_initialized(self) -> bool:
        return bool(self.started)

    def init(self, **options: object) -> None:
        assert options == {"logging_level": "error", "log_to_driver": False}
        self.started += 1

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 3.0}

    def remote(self, **options: object) -> Callable[[Callable[..., Any]], Any]:
        assert options == {"num_cpus": 1, "max_retries": -1}
        return lambda work: SimpleNamespace(remote=lambda *args: (work, args))

    def wait(self, running: list[Any], num_returns: int) -> tuple[list[Any], list[Any]]:
        self.most_running = max(self.most_running, len(running))
        return running[-1:], running[:-1]

    def get(self, task: tuple[Callable[..., Any], tuple[Any, ...]]) -> Any:
        try:
            return task[0](*task[1])
        except Exception as cause:
            error = self.exceptions.RayTaskError()
            error.cause = cause
            raise error from cause


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    cluster = Cluster()
    monkeypatch.setitem(sys.modules, "ray", cluster)
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    monkeypatch.setenv("RAY_DEDUP_LOGS", "0")
    return cluster


@pytest.mark.parametrize(("jobs", "workers"), [(2, 2), (-1, 3)])
def test_a_cluster_does_every_job_once(cluster: Cluster, jobs: int, workers: int) -> None:
    for _ in range(2):
        assert sorted(run_jobs(mul, [(i, 10) for i in range(7)], jobs, "ray")) == [0, 10, 20, 30, 40, 50, 60]
    assert cluster.started == 1
    assert cluster.most_running == workers


def test_an_error_on_a_cluster_is_the_jobs_own(cluster: Cluster) -> None:
    with pytest.raises(TypeError, match="multiply"):
        list(run_jobs(mul, [("a", "b")], 2, "ray"))


def test_what_a_cluster_tells_goes_to_standard_error(cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    list(run_jobs(mul, [(1, 2)], 2, "ray"))
    print("a result")
    thread = threading.Thread(target=print, args=("a machine was lost",), name="ray_listen_error_messages")
    thread.start()
    thread.join()
    assert capsys.readouterr() == ("a result\n", "a machine was lost\n")


WORK = """
import sys, time
from pathlib import Path
from skolem.support.parallel import run_jobs

def work(number):
    (Path(sys.argv[1]) / f"{number}-{os.getpid()}").touch()
    time.sleep(60)

import os
list(run_jobs(work, [(0,), (1,)], 2))
"""


def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", WORK, str(tmp_path)], start_new_session=True)
    while len(list(tmp_path.iterdir())) < 2:
        assert process.poll() is None
        time.sleep(0.02)
    pids = [int(path.name.split("-")[1]) for path in tmp_path.iterdir()]
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        time.sleep(0.02)


def test_a_worker_whose_parent_has_gone_already_ends_at_once() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    code = f"from skolem.support.parallel import begin_work; begin_work({gone.pid}); print('alive')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b"")
