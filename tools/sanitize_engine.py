"""Runs the native engine under the address and undefined-behaviour sanitizers, over random networks and graphs.

python -m tools.sanitize_engine [--cases N]

The C code is built with gcc or clang into a temporary folder. A second process loads it and evaluates random cases with
every instruction set and several threads, compares with NumPy, and then does the same with arrays that were damaged at
random: whatever they are, a call ends with a result or with an exception. The first report of a sanitizer ends it.
"""

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tests.network.random_networks import Case, make_case

from skolem.network.encoding import EncodedGraphs
from skolem.network.engine import native_engine
from skolem.network.engine.native_engine import VARIANTS, NativeEngine
from skolem.network.engine.numpy_engine import NumpyEngine
from skolem.network.engine.protocol import Choices

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
    """Evaluates random cases, whole and damaged, with the library at a path."""
    library = ctypes.CDLL(str(path))
    native_engine.load_library = lambda: library  # type: ignore[assignment]
    refused = 0
    for seed in range(count):
        case = make_case(seed, head=True)
        engines = [
            NativeEngine(case.config, case.vocabulary, case.weights, threads, variant)
            for threads, variant in zip((1, 2, 3), range(len(VARIANTS)), strict=True)
        ]
        compare(case, engines)
        rng = np.random.default_rng(seed)
        for _ in range(DAMAGES):
            part, choices = damage(rng, case)
            for engine in engines:
                try:
                    engine.rate([part], choices)
                except (ValueError, MemoryError):
                    refused += 1
    print(f"{count} cases as NumPy computes them; of {DAMAGES * count * len(VARIANTS)} damaged ones {refused} refused")


def compare(case: Case, engines: list[NativeEngine]) -> None:
    """Asserts that all engines agree with NumPy."""
    reference = NumpyEngine(case.config, case.vocabulary, case.weights)
    costs, ratings = reference.predict([case.part]), reference.rate([case.part], case.choices)
    for engine in engines:
        np.testing.assert_allclose(engine.predict([case.part] * 9), costs * 9, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(engine.rate([case.part], case.choices), ratings, rtol=1e-3, atol=1e-3)


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
