"""The embeddings that a trained network begins with, the same for every engine."""

import numpy as np

from skolem.network.config import NetworkConfig
from skolem.network.model_folder import Floats

SEED = 0
"""Of the random halves."""


def begin_embeddings(config: NetworkConfig, nodes: int) -> Floats:
    """The first embeddings of so many nodes: zeros, or zeros and then a random half.

    In training the random half is drawn anew for every batch (`skolem.network.rgnn`). Here it is drawn anew for every
    call of an engine but always from the same seed, so that siblings of one call differ in it and results are
    repeatable; NumPy promises never to change this generator.
    """
    start: Floats = np.zeros((nodes, config.width), dtype=np.float32)
    if config.embeddings == "half-random":
        half = config.width // 2
        start[:, config.width - half :] = np.random.RandomState(SEED).standard_normal((nodes, half))
    return start
