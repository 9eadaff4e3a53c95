"""The same function over many items, on all cores or on a cluster, with results in the order of the items."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from skolem.errors import UnsupportedError

Item = TypeVar("Item")
Result = TypeVar("Result")

BACKENDS = ("loky", "ray")


def run_parallel(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    jobs: int = 1,
    backend: str = "loky",
    report: Callable[[int], None] = lambda done: None,
) -> list[Result]:
    """The function's results, whatever the number of workers; `report` is told how many are done."""
    results = []
    for result in iterate_parallel(function, items, jobs, backend):
        results.append(result)
        report(len(results))
    return results


def iterate_parallel(
    function: Callable[[Item], Result], items: Sequence[Item], jobs: int = 1, backend: str = "loky"
) -> Iterator[Result]:
    """The function's results one after another, as they are done."""
    if jobs == 1 and backend == "loky":
        yield from map(function, items)
        return
    import joblib

    with choose_backend(backend, jobs):
        yield from joblib.Parallel(n_jobs=jobs, return_as="generator")(joblib.delayed(function)(i) for i in items)


def choose_backend(backend: str, jobs: int) -> AbstractContextManager[Any]:
    """The joblib backend of that name as a context."""
    import joblib

    if backend == "ray":
        try:
            from ray.util.joblib import register_ray
        except ImportError as error:
            raise UnsupportedError("--backend ray needs Ray: install skolem[cluster]") from error
        register_ray()
    context: AbstractContextManager[Any] = joblib.parallel_config(backend=backend, n_jobs=jobs)
    return context
