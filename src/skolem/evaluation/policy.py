"""The policy: acting without a planner on the optimal sets, how often it arrives and how long its plans are.

Measured: the grounder's binding, then the same network followed from state to state, on each published set.
Reported: plans found, and their costs over V* and over the exact cost of the binding.
"""

from collections.abc import Sequence
from typing import Any

from skolem.evaluation.comparison import Cell, describe_means, group_records
from skolem.evaluation.configurations import Selection, configure
from skolem.evaluation.store import Record, Runner
from skolem.evaluation.tables import Table, estimate_mean, name_place, number, percent
from skolem.evaluation.test_sets import find_bound_cost, load_optimal_set, read_instance
from skolem.families.registry import Instance
from skolem.grounders import check_planner
from skolem.request import Request
from skolem.solve import solve

GROUP = "policy"
HEADLINE = ("coverage", "reachable", "v_star", "ratio", "ratio_to_binding", "optimal", "seconds")


def measure(selection: Selection, runner: Runner) -> list[Record]:
    """Follows the policy to the grounded goals of the instances."""
    records = []
    for request in selection.requests:
        check_planner(request)
        for family, neq in selection.list_places():
            records += measure_cell(request, family, neq, selection.count, runner)
    return records


def measure_cell(request: Request, family: str, neq: bool, count: int | None, runner: Runner) -> list[Record]:
    """One request on the instances of one set."""
    test_set = load_optimal_set(family, neq)
    costs = dict(zip(test_set.indices, test_set.costs, strict=True))
    configuration = configure(request, family, neq)
    instances = test_set.instances(count)
    names = [f"{GROUP}/{i.name}/{test_set.sha256[:8]}/{configuration.key}" for i in instances]
    work = [(name, (configuration.request, i, costs[i.index])) for name, i in zip(names, instances, strict=True)]
    with runner.progress(name_place(family, neq), len(work), "instances") as report:
        found = runner.run(_walk, work, report)
    return [
        {"group": GROUP, "family": family, "neq": neq, "index": i.index, "task": i.name, "variables": i.variables}
        | {"route": configuration.label, "v_star": costs[i.index], **record}
        for i, record in zip(instances, found, strict=True)
    ]


def _walk(work: tuple[Request, Instance, int]) -> Record:
    """What the policy did on one instance: the cost of its plan and that of its binding."""
    request, instance, v_star = work
    task = read_instance(instance)
    solution = solve(task, request)
    # A plan as cheap as the goal allows shows what its binding costs.
    known = solution.cost == v_star or solution.binding is None
    return {
        "status": solution.status,
        "exit_code": int(solution.exit_code),
        "cost": solution.cost,
        "binding_cost": solution.cost if known else find_bound_cost(task, solution.binding or {})[1],
        "reason": solution.message,
        "seconds": solution.times.get("plan", 0.0),
    }


def summarise(records: Sequence[Record]) -> list[Cell]:
    """One cell per family and setting: shares of instances, and mean quotients of costs over those with a plan."""
    cells = []
    for (family, neq), found in group_records(records, "family", "neq").items():
        arrived = [record for record in found if record["cost"] is not None]
        figures = {
            "coverage": estimate_mean(record["cost"] is not None for record in found),
            "reachable": estimate_mean(record["binding_cost"] is not None for record in found),
            "v_star": estimate_mean(record["v_star"] for record in found),
            "ratio": estimate_mean(record["cost"] / record["v_star"] for record in arrived),
            "ratio_to_binding": estimate_mean(r["cost"] / r["binding_cost"] for r in arrived if r["binding_cost"]),
            "optimal": estimate_mean(record["cost"] == record["v_star"] for record in found),
            "seconds": estimate_mean(record["seconds"] for record in found),
        }
        cells.append(Cell(family, neq, figures))
    return cells


def describe(cell: Cell) -> dict[str, Any]:
    """The `--json` form of a cell."""
    return {"family": cell.family, "neq": cell.neq, **describe_means(cell.figures, *HEADLINE)}


def tabulate(cells: Sequence[Cell]) -> list[Table]:
    """One row per cell."""
    columns = ("family", "x≠y", "count", "plan found", "reachable", "V*", "cost/V*", "cost/V", "optimal", "s")
    rows = [
        (
            *cell.name,
            str(f["coverage"].count),
            percent(f["coverage"]),
            percent(f["reachable"]),
            number(f["v_star"], 3),
            number(f["ratio"], 3),
            number(f["ratio_to_binding"], 3),
            percent(f["optimal"]),
            number(f["seconds"]),
        )
        for cell in cells
        for f in [cell.figures]
    ]
    title = "acting without a planner on the optimal sets; V is the exact cost of the binding"
    return [Table(title, columns, rows)]
