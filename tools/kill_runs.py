"""Kills `skolem plan` at random moments, and counts what is left of it.

Run from the root of the repository: `python -m tools.kill_runs --count 200`. Every run is hit by SIGINT, SIGTERM or
SIGKILL, sent to the process that was started, to the one that works for it, or to the whole group. Afterwards no
process may be left, and after the next run no folder. What was found goes to results/kills.json.
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

from skolem.families.registry import generate_problem

ROOT = Path(__file__).parent.parent
OPTIONS = {("--planner", "lama"): 2.0, ("--grounder", "exact", "--planner", "lama"): 2.0, ("--grounder", "auto"): 0.5}
"""What runs are started with, and the latest moment of a kill: anytime planners search until the time limit."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
TARGETS = ("parent", "child", "group")
PATIENCE_SECONDS = 10.0


@dataclass(frozen=True)
class Kill:
    """One run that was killed, and what was found afterwards."""

    options: tuple[str, ...]
    signal: str
    target: str
    after: float
    """Seconds from the start to the signal."""
    code: int
    """The exit code of the process that was started, negative for a signal."""
    took: float
    """Seconds from the signal to its end."""
    one_answer: bool
    """Whether there is exactly one JSON value on standard output, as long as the process could still write one."""
    processes_left: int
    folders_left: int
    """Before the next run, which has to remove them."""


def kill_once(rng: random.Random, task: Sequence[str], temporary: Path) -> Kill:
    """Starts a run, kills it at a random moment, and looks what is left."""
    options, number, target = rng.choice(list(OPTIONS)), rng.choice(SIGNALS), rng.choice(TARGETS)
    after = rng.uniform(0.0, OPTIONS[options])
    process = subprocess.Popen(
        [sys.executable, "-m", "skolem.cli", "plan", *task, *options, "--time-limit", "60", "--json"],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # Where this runs in the background, interrupts are ignored by what it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with suppress(subprocess.TimeoutExpired):
        process.wait(after)
    struck = time.monotonic()
    with suppress(ProcessLookupError):
        send(process.pid, number, target)
    output, _ = process.communicate()
    took = time.monotonic() - struck
    died = process.returncode in (-number, 0)
    return Kill(
        options=options,
        signal=number.name,
        target=target,
        after=round(after, 3),
        code=process.returncode,
        took=round(took, 3),
        one_answer=count_values(output) == 1 or (died and not output),
        processes_left=len(wait_for_end(temporary)),
        folders_left=len(list(temporary.iterdir())),
    )


def write_task(folder: Path) -> list[str]:
    """The files of a task that an anytime planner does not finish in seconds."""
    instance = generate_problem("delivery", "lama", 5, 0, size=60, variables=4)
    texts = {"domain.pddl": instance.domain_text, "problem.pddl": instance.problem_text}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [str(folder / name) for name in texts]


def send(pid: int, number: int, target: str) -> None:
    """Sends a signal to a process, its group or its child; to itself if it has no child yet."""
    # The run may have ended just now.
    with suppress(FileNotFoundError, ProcessLookupError):
        if target == "group":
            os.killpg(pid, number)
        elif target == "child":
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
            os.kill(int(children[0]) if children else pid, number)
        else:
            os.kill(pid, number)


def wait_for_end(temporary: Path) -> list[int]:
    """The processes that still have the folder in their environment when the patience with them ends."""
    mark = f"TMPDIR={temporary}".encode()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with suppress(OSError):
                    if mark in (entry / "environ").read_bytes().split(b"\0"):
                        found.append(int(entry.name))
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.02)


def count_values(output: bytes) -> int:
    """How many JSON values there are, one in a line; -1 for anything else."""
    try:
        return len([json.loads(line) for line in output.decode().splitlines()])
    except ValueError:
        return -1


def run_next(task: Sequence[str], temporary: Path) -> int:
    """How many folders are left after a run that nobody disturbs."""
    command = [sys.executable, "-m", "skolem.cli", "plan", *task, "--grounder", "exact", "--quiet"]
    subprocess.run(command, env={**os.environ, "TMPDIR": str(temporary)}, check=True)
    return len(list(temporary.iterdir()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Kills runs, writes what was found, and fails if anything was left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "results" / "kills.json")
    given = parser.parse_args(arguments)
    rng, kills = random.Random(given.seed), []
    prefix = "kill-runs-"
    with tempfile.TemporaryDirectory(prefix=prefix) as folder, tempfile.TemporaryDirectory(prefix=prefix) as files:
        task = write_task(Path(files))
        for number in range(given.count):
            kills.append(kill_once(rng, task, Path(folder)))
            print(f"{number + 1}/{given.count} {kills[-1]}", flush=True)
        left = run_next(task, Path(folder))
    summary = {
        "count": given.count,
        "seed": given.seed,
        "by_signal_and_target": dict(sorted(Counter(f"{k.signal} to the {k.target}" for k in kills).items())),
        "ended_before_the_signal": sum(k.code == 0 for k in kills),
        "processes_left": sum(k.processes_left for k in kills),
        "folders_left_after_the_next_run": left,
        "without_exactly_one_answer": sum(not k.one_answer for k in kills),
        "longest_end_seconds": max(k.took for k in kills),
        "kills": [asdict(k) for k in kills],
    }
    given.output.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({name: value for name, value in summary.items() if name != "kills"}, indent=1))
    return int(bool(summary["processes_left"] or left or summary["without_exactly_one_answer"]))


if __name__ == "__main__":
    sys.exit(main())
