"""Random networks of every shape, and random graphs over their vocabularies."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from skolem.network.config import NetworkConfig
from skolem.network.encoding import EncodedGraphs
from skolem.network.engine.protocol import Choices
from skolem.network.model_folder import Weights, list_shapes
from skolem.network.vocabulary import CONSTANT, Vocabulary
from skolem.oracle.dataset import Relation


@dataclass(frozen=True)
class Case:
    """A network, graphs that it knows, and choices in them."""

    config: NetworkConfig
    vocabulary: Vocabulary
    weights: Weights
    part: EncodedGraphs
    choices: Choices


def make_case(
    seed: int, width: int | None = None, head: bool | None = None, objects: int = 12, graphs: int | None = None
) -> Case:
    """A random case; what is given is not drawn."""
    rng = np.random.default_rng(seed)
    config = NetworkConfig(
        layers=int(rng.integers(1, 6)),
        width=width or int(rng.integers(1, 41)),
        smoothness=float(rng.choice([1.0, 12.0, 40.0])),
        readout="goal" if rng.random() < 0.5 else "sum",
        residual=bool(rng.random() < 0.5),
        head=bool(rng.random() < 0.5) if head is None else head,
        marks=bool(rng.random() < 0.5),
    )
    arities = rng.integers(0, 5, size=rng.integers(1, 4))
    vocabulary = Vocabulary.of((Relation(f"p{i}", int(a), False) for i, a in enumerate(arities)), config.marks)
    parts = [draw_graph(rng, vocabulary, objects) for _ in range(graphs or int(rng.integers(1, 5)))]
    nodes = np.array([part[0] for part in parts], dtype=np.int32)
    chosen = np.sort(rng.integers(0, len(nodes), size=20))
    return Case(
        config,
        vocabulary,
        draw_weights(rng, config, vocabulary),
        (
            nodes,
            np.stack([part[1] for part in parts]).astype(np.int16),
            np.concatenate([part[2] for part in parts]).astype(np.int16),
            rng.random(nodes.sum()) < 0.4,
        ),
        Choices(chosen, rng.integers(0, nodes[chosen]), rng.integers(0, nodes[chosen])),
    )


def draw_graph(
    rng: np.random.Generator, vocabulary: Vocabulary, objects: int
) -> tuple[int, list[int], "np.ndarray[tuple[int], np.dtype[np.int64]]"]:
    """The number of nodes, the counts and the arguments of a graph in which every node is a constant."""
    nodes = int(rng.integers(1, objects + 1))
    counts, args = [], []
    for number, arity in enumerate(vocabulary.arities):
        if number == vocabulary.numbers[CONSTANT]:
            rows = np.arange(nodes)[:, None]
        else:
            rows = rng.integers(0, nodes, size=(int(rng.choice([0, 1, 3, nodes, 2 * nodes])), arity))
        counts.append(len(rows))
        args.append(rows.reshape(-1))
    return nodes, counts, np.concatenate(args)


def draw_weights(rng: np.random.Generator, config: NetworkConfig, vocabulary: Vocabulary) -> Weights:
    """Weights as they are before training."""
    shapes = list_shapes(config, vocabulary)
    bound = {name: 1 / np.sqrt(shape[1] if len(shape) == 3 else shape[-1]) for name, shape in shapes.items()}
    return {name: rng.uniform(-bound[name], bound[name], shape).astype(np.float32) for name, shape in shapes.items()}


CASES = st.integers(0, 2**32 - 1).map(make_case)
