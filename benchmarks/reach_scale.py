"""The learned binding alone on the largest tasks of the scaling series, beside V* or the best of the other routes."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from benchmarks.results import RESULTS

from skolem.evaluation.routes import Spec, hash_text
from skolem.evaluation.scaling import SIZES, VARIABLES
from skolem.evaluation.store import Record, Store
from skolem.evaluation.test_sets import GROUND_PLANNERS, read_instance
from skolem.oracle.costs import Oracle
from skolem.planning.fast_downward import run_planner
from skolem.planning.limits import Limits
from skolem.planning.rewriting import Rewriter
from skolem.request import Request
from skolem.solve import ground, solve
from skolem.support.errors import LimitError
from skolem.task.goals import ground_goal
from skolem.task.model import Task

MEGABYTES = 4000
PLAN_SECONDS = 60.0
MODEL_ROUTES = ("learned", "auto")
"""The routes of the stored trials that depend on a model, which may be another one."""
OPTIMUM = "v-star"


def list_specs(count: int) -> list[tuple[str, Spec]]:
    """The tasks with the names of their rows; every second one has inequalities, as in the scaling series."""
    specs = []
    for index in range(count):
        neq = index % 2 == 1
        for family, size in (("visitall", 400), ("delivery", 407)):
            specs.append((f"{size} objects", Spec(family, neq, 100_000 + 1000 * size + index, size=size)))
        for family, size in (("blocks", 17), ("visitall", 100)):
            for variables in range(9, 13):
                index_ = 600_000 + 1000 * variables + index
                specs.append(("9-12 variables", Spec(family, neq, index_, size=size, variables=variables)))
    return specs


def measure_scale(spec: Spec, model: Path, seconds: float) -> Record:
    """The costs of the learned binding, of `plan`, of the exact route and of stored routes on one task."""
    instance = spec.make()
    task = read_instance(instance)
    limits, short = Limits(PLAN_SECONDS, MEGABYTES), Limits(seconds, MEGABYTES)
    stored = read_stored().get(hash_text(instance.problem_text), {})
    optimum = stored.get(OPTIMUM)
    if optimum is None:
        optimum = Oracle(planner_limits=short).find_cost_by_planner(task).cost
    grounding = ground(task, Request("learned", model=model))
    cost, proven = (None, False) if grounding.binding is None else plan_cheaply(task, grounding.binding, short)
    others = {
        "exact": plan(task, Request("exact", limits=limits)),
        "exact, anytime": plan(task, Request("exact", planner="lama", limits=short)),
        **{f"stored {route}": cost for route, cost in stored.items() if route != OPTIMUM},
    }
    return {
        "variables": instance.variables,
        "v_star": optimum,
        "learned": cost,
        "learned_proven": proven,
        "predicted": grounding.predicted_cost,
        "plan": plan(task, Request("auto", model=model, limits=limits)),
        "others": others,
    }


def plan(task: Task, request: Request) -> int | None:
    """The cost of a plan, None if none is found within the limits."""
    try:
        return solve(task, request).cost
    except LimitError:
        return None


def plan_cheaply(task: Task, binding: Mapping[str, str], limits: Limits) -> tuple[int | None, bool]:
    """The cost of a binding and whether it is the least: by an optimal planner, or the best plan found in the time."""
    rewriting = Rewriter(task).finish(ground_goal(task, binding))
    result = run_planner(rewriting.domain_text, rewriting.problem_text, GROUND_PLANNERS[0], limits)
    if result.status == "solved":
        return result.cost, True
    result = run_planner(rewriting.domain_text, rewriting.problem_text, "lama", limits)
    return result.cost, False


@cache
def read_stored() -> dict[str, dict[str, int]]:
    """The least cost by every route that depends on no model, by the checksums of the tasks' texts."""
    found: dict[str, dict[str, int]] = {}
    for _, record in Store(RESULTS / "stores" / "scaling.jsonl.gz").records():
        if record.get("group") not in (SIZES, VARIABLES) or record["cost"] is None:
            continue
        if record["route"] not in MODEL_ROUTES:
            costs = found.setdefault(record["task"], {})
            costs[record["route"]] = min(record["cost"], costs.get(record["route"], record["cost"]))
    return found
