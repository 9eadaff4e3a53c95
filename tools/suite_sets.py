"""Builds the test sets of the suite that are missing: `python -m tools.suite_sets [DOMAIN ...]`."""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from skolem.evaluation.suite_sets import COUNT, build_suite_set, name_set, save_suite_set
from skolem.families.suite import NAMES
from skolem.support.progress import show_progress

SETS = Path(__file__).parent.parent / "src" / "skolem" / "evaluation" / "sets"


def main(arguments: Sequence[str] | None = None) -> None:
    """Builds the sets that are missing, one domain after another."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("domains", nargs="*", default=list(NAMES))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(arguments)
    for name in options.domains:
        if (SETS / name_set(name)).exists():
            continue
        started = time.monotonic()
        with show_progress(name_set(name), COUNT, "instances") as report:
            made = build_suite_set(name, jobs=options.jobs, report=report)
        save_suite_set(made, SETS)
        known = sum(cost is not None for cost in made.costs)
        print(f"{name}: V* of {known} of {COUNT} in {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
