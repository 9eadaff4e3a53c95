"""The paper's LAMA table: the learned route and its peers on large instances of the five families."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from skolem.cli.output import Console
from skolem.evaluation.comparison import (
    Figures,
    Row,
    Table,
    compare,
    compare_peers,
    find_cold_starts,
    list_rows,
    number,
    percent,
)
from skolem.evaluation.paper_large import LAMA
from skolem.evaluation.peers import Record, Settings, Spec, Trial
from skolem.families.registry import FAMILIES

GROUP = "lama"
COUNT = 100
PEERS_COUNT = 30
EXPANSIONS_COUNT = 3
"""Instances for unified-planning, which seldom ends within its limit."""

PHASES = (
    ("learned", "bind-axiom", "auto"),
    ("lama",),
    ("end", "miniscope", "random-valid", "v-star"),
    ("unified-planning",),
    ("lama-anytime",),
)
"""The ways in the order in which they are measured, the most telling first."""


@dataclass(frozen=True)
class Cell:
    """One cell of the table: a family in one setting."""

    family: str
    neq: bool
    figures: Figures
    peers: dict[str, Figures]

    def describe(self) -> dict[str, Any]:
        """The `--json` form of the cell."""
        figures = self.figures
        return {
            "family": self.family,
            "neq": self.neq,
            "count": figures["coverage"].count,
            "coverage": figures["coverage"].value,
            "validity": figures["validity"].value,
            "v_lama": figures["v_lama"].value,
            "ratio": figures["learned_ratio"].value,
            "speedup": figures["speedup"].value,
            "figures": {name: figure.describe() for name, figure in figures.items()},
            "peers": {
                route: {name: figure.describe() for name, figure in found.items()}
                for route, found in self.peers.items()
            },
        }


def plan_trials(
    cells: Sequence[tuple[str, bool]],
    settings: Settings,
    count: int = COUNT,
    peers_count: int = PEERS_COUNT,
    routes: Iterable[str] | None = None,
) -> list[Trial]:
    """The trials of the table, so ordered that a run cut off at any time has treated all cells alike."""
    wanted = None if routes is None else set(routes)
    trials = []
    for phase in PHASES:
        chosen = [route for route in phase if wanted is None or route in wanted]
        most = count if "learned" in phase else min(count, peers_count)
        most = min(most, EXPANSIONS_COUNT) if "unified-planning" in phase else most
        for index in range(most):
            specs = [Spec(family, neq, index) for family, neq in cells]
            trials += [Trial(GROUP, spec, route, settings) for spec in specs for route in chosen]
    return trials


def summarise(records: Sequence[Record]) -> list[Cell]:
    """The cells of the table that there are records for."""
    cold = find_cold_starts(records, list_rows(records, group=GROUP))
    cells = []
    for (family, neq), rows in list_cells(records):
        if rows:
            cells.append(Cell(family, neq, compare(rows, cold), compare_peers(rows)))
    return cells


def list_cells(records: Sequence[Record]) -> list[tuple[tuple[str, bool], list[Row]]]:
    """The instances of every cell."""
    names = [(family, neq) for family in FAMILIES for neq in (False, True)]
    return [((f, n), list_rows(records, group=GROUP, family=f, neq=n)) for f, n in names]


def show_lama(console: Console, cells: Sequence[Cell]) -> None:
    """Prints the paper's table with its figures beside ours, what a user gets, and every way."""
    console.table(*tabulate_paper(cells), "LAMA sets; V is the cost of the learned route")
    console.say()
    console.table(*tabulate_use(cells), "learned route, and plan (what `skolem plan` does)")
    console.say()
    console.table(*tabulate_peers(cells), "all routes")


def tabulate_paper(cells: Sequence[Cell], intervals: bool = False) -> Table:
    """The paper's table with its figures beside ours."""
    shares = ("coverage", "paper", "n of LAMA", "LAMA", "paper", "V^L", "paper")
    times = ("speed-up", "cold", "1e5 bindings (n)", "1e5 candidates (n)", "paper")
    columns = ("family", "x≠y", "n", *shares, "V/V^L", "plan's", "paper", *times)
    rows = []
    for cell in cells:
        paper, f = LAMA[cell.family, cell.neq], cell.figures
        rows.append(
            (
                *_name(cell),
                str(f["coverage"].count),
                percent(f["coverage"], intervals),
                f"{paper.coverage:.1%}",
                str(f["lama_coverage"].count),
                percent(f["lama_coverage"], intervals),
                f"{paper.lama_coverage:.1%}",
                number(f["v_lama"], 2, intervals),
                f"{paper.v_lama:.2f}",
                number(f["learned_ratio"], 3, intervals),
                number(f["auto_ratio"], 3, intervals),
                f"{paper.ratio:.3f}",
                number(f["speedup"], 2, intervals),
                number(f["speedup_cold"]),
                *(f"{number(f[n], 2, intervals)} ({f[n].count})" for n in ("speedup_large", "speedup_many")),
                f"{paper.speedup:.2f}",
            )
        )
    return columns, rows


def tabulate_use(cells: Sequence[Cell], intervals: bool = False) -> Table:
    """What the learned route and `skolem plan` cost against V*, anytime LAMA, exact rewritings, and in time."""
    names = ("ratio", "star_ratio", "anytime_ratio", "exact_cost", "best_cost", "time")
    heads = ("V/V^L", "V/V*", "V/anytime LAMA", "cost/cheapest rewriting", "cost/best known", "time/bind-axiom")
    columns = ("family", "x≠y", "route", "n", "coverage", *(f"{head} (n)" for head in heads))
    rows = []
    for cell in cells:
        for route, coverage in (("learned", "coverage"), ("plan", "auto_coverage")):
            own = "auto" if route == "plan" else route
            found = [cell.figures[f"{own}_{name}"] for name in names]
            shown = [f"{number(figure, 3, intervals)} ({figure.count})" for figure in found]
            share = cell.figures[coverage]
            rows.append((*_name(cell), route, str(share.count), percent(share, intervals), *shown))
    return columns, rows


def tabulate_peers(cells: Sequence[Cell]) -> Table:
    """Every way by itself."""
    columns = ("family", "x≠y", "route", "n", "coverage", "mean s", "V/V* (n)", "cost/learned (n)", "time/learned")
    rows = [
        (
            *_name(cell),
            route,
            str(f["coverage"].count),
            percent(f["coverage"]),
            number(f["seconds"]),
            f"{number(f['star_ratio'], 3)} ({f['star_ratio'].count})",
            f"{number(f['cost'], 3)} ({f['cost'].count})",
            number(f["time"]),
        )
        for cell in cells
        for route, f in cell.peers.items()
    ]
    return columns, rows


def _name(cell: Cell) -> tuple[str, str]:
    return cell.family, "yes" if cell.neq else "no"
