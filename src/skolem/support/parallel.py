"""Independent jobs on all cores, or on a cluster."""

import os
import signal
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

from skolem.support.errors import InputError
from skolem.support.parent_death import end_with_parent
from skolem.support.signals import STOPPING

Item = TypeVar("Item")
Result = TypeVar("Result")

BACKENDS = ("loky", "ray", "spawn")


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
    if backend == "spawn":
        yield from _spawn(work, arguments, jobs)
        return
    import joblib

    if backend == "ray":
        _register_ray()
    with joblib.parallel_config(backend=backend, n_jobs=jobs):
        if backend == "loky":
            parallel = joblib.Parallel(return_as="generator_unordered")
            yield from parallel(joblib.delayed(work)(*args) for args in arguments)
            return
        # joblib's ray backend cannot hand over results one by one: rounds show progress all the same.
        parallel = joblib.Parallel(batch_size=1)
        step = 4 * joblib.effective_n_jobs()
        for start in range(0, len(arguments), step):
            yield from parallel(joblib.delayed(work)(*args) for args in arguments[start : start + step])


def _spawn(
    work: Callable[..., Result], arguments: Sequence[tuple[Any, ...]], jobs: int
) -> Generator[Result, None, None]:
    """The results by processes of their own, which end with this one and do not hear what asks it to stop."""
    import multiprocessing
    from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait

    ahead = iter(arguments)
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=_begin)
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


def _begin() -> None:
    end_with_parent(os.getppid(), signal.SIGKILL)
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


def _register_ray() -> None:
    try:
        import ray
        from ray.util.joblib import register_ray
    except ImportError:
        raise InputError("the ray backend needs ray: pip install 'skolem[cluster]'") from None
    register_ray()
    if not ray.is_initialized():
        # The cluster that RAY_ADDRESS names, or one of this machine alone.
        ray.init(logging_level="error", log_to_driver=False)
