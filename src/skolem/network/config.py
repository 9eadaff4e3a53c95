"""The shape of a network: what its weights do not say by themselves."""

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from skolem.support.errors import InputError

MOST_LAYERS = 10_000
"""Layers share their weights, so that no file gets larger by a number that nobody can wait for."""


@dataclass(frozen=True)
class NetworkConfig:
    """The shape of a network and of its input."""

    layers: int = 30
    width: int = 32
    smoothness: float = 12.0
    """The temperature of the smooth maximum; the larger, the closer to the maximum."""
    readout: Literal["sum", "goal"] = "goal"
    """Sum over all nodes, or over the goal's variables and the constants named in it."""
    residual: bool = True
    """Whether the update is added to the embedding; otherwise it replaces it."""
    bindings: Literal["all", "static"] = "static"
    """PossibleBinding(o, x) for all objects, or for the candidates of x."""
    head: bool = False
    """Whether there is a head that rates all bindings of a goal in one pass."""
    marks: bool = False
    """Whether the object that was bound last and its companions in the goal's atoms are marked."""
    attributes: Literal["left-out", "predicates"] = "left-out"
    """Static predicates that no action reads: left out, with all that is static decided, or as other predicates."""
    inequalities: Literal["false", "all", "facts"] = "false"
    """Which inequalities between bound variables are shown: the false ones, or all of them; with "facts" states also
    have Neq(o, o') for all pairs of different objects, where the goal has inequalities."""
    embeddings: Literal["zero", "half-random"] = "zero"
    """What embeddings start with: zeros, or zeros in one half and normally distributed numbers in the other."""

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.type in (int, bool) and type(getattr(self, field.name)) is not field.type:
                raise InputError(f"{field.name} of a network is given as {getattr(self, field.name)!r}")
        if self.layers < 1 or self.width < 1:
            raise InputError("a network needs at least one layer and a width of at least one")
        if self.layers > MOST_LAYERS:
            raise InputError(f"a network has at most {MOST_LAYERS} layers")
        if not (self.smoothness > 0 and math.isfinite(self.smoothness)):
            raise InputError("the smoothness of the maximum must be positive and finite")
        if self.readout not in ("sum", "goal") or self.bindings not in ("all", "static"):
            raise InputError("readout is sum or goal, bindings is all or static")
        if self.attributes not in ("left-out", "predicates"):
            raise InputError("attributes is left-out or predicates")
        if self.inequalities not in ("false", "all", "facts") or self.embeddings not in ("zero", "half-random"):
            raise InputError("inequalities is false, all or facts, embeddings is zero or half-random")

    def describe(self) -> dict[str, Any]:
        """All settings; those that older models do not have only where they are not as usual."""
        later = {"inequalities", "embeddings"}
        usual = NetworkConfig()
        return {name: v for name, v in asdict(self).items() if name not in later or v != getattr(usual, name)}


PAPER = NetworkConfig(readout="sum", residual=False, bindings="all", attributes="predicates")
PAPER_CODE = replace(PAPER, smoothness=8.0, inequalities="facts", embeddings="half-random")
SKOLEM = NetworkConfig(marks=True)
