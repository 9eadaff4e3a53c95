"""The household of the suite by size: `python -m tools.household_table STORE`.

STORE is what `skolem evaluate suite --family household --store STORE` wrote, packed with gzip or not. Writes
results/household.md.
"""

import argparse
import gzip
import json
from pathlib import Path
from statistics import fmean
from typing import Any

from skolem.evaluation.suite_sets import load_suite_set

RESULTS = Path(__file__).parent.parent / "results"
ROUTES = {
    "learned": "a model's binding",
    "auto": "`skolem plan`",
    "lama": "raw Fast Downward, lama-first",
    "unified-planning": "unified-planning's quantifier remover",
}

Record = dict[str, Any]


def read_records(path: Path) -> list[Record]:
    """The records of the household's trials, and of the machine they ran on."""
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line)["record"] for line in text.splitlines()]


def write_page(records: list[Record], optima: dict[int, int | None]) -> str:
    """Coverage and cost of every route at every size."""
    trials = [record for record in records if record.get("family") == "household"]
    machines = [record for record in records if record["group"] == "environment"]
    costs = {(record["route"], record["index"]): record["cost"] for record in trials if record["status"] == "solved"}
    lines = [
        "# The household by size",
        "",
        "Homes of the household with ALFRED's seven goal types; the size is the number of rooms, receptacles and",
        "items. The cost is the total over the tasks that both the route and `skolem plan` solved, against that of",
        "`skolem plan`. V/V*: the mean where an optimal planner found V*.",
        "",
        "| size | route | tasks | solved | cost against `skolem plan` | V/V* | mean seconds where solved |",
        "|---|---|---|---|---|---|---|",
    ]
    for size in sorted({record["size"] for record in trials}):
        for route, title in ROUTES.items():
            own = [record for record in trials if record["size"] == size and record["route"] == route]
            if not own:
                continue
            solved = [record for record in own if record["status"] == "solved"]
            pairs = [(r["cost"], costs["auto", r["index"]]) for r in solved if ("auto", r["index"]) in costs]
            base = sum(other for _, other in pairs)
            ratio = f"{sum(cost for cost, _ in pairs) / base:.3f} ({len(pairs)})" if base else "-"
            known = [r["cost"] / optimum for r in solved if (optimum := optima.get(r["index"]))]
            optimal = f"{fmean(known):.3f} ({len(known)})" if known else "-"
            seconds = f"{fmean(r['times']['total'] for r in solved):.1f}" if solved else "-"
            lines.append(f"| {size} | {title} | {len(own)} | {len(solved)} | {ratio} | {optimal} | {seconds} |")
    lines += ["", *(f"Measured by `{machine['command']}` on {machine['cores']} cores." for machine in machines)]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    records = read_records(parser.parse_args().store)
    optima = dict(enumerate(load_suite_set("household").costs))
    page = write_page(records, optima)
    (RESULTS / "household.md").write_text(page, encoding="utf-8")
    print(page, end="")


if __name__ == "__main__":
    main()
