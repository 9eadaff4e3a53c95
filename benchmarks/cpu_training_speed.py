"""Samples per second of training on a CPU, side by side: the compiled code and plain PyTorch.

    OMP_WAIT_POLICY=passive python -m benchmarks.cpu_training_speed DATASET...

A step assembles its batch, and changes and averages the weights, as in training. The contenders take turns, so that
what else the machine does falls on all of them. Where that is much, PyTorch's threads get in each other's way unless
they wait passively.
"""

import argparse
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import torch
from benchmarks.results import find_versions, spell_command, write
from benchmarks.training_speed import load_graphs

from skolem.network.config import SKOLEM
from skolem.network.engine.native_engine import VARIANTS, find_best_variant
from skolem.network.engine.native_training import NativeEmbedder
from skolem.network.graphs import Graphs, collate
from skolem.network.rgnn import RGNN
from skolem.training.optimisation import Optimisation, Targets
from skolem.training.recipe import Recipe

LAYERS = (12, 30)
STEPS = 2
"""Steps of every contender in a round."""


@dataclass(frozen=True)
class Contender:
    """A way to train."""

    layers: int
    threads: int
    native: bool


class Training:
    """A network in training by one of the contenders."""

    def __init__(self, contender: Contender, graphs: Graphs, batch: int) -> None:
        torch.manual_seed(0)
        model = RGNN(replace(SKOLEM, layers=contender.layers), graphs.vocabulary)
        if contender.native:
            model.embedder = NativeEmbedder(contender.threads)
        self.contender, self.graphs, self.batch = contender, graphs, batch
        self.optimisation = Optimisation(model, Recipe(batch=batch))
        self.costs = 10 * torch.rand(len(graphs))
        self.order = torch.randperm(len(graphs))
        self.times: list[tuple[float, float]] = []
        self.run(1)

    def run(self, steps: int) -> tuple[float, float]:
        """The wall and the processor seconds of some steps."""
        torch.set_num_threads(1 if self.contender.native else self.contender.threads)
        start, cpu_start = time.perf_counter(), time.process_time()
        for _ in range(steps):
            index, self.order = self.order[: self.batch], self.order.roll(-self.batch)
            self.optimisation.step(collate(self.graphs, index), Targets(self.costs[index]), 1e-3)
        return time.perf_counter() - start, time.process_time() - cpu_start


def measure(name: str, graphs: Graphs, batch: int, rounds: int) -> list[dict[str, Any]]:
    """A row for every contender: samples in a second, in the median and in the best round."""
    trainings = [
        Training(Contender(layers, threads, native), graphs, batch)
        for layers in LAYERS
        for threads in (1, 2)
        for native in (True, False)
    ]
    for _ in range(rounds):
        for training in trainings:
            training.times.append(training.run(STEPS))
    rows = []
    for training in trainings:
        wall, cpu = zip(*training.times, strict=True)
        speeds = {"median": median(wall), "best": min(wall), "per_processor_second": median(cpu)}
        row = {kind: batch * STEPS / seconds for kind, seconds in speeds.items()}
        rows.append({"data": name, "batch": batch, **asdict(training.contender), **row})
        print(rows[-1], flush=True)
    return rows


def write_page(about: dict[str, Any], rows: Sequence[dict[str, Any]]) -> str:
    """All figures as Markdown."""
    lines = [
        "# Training speed on a CPU",
        "",
        f"Training steps of the preset `skolem`, width 32, batches of {rows[0]['batch']}: compiled code "
        f"({about['engine']}) and plain PyTorch {about['torch']} in turns, {about['rounds']} rounds of {STEPS} steps. "
        "The figures are samples for each second of processor time in the median "
        f"round, because the machine had other work to do: its load was {about['load'][0]} at the beginning and "
        f"{about['load'][1]} at the end. Samples per second by the clock are in "
        "[cpu_training_speed.json](cpu_training_speed.json).",
        "",
        "```",
        about["command"],
        "```",
        "",
        "| data | layers | threads | PyTorch | compiled | times |",
        "|---|---|---|---|---|---|",
    ]
    for native, plain in zip(rows[::2], rows[1::2], strict=True):
        one, other = plain["per_processor_second"], native["per_processor_second"]
        cells = (
            native["data"],
            native["layers"],
            native["threads"],
            f"{one:,.0f}",
            f"{other:,.0f}",
            f"{other / one:.1f}",
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measures on all datasets and writes the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="+", type=Path)
    parser.add_argument("--batch", type=int, default=128, help="as `skolem learn` has on a CPU")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--pairs", type=int, default=4096, help="of every dataset")
    given = parser.parse_args()
    load = os.getloadavg()[0]
    rows: list[dict[str, Any]] = []
    for path in given.datasets:
        rows += measure(path.name, load_graphs(path, given.pairs, SKOLEM, 1), given.batch, given.rounds)
    about = {
        "command": f"OMP_WAIT_POLICY=passive {spell_command('cpu_training_speed')}",
        "rounds": given.rounds,
        "engine": VARIANTS[find_best_variant()],
        "load": [round(load, 1), round(os.getloadavg()[0], 1)],
        **find_versions("torch"),
    }
    write("cpu_training_speed", {"about": about, "rows": rows}, write_page(about, rows))


if __name__ == "__main__":
    main()
