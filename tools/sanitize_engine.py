"""Runs the native engine under the address and undefined-behaviour sanitizers, over random networks and graphs.

python -m tools.sanitize_engine [--cases N]

The C code is built with gcc or clang into a temporary folder. A second process loads it and evaluates random cases with
every instruction set and several threads, compares with NumPy, and then does the same with arrays that were damaged at
random: whatever they are, a call ends with a result or with an exception. Training does so too, compared with PyTorch.
The first report of a sanitizer ends it.
"""

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from tests.network.random_networks import Case, make_case

from skolem.network.encoding import EncodedGraphs
from skolem.network.engine import native_engine, native_training
from skolem.network.engine.native_engine import VARIANTS, NativeEngine
from skolem.network.engine.native_training import NativeEmbedder
from skolem.network.engine.numpy_engine import NumpyEngine
from skolem.network.engine.protocol import Choices
from skolem.network.engine.torch_engine import TorchEngine
from skolem.network.graphs import Batch, Graphs, collate
from skolem.network.rgnn import RGNN

SOURCE = Path(native_engine.__file__).with_name("native.c")
FLAGS = ("-O1", "-g", "-fno-omit-frame-pointer", "-ffp-contract=fast", "-fPIC", "-shared", "-pthread")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
DAMAGES = 20
"""How often each case is damaged."""


def main() -> int:
    """Builds the code, runs the second process, and returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=150)
    parser.add_argument("--library", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.library:
        run_cases(given.library, given.cases)
        return 0
    compiler = os.environ.get("CC", "gcc")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "native.so"
        subprocess.run([compiler, *FLAGS, *SANITIZERS, str(SOURCE), "-o", str(library)], check=True)
        runtime = subprocess.run(
            [compiler, "-print-file-name=libasan.so"], check=True, capture_output=True, text=True
        ).stdout.strip()
        arguments = ["--library", str(library), "--cases", str(given.cases)]
        # The interpreter never frees all it has; what the engine takes it gives back before it returns.
        options = {"LD_PRELOAD": runtime, "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
        return subprocess.run(
            [sys.executable, "-m", "tools.sanitize_engine", *arguments], env=os.environ | options, check=False
        ).returncode


def run_cases(path: Path, count: int) -> None:
    """Evaluates random cases and differentiates them, whole and damaged, with the library at a path."""
    library = ctypes.CDLL(str(path))
    native_engine.load_library = lambda: library  # type: ignore[assignment]
    native_training.load_library = lambda: library  # type: ignore[assignment, attr-defined]
    refused = 0
    for seed in range(count):
        case = make_case(seed, head=True)
        ways = list(zip((1, 2, 3), range(len(VARIANTS)), strict=True))
        engines = [NativeEngine(case.config, case.vocabulary, case.weights, *way) for way in ways]
        embedders = [NativeEmbedder(*way) for way in ways]
        compare(case, engines)
        model, batch = make_training(case)
        compare_training(model, batch, embedders)
        rng = np.random.default_rng(seed)
        for number in range(DAMAGES):
            part, choices = damage(rng, case)
            for engine in engines:
                try:
                    engine.rate([part], choices)
                except (ValueError, MemoryError):
                    refused += 1
            try:
                # In turns: a batch takes longer.
                f = embedders[number % len(embedders)](model, damage_batch(rng, batch))
                f.sum().backward()  # type: ignore[no-untyped-call]
            except (ValueError, MemoryError):
                refused += 1
    tried = DAMAGES * count * (len(VARIANTS) + 1)
    print(f"{count} cases as NumPy and PyTorch compute them; of {tried} damaged ones {refused} refused")


def compare(case: Case, engines: list[NativeEngine]) -> None:
    """Asserts that all engines agree with NumPy."""
    reference = NumpyEngine(case.config, case.vocabulary, case.weights)
    costs, ratings = reference.predict([case.part]), reference.rate([case.part], case.choices)
    for engine in engines:
        np.testing.assert_allclose(engine.predict([case.part] * 9), costs * 9, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(engine.rate([case.part], case.choices), ratings, rtol=1e-3, atol=1e-3)


def make_training(case: Case) -> tuple[RGNN, Batch]:
    """The network of a case, and its graphs some times over: more than one piece of work."""
    graphs = Graphs.of(case.vocabulary, [case.part])
    batch = collate(graphs, torch.arange(len(graphs)).repeat(9))
    return TorchEngine.of(case.config, case.vocabulary, case.weights).model, batch


def compare_training(model: RGNN, batch: Batch, embedders: list[NativeEmbedder]) -> None:
    """Asserts that embeddings and gradients agree with PyTorch's."""
    expected = model.embed(batch)
    weights = [weight for name, weight in model.named_parameters() if name.startswith(("relation.", "update."))]
    wanted = torch.autograd.grad(expected.sum(), weights, materialize_grads=True)
    for embedder in embedders:
        f = embedder(model, batch)
        found = torch.autograd.grad(f.sum(), weights)
        for one, other in zip((f, *found), (expected, *wanted), strict=True):
            assert float((one - other).abs().max().detach()) <= 1e-3 * max(1e-3, float(other.abs().max().detach()))


def damage_batch(rng: np.random.Generator, batch: Batch) -> Batch:
    """A batch with one of its tensors cut, stretched, or one of its numbers replaced."""
    arity = int(rng.choice(list(batch.atoms)))
    odd = int(rng.choice([-(2**40), -1, 0, 1, 7, 2**15, 2**31, 2**40]))
    match int(rng.integers(3)):
        case 0:
            return replace(batch, atoms={**batch.atoms, arity: distort(rng, batch.atoms[arity], odd)})
        case 1:
            return replace(batch, graph=distort(rng, batch.graph, odd))
        case _:
            sizes = list(batch.sizes[arity])
            sizes[int(rng.integers(len(sizes)))] = odd
            return replace(batch, sizes={**batch.sizes, arity: tuple(sizes)})


def distort(rng: np.random.Generator, rows: torch.Tensor, odd: int) -> torch.Tensor:
    """Rows of numbers, cut, stretched, or with an odd one among them."""
    match int(rng.integers(3)):
        case 0:
            return rows[: int(rng.integers(len(rows) + 1))]
        case 1:
            return torch.cat([rows, rows[-1:]])
        case _:
            changed = rows.clone()
            if changed.numel():
                changed.view(-1)[int(rng.integers(changed.numel()))] = odd
            return changed


def damage(rng: np.random.Generator, case: Case) -> tuple[EncodedGraphs, Choices]:
    """The graphs and choices of a case with one array cut, stretched, or one of its numbers replaced."""
    arrays: list[npt.NDArray[Any]] = [*case.part, case.choices.graphs, case.choices.variables, case.choices.objects]
    number = int(rng.integers(len(arrays)))
    array = arrays[number].copy()
    match int(rng.integers(3)):
        case 0:
            array = array[: int(rng.integers(len(array) + 1))]
        case 1:
            array = np.concatenate([array, array[-1:]])
        case 2 if array.dtype != np.bool_ and array.size:
            array = array.astype(np.int64)
            array.flat[int(rng.integers(array.size))] = rng.choice([-(2**31), -1, 0, 1, 7, 2**15, 2**31 - 1, 2**40])
    arrays[number] = array
    nodes, counts, args, goal, *columns = arrays
    return (nodes, counts, args, goal), Choices(*columns)


if __name__ == "__main__":
    sys.exit(main())
