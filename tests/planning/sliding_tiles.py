"""A task that takes long, and the processes that work on it."""

import os
from pathlib import Path


def write_sliding_tiles(side: int) -> tuple[str, str]:
    """A sliding-tile puzzle that no optimal planner here solves in the limits of these tests."""
    domain = """
    (define (domain tiles)
      (:predicates (at ?t ?c) (blank ?c) (next ?c ?d))
      (:action slide :parameters (?t ?c ?d)
        :precondition (and (at ?t ?c) (blank ?d) (next ?c ?d))
        :effect (and (at ?t ?d) (blank ?c) (not (at ?t ?c)) (not (blank ?d)))))
    """
    cells = [(x, y) for x in range(side) for y in range(side)]
    steps = [
        f"(next c{x}-{y} c{x + a}-{y + b})"
        for x, y in cells
        for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))
        if (x + a, y + b) in cells
    ]
    count = side * side - 1
    start = [f"(at t{i} c{x}-{y})" for i, (x, y) in enumerate(reversed(cells[1:]))]
    goal = [f"(at t{i} c{x}-{y})" for i, (x, y) in enumerate(cells[1:])]
    objects = [f"t{i}" for i in range(count)] + [f"c{x}-{y}" for x, y in cells]
    problem = f"""
    (define (problem p) (:domain tiles) (:objects {" ".join(objects)})
      (:init (blank c0-0) {" ".join(steps + start)}) (:goal (and {" ".join(goal)})))
    """
    return domain, problem


def find_processes(folder: Path) -> list[int]:
    """The processes that work in a folder below the given one."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                where = os.readlink(entry / "cwd")
            except OSError:
                continue
            if where.startswith(str(folder)):
                found.append(int(entry.name))
    return found
