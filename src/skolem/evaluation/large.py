"""The commands `evaluate lama` and `evaluate scaling`: from their options to trials, a store and tables."""

import shlex
import time
from dataclasses import dataclass
from pathlib import Path

from skolem.cli.output import Console
from skolem.evaluation import lama, scaling
from skolem.evaluation.comparison import find_oddities, list_rows
from skolem.evaluation.peers import ROUTES
from skolem.evaluation.runs import make_settings, measure_cold_starts, note_environment, run_trials
from skolem.evaluation.store import Store
from skolem.families.registry import FAMILIES
from skolem.solve import Request
from skolem.support.errors import ExitCode, InputError
from skolem.support.progress import show_progress


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
    families = choice.families or list(FAMILIES)
    if set_ == "lama":
        cells = [(family, neq) for family in families for neq in _list_settings(choice)]
        peers = choice.peers_count or lama.PEERS_COUNT
        trials = lama.plan_trials(cells, settings, choice.count or lama.COUNT, peers, choice.routes)
    else:
        peers = choice.peers_count or scaling.PEERS_COUNT
        trials = scaling.plan_trials(families, choice.neq, settings, choice.count, peers, choice.routes)
    note_environment(store, set_, _spell(set_, request, choice, jobs), settings)
    cold = measure_cold_starts(trials, store, settings, deadline) if set_ == "lama" else []
    with show_progress(set_, len(trials), "trials", quiet=console.quiet) as report:
        records = run_trials(trials, store, jobs, backend, deadline, report)
    store.close()
    for line in find_oddities(list_rows(records)):
        console.say(f"not explained: {line}")
    if set_ == "lama":
        cells_found = lama.summarise([*cold, *records])
        console.result([cell.describe() for cell in cells_found])
        lama.show_lama(console, cells_found)
    else:
        points = scaling.summarise(records)
        console.result([point.describe() for point in points])
        scaling.show_scaling(console, points)
    return int(ExitCode.SUCCESS)


def _list_settings(choice: Choice) -> tuple[bool, ...]:
    return (False, True) if choice.neq is None else (choice.neq,)


def _spell(set_: str, request: Request, choice: Choice, jobs: int) -> str:
    """The command that gives the same records; where they are kept and when it stopped does not matter."""
    words = ["skolem", "evaluate", set_]
    words += [word for family in choice.families or () for word in ("--family", family)]
    words += [] if choice.neq is None else ["--neq" if choice.neq else "--no-neq"]
    words += [] if choice.count is None else ["--count", str(choice.count)]
    words += [] if choice.peers_count is None else ["--peers-count", str(choice.peers_count)]
    words += [word for route in choice.routes or () for word in ("--route", route)]
    for name in ("seed", "model", "paper", "scores", "order"):
        value = getattr(request, name)
        if value != getattr(Request(), name):
            words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    return shlex.join([*words, "--time-limit", f"{request.limits.seconds:g}", "--jobs", str(jobs)])
