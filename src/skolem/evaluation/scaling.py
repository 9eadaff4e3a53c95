"""Scaling: how quality and time change with the size of a task and with the number of variables of its goal.

Measured: two series, one over sizes far beyond the paper's and one over up to twelve variables, by the main routes.
Reported: a row per step with the paper's columns where it has them, the stages of the learned route, and memory.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from skolem.evaluation.comparison import ANYTIME, Cell, Row, compare, compare_peers, get_cost, list_rows
from skolem.evaluation.configurations import Selection
from skolem.evaluation.lama import show_contested, show_ratios
from skolem.evaluation.paper import SCALING
from skolem.evaluation.routes import Settings, Spec, Trial, make_settings, run_trials
from skolem.evaluation.store import Record, Runner
from skolem.evaluation.tables import NONE, Table, counted, estimate_mean, number, percent
from skolem.families.registry import FAMILIES

GROUP = "scaling"
SIZES, VARIABLES = "scaling-size", "scaling-variables"
TITLES = {SIZES: "by number of objects", VARIABLES: "by number of variables"}

SIZE_STEPS: dict[str, tuple[int, ...]] = {
    "blocks": (7, 9, 11, 13, 15, 17, 20, 25, 30, 40, 50),
    "gripper": (15, 25, 47, 75, 105, 155, 205),
    "delivery": (31, 60, 88, 150, 207, 307, 407),
    "visitall": (16, 20, 25, 49, 64, 100, 144, 196, 256, 324, 400),
}
"""Numbers of objects; the largest have 50 blocks, 200 balls, and 400 cells."""
VARIABLE_STEPS = range(1, 13)

COUNT = 30
"""Instances of each size in the paper's tables."""
FURTHER_COUNT = 10
"""Instances of each other size."""
VARIABLES_COUNT = 6
"""Instances of each number of variables."""
PEERS_COUNT = 6

PHASES = (("learned", "bind-axiom", "auto"), ("lama",), ("v-star", "end", "miniscope"), (ANYTIME,))
STAGES = ("read", "ground", "plan", "total")


def measure(selection: Selection, runner: Runner) -> list[Record]:
    """The records of all trials."""
    (request,) = selection.requests
    return run_trials(GROUP, list_trials(selection, make_settings(request, runner.jobs)), runner)


def list_trials(selection: Selection, settings: Settings) -> list[Trial]:
    """The trials of both series; every second instance has inequalities unless one setting is asked for."""
    trials = []
    peers_count = selection.peers_count or PEERS_COUNT
    for phase in PHASES:
        chosen = [route for route in phase if selection.routes is None or route in selection.routes]
        for index in range(min(selection.count or COUNT, COUNT)):
            for group, spec, most in _list_specs(selection.families or tuple(FAMILIES), selection.neq, index):
                # LAMA is part of the paper's tables, the other peers are not.
                full = "learned" in phase or ("lama" in phase and most == COUNT)
                if index < (most if full else min(most, peers_count)):
                    trials += [Trial(group, spec, route, settings) for route in chosen]
    return trials


def _list_specs(families: Sequence[str], neq: bool | None, index: int) -> Iterable[tuple[str, Spec, int]]:
    """The instance with that number at every step, with its series and how many instances the step has."""
    setting = index % 2 == 1 if neq is None else neq
    for family in families:
        for size in SIZE_STEPS.get(family, ()):
            # Numbers of their own, so that no instance of the LAMA sets is met again.
            spec = Spec(family, setting, 100_000 + 1000 * size + index, size=size)
            yield SIZES, spec, COUNT if (family, size) in SCALING else FURTHER_COUNT
        kind = FAMILIES[family]
        size = max(kind.sizes["lama"])
        for variables in VARIABLE_STEPS:
            if variables <= kind.most_variables(size):
                spec = Spec(family, setting, 600_000 + 1000 * variables + index, size=size, variables=variables)
                yield VARIABLES, spec, VARIABLES_COUNT


