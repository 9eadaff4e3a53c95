"""The optimal sets: the paper's first results table, how good the bindings of a grounder are by exact costs.

Measured: every grounder on the first instances of each published set; then the exact cost of each binding.
Reported: coverage (instances whose binding can be reached), validity, and V/V* beside the paper's, also by variables.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from skolem.evaluation.comparison import Cell, Figures, describe_means, group_records
from skolem.evaluation.configurations import Selection, configure
from skolem.evaluation.paper import OPTIMAL, RANDOM
from skolem.evaluation.store import Record, Runner
from skolem.evaluation.tables import (
    NONE,
    Estimate,
    Table,
    estimate_mean,
    estimate_ratio,
    name_place,
    number,
    percent,
    round_figures,
)
from skolem.evaluation.test_sets import TestSet, find_bound_cost, load_optimal_set, read_instance
from skolem.families.registry import FAMILIES, Instance
from skolem.request import Request
from skolem.solve import ground
from skolem.support.errors import ExitCode, SkolemError

GROUP = "optimal"
VERSION = 2
"""Part of every key: raised when a grounder gives other bindings than before for the same request and model."""
STEPS = 2
"""Every instance is grounded and its binding's cost found: two steps of progress."""


def measure(selection: Selection, runner: Runner) -> list[Record]:
    """Grounds the instances by every request, then finds the exact cost of every binding; the store keeps both."""
    places = [(request, *place) for request in selection.requests for place in selection.list_places()]
    return [record for place in places for record in measure_cell(*place, selection.count, runner)]


def measure_cell(request: Request, family: str, neq: bool, count: int | None, runner: Runner) -> list[Record]:
    """One request on the instances of one set."""
    test_set = load_optimal_set(family, neq)
    instances = test_set.instances(count)
    configuration = configure(request, family, neq)
    how = f"{configuration.key}/{VERSION}"
    with runner.progress(f"{request.grounder}, {name_place(family, neq)}", STEPS * len(instances), "steps") as report:
        bindings = [(f"{_name(test_set, i.index)}/{how}", (configuration.request, i)) for i in instances]
        found = [record["binding"] for record in runner.run(_bind, bindings, report)]
        bound = [(i, binding) for i, binding in zip(instances, found, strict=True) if binding is not None]
        costs = [(f"{_name(test_set, i.index)}/{_spell(binding)}", (i, binding)) for i, binding in bound]
        done = STEPS * len(instances) - len(bound)
        runner.run(_judge, costs, lambda judged: report(done + judged))
    return _join(test_set, configuration.label, how, runner.store.get, count)


def collect(stored: Mapping[str, Record]) -> list[Record]:
    """The records of the published sets in a store, the random grounders last; of each place the last model counts."""
    sets = [load_optimal_set(family, neq) for family in FAMILIES for neq in (False, True)]
    places = {_name(test_set, index): test_set for test_set in sets for index in test_set.indices}
    found: dict[str, dict[TestSet, str]] = {}
    for key in stored:
        *task, how = key.split("/", 5)
        test_set = places.get("/".join(task))
        if test_set is not None and not how.startswith("cost/"):
            words, _, seed, _ = how.split("/")
            label = f"{words},{seed}".removesuffix(",seed=0").replace(",", " ")
            found.setdefault(label, {})[test_set] = how
    return [
        record
        for label in sorted(found, key=lambda label: label.startswith("random"))
        for test_set in sets
        if test_set in found[label]
        for record in _join(test_set, label, found[label][test_set], stored.get)
    ]


