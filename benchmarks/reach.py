"""How far the learned bindings reach beyond what was trained: attributes, distances, mazes, negation, large tasks.

    python -m benchmarks.reach [--model FAMILY=FOLDER ...] [--part NAME ...] [--jobs N] -o results

Parts: attributes, distance, mazes, below-zero, negated, scale. Without `--model` the shipped models are measured. An
interrupted run is continued: what was found is kept in OUTPUT/stores/reach.jsonl, by the checksum of the model's
weights. Written after every part: OUTPUT/reach.json and OUTPUT/reach.md.
"""

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmarks.reach_attributes import Texts, draw_changes
from benchmarks.reach_page import summarise, write_page
from benchmarks.reach_scale import list_specs, measure_scale
from benchmarks.reach_tasks import (
    LONGEST,
    MAZE_SIZES,
    SHAPES,
    Pair,
    draw_maze,
    draw_negated,
    draw_odd,
    list_pairs,
    read_texts,
)
from benchmarks.results import RESULTS, find_versions

from skolem.evaluation.routes import Spec
from skolem.evaluation.store import Record, Runner, Store
from skolem.evaluation.test_sets import find_exact_cost, open_oracle
from skolem.families.registry import FAMILIES, open_stream
from skolem.grounding.models import MODELS, open_named
from skolem.network.decoding import Decision, Problem, list_choices
from skolem.network.encoding import StateEncoder
from skolem.planning.translator_pool import keep_translator
from skolem.request import Request
from skolem.solve import ground
from skolem.support.errors import LimitError, SkolemError
from skolem.support.files import make_folder, write_text
from skolem.task.constraints.candidates import solve_static
from skolem.task.constraints.relations_index import index_relations
from skolem.task.goal_normal_form import list_alternatives
from skolem.task.query import Query

PARTS = ("attributes", "distance", "mazes", "below-zero", "negated", "scale")
PACKAGES = ("skolem", "up-fast-downward", "numpy")
VERSION = 1
"""Part of every key: raised when tasks are drawn, or bindings judged, in another way."""
ODD_SHARE = 5
"""How many times more odd tasks than others are drawn: one value in a thousand is only seen among thousands."""
SAY_SECONDS = 20.0
"""How long nothing is said at most, unless a single task takes longer."""


@dataclass(frozen=True)
class Job:
    """One task of a part, and the model that is to bind it."""

    part: str
    family: str
    model: Path
    index: int
    group: str = ""
    """The row of the part's table that it belongs to, beside the family."""
    subject: Pair | Spec | None = field(default=None, repr=False)
    """The task, where it is not drawn."""
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """What tells the job from all others of its model."""
        subject = f"/{self.subject.name}" if isinstance(self.subject, Pair) else ""
        limit = f"/{self.seconds:g}s" if self.seconds else ""
        return f"{self.part}/{self.family}/{self.group}/{self.index}{subject}{limit}"


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
                "models": {name: identify(models[name]) for name in FAMILIES if any(j.family == name for j in jobs)},
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
            Job(part, spec.family, models[spec.family], spec.index, group, spec, seconds)
            for group, spec in list_specs(count)
        ]
    if part == "below-zero":
        count *= ODD_SHARE
    return [Job(part, family, models[family], i) for family in FAMILIES for i in range(count)]


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


def measure(job: Job) -> Record:
    """The record of a job."""
    return MEASURES[job.part](job)


def measure_attributes(job: Job) -> Record:
    """One layout with the usual colours and with every change; sizes are those of the optimal sets."""
    family = FAMILIES[job.family]
    rng = open_stream("reach", job.part, job.family, job.index)
    size = rng.choice(list(family.sizes["optimal"]))
    variables = rng.randint(1, min(4, family.most_variables(size)))
    layout = family.sample_layout(rng, size, variables)
    changes = draw_changes(rng, family, layout, variables, neq=job.index % 2 == 1)
    return {each.change: judge(each.texts, each.plain, job.model) for each in changes}


