"""Models on disk: `config.json` and `model.safetensors`; the state of training apart, in `training.safetensors`."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from skolem.network.rgnn import RGNN, NetworkConfig
from skolem.network.vocabulary import Vocabulary
from skolem.oracle.dataset import Relation
from skolem.support.errors import InputError, Place
from skolem.support.files import write_text

FORMAT = "skolem-model"
VERSION = 2

Tensors = Mapping[str, torch.Tensor]


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
    def fingerprint(self) -> str:
        """A checksum of what the weights depend on: they carry it, so that files of two models are not mixed."""
        content = json.dumps([asdict(self.network), self.vocabulary.signature])
        return hashlib.sha256(content.encode()).hexdigest()


def save_model(folder: Path, card: ModelCard, weights: Tensors) -> None:
    """Writes a model atomically: the card last, so that a card is never without its weights."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tensors(folder / "model.safetensors", weights, {"fingerprint": card.fingerprint})
    content = {
        "format": FORMAT,
        "version": VERSION,
        "domain": card.domain,
        "network": asdict(card.network),
        "relations": [vars(r) for r in card.vocabulary.relations],
        "joins": card.vocabulary.joins,
        "signature": card.vocabulary.signature,
        "unreachable": card.unreachable,
        "goals": list(card.goals),
        "actions": list(card.actions),
        "metric": card.metric,
        "training": dict(card.training),
    }
    write_text(folder / "config.json", json.dumps(content, indent=1) + "\n")


def load_card(folder: Path) -> ModelCard:
    """What a model is, without its weights."""
    path = folder / "config.json"
    place = Place(str(path))
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] == FORMAT and content["version"] == 1:
            raise InputError("a model of version 0.1, which reads goals in another way: train it again", place)
        if content["format"] != FORMAT or content["version"] != VERSION:
            raise InputError(f"expected format {FORMAT} version {VERSION}", place)
        network = NetworkConfig(**content["network"])
        relations = tuple(Relation(**r) for r in content["relations"])
        vocabulary = Vocabulary(relations, network.marks, network.attributes == "left-out", int(content["joins"]))
        if vocabulary.signature != content["signature"]:
            raise InputError("the relations do not match their signature", place)
        return ModelCard(
            network=network,
            vocabulary=vocabulary,
            domain=content["domain"],
            unreachable=float(content["unreachable"]),
            goals=tuple(content["goals"]),
            actions=tuple(content["actions"]),
            metric=bool(content["metric"]),
            training=content["training"],
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"not a model ({error})", place) from error


def load_model(folder: Path) -> tuple[RGNN, ModelCard]:
    """A model from its folder, on the CPU and ready for inference."""
    card = load_card(folder)
    path = folder / "model.safetensors"
    weights, metadata = read_tensors(path)
    if metadata.get("fingerprint") != card.fingerprint:
        raise InputError("the weights belong to another model than config.json", Place(str(path)))
    model = RGNN(card.network, card.vocabulary)
    fill(model, weights, path)
    return model.eval(), card


def fill(model: torch.nn.Module, weights: Tensors, path: Path) -> None:
    """Sets the weights of a network; an InputError if they have other names or shapes."""
    wanted = {name: tuple(value.shape) for name, value in model.state_dict().items()}
    given = {name: tuple(value.shape) for name, value in weights.items()}
    if wanted != given:
        wrong = sorted(name for name in wanted.keys() | given.keys() if wanted.get(name) != given.get(name))
        raise InputError(f"these weights do not fit the network: {', '.join(wrong)}", Place(str(path)))
    model.load_state_dict(dict(weights))


def write_tensors(path: Path, tensors: Tensors, metadata: Mapping[str, str]) -> None:
    """Writes tensors and some text atomically."""
    temporary = path.with_name(path.name + ".part")
    values = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    save_file(values, temporary, dict(metadata))
    os.replace(temporary, path)


def read_tensors(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """The tensors of a file on the CPU, and its text; an InputError if it is missing or damaged."""
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise InputError(f"not a readable file of weights ({error})", Place(str(path))) from error
