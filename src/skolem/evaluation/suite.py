"""The public suite: larger problems of domains that researchers know, learned from small ones.

Measured: the learned binding where there is a model, with a plan of lama-first and with the cheapest one, `skolem
plan`, exact rewritings, LAMA, and other peers. Reported: coverage, V/V* where V* is known, the cost against the best
that any route found, seconds, what all plans of `skolem plan` and of the exact route cost together, and which route
`skolem plan` took.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from statistics import fmean
from typing import Any

from skolem.evaluation.comparison import (
    Cell,
    Figures,
    Row,
    estimate_coverage,
    find_best_cost,
    get_cost,
    get_seconds,
    list_rows,
)
from skolem.evaluation.configurations import Selection, choose_model, identify_model
from skolem.evaluation.routes import (
    BEST_FOR_LEARNED,
    ROUTES,
    Settings,
    SuiteSpec,
    Trial,
    hash_text,
    make_settings,
    run_trials,
)
from skolem.evaluation.store import Record, Runner
from skolem.evaluation.suite_sets import load_suite_set
from skolem.evaluation.tables import Estimate, Table, counted, estimate_mean, estimate_ratio, number, percent, pool
from skolem.families.suite import NAMES
from skolem.support.errors import InputError

GROUP = "suite"
EXPANSIONS_COUNT = 10
"""Instances for unified-planning, which seldom ends within its limit."""

PHASES = (
    ("learned", "auto", "exact", "lama", "random-valid"),
    (BEST_FOR_LEARNED,),
    ("bind-axiom", "end", "miniscope"),
    ("unified-planning",),
)
"""The routes in the order in which they are measured, the most telling first."""


def measure(selection: Selection, runner: Runner) -> list[Record]:
    """The records of all trials, one domain after another, with V* where it is known."""
    (request,) = selection.requests
    records = []
    for family in selection.families or NAMES:
        if family not in NAMES:
            raise InputError(f"{family} is no domain of the suite: expected one of {', '.join(NAMES)}")
        settings = make_settings(choose_model(request, family), runner.jobs)
        records += run_trials(f"{GROUP}, {family}", list_trials(selection, family, settings), runner)
    return add_optima(records)


def list_trials(selection: Selection, family: str, settings: Settings) -> list[Trial]:
    """The trials of a domain; the learned route only where there is a model."""
    published = load_suite_set(family)
    published.instances()
    learned = identify_model(replace(settings.request, grounder="learned"), family)
    trials = []
    for phase in PHASES:
        most = min(selection.count or len(published.costs), len(published.costs))
        if "unified-planning" in phase:
            most = min(most, selection.peers_count or EXPANSIONS_COUNT)
        chosen = [route for route in phase if selection.routes is None or route in selection.routes]
        for index in range(most):
            spec = SuiteSpec(family, False, index)
            bound = ("learned", BEST_FOR_LEARNED)
            trials += [Trial(GROUP, spec, route, settings) for route in chosen if learned or route not in bound]
    return trials


def add_optima(records: Iterable[Record]) -> list[Record]:
    """The records with V* of their instances; those of instances that are no longer published are left out."""
    found = []
    for record in records:
        optima = _list_optima(record["family"]) if record["family"] in NAMES else {}
        if record["task"] in optima:
            found.append({**record, "v_star": optima[record["task"]]})
    return found


@cache
def _list_optima(family: str) -> dict[str, int | None]:
    """V* by the checksums of the tasks."""
    published = load_suite_set(family)
    tasks = [hash_text(instance.problem_text) for instance in published.instances()]
    return dict(zip(tasks, published.costs, strict=True))


def summarise(records: Sequence[Record]) -> list[Cell]:
    """One cell per domain, with every route by itself."""
    cells = []
    for family in NAMES:
        rows = list_rows(records, group=GROUP, family=family)
        if rows:
            peers = {route: compare_route(rows, route) for route in ROUTES if any(route in row for row in rows)}
            optima = [_get_optimum(row) for row in rows]
            figures = {"v_star": estimate_mean(cost for cost in optima if cost is not None)}
            notes = {"totals": compare_totals(rows), "answers": count_answers(rows), "model": find_weights(rows)}
            cells.append(Cell(family, None, figures, peers, notes={"count": len(rows), **notes}))
    return cells


def compare_route(rows: Sequence[Row], route: str) -> Figures:
    """Coverage, mean V/V* where V* is known, total cost over that of the best known plans, and mean seconds."""
    pairs = [(get_cost(row, route), _get_optimum(row)) for row in rows]
    return {
        "coverage": estimate_coverage(rows, route),
        "ratio": estimate_mean(cost / optimum for cost, optimum in pairs if cost is not None and optimum),
        "best_cost": estimate_ratio((get_cost(row, route), find_best(row)) for row in rows),
        "seconds": estimate_mean(get_seconds(row, route) for row in rows if route in row),
    }


def compare_totals(rows: Sequence[Row]) -> Estimate:
    """What the plans of `skolem plan` and of the exact route cost together, where both found one."""
    return estimate_ratio((get_cost(row, "auto"), get_cost(row, "exact")) for row in rows)


def count_answers(rows: Sequence[Row]) -> dict[str, int]:
    """How often `skolem plan` took its plan from which route."""
    records = [row["auto"] for row in rows if get_cost(row, "auto") is not None]
    return dict(Counter(record["by"] for record in records).most_common())


def find_weights(rows: Sequence[Row]) -> str:
    """The short checksum of the model that `skolem plan` used last; empty if there was none."""
    used = [row["auto"]["depends_on"].split("-")[0] for row in rows if "auto" in row]
    return used[-1] if used else ""


def find_best(row: Row) -> int | None:
    """V*, or else the least cost that any route found."""
    optimum = _get_optimum(row)
    return find_best_cost(row) if optimum is None else optimum


def _get_optimum(row: Row) -> int | None:
    optimum: int | None = next(iter(row.values()))["v_star"]
    return optimum


def describe(cell: Cell) -> dict[str, Any]:
    """The `--json` form of a cell; its own figures are those of the learned binding, without a model of `auto`."""
    main = cell.peers.get("learned") or cell.peers.get("auto") or {}
    coverage, ratio = main.get("coverage"), (cell.peers.get(BEST_FOR_LEARNED) or main).get("ratio")
    totals: Estimate = cell.notes["totals"]
    return {
        "family": cell.family,
        "neq": cell.neq,
        "model": cell.notes["model"],
        "count": cell.notes["count"],
        "coverage": None if coverage is None else coverage.value,
        "validity": None,
        "v_star": cell.figures["v_star"].value,
        "ratio": None if ratio is None else ratio.value,
        "speedup": None,
        "totals": {"auto": sum(totals.tops), "exact": sum(totals.bottoms), **totals.describe()},
        "answers": cell.notes["answers"],
        "peers": {
            route: {name: figure.describe() for name, figure in figures.items()}
            for route, figures in cell.peers.items()
        },
    }


def tabulate(cells: Sequence[Cell]) -> list[Table]:
    """V/V* and coverage side by side, the routes over all domains, total costs, and every route in every domain."""
    return [tabulate_domains(cells), tabulate_routes(cells), tabulate_totals(cells), tabulate_peers(cells)]


def tabulate_domains(cells: Sequence[Cell]) -> Table:
    """Coverage and V/V* of every route, a row per domain."""
    routes = [route for route in ROUTES if any(route in cell.peers for cell in cells)]
    rows = []
    for cell in cells:
        shown = [f"{percent(f['coverage'])} {number(f['ratio'], 3)}" if f else "-" for f in map(cell.peers.get, routes)]
        v_star = cell.figures["v_star"]
        rows.append((cell.family, str(cell.notes["count"]), counted(v_star, 1), *shown))
    return Table("coverage and V/V*", ("domain", "n", "V* (n)", *routes), rows)


def tabulate_routes(cells: Sequence[Cell]) -> Table:
    """Every route over the domains that it was tried in."""
    rows = []
    for route in ROUTES:
        tried = [cell for cell in cells if route in cell.peers]
        found = [cell.peers[route] for cell in tried]
        ratios = {c.family: r for c, f in zip(tried, found, strict=True) if (r := f["ratio"].value) is not None}
        covered = [value for f in found if (value := f["coverage"].value) is not None]
        if not covered:
            continue
        worst = max(ratios, key=lambda family: ratios[family], default=None)
        rows.append(
            (
                route,
                str(len(tried)),
                percent(fmean(covered)),
                percent(min(covered)),
                number(fmean(ratios.values()) if ratios else None, 3),
                "-" if worst is None else f"{number(ratios[worst], 3)} ({worst})",
            )
        )
    columns = ("route", "domains", "coverage", "least coverage", "V/V*", "largest V/V*")
    return Table("means over the domains", columns, rows)


def tabulate_totals(cells: Sequence[Cell]) -> Table:
    """Total costs of `skolem plan` against those of the exact route, by domain and together."""
    totals: dict[str, Estimate] = {cell.family: cell.notes["totals"] for cell in cells}
    answers = {cell.family: ", ".join(f"{by} {n}" for by, n in cell.notes["answers"].items()) for cell in cells}
    rows = [
        (name, str(f.count), f"{sum(f.tops):g}", f"{sum(f.bottoms):g}", number(f, 3), answers.get(name, ""))
        for name, f in {**totals, "all": pool(totals.values())}.items()
        if f.count
    ]
    columns = ("domain", "n", "cost of auto", "cost of exact", "auto/exact", "auto answered by")
    return Table("total costs of skolem plan and of the exact route", columns, rows)


def tabulate_peers(cells: Sequence[Cell], intervals: bool = False) -> Table:
    """Every route in every domain."""
    columns = ("domain", "route", "n", "coverage", "V/V* (n)", "cost/best known (n)", "mean s")
    rows = [
        (
            cell.family,
            route,
            str(f["coverage"].count),
            percent(f["coverage"], intervals),
            counted(f["ratio"], 3, intervals),
            counted(f["best_cost"], 3, intervals),
            number(f["seconds"]),
        )
        for cell in cells
        for route, f in cell.peers.items()
    ]
    return Table("all routes", columns, rows)
