"""How far the learned bindings reach beyond what was trained: attributes, distances, mazes, negation, large tasks.

    python -m benchmarks.reach [--model FAMILY=FOLDER ...] [--part NAME ...] [--jobs N] -o results

Parts: attributes, distance, mazes, below-zero, negated, scale. Without `--model` the shipped models are measured. An
interrupted run is continued: what was found is kept in OUTPUT/stores/reach.jsonl, by the checksum of the model's
weights. Written after every part: OUTPUT/reach.json and OUTPUT/reach.md.
"""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.reach_measures import Job, measure
from benchmarks.reach_page import summarise, write_page
from benchmarks.reach_scale import list_specs
from benchmarks.reach_tasks import LONGEST, MAZE_SIZES, SHAPES, list_pairs
from benchmarks.results import RESULTS, find_versions

from skolem.evaluation.routes import Spec
from skolem.evaluation.store import Record, Runner, Store
from skolem.evaluation.test_sets import read_instance
from skolem.families.registry import FAMILIES
from skolem.grounding.models import MODELS, find_model, open_named
from skolem.planning.translator_pool import keep_translator
from skolem.support.files import make_folder, write_text

PARTS = ("attributes", "distance", "mazes", "below-zero", "negated", "scale")
PACKAGES = ("skolem", "up-fast-downward", "numpy")
VERSION = 2
"""Part of every key: raised when tasks are drawn, or bindings judged, in another way."""
ODD_SHARE = 5
"""How many times more odd tasks than others are drawn: one value in a thousand is only seen among thousands."""
SAY_SECONDS = 20.0
"""How long nothing is said at most, unless a single task takes longer."""


def main() -> None:
    """Measures the parts one after another, and writes the figures and their page after each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", action="append", default=[], metavar="FAMILY=FOLDER", type=parse_model)
    parser.add_argument("--part", action="append", choices=PARTS, help="only these parts (default all)")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--count", type=int, default=100, help="tasks of every row that are drawn (default 100)")
    parser.add_argument("--scale-count", type=int, default=3, help="tasks of every size and number of variables")
    parser.add_argument("--seconds", type=float, default=10.0, help="of every optimal search in scale (default 10)")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    given = parser.parse_args()
    models = {name: MODELS / name for name in FAMILIES} | dict(given.model)
    make_folder(given.output / "stores")
    runner = Runner(Store(given.output / "stores" / "reach.jsonl"), given.jobs)
    with keep_translator():
        for part in given.part or PARTS:
            count, seconds = given.scale_count if part == "scale" else given.count, given.seconds
            jobs = list_jobs(part, models, count, seconds)
            records = run(part, jobs, runner)
            rows = summarise(part, [(j.family, j.group, r) for j, r in zip(jobs, records, strict=True)])
            found = {
                "command": " ".join(["python -m benchmarks.reach --part", part, *spell_options(part, count, seconds)]),
                "models": {job.family: identify(job.model) for job in jobs},
                "versions": find_versions(*PACKAGES),
                "rows": rows,
            }
            save(given.output, part, found)
            print(f"{part}: {describe_verdicts(rows)}", flush=True)


def spell_options(part: str, count: int, seconds: float) -> list[str]:
    """The options that decide what a part measures, besides the models."""
    if part == "scale":
        return ["--scale-count", str(count), "--seconds", f"{seconds:g}"]
    return [] if part == "distance" else ["--count", str(count)]


def parse_model(text: str) -> tuple[str, Path]:
    """A family and the folder of its model."""
    family, _, folder = text.partition("=")
    if family not in FAMILIES or not folder:
        raise argparse.ArgumentTypeError(f"expected FAMILY=FOLDER with one of {', '.join(FAMILIES)}")
    return family, Path(folder)


def identify(model: Path) -> str:
    """A short checksum of a model's weights."""
    return open_named(model).identify(rated=False)


def list_jobs(part: str, models: Mapping[str, Path], count: int, seconds: float = 10.0) -> list[Job]:
    """The tasks of a part."""
    if part == "distance":
        return [Job(part, f, models[f], 0, pair.shape, pair) for f in LONGEST for pair in list_pairs(f)]
    if part == "mazes":
        return [Job(part, f, models[f], i, shape) for f in MAZE_SIZES for shape in SHAPES for i in range(count)]
    if part == "scale":
        return [
            Job(part, spec.family, choose_model(models[spec.family], spec), spec.index, group, spec, seconds)
            for group, spec in list_specs(count)
        ]
    if part == "below-zero":
        count *= ODD_SHARE
    return [Job(part, family, models[family], i) for family in FAMILIES for i in range(count)]


def choose_model(given: Path, spec: Spec) -> Path:
    """The model for a large task: of the shipped ones that which is found for it, otherwise the one that is given."""
    return find_model(read_instance(spec.make()), MODELS).path if given.parent == MODELS else given


def run(part: str, jobs: Sequence[Job], runner: Runner) -> list[Record]:
    """The records of the jobs; what is known is not measured again."""
    started = said = time.monotonic()

    def report(done: int) -> None:
        nonlocal said
        now = time.monotonic()
        if now - said > SAY_SECONDS or done == len(jobs):
            said = now
            print(f"{part}: {done} of {len(jobs)}, {now - started:.0f} s", flush=True)

    ids = {folder: identify(folder) for folder in {job.model for job in jobs}}
    work = [(f"{job.name}/{ids[job.model]}/{VERSION}", job) for job in jobs]
    return runner.run(measure, work, report)


def save(output: Path, part: str, found: Mapping[str, Any]) -> None:
    """Writes the figures of one part beside those of the others."""
    path = output / "reach.json"
    parts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    parts = {name: found if name == part else parts[name] for name in PARTS if name == part or name in parts}
    write_text(path, json.dumps(parts, indent=1) + "\n")
    write_text(output / "reach.md", write_page(parts))


def describe_verdicts(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many rows are as asked, and which are not."""
    failed = [f"{row['family']} {row['row']}".strip() for row in rows if row["ok"] is False]
    judged = sum(row["ok"] is not None for row in rows)
    return f"{judged - len(failed)} of {judged} rows as asked" + (f"; not: {', '.join(failed)}" if failed else "")


if __name__ == "__main__":
    main()
