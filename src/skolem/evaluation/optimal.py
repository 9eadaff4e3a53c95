"""The paper's first results table: how good the bindings of a grounder are on the optimal test sets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

from skolem.domains.registry import Instance
from skolem.evaluation.test_sets import find_exact_cost, load_optimal_set, read_instance
from skolem.parallel import run_parallel
from skolem.solve import Request, ground
from skolem.task.candidates import solve_static
from skolem.task.model import Task

Report = Callable[[int], None]


@dataclass(frozen=True)
class Outcome:
    """What one grounder did on one instance; `cost` is the exact cost of its binding, None if unreachable."""

    variables: int
    v_star: int
    valid: bool
    cost: int | None


@dataclass(frozen=True)
class Cell:
    """One cell of the table: a family in one setting."""

    family: str
    neq: bool
    outcomes: tuple[Outcome, ...]

    def describe(self) -> dict[str, Any]:
        """The `--json` form of the cell."""
        numbers = sorted({o.variables for o in self.outcomes})
        by_variables = {str(k): summarise([o for o in self.outcomes if o.variables == k]) for k in numbers}
        return {
            "family": self.family,
            "neq": self.neq,
            **summarise(self.outcomes),
            "speedup": None,
            "peers": {},
            "by_variables": by_variables,
        }


def summarise(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Count, coverage, validity, mean V* and mean V/V* (over the covered instances)."""
    ratios = [o.cost / o.v_star for o in outcomes if o.cost is not None]
    return {
        "count": len(outcomes),
        "coverage": len(ratios) / len(outcomes),
        "validity": fmean(o.valid for o in outcomes),
        "v_star": fmean(o.v_star for o in outcomes),
        "ratio": fmean(ratios) if ratios else None,
    }


def evaluate_cell(
    family: str,
    neq: bool,
    request: Request,
    count: int | None = None,
    jobs: int = 1,
    backend: str = "loky",
    report: Report = lambda done: None,
) -> Cell:
    """Grounds the instances of an optimal set and finds the exact cost of every binding."""
    test_set = load_optimal_set(family, neq)
    work = list(zip(test_set.instances(count), test_set.costs[:count], strict=True))
    outcomes = run_parallel(partial(judge, request), work, jobs, backend, report)
    return Cell(family, neq, tuple(outcomes))


def judge(request: Request, work: tuple[Instance, int]) -> Outcome:
    """Grounds one instance and finds the exact cost of its binding."""
    instance, v_star = work
    task = read_instance(instance)
    grounding = ground(task, request)
    if grounding.binding is None:
        return Outcome(instance.variables, v_star, False, None)
    valid, cost = find_bound_cost(task, grounding.binding)
    return Outcome(instance.variables, v_star, valid, cost)


def find_bound_cost(task: Task, binding: dict[str, str]) -> tuple[bool, int | None]:
    """Whether a complete binding is statically valid, and its exact cost (None if it is unreachable)."""
    query = task.query
    for i, variable in enumerate(task.goal.variables):
        query = query.bind(i, task.index[binding[variable.name]])
    if solve_static(query, task.statics, len(task.objects)) is None:
        return False, None
    return True, find_exact_cost(task, query)