def summarise(records: Sequence[Record]) -> list[Cell]:
    """The steps of both series that there are records for."""
    cells = []
    for series, name in ((SIZES, "size"), (VARIABLES, "variables")):
        for family in FAMILIES:
            found = [r for r in records if r.get("group") == series and r["family"] == family]
            for step in sorted({record[name] for record in found}):
                cells.append(_summarise_step(series, family, step, list_rows(found, **{name: step})))
    return cells


def _summarise_step(series: str, family: str, step: int, rows: Sequence[Row]) -> Cell:
    solved = [row["learned"]["times"] for row in rows if get_cost(row, "learned") is not None]
    peers = compare_peers(rows)
    used = {route: [r["memory"] for row in rows if (r := row.get(route)) and r["memory"]] for route in peers}
    # Mean seconds over the instances that the learned route solves, and the most megabytes of any process of a route.
    stages = {stage: estimate_mean(times[stage] for times in solved) for stage in STAGES}
    memory = {route: max(found) for route, found in used.items() if found}
    notes = {"series": series, "step": step, "memory": memory}
    return Cell(family, None, compare(rows), peers, {"stages": stages}, notes)


def select(cells: Sequence[Cell], series: str) -> list[Cell]:
    """The steps of one series."""
    return [cell for cell in cells if cell.notes["series"] == series]


def describe(cell: Cell) -> dict[str, Any]:
    """The `--json` form of a step."""
    return {
        "series": cell.notes["series"],
        "family": cell.family,
        "step": cell.notes["step"],
        **cell.describe_figures(),
        "stages": {name: figure.describe() for name, figure in cell.groups["stages"].items()},
        "memory": cell.notes["memory"],
    }


def tabulate(cells: Sequence[Cell]) -> list[Table]:
    """One row per size and per number of variables."""
    return [tabulate_series(cells, series) for series in TITLES]


def tabulate_series(cells: Sequence[Cell], series: str, intervals: bool = False) -> Table:
    """One row per step: the paper's columns with its figures, then ours; V is the learned route's cost."""
    against = ("V/V^L (n)", "sums", "paper", "plan/V^L (n)", "sums", "plan/anytime LAMA (n)", "sums")
    speed = ("speed-up (n)", "median", "paper")
    costs = (*against, *speed, "V/V* (n)", "V/best (n of m, by V*)", "plan/best (n of m, by V*)")
    times = (*(f"{stage} s" for stage in STAGES), "bind-axiom s", "MB", "planner MB")
    columns = ("family", "step", "n", "coverage", "paper", "plan", "n of LAMA", "LAMA", "paper", *costs, *times)
    rows = []
    for cell in select(cells, series):
        step, memory = cell.notes["step"], cell.notes["memory"]
        f, paper = cell.figures, SCALING.get((cell.family, step)) if series == SIZES else None
        cited = {} if paper is None else asdict(paper)
        rows.append(
            (
                cell.family,
                str(step),
                str(f["coverage"].count),
                percent(f["coverage"]),
                percent(cited.get("coverage")),
                percent(f["auto_coverage"]),
                str(f["lama_coverage"].count),
                percent(f["lama_coverage"]),
                percent(cited.get("lama_coverage")),
                *show_ratios(cell, "learned", "", intervals),
                number(cited.get("ratio"), 3),
                *show_ratios(cell, "auto", ""),
                *show_ratios(cell, "auto", "anytime_"),
                counted(f["speedup"], 2, intervals),
                number(f["speedup"].median),
                number(cited.get("speedup")),
                counted(f["learned_star_ratio"], 3),
                show_contested(cell, "learned", f["coverage"].count, intervals),
                show_contested(cell, "auto", f["auto_coverage"].count, intervals),
                *(number(cell.groups["stages"][stage]) for stage in STAGES),
                number(cell.peers["bind-axiom"]["seconds"]) if "bind-axiom" in cell.peers else NONE,
                str(memory.get("learned", NONE)),
                str(memory.get("bind-axiom", NONE)),
            )
        )
    return Table(TITLES[series], columns, rows)
