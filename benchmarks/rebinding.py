"""Worlds that change, asked about by a session and anew: is the answer as good, and how long does it take?

python -m benchmarks.rebinding --changes 200

Half of the changes happen to a world of blocks, half to one of gripper. Both answers are given in one process with the
model and the translator loaded, one after the other in turns, and the fresh one reads the same text.
"""

import argparse
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean, median
from typing import Any

from benchmarks import results
from skolem.families.registry import generate_problem
from skolem.integrations.server.rebinding import Held, answer_again, hold
from skolem.integrations.server.world import Change, World, change_world, make_task, open_world, write_problem
from skolem.pddl.reading import read_task_text
from skolem.planning.limits import Clock, Limits
from skolem.planning.successors import Simulator
from skolem.planning.translator_pool import keep_translator
from skolem.planning.validation import validate
from skolem.request import Request
from skolem.solve import solve
from skolem.support.errors import SkolemError
from skolem.task.model import Source, Task
from skolem.task.query import Relations

FAMILIES = (("blocks", 9), ("gripper", 19))
VARIABLES = 3
LIMITS = Limits(60.0)
KINDS = (
    "a step of the plan",
    "another step",
    "an object is gone",
    "an object came",
    "a colour changed",
    "another goal",
)
SHARES = (50, 20, 8, 8, 7, 7)
"""How often each kind of change happens: a robot mostly does what it planned."""
NEW_WORLD = 25
"""After so many changes another world takes the place of the last one."""


@dataclass(frozen=True)
class Sample:
    """One change: its kind, whether the objects were kept, and cost and seconds of both answers."""

    family: str
    kind: str
    kept: bool
    replanned: bool
    cost: int | None
    fresh_cost: int | None
    seconds: float
    fresh_seconds: float


