"""The reference network behind the interface of the engines: on GPUs, in training, and to compare with."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from skolem.network.config import NetworkConfig
from skolem.network.encoding import EncodedGraphs
from skolem.network.engine.protocol import Choices, list_numbers
from skolem.network.graphs import Graphs
from skolem.network.inference import embed, predict
from skolem.network.model_folder import Weights
from skolem.network.rgnn import RGNN, BindingPairs
from skolem.network.vocabulary import Vocabulary


@dataclass(frozen=True)
class TorchEngine:
    """A network in PyTorch, on whatever device it is."""

    model: RGNN

    @staticmethod
    def of(config: NetworkConfig, vocabulary: Vocabulary, weights: Weights) -> "TorchEngine":
        """The network with these weights, on the CPU."""
        model = RGNN(config, vocabulary)
        model.load_state_dict({name: torch.tensor(value) for name, value in weights.items()})
        return TorchEngine(model.eval())

    @property
    def config(self) -> NetworkConfig:
        """The shape of the network."""
        return self.model.config

    @property
    def vocabulary(self) -> Vocabulary:
        """The relations that it knows."""
        return self.model.vocabulary

    @property
    def description(self) -> str:
        """What computes, in a few words."""
        return "PyTorch"

    def predict(self, parts: Sequence[EncodedGraphs]) -> list[float]:
        """The predicted cost of every graph."""
        return list_numbers(predict(self.model, Graphs.of(self.vocabulary, parts)).numpy()) if parts else []

    def rate(self, parts: Sequence[EncodedGraphs], choices: Choices) -> list[float]:
        """The head's cost of every choice."""
        if not parts:
            return []
        f, batch = embed(self.model, Graphs.of(self.vocabulary, parts))
        graphs = torch.as_tensor(choices.graphs, device=f.device, dtype=torch.int64)
        columns = [torch.as_tensor(c, device=f.device, dtype=torch.int64) for c in (choices.variables, choices.objects)]
        start = batch.start[graphs]
        with torch.inference_mode():
            ratings = self.model.rate_pairs(f, batch, BindingPairs(columns[0] + start, columns[1] + start, graphs))
        return list_numbers(ratings.cpu().numpy())
