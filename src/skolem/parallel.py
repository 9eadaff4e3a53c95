"""Independent jobs on all cores, or on a cluster."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import joblib

from skolem.errors import InputError

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


def _register_ray() -> None:
    try:
        from ray.util.joblib import register_ray
    except ImportError:
        raise InputError("the ray backend needs ray: pip install 'skolem[cluster]'") from None
    register_ray()