def _join(
    test_set: TestSet, label: str, how: str, find: Callable[[str], Record | None], count: int | None = None
) -> list[Record]:
    """One flat record per instance that was grounded and whose binding, if there is one, was judged."""
    _, model, seed, _ = how.split("/")
    notes = {"route": label, "model": model.strip("-"), "seed": int(seed.removeprefix("seed="))}
    records = []
    for index, variables, v_star in list(zip(test_set.indices, test_set.variables, test_set.costs, strict=True))[
        :count
    ]:
        task = _name(test_set, index)
        grounding = find(f"{task}/{how}") or {}
        binding = grounding.get("binding")
        # A grounder that has no binding has none that is valid.
        judged = {"valid": False, "cost": None} | grounding if binding is None else find(f"{task}/{_spell(binding)}")
        if not grounding or judged is None:
            continue
        place = {"group": GROUP, "family": test_set.family, "neq": test_set.neq, "index": index, "task": task}
        found = {"valid": judged["valid"], "cost": judged["cost"], "binding": binding, **_find_status(judged)}
        records.append({**place, "variables": variables, "v_star": v_star, **notes, **found})
    return records


def _find_status(judged: Record) -> Record:
    """The outcome of a binding, in the words of all records."""
    if judged["cost"] is not None:
        status, code, reason = "solved", ExitCode.SUCCESS, ""
    elif judged.get("undecided"):
        status, code, reason = "unsolved", ExitCode.SEARCH_OUT_OF_TIME, judged["undecided"]
    else:
        what = "cannot be reached" if judged["valid"] else "violates the static goal"
        status, code, reason = "unsolved", ExitCode.UNSOLVED_INCOMPLETE, f"this binding {what}"
    undecided = bool(judged.get("undecided"))
    return {"status": status, "exit_code": int(code), "reason": reason, "undecided": undecided}


def _name(test_set: TestSet, index: int) -> str:
    # The checksum of the set keeps results of one that was built anew apart.
    setting = "neq" if test_set.neq else "any"
    return f"{GROUP}/{test_set.family}/{setting}/{test_set.sha256[:8]}/{index}"


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


def summarise(records: Sequence[Record]) -> list[Cell]:
    """One cell per configuration, family and setting, with its parts by the number of variables."""
    cells = []
    for (label, family, neq), found in group_records(records, "route", "family", "neq").items():
        parts = sorted(group_records(found, "variables").items())
        groups = {str(variables): estimate(part) for (variables,), part in parts}
        notes = {"configuration": label, "model": found[0]["model"] or None, "seed": found[0]["seed"]}
        cells.append(Cell(family, neq, estimate(found), groups=groups, notes=notes))
    return cells


def estimate(records: Sequence[Record]) -> dict[str, Estimate]:
    """Coverage, validity, V* and V/V*; an undecided instance counts as not covered.

    V/V* is over the covered instances: `ratio` is the mean of their ratios, `total_ratio` the ratio of the sums.
    """
    covered = [record for record in records if record["cost"] is not None]
    return {
        "coverage": estimate_mean(record["cost"] is not None for record in records),
        "validity": estimate_mean(record["valid"] for record in records),
        "v_star": estimate_mean(record["v_star"] for record in records),
        "ratio": estimate_mean(record["cost"] / record["v_star"] for record in covered),
        "total_ratio": estimate_ratio((record["cost"], record["v_star"]) for record in covered),
        "undecided": estimate_mean(record["undecided"] for record in records),
    }


def describe(cell: Cell) -> dict[str, Any]:
    """The `--json` form of a cell."""
    return {
        "family": cell.family,
        "neq": cell.neq,
        **_describe_part(cell.figures),
        "intervals": round_figures({name: cell.figures[name].interval for name in ("ratio", "total_ratio")}),
        "speedup": None,
        "peers": {},
        "by_variables": {count: _describe_part(figures) for count, figures in cell.groups.items()},
        "configuration": cell.notes["configuration"],
        "model": cell.notes["model"],
    }


def _describe_part(figures: Figures) -> dict[str, Any]:
    values = describe_means(figures, "coverage", "validity", "v_star", "ratio")
    return {**values, "total_ratio": figures["total_ratio"].value, "undecided": _count(figures["undecided"])}


def _count(share: Estimate) -> int:
    return round(sum(share.tops))