def main() -> None:
    """Makes the changes and writes rebinding.json and rebinding.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changes", type=int, default=200)
    given = parser.parse_args()
    before = os.getloadavg()[0]
    with keep_translator():
        samples = [s for name, size in FAMILIES for s in run_family(name, size, given.changes // len(FAMILIES))]
    about = {
        "command": results.spell_command("rebinding"),
        "load": [round(before, 1), round(os.getloadavg()[0], 1)],
        "processors": os.cpu_count(),
        "versions": results.find_versions("numpy", "up-fast-downward"),
    }
    rows = summarize(samples)
    content = {"about": about, "rows": rows, "samples": [vars(sample) for sample in samples]}
    results.write("rebinding", content, write_page(about, rows))


def run_family(family: str, size: int, changes: int) -> Iterator[Sample]:
    """The samples of random changes to worlds of a family."""
    rng = Random(f"rebinding {family}")
    world, held, made = None, None, 0
    while made < changes:
        if world is None or made % NEW_WORLD == 0:
            instance = generate_problem(family, "lama", made, 0, size=size, variables=VARIABLES)
            world = open_world(instance.domain_text, instance.problem_text)[0]
            held, _, _ = ask_session(world, None)
        kind = rng.choices(KINDS, SHARES)[0]
        try:
            changed = change_world(world, make_change(rng, kind, family, world, held))
            make_task(changed)
        except (SkolemError, IndexError):
            # Not every change can be made to every world.
            continue
        sample_held, session, seconds = ask_session(changed, held)
        fresh, fresh_seconds = ask_freshly(changed)
        solution = session.solution
        if solution.plan is not None:
            assert validate(make_task(changed), solution.plan).valid
        made += 1
        yield Sample(
            *(family, kind, session.kept, session.replanned, solution.cost, fresh.cost, seconds, fresh_seconds)
        )
        world, held = changed, sample_held
        if solution.cost in (0, None):
            world = None


def ask_session(world: World, held: Held | None) -> tuple[Held | None, Any, float]:
    """What the session remembers then, its answer, and how long that took."""
    start = time.perf_counter()
    clock, task = Clock.begin(LIMITS), make_task(world)
    answer = answer_again(task, world.goal, held, Request(limits=LIMITS), clock)
    if answer.replanned:
        held = hold(task, world.goal, answer.solution)
    return held, answer, time.perf_counter() - start


def ask_freshly(world: World) -> tuple[Any, float]:
    """The answer of one who knows nothing of the world yet, and how long it took."""
    text = write_problem(world)
    start = time.perf_counter()
    task = read_task_text(Source("domain", world.domain), Source("problem", text))
    solution = solve(task, Request(limits=LIMITS), Clock.begin(LIMITS))
    return solution, time.perf_counter() - start


def make_change(rng: Random, kind: str, family: str, world: World, held: Held | None) -> Change:
    """A random change of a kind; an IndexError where there is none."""
    task = make_task(world)
    if kind in ("a step of the plan", "another step"):
        return take_step(rng, task, held if kind == "a step of the plan" else None)
    things = [name for name in world.objects if family == "blocks" or f"(ball {name})" in world.atoms]
    colours = sorted({atom for atom in task.domain.static if len(task.domain.predicates[atom]) == 1} & set(COLOURS))
    if kind == "an object is gone":
        loose = [name for name in things if is_loose(name, family, world)]
        return Change(gone=(rng.choice(loose),))
    if kind == "an object came":
        name, colour = f"new{rng.randrange(10**6)}", rng.choice(colours)
        place = (
            rng.choice([a.split()[1][:-1] for a in world.atoms if a.startswith("(room ")]) if family != "blocks" else ""
        )
        facts = (
            (f"(ontable {name})", f"(clear {name})")
            if family == "blocks"
            else (f"(ball {name})", f"(at {name} {place})")
        )
        return Change(objects={name: "object"}, add=(f"({colour} {name})", *facts))
    if kind == "a colour changed":
        name, colour = rng.choice(things), rng.choice(colours)
        return Change(remove=tuple(f"({c} {name})" for c in colours), add=(f"({colour} {name})",))
    instance = generate_problem(family, "lama", rng.randrange(10**6), 0, size=len(world.objects), variables=VARIABLES)
    goal = open_world(instance.domain_text, instance.problem_text)[0].goal
    return Change(goal=goal)


COLOURS = ("red", "blue", "green", "yellow", "orange", "purple")


def is_loose(name: str, family: str, world: World) -> bool:
    """Whether an object can go without anything being left in the air."""
    if family == "blocks":
        return f"(clear {name})" in world.atoms and f"(ontable {name})" in world.atoms
    return not any(atom.startswith("(carry ") and f" {name} " in atom for atom in world.atoms)


def take_step(rng: Random, task: Task, held: Held | None) -> Change:
    """What a step changes: the next one of the plan, or any."""
    simulator = Simulator(task)
    if held is None:
        after = rng.choice(list(simulator.list_successors(simulator.start))).state
    else:
        # Where the plan goes on is the last step of it that can be taken and leads to the goal.
        rest = next(held.plan[i:] for i in range(len(held.plan), -1, -1) if validate(task, held.plan[i:]).valid)
        after = simulator.take(simulator.start, rest[0]).state
    old, new = (list_facts(task, simulator.read(state)) for state in (simulator.start, after))
    return Change(remove=tuple(sorted(old - new)), add=tuple(sorted(new - old)))


def list_facts(task: Task, relations: Relations) -> set[str]:
    """The atoms of a state that can change."""
    return {
        f"({' '.join((name, *(task.objects[o] for o in row)))})"
        for name, rows in relations.items()
        if name in task.domain.predicates and name not in task.domain.static
        for row in rows.tolist()
    }


def summarize(samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """One row for every family and kind of change, and one for all."""
    groups = [(f, k) for f, _ in FAMILIES for k in (*KINDS, "all")]
    rows = []
    for family, kind in groups:
        found = [s for s in samples if s.family == family and kind in (s.kind, "all")]
        both = [s for s in found if s.cost and s.fresh_cost]
        if not found:
            continue
        rows.append(
            {
                "family": family,
                "change": kind,
                "count": len(found),
                "kept": sum(s.kept for s in found),
                "replanned": sum(s.replanned for s in found),
                "worse": sum((s.cost or 0) > (s.fresh_cost or 0) for s in both),
                "better": sum((s.cost or 0) < (s.fresh_cost or 0) for s in both),
                "cost_ratio": round(fmean((s.cost or 0) / (s.fresh_cost or 1) for s in both), 3) if both else None,
                "unequal_status": sum((s.cost is None) != (s.fresh_cost is None) for s in found),
                "median_ms": round(1000 * median(s.seconds for s in found)),
                "fresh_median_ms": round(1000 * median(s.fresh_seconds for s in found)),
                "time_ratio": round(sum(s.seconds for s in found) / sum(s.fresh_seconds for s in found), 2),
            }
        )
    return rows


def write_page(about: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """The report."""
    lines = [
        "# Worlds that change",
        "",
        "Random changes to worlds of two families; a session is asked after each, and one who knows nothing.",
        "Cost is the session's over the fresh one's, time the sum of the session's over that of the fresh ones.",
        "Worse and better count answers that cost more or less than the fresh one.",
        f"Load average {about['load'][0]} before and {about['load'][1]} after, {about['processors']} processors.",
        f"Command: `{about['command']}`.",
        "",
        "| family | change | count | kept | planned anew | worse | better | cost | median ms | fresh ms | time |",
        "|---" * 11 + "|",
    ]
    names = ("family", "change", "count", "kept", "replanned", "worse", "better", "cost_ratio", "median_ms")
    for row in rows:
        cells = [row[name] for name in (*names, "fresh_median_ms", "time_ratio")]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
