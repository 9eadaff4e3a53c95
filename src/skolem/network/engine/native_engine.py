"""The engine in C (native.c), loaded where it could be built."""

import ctypes
import os
import sysconfig
from collections.abc import Iterator, Sequence
from ctypes import Structure, byref, c_int32, c_int64, c_void_p
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from skolem.network.config import NetworkConfig
from skolem.network.encoding import EncodedGraphs, join_encoded
from skolem.network.engine.protocol import Choices, list_numbers
from skolem.network.model_folder import Floats, Weights
from skolem.network.vocabulary import Vocabulary
from skolem.support.errors import InputError, UnsupportedError
from skolem.support.parallel import count_processors

INTERFACE = 2
PACK = 16
"""Widths are rounded up to multiples of it."""
ALIGNMENT = 64
VARIANTS = ("SSE2" if sysconfig.get_platform().endswith(("x86_64", "amd64")) else "plain C", "AVX2", "AVX-512")
LOG_E = float(np.log2(np.e))
LEAST_ARGS = 3_000
"""Arguments of atoms for which another thread is worth its while."""
MOST_THREADS = 256
NO_MEMORY = 6
MOST_ARGS = 200_000
"""Arguments of atoms that are evaluated in one call: tenths of a second."""
FAILURES = {
    1: "the weights do not have the size that the network needs",
    2: "the arrays of the graphs do not have the sizes that their counts give",
    3: "an atom has an argument that is no node of its graph",
    4: "a node is in no atom",
    5: "choices are not between nodes of their graphs, or the network has no head",
    NO_MEMORY: "there is not enough memory",
}


class Shape(Structure):
    _fields_ = (
        ("width", c_int32),
        ("layers", c_int32),
        ("relations", c_int32),
        ("residual", c_int32),
        ("goal_readout", c_int32),
        ("head", c_int32),
        ("arities", c_void_p),
        ("weights", c_void_p),
        ("length", c_int64),
    )


class _Graphs(Structure):
    _fields_ = (
        ("count", c_int64),
        ("nodes", c_void_p),
        ("counts", c_void_p),
        ("args", c_void_p),
        ("args_length", c_int64),
        ("goal", c_void_p),
        ("goal_length", c_int64),
    )


class _Pairs(Structure):
    _fields_ = (
        ("count", c_int64),
        ("graphs", c_void_p),
        ("variables", c_void_p),
        ("objects", c_void_p),
    )


@cache
def load_library() -> ctypes.CDLL | None:
    """The compiled code beside this file, or None where there is none or another version's."""
    for suffix in EXTENSION_SUFFIXES:
        path = Path(__file__).with_name(f"_native{suffix}")
        if path.exists():
            try:
                library = ctypes.CDLL(os.fspath(path))
                if library.skolem_interface() == INTERFACE:
                    return library
            except (OSError, AttributeError):
                continue
    return None


def count_threads() -> int:
    """The threads that SKOLEM_THREADS asks for, else one for every processor that this process may use."""
    asked = os.environ.get("SKOLEM_THREADS", "")
    if asked:
        if not asked.isdecimal() or not 1 <= int(asked) <= MOST_THREADS:
            raise InputError(f"SKOLEM_THREADS={asked}: expected a number from 1 to {MOST_THREADS}")
        return int(asked)
    return count_processors()


def describe_native(threads: int | None = None, variant: int | None = None) -> str:
    """The engine with an instruction set, the processor's best unless told, and a number of threads."""
    count = threads or count_threads()
    chosen = find_best_variant() if variant is None else variant
    return f"native, {VARIANTS[chosen]}, {count} thread{'s' * (count > 1)}"


def find_best_variant() -> int:
    library = load_library()
    return int(library.skolem_best_variant()) if library else 0