def measure_distance(job: Job) -> Record:
    """Which of two objects is chosen, and the two predicted values."""
    pair = job.subject
    assert isinstance(pair, Pair)
    found = ground(read_texts(pair.texts), Request("learned", model=job.model))
    values = {choice.object: round(choice.value, 3) for choice in found.trace[0].ranked}
    assert found.binding is not None
    chosen = found.binding["?x"]
    return {
        "place": pair.place,
        "rooms": pair.rooms,
        "turned": pair.turned,
        "cost": pair.cost,
        "right": chosen == pair.near,
        "near": values[pair.near],
        "far": values[pair.far],
    }


def measure_maze(job: Job) -> Record:
    """One maze or walled grid."""
    texts = draw_maze(open_stream("reach", job.part, job.family, job.group, job.index), job.family, job.group)
    return judge(texts, texts, job.model)


def measure_negated(job: Job) -> Record:
    """One task with negated literals that can be reached."""
    rng = open_stream("reach", job.part, job.family, job.index)
    while True:
        texts = draw_negated(rng, job.family)
        # A planner would search for long where a goal cannot be reached.
        if find_cost(texts, in_space=True) is not None:
            return judge(texts, texts, job.model, in_space=True)


def measure_below_zero(job: Job) -> Record:
    """How many raw predictions of a goal and of all its bindings of one variable there are, and how many below zero."""
    task = read_texts(draw_odd(open_stream("reach", job.part, job.family, job.index), job.family))
    engine = open_named(job.model).load()
    statics = index_relations(task.statics, len(task.objects))
    encoder = StateEncoder(engine.vocabulary, task.init, statics, engine.config.bindings)
    problem = Problem(encoder, task.query)
    step = Decision(problem, task.query, list_choices(problem, task.query, "static", False))
    # The goal is false at the start, so that none of its bindings is satisfied either.
    values = engine.predict([step.encode(), step.encode_choices(range(len(step.choices)))])
    return {"predictions": len(values), "below": sum(v < 0 for v in values), "least": round(min(values), 3)}


def measure_large(job: Job) -> Record:
    """One task of the scaling series."""
    assert isinstance(job.subject, Spec)
    return measure_scale(job.subject, job.model, job.seconds)


MEASURES: Mapping[str, Callable[[Job], Record]] = {
    "attributes": measure_attributes,
    "distance": measure_distance,
    "mazes": measure_maze,
    "below-zero": measure_below_zero,
    "negated": measure_negated,
    "scale": measure_large,
}


def judge(texts: Texts, plain: Texts, model: Path, in_space: bool = False) -> Record:
    """The cost of the greedy learned binding of a task and V*, both found in the plain words of the same task."""
    task = read_texts(texts)
    record: Record = {"v_star": None, "cost": None, "fits": open_named(model).fits(task)}
    try:
        grounding = ground(task, Request("learned", model=model))
    except SkolemError as error:
        return {**record, "v_star": find_cost(plain, in_space=in_space), "reason": error.message}
    if grounding.residual is not None:
        record["residual"] = grounding.residual
    try:
        binding = tuple(sorted((grounding.binding or {}).items()))
        cost = find_cost(plain, binding, in_space) if binding else None
        return {**record, "v_star": find_cost(plain, in_space=in_space), "cost": cost}
    except LimitError as error:
        return {**record, "reason": error.message}


@lru_cache(maxsize=64)
def find_cost(texts: Texts, binding: tuple[tuple[str, str], ...] = (), in_space: bool = False) -> int | None:
    """The exact cost of a task's goal, or of it with variables bound; None if that cannot be reached.

    `in_space` finds it over all states.
    """
    # A goal with negated literals is read as what it is resolved into.
    (task,) = list_alternatives(read_texts(texts))
    query: Query = task.query
    names = [variable.name for variable in task.goal.variables]
    for variable, chosen in binding:
        query = query.bind(names.index(variable), task.index[chosen])
    if solve_static(query, task.statics, len(task.objects)) is None:
        return None
    return open_oracle().find_cost_in_space(task, query).cost if in_space else find_exact_cost(task, query)


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
