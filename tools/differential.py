"""Random ADL tasks through the product, an independent search, Fast Downward and unified-planning: do they agree?

python -m tools.differential --count 100000                 in process: truth, plans, successors, costs, proofs
python -m tools.differential --count 5000 --routes          every route and the other planners, one process each
python -m tools.differential --count 0 --output results     the page and the figures of what is in the store

A run can be stopped at any time and goes on where it was; stores of different seeds are joined by joining their files.
Every disagreement is kept with its files; the exit status is 1 while one of them is not explained by a named defect of
another tool, and the next run over the same seeds looks at such tasks again.
"""

import argparse
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any

from tests.adl.random_tasks import RandomTask, make_task
from tools.differential_checks import Disagreement, compare

from skolem.support.parallel import run_jobs
from tools import differential_checks

STORE = Path("build/differential")
CHUNKS = {"process": 50, "routes": 5}
"""Tasks that are done, and kept, together."""
SLOW_SECONDS = 300

Record = dict[str, Any]
"""What a chunk of tasks gave: counts, and the disagreements."""


def run_chunk(mode: str, seeds: Sequence[int], store: Path) -> Record:
    """The outcome of some tasks; those with disagreements are written to the store."""
    start = sum(os.times()[:4])
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("tasks", "steps", "constructs", "made", "refused")}
    found: list[Record] = []
    for seed in seeds:
        sample = make_task(seed)
        counts["tasks"].update(["all", "unsolvable" if sample.plan is None else "solvable"])
        counts["tasks"]["states"] += len(sample.space.cost)
        counts["steps"]["none" if sample.plan is None else str(len(sample.plan))] += 1
        counts["constructs"].update(sample.constructs)
        disagreements = _compare_in_time(mode, sample, counts)
        if disagreements:
            _write_sample(store / "disagreements" / mode / str(seed), sample, disagreements)
            found += [{"seed": seed, **asdict(d)} for d in disagreements]
    counted = {name: dict(counter) for name, counter in counts.items()}
    # CPU time, that of finished children included.
    seconds = round(sum(os.times()[:4]) - start, 2)
    return {"mode": mode, "seeds": [seeds[0], seeds[-1]], "seconds": seconds, **counted, "disagreements": found}


def _compare_in_time(mode: str, sample: RandomTask, counts: dict[str, Counter[str]]) -> list[Disagreement]:
    if mode == "routes":
        # Fast Downward and unified-planning are needed here only.
        from tools.differential_routes import CHECKS

        from skolem.planning.translator_pool import keep_translators

        keep_translators()
        checks: Sequence[Any] = CHECKS
    else:
        checks = differential_checks.CHECKS
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(SLOW_SECONDS)
    try:
        comparison = compare(sample, checks)
    except TimeoutError:
        return [Disagreement("time", f"slower than {SLOW_SECONDS} s")]
    finally:
        signal.alarm(0)
    if isinstance(comparison, Disagreement):
        return [comparison]
    counts["tasks"]["conjunctive goal"] += comparison.task.goal.outside is None
    counts["made"].update(comparison.made)
    counts["refused"].update(comparison.refused)
    return comparison.disagreements


def _stop(number: int, frame: FrameType | None) -> None:
    raise TimeoutError


