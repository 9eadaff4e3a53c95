"""The network's embeddings by the Triton kernels: the same function as `RGNN.embed`, with its derivative."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
import torch

from skolem.network.config import NetworkConfig
from skolem.network.graphs import Batch
from skolem.network.rgnn import RGNN, BindingPairs, send_messages

Tensor = torch.Tensor
Precision = Literal["tf32", "ieee"]
"""How the kernels multiply: tf32 on tensor cores, ieee in full single precision (about 10 times slower)."""

WIDTH = 32
ARITIES = (1, 2)
ATOMS = 64
"""Atoms that a program of a relation kernel handles at a time; fewer are left over at the end of a relation."""
PROGRAMS = 528
"""How many programs share the atoms of one arity, up to the remainders of relations: four for each of 132
multiprocessors."""
NODES = 32
"""Nodes that a program of an update kernel handles at a time."""
EXACT = 16
"""Atoms or nodes at a time without tensor cores: products are then unrolled, and large blocks compile slowly."""


@dataclass(frozen=True)
class SlotLayout:
    """What the kernels read of a batch; int32. Rows beyond the real nodes, atoms and programs are never read."""

    starts: Tensor  # (N + 1,) where the slots of each node begin
    atoms: Mapping[int, Tensor]  # arity -> (M, arity) the nodes of every atom, sorted by relation
    slots: Mapping[int, Tensor]  # arity -> (M, arity) the slot of every argument
    programs: Mapping[int, Tensor]  # arity -> (P, 3) relation, first atom, end
    count: int  # slots, at most
    rest: Batch | None = None
    """The atoms with an arity that the kernels do not know."""
    rest_slots: Tensor | None = None

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.starts) - 1


@cache
def has_triton() -> bool:
    """Whether the kernels are installed."""
    return find_spec("triton") is not None


def fits(model: RGNN, batch: Batch) -> bool:
    """Whether a batch can be embedded by the kernels, and should be."""
    single = next(model.parameters()).dtype == torch.float32
    return batch.graph.is_cuda and single and model.config.width == WIDTH and has_triton()


def embed_on_gpu(model: RGNN, batch: Batch, start: Tensor | None = None) -> Tensor:
    """The final embedding of every node, by the kernels where they can be used."""
    if not fits(model, batch):
        return model.embed(batch, start)
    # Without gradients there are choices to make, and the CPU should make the same ones.
    return embed(model, lay_out(batch), "tf32" if torch.is_grad_enabled() else "ieee", start)


def share_out(sizes: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.int32]]:
    """The (relation, first atom, end) of every program for that many atoms of each relation."""
    counts = np.array(sizes, dtype=np.int64)
    chunk = ATOMS * max(1, -(-int(counts.sum()) // (PROGRAMS * ATOMS)))
    first = counts.cumsum() - counts
    pieces = -(-counts // chunk)
    relation = np.repeat(np.arange(len(counts)), pieces)
    number = np.arange(len(relation)) - np.repeat(pieces.cumsum() - pieces, pieces)
    start = first[relation] + number * chunk
    end = np.minimum(start + chunk, (first + counts)[relation])
    return np.stack([relation, start, end], axis=1).astype(np.int32)


def lay_out(batch: Batch) -> SlotLayout:
    """The layout of a batch, on its device."""
    device = batch.graph.device
    words = [rows.numel() for rows in batch.atoms.values()]
    places = dict(zip(batch.atoms, batch.place.split_with_sizes(words), strict=True))
    known = [arity for arity in batch.atoms if arity in ARITIES]
    rest = {arity: rows for arity, rows in batch.atoms.items() if arity not in ARITIES and len(rows)}
    return SlotLayout(
        starts=batch.bounds.to(torch.int32),
        atoms={a: batch.atoms[a].to(torch.int32) for a in known},
        slots={a: places[a].view(-1, a).to(torch.int32) for a in known},
        programs={a: torch.from_numpy(share_out(batch.sizes[a])).to(device) for a in known},
        count=len(batch.place),
        rest=replace(batch, atoms=rest, sizes={a: batch.sizes[a] for a in rest}) if rest else None,
        rest_slots=torch.cat([places[a] for a in rest]) if rest else None,
    )


def embed(model: RGNN, layout: SlotLayout, precision: Precision = "tf32", start: Tensor | None = None) -> Tensor:
    """The final embedding of every node; the first ones are those of training if not given."""
    arities = [*layout.atoms, *(layout.rest.atoms if layout.rest else ())]
    networks = [*(model.relation[str(arity)] for arity in arities), model.update]
    weights = [weight for network in networks for weight in network.parameters()]
    keep = torch.is_grad_enabled()
    begin = model.begin(layout.nodes) if start is None else start
    f: Tensor = _Embedding.apply(layout, model.config, precision, keep, begin, *weights)  # type: ignore[no-untyped-call]
    return f


def predict(model: RGNN, batch: Batch, precision: Precision = "tf32", pairs: BindingPairs | None = None) -> Tensor:
    """The predicted costs, as `RGNN.forward`."""
    return model.rate(embed(model, lay_out(batch), precision), batch, pairs)


class _Embedding(torch.autograd.Function):
    """Keeps the embeddings and maxima of every layer; the backward pass computes everything else again."""

    @staticmethod
    def forward(
        ctx: Any,
        layout: SlotLayout,
        config: NetworkConfig,
        precision: Precision,
        keep: bool,
        start: Tensor,
        *weights: Tensor,
    ) -> Tensor:
        run = _Run(layout, config, precision, weights)
        z = run.update[0].new_empty(config.layers + 1 if keep else 2, layout.nodes, 2 * WIDTH)
        z[0].zero_()
        z[0, :, :WIDTH] = start
        messages = z.new_empty(layout.count, WIDTH)
        for layer in range(config.layers):
            now, following = z[layer % len(z)], z[(layer + 1) % len(z)]
            run.send(now, messages)
            run.renew(now, messages, following)
        if keep:
            ctx.layout, ctx.config, ctx.precision = layout, config, precision
            ctx.save_for_backward(z, *weights)
        return z[config.layers % len(z), :, :WIDTH].contiguous()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        z, *weights = ctx.saved_tensors
        run = _Run(ctx.layout, ctx.config, ctx.precision, tuple(weights))
        sums = run.make_sums()
        # The kernel keeps the residual gradient in place: autograd's tensor must not change.
        kept = gradient.clone(memory_format=torch.contiguous_format)
        z_grad = torch.empty_like(z[0])
        slot_grads = z.new_empty(ctx.layout.count, WIDTH)
        for layer in reversed(range(ctx.config.layers)):
            run.renew_back(z[layer], z_grad, kept, slot_grads, sums, collect=layer < ctx.config.layers - 1)
            run.send_back(z[layer], z_grad, slot_grads, sums)
        return (None, None, None, None, None, *run.add_up(sums))


class _Run:
    """The kernels of one layer, forwards and backwards, over a batch."""

    def __init__(self, layout: SlotLayout, config: NetworkConfig, precision: Precision, weights: tuple[Tensor, ...]):
        groups = [weights[i : i + 4] for i in range(0, len(weights), 4)]
        self.layout, self.config, self.precision = layout, config, precision
        self.atoms, self.nodes = (EXACT, EXACT) if precision == "ieee" else (ATOMS, NODES)
        self.relation = dict(zip(layout.atoms, groups, strict=False))
        self.others = dict(zip(layout.rest.atoms if layout.rest else (), groups[len(self.relation) :], strict=False))
        self.update = groups[-1]

    def send(self, z: Tensor, messages: Tensor) -> None:
        """Writes the messages of all atoms."""
        from skolem.network.gpu import kernels

        for arity, weights in self.relation.items():
            tables = (self.layout.atoms[arity], self.layout.slots[arity], self.layout.programs[arity])
            if len(tables[2]):
                kernels.send[(len(tables[2]),)](
                    z,
                    *weights,
                    *tables,
                    messages,
                    ARITY=arity,
                    BLOCK=self.atoms,
                    PRECISION=self.precision,
                    **_TUNING["send"],
                )
        if self.layout.rest is not None:
            messages[self.layout.rest_slots] = self._send_others(z, list(self.others.values()))[1]

    def renew(self, z: Tensor, messages: Tensor, following: Tensor) -> None:
        """Writes the smooth maxima, and the next embeddings."""
        from skolem.network.gpu import kernels

        kernels.update[(-(-self.layout.nodes // self.nodes),)](
            z, messages, self.layout.starts, *self.update, following, self.layout.nodes, self.config.smoothness,
            RESIDUAL=self.config.residual, BLOCK=self.nodes, PRECISION=self.precision, **_TUNING["update"],
        )  # fmt: skip

    def make_sums(self) -> list[list[Tensor]]:
        """Zeros to add the gradients of the weights to: one slice for every program of a kernel, or for all."""
        programs = [len(self.layout.programs[arity]) for arity in self.relation]
        sums = [
            [weight.new_zeros(count, *weight.shape[1:]) for weight in weights]
            for count, weights in zip(programs, self.relation.values(), strict=True)
        ]
        sums += [[torch.zeros_like(weight) for weight in weights] for weights in self.others.values()]
        return [*sums, [weight.new_zeros(self._update_programs, *weight.shape[1:]) for weight in self.update]]

    def send_back(self, z: Tensor, z_grad: Tensor, slot_grads: Tensor, sums: list[list[Tensor]]) -> None:
        """Writes the gradients of the embeddings that messages were made of; adds those of the relations' weights."""
        from skolem.network.gpu import kernels

        for (arity, weights), (w1, b1, w2, b2) in zip(self.relation.items(), sums, strict=False):
            tables = (self.layout.atoms[arity], self.layout.slots[arity], self.layout.programs[arity])
            if len(tables[2]):
                kernels.send_back[(len(tables[2]),)](
                    z, z_grad, *weights, *tables, slot_grads, w1, b1, w2, b2, self.config.smoothness,
                    ARITY=arity, BLOCK=self.atoms, PRECISION=self.precision, **_TUNING["send_back"],
                )  # fmt: skip
        if self.layout.rest is not None:
            slot_grads[self.layout.rest_slots] = self._send_others_back(z, z_grad, sums[len(self.relation) : -1])

    def renew_back(
        self, z: Tensor, z_grad: Tensor, kept: Tensor, slot_grads: Tensor, sums: list[list[Tensor]], collect: bool
    ) -> None:
        """Writes the gradients of embeddings and maxima; adds those of the update's weights."""
        from skolem.network.gpu import kernels

        w1, b1, w2, b2 = sums[-1]
        kernels.update_back[(self._update_programs,)](
            z, z_grad, kept, slot_grads, self.layout.starts, *self.update[:3], w1, b1, w2, b2,
            self.layout.nodes, self._update_programs * self.nodes,
            COLLECT=collect, RESIDUAL=self.config.residual, BLOCK=self.nodes, PRECISION=self.precision,
            **_TUNING["update_back"],
        )  # fmt: skip

    def add_up(self, sums: list[list[Tensor]]) -> list[Tensor]:
        """The gradient of every weight from the slices of the programs."""
        gradients = []
        for (arity, weights), slices in zip(self.relation.items(), sums, strict=False):
            relations = torch.arange(len(weights[0]), dtype=torch.int32, device=weights[0].device)
            owner = (self.layout.programs[arity][:, 0] == relations[:, None]).to(weights[0].dtype)
            gradients += [torch.mm(owner, part.flatten(1)).view_as(w) for part, w in zip(slices, weights, strict=True)]
        gradients += [gradient for parts in sums[len(self.relation) : -1] for gradient in parts]
        return [*gradients, *(part.sum(0, keepdim=True) for part in sums[-1])]

    @property
    def _update_programs(self) -> int:
        return min(PROGRAMS, -(-self.layout.nodes // self.nodes))

    def _send_others(self, z: Tensor, weights: list[tuple[Tensor, ...]]) -> tuple[Tensor, Tensor]:
        """The embeddings that the remaining atoms read, and their messages, by plain PyTorch."""
        rest = self.layout.rest
        assert rest is not None
        rows = z[rest.targets, :WIDTH].requires_grad_(torch.is_grad_enabled())
        networks = {
            arity: list(zip(*(weight.unbind() for weight in group), strict=True))
            for arity, group in zip(rest.atoms, weights, strict=True)
        }
        return rows, send_messages(networks, rows, rest)

    def _send_others_back(self, z: Tensor, z_grad: Tensor, sums: list[list[Tensor]]) -> Tensor:
        rest = self.layout.rest
        assert rest is not None
        with torch.enable_grad():
            weights = [tuple(weight.detach().requires_grad_() for weight in group) for group in self.others.values()]
            rows, messages = self._send_others(z, weights)
        share = torch.exp(self.config.smoothness * (messages.detach() - z[rest.targets, WIDTH:]))
        inputs = [rows, *(weight for group in weights for weight in group)]
        first, *gradients = torch.autograd.grad(messages, inputs, share * z_grad[rest.targets, WIDTH:])
        for total, gradient in zip((total for group in sums for total in group), gradients, strict=True):
            total += gradient
        return first


# Warps and pipeline stages of the kernels.
_TUNING: dict[str, dict[str, int]] = {
    "send": {"num_warps": 4, "num_stages": 1},
    "send_back": {"num_warps": 4, "num_stages": 1},
    "update": {"num_warps": 4, "num_stages": 1},
    "update_back": {"num_warps": 4, "num_stages": 1},
}
