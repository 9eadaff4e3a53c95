"""Plans checked without the planner: replayed step by step, then the original goal in the last state."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skolem.pddl.sexpr import at
from skolem.planning.successors import Simulator
from skolem.support.errors import InputError, Place
from skolem.task.model import Source, Task
from skolem.task.satisfaction import satisfy

_LINE = re.compile(r"(?P<blank>\s*(;.*)?)|\s*\((?P<step>[^();]*)\)\s*(;.*)?")


@dataclass(frozen=True)
class Validation:
    """Whether a plan achieves the goal, what it costs, and the objects with which the goal is true; or why not."""

    valid: bool
    cost: int | None
    reason: str
    binding: dict[str, str] | None

    def to_dict(self) -> dict[str, Any]:
        """The verdict as JSON has it."""
        return {"valid": self.valid, "cost": self.cost, "reason": self.reason, "binding": self.binding}


def validate(task: Task, plan: Sequence[str]) -> Validation:
    """The verdict on a plan of steps such as "(stack a b)"."""
    simulator = Simulator(task)
    state, cost = simulator.start, 0
    for number, step in enumerate(plan, start=1):
        try:
            after = simulator.take(state, step)
        except InputError as fault:
            return Validation(False, None, f"step {number}, {step}: {fault}", None)
        state, cost = after.state, cost + after.cost
    binding = satisfy(task, simulator.read(state))
    if binding is None:
        return Validation(False, None, "every step can be taken, but the goal is not true after the last one", None)
    return Validation(True, cost, "the plan is valid", binding)


def read_plan(path: Path) -> tuple[str, ...]:
    """The steps in a plan file."""
    try:
        # Some editors begin a file with a byte order mark.
        return parse_plan(path.read_text(encoding="utf-8-sig"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the plan ({error})", Place(str(path))) from error


def parse_plan(text: str, path: str) -> tuple[str, ...]:
    """The steps of a plan file in the IPC format: one "(action object ...)" a line, comments after ';'."""
    steps: list[str] = []
    offset = 0
    for line in text.splitlines(keepends=True):
        match = _LINE.fullmatch(line.rstrip("\r\n"))
        if match is None or (match["blank"] is None and not match["step"].split()):
            place = at(Source(path, text), offset + len(line) - len(line.lstrip()))
            raise InputError("not a step of a plan, expected '(action object ...)'", place)
        if match["blank"] is None:
            steps.append(f"({' '.join(match['step'].lower().split())})")
        offset += len(line)
    return tuple(steps)


def format_plan(plan: Sequence[str], cost: int, unit: bool) -> str:
    """The plan in the IPC format.

    >>> print(format_plan(("(pick-up a)", "(stack a b)"), 2, unit=True), end="")
    (pick-up a)
    (stack a b)
    ; cost = 2 (unit cost)
    """
    return "".join(f"{step}\n" for step in plan) + f"; cost = {cost} ({'unit' if unit else 'general'} cost)\n"
