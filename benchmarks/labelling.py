"""Labelling: pairs per second and memory of every family, restarts after kills, agreement with a brute force.

Run from the root of the repository: `python -m benchmarks.labelling speed|load|kill|agree`.
"""

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.results import find_versions, read, spell_command, write
from joblib.externals.loky import get_reusable_executor
from tests.oracle.reference import draw_case, search

from skolem.families.registry import FAMILIES
from skolem.oracle.costs import Oracle
from skolem.oracle.dataset import read_dataset
from skolem.oracle.labelling import DatasetRecipe, label
from skolem.support.progress import show_progress

PACKAGES = ("skolem", "numpy", "joblib")


def main() -> None:
    """Runs one measurement and adds it to labelling.json and labelling.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    speed = commands.add_parser("speed", help="label families")
    speed.add_argument("families", nargs="*", default=list(FAMILIES))
    speed.add_argument("--pairs", type=int, default=40_000)
    speed.add_argument("--jobs", type=int, default=2)
    speed.add_argument("-o", "--out", type=Path, help="a folder to keep the datasets in")
    load = commands.add_parser("load", help="read datasets")
    load.add_argument("datasets", nargs="+", type=Path)
    kill = commands.add_parser("kill", help="kill the labelling at random points and restart it")
    kill.add_argument("--times", type=int, default=10)
    kill.add_argument("--seed", type=int, default=0)
    agree = commands.add_parser("agree", help="compare both routes with a brute force")
    agree.add_argument("--cases", type=int, default=3000)
    agree.add_argument("--planned", type=int, default=100, help="how many of them the optimal planner solves too")
    agree.add_argument("--seed", type=int, default=0)
    make = commands.add_parser("make", help="what `kill` starts")
    make.add_argument("out", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "make":
        label(KILLED, arguments.out, jobs=2)
    elif arguments.command == "speed":
        for family in arguments.families:
            key = f"{family} {arguments.pairs}"
            record("speed", key, measure_speed(family, arguments.pairs, arguments.jobs, arguments.out))
    elif arguments.command == "load":
        for path in arguments.datasets:
            record("load", path.name, measure_loading(path))
    elif arguments.command == "kill":
        record("kill", "kill", measure_kills(arguments.times, arguments.seed))
    else:
        record("agree", "agree", measure_agreement(arguments.cases, arguments.planned, arguments.seed))


KILLED = DatasetRecipe(
    "gripper", pairs=20_000, validation=500, larger=10, shard=500, larger_shard=5, larger_states=100_000
)


def measure_speed(family: str, pairs: int, jobs: int, out: Path | None) -> dict[str, Any]:
    """Time, memory and size of labelling one family."""
    plan = DatasetRecipe(family, pairs=pairs)
    with tempfile.TemporaryDirectory() as folder:
        path = (out or Path(folder)) / f"{family}-{pairs // 1000}k"
        # A process of its own, so that its peak memory is its own.
        pid, start = os.fork(), time.monotonic()
        if pid == 0:
            with show_progress(family, plan.total, "pairs") as report:
                label(plan, path, jobs=jobs, report=report)
            # Workers count only once they have ended.
            get_reusable_executor().shutdown(wait=True)
            workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            (path / "worker_kb").write_text(str(workers))
            os._exit(0)
        _, status, usage = os.wait4(pid, 0)
        seconds = time.monotonic() - start
        if status:
            raise SystemExit(f"labelling {family} failed")
        worker_kb = int((path / "worker_kb").read_text())
        (path / "worker_kb").unlink()
        dataset = read_dataset(path)
        total = sum(dataset.pairs(part) for part in dataset.parts)
        return {
            "family": family,
            "pairs": dataset.pairs("train"),
            "all_pairs": total,
            "jobs": jobs,
            "seconds": round(seconds, 1),
            "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
            "pairs_per_second": round(total / seconds),
            "peak_mb": round((usage.ru_maxrss + (jobs * worker_kb if jobs > 1 else 0)) / 1000),
            "size_mb": round(sum(file.stat().st_size for file in path.glob("*.npz")) / 1e6, 2),
            "load_average": round(os.getloadavg()[1], 1),
            "checksum": dataset.checksum,
        }


def measure_loading(path: Path) -> dict[str, Any]:
    """The time to read all parts of a dataset, the best of three."""
    times = []
    for _ in range(3):
        start = time.monotonic()
        dataset = read_dataset(path)
        total = sum(len(dataset.load(part).shard.pair_node) for part in dataset.parts)
        times.append(time.monotonic() - start)
    return {"pairs": total, "seconds": round(min(times), 2)}


def measure_kills(times: int, seed: int) -> dict[str, Any]:
    """Checksums of a run that was killed several times and of one that was not."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        expected = label(KILLED, Path(folder, "whole"), jobs=2)
        seconds = time.monotonic() - start
        out = Path(folder, "killed")
        finished = []
        for _ in range(times):
            command = [sys.executable, "-m", "benchmarks.labelling", "make", str(out)]
            process = subprocess.Popen(command, start_new_session=True)
            time.sleep(2 + rng.random() * seconds / 6)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            finished.append(len(list(out.glob("*.done"))))
        found = label(KILLED, out, jobs=1)
        return {
            "times": times,
            "finished_shards_at_each_kill": finished,
            "shards": len(KILLED.jobs()),
            "same_checksum": found.checksum == expected.checksum,
            "same_files": _list_bytes(out) == _list_bytes(Path(folder, "whole")),
            "checksum": found.checksum,
        }


