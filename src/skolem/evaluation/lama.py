"""The LAMA sets: the paper's second results table, large instances of the five families.

Measured: the learned route, `skolem plan`, LAMA and other peers, each on the first instances of every family.
Reported: the paper's columns beside ours, what a user gets against other routes, and every route by itself.
"""

from collections.abc import Sequence
from typing import Any

from skolem.evaluation.comparison import (
    ANYTIME,
    Cell,
    Row,
    compare,
    compare_peers,
    find_cold_starts,
    list_rows,
)
from skolem.evaluation.configurations import Selection
from skolem.evaluation.paper import LAMA
from skolem.evaluation.routes import Settings, Spec, Trial, make_settings, measure_cold_starts, run_trials
from skolem.evaluation.store import Record, Runner
from skolem.evaluation.tables import Table, counted, number, percent
from skolem.families.registry import FAMILIES

GROUP = "lama"
COUNT = 100
PEERS_COUNT = 30
EXPANSIONS_COUNT = 3
"""Instances for unified-planning, which seldom ends within its limit."""

TIMES = ("auto", "lama", ANYTIME)
UNMEASURED = "not measured"

PHASES = (
    ("learned", "bind-axiom", "auto"),
    ("lama",),
    ("end", "miniscope", "random-valid", "v-star"),
    ("unified-planning",),
    (ANYTIME,),
)
"""The routes in the order in which they are measured, the most telling first."""


def measure(selection: Selection, runner: Runner) -> list[Record]:
    """The records of all trials, and those of fresh processes."""
    (request,) = selection.requests
    trials = list_trials(selection, make_settings(request, runner.jobs))
    cold = measure_cold_starts(trials, runner.store)
    return [*cold, *run_trials(GROUP, trials, runner)]


def list_trials(selection: Selection, settings: Settings) -> list[Trial]:
    """The trials of the table, so ordered that a run cut off at any time has treated all cells alike."""
    trials = []
    for phase in PHASES:
        chosen = [route for route in phase if selection.routes is None or route in selection.routes]
        most = selection.count or COUNT
        if "learned" not in phase:
            most = min(most, selection.peers_count or PEERS_COUNT)
        if "unified-planning" in phase:
            most = min(most, EXPANSIONS_COUNT)
        for index in range(most):
            specs = [Spec(family, neq, index) for family, neq in selection.list_places()]
            trials += [Trial(GROUP, spec, route, settings) for spec in specs for route in chosen]
    return trials


def summarise(records: Sequence[Record]) -> list[Cell]:
    """The cells of the table that there are records for."""
    cold = find_cold_starts(records, list_rows(records, group=GROUP))
    return [
        Cell(family, neq, compare(rows, cold), compare_peers(rows))
        for (family, neq), rows in _list_places(records)
        if rows
    ]


def _list_places(records: Sequence[Record]) -> list[tuple[tuple[str, bool], list[Row]]]:
    places = [(family, neq) for family in FAMILIES for neq in (False, True)]
    return [((f, n), list_rows(records, group=GROUP, family=f, neq=n)) for f, n in places]


def describe(cell: Cell) -> dict[str, Any]:
    """The `--json` form of a cell."""
    return {
        "family": cell.family,
        "neq": cell.neq,
        **cell.describe_figures(),
    }


def tabulate(cells: Sequence[Cell]) -> list[Table]:
    """The paper's table with its figures beside ours, plan against LAMA, what a user gets, and every route."""
    tables = (tabulate_paper, tabulate_speed, tabulate_plan, tabulate_use, tabulate_peers)
    return [tabulate_these(cells) for tabulate_these in tables]


def tabulate_paper(cells: Sequence[Cell], intervals: bool = False) -> Table:
    """The paper's table with its figures beside ours, times apart."""
    shares = ("coverage", "paper", "n of LAMA", "LAMA", "paper", "V^L", "paper")
    columns = ("family", "x≠y", "n", *shares, "V/V^L: mean", "V/V^L: sums", "paper")
    rows = []
    for cell in cells:
        paper, f = LAMA[cell.family, bool(cell.neq)], cell.figures
        rows.append(
            (
                *cell.name,
                str(f["coverage"].count),
                percent(f["coverage"], intervals),
                percent(paper.coverage),
                str(f["lama_coverage"].count),
                percent(f["lama_coverage"], intervals),
                percent(paper.lama_coverage),
                number(f["v_lama"], 2, intervals),
                number(paper.v_lama),
                number(f["learned_ratio"], 3, intervals),
                number(f["learned_total_ratio"], 3, intervals),
                number(paper.ratio, 3),
            )
        )
    return Table("LAMA sets; V is the cost of the learned route", columns, rows)


