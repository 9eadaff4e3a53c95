"""The paper's LAMA table: the learned route and its peers on large instances of the five families."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from skolem.console import Console
from skolem.domains.registry import FAMILIES
from skolem.evaluation.comparison import (
    Estimate,
    Figures,
    Row,
    compare,
    compare_peers,
    find_cold_starts,
    find_oddities,
    list_rows,
)
from skolem.evaluation.paper_large import LAMA
from skolem.evaluation.peers import Record, Settings, Spec, Trial
from skolem.evaluation.runs import measure_cold_starts, note_environment, run_trials
from skolem.evaluation.store import Store

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
        number = count if "learned" in phase else peers_count
        number = min(number, EXPANSIONS_COUNT) if "unified-planning" in phase else number
        for index in range(number):
            specs = [Spec(family, neq, index) for family, neq in cells]
            trials += [Trial(GROUP, spec, route, settings) for spec in specs for route in chosen]
    return trials


def evaluate(
    trials: Sequence[Trial],
    settings: Settings,
    store: Store,
    backend: str = "loky",
    deadline: float = float("inf"),
    report: Callable[[int], None] = lambda done: None,
) -> tuple[list[Cell], list[str]]:
    """The cells that the trials give, and what in them is not explained."""
    note_environment(store, GROUP, settings)
    cold = measure_cold_starts(dict.fromkeys(trial.spec.family for trial in trials), store, settings, deadline)
    records = run_trials(trials, store, settings.jobs, backend, deadline, report)
    return summarise([*cold, *records]), find_oddities(list_rows(records))


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


def show_lama(console: Console, cells: Sequence[Cell], oddities: Sequence[str]) -> None:
    """Prints what is not explained, the paper's table with its figures beside ours, and the peers."""
    for line in oddities:
        console.say(f"not explained: {line}")
    costs = ("V^L", "paper", "V/V^L", "paper")
    times = ("speed-up", "cold", "large", "paper", "V/V*", "cost/exact", "time/bind-axiom")
    columns = ("family", "x≠y", "n", "coverage", "paper", "plan", "LAMA", "paper", *costs, *times)
    rows = []
    for cell in cells:
        paper, f = LAMA[cell.family, cell.neq], cell.figures
        rows.append(
            (
                cell.family,
                "yes" if cell.neq else "no",
                str(f["coverage"].count),
                percent(f["coverage"]),
                f"{paper.coverage:.1%}",
                percent(f["auto_coverage"]),
                percent(f["lama_coverage"]),
                f"{paper.lama_coverage:.1%}",
                number(f["v_lama"]),
                f"{paper.v_lama:.2f}",
                number(f["learned_ratio"], 3),
                f"{paper.ratio:.3f}",
                number(f["speedup"]),
                number(f["speedup_cold"]),
                number(f["speedup_large"]),
                f"{paper.speedup:.2f}",
                number(f["learned_star_ratio"], 3),
                number(f["learned_exact_cost"], 3),
                number(f["learned_time"]),
            )
        )
    console.table(columns, rows, "LAMA sets")
    console.say()
    peers = [
        (
            cell.family,
            "yes" if cell.neq else "no",
            route,
            str(f["coverage"].count),
            percent(f["coverage"]),
            number(f["seconds"]),
            number(f["star_ratio"], 3),
            number(f["cost"], 3),
            number(f["time"]),
        )
        for cell in cells
        for route, f in cell.peers.items()
    ]
    heads = ("family", "x≠y", "route", "n", "coverage", "mean s", "V/V*", "cost/learned", "time/learned")
    console.table(heads, peers, "all routes")


def percent(figure: Estimate) -> str:
    """A share for people."""
    return "-" if figure.value is None else f"{figure.value:.1%}"


def number(figure: Estimate, digits: int = 2) -> str:
    """A number for people."""
    return "-" if figure.value is None else f"{figure.value:.{digits}f}"