def _write_sample(folder: Path, sample: RandomTask, disagreements: Sequence[Disagreement]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "domain.pddl").write_text(sample.domain, encoding="utf-8")
    (folder / "problem.pddl").write_text(sample.problem, encoding="utf-8")
    about = {"seed": sample.seed, "plan": sample.plan, "cost": sample.cost, "found": [asdict(d) for d in disagreements]}
    (folder / "disagreements.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def read_records(store: Path, mode: str) -> list[Record]:
    """The complete records of a store; a last line that was cut off is left out."""
    path = store / f"{mode}.jsonl"
    records: list[Record] = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return records


def list_chunks(mode: str, seed: int, count: int, done: Sequence[Record]) -> Iterator[range]:
    """The chunks that are still to be done, those with disagreements that nothing explains included."""
    known = {tuple(record["seeds"]) for record in done if all(d["defect"] for d in record["disagreements"])}
    for first in range(seed, seed + count, CHUNKS[mode]):
        chunk = range(first, min(first + CHUNKS[mode], seed + count))
        if (chunk[0], chunk[-1]) not in known:
            yield chunk


def run(mode: str, seed: int, count: int, jobs: int, store: Path) -> list[Record]:
    """All records of the store after the tasks of these seeds."""
    store.mkdir(parents=True, exist_ok=True)
    records = read_records(store, mode)
    chunks = list(list_chunks(mode, seed, count, records))
    missing = {(chunk[0], chunk[-1]) for chunk in chunks}
    records = [record for record in records if tuple(record["seeds"]) not in missing]
    # Written again first, so that what follows does not end up behind half a line.
    with (store / f"{mode}.jsonl").open("w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record) + "\n")
        for number, record in enumerate(run_jobs(run_chunk, [(mode, chunk, store) for chunk in chunks], jobs), 1):
            file.write(json.dumps(record) + "\n")
            file.flush()
            records.append(record)
            for d in record["disagreements"]:
                print(f"{d['seed']}: {d['check']}: {d['defect'] or d['detail'][:200]}", file=sys.stderr)
            if sys.stderr.isatty():
                print(f"{number}/{len(chunks)} chunks", end="\r", file=sys.stderr, flush=True)
    return records


def summarise(records: Sequence[Record]) -> Record:
    """The counts of all records together."""
    summary: Record = {}
    for name in ("tasks", "steps", "constructs", "made", "refused"):
        total: Counter[str] = Counter()
        for record in records:
            total.update(record[name])
        summary[name] = dict(sorted(total.items()))
    summary["steps"] = dict(sorted(summary["steps"].items(), key=lambda e: (e[0] == "none", len(e[0]), e[0])))
    found = [d for record in records for d in record["disagreements"]]
    summary["seeds"] = [min(r["seeds"][0] for r in records), max(r["seeds"][1] for r in records)]
    summary["cpu_seconds"] = round(sum(record["seconds"] for record in records), 1)
    summary["explained"] = dict(Counter(d["defect"] for d in found if d["defect"]).most_common())
    summary["unexplained"] = [d for d in found if not d["defect"]]
    return summary


TITLES = {"process": "In process", "routes": "Through every route"}


def write_page(summaries: dict[str, Record]) -> str:
    """The figures as a page."""
    lines = [
        "# Differential testing",
        "",
        "Random ADL tasks (`tests/adl/`), each small enough for an exhaustive search that shares no code with the"
        " product.",
        "Made by `python -m tools.differential`; every task can be drawn again from its seed.",
    ]
    for mode, summary in summaries.items():
        tasks, unexplained = summary["tasks"], summary["unexplained"]
        count = tasks["all"]
        lines += ["", f"## {TITLES[mode]}", ""]
        lines.append(
            f"{count:,} tasks (seeds {summary['seeds'][0]} to {summary['seeds'][1]}),"
            f" {100 * tasks.get('solvable', 0) / count:.1f}% solvable,"
            f" {tasks['states'] / count:.0f} states on average,"
            f" {100 * tasks.get('conjunctive goal', 0) / count:.1f}% with a conjunctive goal."
        )
        explained = sum(summary["explained"].values())
        lines += ["", f"**Disagreements: {len(unexplained)} unexplained, {explained} explained.**", ""]
        lines += [f"- {name}: {number}" for name, number in summary["explained"].items()]
        lines += [f"- unexplained: seed {d['seed']}, {d['check']}" for d in unexplained[:20]]
        steps = {k: v for k, v in summary["steps"].items() if k != "none"}
        lines += ["", "| steps of a cheapest plan | " + " | ".join(steps) + " | none |"]
        lines.append("|---" * (len(steps) + 2) + "|")
        lines.append("| tasks | " + " | ".join(map(str, steps.values())) + f" | {summary['steps'].get('none', 0)} |")
        for title, name in (("compared", "made"), ("not taken", "refused"), ("constructs", "constructs")):
            lines += ["", f"| {title} | number |", "|---|---|"]
            lines += [f"| {what} | {number:,} |" for what, number in summary[name].items()]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 0 if nothing is unexplained."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="how many tasks")
    parser.add_argument("--seed", type=int, default=0, help="the first one's seed")
    parser.add_argument("--routes", action="store_true", help="every route and other planners instead of this process")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--store", type=Path, default=STORE, help="where tasks that were done are kept")
    parser.add_argument("--output", type=Path, help="a folder for differential.json and differential.md")
    options = parser.parse_args(arguments)
    mode = "routes" if options.routes else "process"
    run(mode, options.seed, options.count, options.jobs, options.store)
    stored = {mode: read_records(options.store, mode) for mode in CHUNKS}
    summaries = {mode: summarise(records) for mode, records in stored.items() if records}
    if options.output is not None:
        options.output.mkdir(parents=True, exist_ok=True)
        kept = {m: {**s, "unexplained": s["unexplained"][:50]} for m, s in summaries.items()}
        (options.output / "differential.json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        (options.output / "differential.md").write_text(write_page(summaries), encoding="utf-8")
    for name, summary in summaries.items():
        checks = Counter(d["check"] for d in summary["unexplained"])
        print(json.dumps({"mode": name, **summary["tasks"], "explained": summary["explained"], "unexplained": checks}))
    return 1 if any(summary["unexplained"] for summary in summaries.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