def tabulate_speed(cells: Sequence[Cell], intervals: bool = False) -> Table:
    """The learned route's speed-up over lama-first: on all tasks that both solve, then on those with many bindings."""
    names = {"speedup": "both solve", "speedup_large": "1e5 bindings", "speedup_many": "1e5 candidates"}
    parts = [f"{head}{column}" for head in names.values() for column in (" (n)", ": median")]
    columns = ("family", "x≠y", *parts[:2], "cold", "paper", "n of LAMA", *parts[2:])
    rows = []
    for cell in cells:
        f = cell.figures
        shown = [(counted(f[name], 2, intervals), number(f[name].median)) for name in names]
        rows.append(
            (
                *cell.name,
                *shown[0],
                number(f["speedup_cold"]),
                number(LAMA[cell.family, bool(cell.neq)].speedup),
                str(f["lama_coverage"].count),
                *shown[1],
                *shown[2],
            )
        )
    return Table("speed-up over lama-first", columns, rows)


def tabulate_plan(cells: Sequence[Cell], intervals: bool = False) -> Table:
    """Costs against LAMA: first plans with lama-first's, `skolem plan` with lama-first's and those of anytime LAMA."""
    heads = ("learned/lama-first", "plan/lama-first", "plan/anytime LAMA")
    columns = ("family", "x≠y", *(f"{head}{part}" for head in heads for part in (": mean (n)", ": sums")))
    columns += ("plan s", "lama-first s", "anytime LAMA s")
    rows = []
    for cell in cells:
        shown = [
            show_ratios(cell, *ratio, intervals) for ratio in (("learned", ""), ("auto", ""), ("auto", "anytime_"))
        ]
        seconds = [number(cell.peers[r]["seconds"]) if r in cell.peers else UNMEASURED for r in TIMES]
        rows.append((*cell.name, *(each for pair in shown for each in pair), *seconds))
    return Table("costs against LAMA", columns, rows)


def show_ratios(cell: Cell, route: str, other: str, intervals: bool = False) -> tuple[str, str]:
    """A route's costs against lama-first's, or with `anytime_` against those of anytime LAMA: mean and sums."""
    if (ANYTIME if other else "lama") not in cell.peers:
        return UNMEASURED, UNMEASURED
    mean, total = (cell.figures[f"{route}_{part}{other}ratio"] for part in ("", "total_"))
    return counted(mean, 3, intervals), number(total, 3, intervals)


def tabulate_use(cells: Sequence[Cell], intervals: bool = False) -> Table:
    """What the learned route and `skolem plan` cost against V*, exact rewritings and all other routes, and in time."""
    names = ("star_ratio", "total_star_ratio", "exact_cost", "time")
    heads = ("V/V*: mean (n)", "V/V*: sums (n)", "cost/cheapest rewriting (n)", "time/bind-axiom (n)")
    columns = ("family", "x≠y", "route", "n", "coverage", *heads, "cost/best known (n of m, by V*)")
    rows = []
    for cell in cells:
        for route, coverage in (("learned", "coverage"), ("plan", "auto_coverage")):
            own = "auto" if route == "plan" else route
            found = [cell.figures[f"{own}_{name}"] for name in names]
            shown = [counted(figure, 3, intervals) for figure in found]
            share = cell.figures[coverage]
            best = show_contested(cell, own, share.count, intervals)
            rows.append((*cell.name, route, str(share.count), percent(share, intervals), *shown, best))
    return Table("learned route, and plan (what `skolem plan` does)", columns, rows)


def show_contested(cell: Cell, route: str, count: int, intervals: bool = False) -> str:
    """A route's cost over the best known where that is not its own alone: how many of its instances, how many by V*."""
    found, optimum = cell.figures[f"{route}_contested"], cell.figures[f"{route}_star_ratio"]
    return f"{number(found, 3, intervals)} ({found.count} of {count}, {optimum.count})"


def tabulate_peers(cells: Sequence[Cell]) -> Table:
    """Every route by itself."""
    columns = ("family", "x≠y", "route", "n", "coverage", "mean s", "V/V* (n)", "cost/learned (n)", "time/learned")
    rows = [
        (
            *cell.name,
            route,
            str(f["coverage"].count),
            percent(f["coverage"]),
            number(f["seconds"]),
            counted(f["star_ratio"], 3),
            counted(f["cost"], 3),
            number(f["time"]),
        )
        for cell in cells
        for route, f in cell.peers.items()
    ]
    return Table("all routes", columns, rows)
