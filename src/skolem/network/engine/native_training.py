"""The network's embeddings by the compiled code: the same function as `RGNN.embed`, with its derivative."""

from collections.abc import Sequence
from ctypes import Structure, byref, c_float, c_int64, c_void_p
from itertools import chain
from typing import Any

import numpy as np
import torch

from skolem.network.config import NetworkConfig
from skolem.network.engine.native_engine import (
    FAILURES,
    NO_MEMORY,
    Shape,
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


def embed_natively(model: RGNN, batch: Batch, variant: int | None = None) -> Tensor:
    """The final embedding of every node, by an instruction set, the processor's best unless told."""
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}, "not in single precision"
    assert batch.graph.device.type == next(model.parameters()).device.type == "cpu", "not on the CPU"
    networks = [*(model.relation[str(arity)] for arity in batch.atoms), model.update]
    weights = [weight for network in networks for weight in network.parameters()]
    chosen = find_best_variant() if variant is None else min(variant, find_best_variant())
    f: Tensor = _Embedding.apply(batch, model.config, chosen, *weights)  # type: ignore[no-untyped-call]
    return f


class _Embedding(torch.autograd.Function):
    """Keeps the embeddings and maxima of every layer; the backward pass computes everything else again."""

    @staticmethod
    def forward(ctx: Any, batch: Batch, config: NetworkConfig, variant: int, *weights: Tensor) -> Tensor:
        run = _Run(batch, config, variant, weights)
        f = weights[0].new_empty(batch.nodes, config.width)
        kept = f.new_empty(2 * config.layers * batch.nodes * round_up(config.width))
        run.call("skolem_embed", kept, f.data_ptr())
        ctx.batch, ctx.config, ctx.variant = batch, config, variant
        ctx.save_for_backward(kept, *weights)
        return f

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        kept, *weights = ctx.saved_tensors
        run = _Run(ctx.batch, ctx.config, ctx.variant, weights)
        gradients = [torch.empty_like(weight) for weight in run.weights]
        given = gradient.contiguous()
        run.call("skolem_embed_back", kept, given.data_ptr(), point_to(run.list_addresses(gradients)))
        return (None, None, None, *gradients)


class _Run:
    """What both passes hand over; everything is kept here as long as a call may read it."""

    def __init__(self, batch: Batch, config: NetworkConfig, variant: int, weights: Sequence[Tensor]) -> None:
        self.variant = variant
        self.weights = [weight.detach().contiguous() for weight in weights]
        self.arities = np.repeat(np.array([*batch.sizes], np.int32), [len(sizes) for sizes in batch.sizes.values()])
        self.atoms = np.array([*chain.from_iterable(batch.sizes.values())], np.int64)
        self.addresses = self.list_addresses(self.weights)
        self.graph, self.targets = batch.graph.contiguous(), batch.targets
        self.batch = _Batch(
            batch.nodes, len(self.targets), self.graph.data_ptr(), point_to(self.atoms), self.targets.data_ptr()
        )
        self.parameters = _Parameters(config.smoothness, point_to(self.addresses))
        self.shape = Shape(
            config.width, config.layers, len(self.arities), config.residual, False, False, point_to(self.arities),
            None, count_weights(config.width, self.arities.tolist()),
        )  # fmt: skip

    def list_addresses(self, tensors: Sequence[Tensor]) -> "np.ndarray[Any, np.dtype[np.uintp]]":
        """Where the four tensors of every network begin, those of the relations and that of the update."""
        found = []
        for group in (tensors[i : i + 4] for i in range(0, len(tensors), 4)):
            steps = np.arange(len(group[0]), dtype=np.uintp)
            found.append(np.stack([t.data_ptr() + steps * (t[0].numel() * t.itemsize) for t in group], axis=1))
        return np.concatenate(found)

    def call(self, name: str, kept: Tensor, *arguments: Any) -> None:
        """Calls a function of the library; an exception if it fails."""
        pointers = [c_void_p(each) if isinstance(each, int) else each for each in arguments]
        code = getattr(load_library(), name)(
            byref(self.shape),
            byref(self.parameters),
            byref(self.batch),
            c_void_p(kept.data_ptr()),
            c_int64(kept.numel()),
            *pointers,
            torch.get_num_threads(),
            self.variant,
        )
        if code:
            raise (MemoryError if code == NO_MEMORY else ValueError)(FAILURES[code])


def count_weights(width: int, arities: Sequence[int]) -> int:
    """How many numbers native.c lays the networks of some relations and of the update out as."""
    padded = round_up(width)
    sizes = [(arity * padded, round_up(arity * width), arity * padded) for arity in arities]
    sizes.append((2 * padded, round_up(2 * width), padded))
    return sum((inputs + 1) * hidden + (hidden + 1) * outputs for inputs, hidden, outputs in sizes)