class NativeEngine:
    """A network whose weights were laid out for the compiled code; the threads are counted anew if none are given."""

    def __init__(
        self,
        config: NetworkConfig,
        vocabulary: Vocabulary,
        weights: Weights,
        threads: int | None = None,
        variant: int | None = None,
    ) -> None:
        library = load_library()
        assert library is not None, "the native engine was not built"
        if config.embeddings != "zero":
            raise UnsupportedError("the native engine knows no random embeddings: SKOLEM_ENGINE=numpy does")
        self.config = config
        self.vocabulary = vocabulary
        self.threads = threads
        self.variant = find_best_variant() if variant is None else min(variant, find_best_variant())
        self._library = library
        self._weights = align(np.concatenate(list(pack_weights(config, vocabulary, weights))))
        self._arities = np.array(vocabulary.arities, dtype=np.int32)
        self._shape = Shape(
            config.width,
            config.layers,
            len(self._arities),
            config.residual,
            config.readout == "goal",
            config.head,
            point_to(self._arities),
            point_to(self._weights),
            len(self._weights),
        )

    @property
    def description(self) -> str:
        """What computes, in a few words."""
        return describe_native(self.threads, self.variant)

    def predict(self, parts: Sequence[EncodedGraphs]) -> list[float]:
        """The predicted cost of every graph."""
        pieces = self._split(join_encoded(parts)) if parts else []
        return [cost for piece in pieces for cost in list_numbers(self._evaluate(piece, None)[0])]

    def rate(self, parts: Sequence[EncodedGraphs], choices: Choices) -> list[float]:
        """The head's cost of every choice."""
        return list_numbers(self._evaluate(join_encoded(parts), choices)[1]) if parts else []

    def _split(self, part: EncodedGraphs) -> Iterator[EncodedGraphs]:
        """The graphs in pieces that do not keep the interpreter from signals for long."""
        nodes, counts, args, goal = part
        rest = slice(0, None)
        if args.size > MOST_ARGS and counts.shape == (len(nodes), len(self._arities)):
            ends = np.cumsum(counts.astype(np.int64) @ self._arities)
            for last in (np.flatnonzero(np.diff(ends // MOST_ARGS)) + 1).tolist():
                own = slice(rest.start, last)
                used, known = int(ends[last - 1] - (ends[own.start - 1] if own.start else 0)), int(nodes[own].sum())
                yield nodes[own], counts[own], args[:used], goal[:known]
                args, goal, rest = args[used:], goal[known:], slice(last, None)
        yield nodes[rest], counts[rest], args, goal

    def _evaluate(self, part: EncodedGraphs, choices: Choices | None) -> tuple[Floats, Floats]:
        nodes, counts, args, goal = part
        if counts.shape != (len(nodes), len(self._arities)):
            raise ValueError("graphs and network have different numbers of relations")
        # The arrays are named so that they live as long as the call.
        numbers = [_convert(array, np.int32) for array in (nodes, counts, args)]
        flags = _convert(goal, np.uint8)
        columns = [] if choices is None else [choices.graphs, choices.variables, choices.objects]
        pairs = [_convert(column, np.int32) for column in columns]
        if len({len(column) for column in pairs}) > 1:
            raise ValueError("choices have columns of different lengths")
        costs = np.empty(len(nodes), dtype=np.float32)
        ratings = np.empty(len(pairs[0]) if pairs else 0, dtype=np.float32)
        graphs = _Graphs(len(nodes), *(point_to(n) for n in numbers), args.size, point_to(flags), goal.size)
        code = self._library.skolem_evaluate(
            byref(self._shape),
            byref(graphs),
            byref(_Pairs(len(ratings), *(point_to(column) for column in pairs))) if pairs else None,
            point_to(costs),
            point_to(ratings),
            min(self.threads or count_threads(), 1 + args.size // LEAST_ARGS),
            self.variant,
        )
        if code:
            raise (MemoryError if code == NO_MEMORY else ValueError)(FAILURES[code])
        return costs, ratings


def pack_weights(config: NetworkConfig, vocabulary: Vocabulary, weights: Weights) -> Iterator[Floats]:
    """The numbers of all layers in the order of native.c: those of each relation, the update, the readout, the head.

    What is raised to a power comes multiplied by log2(e), messages by the smoothness too.
    """
    k = config.width
    place = {r: (a, i) for a, numbers in vocabulary.by_arity.items() for i, r in enumerate(numbers)}
    for relation in range(len(vocabulary.arities)):
        arity, index = place[relation]
        yield from _pack(weights, f"relation.{arity}", index, [k] * arity, [k] * arity, config.smoothness)
    # What the update reads of the messages is taken back to what they are.
    scale = np.repeat([1.0, 1 / (config.smoothness * LOG_E)], k)
    yield from _pack(weights, "update", 0, [k, k], [k], 1 / LOG_E, scale)
    yield from _pack(weights, "readout", 0, [k], [1], 1 / LOG_E)
    if config.head:
        yield from _pack(weights, "head", 0, [k, k, k], [1], 1 / LOG_E)


def _pack(
    weights: Weights,
    name: str,
    index: int,
    inputs: Sequence[int],
    outputs: Sequence[int],
    factor: float,
    scale: npt.NDArray[Any] | float = 1.0,
) -> Iterator[Floats]:
    """Weight and bias of a network's two layers: inputs come divided by `scale`, outputs times `factor` log2(e)."""
    layers = {
        part: weights[f"{name}.{part}"][index].astype(np.float64)
        for part in ("inner_weight", "inner_bias", "outer_weight", "outer_bias")
    }
    hidden = [layers["inner_bias"].shape[0]]
    scaled = layers["inner_weight"] * np.broadcast_to(scale, sum(inputs))[:, None]
    yield _pad(scaled * LOG_E, inputs, hidden)
    yield _pad(layers["inner_bias"][None] * LOG_E, [1], hidden, rows=1)
    yield _pad(layers["outer_weight"] * factor, hidden, outputs)
    yield _pad(layers["outer_bias"][None] * factor * LOG_E, [1], outputs, rows=1)


def _pad(matrix: npt.NDArray[Any], inputs: Sequence[int], outputs: Sequence[int], rows: int | None = None) -> Floats:
    """A matrix, flattened, whose blocks of rows and of columns are filled up with zeros."""
    shape = (rows or sum(map(round_up, inputs)), sum(map(round_up, outputs)))
    if matrix.shape == shape:
        return matrix.astype(np.float32).reshape(-1)
    padded = np.zeros(shape, dtype=np.float32)
    padded[np.ix_(_spread(inputs), _spread(outputs))] = matrix
    return padded.reshape(-1)


def round_up(size: int) -> int:
    return -(-size // PACK) * PACK


def _spread(sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    """Where the numbers of blocks stand once each block is rounded up."""
    starts = np.cumsum([0, *map(round_up, sizes[:-1])])
    return np.concatenate([start + np.arange(size) for start, size in zip(starts, sizes, strict=True)])


def align(array: Floats) -> Floats:
    """The same numbers at an address that no vector straddles a cache line from."""
    spare = ALIGNMENT // array.itemsize
    space = np.empty(len(array) + spare, dtype=array.dtype)
    shift = -space.ctypes.data % ALIGNMENT // array.itemsize
    aligned = space[shift : shift + len(array)]
    aligned[:] = array
    return aligned


def _convert(array: npt.NDArray[Any], dtype: type[np.generic]) -> npt.NDArray[Any]:
    """The array in the type that the compiled code reads; a ValueError if a number does not fit."""
    if array.dtype.itemsize > 4 and array.size and not (array.min() >= -(2**31) and array.max() < 2**31):
        raise ValueError("a number does not fit into 32 bits")
    return np.ascontiguousarray(array, dtype=dtype)


def point_to(array: npt.NDArray[Any]) -> c_void_p:
    # A tenth of the time that `array.ctypes` takes.
    return c_void_p(array.__array_interface__["data"][0])
