"""Sets of objects as the bits of an integer."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


def pack(objects: npt.NDArray[np.integer[Any]], count: int) -> int:
    """The set of the given objects as bits."""
    present = np.zeros(count, dtype=np.bool_)
    present[objects] = True
    return int.from_bytes(np.packbits(present, bitorder="little").tobytes(), "little")


def unpack(masks: Sequence[int], count: int) -> npt.NDArray[np.bool_]:
    """One row for every set of objects, True at its members.

    >>> unpack([5, 2], 3).tolist()
    [[True, False, True], [False, True, False]]
    """
    width = (count + 7) // 8
    packed = b"".join([mask.to_bytes(width, "little") for mask in masks])
    table = np.frombuffer(packed, dtype=np.uint8).reshape(len(masks), width)
    return np.unpackbits(table, axis=1, count=count, bitorder="little").view(np.bool_)


def split(mask: int) -> list[int]:
    """The bits of a set, lowest first.

    >>> split(0b1101)
    [1, 4, 8]
    """
    if mask.bit_length() > 512:
        return [1 << i for i in np.flatnonzero(unpack([mask], mask.bit_length())[0]).tolist()]
    bits = []
    while mask:
        low = mask & -mask
        bits.append(low)
        mask ^= low
    return bits


def lowest(mask: int) -> int:
    """The lowest bit of a set."""
    return mask & -mask


def revise(own: int, other: int, forward: Mapping[int, int], backward: Mapping[int, int]) -> int:
    """The objects of `other` that have a partner in `own`."""
    if own.bit_count() <= other.bit_count():
        reached = 0
        while own:
            low = own & -own
            own ^= low
            reached |= forward.get(low, 0)
        return other & reached
    kept = rest = other
    while rest:
        low = rest & -rest
        rest ^= low
        if not backward.get(low, 0) & own:
            kept ^= low
    return kept
