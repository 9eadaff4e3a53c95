"""What a network and a dataset know of a predicate."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Relation:
    """A relation of the vocabulary: a predicate, or a type as `type:T`."""

    name: str
    arity: int
    static: bool
