"""Models on disk, read without PyTorch: `config.json` and the weights in `model.safetensors`."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from skolem.network.config import NetworkConfig
from skolem.network.vocabulary import JOINS, Vocabulary
from skolem.support.errors import InputError, Place
from skolem.task.relation import Relation

FORMAT = "skolem-model"
VERSION = 2
ABOVE = 2.0
"""How far above the costs of training the constant for unreachable goals is."""

Floats = npt.NDArray[np.floating[Any]]
Weights = Mapping[str, Floats]
"""The weights of a network by their names (`skolem.network.rgnn`)."""


@dataclass(frozen=True)
class ModelCard:
    """What a model is and where it comes from: the content of `config.json`."""

    network: NetworkConfig
    vocabulary: Vocabulary
    domain: str
    unreachable: float
    """What the network was trained to predict for goals that cannot be reached."""
    goals: tuple[str, ...] = ()
    """The literals of the goals it was trained on, by predicate and sign: `on`, `not on`."""
    actions: tuple[str, ...] = ()
    """The actions and axioms of its domain in canonical text (`skolem.task.schemas`)."""
    metric: bool = False
    """Whether its costs are those of the metric; otherwise they are steps."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """Recipe, budget, dataset and validation results."""

    @property
    def farthest(self) -> float:
        """The largest cost that the network was trained on, but for a few."""
        twice = self.training.get("recipe", {}).get("unreachable") == "twice"
        return self.unreachable / 2 if twice else self.unreachable - ABOVE

    @property
    def fingerprint(self) -> str:
        """A checksum of what the weights depend on: they carry it, so that files of two models are not mixed."""
        content = json.dumps([self.network.describe(), self.vocabulary.signature])
        return hashlib.sha256(content.encode()).hexdigest()


def load_card(folder: Path) -> ModelCard:
    """What a model is, without its weights."""
    path = folder / "config.json"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] == FORMAT and content["version"] == 1:
            raise InputError("a model of version 0.1, which reads goals in another way: train it again")
        if content["format"] != FORMAT or content["version"] != VERSION:
            raise InputError(f"expected format {FORMAT} version {VERSION}", Place(str(path)))
        network = NetworkConfig(**content["network"])
        relations = tuple(map(_read_relation, content["relations"]))
        joins = int(content["joins"])
        if not 0 <= joins <= JOINS:
            raise InputError(f"a network has at most {JOINS} relations for joins")
        decided = network.attributes == "left-out"
        vocabulary = Vocabulary(relations, network.marks, decided, joins, network.inequalities)
        if len(vocabulary.index) < len(vocabulary.relations):
            raise InputError("two relations have the same name", Place(str(path)))
        if vocabulary.signature != content["signature"]:
            raise InputError("the relations do not match their signature", Place(str(path)))
        unreachable = float(content["unreachable"])
        if not math.isfinite(unreachable):
            raise InputError("the cost of unreachable goals is not finite", Place(str(path)))
        training = dict(content["training"])
        if any(type(training.get(name, 0)) is not int for name in ("objects", "measured")):
            raise InputError("the objects of training and of measurements are not numbers", Place(str(path)))
        return ModelCard(
            network=network,
            vocabulary=vocabulary,
            domain=str(content["domain"]),
            unreachable=unreachable,
            goals=tuple(map(str, content["goals"])),
            actions=tuple(map(str, content["actions"])),
            metric=bool(content["metric"]),
            training=training,
        )
    except InputError as error:
        raise InputError(error.message, error.place or Place(str(path))) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise InputError(f"not a model ({error})", Place(str(path))) from error
    except RecursionError as error:
        raise InputError("not a model (nested too deeply)", Place(str(path))) from error


def _read_relation(content: Mapping[str, Any]) -> Relation:
    relation = Relation(**content)
    if [type(value) for value in vars(relation).values()] != [str, int, bool] or relation.arity < 0:
        raise InputError("a relation has a name, a number of arguments and says whether it is static")
    return relation


def list_shapes(config: NetworkConfig, vocabulary: Vocabulary) -> dict[str, tuple[int, ...]]:
    """The shape of every weight of a network."""
    k = config.width
    networks = {f"relation.{a}": (len(r), a * k, a * k, a * k) for a, r in vocabulary.by_arity.items()}
    networks |= {"update": (1, 2 * k, 2 * k, k), "readout": (1, k, k, 1)}
    if config.head:
        networks["head"] = (1, 3 * k, 3 * k, 1)
    shapes: dict[str, tuple[int, ...]] = {}
    for name, (count, inputs, hidden, outputs) in networks.items():
        shapes[f"{name}.inner_weight"] = (count, inputs, hidden)
        shapes[f"{name}.inner_bias"] = (count, hidden)
        shapes[f"{name}.outer_weight"] = (count, hidden, outputs)
        shapes[f"{name}.outer_bias"] = (count, outputs)
    return shapes


def load_weights(folder: Path, card: ModelCard) -> dict[str, Floats]:
    """The weights of a model, all of them as its card wants them; an InputError otherwise.

    Their shapes are compared before anything is read, so that no size in a card can take memory that is not there.
    """
    path = folder / "model.safetensors"
    place = Place(str(path))
    try:
        with safe_open(path, framework="np") as file:
            if (file.metadata() or {}).get("fingerprint") != card.fingerprint:
                raise InputError("the weights belong to another model than config.json", place)
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
            wanted = list_shapes(card.network, card.vocabulary)
            given = {name: tuple(each.get_shape()) for name, each in slices.items()}
            if wanted != given:
                wrong = sorted(name for name in wanted.keys() | given.keys() if wanted.get(name) != given.get(name))
                raise InputError(f"these weights do not fit the network: {', '.join(wrong)}", place)
            others = sorted(name for name, each in slices.items() if each.get_dtype() != "F32")
            if others:
                raise InputError(f"these weights are not 32-bit floats: {', '.join(others)}", place)
            weights: dict[str, Floats] = {name: file.get_tensor(name) for name in slices}
    except (OSError, SafetensorError) as error:
        raise InputError(f"not a readable file of weights ({error})", place) from error
    infinite = sorted(name for name, value in weights.items() if not np.isfinite(value).all())
    if infinite:
        raise InputError(f"these weights are not finite: {', '.join(infinite)}", place)
    return weights
