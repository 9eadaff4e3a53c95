"""Models on disk, whole and damaged."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tests.network.worlds import ATTRIBUTES, RELATIONS

from skolem.network.checkpoint import load_model, save_model
from skolem.network.config import NetworkConfig
from skolem.network.model_folder import ModelCard, load_card
from skolem.network.rgnn import RGNN
from skolem.network.vocabulary import Vocabulary
from skolem.support.errors import InputError

CARD = ModelCard(
    NetworkConfig(layers=2, width=4),
    Vocabulary.of(RELATIONS, attributes=ATTRIBUTES),
    "made-up",
    30.0,
    goals=("on", "not clear"),
    actions=("(on ?0 ?1) => (clear ?0)",),
    metric=True,
    training={"seed": 3},
)


def save_example(folder: Path, card: ModelCard = CARD) -> RGNN:
    model = RGNN(card.network, card.vocabulary)
    save_model(folder, card, model.state_dict())
    return model


def test_a_model_comes_back_as_it_was(tmp_path: Path) -> None:
    model = save_example(tmp_path / "new")
    loaded, card = load_model(tmp_path / "new")
    assert card == CARD
    for name, value in model.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], value)
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["config.json", "model.safetensors"]


def test_a_model_with_marks_knows_their_relations(tmp_path: Path) -> None:
    network = NetworkConfig(layers=2, width=4, marks=True)
    card = replace(CARD, network=network, vocabulary=Vocabulary.of(RELATIONS, True, ATTRIBUTES))
    save_example(tmp_path, card)
    assert load_model(tmp_path)[1] == card
    assert card.vocabulary.names[-2:] == ("Chosen", "Companion")
    assert card.fingerprint != CARD.fingerprint


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def scribble(path: Path) -> None:
    path.write_bytes(b"no safetensors file at all, but long enough to be one")


def change(path: Path, key: str, value: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))


@pytest.mark.parametrize("damage", [cut, scribble, Path.unlink, lambda p: p.write_bytes(b"")])
def test_damaged_weights_are_refused(damage: Callable[[Path], object], tmp_path: Path) -> None:
    save_example(tmp_path)
    damage(tmp_path / "model.safetensors")
    with pytest.raises(InputError, match=r"model\.safetensors:1:1: not a readable file of weights"):
        load_model(tmp_path)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (Path.unlink, "not a model"),
        (cut, "not a model"),
        (lambda p: p.write_text("[]"), "not a model"),
        (lambda p: change(p, "version", 99), "expected format skolem-model version 2"),
        (lambda p: change(p, "version", 1), "a model of version 0.1, which reads goals in another way"),
        (lambda p: change(p, "signature", "0"), "do not match their signature"),
        (lambda p: change(p, "network", {"depth": 3}), "not a model"),
        (lambda p: change(p, "network", {"layers": 0}), "at least one layer"),
    ],
)
def test_a_damaged_card_is_refused(damage: Callable[[Path], object], message: str, tmp_path: Path) -> None:
    save_example(tmp_path)
    damage(tmp_path / "config.json")
    with pytest.raises(InputError, match=message):
        load_card(tmp_path)


def test_weights_of_another_model_are_refused(tmp_path: Path) -> None:
    save_example(tmp_path / "one")
    save_example(tmp_path / "two", replace(CARD, network=NetworkConfig(layers=2, width=5)))
    (tmp_path / "two" / "model.safetensors").replace(tmp_path / "one" / "model.safetensors")
    with pytest.raises(InputError, match="belong to another model"):
        load_model(tmp_path / "one")


def test_weights_with_a_missing_tensor_are_refused(tmp_path: Path) -> None:
    weights = RGNN(CARD.network, CARD.vocabulary).state_dict()
    del weights["update.inner_bias"]
    save_model(tmp_path, CARD, weights)
    with pytest.raises(InputError, match=r"do not fit the network: update\.inner_bias"):
        load_model(tmp_path)
