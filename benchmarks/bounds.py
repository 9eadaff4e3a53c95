"""Lower bounds on the optimal sets: do they ever exceed V*, how tight are they, and how often is a plan proven optimal?

Run from the root of the repository: `python -m benchmarks.bounds`. An interrupted run is continued.
"""

import argparse
import time
from collections.abc import Iterator
from statistics import mean
from typing import Any

from benchmarks.results import RESULTS, find_versions, spell_command, write

from skolem.evaluation.store import Store
from skolem.evaluation.test_sets import load_optimal_set
from skolem.families.registry import FAMILIES, Instance
from skolem.pddl.reading import read_task_text
from skolem.planning.translator_pool import keep_translator
from skolem.request import Request
from skolem.solve import solve
from skolem.task.model import Source

PACKAGES = ("skolem", "up-fast-downward", "numpy")
SECONDS = (1.0, 10.0)
"""How long a bound is looked for. What is proven in the first is not run again: the search would be the same."""


def main() -> None:
    """Plans for the first tasks of every set with a bound, and writes bounds.json and bounds.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=50, help="tasks of every family and setting (default 50)")
    given = parser.parse_args()
    store = Store(RESULTS / "stores" / "bounds.jsonl")
    with keep_translator():
        for family, neq, instance, cost in list_tasks(given.count):
            for seconds in SECONDS:
                key = f"{instance.name} {seconds:g}"
                record = store.get(key)
                if record is None:
                    record = {"family": family, "neq": neq, "optimum": cost, **measure(instance, seconds)}
                    store.add(key, record)
                    print(key, record, flush=True)
                if record["optimal"]:
                    break
    about = {"command": spell_command("bounds"), "versions": find_versions(*PACKAGES), "count": given.count}
    rows = [summarize(store, family, neq, given.count) for family in FAMILIES for neq in (False, True)]
    write("bounds", {"about": about, "rows": rows}, write_page(about, rows))


def list_tasks(count: int) -> Iterator[tuple[str, bool, Instance, int]]:
    """The first tasks of every optimal set with their exact costs."""
    for family in FAMILIES:
        for neq in (False, True):
            chosen = load_optimal_set(family, neq)
            for instance, cost in zip(chosen.instances(count), chosen.costs, strict=False):
                yield family, neq, instance, cost


def measure(instance: Instance, seconds: float) -> dict[str, Any]:
    """What `plan --bound SECONDS` says of a task."""
    texts = Source("domain.pddl", instance.domain_text), Source("problem.pddl", instance.problem_text)
    start = time.monotonic()
    found = solve(read_task_text(*texts), Request(bound_seconds=seconds))
    return {
        "cost": found.cost,
        "bound": found.bound,
        "optimal": found.optimal,
        "seconds": round(time.monotonic() - start, 3),
        "bound_seconds": round(found.times.get("bound", 0.0), 3),
    }


def summarize(store: Store, family: str, neq: bool, count: int) -> dict[str, Any]:
    """The figures of one set."""
    row: dict[str, Any] = {"family": family, "neq": neq, "tasks": count}
    last: dict[str, dict[str, Any]] = {}
    for seconds in SECONDS:
        for instance in load_optimal_set(family, neq).instances(count):
            last[instance.name] = store.get(f"{instance.name} {seconds:g}") or last[instance.name]
        found = list(last.values())
        row[f"{seconds:g}"] = {
            "exceeded": sum((r["bound"] or 0) > r["optimum"] for r in found),
            "tightness": mean((r["bound"] or 0) / r["optimum"] for r in found),
            "proven": sum(r["optimal"] for r in found),
            "wrongly_proven": sum(r["optimal"] and r["cost"] != r["optimum"] for r in found),
            "seconds": mean(r["bound_seconds"] for r in found),
        }
    return row


def write_page(about: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """The figures as Markdown."""
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    lines = [
        "# Lower bounds",
        "",
        f"`skolem plan --bound S` on the first {about['count']} tasks of each optimal set, whose V* is known. A bound"
        " is exceeding if it is above V*, its tightness is bound / V*, and a plan is proven if the bound is its cost."
        " Tasks that are proven in 1 s are not run for 10 s. Seconds are those of the search for the bound, the mean"
        " of all tasks.",
        "",
        f"Made by `{about['command']}` with {versions}.",
        "",
        "| family | x≠y | exceeding | proven in 1 s | tightness | seconds | proven in 10 s | tightness | seconds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [row["family"], "yes" if row["neq"] else "no"]
        cells.append(str(sum(row[f"{s:g}"]["exceeded"] + row[f"{s:g}"]["wrongly_proven"] for s in SECONDS)))
        for seconds in SECONDS:
            part = row[f"{seconds:g}"]
            cells += [f"{part['proven']} of {row['tasks']}", f"{part['tightness']:.3f}", f"{part['seconds']:.2f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
