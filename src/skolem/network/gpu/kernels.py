"""Triton kernels of one network layer at width 32: relations with one or two arguments, and the update.

Every kernel walks over rows (atoms, or nodes) in blocks. A relation kernel's program handles consecutive atoms of
one relation, listed in `programs` as (relation, first atom, end), and adds the gradients of that relation's weights
to its own slice of a buffer, so that no two programs write to the same place. Messages, and the gradients of the
embeddings, travel through `slots`: one row for every (atom, argument), ordered by node, so that the update reads
the rows of a node one after another. `z` holds, for every node, its embedding and the smooth maximum of the
messages to it side by side: the input of the update; `z_grad` the gradients of both.
"""

# Kernel arguments are pointers and numbers of Triton's own types, which mypy cannot see.
# mypy: allow-untyped-defs, allow-incomplete-defs, disable-error-code="untyped-decorator"

import triton
import triton.language as tl

# A number below every message: it loses each maximum, and is finite so that differences stay defined.
LOWEST = tl.constexpr(-1e30)


@triton.jit
def _mish(x):
    # x * tanh(log(1 + e^x)), written with n = (1 + e^x)^2 - 1; beyond 20 the factor is 1.
    e = tl.exp(tl.minimum(x, 20.0))
    n = e * (e + 2.0)
    return x * (n / (n + 2.0))


@triton.jit
def _mish_and_slope(x):
    e = tl.exp(tl.minimum(x, 20.0))
    r = 1.0 / (e * (e + 2.0) + 2.0)
    t = e * (e + 2.0) * r
    return x * t, t + x * (4.0 * e * (1.0 + e) * r * r)


@triton.jit
def _add_to(pointers, values):
    tl.store(pointers, tl.load(pointers) + values)


@triton.jit
def _load_numbers(table, rows, real, k, ARITY: tl.constexpr):
    """For every atom of `rows` and column of its input the number of the node, or slot, of the column's argument."""
    numbers = tl.load(table + rows * ARITY, mask=real, other=0)[:, None]
    if ARITY == 2:
        second = tl.load(table + rows * ARITY + 1, mask=real, other=0)[:, None]
        numbers = tl.where(k[None, :] < 32, numbers, second)
    return numbers


