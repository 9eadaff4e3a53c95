"""Acting without a planner on the optimal sets: how often the policy arrives, and how long its plans are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

from skolem.cli.output import Console
from skolem.evaluation.optimal import find_bound_cost
from skolem.evaluation.test_sets import load_optimal_set, read_instance
from skolem.families.registry import Instance
from skolem.solve import Request, solve
from skolem.support.parallel import run_parallel


@dataclass(frozen=True)
class Walk:
    """What the policy did on one instance: the cost of its plan and that of its binding, None where there is none."""

    v_star: int
    binding_cost: int | None
    plan_cost: int | None
    seconds: float


@dataclass(frozen=True)
class PolicyCell:
    """The policy on the optimal set of a family in one setting."""

    family: str
    neq: bool
    walks: tuple[Walk, ...]

    def describe(self) -> dict[str, Any]:
        """The `--json` form: shares of instances, and mean quotients of costs over those with a plan."""
        arrived = [(w.plan_cost, w) for w in self.walks if w.plan_cost is not None]
        bound = [cost / w.binding_cost for cost, w in arrived if w.binding_cost]
        return {
            "family": self.family,
            "neq": self.neq,
            "count": len(self.walks),
            "coverage": len(arrived) / len(self.walks),
            "reachable": fmean(w.binding_cost is not None for w in self.walks),
            "v_star": fmean(w.v_star for w in self.walks),
            "ratio": fmean(cost / w.v_star for cost, w in arrived) if arrived else None,
            "ratio_to_binding": fmean(bound) if bound else None,
            "optimal": fmean(w.plan_cost == w.v_star for w in self.walks),
            "seconds": fmean(w.seconds for w in self.walks),
        }


def evaluate_policy(
    family: str,
    neq: bool,
    request: Request,
    count: int | None = None,
    jobs: int = 1,
    backend: str = "loky",
    report: Callable[[int], None] = lambda done: None,
) -> PolicyCell:
    """Grounds the instances of an optimal set and follows the policy to the grounded goals."""
    test_set = load_optimal_set(family, neq)
    work = list(zip(test_set.instances(count), test_set.costs[:count], strict=True))
    return PolicyCell(family, neq, tuple(run_parallel(partial(_walk, request), work, jobs, backend, report)))


def _walk(request: Request, work: tuple[Instance, int]) -> Walk:
    instance, v_star = work
    task = read_instance(instance)
    solution = solve(task, request)
    seconds = solution.times.get("plan", 0.0)
    # A plan as cheap as the goal allows shows what its binding costs.
    if solution.cost == v_star or solution.binding is None:
        return Walk(v_star, solution.cost, solution.cost, seconds)
    return Walk(v_star, find_bound_cost(task, solution.binding)[1], solution.cost, seconds)


def show_policy(console: Console, cells: Sequence[PolicyCell]) -> None:
    """Prints one row per cell."""
    columns = ("family", "x≠y", "count", "plan found", "reachable", "V*", "cost/V*", "cost/V", "optimal", "s")
    rows = []
    for cell in cells:
        found = cell.describe()
        quotients = [found["ratio"], found["ratio_to_binding"]]
        rows.append(
            (
                cell.family,
                "yes" if cell.neq else "no",
                str(found["count"]),
                f"{found['coverage']:.1%}",
                f"{found['reachable']:.1%}",
                f"{found['v_star']:.3f}",
                *("-" if quotient is None else f"{quotient:.3f}" for quotient in quotients),
                f"{found['optimal']:.1%}",
                f"{found['seconds']:.2f}",
            )
        )
    console.table(columns, rows, "acting without a planner on the optimal sets; V is the exact cost of the binding")
