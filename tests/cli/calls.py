"""The command line as a user calls it, in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.planning.sliding_tiles import find_processes, write_sliding_tiles

EXAMPLES = Path(__file__).parents[2] / "examples"
TOWER = (str(EXAMPLES / "blocks" / "domain.pddl"), str(EXAMPLES / "blocks" / "tower.pddl"))
PROGRAM = (sys.executable, "-m", "skolem.cli")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, check=False)


def run_json(*arguments: str) -> tuple[int, Any]:
    done = run(*arguments, "--json")
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout)


def run_script(text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What a program does that changes something before it calls `main`."""
    script = f"import sys\nfrom skolem.cli import main\n{text}\nsys.exit(main())"
    return subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False)


def run_shell(redirection: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What a command does whose streams the shell changed."""
    command = f'"$@" {redirection}'
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command, "bash", *PROGRAM, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def _hear_signals() -> None:
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def start_slow_plan(folder: Path, *options: str) -> "subprocess.Popen[str]":
    """A `plan --json` that searches for long, with its temporary files in a folder; it is searching on return."""
    files = [folder / "tiles-domain.pddl", folder / "tiles-problem.pddl"]
    for file, text in zip(files, write_sliding_tiles(4), strict=True):
        file.write_text(text)
    temporary = folder / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [*PROGRAM, "plan", *map(str, files), "--planner", "astar(blind())", "--json", *options],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Where the tests run in the background, or by nohup, processes are started with these signals ignored.
        preexec_fn=_hear_signals,
    )
    while process.poll() is None and not list(temporary.glob("*/*/output.sas")):
        time.sleep(0.02)
    return process


def wait_for_end(folder: Path) -> list[int]:
    """The processes that still work in a folder after some time for them to end."""
    deadline = time.monotonic() + 20
    while (left := find_processes(folder)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left
