"""How long grounding takes with every engine, once the model is loaded: side by side in one process.

python -m benchmarks.engines -o results

Every task has six variables, which are bound in their order by full evaluation of the head's best. The engines take
turns, so that what else the machine does falls on all of them.
"""

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import torch

from skolem.evaluation.test_sets import read_instance
from skolem.families.registry import generate_problem
from skolem.grounding.learned import LearnedGrounder
from skolem.grounding.models import Model, find_model
from skolem.grounding.protocol import Grounding
from skolem.network.engine.native_engine import VARIANTS, NativeEngine, describe_native
from skolem.network.engine.numpy_engine import NumpyEngine
from skolem.network.engine.protocol import Engine
from skolem.network.engine.torch_engine import TorchEngine
from skolem.network.model_folder import load_weights
from skolem.support.files import make_folder, write_text
from skolem.task.model import Task

TASKS = (("blocks", 17), ("gripper", 47), ("delivery", 88), ("visitall", 100), ("visitall", 400))
VARIABLES = 6
Build = Callable[[Model], Engine]


@dataclass(frozen=True)
class Contender:
    """An engine under the name that the report gives it."""

    name: str
    build: Build
    torch_threads: int = 1


def main() -> None:
    """Measures every engine on every task and writes engines.json and engines.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    before = os.getloadavg()
    rows = [row for family, size in TASKS for row in measure_task(family, size, given.rounds, given.seed)]
    about = {
        "command": " ".join(["python", "-m", "benchmarks.engines", *sys.argv[1:]]),
        "rounds": given.rounds,
        "load": [round(before[0], 1), round(os.getloadavg()[0], 1)],
        "python": platform.python_version(),
        "best": describe_native(1),
    }
    make_folder(given.output)
    write_text(given.output / "engines.json", json.dumps({"about": about, "rows": rows}, indent=1) + "\n")
    write_text(given.output / "engines.md", write_report(about, rows))


def list_contenders() -> list[Contender]:
    """All engines: the native one with every instruction set of this processor and with two threads."""

    def build_native(threads: int, variant: int | None) -> Build:
        return lambda model: NativeEngine(*open_network(model), threads, variant)

    names = [describe_native(1, number) for number in range(len(VARIANTS))]
    known = names[: names.index(describe_native(1)) + 1]
    native = [Contender(name, build_native(1, number)) for number, name in enumerate(known)]
    return [
        *native,
        Contender(describe_native(2), build_native(2, None)),
        Contender("NumPy", lambda model: NumpyEngine(*open_network(model))),
        Contender("PyTorch, 1 thread", lambda model: TorchEngine.of(*open_network(model))),
        Contender("PyTorch, 2 threads", lambda model: TorchEngine.of(*open_network(model)), 2),
    ]


def open_network(model: Model) -> tuple[Any, Any, Any]:
    """The shape, the vocabulary and the weights of a model."""
    return model.card.network, model.card.vocabulary, load_weights(model.path, model.card)


def measure_task(family: str, size: int, rounds: int, seed: int) -> list[dict[str, Any]]:
    """One row for every engine: the times of grounding one task, and how far its costs are from the reference's."""
    task = read_instance(generate_problem(family, "lama", seed, 0, size=size, variables=VARIABLES, neq=False))
    model = find_model(task)
    contenders = list_contenders()
    grounders = [make_grounder(model, contender) for contender in contenders]
    found: list[Grounding] = [grounder.ground(task) for grounder in grounders]
    times: list[list[tuple[float, float]]] = [[] for _ in contenders]
    for _ in range(rounds):
        for contender, grounder, own in zip(contenders, grounders, times, strict=True):
            torch.set_num_threads(contender.torch_threads)
            own.append(measure(grounder, task))
    rows = []
    for contender, grounding, own in zip(contenders, found, times, strict=True):
        wall, cpu = zip(*own, strict=True)
        rows.append(
            {
                "family": family,
                "size": size,
                "engine": contender.name,
                "median": median(wall),
                "least": min(wall),
                "cpu_median": median(cpu),
                "cpu_least": min(cpu),
                "same_binding": grounding.binding == found[-1].binding,
                "difference": find_difference(grounding, found[-1]),
            }
        )
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    return rows


def make_grounder(model: Model, contender: Contender) -> LearnedGrounder:
    """The default way to ground, by one engine."""
    rater = model.rater
    return LearnedGrounder(
        contender.build(model),
        scores="both" if model.rates else "full",
        order="fixed",
        rater=contender.build(rater) if rater else None,
    )


def measure(grounder: LearnedGrounder, task: Task) -> tuple[float, float]:
    """The wall and the processor seconds of one grounding."""
    start, cpu_start = time.perf_counter(), time.process_time()
    grounder.ground(task)
    return time.perf_counter() - start, time.process_time() - cpu_start


def find_difference(grounding: Grounding, reference: Grounding) -> float | None:
    """The largest difference between costs of the same choices; None if other choices were made."""
    pairs = [
        (a, b)
        for one, other in zip(grounding.trace, reference.trace, strict=True)
        for a in one.ranked
        for b in other.ranked
        if (a.variable, a.object) == (b.variable, b.object)
    ]
    if grounding.binding != reference.binding:
        return None
    return max(abs(a.value - b.value) for a, b in pairs)


def write_report(about: dict[str, Any], rows: Sequence[dict[str, Any]]) -> str:
    """All figures as Markdown."""
    tasks = list(dict.fromkeys((row["family"], row["size"]) for row in rows))
    lines = [
        "# Engines",
        "",
        f"Load {about['load'][0]} before and {about['load'][1]} after. Made by `{about['command']}`.",
        "",
        f"Milliseconds of grounding one task with {VARIABLES} variables, the model loaded and used before: median / "
        f"minimum of {about['rounds']} runs, in brackets the minimum of processor time. The last column is the largest "
        "difference to a cost that PyTorch predicts, and whether all bindings are the same.",
        "",
        "| engine | " + " | ".join(f"{family} {size}" for family, size in tasks) + " | to PyTorch |",
        "|---|" + "---|" * (len(tasks) + 1),
    ]
    for engine in dict.fromkeys(row["engine"] for row in rows):
        mine = {(row["family"], row["size"]): row for row in rows if row["engine"] == engine}
        cells = [
            f"{1e3 * mine[t]['median']:.0f} / {1e3 * mine[t]['least']:.0f} ({1e3 * mine[t]['cpu_least']:.0f})"
            for t in tasks
        ]
        differences = [row["difference"] for row in mine.values()]
        same = all(row["same_binding"] for row in mine.values())
        shown = f"{max(d for d in differences if d is not None):.0e}, {'same' if same else 'OTHER'} bindings"
        lines.append(f"| {engine} | {' | '.join(cells)} | {shown} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
