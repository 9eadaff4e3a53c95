"""Whether the engines ground as the reference does, over generated tasks of all families and settings.

python -m tools.compare_engines --tasks 1000 -o results

A task is grounded in one of six ways in turn: greedily in the best and in the fixed order, by full evaluation, and
where the model has a rater by its head and by both; by a beam; and by the paper's model. For every tenth task the
policy's plans are compared too.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

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
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    rng, start = Random(given.seed), time.monotonic()
    counts: dict[str, dict[str, Any]] = {kind: {"bindings": 0, "plans": 0, "largest": 0.0} for kind in KINDS}
    differing: list[dict[str, Any]] = []
    ways: dict[str, int] = {}
    for number in range(given.tasks):
        family = list(SIZES)[number % len(SIZES)]
        neq, size, variables = rng.random() < 0.5, rng.randint(*SIZES[family]), rng.randint(1, 6)
        task = read_instance(
            generate_problem(family, "lama", given.seed, number, size=size, variables=variables, neq=neq)
        )
        possible = [way for way in WAYS if not way.rated or find_model(task, MODELS).rater is not None]
        way = possible[number // len(SIZES) % len(possible)]
        ways[way.name] = ways.get(way.name, 0) + 1
        wanted = way.make("torch", task).ground(task)
        for kind in KINDS:
            found = way.make(kind, task).ground(task)
            apart = measure_distance(found, wanted)
            counts[kind]["bindings"] += found.binding == wanted.binding
            counts[kind]["largest"] = max(counts[kind]["largest"], apart)
            if found.binding != wanted.binding or apart > MOST_APART:
                differing.append({"kind": kind, "task": number, "family": family, "way": way.name, "apart": apart})
            if number % 10 == 0 and wanted.binding is not None:
                plans = [follow_policy(load(MODELS, k, task), task, wanted.binding, NO_LIMITS) for k in (kind, "torch")]
                counts[kind]["plans"] += plans[0].plan == plans[1].plan
                if plans[0].plan != plans[1].plan:
                    differing.append({"kind": kind, "task": number, "family": family, "way": "policy"})
        if number % 50 == 49:
            print(f"{number + 1} tasks, {time.monotonic() - start:.0f} s, {len(differing)} differ", file=sys.stderr)
    content = {"tasks": given.tasks, "seed": given.seed, "ways": ways, "same": counts, "differing": differing}
    make_folder(given.output)
    write_text(given.output / "engine_agreement.json", json.dumps(content, indent=1) + "\n")
    return 1 if differing else 0


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
