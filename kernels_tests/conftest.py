"""Runs the kernels in Triton's interpreter, on the CPU."""

import os

os.environ["TRITON_INTERPRET"] = "1"

from typing import Any

from triton.runtime import interpreter

_patch = interpreter._patch_lang_tensor


def _patch_index(tensor: Any, scope: Any) -> None:
    """Lets numbers that a kernel loads be bounds of its loops."""
    _patch(tensor, scope)
    # The interpreter converts arrays of one element by int(), which NumPy 2.4 refuses.
    scope.set_attr(tensor, "__index__", lambda number: number.handle.data.item())


interpreter._patch_lang_tensor = _patch_index
