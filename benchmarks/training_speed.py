"""Samples per second of training on a GPU, side by side: plain PyTorch, CUDA graphs, torch.compile, fused kernels.

    python -m benchmarks.training_speed DATASET...

Without datasets the graphs are random ones with the sizes of the families. The variants:

    package    the modules of the package pymimir-rgnn (to be installed), batches assembled beforehand
    eager      the plain path: one small network after another, batches assembled beforehand
    graph      the plain path, captured as a CUDA graph and replayed on one batch
    compiled   the same with every layer compiled by torch.compile
    fused      the Triton kernels in a CUDA graph, with the assembly of every batch
    fused-head the same with a head that rates random bindings in a quarter as many more graphs
    replay     the same without the assembly of batches
    loop       the Triton kernels without a CUDA graph, batches assembled beforehand

A variant that fails is recorded with its error, and the others go on.
"""

import argparse
import platform
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from benchmarks.results import write
from tools.check_kernels import draw_graphs, draw_samples
from torch import nn

from skolem.network.config import SKOLEM, NetworkConfig
from skolem.network.graphs import Batch, Graphs, collate
from skolem.network.rgnn import RGNN, Layers, apply_layers, send_messages, split_networks
from skolem.network.vocabulary import Vocabulary
from skolem.oracle.dataset import Relation, ShardReader, read_dataset
from skolem.training.cuda_graph import GraphedOptimisation
from skolem.training.fixed_batches import FixedBatches
from skolem.training.optimisation import Optimisation, Targets
from skolem.training.recipe import Recipe
from skolem.training.samples import encode_pairs

Tensor = torch.Tensor
Step = Callable[[], object]

COLOURS = ("red", "blue", "green", "yellow", "orange", "purple")
FAMILIES: dict[str, tuple[tuple[int, int], dict[str, tuple[int, float]]]] = {
    "blocks": ((4, 10), {"on": (2, 2.8), "clear": (1, 2.5), "ontable": (1, 2.5), "handempty": (0, 3.7)}),
    "visitall": ((8, 20), {"connected": (2, 36.0), "at-robot": (1, 1.0), "visited": (1, 3.4)}),
}
"""Nodes, and atoms of some relations, of graphs that resemble those of a family."""


@dataclass(frozen=True)
class Case:
    """The graphs of a family on the GPU, with made-up costs, and a batch size."""

    graphs: Graphs
    config: NetworkConfig
    batch: int

    def make_model(self) -> RGNN:
        """A network with fresh weights."""
        torch.manual_seed(0)
        return RGNN(self.config, self.graphs.vocabulary).to(self.graphs.nodes.device)

    def make_costs(self) -> Tensor:
        """A cost for every graph."""
        return 10 * torch.rand(len(self.graphs), device=self.graphs.nodes.device)

    def make_batches(self, most: int = 4) -> list[tuple[Batch, Targets]]:
        """Some batches with their targets, the same ones in every run."""
        torch.manual_seed(0)
        costs = self.make_costs()
        whole = len(costs) // self.batch
        indices = torch.randperm(len(costs), device=costs.device)[: whole * self.batch].view(whole, -1)[:most]
        return [(collate(self.graphs, index), Targets(costs[index], index)) for index in indices]


class PlainNetwork(nn.Module):
    """The plain path of a model."""

    def __init__(self, model: RGNN) -> None:
        super().__init__()
        self.model = model

    def forward(self, batch: Batch, pairs: None = None) -> Tensor:
        """The predicted cost of every graph; without a head there are no pairs to rate."""
        return self.model.read(self.model.embed(batch), batch)


