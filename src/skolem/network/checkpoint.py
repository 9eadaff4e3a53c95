"""Writing models (`skolem.network.model_folder` reads them), and the state of training, in `training.safetensors`."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from skolem.network.model_folder import FORMAT, VERSION, ModelCard, load_card, load_weights
from skolem.network.rgnn import RGNN
from skolem.support.errors import InputError, Place
from skolem.support.files import replacing, write_text

Tensors = Mapping[str, torch.Tensor]


def save_model(folder: Path, card: ModelCard, weights: Tensors) -> None:
    """Writes a model atomically: the card last, so that a card is never without its weights."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tensors(folder / "model.safetensors", weights, {"fingerprint": card.fingerprint})
    write_card(folder, card)


def write_card(folder: Path, card: ModelCard) -> None:
    """Writes the card of a model whose weights stay as they are."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "domain": card.domain,
        "network": card.network.describe(),
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


def copy_model(source: Path, folder: Path) -> None:
    """Writes the model of one folder to another one."""
    model, card = load_model(source)
    save_model(folder, card, model.state_dict())


def load_model(folder: Path) -> tuple[RGNN, ModelCard]:
    """A model from its folder, on the CPU and ready for inference."""
    card = load_card(folder)
    weights = load_weights(folder, card)
    model = RGNN(card.network, card.vocabulary)
    model.load_state_dict({name: torch.tensor(value) for name, value in weights.items()})
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
    values = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    with replacing(path) as temporary:
        save_file(values, temporary, dict(metadata))


def hash_tensors(tensors: Tensors) -> str:
    """A checksum of tensors and their names."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        value = tensors[name].detach().cpu().contiguous()
        digest.update(f"{name} {value.dtype} {tuple(value.shape)} ".encode())
        digest.update(value.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def read_tensors(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """The tensors of a file on the CPU, and its text; an InputError if it is missing or damaged."""
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise InputError(f"not a readable file of weights ({error})", Place(str(path))) from error
