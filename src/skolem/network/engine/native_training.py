"""The network's embeddings by the compiled code: the same function as `RGNN.embed`, with its derivative."""

from collections.abc import Sequence
from ctypes import Structure, byref, c_float, c_int64, c_void_p
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import torch

from skolem.network.config import NetworkConfig
from skolem.network.engine.native_engine import (
    FAILURES,
    NO_MEMORY,
    Shape,
    count_threads,
    find_best_variant,
    load_library,
    point_to,
    round_up,
)
from skolem.network.graphs import Batch
from skolem.network.rgnn import RGNN

Tensor = torch.Tensor


class _Batch(Structure):
    _fields_ = (
        ("nodes", c_int64),
        ("args_length", c_int64),
        ("graph", c_void_p),
        ("atoms", c_void_p),
        ("args", c_void_p),
    )


class _Parameters(Structure):
    _fields_ = (("smoothness", c_float), ("weights", c_void_p))


@dataclass(frozen=True)
class NativeEmbedder:
    """The compiled code in the place of `RGNN.embed`: on the CPU, in single precision; the same bits by any threads."""

    threads: int = 1
    variant: int = field(default_factory=find_best_variant)

    @staticmethod
    def for_training() -> "NativeEmbedder":
        """With as many threads as both PyTorch and the native engine may have."""
        return NativeEmbedder(min(torch.get_num_threads(), count_threads()))

    def __call__(self, model: RGNN, batch: Batch) -> Tensor:
        """The final embedding of every node."""
        networks = [*(model.relation[str(arity)] for arity in batch.atoms), model.update]
        weights = [weight for network in networks for weight in network.parameters()]
        assert {(each.dtype, each.device.type) for each in weights} == {(torch.float32, "cpu")}
        f: Tensor = _Embedding.apply(_Run(self, batch, model.config, weights), *weights)  # type: ignore[no-untyped-call]
        return f


class _Embedding(torch.autograd.Function):
    """Keeps the embeddings and maxima of every layer; the backward pass computes everything else again."""

    @staticmethod
    def forward(ctx: Any, run: "_Run", *weights: Tensor) -> Tensor:
        f = weights[0].new_empty(run.nodes, run.config.width)
        kept = f.new_empty(2 * run.config.layers * run.nodes * round_up(run.config.width))
        run.call("skolem_embed", kept, c_void_p(f.data_ptr()))
        ctx.run = run
        # The weights too, so that it is an error if they change before the backward pass.
        ctx.save_for_backward(kept, *weights)
        return f

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        kept, *weights = ctx.saved_tensors
        gradients = [torch.empty(weight.shape) for weight in weights]
        given = gradient.contiguous()
        addresses = list_addresses(gradients)
        ctx.run.call("skolem_embed_back", kept, c_void_p(given.data_ptr()), point_to(addresses))
        return (None, *gradients)


class _Run:
    """What both passes hand over; everything is named so that it lives as long as a call may read it."""

    def __init__(self, how: NativeEmbedder, batch: Batch, config: NetworkConfig, weights: Sequence[Tensor]) -> None:
        self.how, self.config, self.nodes = how, config, batch.nodes
        self.weights = [weight.detach().contiguous() for weight in weights]
        self.addresses = list_addresses(self.weights)
        self.arities = np.repeat(np.array([*batch.sizes], np.int32), [len(sizes) for sizes in batch.sizes.values()])
        self.atoms = np.array([*chain.from_iterable(batch.sizes.values())], np.int64)
        self.graph, self.targets = batch.graph.contiguous(), batch.targets
        self.batch = _Batch(
            self.nodes, len(self.targets), self.graph.data_ptr(), point_to(self.atoms), self.targets.data_ptr()
        )
        self.parameters = _Parameters(config.smoothness, point_to(self.addresses))
        self.shape = Shape(
            config.width,
            config.layers,
            len(self.arities),
            config.residual,
            arities=point_to(self.arities),
            length=count_weights(config.width, self.arities.tolist()),
        )

    def call(self, name: str, kept: Tensor, *arguments: c_void_p) -> None:
        """Calls a function of the library; an exception if it fails."""
        code = getattr(load_library(), name)(
            byref(self.shape),
            byref(self.parameters),
            byref(self.batch),
            c_void_p(kept.data_ptr()),
            c_int64(kept.numel()),
            *arguments,
            self.how.threads,
            self.how.variant,
        )
        if code:
            raise (MemoryError if code == NO_MEMORY else ValueError)(FAILURES[code])


def list_addresses(tensors: Sequence[Tensor]) -> "np.ndarray[Any, np.dtype[np.uintp]]":
    """Where the four tensors of every network begin: those of each relation, then those of the update."""
    found = []
    for group in (tensors[i : i + 4] for i in range(0, len(tensors), 4)):
        steps = np.arange(len(group[0]), dtype=np.uintp)
        found.append(np.stack([t.data_ptr() + steps * (t.stride(0) * t.itemsize) for t in group], axis=1))
    return np.concatenate(found)


def count_weights(width: int, arities: Sequence[int]) -> int:
    """How many numbers native.c lays the networks of some relations and of the update out as."""
    padded = round_up(width)
    sizes = [(arity * padded, round_up(arity * width), arity * padded) for arity in arities]
    sizes.append((2 * padded, round_up(2 * width), padded))
    return sum((inputs + 1) * hidden + (hidden + 1) * outputs for inputs, hidden, outputs in sizes)