def compute_layer(
    f: Tensor, relation: dict[int, list[Layers]], update: Layers, batch: Batch, targets: Tensor, config: NetworkConfig
) -> Tensor:
    """The next embeddings, by operations that torch.compile understands."""
    messages = send_messages(relation, f.index_select(0, targets), batch)
    zeros = torch.zeros_like(f)
    index = targets.unsqueeze(1).expand_as(messages)
    largest = zeros.scatter_reduce(0, index, messages.detach(), "amax", include_self=False)
    terms = torch.exp(config.smoothness * (messages - largest[targets]))
    m = largest + zeros.index_add(0, targets, terms).clamp(min=1).log() / config.smoothness
    change = apply_layers(update, torch.cat([f, m], 1))
    return f + change if config.residual else change


def run_eagerly(case: Case) -> Step:
    """A step by the plain path."""
    model = case.make_model()
    return _go_round(Optimisation(model, Recipe(), PlainNetwork(model)), case)


def run_package(case: Case) -> Step:
    """A step by the modules of pymimir-rgnn."""
    from benchmarks.package_network import PackageNetwork

    torch.manual_seed(0)
    network = PackageNetwork(case.config, case.graphs.vocabulary).to(case.graphs.nodes.device)
    # A step needs no more of a model than to be a module.
    return _go_round(Optimisation(cast(RGNN, network), Recipe()), case)


def run_in_loop(case: Case) -> Step:
    """A step by the fused kernels without a CUDA graph."""
    return _go_round(Optimisation(case.make_model(), Recipe()), case)


def _go_round(optimisation: Optimisation, case: Case) -> Step:
    batches, turn = case.make_batches(), iter(range(10**9))
    return lambda: optimisation.step(*batches[next(turn) % len(batches)], 1e-3)