@triton.jit
def send(
    z, inner, inner_bias, outer, outer_bias, args, slots, programs, out,
    ARITY: tl.constexpr, BLOCK: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Writes the messages of atoms with one or two arguments to their slots."""
    K: tl.constexpr = ARITY * 32
    program = tl.program_id(0)
    relation = tl.load(programs + program * 3)
    start = tl.load(programs + program * 3 + 1)
    end = tl.load(programs + program * 3 + 2)
    k = tl.arange(0, K)
    square = relation * (K * K) + k[:, None] * K + k[None, :]
    w1 = tl.load(inner + square)
    w2 = tl.load(outer + square)
    b1 = tl.load(inner_bias + relation * K + k)[None, :]
    b2 = tl.load(outer_bias + relation * K + k)[None, :]
    for first in range(start, end, BLOCK):
        rows = first + tl.arange(0, BLOCK)
        real = rows < end
        x = tl.load(z + _load_numbers(args, rows, real, k, ARITY) * 64 + (k % 32)[None, :])
        h = _mish(tl.dot(x, w1, input_precision=PRECISION) + b1)
        m = tl.dot(h, w2, input_precision=PRECISION) + b2
        slot = _load_numbers(slots, rows, real, k, ARITY) * 32 + (k % 32)[None, :]
        tl.store(out + slot, m, mask=real[:, None])


@triton.jit
def send_back(
    z, z_grad, inner, inner_bias, outer, outer_bias, args, slots, programs, out,
    inner_grad, inner_bias_grad, outer_grad, outer_bias_grad, smoothness,
    ARITY: tl.constexpr, BLOCK: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """The backward pass of `send`: gradients of the embeddings into the slots, of the weights into slices."""
    K: tl.constexpr = ARITY * 32
    program = tl.program_id(0)
    relation = tl.load(programs + program * 3)
    start = tl.load(programs + program * 3 + 1)
    end = tl.load(programs + program * 3 + 2)
    k = tl.arange(0, K)
    square = k[:, None] * K + k[None, :]
    w1 = tl.load(inner + relation * (K * K) + square)
    w2 = tl.load(outer + relation * (K * K) + square)
    w1_grad = tl.zeros_like(w1)
    w2_grad = tl.zeros_like(w2)
    for first in range(start, end, BLOCK):
        rows = first + tl.arange(0, BLOCK)
        real = rows < end
        place = _load_numbers(args, rows, real, k, ARITY) * 64 + (k % 32)[None, :]
        x = tl.load(z + place)
        # The biases live in memory, not in registers, which are short here.
        pre = tl.dot(x, w1, input_precision=PRECISION) + tl.load(inner_bias + relation * K + k)[None, :]
        h, slope = _mish_and_slope(pre)
        m = tl.dot(h, w2, input_precision=PRECISION) + tl.load(outer_bias + relation * K + k)[None, :]
        # No message is above the maximum, but what stands in for missing atoms may be.
        share = tl.exp(tl.minimum(smoothness * (m - tl.load(z + place + 32)), 0.0))
        m_grad = tl.where(real[:, None], share * tl.load(z_grad + place + 32), 0.0)
        w2_grad += tl.dot(tl.trans(h), m_grad, input_precision=PRECISION)
        tl.atomic_add(outer_bias_grad + program * K + k, tl.sum(m_grad, 0), sem="relaxed")
        pre_grad = tl.dot(m_grad, tl.trans(w2), input_precision=PRECISION) * slope
        w1_grad += tl.dot(tl.trans(x), pre_grad, input_precision=PRECISION)
        tl.atomic_add(inner_bias_grad + program * K + k, tl.sum(pre_grad, 0), sem="relaxed")
        x_grad = tl.dot(pre_grad, tl.trans(w1), input_precision=PRECISION)
        slot = _load_numbers(slots, rows, real, k, ARITY) * 32 + (k % 32)[None, :]
        tl.store(out + slot, x_grad, mask=real[:, None])
    _add_to(inner_grad + program * (K * K) + square, w1_grad)
    _add_to(outer_grad + program * (K * K) + square, w2_grad)


@triton.jit(do_not_specialize=["nodes"])
def update(
    z, messages, starts, inner, inner_bias, outer, outer_bias, z_next, nodes, smoothness,
    RESIDUAL: tl.constexpr, BLOCK: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Writes the smooth maximum of the messages to every node, and its next embedding."""
    k = tl.arange(0, 32)
    h_k = tl.arange(0, 64)
    wide = k[:, None] * 64 + h_k[None, :]
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    real = rows < nodes
    place = rows[:, None] * 64 + k[None, :]
    x = tl.load(z + place, mask=real[:, None], other=0.0)
    low = tl.load(starts + rows, mask=real, other=0)
    count = tl.load(starts + rows + 1, mask=real, other=0) - low
    top = tl.zeros_like(x) + LOWEST
    total = tl.zeros_like(x)
    for step in range(0, tl.max(count, 0), 4):
        source = messages + (low + step)[:, None] * 32 + k[None, :]
        m0 = tl.load(source, mask=(step < count)[:, None], other=LOWEST)
        m1 = tl.load(source + 32, mask=(step + 1 < count)[:, None], other=LOWEST)
        m2 = tl.load(source + 64, mask=(step + 2 < count)[:, None], other=LOWEST)
        m3 = tl.load(source + 96, mask=(step + 3 < count)[:, None], other=LOWEST)
        higher = tl.maximum(top, tl.maximum(tl.maximum(m0, m1), tl.maximum(m2, m3)))
        total = total * tl.exp(smoothness * (top - higher))
        total += tl.exp(smoothness * (m0 - higher)) + tl.exp(smoothness * (m1 - higher))
        total += tl.exp(smoothness * (m2 - higher)) + tl.exp(smoothness * (m3 - higher))
        top = higher
    # A node without messages gets 0; its row of `total` may be 0, whose logarithm must not be taken.
    m = tl.where((count > 0)[:, None], top + tl.log(tl.maximum(total, 1.0)) / smoothness, 0.0)
    tl.store(z + place + 32, m, mask=real[:, None])
    pre = tl.dot(x, tl.load(inner + wide), input_precision=PRECISION)
    pre += tl.dot(m, tl.load(inner + wide + 2048), input_precision=PRECISION)
    h = _mish(pre + tl.load(inner_bias + h_k)[None, :])
    w2 = tl.load(outer + h_k[:, None] * 32 + k[None, :])
    following = tl.dot(h, w2, input_precision=PRECISION) + tl.load(outer_bias + k)[None, :]
    if RESIDUAL:
        following += x
    tl.store(z_next + place, following, mask=real[:, None])


@triton.jit(do_not_specialize=["nodes", "stride"])
def update_back(
    z, z_grad, kept_grad, slot_grads, starts, inner, inner_bias, outer,
    inner_grad, inner_bias_grad, outer_grad, outer_bias_grad, nodes, stride,
    COLLECT: tl.constexpr, RESIDUAL: tl.constexpr, BLOCK: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """The backward pass of `update`: writes `z_grad`, and the gradients of the weights into slices.

    The gradient of a node's next embedding is `kept_grad`; if `COLLECT`, the gradients that reached that embedding
    through the update (in `z_grad`) and through messages (in its slots) come on top. With `RESIDUAL` it is kept for
    the layer below.
    """
    program = tl.program_id(0)
    k = tl.arange(0, 32)
    h_k = tl.arange(0, 64)
    square = h_k[:, None] * 64 + h_k[None, :]
    narrow = h_k[:, None] * 32 + k[None, :]
    w1 = tl.load(inner + square)
    w2 = tl.load(outer + narrow)
    w1_grad = tl.zeros_like(w1)
    w2_grad = tl.zeros_like(w2)
    for first in range(program * BLOCK, nodes, stride):
        rows = first + tl.arange(0, BLOCK)
        real = rows < nodes
        kept = rows[:, None] * 32 + k[None, :]
        if COLLECT:
            grad = tl.load(z_grad + rows[:, None] * 64 + k[None, :], mask=real[:, None], other=0.0)
            if RESIDUAL:
                grad += tl.load(kept_grad + kept, mask=real[:, None], other=0.0)
            low = tl.load(starts + rows, mask=real, other=0)
            count = tl.load(starts + rows + 1, mask=real, other=0) - low
            for step in range(0, tl.max(count, 0), 4):
                source = slot_grads + (low + step)[:, None] * 32 + k[None, :]
                g0 = tl.load(source, mask=(step < count)[:, None], other=0.0)
                g1 = tl.load(source + 32, mask=(step + 1 < count)[:, None], other=0.0)
                g2 = tl.load(source + 64, mask=(step + 2 < count)[:, None], other=0.0)
                g3 = tl.load(source + 96, mask=(step + 3 < count)[:, None], other=0.0)
                grad += (g0 + g1) + (g2 + g3)
            if RESIDUAL:
                tl.store(kept_grad + kept, grad, mask=real[:, None])
        else:
            grad = tl.load(kept_grad + kept, mask=real[:, None], other=0.0)
        place = rows[:, None] * 64 + h_k[None, :]
        x = tl.load(z + place, mask=real[:, None], other=0.0)
        h, slope = _mish_and_slope(tl.dot(x, w1, input_precision=PRECISION) + tl.load(inner_bias + h_k)[None, :])
        w2_grad += tl.dot(tl.trans(h), grad, input_precision=PRECISION)
        tl.atomic_add(outer_bias_grad + program * 32 + k, tl.sum(grad, 0), sem="relaxed")
        pre_grad = tl.dot(grad, tl.trans(w2), input_precision=PRECISION) * slope
        w1_grad += tl.dot(tl.trans(x), pre_grad, input_precision=PRECISION)
        tl.atomic_add(inner_bias_grad + program * 64 + h_k, tl.sum(pre_grad, 0), sem="relaxed")
        tl.store(z_grad + place, tl.dot(pre_grad, tl.trans(w1), input_precision=PRECISION), mask=real[:, None])
    _add_to(inner_grad + program * 4096 + square, w1_grad)
    _add_to(outer_grad + program * 2048 + narrow, w2_grad)