def _list_bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def measure_agreement(cases: int, planned: int, seed: int) -> dict[str, Any]:
    """How many random small cases have the same cost by every route."""
    rng = random.Random(seed)
    oracle = Oracle()
    unreachable = 0
    start = time.monotonic()
    with show_progress("agree", cases, "cases") as report:
        for case in range(cases):
            task, query = draw_case(rng)
            expected = search(task, query)
            found = [oracle.find_cost_in_space(task, query)]
            if case < planned:
                found.append(oracle.find_cost_by_planner(task, query))
            if any(result.cost != expected or result.status == "limit" for result in found):
                raise SystemExit(f"{found} but {expected} expected\n{task.source.text}\n{query}")
            unreachable += expected is None
            report(case + 1)
    seconds = round(time.monotonic() - start)
    return {"cases": cases, "planned": planned, "unreachable": unreachable, "seed": seed, "seconds": seconds}


def record(section: str, key: str, result: dict[str, Any]) -> None:
    """Adds a result to labelling.json and writes labelling.md again."""
    content: dict[str, Any] = read("labelling")
    result["command"] = spell_command("labelling")
    content.setdefault(section, {})[key] = result
    content["machine"] = {"cores": os.cpu_count(), **find_versions(*PACKAGES)}
    write("labelling", content, render(content))
    print(json.dumps(result))


def render(content: dict[str, Any]) -> str:
    """The results as a page."""
    machine = ", ".join(f"{name} {value}" for name, value in content["machine"].items())
    lines = [
        "# Labelling",
        "",
        f"{machine}. `python -m benchmarks.labelling speed|load|kill|agree` makes this page.",
        "",
    ]
    if "speed" in content:
        lines += [
            "Pairs/s and time include validation and the larger tasks; the peak is the main process and all workers",
            "together; the load average (5 minutes) tells how busy the machine was with other work.",
            "",
            "| family | training pairs | jobs | seconds | CPU seconds | pairs/s | peak MB | disk MB | load average |",
            "|---|---|---|---|---|---|---|---|---|",
        ]
        for row in sorted(content["speed"].values(), key=lambda r: (r["pairs"] // 100_000, r["family"])):
            columns = ("family", "pairs", "jobs", "seconds", "cpu_seconds", "pairs_per_second", "peak_mb", "size_mb")
            lines.append("| " + " | ".join(str(row[c]) for c in (*columns, "load_average")) + " |")
        lines.append("")
    if "load" in content:
        rows = content["load"].items()
        lines += ["Seconds to read a dataset: " + ", ".join(f"{k} {r['seconds']}" for k, r in rows) + ".", ""]
    if "kill" in content:
        row = content["kill"]["kill"]
        lines += [
            f"Killed {row['times']} times with SIGKILL (finished shards at each kill: "
            f"{row['finished_shards_at_each_kill']} of {row['shards']}) and restarted: same checksum "
            f"{row['same_checksum']}, every file the same {row['same_files']}.",
            "",
        ]
    if "agree" in content:
        row = content["agree"]["agree"]
        lines += [
            f"{row['cases']} random small cases (seed {row['seed']}, {row['unreachable']} unreachable, partly or badly "
            f"bound goals included) have the same cost by the state space and by a brute force, and the first "
            f"{row['planned']} also by the optimal planner.",
            "",
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