def run_captured(case: Case, compiled: bool) -> Step:
    """A step by the plain path as a CUDA graph, its layers compiled or not."""
    # What was compiled for other sizes counts towards a limit.
    torch._dynamo.reset()
    layer = torch.compile(compute_layer, dynamic=False, fullgraph=True) if compiled else compute_layer
    ((batch, targets),) = case.make_batches(1)
    model, config = case.make_model(), case.config
    places = batch.targets
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True, capturable=True)

    def step() -> None:
        optimiser.zero_grad(set_to_none=True)
        relation = {int(arity): split_networks(networks) for arity, networks in model.relation.items()}
        (update,) = split_networks(model.update)
        f = update[0].new_zeros(batch.nodes, config.width)
        for _ in range(config.layers):
            f = layer(f, relation, update, batch, places, config)
        loss = nn.functional.mse_loss(model.read(f, batch), targets.costs)
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()

    stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def run_fused(case: Case, assemble: bool, head: bool = False) -> Step:
    """A step by the fused kernels in a CUDA graph, with the assembly of batches or not."""
    samples = draw_samples(case.graphs, len(case.graphs) // 5 if head else 0)
    prepared = FixedBatches(samples.graphs, samples.costs, case.batch, samples.parents)
    model = replace(case, config=replace(case.config, head=head)).make_model()
    optimisation = GraphedOptimisation(model, Recipe(), prepared)
    turn = iter(range(10**9))

    def shuffle() -> None:
        device, batches, drawn = case.graphs.nodes.device, len(samples) // case.batch, None
        if samples.parents:
            drawn = samples.parents.draw(batches * (case.batch // 4), 0).view(batches, -1).to(device)
        prepared.shuffle(torch.randperm(len(samples), device=device), drawn)

    def step() -> None:
        place = next(turn) % len(prepared)
        if assemble and place == 0:
            shuffle()
        optimisation.play(place, 1e-3)

    shuffle()
    return step


VARIANTS: dict[str, Callable[[Case], Step]] = {
    "fused": lambda case: run_fused(case, assemble=True),
    "fused-head": lambda case: run_fused(case, assemble=True, head=True),
    "replay": lambda case: run_fused(case, assemble=False),
    "loop": run_in_loop,
    "package": run_package,
    "eager": run_eagerly,
    "graph": lambda case: run_captured(case, compiled=False),
    "compiled": lambda case: run_captured(case, compiled=True),
}


def measure(step: Step, batch: int, seconds: float) -> dict[str, float]:
    """Samples per second and milliseconds per step, after some steps to warm up."""
    for _ in range(4):
        step()
    torch.cuda.synchronize()
    began, steps = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        # A few steps between two looks at the clock, which wait for the GPU.
        for _ in range(4):
            step()
        steps += 4
        torch.cuda.synchronize()
    taken = time.perf_counter() - began
    return {"samples_per_second": batch * steps / taken, "milliseconds": 1000 * taken / steps, "steps": steps}


def load_graphs(path: Path, pairs: int, config: NetworkConfig, jobs: int) -> Graphs:
    """The graphs of some training pairs of a dataset."""
    dataset = read_dataset(path)
    reader = dataset.load("train")
    shard = reader.shard
    kept = np.sort(np.random.default_rng(0).permutation(len(shard.pair_node))[:pairs])
    names = [name for name in vars(shard) if name.startswith("pair_")]
    part = replace(shard, **{name: getattr(shard, name)[kept] for name in names})
    attributes = dataset.attributes if config.attributes == "left-out" else None
    vocabulary = Vocabulary.of(dataset.relations, config.marks, attributes)
    return encode_pairs(ShardReader(reader.relations, part), vocabulary, config.bindings, jobs).graphs


def draw_family(family: str, count: int) -> Graphs:
    """Random graphs with about the sizes of a family's."""
    nodes, atoms = FAMILIES[family]
    relations = [Relation(name, arity, False) for name, (arity, _) in atoms.items()]
    vocabulary = Vocabulary.of([*relations, *(Relation(colour, 1, True) for colour in COLOURS)])
    known = {name: mean for name, (_, mean) in atoms.items()} | {"PossibleBinding": 3.0, "Neq_G": 4.0, "Variable": 1.5}
    return draw_graphs(vocabulary, count, nodes, [known.get(name, 0.6) for name in vocabulary.names])


def main() -> None:
    """Measures all variants and writes the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="*", type=Path)
    parser.add_argument("--batches", type=int, nargs="+", default=[1024, 4096])
    parser.add_argument("--variants", nargs="+", default=list(VARIANTS), choices=list(VARIANTS))
    parser.add_argument("--compiled-batches", type=int, nargs="*", default=[1024], help="compiling takes long")
    parser.add_argument("--seconds", type=float, default=1.5, help="of every measurement")
    parser.add_argument("--pairs", type=int, default=16_384, help="of every dataset")
    parser.add_argument("--layers", type=int, default=SKOLEM.layers)
    parser.add_argument("--jobs", type=int, default=8)
    given = parser.parse_args()
    config = replace(SKOLEM, layers=given.layers)
    results: list[dict[str, Any]] = []
    machine = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "python": platform.python_version()}
    for source in given.datasets or FAMILIES:
        if isinstance(source, Path):
            name, graphs = source.name, load_graphs(source, given.pairs, config, given.jobs)
        else:
            name, graphs = f"random-{source}", draw_family(source, given.pairs)
        graphs = graphs.to("cuda")
        for batch in given.batches:
            for variant in given.variants:
                if variant == "compiled" and batch not in given.compiled_batches:
                    continue
                row: dict[str, Any] = {"data": name, "batch": batch, "variant": variant}
                began = time.perf_counter()
                try:
                    row |= measure(VARIANTS[variant](Case(graphs, config, batch)), batch, given.seconds)
                except Exception:
                    row["error"] = traceback.format_exc()
                row["total_seconds"] = time.perf_counter() - began
                results.append(row)
                shown = row.get("error") or f"{row['samples_per_second']:10.0f} /s {row['milliseconds']:8.2f} ms"
                print(f"{name:16} {batch:5} {variant:10} {shown}  ({row['total_seconds']:.1f} s in all)", flush=True)
                about = {**machine, "layers": config.layers, "width": config.width}
                write("training_speed", {**about, "results": results})
                torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
