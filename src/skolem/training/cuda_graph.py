"""Training steps as one CUDA graph: kernels, loss, gradients, optimiser and averaged weights without the host."""

from collections.abc import Mapping

import torch
from torch import nn

from skolem.network.gpu import fused
from skolem.network.graphs import Graphs
from skolem.network.rgnn import RGNN
from skolem.training.fixed_batches import FixedBatch, FixedBatches, Format
from skolem.training.optimisation import Optimisation, make_optimiser, weigh
from skolem.training.recipe import Recipe
from skolem.training.samples import measure_errors

Tensor = torch.Tensor

_WARM_STEPS = 3
"""Steps before the capture: they compile the kernels and set up the optimiser."""


class GraphedOptimisation(Optimisation):
    """An `Optimisation` whose steps read the fixed batches of an epoch and are replayed as a CUDA graph.

    The learning rate and the share of the new weights in the average are tensors that a captured graph reads.
    """

    def __init__(self, model: RGNN, recipe: Recipe, batches: FixedBatches, precision: fused.Precision = "tf32") -> None:
        super().__init__(model, recipe)
        device = next(model.parameters()).device
        self.batches = batches
        self.precision: fused.Precision = precision
        self.rate = torch.zeros((), device=device)
        self.share = torch.zeros((), device=device)
        self.optimiser = make_optimiser(model, recipe, self.rate)
        self._format: Format | None = None
        self._words: Tensor
        self._batch: FixedBatch
        self._loss: Tensor
        self._graph: torch.cuda.CUDAGraph | None = None
        self._warm = 0

    @staticmethod
    def suits(model: RGNN, graphs: Graphs) -> bool:
        """Whether the steps can be replayed: on a GPU, with fused kernels for all relations."""
        on_gpu = graphs.nodes.is_cuda and fused.has_triton() and model.config.width == fused.WIDTH
        return on_gpu and FixedBatches.suits(graphs)

    def _drop_graph(self) -> None:
        if self._graph is not None:
            # It may still be running.
            torch.cuda.synchronize()
        self._graph, self._warm = None, 0

    def play(self, place: int, rate: float) -> Tensor:
        """Changes the weights once by the batch with that number; the mean squared error before that."""
        words = self.batches.draw(place)
        if self._format is not self.batches.format:
            self._format = self.batches.format
            self._words = torch.empty_like(words)
            self._batch = FixedBatch.read(self._words, self._format)
            self._drop_graph()
        self._words.copy_(words)
        self.rate.fill_(rate)
        self.steps += 1
        self.share.fill_(self.measure_share())
        if self._graph is None and self._warm < _WARM_STEPS:
            self._warm += 1
            return self._run_aside()
        if self._graph is None:
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._loss = self._run_step()
        self._graph.replay()
        return self._loss.clone()

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Sets everything to what `export` gave; the graph, which holds the optimiser's old tensors, is dropped."""
        super().restore(tensors)
        self._drop_graph()

    def _run_aside(self) -> Tensor:
        # Work on another stream than the default one, as the capture will, sets up what a capture may not.
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            loss = self._run_step()
        torch.cuda.current_stream().wait_stream(stream)
        return loss

    def _run_step(self) -> Tensor:
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate
        self.optimiser.zero_grad(set_to_none=True)
        batch = self._batch
        f = fused.embed(self.model, batch.layout, self.precision)
        output = self.model.rate(f, batch.batch, batch.pairs)
        errors = measure_errors(output[: len(batch.costs)], batch.costs)
        loss = weigh(errors, self.recipe).mean()
        if batch.pairs is not None:
            of_pairs = (batch.weights * weigh(output[batch.batch.graphs :] - batch.pair_costs, self.recipe)).sum()
            loss = self.recipe.value * loss + of_pairs
        torch.autograd.backward(loss)
        if self.recipe.clip is not None:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip)
        self.optimiser.step()
        current = self.model.state_dict()
        averages = list(self.average.values())
        change = torch._foreach_sub([current[name] for name in self.average], averages)
        torch._foreach_mul_(change, self.share)
        torch._foreach_add_(averages, change)
        return errors.detach().square().mean()
