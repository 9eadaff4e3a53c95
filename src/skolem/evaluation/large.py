"""The commands `evaluate lama` and `evaluate scaling`: from their options to trials, a store and tables."""

import time
from dataclasses import dataclass
from pathlib import Path

from skolem.console import Console
from skolem.domains.registry import FAMILIES
from skolem.errors import ExitCode, InputError
from skolem.evaluation import lama
from skolem.evaluation.peers import ROUTES
from skolem.evaluation.runs import make_settings
from skolem.evaluation.store import Store
from skolem.progress import show_progress
from skolem.solve import Request


@dataclass(frozen=True)
class Choice:
    """What is to be measured; None is everything."""

    families: list[str] | None = None
    neq: bool | None = None
    count: int | None = None
    peers_count: int | None = None
    routes: list[str] | None = None


def run_large(
    console: Console,
    set_: str,
    request: Request,
    choice: Choice,
    jobs: int,
    backend: str,
    path: Path | None,
    stop_after: float | None,
) -> int:
    """Measures what the store lacks and shows the tables of what was chosen."""
    deadline = time.time() + (float("inf") if stop_after is None else stop_after)
    unknown = sorted(set(choice.routes or ()) - set(ROUTES))
    if unknown:
        raise InputError(f"unknown route {unknown[0]}: expected one of {', '.join(ROUTES)}")
    settings = make_settings(request, jobs)
    store = Store(path or Path(f"{set_}.jsonl"))
    cells = [
        (family, neq)
        for family in choice.families or FAMILIES
        for neq in ((False, True) if choice.neq is None else (choice.neq,))
    ]
    count, peers_count = choice.count or lama.COUNT, choice.peers_count or lama.PEERS_COUNT
    trials = lama.plan_trials(cells, settings, count, peers_count, choice.routes)
    with show_progress(set_, len(trials), "trials", quiet=console.quiet) as report:
        found, oddities = lama.evaluate(trials, settings, store, backend, deadline, report)
    console.result([cell.describe() for cell in found])
    lama.show_lama(console, found, oddities)
    store.close()
    return int(ExitCode.SUCCESS)
