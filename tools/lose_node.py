"""Labels and evaluates on two Ray nodes of this machine, kills one of them in the middle, and compares the results.

Run from the root of the repository, with the extras `cluster` and `evaluate`: `python -m tools.lose_node`. Each command
is run once in one process and once on the nodes; the node that is killed has half of the workers. A dataset must have
the same bytes, a store the same records but for times, and standard output must hold the answer alone. What was found
goes to results/lose_node.json.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ray
from ray.cluster_utils import Cluster
from tools.kill_work import read_store

ROOT = Path(__file__).parent.parent
FAMILY, PAIRS, INSTANCES = "visitall", 60_000, 40
WORKERS = 2
"""On each of the nodes."""
PATIENCE_SECONDS = 300.0


def label(folder: Path) -> list[str]:
    """The command that writes a dataset."""
    return ["label", FAMILY, "--preset", "paper", "--pairs", str(PAIRS), "-o", str(folder / "dataset")]


def count_shards(folder: Path) -> int:
    """How many shards are finished."""
    return len(list((folder / "dataset").glob("*.npz")))


def read_files(folder: Path) -> dict[str, Any]:
    """The bytes of every file."""
    return {path.name: path.read_bytes() for path in sorted((folder / "dataset").iterdir())}


def evaluate(folder: Path) -> list[str]:
    """The command that measures a grounder."""
    words = ["evaluate", "optimal", "--family", FAMILY, "--no-neq", "--grounder", "random-valid"]
    return [*words, "--count", str(INSTANCES), "--store", str(folder / "store.jsonl")]


def count_records(folder: Path) -> int:
    """How many records there are."""
    path = folder / "store.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def read_records(folder: Path) -> dict[str, Any]:
    """The records by their keys, but for the one that says how many workers there were."""
    return {key: record for key, record in read_store(folder).items() if not key.startswith("environment/")}


def run_whole(words: Sequence[str]) -> Any:
    """The answer of a command in one process."""
    command = [sys.executable, "-m", "skolem.cli", *words, "--jobs", "1", "--json", "--quiet"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def run_on_nodes(words: Sequence[str], is_halfway: Callable[[], bool]) -> dict[str, Any]:
    """What a command says on two nodes, one of which is killed as soon as that is halfway."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": WORKERS, "include_dashboard": False})
    try:
        lost = cluster.add_node(num_cpus=WORKERS)
        cluster.wait_for_nodes()
        workers = ["--jobs", str(2 * WORKERS), "--backend", "ray"]
        process = subprocess.Popen(
            [sys.executable, "-m", "skolem.cli", *words, *workers, "--json", "--quiet"],
            env={**os.environ, "RAY_ADDRESS": cluster.address},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not is_halfway() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        running = process.poll() is None
        cluster.remove_node(lost, allow_graceful=False)
        output, errors = process.communicate()
    finally:
        cluster.shutdown()
    return {
        "killed_while_running": running,
        "code": process.returncode,
        "answer": json.loads(output),
        "lines_on_standard_output": len(output.splitlines()),
        "tasks_retried": errors.count("so the task will be retried"),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs both commands, writes what was found, and fails if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "results" / "lose_node.json")
    given = parser.parse_args(arguments)
    found: dict[str, Any] = {"ray": ray.__version__, "nodes": 2, "workers_on_each": WORKERS}
    for command, count, read in ((label, count_shards, read_files), (evaluate, count_records, read_records)):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as many:
            answer = run_whole(command(Path(one)))
            half = count(Path(one)) // 2
            run = run_on_nodes(command(Path(many)), lambda: count(Path(many)) >= half)  # noqa: B023
            expected, other = read(Path(one)), read(Path(many))
            different = [name for name in expected | other if expected.get(name) != other.get(name)]
            same = run.pop("answer") == answer
            found[command.__name__] = {**run, "compared": len(expected), "different": different, "same_answer": same}
        print(json.dumps(found), flush=True)
    given.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    runs = [found["label"], found["evaluate"]]
    return int(any(run["different"] or run["code"] or not run["same_answer"] for run in runs))


if __name__ == "__main__":
    sys.exit(main())
