"""Which engine runs a network: the native one where it was built, the NumPy one elsewhere, or what is asked for.

SKOLEM_ENGINE=native|numpy|torch asks for an engine, SKOLEM_THREADS=N for a number of threads of the native one.
"""

import os
from importlib.util import find_spec
from typing import Literal

from skolem.network.config import NetworkConfig
from skolem.network.engine.native_engine import NativeEngine, describe_native, load_library
from skolem.network.engine.protocol import Engine
from skolem.network.model_folder import Weights
from skolem.network.vocabulary import Vocabulary
from skolem.support.errors import InputError

Kind = Literal["native", "numpy", "torch"]


def choose_engine() -> Kind:
    """The engine that is asked for, else the fastest that there is; an InputError if it is not there."""
    match os.environ.get("SKOLEM_ENGINE", ""):
        case "":
            return "numpy" if load_library() is None else "native"
        case "native":
            if load_library() is None:
                raise InputError("SKOLEM_ENGINE=native: it was not built; install Skolem again where a C compiler is")
            return "native"
        case "numpy":
            return "numpy"
        case "torch":
            if find_spec("torch") is None:
                raise InputError("SKOLEM_ENGINE=torch: PyTorch is not installed; pip install 'skolem[train]'")
            return "torch"
        case other:
            raise InputError(f"SKOLEM_ENGINE={other}: expected native, numpy or torch")


def describe_engine() -> str:
    """The engine in use, in a few words: "native, AVX-512, 2 threads"."""
    kind = choose_engine()
    return describe_native() if kind == "native" else {"numpy": "NumPy", "torch": "PyTorch"}[kind]


def build_engine(kind: Kind, config: NetworkConfig, vocabulary: Vocabulary, weights: Weights) -> Engine:
    """A network, run by one of the engines; the NumPy one if the native one does not know random embeddings."""
    match kind:
        case "native" if config.embeddings == "zero":
            return NativeEngine(config, vocabulary, weights)
        case "native" | "numpy":
            from skolem.network.engine.numpy_engine import NumpyEngine

            return NumpyEngine(config, vocabulary, weights)
        case "torch":
            from skolem.network.engine.torch_engine import TorchEngine

            return TorchEngine.of(config, vocabulary, weights)
