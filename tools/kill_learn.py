"""Kills `skolem learn` at random moments, and looks whether it leaves a usable model and goes on.

Run from the root of the repository: `python -m tools.kill_learn --count 12`. Every attempt is hit by SIGINT, SIGTERM or
SIGKILL, sent to the process alone or to its whole group, and resumed until learning is finished; then another run is
begun. Afterwards no process may be left; a folder holds no model or one that plans, and one that had a model, or was
learned for more than a minute, has one. Runs are by time, and then by steps: these must end with the weights of a run
that nobody disturbed. What was found goes to results/kill_learn.json.
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
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tools.kill_runs import count_values, wait_for_end
from tools.kill_work import drop_times
from tools.learn_suite import write_problems

from skolem.families.suite.registry import generate_suite_problem
from skolem.learning.schedule import RECORD
from skolem.support.errors import ExitCode

ROOT = Path(__file__).parent.parent
DOMAIN, PROBLEMS = "ferry", 6
SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}
"""The signals, and how a process that was hit by each ends."""
MINUTE = 60.0
MINUTES, LATEST = 4.0, 100.0
"""The time of a run, the least with a first model from little data, and the latest kill of an attempt in seconds."""
STEPS = 60
BY_STEPS = ("--steps", str(STEPS), "--pairs", "3000", "--goals", "3")


@dataclass(frozen=True)
class Kill:
    """One attempt that was killed, and what was found afterwards."""

    run: int
    stage: str
    """What was to be done when it was killed; empty before anything was written."""
    signal: str
    target: str
    after: float
    """Seconds from the start of the attempt to the signal."""
    code: int
    took: float
    """Seconds from the signal to its end."""
    model: str
    """What the folder holds: "usable", "none", or why the model is no good."""
    faults: tuple[str, ...]
    """What must not be."""


@dataclass(frozen=True)
class Place:
    """The files that are learned from, and where temporary ones are made."""

    files: tuple[str, ...]
    large: str
    temporary: Path

    def spell(self, folder: Path, options: Sequence[str]) -> list[str]:
        """The command that begins learning, or goes on where there is something to resume."""
        command = [sys.executable, "-m", "skolem.cli", "learn", *self.files, "-o", str(folder), "--device", "cpu"]
        return [*command, *options, "--jobs", "2", "--json", "--quiet", *["--resume"] * (folder / RECORD).exists()]

    def environment(self) -> dict[str, str]:
        """The environment of all that is started, by which it is known again."""
        return {**os.environ, "TMPDIR": str(self.temporary)}

    def judge_model(self, folder: Path) -> str:
        """What a folder holds: "usable", "none", or the word of `skolem plan` on it."""
        if not (folder / "config.json").exists():
            return "none"
        command = [sys.executable, "-m", "skolem.cli", "plan", self.files[0], self.large, "--model", str(folder)]
        done = subprocess.run(
            [*command, "--grounder", "learned", "--json"], capture_output=True, text=True, check=False
        )
        # A binding of a young model may be one that cannot be reached.
        fine = done.returncode in (ExitCode.SUCCESS, ExitCode.UNSOLVED_INCOMPLETE)
        return "usable" if fine else f"exit {done.returncode}: {done.stdout}{done.stderr}".strip()


def make_place(folder: Path) -> Place:
    """Problems to learn from, a larger one to plan for, and an empty folder for temporary files."""
    files = write_problems(DOMAIN, folder / "problems", PROBLEMS, 0)
    large = folder / "large.pddl"
    large.write_text(generate_suite_problem(DOMAIN, "test", 2024, 0).problem_text, encoding="utf-8")
    temporary = folder / "tmp"
    temporary.mkdir()
    return Place(tuple(map(str, files)), str(large), temporary)


def disturb(place: Place, options: Sequence[str], latest: float, count: int, rng: random.Random, folder: Path) -> Any:
    """Begins and finishes runs until there were so many kills; what was found."""
    kills: list[Kill] = []
    finished = 0
    while len(kills) < count or not finished:
        model = folder / f"run-{finished}"
        while not _finish(place, model, options, kills, None if len(kills) >= count else latest, rng, finished):
            print(f"{len(kills)}/{count} {kills[-1]}", flush=True)
        finished += 1
    return {
        "kills": [asdict(kill) for kill in kills],
        "finished_runs": finished,
        "by_stage": dict(sorted(Counter(kill.stage for kill in kills).items())),
        "by_signal": dict(sorted(Counter(kill.signal for kill in kills).items())),
        "after_the_first_minute": sum(kill.after > MINUTE for kill in kills),
        "usable_models": sum(kill.model == "usable" for kill in kills),
        "longest_end_seconds": max((kill.took for kill in kills), default=0.0),
        "faults": [f"run {kill.run}: {fault}" for kill in kills for fault in kill.faults],
    }


def _finish(
    place: Place,
    folder: Path,
    options: Sequence[str],
    kills: list[Kill],
    latest: float | None,
    rng: random.Random,
    run: int,
) -> bool:
    """Whether learning was finished before the kill."""
    had_model = (folder / "config.json").exists()
    answer = folder.with_name(f"{folder.name}.out")
    with answer.open("wb") as stream:
        process = subprocess.Popen(
            place.spell(folder, options),
            cwd=ROOT,
            env=place.environment(),
            stdout=stream,
            start_new_session=True,
            # Where this runs in the background, interrupts are ignored by what it starts.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
    number, target = rng.choice(list(SIGNALS)), rng.choice(("process", "group"))
    after = None if latest is None else rng.uniform(0.0, latest)
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        assert after is not None
        struck = time.monotonic()
        with suppress(ProcessLookupError):
            (os.kill if target == "process" else os.killpg)(process.pid, number)
        process.wait()
        took = time.monotonic() - struck
    else:
        if process.returncode:
            raise SystemExit(f"learning ended with {process.returncode}: {answer.read_text(encoding='utf-8')}")
        return True
    output, model = answer.read_bytes(), place.judge_model(folder)
    faults = []
    if process.returncode not in (SIGNALS[number], -number, 0):
        faults.append(f"{number.name} ended it with {process.returncode}")
    if count_values(output) != 1 and not (process.returncode in (-number, 0) and not output):
        faults.append(f"not exactly one answer: {output.decode()!r}")
    if wait_for_end(place.temporary):
        faults.append(f"processes are left after {number.name} to the {target}")
    if model not in ("usable", "none"):
        faults.append(f"the model cannot be used: {model}")
    if model == "none" and (had_model or after > MINUTE):
        faults.append(f"there is no model after {after:.0f} s")
    kills.append(
        Kill(
            run=run,
            stage=_read_stage(folder),
            signal=number.name,
            target=target,
            after=round(after, 1),
            code=process.returncode,
            took=round(took, 2),
            model=model,
            faults=tuple(faults),
        )
    )
    return False


def _read_stage(folder: Path) -> str:
    path = folder / RECORD
    return str(json.loads(path.read_text(encoding="utf-8"))["stage"]) if path.exists() else ""


def disturb_steps(place: Place, count: int, rng: random.Random, folder: Path) -> Any:
    """The same for runs of a number of steps, which must all end with the same weights and figures."""
    whole, started = folder / "whole", time.monotonic()
    subprocess.run(
        place.spell(whole, BY_STEPS), cwd=ROOT, env=place.environment(), stdout=subprocess.DEVNULL, check=True
    )
    seconds = time.monotonic() - started
    found = disturb(place, BY_STEPS, seconds, count, rng, folder)
    expected = read_learned(whole)
    different = []
    for number in range(found["finished_runs"]):
        model = read_learned(folder / f"run-{number}")
        different += [f"run {number}: {name}" for name in expected if model[name] != expected[name]]
    return {"seconds_undisturbed": round(seconds, 1), **found, "different": different}


def read_learned(folder: Path) -> dict[str, Any]:
    """What a finished run leaves: its weights, its card but for times, and its dataset."""
    return {
        "weights": (folder / "model.safetensors").read_bytes(),
        "card": drop_times(json.loads((folder / "config.json").read_text(encoding="utf-8"))),
        "dataset": {path.name: path.read_bytes() for path in sorted((folder / "dataset").iterdir())},
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Kills runs by time and by steps, writes what was found, and fails if there is a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=12, help="kills of runs by time, and of runs by steps")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "results" / "kill_learn.json")
    given = parser.parse_args(arguments)
    found: dict[str, Any] = {"count": given.count, "seed": given.seed, "minutes": MINUTES, "steps": STEPS}
    with tempfile.TemporaryDirectory(prefix="kill-learn-") as temporary:
        folders = [Path(temporary, name) for name in ("steps", "minutes")]
        for folder in folders:
            folder.mkdir()
        place = make_place(Path(temporary))
        rng = random.Random(given.seed)
        found["by_steps"] = disturb_steps(place, given.count, rng, folders[0])
        options = ("--minutes", f"{MINUTES:g}", "--goals", "10")
        found["by_time"] = disturb(place, options, LATEST, given.count, rng, folders[1])
    given.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    wrong = [*found["by_steps"]["faults"], *found["by_steps"]["different"], *found["by_time"]["faults"]]
    print(json.dumps({"wrong": wrong}, indent=1))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
