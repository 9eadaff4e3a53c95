"""Kills labelling, training and evaluation at random moments, and looks whether they end with the same results.

Run from the root of the repository: `python -m tools.kill_work --count 20`. Each of the three is done once without
interruption, then again and again with SIGKILL, sent to the process alone or to its whole group, and started anew until
it is finished. What it leaves must then be the same: the bytes of a dataset, the weights and the saved state of a run,
the records of a store; only times may differ. What was found goes to results/kill_work.json.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from skolem.oracle.labelling import DatasetRecipe, label

ROOT = Path(__file__).parent.parent
RECIPE = DatasetRecipe("gripper", pairs=1200, validation=100, larger=4, shard=100, larger_shard=2, larger_states=20_000)
STEPS = 600
INSTANCES = 12
TIMES = ("seconds", "left", "samples_per_second")
"""What differs between two runs that do the same."""


@dataclass(frozen=True)
class Work:
    """A command that is killed: how it is started, or started again, in a folder, and what it leaves there."""

    name: str
    start: Callable[[Path], list[str]]
    read: Callable[[Path], dict[str, Any]]


@dataclass(frozen=True)
class Kill:
    """One kill: after how many seconds, of whom, and in which of the runs that were to be finished."""

    after: float
    target: str
    run: int


def start_labelling(folder: Path) -> list[str]:
    """The command that writes a small dataset."""
    return [sys.executable, "-m", "tools.kill_work", "--label", str(folder / "dataset")]


def read_dataset_files(folder: Path) -> dict[str, Any]:
    """The bytes of every file."""
    return {path.name: path.read_bytes() for path in sorted((folder / "dataset").iterdir())}


def start_training(dataset: Path) -> Callable[[Path], list[str]]:
    """The command that trains on a dataset by steps; a run that was saved is resumed."""
    words = [sys.executable, "-m", "skolem.cli", "train", str(dataset), "--steps", str(STEPS), "--quiet"]
    words += ["--layers", "2", "--width", "8", "--batch", "32"]

    def start(folder: Path) -> list[str]:
        model = folder / "model"
        resume = ["--resume"] if (model / "training.safetensors").exists() else []
        return [*words, "-o", str(model), *resume]

    return start


def read_model(folder: Path) -> dict[str, Any]:
    """The weights, the card, the state of training, and the log but for interruptions."""
    model = folder / "model"
    files = {path.name: path.read_bytes() for path in model.iterdir()}
    state = read_header(files.pop("training.safetensors"))
    state["__metadata__"]["standing"] = drop_times(json.loads(state["__metadata__"]["standing"]))
    events = [json.loads(line) for line in files.pop("log.jsonl").splitlines()]
    return {
        "state": state,
        "card": drop_times(json.loads(files.pop("config.json"))),
        "log": [drop_times(event) for event in events if event["event"] != "resumed"],
        **files,
    }


def read_header(content: bytes) -> dict[str, Any]:
    """The header of a file of tensors: their shapes, and texts that include a checksum of their values."""
    size = int.from_bytes(content[:8], "little")
    header: dict[str, Any] = json.loads(content[8 : 8 + size])
    return header


def start_evaluation(folder: Path) -> list[str]:
    """The command that measures two grounders on a few instances."""
    words = [sys.executable, "-m", "skolem.cli", "evaluate", "optimal", "--family", "blocks-c", "--no-neq", "--quiet"]
    words += ["--grounder", "learned", "--grounder", "random-valid", "--count", str(INSTANCES), "--jobs", "2"]
    return [*words, "--store", str(folder / "store.jsonl")]


def read_store(folder: Path) -> dict[str, Any]:
    """The records by their keys, and how many lines there are."""
    entries = [json.loads(line) for line in (folder / "store.jsonl").read_text(encoding="utf-8").splitlines()]
    files = sorted(path.name for path in folder.iterdir())
    return {"lines": len(entries), "files": files, **{e["key"]: drop_times(e["record"]) for e in entries}}


def drop_times(value: Any) -> Any:
    """The value without what differs from run to run."""
    if isinstance(value, dict):
        return {key: drop_times(inner) for key, inner in value.items() if key not in TIMES}
    return [drop_times(inner) for inner in value] if isinstance(value, list) else value


def disturb(work: Work, count: int, rng: random.Random, folder: Path) -> dict[str, Any]:
    """Finishes the work without and with so many kills, and compares what it leaves."""
    whole = folder / "whole"
    whole.mkdir()
    started = time.monotonic()
    subprocess.run(work.start(whole), cwd=ROOT, check=True)
    seconds = time.monotonic() - started
    expected = work.read(whole)
    kills: list[Kill] = []
    finished, different = 0, []
    while len(kills) < count or not finished:
        run = folder / f"run-{finished}"
        run.mkdir()
        while not _finish(work, run, kills, None if len(kills) >= count else rng.uniform(0.0, seconds), rng, finished):
            print(f"{work.name}: {len(kills)}/{count} {kills[-1]}", flush=True)
        found = work.read(run)
        different += [f"run {finished}: {name}" for name in expected | found if expected.get(name) != found.get(name)]
        finished += 1
    return {
        "seconds_undisturbed": round(seconds, 1),
        "compared": len(expected),
        "kills": [asdict(kill) for kill in kills],
        "finished_runs": finished,
        "different": different,
    }


def _finish(work: Work, folder: Path, kills: list[Kill], after: float | None, rng: random.Random, run: int) -> bool:
    """Whether the work was finished before the kill."""
    process = subprocess.Popen(work.start(folder), cwd=ROOT, start_new_session=True)
    try:
        if process.wait(after):
            raise SystemExit(f"{work.name} ended with {process.returncode}: {process.args!r}")
    except subprocess.TimeoutExpired:
        target = rng.choice(("process", "group"))
        with suppress(ProcessLookupError):
            (os.kill if target == "process" else os.killpg)(process.pid, signal.SIGKILL)
        process.wait()
        assert after is not None
        kills.append(Kill(round(after, 3), target, run))
        return False
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Kills the three, writes what was found, and fails if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20, help="how often each is killed")
    parser.add_argument("--only", choices=("label", "train", "evaluate"), help="one of them alone")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "results" / "kill_work.json")
    parser.add_argument("--label", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.label is not None:
        label(RECIPE, given.label, jobs=2)
        return 0
    found: dict[str, Any] = {"count": given.count, "seed": given.seed}
    with tempfile.TemporaryDirectory(prefix="kill-work-") as temporary:
        dataset = Path(temporary) / "dataset"
        works = [
            Work("label", start_labelling, read_dataset_files),
            Work("train", start_training(dataset), read_model),
            Work("evaluate", start_evaluation, read_store),
        ]
        label(RECIPE, dataset)
        for work in works:
            if given.only in (None, work.name):
                folder = Path(temporary) / work.name
                folder.mkdir()
                found[work.name] = disturb(work, given.count, random.Random(f"{given.seed} {work.name}"), folder)
    given.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    done = {name: found[name]["different"] for name in ("label", "train", "evaluate") if name in found}
    print(json.dumps({"different": done}))
    return int(any(done.values()))


if __name__ == "__main__":
    sys.exit(main())
