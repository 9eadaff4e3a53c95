"""Several configurations on the optimal sets, and the files that publish what they did."""

import json
import platform
import shlex
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from skolem.evaluation.configurations import LEARNED
from skolem.evaluation.optimal import STEPS, Cell, evaluate_cell
from skolem.evaluation.plots import draw_optimal
from skolem.evaluation.store import Store
from skolem.evaluation.tables import tabulate_optimal
from skolem.evaluation.test_sets import COUNT
from skolem.solve import Request
from skolem.support.files import make_folder, write_bytes, write_text
from skolem.support.progress import show_progress

PACKAGES = ("skolem", "torch", "numpy", "pymimir", "up-fast-downward")


@dataclass(frozen=True)
class Comparison:
    """Which configurations are compared, on which sets."""

    requests: tuple[Request, ...]
    families: tuple[str, ...]
    settings: tuple[bool, ...] = (False, True)
    count: int | None = None
    """Only the first instances of each set; None for all."""

    def run(self, jobs: int = 1, backend: str = "loky", store: Path | None = None, quiet: bool = True) -> list[Cell]:
        """The cells of every configuration; results are kept in the store and taken from it."""
        with tempfile.TemporaryDirectory(prefix="skolem-") as folder:
            # Without a file of the user's, equal bindings of several grounders are still judged once.
            kept = Store(store or Path(folder, "results.jsonl"))
            try:
                return [
                    self._run_cell(family, neq, request, jobs, backend, kept, quiet)
                    for request in self.requests
                    for family in self.families
                    for neq in self.settings
                ]
            finally:
                kept.close()

    def _run_cell(
        self, family: str, neq: bool, request: Request, jobs: int, backend: str, store: Store, quiet: bool
    ) -> Cell:
        title = f"{request.grounder}, {family}{' with inequality' * neq}"
        with show_progress(title, STEPS * (self.count or COUNT), "steps", quiet=quiet) as report:
            return evaluate_cell(family, neq, request, self.count, jobs, backend, report, store)

    def describe(self, cells: Sequence[Cell]) -> dict[str, Any]:
        """The results and all that they depend on."""
        return {
            "commands": [self._spell(request) for request in self.requests],
            "seeds": sorted({request.seed for request in self.requests}),
            "versions": {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}},
            "models": {
                f"{cell.family}, {cell.configuration.label}": cell.configuration.model
                for cell in cells
                if cell.configuration.model
            },
            "cells": [cell.describe() for cell in cells],
        }

    def save(self, cells: Sequence[Cell], folder: Path) -> list[Path]:
        """Writes the results as JSON and Markdown and their plot as SVG and PNG; returns the files."""
        make_folder(folder)
        found = self.describe(cells)
        files = {suffix: folder / f"optimal.{suffix}" for suffix in ("json", "md", "svg", "png")}
        write_text(files["json"], json.dumps(found, indent=1) + "\n")
        write_text(files["md"], _write_markdown(found, cells))
        for suffix, content in draw_optimal(cells).items():
            write_bytes(files[suffix], content)
        return list(files.values())

    def _spell(self, request: Request) -> str:
        """The command that gives the results of a request; what does not change them is left out."""
        words = ["skolem", "evaluate", "optimal", "--grounder", request.grounder]
        for name in (field.name for field in fields(Request) if field.name != "grounder"):
            value = getattr(request, name)
            if value != getattr(Request(), name):
                words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
        words += [word for family in self.families for word in ("--family", family)]
        words += [] if len(self.settings) > 1 else ["--neq" if self.settings[0] else "--no-neq"]
        words += [] if self.count is None else ["--count", str(self.count)]
        return shlex.join(words)


def list_requests(grounders: Sequence[str], base: Request) -> tuple[Request, ...]:
    """One request per grounder, with those options of the base that it reads; `paper` is learned as in the paper."""
    requests = []
    for name in dict.fromkeys(grounders):
        if name == "beam":
            requests.append(replace(base, grounder=name))
        elif name in (*LEARNED, "paper"):
            paper = base.paper or name == "paper"
            grounder = "learned" if name == "paper" else name
            requests.append(replace(base, grounder=grounder, paper=paper, width=Request().width))
        else:
            requests.append(Request(name, base.planner, base.limits, base.seed))
    return tuple(requests)


def _write_markdown(found: dict[str, Any], cells: Sequence[Cell]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    models = "".join(f"- {name}: `{checksum}`\n" for name, checksum in found["models"].items())
    return "\n".join(
        [
            "# The optimal test sets\n",
            "Coverage: instances whose binding can be reached. V/V*: the exact cost of the binding against that of the "
            "best one, mean over the covered instances. Undecided: the exact cost was not found within the limits; "
            "these count as not covered.\n",
            "![coverage and V/V*](optimal.svg)\n",
            *(table.to_markdown() for table in tabulate_optimal(cells)),
            "## How they were made\n",
            "".join(f"    {command}\n" for command in found["commands"]),
            f"Versions: {versions}.\n",
            *([f"Models, by the beginning of the SHA-256 of their weights:\n\n{models}"] if models else []),
        ]
    )
