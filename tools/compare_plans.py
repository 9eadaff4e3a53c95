"""What `skolem plan` costs now beside an earlier version, on the LAMA sets.

    skolem evaluate lama --route auto --store NEW.jsonl
    python -m tools.compare_plans results/stores/lama.jsonl.gz NEW.jsonl -o results

Both stores are of `skolem evaluate lama`; tasks are the same where their texts are. Only costs are compared: the times
of the two belong to different machines and loads.
"""

import argparse
import gzip
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from skolem.support.files import write_text

Plans = dict[tuple[str, bool, str], int | None]
"""Costs by family, setting and task; None where there is no plan."""


def read_plans(path: Path, route: str = "auto") -> Plans:
    """The costs of a route's plans in a store."""
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    records = [json.loads(line)["record"] for line in text.splitlines()]
    return {
        (record["family"], record["neq"], record["task"]): record["cost"] if record["valid"] else None
        for record in records
        if record.get("group") == "lama" and record["route"] == route
    }


def compare(old: Plans, new: Plans) -> Iterator[dict[str, Any]]:
    """A row for each family and setting, and one for all together."""
    places = sorted({(family, neq) for family, neq, _ in new})
    for place in [*places, None]:
        tasks = [task for task in new if task in old and (place is None or task[:2] == place)]
        both = [(old[task], new[task]) for task in tasks]
        costs = [(before, now) for before, now in both if before is not None and now is not None]
        before, now = sum(pair[0] for pair in costs), sum(pair[1] for pair in costs)
        yield {
            "family": "all" if place is None else place[0],
            "neq": None if place is None else place[1],
            "tasks": len(tasks),
            "solved_before": sum(pair[0] is not None for pair in both),
            "solved": sum(pair[1] is not None for pair in both),
            "cost_before": before,
            "cost": now,
            "ratio": now / before if before else None,
            "cheaper": sum(pair[1] < pair[0] for pair in costs),
            "dearer": sum(pair[1] > pair[0] for pair in costs),
        }


def write_page(rows: Sequence[Mapping[str, Any]]) -> str:
    """The table."""
    lines = [
        "# `skolem plan` beside version 0.1",
        "",
        "Total cost of the plans on the LAMA sets where both versions have one, 60 s and 4 GB a task.",
        "",
        "| family | x≠y | tasks | solved by 0.1 | solved | cost in 0.1 | cost | ratio | cheaper | dearer |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        setting = {True: "yes", False: "no", None: ""}[row["neq"]]
        ratio = "-" if row["ratio"] is None else f"{row['ratio']:.3f}"
        shown = [row[n] for n in ("tasks", "solved_before", "solved", "cost_before", "cost")]
        cells = [row["family"], setting, *shown, ratio, row["cheaper"], row["dearer"]]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*lines, "", "Made by `python -m tools.compare_plans`.", ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes plan_costs.json and plan_costs.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args(arguments)
    rows = list(compare(read_plans(given.old), read_plans(given.new)))
    write_text(given.output / "plan_costs.json", json.dumps({"rows": rows}, indent=1) + "\n")
    write_text(given.output / "plan_costs.md", write_page(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
