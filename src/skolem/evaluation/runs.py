"""Runs of many trials that can be stopped and continued: every record is stored as it is found."""

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from skolem import __version__
from skolem.evaluation.peers import LEARNED, Record, Settings, Spec, Trial, hash_text, identify_model, run_trial
from skolem.evaluation.store import Store
from skolem.solve import Request
from skolem.support.files import write_text
from skolem.support.parallel import run_jobs

COLD_ROUTES = ("learned", "bind-axiom")
COLD_REPEATS = 3
PACKAGES = ("skolem", "torch", "up-fast-downward", "pymimir", "numpy", "unified-planning", "joblib")


def make_settings(request: Request, jobs: int) -> Settings:
    """The settings of a run: the network has all threads where one job runs at a time, else one."""
    from skolem.network.engine.native_engine import count_threads

    return Settings(request, jobs, 1 if jobs > 1 else count_threads())


def run_trials(
    trials: Sequence[Trial],
    store: Store,
    jobs: int = 1,
    backend: str = "loky",
    deadline: float = float("inf"),
    report: Callable[[int], None] = lambda done: None,
) -> list[Record]:
    """The records of the trials in their order, of those that could begin before the deadline (of `time.time`)."""
    keys = [trial.key for trial in trials]
    missing = [(key, trial, deadline) for key, trial in zip(keys, trials, strict=True) if store.get(key) is None]
    done = len(trials) - len(missing)
    report(done)
    for key, record in run_jobs(_begin, missing, jobs, backend):
        if record is None:
            continue
        store.add(key, record)
        done += 1
        report(done)
    return [record for key in keys if (record := store.get(key)) is not None]


def _begin(key: str, trial: Trial, deadline: float) -> tuple[str, Record | None]:
    return key, run_trial(trial) if time.time() < deadline else None


def measure_cold_starts(
    trials: Iterable[Trial], store: Store, settings: Settings, deadline: float = float("inf")
) -> list[Record]:
    """The records of fresh processes that solve each family's first instance by the ways tried, one after another."""
    found = []
    for family, route in dict.fromkeys((t.spec.family, t.route) for t in trials if t.route in COLD_ROUTES):
        depends_on = identify_model(family, settings.request) if route in LEARNED else "-"
        for repeat in range(COLD_REPEATS):
            key = f"cold/{family}/{route}/{repeat}/{depends_on}/{__version__}"
            if store.get(key) is None and time.time() < deadline:
                store.add(key, measure_cold_start(family, route, settings))
            record = store.get(key)
            if record is not None:
                found.append(record)
    return found


def measure_cold_start(family: str, route: str, settings: Settings) -> Record:
    """How long the command line takes in a fresh process for a family's first instance."""
    instance = Spec(family, False, 0).make()
    with tempfile.TemporaryDirectory(prefix="skolem-") as folder:
        files = [Path(folder, "domain.pddl"), Path(folder, "problem.pddl")]
        write_text(files[0], instance.domain_text)
        write_text(files[1], instance.problem_text)
        command = [sys.executable, "-m", "skolem.cli.entry", "plan", *map(str, files), "--grounder", route, "--json"]
        model = settings.request.model
        command += [] if model is None else ["--model", str(model)]
        start = time.monotonic()
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        wall = time.monotonic() - start
    solved = run.returncode == 0
    return {
        "group": "cold",
        "family": family,
        "neq": False,
        "index": 0,
        "task": hash_text(instance.problem_text),
        "route": route,
        "status": "solved" if solved else "error",
        "reason": "" if solved else f"exit code {run.returncode}: {run.stderr.strip()[-300:]}",
        "times": {**(json.loads(run.stdout)["times"] if solved else {}), "wall": round(wall, 4)},
        "version": __version__,
    }


def note_environment(store: Store, group: str, command: str, settings: Settings) -> None:
    """Stores where and how a run was made, once for every different way."""
    record = {
        "group": "environment",
        "of": group,
        "command": command,
        "python": platform.python_version(),
        "packages": {name: number for name in PACKAGES if (number := _find_version(name)) is not None},
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _name_processor(),
        "cores": os.cpu_count(),
        "jobs": settings.jobs,
        "threads": settings.threads,
        "time_limit": settings.request.limits.seconds,
        "memory_limit": settings.request.limits.memory_mb,
    }
    key = f"environment/{group}/{hash_text(json.dumps(record))}"
    if store.get(key) is None:
        store.add(key, record)


def _find_version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _name_processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")
