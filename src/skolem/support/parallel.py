"""Independent jobs on all cores, or on a cluster."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import islice
from typing import Any, TextIO, TypeVar, cast

from skolem.support.errors import InputError
from skolem.support.parent_death import end_with_parent
from skolem.support.signals import STOPPING

Item = TypeVar("Item")
Result = TypeVar("Result")

BACKENDS = ("loky", "ray", "spawn")


def count_processors() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_jobs(
    work: Callable[..., Result], arguments: Sequence[tuple[Any, ...]], jobs: int = 1, backend: str = "loky"
) -> Generator[Result, None, None]:
    """The results of the work on each tuple of arguments, as they come; the order is not theirs.

    `jobs` is the number of workers, -1 for as many as there are cores (loky) or as the cluster has (ray). The backend
    `spawn` needs no other package; what was not begun when its results are closed is left undone.
    """
    if backend not in BACKENDS:
        raise InputError(f"unknown backend {backend}: expected one of {', '.join(BACKENDS)}")
    if backend != "ray" and jobs == 1:
        yield from (work(*args) for args in arguments)
        return
    if backend == "ray":
        yield from _run_on_cluster(work, arguments, jobs)
        return
    if backend == "spawn":
        yield from _spawn(work, arguments, jobs)
        return
    import joblib

    parallel = joblib.Parallel(n_jobs=jobs, backend="loky", return_as="generator_unordered")
    parent = os.getpid()
    yield from parallel(joblib.delayed(_work_for)(parent, work, args) for args in arguments)


def _work_for(parent: int, work: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
    """The work in a process that does not outlive the one that asked for it."""
    end_with_parent(parent, signal.SIGKILL)
    return work(*arguments)


def _run_on_cluster(work: Callable[..., Result], arguments: Sequence[tuple[Any, ...]], jobs: int) -> Iterator[Result]:
    """The results as they come; what a lost machine was doing is done again by another one."""
    ray = _start_ray()
    workers = jobs if jobs > 0 else max(1, int(ray.cluster_resources().get("CPU", 1)))
    remote = ray.remote(num_cpus=1, max_retries=-1)(work)
    waiting = iter(arguments)
    running = [remote.remote(*args) for args in islice(waiting, workers)]
    while running:
        (ready,), running = ray.wait(running, num_returns=1)
        try:
            result: Result = ray.get(ready)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        running += [remote.remote(*args) for args in islice(waiting, 1)]
        yield result


def _spawn(
    work: Callable[..., Result], arguments: Sequence[tuple[Any, ...]], jobs: int
) -> Generator[Result, None, None]:
    """The results by processes of their own, which end with this one and do not hear what asks it to stop."""
    import multiprocessing
    from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait

    ahead = iter(arguments)
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, initializer=begin_work, initargs=(os.getpid(),))
    try:
        running: set[Future[Result]] = set()
        while True:
            running |= {pool.submit(work, *args) for _, args in zip(range(jobs - len(running)), ahead, strict=False)}
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def begin_work(parent: int) -> None:
    """Makes this process one that ends with its parent, and does not hear what asks that one to stop."""
    end_with_parent(parent, signal.SIGKILL)
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)


def run_parallel(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    jobs: int = 1,
    backend: str = "loky",
    report: Callable[[int], None] = lambda done: None,
) -> list[Result]:
    """The function's results in the order of the items; `report` is told how many are done."""
    found: dict[int, Result] = {}
    work = [(function, number, item) for number, item in enumerate(items)]
    for number, result in run_jobs(_apply, work, jobs, backend):
        found[number] = result
        report(len(found))
    return [found[number] for number in range(len(items))]


def _apply(function: Callable[[Item], Result], number: int, item: Item) -> tuple[int, Result]:
    return number, function(item)


def _start_ray() -> Any:
    """Ray, connected to the cluster that RAY_ADDRESS names, or to one of this machine alone."""
    # Otherwise Ray tells at its end, on standard output, what it told before.
    os.environ.setdefault("RAY_DEDUP_LOGS", "0")
    try:
        import ray
    except ImportError:
        raise InputError("the ray backend needs ray: pip install 'skolem[cluster]'") from None
    if not ray.is_initialized():
        ray.init(logging_level="error", log_to_driver=False)
        # Standard output is for results; a thread of Ray's tells there of machines that it lost.
        sys.stdout = cast(TextIO, _WithoutRay(sys.stdout))
    return ray


class _WithoutRay:
    """An output stream from which what threads of Ray's write goes to standard error instead."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Writes a text to the stream, or to standard error."""
        foreign = threading.current_thread().name.startswith("ray_")
        return (sys.stderr if foreign else self._stream).write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
