"""Compares models of a family on validation tasks as large as those of the optimal sets, from another seed.

Run from the root of the repository:

    python -m tools.compare_models blocks RUN RUN... --paper --count 1000 --jobs 2

The optimal sets decide nothing; these tasks may. Tasks that cannot be reached, are true already or come in an optimal
set are left out.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from skolem.evaluation.test_sets import TEST_SEED, find_bound_cost, find_cost, load_optimal_set, read_instance
from skolem.families.registry import FAMILIES, Instance, generate_problem
from skolem.request import Request
from skolem.solve import ground
from skolem.support.parallel import run_parallel

SEED = 3 * TEST_SEED

Work = tuple[Request, Instance]


def draw_tasks(family: str, neq: bool, count: int, jobs: int = 1) -> list[tuple[Instance, int]]:
    """That many validation tasks with the exact costs of their goals."""
    published = {_read_content(instance) for instance in load_optimal_set(family, neq).instances()}
    kept: dict[str, tuple[Instance, int]] = {}
    start = 0
    while len(kept) < count:
        drawn = [generate_problem(family, "optimal", SEED, i, neq=neq) for i in range(start, start + count)]
        fresh = [instance for instance in drawn if _read_content(instance) not in published | kept.keys()]
        for instance, cost in zip(fresh, run_parallel(find_cost, fresh, jobs), strict=True):
            if cost:
                kept[_read_content(instance)] = (instance, cost)
        start += count
    return list(kept.values())[:count]


def judge(work: Work) -> int | None:
    """The exact cost of the binding that a request gives, None if it cannot be reached."""
    request, instance = work
    task = read_instance(instance)
    binding = ground(task, request).binding
    return None if binding is None else find_bound_cost(task, binding)[1]


def compare(family: str, models: Sequence[Path], count: int, paper: bool, jobs: int) -> Iterator[str]:
    """A table of all models in both settings, row by row."""
    yield from ("| model | x≠y | tasks | coverage | V/V*: mean |", "|---|---|---|---|---|")
    for neq in (False, True):
        tasks = draw_tasks(family, neq, count, jobs)
        for model in models:
            request = Request(grounder="learned", model=model, paper=paper)
            costs = run_parallel(judge, [(request, instance) for instance, _ in tasks], jobs)
            ratios = [cost / best for cost, (_, best) in zip(costs, tasks, strict=True) if cost is not None]
            mean = sum(ratios) / max(1, len(ratios))
            setting = "yes" if neq else "no"
            yield f"| {model.name} | {setting} | {count:,} | {len(ratios) / count:.1%} | {mean:.4f} |"


def _read_content(instance: Instance) -> str:
    return instance.problem_text.split("\n", 1)[1]  # the first line holds the instance's name


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", choices=list(FAMILIES))
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--paper", action="store_true", help="the paper's policy over all objects")
    parser.add_argument("--count", type=int, default=500, help="tasks of each setting")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    for row in compare(options.family, options.models, options.count, options.paper, options.jobs):
        print(row, flush=True)


if __name__ == "__main__":
    main()
