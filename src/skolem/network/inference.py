"""Costs of goals from a trained network, on a CPU as fast as PyTorch alone allows."""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import TypeVar

import torch

from skolem.network.beginning import begin_embeddings
from skolem.network.gpu.fused import embed_on_gpu
from skolem.network.graphs import Batch, Graphs, collate, count_up
from skolem.network.rgnn import LEAST, RGNN, Layers, split_networks

Tensor = torch.Tensor
Result = TypeVar("Result")

_SLOTS = 12_000
"""Messages per batch on a CPU: few enough that those of a layer stay in its cache."""
_LEAST_SLOTS = 8_000
"""Messages for which another thread is worth its while."""
_ROUNDING = 96.0
"""Adding and subtracting this rounds numbers up to 1 to 17 binary digits: sums below 128 are then exact."""
_GRAPHS = 4096
"""Graphs per batch on a GPU."""
LOG_E = math.log2(math.e)
"""To base two."""


def predict(model: RGNN, graphs: Graphs) -> Tensor:
    """The predicted cost of every graph, on the CPU."""
    device = next(model.parameters()).device
    size = _GRAPHS
    if device.type == "cpu" and len(graphs):
        # Threads take turns with Python's lock: for little work one is faster than several.
        threads = min(torch.get_num_threads(), 1 + len(graphs.args) // _LEAST_SLOTS)
        # As many pieces for each thread, so that none waits for another.
        rounds = 1 + len(graphs.args) // (_SLOTS * threads)
        size = -(-len(graphs) // (rounds * threads))
    begin = _begin(model, graphs, device)
    pieces = [range(start, min(start + size, len(graphs))) for start in range(0, len(graphs), size)]
    return torch.cat([torch.empty(0), *_share_out(partial(_predict_piece, model, graphs, begin), pieces, device)])


def embed(model: RGNN, graphs: Graphs) -> tuple[Tensor, Batch]:
    """The final embeddings of all graphs as one batch."""
    device = next(model.parameters()).device
    work = partial(_embed_piece, model, graphs, _begin(model, graphs, device))
    (result,) = _share_out(work, [range(len(graphs))], device)
    return result


def _share_out(work: Callable[[range], Result], pieces: Sequence[range], device: torch.device) -> list[Result]:
    """The results of some work, on a CPU by threads that each take pieces of their own.

    The operations on one batch are too small to be shared out themselves: threads would mostly wait for another.
    """
    threads = torch.get_num_threads()
    if device.type != "cpu" or threads == 1 or not pieces:
        return [work(piece) for piece in pieces]
    if len(pieces) == 1:
        # Not by one of the threads: to wake it takes longer than a layer.
        torch.set_num_threads(1)
        try:
            return [work(pieces[0])]
        finally:
            torch.set_num_threads(threads)
    return list(_start_threads(torch.get_num_threads()).map(work, pieces))


@cache
def _start_threads(count: int) -> ThreadPoolExecutor:
    """Threads that live on: a new one takes longer to get ready than a small goal to be scored."""
    return ThreadPoolExecutor(count, initializer=torch.set_num_threads, initargs=(1,))


def _begin(model: RGNN, graphs: Graphs, device: torch.device) -> Tensor:
    """The first embeddings of all nodes."""
    start = torch.from_numpy(begin_embeddings(model.config, int(graphs.nodes.sum())))
    return start.to(device, next(model.parameters()).dtype)


@torch.inference_mode()
def _embed_piece(model: RGNN, graphs: Graphs, begin: Tensor, piece: range) -> tuple[Tensor, Batch]:
    batch = collate(graphs, torch.arange(piece.start, piece.stop, device=graphs.nodes.device)).to(begin.device)
    first = int(graphs.node_start[piece.start]) if piece else 0
    start = begin[first : first + batch.nodes]
    return (embed_on_gpu if begin.is_cuda else embed_quickly)(model, batch, start), batch


@torch.inference_mode()
def _predict_piece(model: RGNN, graphs: Graphs, begin: Tensor, piece: range) -> Tensor:
    f, batch = _embed_piece(model, graphs, begin, piece)
    return model.read(f, batch).cpu()


def embed_quickly(model: RGNN, batch: Batch, start: Tensor) -> Tensor:
    """The same as `RGNN.embed` without derivatives: in place, and with less to compute for dense relations."""
    k, nodes, config = model.config.width, batch.nodes, model.config
    f = start.clone()
    # All that is raised to a power comes multiplied by the logarithm of e: powers of two take a third of the time.
    # Two spaces take turns, so that as much as possible stays in the cache.
    hidden = f.new_empty(len(batch.targets), k)
    messages = torch.empty_like(hidden)
    stages, arguments = _prepare_stages(model, batch, f, messages, hidden)
    inputs = messages[: len(arguments)]
    aggregation = _Aggregation.of(batch, hidden, f)
    (update,) = split_networks(model.update)
    of_node, of_messages = update[0].split_with_sizes([k, k])
    of_node, bias, outer = of_node * LOG_E, update[1] * LOG_E, update[2] / LOG_E
    # The messages come multiplied by the smoothness too, so that the maximum takes a pass less over all of them.
    of_messages = of_messages / config.smoothness
    inner, change = f.new_empty(nodes, 2 * k), torch.empty_like(f)
    inner_factor = torch.empty_like(inner)
    for _ in range(config.layers):
        torch.index_select(f, 0, arguments, out=inputs)
        for stage in stages:
            stage.fill_hidden(f)
        apply_mish(hidden, messages)
        for stage in stages:
            torch.addmm(stage.layers[3], stage.hidden, stage.layers[2], out=stage.messages)
        torch.addmm(bias, f, of_node, out=inner)
        inner.addmm_(aggregation.maximise(messages), of_messages)
        apply_mish(inner, inner_factor)
        torch.addmm(update[3], inner, outer, out=change)
        if config.residual:
            f.add_(change)
        else:
            f, change = change, f
    return f


def apply_mish(x: Tensor, space: Tensor) -> None:
    """Replaces x by log(e) mish(x / log(e)), logarithms to base two; PyTorch's takes several times as long.

    That is x / (1 + 1 / h) where h = 2^x + 4^x / 2. An h that is too large for a number leaves x as it is, and one that
    is too small makes it 0, as it should be.
    """
    torch.exp2(x, out=space)
    space.addcmul_(space, space, value=0.5).reciprocal_().add_(1)
    x.div_(space)


@dataclass(frozen=True)
class _Stage:
    """One relation's atoms in a batch, and space for what its network computes of them."""

    layers: Layers  # the hidden layer multiplied by log(e), the messages by the smoothness as well
    rows: Tensor  # (arity, M) nodes
    hidden: Tensor  # (M, arity * k)
    messages: Tensor  # (M, arity * k)
    inputs: Tensor | None  # (M, arity * k) the embeddings; None if nodes are projected first
    projected: Tensor  # (N, arity * k) the nodes as one of the arguments
    weights: tuple[Tensor, ...]  # for every argument the part of the inner weight that reads it

    def fill_hidden(self, f: Tensor) -> None:
        """Computes the hidden layer of every atom up to its activation."""
        if self.inputs is not None:
            torch.addmm(self.layers[1], self.inputs, self.layers[0], out=self.hidden)
            return
        for argument, weight in enumerate(self.weights):
            if argument == 0:
                torch.addmm(self.layers[1], f, weight, out=self.projected)
                torch.index_select(self.projected, 0, self.rows[0], out=self.hidden)
            else:
                torch.mm(f, weight, out=self.projected)
                self.hidden.add_(self.projected.index_select(0, self.rows[argument]))


def _prepare_stages(
    model: RGNN, batch: Batch, f: Tensor, messages: Tensor, hidden: Tensor
) -> tuple[list[_Stage], Tensor]:
    """The stages, and the nodes whose embeddings the sparse ones among them find in the first messages."""
    k, smoothness, start, read, stages = model.config.width, model.config.smoothness, 0, 0, []
    arguments = []
    for arity, rows in batch.atoms.items():
        parts = rows.split_with_sizes(batch.sizes[arity])
        for part, layers in zip(parts, split_networks(model.relation[str(arity)]), strict=True):
            slots = part.numel()
            if not slots:
                continue
            inner = layers[0] * LOG_E
            # Projecting every node by itself is less work than reading all arguments of so many atoms.
            dense = arity > 1 and len(part) > len(f)
            stages.append(
                _Stage(
                    layers=(inner, layers[1] * LOG_E, layers[2] * smoothness, layers[3] * smoothness * LOG_E),
                    rows=part.T.contiguous(),
                    hidden=hidden[start : start + slots].view(-1, arity * k),
                    messages=messages[start : start + slots].view(-1, arity * k),
                    inputs=None if dense else messages[read : read + slots].view(-1, arity * k),
                    projected=f.new_empty(len(f) if dense else 0, arity * k),
                    weights=inner.split_with_sizes([k] * arity) if dense else (),
                )
            )
            start += slots
            if not dense:
                arguments.append(part.reshape(-1))
                read += slots
    return stages, torch.cat(arguments)


@dataclass(frozen=True)
class _Aggregation:
    """The slots of nodes with the same number of slots side by side, so that each maximum is over a block.

    Nodes that are symmetric keep the same embedding, because sums do not depend on the order of the slots. Some
    networks would blow up the smallest difference between such nodes.
    """

    order: Tensor  # (S,) slots sorted by their node's number of slots, then by node
    place: Tensor  # (N,) where each node stands in that order
    blocks: list[tuple[Tensor, Tensor, Tensor]]  # space: (nodes, slots of each, k) messages, (nodes, k) maxima and sums
    ordered: Tensor
    maxima: Tensor
    sums: Tensor

    @staticmethod
    def of(batch: Batch, ordered: Tensor, f: Tensor) -> "_Aggregation":
        degree = batch.bounds.diff()
        by_degree = degree.argsort(stable=True)
        order = batch.order[count_up(batch.bounds[by_degree], degree[by_degree])]
        place = torch.empty_like(by_degree)
        place[by_degree] = torch.arange(len(place))
        maxima, sums = torch.empty_like(f), torch.empty_like(f)
        blocks, slot, node = [], 0, 0
        values, counts = torch.unique_consecutive(degree[by_degree], return_counts=True)
        for slots, nodes in zip(values.tolist(), counts.tolist(), strict=True):
            rows = ordered[slot : slot + slots * nodes].view(nodes, slots, -1)
            blocks.append((rows, maxima[node : node + nodes], sums[node : node + nodes]))
            slot, node = slot + slots * nodes, node + nodes
        return _Aggregation(order, place, blocks, ordered, maxima, sums)

    def maximise(self, messages: Tensor) -> Tensor:
        """The smooth maximum, of smoothness 1 and to base two, of the messages to every node."""
        torch.index_select(messages, 0, self.order, out=self.ordered)
        for rows, maxima, _ in self.blocks:
            torch.amax(rows, 1, out=maxima)
            rows.sub_(maxima.unsqueeze(1))
        self.ordered.clamp_(min=LEAST).exp2_().add_(_ROUNDING).sub_(_ROUNDING)
        for rows, _, sums in self.blocks:
            torch.sum(rows, 1, out=sums)
        return self.maxima.add_(self.sums.log2_()).index_select(0, self.place)
