"""The exact routes side by side: five families at the sizes of the LAMA sets, and two other domains.

Run from the root of the repository: `python -m benchmarks.routes`.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from statistics import geometric_mean, mean, median
from typing import Any

from benchmarks.results import find_versions, spell_command, write
from benchmarks.route_domains import Sample, list_samples

from skolem.families.registry import FAMILIES, Instance, generate_problem
from skolem.pddl.reading import read_task_text
from skolem.planning.exact import ROUTES, plan_exact
from skolem.planning.limits import Limits
from skolem.task.model import Source

COLUMNS = (*ROUTES, "exact")
PACKAGES = ("skolem", "up-fast-downward", "numpy")


def main() -> None:
    """Runs every route on every instance, one at a time, and writes routes.json and routes.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-setting", type=int, default=6, help="instances per domain and setting (default 6)")
    parser.add_argument("--time-limit", type=float, default=30.0, help="wall seconds per route and instance")
    parser.add_argument("--memory-limit", type=int, default=4000, help="megabytes")
    parser.add_argument("--planner", default="lama-first")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    limits = Limits(arguments.time_limit, arguments.memory_limit)
    rows = []
    instances: list[Instance | Sample] = list(list_instances(arguments.per_setting, arguments.seed))
    instances += list_samples(arguments.per_setting, arguments.seed)
    for instance in instances:
        rows.append(measure(instance, arguments.planner, limits))
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    about = {
        "command": spell_command("routes"),
        "instances": len(rows),
        "versions": find_versions(*PACKAGES),
        **vars(arguments),
    }
    write("routes", {"about": about, "rows": rows}, write_report(about, rows))


def list_instances(per_setting: int, seed: int) -> Iterator[Instance]:
    """Instances of all families, with and without inequality, with 3 to 6 variables in turn."""
    for family in FAMILIES:
        for neq in (False, True):
            for index in range(per_setting):
                yield generate_problem(family, "lama", seed, index, variables=3 + index % 4, neq=neq)


def measure(instance: Instance | Sample, planner: str, limits: Limits) -> dict[str, Any]:
    """What each route gave for an instance; the seconds include reading the task and validating the plan."""
    row: dict[str, Any] = {
        "instance": instance.name,
        "family": instance.family,
        "neq": instance.neq,
        "size": instance.size,
        "variables": instance.variables,
    }
    for column in COLUMNS:
        start = time.monotonic()
        texts = Source("domain.pddl", instance.domain_text), Source("problem.pddl", instance.problem_text)
        result = plan_exact(read_task_text(*texts), column, planner, limits)
        row[column] = {
            "status": result.status,
            "cost": result.cost,
            "seconds": round(time.monotonic() - start, 3),
            "route": result.route,
            "exit_code": int(result.exit_code),
        }
    return row


def write_report(about: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """The summary and the table of all instances as Markdown."""
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    lines = [
        "# Exact routes for quantified goals",
        "",
        f"{about['instances']} instances, {about['planner']}, {about['time_limit']:g} s of wall time and"
        f" {about['memory_limit']} MB per route and instance, one job at a time. Every plan counted here was validated"
        " against the original goal.",
        f"Made by `{about['command']}` with {versions}.",
        "",
        "Seconds are wall time, unsolved instances at the limit. The cost ratio compares first plans with those of"
        " `exact` on the instances that both solve.",
        "",
        *summarize("the five families", [row for row in rows if row["family"] in FAMILIES]),
        *summarize("two other domains", [row for row in rows if row["family"] not in FAMILIES]),
        f"| instance | size | variables | {' | '.join(COLUMNS)} | chosen by exact |",
        f"|---|---|---|{'---|' * len(COLUMNS)}---|",
        *(write_row(row) for row in rows),
    ]
    return "\n".join(lines) + "\n"


def summarize(title: str, rows: list[dict[str, Any]]) -> list[str]:
    """The summary table of some instances."""
    lines = [
        f"## {title}: {len(rows)} instances",
        "",
        "| route | solved | median s | mean s | most s | cost ratio to exact (geometric mean) | cheaper / dearer |",
        "|---|---|---|---|---|---|---|",
    ]
    for column in COLUMNS:
        seconds = [row[column]["seconds"] for row in rows]
        solved = sum(row[column]["status"] == "solved" for row in rows)
        pairs = [(row[column]["cost"], row["exact"]["cost"]) for row in rows]
        both = [(a, b) for a, b in pairs if a is not None and b is not None]
        ratio = geometric_mean([a / b for a, b in both]) if both else float("nan")
        cheaper, dearer = sum(a < b for a, b in both), sum(a > b for a, b in both)
        times = " | ".join(f"{f(seconds):.2f}" for f in (median, mean, max))
        lines.append(f"| {column} | {solved}/{len(rows)} | {times} | {ratio:.3f} | {cheaper} / {dearer} |")
    return [*lines, ""]


def write_row(row: dict[str, Any]) -> str:
    """An instance's line: cost and seconds of each route."""
    cells = [
        f"{row[c]['cost']} ({row[c]['seconds']:.1f} s)"
        if row[c]["status"] == "solved"
        else f"{row[c]['status']} ({row[c]['seconds']:.1f} s)"
        for c in COLUMNS
    ]
    head = f"{row['instance']} | {row['size']} | {row['variables']}"
    return f"| {head} | {' | '.join(cells)} | {row['exact']['route']} |"


if __name__ == "__main__":
    main()
