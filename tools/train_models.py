"""Labels and trains everything in a plan on one machine, side by side, in turns that may be cut off at any time.

    python -m tools.train_models tools/shipped_models.toml --device cuda --jobs 16 --seconds 560

A plan lists datasets and trainings by name, the most urgent first. Datasets are labelled one after another with all
jobs; a training starts as soon as its dataset is there, the training whose weights it starts from is done, and one of
the places is free. After `--seconds` everything is stopped, and another call goes on: finished datasets and trainings
are left alone, interrupted ones continue. `--only 'delivery-*' '*-paper'` works on some trainings of the plan, in its
order. Needs torch, numpy and safetensors alone.
"""

import argparse
import os
import shlex
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

DONE = ".done"
GRACE_SECONDS = 10.0
"""How long trainings may take to save where they stand."""


@dataclass(frozen=True)
class Training:
    """A training by the name of its folder, the dataset that it needs, and the options of `skolem train`."""

    name: str
    dataset: str
    options: tuple[str, ...]
    start: str | None = None
    """The training whose model it starts from."""


@dataclass(frozen=True)
class Plan:
    """What is to be made."""

    datasets: Mapping[str, tuple[str, ...]]
    """The module that makes each, and its words without jobs and output, by name."""
    trainings: tuple[Training, ...]

    def select(self, patterns: Sequence[str]) -> "Plan":
        """The plan of those trainings whose names match one of the patterns."""
        chosen = tuple(t for t in self.trainings if any(fnmatch(t.name, pattern) for pattern in patterns))
        needed = {training.dataset for training in chosen}
        return Plan({name: words for name, words in self.datasets.items() if name in needed}, chosen)


def read_plan(path: Path) -> Plan:
    """The plan in a TOML file; every training's dataset is in it, and so is what it starts from."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    datasets = {name: ("skolem.cli", "label", *shlex.split(words)) for name, words in content["datasets"].items()}
    trainings = tuple(
        Training(entry["name"], entry["dataset"], tuple(shlex.split(entry["options"])), entry.get("start"))
        for entry in content["training"]
    )
    missing = sorted({training.dataset for training in trainings} - datasets.keys())
    if missing:
        raise SystemExit(f"{path}: no dataset {', '.join(missing)}")
    unknown = sorted({t.start for t in trainings if t.start} - {training.name for training in trainings})
    if unknown:
        raise SystemExit(f"{path}: no training {', '.join(unknown)} to start from")
    return Plan(datasets, trainings)


class Work:
    """The processes of a plan, and what of it is done."""

    def __init__(self, plan: Plan, folder: Path, device: str, jobs: int, encoders: int = 2) -> None:
        self.plan = plan
        self.folder = folder
        self.device = device
        self.jobs = jobs
        self.encoders = encoders
        self.running: dict[Path, subprocess.Popen[bytes]] = {}
        self.failed: set[Path] = set()

    def advance(self, places: int) -> bool:
        """Starts what can be started; whether there is anything left to wait for."""
        self._collect()
        labelling = [path for path in self.running if path.parent.name == "datasets"]
        waiting = [name for name in self._list_datasets() if not self._is_done(self._dataset(name))]
        if waiting and not labelling:
            words = (*self.plan.datasets[waiting[0]], "--jobs", str(self.jobs), "--backend", "spawn")
            self._start(self._dataset(waiting[0]), words)
        free = places - (len(self.running) - len(labelling))
        ready = [t for t in self._list_trainings() if all(map(self._is_done, self._list_needed(t)))]
        for training in ready[: max(0, free)]:
            path = self._model(training.name)
            dataset, *start = self._list_needed(training)
            words = ("skolem.cli", "train", str(dataset), *training.options, "--device", self.device)
            words += ("--jobs", str(self.encoders), *(word for model in start for word in ("--start", str(model))))
            self._start(path, (*words, *("--resume",) * (path / "training.safetensors").exists()))
        return bool(self.running)

    def stop(self) -> None:
        """Ends everything that runs; what it saved is continued by the next call."""
        for process in self.running.values():
            process.send_signal(signal.SIGTERM)
        end = time.monotonic() + GRACE_SECONDS
        for process in self.running.values():
            try:
                process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()

    def describe(self) -> str:
        """How far it is, in one line."""
        models = [self._model(training.name) for training in self.plan.trainings]
        datasets = [self._dataset(name) for name in self.plan.datasets]
        counts = (
            f"{sum(map(self._is_done, datasets))} of {len(datasets)} datasets",
            f"{sum(map(self._is_done, models))} of {len(models)} trainings",
            f"{len(self.running)} running",
            f"{len(self.failed)} failed",
        )
        return ", ".join(counts)

    def _list_datasets(self) -> list[str]:
        """The datasets that did not fail."""
        return [name for name in self.plan.datasets if self._can(self._dataset(name))]

    def _list_trainings(self) -> list[Training]:
        """The trainings that are neither done nor running."""
        paths = {training: self._model(training.name) for training in self.plan.trainings}
        return [
            t for t, path in paths.items() if not self._is_done(path) and self._can(path) and path not in self.running
        ]

    def _start(self, path: Path, words: Sequence[str]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.with_name(f"{path.name}.log").open("ab") as log:
            command = [sys.executable, "-m", *words, "-o", str(path)]
            self.running[path] = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def _collect(self) -> None:
        for path, process in list(self.running.items()):
            if process.poll() is not None:
                del self.running[path]
                if process.returncode == 0:
                    (path / DONE).touch()
                else:
                    print(f"{path.name}: exit {process.returncode}, see {path.name}.log", flush=True)
                    self.failed.add(path)

    def _dataset(self, name: str) -> Path:
        return self.folder / "datasets" / name

    def _model(self, name: str) -> Path:
        return self.folder / "models" / name

    def _list_needed(self, training: Training) -> list[Path]:
        """The dataset of a training, and the model that it starts from if there is one."""
        return [self._dataset(training.dataset), *([self._model(training.start)] if training.start else [])]

    def _is_done(self, path: Path) -> bool:
        return (path / DONE).exists()

    def _can(self, path: Path) -> bool:
        return path not in self.failed


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of a machine that works on a plan."""
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes that label")
    parser.add_argument("--encoders", type=int, default=2, help="processes that encode for one training (default 2)")
    parser.add_argument("--places", type=int, default=12, help="trainings at the same time (default 12)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")


def work_off(plan: Plan, folder: Path, given: argparse.Namespace) -> int:
    """Works on a plan by the options of the machine; 1 if something failed."""
    end, shown = time.monotonic() + given.seconds, time.monotonic()
    work = Work(plan, folder, given.device, given.jobs, given.encoders)
    try:
        while work.advance(given.places) and time.monotonic() < end:
            time.sleep(0.2)
            if time.monotonic() - shown > 30:
                shown = time.monotonic()
                print(work.describe(), flush=True)
    finally:
        work.stop()
    print(work.describe(), flush=True)
    return 1 if work.failed else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Works on a plan; 1 if something failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", type=Path)
    parser.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN", help="trainings by their names")
    parser.add_argument("-o", "--output", type=Path, default=Path("build/training"))
    add_options(parser)
    given = parser.parse_args(arguments)
    return work_off(read_plan(given.plan).select(given.only), given.output, given)


if __name__ == "__main__":
    sys.exit(main())
