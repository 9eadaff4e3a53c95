"""Types: which objects are of a type, and which types can share objects."""

from collections.abc import Mapping

Types = tuple[str, ...]
"""The types that an object has, or of which a parameter or a variable allows each."""

Supertypes = Mapping[str, frozenset[str]]
"""Every type with all its supertypes, itself and `object` included."""


def fit(supertypes: Supertypes, own: Types, allowed: Types) -> bool:
    """Whether an object declared with its own types is of an allowed type.

    >>> above = {"object": frozenset({"object"}), "cup": frozenset({"cup", "object"})}
    >>> fit(above, ("cup",), ("object",)), fit(above, ("object",), ("cup",))
    (True, False)
    """
    return any(not supertypes[t].isdisjoint(allowed) for t in own)


def overlap(supertypes: Supertypes, some: Types, others: Types) -> bool:
    """Whether an object could be of one of some types and of one of the others."""
    return any(not above.isdisjoint(some) and not above.isdisjoint(others) for above in supertypes.values())
