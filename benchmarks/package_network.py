"""The modules of the package pymimir-rgnn over our graphs, to compare their speed of training with ours."""

from typing import Any

import pymimir_rgnn
import torch
from torch import nn

from skolem.network.config import NetworkConfig
from skolem.network.graphs import Batch
from skolem.network.vocabulary import Vocabulary

Tensor = torch.Tensor


class _Relational(pymimir_rgnn.Encoder):  # type: ignore[misc]
    """Tells the package our relations."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._arities = vocabulary.arities

    def get_relations(self, domain: object) -> list[tuple[str, int]]:
        return [(f"r{i}", arity) for i, arity in enumerate(self._arities)]

    def encode(self, *arguments: object) -> None:
        raise NotImplementedError


class PackageNetwork(nn.Module):
    """A network of the package's own modules, its messages' residual included, with a sum readout."""

    def __init__(self, config: NetworkConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self._vocabulary = vocabulary
        parameters = pymimir_rgnn.HyperparameterConfig(
            domain=None,
            embedding_size=config.width,
            num_layers=config.layers,
            normalize_updates=False,
            residual_updates=config.residual,
        )
        modules = pymimir_rgnn.ModuleConfig(
            pymimir_rgnn.SmoothMaximumAggregation(),
            pymimir_rgnn.PredicateMLPMessages(parameters, (_Relational(vocabulary),)),
            pymimir_rgnn.MLPUpdates(parameters),
        )
        self.stack = pymimir_rgnn.model.RelationalLayerStackModule(parameters, modules)
        self.readout = pymimir_rgnn.SumReadout(config.width, 1)
        self._encoded: dict[int, Any] = {}

    def forward(self, batch: Batch, pairs: None = None) -> Tensor:
        """The predicted cost of every graph."""
        # As for the other variants, batches are assembled beforehand.
        if id(batch) not in self._encoded:
            self._encoded[id(batch)] = self._encode(batch)
        encoded = self._encoded[id(batch)]
        costs: Tensor = self.readout(self.stack(encoded), encoded.node_sizes).squeeze(1)
        return costs

    def _encode(self, batch: Batch) -> Any:
        encoded = pymimir_rgnn.bases.EncodedTensors()
        encoded.node_sizes = torch.bincount(batch.graph)
        for arity, numbers in self._vocabulary.by_arity.items():
            parts = batch.atoms[arity].tensor_split(torch.tensor(batch.sizes[arity]).cumsum(0)[:-1])
            named = {f"r{n}": part.reshape(-1) for n, part in zip(numbers, parts, strict=True)}
            encoded.flattened_relations |= {name: part for name, part in named.items() if len(part)}
        return encoded
