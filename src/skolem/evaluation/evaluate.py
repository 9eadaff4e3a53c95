"""From what is to be measured to tables: one door to all experiments."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

from skolem.evaluation import lama, optimal, policy, scaling, suite, unsolved
from skolem.evaluation.comparison import Cell, list_rows, list_unexplained
from skolem.evaluation.configurations import Selection
from skolem.evaluation.routes import check_routes, hash_text, make_settings
from skolem.evaluation.store import Record, Runner
from skolem.evaluation.tables import Table
from skolem.request import Request

PACKAGES = ("skolem", "torch", "up-fast-downward", "numpy", "unified-planning", "joblib")


class Experiment(Protocol):
    """What the script of an experiment defines."""

    def measure(self, selection: Selection, runner: Runner) -> list[Record]:
        """The records of what is selected; what the store lacks is measured."""

    def summarise(self, records: Sequence[Record]) -> list[Cell]:
        """The figures of the records."""

    def describe(self, cell: Cell) -> dict[str, Any]:
        """The `--json` form of a cell."""

    def tabulate(self, cells: Sequence[Cell]) -> list[Table]:
        """The cells for people."""


EXPERIMENTS: Mapping[str, Experiment] = {
    "optimal": optimal,
    "policy": policy,
    "lama": lama,
    "scaling": scaling,
    "suite": suite,
    "unsolved": unsolved,
}
TIMED = {
    "lama": Path("lama.jsonl"),
    "scaling": Path("scaling.jsonl"),
    "suite": Path("suite.jsonl"),
    "unsolved": Path("lama.jsonl"),
}
"""Experiments that last for hours, with the stores that keep their records where none is named."""


@dataclass(frozen=True)
class Evaluation:
    """What an experiment found: for programs, for people, and what no known outcome explains."""

    described: list[dict[str, Any]]
    tables: list[Table]
    unexplained: list[str]
    records: list[Record]
    environments: list[Record]


def evaluate(selection: Selection, runner: Runner) -> Evaluation:
    """Measures what the store lacks, and puts together what was selected."""
    check_routes(selection.routes or ())
    experiment = EXPERIMENTS[selection.experiment]
    try:
        environments = [note_environment(selection, request, runner) for request in selection.requests]
        records = experiment.measure(selection, runner)
    finally:
        runner.store.close()
    cells = experiment.summarise(records)
    described = [experiment.describe(cell) for cell in cells]
    measured = [record for record in records if record["group"] != "cold"]
    return Evaluation(
        described, experiment.tabulate(cells), list_unexplained(list_rows(measured)), records, environments
    )


def choose_store(experiment: str, path: Path | None) -> Path | None:
    """The file of an experiment's records; None if they are not to be kept."""
    return path or TIMED.get(experiment)


def note_environment(selection: Selection, request: Request, runner: Runner) -> Record:
    """Stores where and how a run is made, once for all runs that are made alike."""
    record: Record = {
        "group": "environment",
        "of": selection.experiment,
        "command": selection.spell(request, runner.jobs),
        "python": platform.python_version(),
        "packages": {name: number for name in PACKAGES if (number := _find_version(name)) is not None},
        "system": f"{platform.system()} {platform.machine()}",
        "processor": name_processor(),
        "cores": os.cpu_count(),
        "jobs": runner.jobs,
    }
    if selection.experiment in TIMED:
        limits = request.limits
        record["threads"] = make_settings(request, runner.jobs).threads
        record |= {"time_limit": limits.seconds, "memory_limit": limits.memory_mb}
    key = f"environment/{selection.experiment}/{hash_text(json.dumps(record))}"
    if runner.store.get(key) is None:
        runner.store.add(key, record)
    return record


def _find_version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def name_processor() -> str:
    """The processor of this machine."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")
