"""A server in a process of its own, and ways to ask it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

EXAMPLES = Path(__file__).parents[3] / "examples"
PATIENCE = 120.0
"""Seconds after which a test gives up: nothing should take as long, but machines may be busy."""


def read_example(name: str) -> dict[str, str]:
    """The texts of an example such as "blocks/tower", as parameters."""
    problem = EXAMPLES / f"{name}.pddl"
    return {"domain": problem.with_name("domain.pddl").read_text(), "problem": problem.read_text()}


TOWER = read_example("blocks/tower")
MUGS = read_example("robot/mugs")
HARD = {
    **read_example("gripper/rooms"),
    "problem": "(define (problem hard) (:domain gripper) (:objects l r x y z "
    + " ".join(f"b{i}" for i in range(120))
    + ") (:init (gripper l) (gripper r) (free l) (free r) (room x) (room y) (room z) (at-robby x) "
    + " ".join(f"(connected {a} {b})" for a in "xyz" for b in "xyz" if a != b)
    + " ".join(f"(ball b{i}) (red b{i}) (at b{i} x)" for i in range(120))
    + ") (:goal (and "
    + " ".join(f"(at b{i} {'yz'[i % 2]})" for i in range(120))
    + ")))",
    "planner": "seq-opt-lmcut",
}
"""A task that no planner solves at once."""


@dataclass(frozen=True)
class Running:
    """A server that runs."""

    url: str
    process: "subprocess.Popen[str]"

    def ask(self, operation: str, **parameters: Any) -> dict[str, Any]:
        """The answer to a question, whatever its status."""
        answer: dict[str, Any] = self.post(operation, parameters).json()
        return answer

    def post(self, operation: str, parameters: object, **options: Any) -> httpx.Response:
        """The response to a question."""
        return httpx.post(f"{self.url}api/{operation}", json=parameters, timeout=PATIENCE, **options)

    def get(self, path: str, **options: Any) -> httpx.Response:
        """The response to a plain request."""
        return httpx.get(f"{self.url}{path}", timeout=PATIENCE, **options)

    def list_workers(self) -> list[int]:
        """The processes of its workers."""
        return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and _is_child(pid, self.process.pid)]


@contextmanager
def run_server(*options: str) -> Iterator[Running]:
    """A server on a free port, stopped at the end; what it says on its error stream is a failure."""
    command = [sys.executable, "-m", "skolem.cli", "serve", "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            address = re.search(r"http://\S+", said)
            assert address, said + process.stderr.read()
            yield Running(address.group(), process)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()


def _is_child(pid: str, parent: int) -> bool:
    try:
        stat = Path("/proc", pid, "stat").read_text()
    except OSError:
        return False
    state, found = stat.rpartition(")")[2].split()[:2]
    return int(found) == parent and state != "Z"
