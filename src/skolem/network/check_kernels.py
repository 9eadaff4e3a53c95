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
from skolem.network.recipe import Recipe
from skolem.network.replay import ReplayedOptimisation
from skolem.network.rgnn import RGNN, NetworkConfig
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


def compare(model: RGNN, batch: Batch, precision: fused.Precision) -> dict[str, float]:
    """The relative errors of the outputs, of the gradients together, and of the worst single gradient.

    The reference is the plain network in double precision.
    """
    direction = torch.randn(batch.graphs, device=batch.graph.device, dtype=torch.float64)
    reference = RGNN(model.config, model.vocabulary).to(batch.graph.device, torch.float64)
    reference.load_state_dict(model.state_dict())
    wanted = reference.read(reference.embed(batch), batch)
    torch.autograd.backward((wanted * direction).sum())
    model.zero_grad()
    given = fused.predict(model, batch, precision)
    torch.autograd.backward((given * direction.to(given.dtype)).sum())
    pairs = [
        (_flatten(a.grad), _flatten(b.grad)) for a, b in zip(model.parameters(), reference.parameters(), strict=True)
    ]
    return {
        "outputs": _measure(given.detach().double(), wanted.detach()),
        "gradients": _measure(torch.cat([a for a, _ in pairs]), torch.cat([b for _, b in pairs])),
        "worst": max(_measure(a, b) for a, b in pairs if float(b.norm()) > 0),
    }


def compare_steps(model: RGNN, graphs: Graphs, batch: int, precision: fused.Precision, steps: int) -> float:
    """The relative difference of the losses of replayed and of plain training steps on the same batches."""
    device = graphs.nodes.device
    costs = torch.rand(len(graphs), device=device) * 10
    deck = Deck(graphs, costs, batch)
    deck.shuffle(torch.arange(len(graphs), device=device))
    replayed = RGNN(model.config, model.vocabulary).to(device)
    replayed.load_state_dict(model.state_dict())
    optimisation = ReplayedOptimisation(replayed, Recipe(), deck, precision)
    plain = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=Recipe().decay)
    worst = 0.0
    for step in range(steps):
        given = optimisation.play(step % len(deck), 1e-3)
        index = torch.arange(batch, device=device) + batch * (step % len(deck))
        plain.zero_grad()
        sample = collate(graphs, index)
        loss = torch.nn.functional.mse_loss(model.read(model.embed(sample), sample), costs[index])
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(model.parameters(), Recipe().clip or 1.0)
        plain.step()
        worst = max(worst, abs(float(given) - float(loss)) / float(loss))
    return worst


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
