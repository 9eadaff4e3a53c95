"""Which engine runs a model: the native one where it was built, the NumPy one elsewhere, or what is asked for."""

import os
from pathlib import Path

from skolem.errors import UsageError
from skolem.network.engine.native_engine import NativeEngine, load_library
from skolem.network.engine.numpy_engine import NumpyEngine
from skolem.network.engine.protocol import Engine
from skolem.network.model_folder import load_card, load_weights
