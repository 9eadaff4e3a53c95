"""What every engine offers, whatever computes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from skolem.network.config import NetworkConfig
from skolem.network.encoding import EncodedGraphs, Ints
from skolem.network.vocabulary import Vocabulary
from skolem.support.errors import InputError


@dataclass(frozen=True)
class Choices:
    """Bindings of a variable to an object, in the order of their graphs."""

    graphs: Ints  # (Q,) ascending
    variables: Ints  # (Q,) the variable's node in its graph
    objects: Ints  # (Q,) the object's node in its graph


class Engine(Protocol):
    """A trained network, ready to be asked."""

    @property
    def config(self) -> NetworkConfig:
        """The shape of the network."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The relations that it knows."""

    @property
    def description(self) -> str:
        """What computes, in a few words."""

    def predict(self, parts: Sequence[EncodedGraphs]) -> list[float]:
        """The predicted cost of every graph."""

    def rate(self, parts: Sequence[EncodedGraphs], choices: Choices) -> list[float]:
        """The head's cost of every choice; the network must have a head."""


def list_numbers(values: npt.NDArray[np.floating[Any]]) -> list[float]:
    """The values of a network; an InputError if weights that are too large left some that are no numbers."""
    if not np.isfinite(values).all():
        raise InputError("the model predicts costs that are not finite: its weights are too large")
    numbers: list[float] = values.tolist()
    return numbers


def check_part(vocabulary: Vocabulary, part: EncodedGraphs) -> None:
    """A ValueError if arrays are no graphs over a vocabulary's relations, every node in at least one atom."""
    nodes, counts, args, goal = part
    if counts.shape != (len(nodes), len(vocabulary.arities)):
        raise ValueError("graphs and network have different numbers of relations")
    slots = counts.astype(np.int64) @ np.array(vocabulary.arities)
    if (nodes < 0).any() or (counts < 0).any() or slots.sum() != args.size or nodes.sum() != goal.size:
        raise ValueError("the arrays of the graphs do not have the sizes that their counts give")
    if (args < 0).any() or (args >= np.repeat(nodes, slots)).any():
        raise ValueError("an atom has an argument that is no node of its graph")
    sizes = nodes.astype(np.int64)
    if not np.bincount(args + np.repeat(sizes.cumsum() - sizes, slots), minlength=goal.size).all():
        raise ValueError("a node is in no atom")


def check_choices(nodes: Ints, choices: Choices) -> None:
    """A ValueError if choices are not in the order of their graphs or not between their nodes."""
    graphs, variables, objects = choices.graphs, choices.variables, choices.objects
    if not len(graphs) == len(variables) == len(objects):
        raise ValueError("choices have columns of different lengths")
    known = not len(graphs) or (graphs[0] >= 0 and graphs[-1] < len(nodes) and (np.diff(graphs) >= 0).all())
    if not known or any((column < 0).any() or (column >= nodes[graphs]).any() for column in (variables, objects)):
        raise ValueError("choices are not between nodes of their graphs, or the network has no head")
