"""Model folders that are damaged, absurd or malicious are refused in one line, before anything large is made."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file
from tests.network.random_networks import draw_weights
from tests.network.worlds import RELATIONS

from skolem.network.config import NetworkConfig
from skolem.network.model_folder import VERSION, Floats, ModelCard, list_shapes, load_card, load_weights
from skolem.network.vocabulary import Vocabulary
from skolem.oracle.dataset import Relation
from skolem.support.errors import InputError

CARD = ModelCard(
    NetworkConfig(layers=2, width=4, head=True), Vocabulary.of(RELATIONS, attributes=()), "made-up", 30.0, ("on",)
)


def write_model(folder: Path, weights: dict[str, Floats], card: ModelCard = CARD) -> None:
    save_file(dict(weights), folder / "model.safetensors", {"fingerprint": card.fingerprint})
    content = {
        "format": "skolem-model",
        "version": VERSION,
        "domain": card.domain,
        "network": vars(card.network),
        "relations": [vars(r) for r in card.vocabulary.relations],
        "signature": card.vocabulary.signature,
        "unreachable": card.unreachable,
        "joins": card.vocabulary.joins,
        "goals": list(card.goals),
        "actions": list(card.actions),
        "metric": card.metric,
        "training": {},
    }
    (folder / "config.json").write_text(json.dumps(content))


def make_weights(card: ModelCard = CARD) -> dict[str, Floats]:
    return dict(draw_weights(np.random.default_rng(1), card.network, card.vocabulary))


def test_weights_come_back_as_they_were(tmp_path: Path) -> None:
    weights = make_weights()
    write_model(tmp_path, weights)
    loaded = load_weights(tmp_path, load_card(tmp_path))
    assert loaded.keys() == weights.keys() == list_shapes(CARD.network, CARD.vocabulary).keys()
    assert all(np.array_equal(loaded[name], weights[name]) for name in weights)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_refused(number: float, tmp_path: Path) -> None:
    weights = make_weights()
    weights["update.outer_bias"][0, 1] = number
    write_model(tmp_path, weights)
    with pytest.raises(InputError, match=r"model\.safetensors:1:1: these weights are not finite: update\.outer_bias"):
        load_weights(tmp_path, load_card(tmp_path))


def test_weights_of_another_type_are_refused(tmp_path: Path) -> None:
    weights = make_weights()
    weights["head.inner_bias"] = weights["head.inner_bias"].astype(np.float16)
    write_model(tmp_path, weights)
    with pytest.raises(InputError, match=r"not 32-bit floats: head\.inner_bias"):
        load_weights(tmp_path, load_card(tmp_path))


@pytest.mark.parametrize(
    ("config", "relations"),
    [
        (NetworkConfig(layers=2, width=10**9, head=True), RELATIONS),
        (NetworkConfig(layers=2, width=10**30, head=True), RELATIONS),
        (NetworkConfig(layers=2, width=5, head=True), RELATIONS),
        (NetworkConfig(layers=2, width=4, head=False), RELATIONS),
        (NetworkConfig(layers=2, width=4, head=True), (*RELATIONS, Relation("wide", 10**12, False))),
    ],
)
def test_sizes_that_the_weights_do_not_have_are_refused(
    config: NetworkConfig, relations: tuple[Relation, ...], tmp_path: Path
) -> None:
    write_model(tmp_path, make_weights(), ModelCard(config, Vocabulary.of(relations, attributes=()), "made-up", 30.0))
    with pytest.raises(InputError, match="do not fit the network"):
        load_weights(tmp_path, load_card(tmp_path))


def edit(key: str, value: object) -> Callable[[dict[str, Any]], object]:
    """Sets an entry of the card; `network.width` is one of an inner table."""

    def change(content: dict[str, Any]) -> None:
        *path, last = key.split(".")
        for name in path:
            content = content[name]
        content[last] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        edit("network.width", 1e9),
        edit("network.width", "32"),
        edit("network.width", True),
        edit("network.width", 0),
        edit("network.layers", 10**12),
        edit("network.layers", None),
        edit("network.smoothness", float("nan")),
        edit("network.smoothness", "12"),
        edit("network.residual", 1),
        edit("network.readout", ["goal"]),
        edit("network", []),
        edit("relations", [{"name": "on", "arity": -1, "static": False}]),
        edit("relations", [{"name": "on", "arity": "2", "static": False}]),
        edit("relations", [{"name": "on", "arity": 2}]),
        edit("relations", [vars(RELATIONS[0])] * 2),
        edit("relations", 3),
        edit("unreachable", float("inf")),
        edit("unreachable", 10**400),
        edit("unreachable", None),
        edit("goals", 3),
        edit("training", 3),
        edit("training", {"objects": "eleven"}),
        edit("training", {"objects": 11, "measured": 1.5}),
    ],
)
def test_absurd_cards_are_refused(change: Callable[[dict[str, Any]], object], tmp_path: Path) -> None:
    write_model(tmp_path, make_weights())
    content = json.loads((tmp_path / "config.json").read_text())
    change(content)
    (tmp_path / "config.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"config\.json:1:1: "):
        load_card(tmp_path)


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"format": ' + "1" * 5000 + "}", "null", '"', "{}", '{"format": "\ud800"}', "\x00"],
)
def test_texts_that_are_no_cards_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(text, encoding="utf-8", errors="surrogatepass")
    with pytest.raises(InputError, match="not a model"):
        load_card(tmp_path)
