"""Independent jobs on all cores, or on a cluster."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from skolem.support.errors import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")

BACKENDS = ("loky", "ray")


def run_jobs(
    work: Callable[..., Result], arguments: Sequence[tuple[Any, ...]], jobs: int = 1, backend: str = "loky"
) -> Iterator[Result]:
    """The results of the work on each tuple of arguments, as they come; the order is not theirs.

    `jobs` is the number of workers, -1 for as many as there are cores (loky) or as the cluster has (ray).
    """
    if backend not in BACKENDS:
        raise InputError(f"unknown backend {backend}: expected one of {', '.join(BACKENDS)}")
    if backend == "loky" and jobs == 1:
        yield from (work(*args) for args in arguments)
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
