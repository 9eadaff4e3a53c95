"""How long one `skolem plan` takes in a fresh process, beside the exact route of another version.

python -m benchmarks.cold_start --old FOLDER --rounds 15

FOLDER is a checkout of version 0.1. The commands take turns, so that what else the machine does falls on all of them.
CPU time is that of the command and all of its children.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import results
from skolem.families.registry import generate_problem
from skolem.network.engine.choice import describe_engine

ROOT = Path(__file__).parent.parent
EXAMPLES = (("blocks", "tower"), ("gripper", "rooms"), ("delivery", "parking"), ("visitall", "tour"))
GENERATED = (("blocks", 17), ("gripper", 47), ("delivery", 88), ("visitall", 100))
VARIABLES = 6
START = "import sys; from skolem.cli import main; sys.exit(main())"


@dataclass(frozen=True)
class Contender:
    """A version and what it is asked for, under the name that the report gives it."""

    name: str
    source: Path
    options: tuple[str, ...]


@dataclass(frozen=True)
class Sample:
    """One run: milliseconds, and what the command found."""

    wall: float
    cpu: float
    cost: int
    route: str


def main() -> None:
    """Measures all commands on all tasks and writes cold_start.json and cold_start.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", type=Path, required=True, help="a checkout of version 0.1")
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    new = ROOT / "src"
    contenders = (
        Contender("0.1 exact", given.old.resolve() / "src", ("--grounder", "exact")),
        Contender("exact", new, ("--grounder", "exact")),
        Contender("auto", new, ()),
        Contender("auto, fast", new, ("--effort", "fast")),
    )
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        tasks = {**list_examples(), **write_tasks(Path(folder))}
        samples = measure(tasks, contenders, given.rounds, Path(folder, "bytecode"))
    rows = [summarize(task, name, found) for (task, name), found in samples.items()]
    about = {
        "command": f"python -m benchmarks.cold_start --old FOLDER --rounds {given.rounds}",
        "load": [round(before, 1), round(os.getloadavg()[0], 1)],
        "processors": os.cpu_count(),
        "engine": describe_engine(),
        "versions": results.find_versions("numpy", "up-fast-downward"),
    }
    results.write("cold_start", {"about": about, "rows": rows}, write_page(about, rows))


def list_examples() -> dict[str, tuple[Path, Path]]:
    """The domain and problem of every example."""
    folder = ROOT / "examples"
    return {
        f"{family} {name}": (folder / family / "domain.pddl", folder / family / f"{name}.pddl")
        for family, name in EXAMPLES
    }


def write_tasks(folder: Path) -> dict[str, tuple[Path, Path]]:
    """The domain and problem of the largest tasks of the LAMA sets, written into a folder."""
    tasks = {}
    for family, size in GENERATED:
        instance = generate_problem(family, "lama", 0, 0, size=size, variables=VARIABLES)
        domain, problem = folder / f"{family}-domain.pddl", folder / f"{family}.pddl"
        domain.write_text(instance.domain_text, encoding="utf-8")
        problem.write_text(instance.problem_text, encoding="utf-8")
        tasks[f"{family} {size}"] = domain, problem
    return tasks


def measure(
    tasks: Mapping[str, tuple[Path, Path]], contenders: Sequence[Contender], rounds: int, bytecode: Path
) -> dict[tuple[str, str], list[Sample]]:
    """The samples of every task and contender; a first round, which fills the caches, does not count."""
    samples = defaultdict[tuple[str, str], list[Sample]](list)
    for number in range(rounds + 1):
        for task, files in tasks.items():
            for contender in contenders:
                sample = run(contender, files, bytecode)
                if number > 0:
                    samples[task, contender.name].append(sample)
    return dict(samples)


def run(contender: Contender, files: tuple[Path, Path], bytecode: Path) -> Sample:
    """One run of a command in a fresh process."""
    # Bytecode of both versions lies elsewhere, so that neither folder is written to and both are compiled.
    environment = {**os.environ, "PYTHONPATH": str(contender.source), "PYTHONPYCACHEPREFIX": str(bytecode)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", START, "plan", *map(str, files), *contender.options, "--json"]
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        found = json.loads(output.read())
    if found["status"] != "solved":
        raise SystemExit(f"{contender.name} has no plan for {files[1].name}: {found['message']}")
    cpu = usage.ru_utime + usage.ru_stime
    return Sample(1000 * wall, 1000 * cpu, found["cost"], found["route"])


def summarize(task: str, name: str, samples: Sequence[Sample]) -> dict[str, Any]:
    """The minima and medians of some runs."""
    walls, cpus = [s.wall for s in samples], [s.cpu for s in samples]
    return {
        "task": task,
        "command": name,
        "wall_min": round(min(walls)),
        "wall_median": round(median(walls)),
        "cpu_min": round(min(cpus)),
        "cpu_median": round(median(cpus)),
        "cost": round(median(s.cost for s in samples)),
        "routes": sorted({s.route for s in samples}),
    }


def write_page(about: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """The report: milliseconds of wall and CPU time, and the ratios that matter."""
    names = list(dict.fromkeys(row["command"] for row in rows))
    cells = {(row["task"], row["command"]): row for row in rows}
    lines = [
        "# Cold start",
        "",
        "One `skolem plan` in a fresh process, in milliseconds. CPU time includes all children.",
        f"Generated tasks are of the LAMA sets, with {VARIABLES} variables or as many as their packages are.",
        f"Engine: {about['engine']}. Load average {about['load'][0]} before and {about['load'][1]} after,",
        f"{about['processors']} processors. Command: `{about['command']}`.",
    ]
    for measure_name, title in (("wall", "Wall time"), ("cpu", "CPU time")):
        head = [f"{name}" for name in names]
        lines += ["", f"## {title}, minimum (median)", ""]
        lines += [f"| task | {' | '.join(head)} | auto / 0.1 exact | fast / exact |", "|---" * (len(head) + 3) + "|"]
        for task in dict.fromkeys(row["task"] for row in rows):
            low = [cells[task, name][f"{measure_name}_min"] for name in names]
            middle = [cells[task, name][f"{measure_name}_median"] for name in names]
            shown = [f"{a} ({b})" for a, b in zip(low, middle, strict=True)]
            ratios = [f"{low[a] / low[b]:.2f} ({middle[a] / middle[b]:.2f})" for a, b in ((2, 0), (3, 1))]
            lines.append(f"| {task} | {' | '.join(shown + ratios)} |")
    lines += [
        "",
        "## Cost of the plan, and its route",
        "",
        f"| task | {' | '.join(names)} |",
        "|---" * (len(names) + 1) + "|",
    ]
    for task in dict.fromkeys(row["task"] for row in rows):
        found = [cells[task, name] for name in names]
        lines.append(f"| {task} | " + " | ".join(f"{c['cost']}, {', '.join(c['routes'])}" for c in found) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
