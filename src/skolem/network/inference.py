"""Costs of goals from a trained network."""

from collections.abc import Sequence

import torch

from skolem.network.encoding import Part, pack_parts
from skolem.network.graphs import Graphs, collate
from skolem.network.rgnn import RGNN

Tensor = torch.Tensor

_CHUNK = {"cpu": 48, "cuda": 4096}
"""Graphs per batch: on a CPU few enough that a layer's messages stay in its cache."""


@torch.inference_mode()
def predict(model: RGNN, graphs: Graphs) -> Tensor:
    """The predicted cost of every graph, on the CPU."""
    device = next(model.parameters()).device
    chunk = _CHUNK[device.type]
    costs = []
    for start in range(0, len(graphs), chunk):
        index = torch.arange(start, min(start + chunk, len(graphs)), device=graphs.nodes.device)
        costs.append(model(collate(graphs, index).to(device)).cpu())
    return torch.cat(costs)


def predict_parts(model: RGNN, parts: Sequence[Part]) -> Sequence[float]:
    """The predicted cost of every graph of some parts."""
    costs: list[float] = predict(model, pack_parts(model.vocabulary, parts)).tolist()
    return costs
