"""Compares the fused kernels with the plain network on random graphs: `python -m tools.check_kernels`."""

import argparse
import copy
import sys
import traceback
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import torch

from skolem.network.config import NetworkConfig
from skolem.network.gpu import fused
from skolem.network.graphs import Batch, Graphs
from skolem.network.rgnn import RGNN, BindingPairs
from skolem.network.vocabulary import CONSTANT, Vocabulary
from skolem.oracle.dataset import Relation
from skolem.training.cuda_graph import GraphedOptimisation
from skolem.training.fixed_batches import FixedBatches
from skolem.training.optimisation import Optimisation, assemble, calm_down
from skolem.training.recipe import Recipe
from skolem.training.samples import Parents, Samples

Tensor = torch.Tensor
BOUNDS: dict[fused.Precision, float] = {"ieee": 1e-5, "tf32": 3e-2}
"""The largest relative error, of outputs and of the whole gradient, in each precision."""


def draw_graphs(
    vocabulary: Vocabulary, count: int, nodes: tuple[int, int], means: Sequence[float], seed: int = 0
) -> Graphs:
    """Random graphs with so many nodes and, on average, so many atoms of each relation; every node is a constant."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(nodes[0], nodes[1] + 1, count)
    counts = rng.poisson(np.array(means), (count, len(means)))
    constant = vocabulary.names.index(CONSTANT)
    counts[:, constant] = sizes
    parts = []
    for size, row in zip(sizes, counts, strict=True):
        for number, (atoms, arity) in enumerate(zip(row, vocabulary.arities, strict=True)):
            parts.append(np.arange(size) if number == constant else rng.integers(0, size, atoms * arity))
    args = np.concatenate(parts).astype(np.int16)
    goal = rng.random(int(sizes.sum())) < 0.5
    tensors = (sizes.astype(np.int32), counts.astype(np.int32), args, goal)
    return Graphs.pack(vocabulary, *(torch.from_numpy(t) for t in tensors))


def draw_samples(graphs: Graphs, parents: int = 0, seed: int = 0) -> Samples:
    """The graphs with random costs; so many at the end are parents with up to eight random bindings each."""
    rng = np.random.default_rng(seed)
    device, count = graphs.nodes.device, len(graphs) - parents
    costs = torch.from_numpy(rng.uniform(0, 10, count).astype(np.float32)).to(device)
    reachable = torch.ones(count, dtype=torch.bool, device=device)
    groups = torch.full_like(reachable, -1, dtype=torch.int64)
    samples = Samples(graphs, costs, reachable, torch.zeros_like(reachable), groups)
    if not parents:
        return samples
    counts = rng.integers(1, 9, parents)
    nodes = np.repeat(graphs.nodes[count:].cpu().numpy(), counts)
    bindings = rng.integers(0, nodes, (2, len(nodes)))
    columns = (counts.cumsum() - counts, counts, rng.integers(0, count, len(nodes)), *bindings)
    return replace(samples, parents=Parents(*(torch.from_numpy(column).to(device) for column in columns)))


def compare(
    model: RGNN, batch: Batch, precision: fused.Precision, pairs: BindingPairs | None = None
) -> dict[str, float]:
    """The relative errors of the outputs, of the gradients together, and of the worst single gradient.

    The reference is the plain network in double precision.
    """
    reference = copy.deepcopy(model).double()
    wanted = reference(batch, pairs)
    direction = torch.randn_like(wanted)
    reference.zero_grad()
    torch.autograd.backward((wanted * direction).sum())
    model.zero_grad()
    given = fused.predict(model, batch, precision, pairs)
    torch.autograd.backward((given * direction.to(given.dtype)).sum())
    return {"outputs": _measure(given.detach().double(), wanted.detach()), **_compare_gradients(model, reference)}


def compare_steps(
    model: RGNN, samples: Samples, batch: int, precision: fused.Precision, steps: int
) -> dict[str, float]:
    """The largest relative errors of the losses and of the gradients of training steps on fixed batches.

    The reference is a step of the plain network in double precision from the same weights.
    """
    costs, device = samples.costs, samples.costs.device
    prepared = FixedBatches(samples.graphs, costs, batch, samples.parents)
    order = torch.randperm(len(samples), device=device)
    batches, drawn = len(samples) // batch, None
    if samples.parents:
        drawn = samples.parents.draw(batches * (batch // 4), 0).view(batches, -1).to(device)
    prepared.shuffle(order, drawn)
    model = copy.deepcopy(model)
    calm_down(model, float(costs.mean()))
    reference = copy.deepcopy(model).double()
    replayed, plain = GraphedOptimisation(model, Recipe(), prepared, precision), Optimisation(reference, Recipe())
    errors = []
    for place in (step % batches for step in range(steps)):
        reference.load_state_dict(model.state_dict())
        index = order[place * batch : (place + 1) * batch]
        joined, targets = assemble(samples, costs.double(), index, None if drawn is None else drawn[place])
        wanted, given = float(plain.step(joined, targets, 1e-3)), float(replayed.play(place, 1e-3))
        errors.append({"loss": abs(given - wanted) / wanted, **_compare_gradients(model, reference)})
    # Not by max, which may lose what is no number.
    return {name: float(np.max([each[name] for each in errors])) for name in errors[0]}


def _compare_gradients(model: RGNN, reference: RGNN) -> dict[str, float]:
    """The relative errors of all gradients together, and of the worst single one."""
    pairs = [
        (_flatten(a.grad), _flatten(b.grad)) for a, b in zip(model.parameters(), reference.parameters(), strict=True)
    ]
    return {
        "gradients": _measure(torch.cat([a for a, _ in pairs]), torch.cat([b for _, b in pairs])),
        "worst": max(_measure(a, b) for a, b in pairs if float(b.norm()) > 0),
    }


def _flatten(gradient: Tensor | None) -> Tensor:
    assert gradient is not None
    return gradient.double().reshape(-1)


def _measure(given: Tensor, wanted: Tensor) -> float:
    return float((given - wanted).norm() / wanted.norm())


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the errors of every precision; 1 if any is too large."""
    parser = argparse.ArgumentParser(prog="python -m tools.check_kernels", description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--layers", type=int, default=30)
    parser.add_argument("--graphs", type=int, default=512)
    parser.add_argument("--precisions", nargs="+", default=["tf32", "ieee"], choices=list(BOUNDS))
    given = parser.parse_args(arguments)
    failures = 0
    for residual, ternary, head in ((True, True, False), (False, False, False), (True, False, True)):
        relations = [Relation("p", 1, False), Relation("q", 2, False), Relation("r", 2, True), Relation("s", 0, False)]
        vocabulary = Vocabulary.of([*relations, Relation("t", 3, False)] if ternary else relations)
        # Some relations have no atoms at all.
        means = [(2.0, 9.0, 0.0)[number % 3] for number in range(len(vocabulary.names))]
        graphs = draw_graphs(vocabulary, given.graphs, (3, 12), means).to(given.device)
        samples = draw_samples(graphs, given.graphs // 4 if head else 0)
        torch.manual_seed(0)
        config = NetworkConfig(layers=given.layers, residual=residual, readout="goal" if residual else "sum", head=head)
        model = RGNN(config, vocabulary).to(given.device)
        everything = torch.arange(len(samples), device=given.device)
        parents = torch.arange(len(graphs) - len(samples), device=given.device)
        batch, targets = assemble(samples, samples.costs, everything, parents)
        for precision in given.precisions:
            name = f"{precision}, residual {residual}, ternary {ternary}, head {head}"
            checks = {"kernels": partial(compare, model, batch, precision, targets.pairs)}
            if not ternary and given.device == "cuda":
                checks["8 steps"] = partial(compare_steps, model, samples, len(samples) // 4, precision, 8)
            for check, measure in checks.items():
                try:
                    errors = measure()
                    good = all(error < BOUNDS[precision] for kind, error in errors.items() if kind != "worst")
                    print(f"{name}: {check} {errors} {'ok' if good else 'TOO LARGE'}", flush=True)
                except Exception:
                    good = False
                    print(f"{name}: {check} FAILED\n{traceback.format_exc()}", flush=True)
                failures += not good
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
