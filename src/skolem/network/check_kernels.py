"""Compares the fused kernels with the plain network on random graphs: `python -m skolem.network.check_kernels`."""

import argparse
import sys
import traceback
from collections.abc import Sequence

import numpy as np
import torch

from skolem.dataset import Relation
from skolem.network import fused
from skolem.network.deck import Deck
from skolem.network.graphs import Batch, Graphs, collate
from skolem.network.optimisation import Optimisation, Targets
from skolem.network.recipe import Recipe
from skolem.network.replay import ReplayedOptimisation
from skolem.network.rgnn import RGNN, NetworkConfig, Pairs
from skolem.network.samples import Parents
from skolem.network.vocabulary import CONSTANT, Vocabulary

Tensor = torch.Tensor
BOUNDS: dict[fused.Precision, float] = {"ieee": 1e-5, "tf32": 3e-2, "bf16": 3e-1}
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


def draw_parents(graphs: Graphs, samples: int, seed: int = 0) -> Parents:
    """Up to eight random bindings in each of the graphs after the samples; their results are any of the samples."""
    rng = np.random.default_rng(seed)
    nodes = graphs.nodes[samples:].cpu().numpy()
    counts = rng.integers(1, 9, len(nodes))
    ends = np.repeat(nodes, counts)
    columns = (counts.cumsum() - counts, counts, rng.integers(0, samples, len(ends)), *rng.integers(0, ends, (2, len(ends))))
    return Parents(*(torch.from_numpy(column).to(graphs.nodes.device) for column in columns))


def compare(
    model: RGNN, batch: Batch, precision: fused.Precision, pairs: Pairs | None = None
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
    model: RGNN, graphs: Graphs, batch: int, precision: fused.Precision, steps: int, parents: Parents | None = None
) -> dict[str, float]:
    """The largest relative errors of the losses and of the gradients of training steps on cards, if there are parents
    with a quarter as many of them in each batch.

    The reference is a step of the plain network in double precision from the same weights.
    """
    device, samples = graphs.nodes.device, len(graphs) - len(parents or ())
    costs = 10 * torch.rand(samples, device=device)
    deck = Deck(graphs, costs, batch, parents)
    order = torch.randperm(samples, device=device)
    drawn = None if parents is None else parents.draw(samples // 4, 0)[: samples // batch * (batch // 4)].view(-1, batch // 4).to(device)
    deck.shuffle(order, drawn)
    model, reference = copy.deepcopy(model), copy.deepcopy(model).double()
    replayed, plain = ReplayedOptimisation(model, Recipe(), deck, precision), Optimisation(reference, Recipe())
    worst: dict[str, float] = {}
    for place in (step % len(deck) for step in range(steps)):
        reference.load_state_dict(model.state_dict())
        index = order[place * batch : (place + 1) * batch]
        targets = Targets(costs[index].double(), index)
        if parents is None or drawn is None:
            joined = collate(graphs, index)
        else:
            joined = collate(graphs, torch.cat([index, drawn[place] + samples]))
            owners = torch.arange(batch, joined.graphs, device=device)
            pairs, results = parents.list_pairs(drawn[place], owners, joined.start[batch:])
            targets = replace(targets, pairs=pairs, pair_costs=costs[results].double())
        wanted, given = float(plain.step(joined, targets, 1e-3)), float(replayed.play(place, 1e-3))
        errors = {"loss": abs(given - wanted) / wanted, **_compare_gradients(model, reference)}
        worst = {name: max(error, worst.get(name, 0.0)) for name, error in errors.items()}
    return worst


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
    parser = argparse.ArgumentParser(prog="python -m skolem.network.check_kernels", description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--layers", type=int, default=30)
    parser.add_argument("--graphs", type=int, default=512)
    parser.add_argument("--precisions", nargs="+", default=["tf32", "ieee", "bf16"], choices=list(BOUNDS))
    given = parser.parse_args(arguments)
    failures = 0
    for residual, ternary in ((True, True), (False, False)):
        relations = [Relation("p", 1, False), Relation("q", 2, False), Relation("r", 2, True), Relation("s", 0, False)]
        vocabulary = Vocabulary.of([*relations, Relation("t", 3, False)] if ternary else relations)
        # Some relations have no atoms at all.
        means = [(2.0, 9.0, 0.0)[number % 3] for number in range(len(vocabulary.names))]
        graphs = draw_graphs(vocabulary, given.graphs, (3, 12), means).to(given.device)
        torch.manual_seed(0)
        config = NetworkConfig(layers=given.layers, residual=residual, readout="goal" if residual else "sum")
        model = RGNN(config, vocabulary).to(given.device)
        batch = collate(graphs, torch.arange(len(graphs), device=given.device))
        for precision in given.precisions:
            name = f"{precision}, residual {residual}, ternary {ternary}"
            try:
                errors = compare(model, batch, precision)
                good = max(errors["outputs"], errors["gradients"]) < BOUNDS[precision]
                print(f"{name}: {errors} {'ok' if good else 'TOO LARGE'}", flush=True)
            except Exception:
                good = False
                print(f"{name}: FAILED\n{traceback.format_exc()}", flush=True)
            failures += not good
        if not ternary and given.device == "cuda":
            try:
                for precision in given.precisions:
                    worst = compare_steps(model, graphs, given.graphs // 4, precision, 8)
                    print(f"{precision}, 8 replayed steps: losses differ by {worst:.1e} at most", flush=True)
            except Exception:
                failures += 1
                print(f"replay: FAILED\n{traceback.format_exc()}", flush=True)
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
