"""More time and memory: lama-first once more on tasks of the LAMA sets that it did not solve.

Measured: the first such tasks, taken from all families and settings in turn, with the limits that are asked for.
Reported: what became of each, beside what `skolem plan` did within the usual limits.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from skolem.evaluation import lama
from skolem.evaluation.comparison import SOLVED, Cell, Row, find_outcome, get_cost, get_seconds, list_rows
from skolem.evaluation.configurations import Selection
from skolem.evaluation.paper import AUTHORS_LIMITS
from skolem.evaluation.routes import Spec, Trial, make_settings, name_task, run_trials
from skolem.evaluation.store import Record, Runner
from skolem.evaluation.tables import NONE, Table, estimate_mean, number
from skolem.families.registry import FAMILIES
from skolem.support.errors import InputError

GROUP = "unsolved"
COUNT = 10
ROUTE = "lama"


def measure(selection: Selection, runner: Runner) -> list[Record]:
    """The records of the tasks that are chosen from the store of the LAMA sets."""
    (request,) = selection.requests
    settings = make_settings(request, runner.jobs)
    chosen = choose_rows((record for _, record in runner.store.records()), selection.count or COUNT)
    if not chosen:
        raise InputError("no task of the LAMA sets in this store that lama did not solve")
    return run_trials(GROUP, [Trial(GROUP, _find_spec(row[ROUTE]), ROUTE, settings) for row in chosen], runner)


def choose_rows(records: Iterable[Record], count: int = COUNT) -> list[Row]:
    """The first tasks of the LAMA sets that lama-first did not solve: the first of each cell, then the second."""
    cells: dict[tuple[str, bool], list[Row]] = {(family, neq): [] for family in FAMILIES for neq in (False, True)}
    for row in list_rows(records, group=lama.GROUP):
        if ROUTE in row and get_cost(row, ROUTE) is None:
            cells[row[ROUTE]["family"], row[ROUTE]["neq"]].append(row)
    turns = [(turn, row) for rows in cells.values() for turn, row in enumerate(rows)]
    return [row for _, row in sorted(turns, key=lambda each: each[0])][:count]


def _find_spec(record: Record) -> Spec:
    """Where a record's task comes from."""
    spec = Spec(record["family"], record["neq"], record["index"])
    if not name_task(spec).endswith(record["task"]):
        raise InputError(f"the generator of {spec.family} no longer gives the tasks of this store")
    return spec


def summarise(records: Sequence[Record]) -> list[Cell]:
    """One cell per task."""
    return [
        Cell(
            record["family"],
            record["neq"],
            {"coverage": estimate_mean([record["status"] == SOLVED.status])},
            notes={name: record[name] for name in ("index", "variables", "cost", "reason", "limit", "memory_limit")}
            | {"seconds": get_seconds({ROUTE: record}, ROUTE)},
        )
        for record in records
        if record["group"] == GROUP
    ]


def describe(cell: Cell) -> dict[str, Any]:
    """The `--json` form of a task."""
    coverage = cell.figures["coverage"].value
    return {"family": cell.family, "neq": cell.neq, "count": 1, "coverage": coverage, **cell.notes}


def tabulate(cells: Sequence[Cell]) -> list[Table]:
    """One row per task."""
    columns = ("family", "x≠y", "instance", "variables", "cost", "s", "reason")
    rows = [
        (
            *cell.name,
            *(str(cell.notes[name]) for name in ("index", "variables")),
            NONE if cell.notes["cost"] is None else str(cell.notes["cost"]),
            number(cell.notes["seconds"]),
            cell.notes["reason"],
        )
        for cell in cells
    ]
    return [Table("lama-first once more", columns, rows)]


def spell_limits(records: Iterable[Record]) -> str:
    """The limits that the tasks were measured with, in words; those of the authors where none was."""
    return " or ".join(f"{seconds / 60:g} minutes and {mb / 1024:g} GB" for seconds, mb, _ in _list_ways(records))


def spell_commands(records: Iterable[Record]) -> list[str]:
    """The commands that measure with these limits; the store is that of `skolem evaluate lama`, not compressed."""
    words = f"skolem evaluate {GROUP} --store lama.jsonl"
    return [
        f"{words} --time-limit {seconds:g} --memory-limit {mb} --jobs {jobs}"
        for seconds, mb, jobs in _list_ways(records)
    ]


def _list_ways(records: Iterable[Record]) -> list[tuple[float, int, int]]:
    """Seconds, megabytes and jobs of all measurements; those of the authors, one at a time, where there are none."""
    found = {(r["limit"], r["memory_limit"], r["jobs"]) for r in records if r["group"] == GROUP}
    return sorted(found) or [(AUTHORS_LIMITS.seconds or 0.0, AUTHORS_LIMITS.memory_mb or 0, 1)]


def tabulate_beside(records: Sequence[Record]) -> Table:
    """The tasks that are chosen, measured or not, beside what `skolem plan` did on them."""
    again = {row[ROUTE]["task"]: row for row in list_rows(records, group=GROUP)}
    tasks = ("family", "x≠y", "instance", "variables", "candidate bindings")
    columns = (*tasks, "lama-first before", "lama-first with more", "cost", "s", "plan's cost", "plan's s")
    rows = []
    for row in choose_rows(records):
        record, later = row[ROUTE], again.get(row[ROUTE]["task"])
        rows.append(
            (
                *Cell(record["family"], record["neq"], {}).name,
                *(str(record[name]) for name in ("index", "variables")),
                f"{record['candidate_bindings']:,}",
                _name_outcome(record),
                *(
                    ("not measured", NONE, NONE)
                    if later is None
                    else (_name_outcome(later[ROUTE]), *_show(later, ROUTE))
                ),
                *(_show(row, "auto") if "auto" in row else (NONE, NONE)),
            )
        )
    return Table("lama-first with more time and memory", columns, rows)


def _show(row: Row, route: str) -> tuple[str, str]:
    """Cost and time; a run that ended for want of memory is not counted as one that took all of the time."""
    cost = get_cost(row, route)
    return NONE if cost is None else str(cost), number(row[route]["times"]["total"])


def _name_outcome(record: Record) -> str:
    outcome = find_outcome(record)
    return "not explained" if outcome is None else outcome.name
