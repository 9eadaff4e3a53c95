"""How much longer than its time limit `skolem plan` takes, on tasks that no route finishes in time.

Run from the root of the repository, on an idle machine: `python -m benchmarks.time_limits`. The time is that of the
whole process, from its start to its end. What was measured goes to results/time_limits.json, with the machine's load.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from skolem.families.registry import generate_problem

ROOT = Path(__file__).parent.parent
LIMITS = (1.0, 2.0, 5.0)
ASKED = 0.5
"""Seconds by which a limit may be overrun on an idle machine."""
LARGE = ("delivery", 88, 6)
WIDE = ("visitall", 100, 6)
TALL = ("blocks", 60, 6)
CASES: tuple[tuple[tuple[str, int, int], tuple[str, ...]], ...] = (
    (LARGE, ("--grounder", "auto", "--planner", "lama")),
    (LARGE, ("--grounder", "auto", "--effort", "best")),
    (LARGE, ("--grounder", "learned", "--planner", "lama")),
    (LARGE, ("--grounder", "beam", "--width", "64", "--order", "best", "--scores", "full")),
    (LARGE, ("--grounder", "exact", "--planner", "lama")),
    (LARGE, ("--grounder", "exact", "--planner", "seq-opt-lmcut")),
    (LARGE, ("--grounder", "exact", "--planner", "seq-opt-fdss-1")),
    (LARGE, ("--grounder", "end", "--planner", "astar(blind())")),
    (LARGE, ("--grounder", "miniscope", "--planner", "lama")),
    (LARGE, ("--grounder", "bind-axiom", "--planner", "lama")),
    (LARGE, ("--grounder", "dnf", "--planner", "lama-first")),
    (LARGE, ("--grounder", "random-valid", "--planner", "lama")),
    (WIDE, ("--grounder", "dnf", "--planner", "lama-first")),
    (WIDE, ("--grounder", "exact", "--planner", "astar(blind())")),
    (WIDE, ("--grounder", "learned", "--order", "best", "--scores", "full", "--planner", "lama")),
    (TALL, ("--grounder", "auto", "--planner", "lama")),
    (TALL, ("--grounder", "learned", "--order", "best", "--scores", "full", "--planner", "policy")),
    (TALL, ("--grounder", "exact", "--planner", "seq-opt-lmcut")),
)


def measure(task: Sequence[str], options: Sequence[str], limit: float) -> dict[str, Any]:
    """How one run ended, and by how much it overran its limit."""
    command = [sys.executable, "-m", "skolem.cli", "plan", *task, *options, "--time-limit", str(limit), "--json"]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.monotonic() - start
    answer = json.loads(done.stdout)
    return {
        "limit": limit,
        "code": done.returncode,
        "status": answer["status"],
        "seconds": round(seconds, 3),
        "overrun": round(seconds - limit, 3),
        "load": round(os.getloadavg()[0], 2),
    }


def write_task(folder: Path, family: str, size: int, variables: int) -> list[str]:
    """The files of a large task."""
    instance = generate_problem(family, "lama", 5, 0, size=size, variables=variables)
    paths = [folder / f"{family}-domain.pddl", folder / f"{family}.pddl"]
    for path, text in zip(paths, (instance.domain_text, instance.problem_text), strict=True):
        path.write_text(text, encoding="utf-8")
    return list(map(str, paths))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures all cases, and fails if a limit was overrun by more than is asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "results" / "time_limits.json")
    given = parser.parse_args(arguments)
    runs: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, options in CASES:
            task = write_task(Path(folder), *kind)
            for limit in LIMITS:
                case = {"task": f"{kind[0]}, {kind[1]} objects, {kind[2]} variables", "options": " ".join(options)}
                runs.append({**case, **measure(task, options, limit)})
                print(json.dumps(runs[-1]), flush=True)
    reached = [run["overrun"] for run in runs if run["overrun"] > -ASKED]
    summary = {
        "asked": ASKED,
        "cores": os.cpu_count(),
        "runs": len(runs),
        "ended_at_the_limit": len(reached),
        "largest_overrun": max(reached, default=None),
        "largest_load": max(run["load"] for run in runs),
        "each": runs,
    }
    given.output.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({name: value for name, value in summary.items() if name != "each"}))
    return int(any(overrun > ASKED for overrun in reached))


if __name__ == "__main__":
    sys.exit(main())
