"""Whether the engines ground as the reference does, over generated tasks of all families and settings.

python -m tools.compare_engines --tasks 1000 -o results

A task is grounded in one of six ways in turn: greedily in the best and in the fixed order, by full evaluation, and
where the model has a rater by its head and by both; by a beam; and by the paper's model. For every tenth task the
policy's plans are compared too. A run can be stopped at any time and goes on where it was.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

from skolem.evaluation.store import Record, Runner, Store
from skolem.evaluation.test_sets import read_instance
from skolem.families.registry import generate_problem
from skolem.grounding.learned import LearnedGrounder
from skolem.grounding.models import MODELS, PAPER_MODELS, find_model, open_model
from skolem.grounding.policy import follow_policy
from skolem.grounding.protocol import Grounding
from skolem.network.engine.choice import Kind, build_engine
from skolem.network.engine.protocol import Engine
from skolem.network.model_folder import load_card, load_weights
from skolem.planning.limits import NO_LIMITS
from skolem.support.files import make_folder, write_text
from skolem.task.model import Task

SIZES = {"blocks": (9, 17), "blocks-c": (9, 17), "gripper": (15, 47), "delivery": (31, 60), "visitall": (25, 64)}
KINDS: tuple[Kind, ...] = ("native", "numpy")
MOST_APART = 1e-3


@dataclass(frozen=True)
class Way:
    """A way to ground with the networks of one engine."""

    name: str
    make: Callable[[Kind, Task], LearnedGrounder]
    rated: bool = False
    """Whether it takes a model with a rater."""


def main() -> int:
    """Compares and writes engine_agreement.json; returns 1 if an engine differs anywhere."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    start = time.monotonic()

    def report(done: int) -> None:
        if done % 50 == 0:
            print(f"{done} tasks, {time.monotonic() - start:.0f} s", file=sys.stderr)

    runner = Runner(Store(given.output / "stores" / "engine_agreement.jsonl"), given.jobs, "spawn")
    work = [(f"{given.seed}/{number}", (given.seed, number)) for number in range(given.tasks)]
    content = {"tasks": given.tasks, "seed": given.seed, **summarise(runner.run(compare, work, report))}
    make_folder(given.output)
    write_text(given.output / "engine_agreement.json", json.dumps(content, indent=1) + "\n")
    return 1 if content["differing"] else 0


def compare(place: tuple[int, int]) -> Record:
    """What the engines find for the task with this seed and number, beside the reference."""
    seed, number = place
    # Every task has a stream of its own, so that they may be done in any order.
    rng = Random(f"{seed} {number}")
    family = list(SIZES)[number % len(SIZES)]
    neq, size, variables = rng.random() < 0.5, rng.randint(*SIZES[family]), rng.randint(1, 6)
    task = read_instance(generate_problem(family, "lama", seed, number, size=size, variables=variables, neq=neq))
    possible = [way for way in WAYS if not way.rated or find_model(task, MODELS).rater is not None]
    way = possible[number // len(SIZES) % len(possible)]
    wanted = way.make("torch", task).ground(task)
    engines: dict[str, Record] = {}
    for kind in KINDS:
        found = way.make(kind, task).ground(task)
        engines[kind] = {"same": found.binding == wanted.binding, "apart": measure_distance(found, wanted)}
        if number % 10 == 0 and wanted.binding is not None:
            plans = [follow_policy(load(MODELS, k, task), task, wanted.binding, NO_LIMITS) for k in (kind, "torch")]
            engines[kind]["same_plan"] = plans[0].plan == plans[1].plan
    return {"task": number, "family": family, "way": way.name, "engines": engines}


def summarise(records: Sequence[Record]) -> Record:
    """How often each engine found the same, and where it did not."""
    same: dict[str, Record] = {}
    differing: list[Record] = []
    for kind in KINDS:
        found = [(record, record["engines"][kind]) for record in records]
        same[kind] = {
            "bindings": sum(own["same"] for _, own in found),
            "plans": sum(own.get("same_plan", False) for _, own in found),
            "largest": max((own["apart"] for _, own in found), default=0.0),
        }
        for record, own in found:
            at = {"kind": kind, "task": record["task"], "family": record["family"]}
            if not own["same"] or own["apart"] > MOST_APART:
                differing.append({**at, "way": record["way"], "apart": own["apart"]})
            if not own.get("same_plan", True):
                differing.append({**at, "way": "policy"})
    return {"ways": Counter(record["way"] for record in records), "same": same, "differing": differing}


@lru_cache(maxsize=64)
def build(path: Path, kind: Kind) -> Engine:
    """The network in a folder, run by an engine."""
    card = load_card(path)
    return build_engine(kind, card.network, card.vocabulary, load_weights(path, card))


def load(folder: Path, kind: Kind, task: Task) -> Engine:
    """The network that fits a task."""
    return build(find_model(task, folder).path, kind)


def load_rater(kind: Kind, task: Task) -> Engine:
    """The network that rates for it."""
    return build(open_model(find_model(task, MODELS).path / "rater").path, kind)


WAYS = (
    Way("full, best order", lambda kind, task: LearnedGrounder(load(MODELS, kind, task))),
    Way("full, fixed order", lambda kind, task: LearnedGrounder(load(MODELS, kind, task), order="fixed")),
    Way(
        "both, fixed order",
        lambda kind, task: LearnedGrounder(
            load(MODELS, kind, task), scores="both", order="fixed", rater=load_rater(kind, task)
        ),
        rated=True,
    ),
    Way("head, best order", lambda kind, task: LearnedGrounder(load_rater(kind, task), scores="head"), rated=True),
    Way("beam of 4", lambda kind, task: LearnedGrounder(load(MODELS, kind, task), "beam", width=4, order="fixed")),
    Way(
        "paper, fixed order",
        lambda kind, task: LearnedGrounder(load(PAPER_MODELS, kind, task), candidates="all", order="fixed"),
    ),
)


def measure_distance(found: Grounding, wanted: Grounding) -> float:
    """The largest difference between costs of the same choices."""
    apart = [0.0]
    for step, other in zip(found.trace, wanted.trace, strict=False):
        costs = {(c.variable, c.object): c.value for c in other.ranked}
        apart += [abs(c.value - costs[c.variable, c.object]) for c in step.ranked if (c.variable, c.object) in costs]
    return max(apart)


if __name__ == "__main__":
    sys.exit(main())
