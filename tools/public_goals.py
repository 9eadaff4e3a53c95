"""Goals that nobody here wrote: are they read, bound and planned for?

    python -m tools.public_goals [alfworld | behavior]

ALFWorld's goal templates on homes of three sizes, and BEHAVIOR's activities with `exists` or a count. Writes
results/public_goals.json and results/public_goals.md.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

from tools.alfworld_homes import draw_home, list_templates, read_domain_text
from tools.behavior_activities import convert_activity, list_activities

from skolem.pddl.reading import read_task_text
from skolem.planning.limits import Limits
from skolem.request import Request
from skolem.solve import solve
from skolem.support.errors import SkolemError
from skolem.task.formulas import Exists, list_parts
from skolem.task.model import Source, Task

RESULTS = Path(__file__).parent.parent / "results"
SIZES = (30, 80, 150)
"""Receptacles and objects in the homes."""
LIMITS = Limits(120.0, 4000)
COUNTS_ONLY = "behavior, counts only"
MOST_SECONDS = 10.0
"""The CPU time within which every goal should be planned for; other processes do not count."""


@dataclass(frozen=True)
class Outcome:
    """What became of one goal."""

    source: str
    name: str
    size: int
    """The number of objects; 0 for a file with mistakes."""
    status: str
    """As in `skolem plan`, or `unread`."""
    route: str = ""
    cost: int | None = None
    seconds: float = 0.0
    message: str = ""


def solve_templates() -> Iterator[Outcome]:
    """Every template of ALFWorld on a home of each size."""
    domain = Source("alfred.pddl", read_domain_text())
    for size in SIZES:
        for name, goal in list_templates().items():
            problem = Source(name, draw_home(size, Random(size), goal))
            try:
                yield _plan("alfworld", name, read_task_text(domain, problem))
            except SkolemError as error:
                yield Outcome("alfworld", name, 0, "unread", message=str(error).splitlines()[0])


def solve_activities() -> Iterator[Outcome]:
    """Every activity of BEHAVIOR; those with `exists` or a count in the goal are planned for, the others only read."""
    for name, text in list_activities():
        try:
            activity = convert_activity(name, text)
            task = read_task_text(Source("behavior.pddl", activity.domain_text), Source(name, activity.problem_text))
        except SkolemError as error:
            yield Outcome("behavior", name, 0, "unread", message=str(error).splitlines()[0])
            continue
        if "(exists" in activity.problem_text:
            yield _plan("behavior", name, task)
        elif any(isinstance(part, Exists) for part in list_parts(task.goal.formula)):
            yield _plan(COUNTS_ONLY, name, task)
        else:
            yield Outcome("behavior", name, len(task.objects), "read")


def _plan(source: str, name: str, task: Task) -> Outcome:
    started = _count_seconds()
    found = solve(task, Request(limits=LIMITS))
    seconds = round(_count_seconds() - started, 2)
    return Outcome(source, name, len(task.objects), found.status, found.route, found.cost, seconds, found.message)


def _count_seconds() -> float:
    """The CPU time of this process and of its children so far."""
    used = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def write_page(outcomes: list[Outcome]) -> str:
    """The figures as a page."""
    lines = [
        "# Goals that nobody here wrote",
        "",
        f"ALFWorld {version('alfworld')}: its domain, repaired, and all its goal templates on generated homes.",
        f"BEHAVIOR: the activities of `bddl` {version('bddl')} with the actions of `tools/behavior_activities.py`.",
        "Times are CPU seconds of one `skolem plan`. Made by `python -m tools.public_goals`.",
        "",
        "| source | goals | read | planned for | solved | unsolvable | routes "
        f"| answered within {MOST_SECONDS:.0f} s | longest, s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for source in sorted({o.source for o in outcomes}):
        own = [o for o in outcomes if o.source == source]
        planned = [o for o in own if o.status not in ("unread", "read")]
        counts = Counter(o.status for o in own)
        routes = ", ".join(f"{route} {n}" for route, n in Counter(o.route for o in planned if o.route).most_common())
        answered = [o.seconds for o in planned if o.status in ("solved", "unsolvable")]
        lines.append(
            f"| {source} | {len(own)} | {len(own) - counts['unread']} | {len(planned)} | {counts['solved']} | "
            f"{counts['unsolvable']} | {routes} | {sum(s <= MOST_SECONDS for s in answered)} | "
            f"{max(answered, default=0.0):.1f} |"
        )
    lines += ["", "What was not read, or not solved:", ""]
    for outcome in outcomes:
        if outcome.status not in ("solved", "read"):
            size = f", {outcome.size} objects" if outcome.size else ""
            lines.append(f"- {outcome.source} `{outcome.name}`{size}: {outcome.status}. {outcome.message}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", choices=("alfworld", "behavior"), help="only this one; the other stays")
    source = parser.parse_args().source
    path = RESULTS / "public_goals.json"
    kept = json.loads(path.read_text(encoding="utf-8"))["outcomes"] if source and path.exists() else []
    outcomes = [Outcome(**entry) for entry in kept if not entry["source"].startswith(str(source))]
    for name, solve_all in (("alfworld", solve_templates), ("behavior", solve_activities)):
        if source in (None, name):
            for outcome in solve_all():
                outcomes.append(outcome)
                if outcome.status != "read":
                    print(outcome.source, outcome.name, outcome.status, outcome.route, outcome.seconds, flush=True)
    outcomes.sort(key=lambda o: o.source)
    packages = {name: version(name) for name in ("alfworld", "bddl")}
    content = {"packages": packages, "outcomes": [asdict(o) for o in outcomes]}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(write_page(outcomes), encoding="utf-8")
    sys.stdout.write(write_page(outcomes))


if __name__ == "__main__":
    main()