def tabulate(cells: Sequence[Cell]) -> list[Table]:
    """A table for each configuration beside the paper's, one of all if there are several, and those by variables."""
    labels = list_labels(cells)
    tables = [_compare_with_paper(label, select(cells, label)) for label in labels]
    if len(labels) > 1:
        tables.append(_compare_configurations(labels, cells))
    return [*tables, *_split_by_variables(cells)]


def list_labels(cells: Sequence[Cell]) -> list[str]:
    """The configurations in the order of the cells."""
    return list(dict.fromkeys(cell.notes["configuration"] for cell in cells))


def select(cells: Sequence[Cell], label: str) -> list[Cell]:
    """The cells of one configuration."""
    return [cell for cell in cells if cell.notes["configuration"] == label]


def cite_paper(cell: Cell) -> tuple[float | None, float | None]:
    """The paper's coverage and V/V* for the same cell; it gives the random ones once for both settings."""
    grounder = cell.notes["configuration"].split()[0]
    if grounder == "random":
        return RANDOM[cell.family].coverage_all, None
    if grounder == "random-valid":
        return RANDOM[cell.family].coverage_valid, RANDOM[cell.family].ratio
    if grounder in ("learned", "beam"):
        row = OPTIMAL[cell.family, bool(cell.neq)]
        return row.coverage, row.ratio
    return None, None


def _compare_with_paper(label: str, cells: Sequence[Cell]) -> Table:
    shares = ("coverage", "paper", "validity", "V*", "paper")
    columns = ("family", "x≠y", "count", *shares, "V/V*: mean", "V/V*: sums", "paper", "undecided")
    rows = []
    for cell in cells:
        coverage, ratio = cite_paper(cell)
        f = cell.figures
        rows.append(
            (
                *cell.name,
                str(f["coverage"].count),
                percent(f["coverage"]),
                percent(coverage),
                percent(f["validity"]),
                number(f["v_star"], 3),
                number(OPTIMAL[cell.family, bool(cell.neq)].v_star, 3),
                number(f["ratio"], 3, interval=True),
                number(f["total_ratio"], 3, interval=True),
                number(ratio, 3),
                str(_count(f["undecided"])),
            )
        )
    return Table(f"optimal sets, grounder {label}", columns, rows)


def _compare_configurations(labels: Sequence[str], cells: Sequence[Cell]) -> Table:
    """Coverage and V/V* of every configuration in one row per family and setting."""
    found = {(*cell.name, cell.notes["configuration"]): _show(cell.figures) for cell in cells}
    rows = []
    for cell in {cell.name: cell for cell in cells}.values():
        paper = OPTIMAL[cell.family, bool(cell.neq)]
        cited = f"{percent(paper.coverage)} {number(paper.ratio, 3)}"
        rows.append((*cell.name, cited, *(found.get((*cell.name, label), NONE) for label in labels)))
    return Table("coverage and V/V* of all grounders", ("family", "x≠y", "paper", *labels), rows)


def _split_by_variables(cells: Sequence[Cell]) -> list[Table]:
    counts = sorted({int(count) for cell in cells for count in cell.groups})
    costs, rows = {}, []
    for cell in cells:
        parts = [cell.groups.get(str(count)) for count in counts]
        costs[cell.name] = [NONE if f is None else f"{number(f['v_star'])} ({f['v_star'].count})" for f in parts]
        shown = [NONE if f is None else _show(f) for f in parts]
        rows.append((cell.notes["configuration"], *cell.name, *shown))
    heads = tuple(map(str, counts))
    return [
        Table(
            "mean V* (instances) by number of variables",
            ("family", "x≠y", *heads),
            [(*name, *shown) for name, shown in costs.items()],
        ),
        Table("coverage and V/V* by number of variables", ("grounder", "family", "x≠y", *heads), rows),
    ]


def _show(figures: Figures) -> str:
    return f"{percent(figures['coverage'])} {number(figures['ratio'], 3)}"
