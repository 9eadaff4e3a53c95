"""Builds the optimal test sets and compares their hardness with the paper's: `python -m tools.optimal_sets`."""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from skolem.evaluation.paper import OPTIMAL
from skolem.evaluation.test_sets import TestSet, build_optimal_set, load_optimal_set, name_set, save_optimal_set
from skolem.families.registry import FAMILIES
from skolem.support.progress import show_progress

SETS = Path(__file__).parent.parent / "src" / "skolem" / "evaluation" / "sets"
RESULTS = Path(__file__).parent.parent / "results" / "optimal_sets.md"


def main(arguments: Sequence[str] | None = None) -> None:
    """Builds the sets that are missing and writes the table of all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("families", nargs="*", default=list(FAMILIES))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--backend", default="loky")
    options = parser.parse_args(arguments)
    for family in options.families:
        for neq in (False, True):
            if (SETS / name_set(family, neq)).exists():
                continue
            started = time.monotonic()
            with show_progress(name_set(family, neq), 500, "instances") as report:
                made = build_optimal_set(family, neq, jobs=options.jobs, backend=options.backend, report=report)
            save_optimal_set(made, SETS)
            print(f"{name_set(family, neq)}: {time.monotonic() - started:.0f} s", flush=True)
    write_table()


def write_table() -> None:
    """Writes mean V* beside the paper's, and V* by the number of variables, for the sets that exist."""
    cells = [(f, neq) for neq in (False, True) for f in FAMILIES if (SETS / name_set(f, neq)).exists()]
    sets = {cell: load_optimal_set(*cell) for cell in cells}
    lines = [
        "# The optimal test sets",
        "",
        "Made by `python -m tools.optimal_sets`. Mean V* beside the paper's, then mean V* (number of instances)",
        "by the number of variables.",
        "",
        "| family | x≠y | instances | V* | paper | difference | 1 | 2 | 3 | 4 | 5 | 6 |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for (family, neq), made in sets.items():
        mean, paper = fmean(made.costs), OPTIMAL[family, neq].v_star
        groups = " | ".join(describe_group(made, k) for k in range(1, 7))
        lines.append(
            f"| {family} | {'yes' if neq else 'no'} | {len(made.costs)} | {mean:.3f} | {paper:.3f} "
            f"| {mean / paper - 1:+.1%} | {groups} |"
        )
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def describe_group(made: TestSet, variables: int) -> str:
    """The mean cost and the number of instances with so many variables."""
    costs = [c for c, k in zip(made.costs, made.variables, strict=True) if k == variables]
    return f"{fmean(costs):.2f} ({len(costs)})" if costs else "-"


if __name__ == "__main__":
    main()
