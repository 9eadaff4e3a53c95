"""The paper's first results table: how good the bindings of a grounder are on the optimal test sets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from skolem.evaluation.configurations import Configuration, configure
from skolem.evaluation.store import Record, Store, run_stored
from skolem.evaluation.test_sets import TestSet, find_exact_cost, load_optimal_set, read_instance
from skolem.families.registry import Instance
from skolem.solve import Request, ground
from skolem.support.errors import ExitCode, SkolemError
from skolem.task.constraints.candidates import solve_static
from skolem.task.model import Task

Report = Callable[[int], None]

VERSION = 1
"""Part of every key: raised when a grounder gives other bindings than before for the same request and model."""
STEPS = 2
"""Every instance is grounded and its binding's cost found: two steps of progress."""


@dataclass(frozen=True)
class Outcome:
    """What one grounder did on one instance; `cost` is the exact cost of its binding, None if unreachable."""

    variables: int
    v_star: int
    valid: bool
    cost: int | None
    undecided: str = ""
    """Why the binding or its cost was not found within the limits; empty if it was."""


@dataclass(frozen=True)
class Cell:
    """One cell of the table: a configuration on a family in one setting."""

    family: str
    neq: bool
    configuration: Configuration
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
            "configuration": self.configuration.label,
            "model": self.configuration.model or None,
        }


def summarise(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Count, coverage, validity, mean V* and mean V/V* (over the covered instances).

    Undecided instances are counted as such, and as not covered.
    """
    ratios = [o.cost / o.v_star for o in outcomes if o.cost is not None]
    return {
        "count": len(outcomes),
        "coverage": len(ratios) / len(outcomes),
        "validity": fmean(o.valid for o in outcomes),
        "v_star": fmean(o.v_star for o in outcomes),
        "ratio": fmean(ratios) if ratios else None,
        "undecided": sum(bool(o.undecided) for o in outcomes),
    }


def evaluate_cell(
    family: str,
    neq: bool,
    request: Request,
    count: int | None = None,
    jobs: int = 1,
    backend: str = "loky",
    report: Report = lambda done: None,
    store: Store | None = None,
) -> Cell:
    """Grounds the instances of an optimal set, then finds the exact cost of every binding; the store lacks neither.

    `report` is told the number of steps that are done, `STEPS` for each instance.
    """
    test_set = load_optimal_set(family, neq)
    instances = test_set.instances(count)
    configuration = configure(request, read_instance(instances[0]))
    groundings = run_stored(
        _bind,
        [(f"{_name(test_set, i)}/{configuration.key}/{VERSION}", (request, i)) for i in instances],
        store,
        jobs,
        backend,
        report,
    )
    bound = [(i, g["binding"]) for i, g in zip(instances, groundings, strict=True) if g["binding"] is not None]
    unbound = len(instances) - len(bound)
    found = run_stored(
        _judge,
        [(f"{_name(test_set, i)}/{_spell(binding)}", (i, binding)) for i, binding in bound],
        store,
        jobs,
        backend,
        lambda done: report(len(instances) + unbound + done),
    )
    costs = {i.index: record for (i, _), record in zip(bound, found, strict=True)}
    outcomes = []
    for instance, v_star, grounding in zip(instances, test_set.costs, groundings, strict=False):
        # A grounder that has no binding has none that is valid.
        record = costs.get(instance.index, {"valid": False, "cost": None} | grounding)
        outcomes.append(
            Outcome(instance.variables, v_star, record["valid"], record["cost"], record.get("undecided", ""))
        )
    return Cell(family, neq, configuration, tuple(outcomes))


def find_bound_cost(task: Task, binding: Mapping[str, str]) -> tuple[bool, int | None]:
    """Whether a complete binding is statically valid, and its exact cost (None if it is unreachable)."""
    query = task.query
    for i, variable in enumerate(task.goal.variables):
        query = query.bind(i, task.index[binding[variable.name]])
    if solve_static(query, task.statics, len(task.objects)) is None:
        return False, None
    return True, find_exact_cost(task, query)


def _name(test_set: TestSet, instance: Instance) -> str:
    # The checksum of the set keeps results of one that was built anew apart.
    setting = "neq" if test_set.neq else "any"
    return f"optimal/{test_set.family}/{setting}/{test_set.sha256[:8]}/{instance.index}"


def _spell(binding: Mapping[str, str]) -> str:
    return "cost/" + ",".join(f"{variable}={name}" for variable, name in binding.items())


def _bind(work: tuple[Request, Instance]) -> Record:
    """The binding that a request gives for one instance."""
    request, instance = work
    try:
        return {"binding": ground(read_instance(instance), request).binding}
    except SkolemError as error:
        return {"binding": None, "undecided": _explain_limit(error)}


def _judge(work: tuple[Instance, dict[str, str]]) -> Record:
    """Validity and exact cost of a binding of one instance."""
    instance, binding = work
    try:
        valid, cost = find_bound_cost(read_instance(instance), binding)
    except SkolemError as error:
        # Only valid bindings are planned for.
        return {"valid": True, "cost": None, "undecided": _explain_limit(error)}
    return {"valid": valid, "cost": cost}


def _explain_limit(error: SkolemError) -> str:
    """The reason of a limit, or of a search that was given up; any other error is raised again."""
    limit = ExitCode.TRANSLATE_OUT_OF_MEMORY <= error.exit_code <= ExitCode.SEARCH_OUT_OF_MEMORY_AND_TIME
    if not limit and error.exit_code != ExitCode.UNSOLVED_INCOMPLETE:
        raise error
    return error.message
