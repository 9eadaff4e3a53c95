"""Model cards: the commands that make a model again, and what several runs of it measured."""

import json
import shlex
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.network.worlds import RELATIONS, fill_builder
from tools.learn_suite import main as learn_suite
from tools.make_models import find_preset, list_all_commands, list_commands, list_shipped, run_command
from tools.model_cards import install, install_learned, load_record, measure, read_run, write_card

from skolem.cli import main
from skolem.cli.parser import parse_command
from skolem.evaluation.test_sets import read_instance
from skolem.families.suite.registry import generate_suite_problem
from skolem.grounding.models import MODELS, Model, find_model, open_model
from skolem.network.config import SKOLEM
from skolem.oracle.dataset import Dataset, ShardBuilder, ShardFile, write_manifest, write_shard
from skolem.oracle.labelling import plan_family
from skolem.support.errors import UnsupportedError
from skolem.training.recipe import Recipe
from tools import make_models, model_cards

BLOCKS = MODELS / "blocks"


def change_training(model: Model, **changes: Any) -> Model:
    return replace(model, card=replace(model.card, training={**model.card.training, **changes}))


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for shipped models."""
    for module in (make_models, model_cards):
        monkeypatch.setattr(module, "MODELS", tmp_path)
    monkeypatch.setattr(make_models, "PAPER_MODELS", tmp_path / "paper")
    monkeypatch.setattr(make_models, "CODE_MODELS", tmp_path / "paper-code")
    return tmp_path


def test_every_shipped_model_tells_how_it_is_made() -> None:
    for name, model in list_shipped().items():
        first, *others, last = list_commands(model, Path("build") / name)
        assert (first[1], last[1]) in (("label", "train"), ("generate", "learn"))
        assert last[-1] == str(Path("build") / name)
        made = [command[-1] for command in (first, *others) if command[1] == first[1]]
        assert last[2].startswith(made[-1])


def test_every_command_in_every_card_parses() -> None:
    cards = sorted(MODELS.glob("**/README.md"))
    assert len(cards) == len(list_shipped())
    for card in cards:
        lines = [line for line in card.read_text().splitlines() if line.startswith(("skolem ", "python "))]
        assert {line.split()[1] for line in lines} in ({"label", "train"}, {"generate", "learn"})
        for line in lines:
            program, *words = shlex.split(line)
            assert (program, parse_command(words).name) == ("skolem", words[0])


def test_a_network_that_rates_is_made_after_its_model() -> None:
    label, train, rate = list_all_commands(open_model(MODELS / "visitall"), Path("m"))
    assert label[:3] == ["skolem", "label", "visitall"]
    assert train[-1] == "m"
    assert rate[-1] == str(Path("m/rater"))
    assert {"--head", "--parents", "--value"} <= set(rate)


def test_a_dataset_is_told_by_the_preset_that_makes_it() -> None:
    model = open_model(BLOCKS)
    plan = model.card.training["origin"]["plan"]
    label, _ = list_commands(model, Path("m"))
    assert label[3:5] == ["--preset", "skolem"]
    other = {"plan": {**plan, "mix": {**plan["mix"], "named": 1}}}
    with pytest.raises(UnsupportedError, match="no preset"):
        list(list_commands(change_training(model, origin=other), Path("m")))


def test_a_dataset_of_one_setting_is_told() -> None:
    plan = json.loads(json.dumps(asdict(plan_family("blocks", "paper-code", 500, neq=True))))
    label, _ = list_commands(change_training(open_model(BLOCKS), origin={"plan": plan}), Path("m"))
    assert label[3:5] == ["--preset", "paper-code"]
    assert parse_command(label[1:]).options.neq


def test_smaller_spaces_than_usual_are_told() -> None:
    plan = json.loads(json.dumps(asdict(plan_family("delivery", "skolem", 500, states=60_000))))
    label, _ = list_commands(change_training(open_model(BLOCKS), origin={"plan": plan}), Path("m"))
    assert label[label.index("--states") + 1] == "60000"
    assert parse_command(label[1:]).options.states == 60_000


def test_settings_are_told_as_a_preset_and_what_differs() -> None:
    model = open_model(BLOCKS)
    settings = {**vars(SKOLEM), **vars(Recipe())}
    assert find_preset(settings) == ("skolem", {})
    assert find_preset({**settings, "layers": 12}) == ("skolem", {"layers": 12})
    *_, plain = list_commands(replace(model, card=replace(model.card, network=replace(SKOLEM, layers=12))), Path("m"))
    assert plain[:2] == ["skolem", "train"]
    recipe = {**model.card.training["recipe"], "decay": 0.5, "calm": False}
    *_, special = list_commands(change_training(model, recipe=recipe), Path("m"))
    assert special[:2] == ["skolem", "train"]
    assert {"--no-calm", "--decay"} <= set(special)


def test_a_model_that_started_from_another_is_made_in_stages() -> None:
    model = open_model(BLOCKS)
    unmarked = asdict(replace(model.card.network, marks=False))
    changed = change_training(model, start={**model.card.training, "network": unmarked}, seed=7)
    first, second = (command for command in list_commands(changed, Path("m/blocks")) if "label" not in command)
    assert first[-1] == str(Path("m/blocks-stage-1"))
    assert second[second.index("--start") + 1] == first[-1]
    assert "--no-marks" in first
    assert "--no-marks" not in second


def test_a_dataset_of_unknown_origin_is_told() -> None:
    with pytest.raises(UnsupportedError, match="was not made by"):
        list(list_commands(change_training(open_model(BLOCKS), origin={"by": "hand"}), Path("m")))


def test_finished_work_is_not_repeated(tmp_path: Path) -> None:
    (tmp_path / "dataset.json").touch()
    run_command(["skolem", "label", "no-such-family", "-o", str(tmp_path)])


def test_a_card_of_two_runs_tells_their_spread(shelf: Path) -> None:
    install("blocks", [BLOCKS, BLOCKS], "two GPUs", ["A note."])
    card = write_card("blocks", open_model(shelf / "blocks"))
    assert "| mean (least to most) of 2 |" in card
    assert "s on two GPUs |" in card
    assert "A note." in card
    assert "skolem label blocks --preset skolem --pairs 2000000" in card
    for predicate in ("`on/2`", "`handempty/0`"):
        assert predicate in card


def test_a_card_tells_which_goals_a_dataset_has(shelf: Path) -> None:
    install("gripper-neq", [MODELS / "paper-code" / "gripper-neq"], "one GPU", [])
    card = write_card("gripper-neq", open_model(shelf / "gripper-neq"))
    assert "1-4 variables, with inequalities" in card
    assert "single goals, of which a random number of variables is bound to random objects" in card
    assert "sibling groups" in write_card("blocks", open_model(BLOCKS))


def test_a_model_knows_how_large_the_tasks_were_that_it_was_measured_on(shelf: Path) -> None:
    install("blocks", [BLOCKS], "one GPU", [], measured=50)
    model = open_model(shelf / "blocks")
    assert model.card.training["measured"] == 50
    assert "| measured | on tasks with up to 50 objects |" in write_card("blocks", model)


def test_a_card_tells_of_the_network_that_rates(shelf: Path) -> None:
    install("visitall", [MODELS / "visitall"], "one GPU", [])
    assert "The network that rates" not in write_card("visitall", open_model(shelf / "visitall"))
    install("visitall/rater", [MODELS / "visitall" / "rater"], "another GPU", [])
    card = write_card("visitall", open_model(shelf / "visitall"))
    assert "## The network that rates" in card
    assert "another GPU" in card


def test_measurements_find_the_runs_with_their_weights(shelf: Path, tmp_path: Path) -> None:
    install("blocks", [BLOCKS], "one GPU", [])
    weights = read_run(BLOCKS)["weights"]
    cell = {"family": "blocks", "neq": True, "configuration": "learned", "count": 500, "coverage": 1.0, "ratio": 1.01}
    file = tmp_path / "cells.json"
    file.write_text(json.dumps([{**cell, "model": weights}, {**cell, "model": "of another one"}]))
    assert measure([file]) == 1
    assert measure([file]) == 1
    model = open_model(shelf / "blocks")
    assert load_record(model)["runs"][0]["optimal"] == [cell]
    assert "| with inequality | learned | 500 | 1 | 1.0000 | 1.0100 | 0.998 / 1.211 |" in write_card("blocks", model)


def test_a_new_run_can_be_read(tmp_path: Path) -> None:
    parts: dict[str, tuple[ShardFile, ...]] = {}
    for part in ("train", "validation"):
        builder = ShardBuilder(RELATIONS)
        fill_builder(builder, Random(part), 6, 4, complete=False)
        parts[part] = (write_shard(tmp_path / f"{part}.npz", builder.build()),)
    write_manifest(Dataset(tmp_path, "made-up", RELATIONS, {"seed": 0}, parts))
    folder = tmp_path / "run"
    main(["train", str(tmp_path), "-o", str(folder), "--steps", "2", "--layers", "2", "--batch", "8", "--seed", "3"])
    run = read_run(folder)
    assert (run["seed"], run["steps"], run["optimal"]) == (3, 2, [])


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of a domain of the suite, learned in a few steps."""
    folder = tmp_path_factory.mktemp("suite")
    short = ["--count", "4", "--steps", "2", "--pairs", "200", "--goals", "2", "--device", "cpu"]
    assert learn_suite(["ferry", "-o", str(folder), *short]) == 0
    return folder / "ferry"


def test_a_learned_model_is_shipped_with_a_card(learned: Path, shelf: Path, tmp_path: Path) -> None:
    install_learned("ferry", learned, "a laptop", ["A note."])
    assert {path.name for path in (shelf / "ferry").iterdir()} == {"config.json", "model.safetensors", "runs.json"}
    assert str(learned.parent) not in "".join(path.read_text() for path in (shelf / "ferry").glob("*.json"))
    task = read_instance(generate_suite_problem("ferry", "test", 2024, 0))
    model = find_model(task, shelf)
    assert model.name == "ferry"
    estimate = {"value": 1.04, "interval": [1.0, 1.1], "count": 30}
    cell = {
        "family": "ferry",
        "model": read_run(learned)["weights"],
        "count": 30,
        "totals": {"auto": 151.0, "exact": 160.0, **estimate},
        "peers": {"auto": {"coverage": estimate, "ratio": estimate}},
    }
    (tmp_path / "suite.json").write_text(json.dumps({"cells": [cell]}))
    assert measure([tmp_path / "suite.json"]) == 1
    card = write_card("ferry", model)
    assert card.startswith("# Model card: ferry\n")
    assert "Trained on a laptop." in card
    assert "cost 151 together, those of the exact route 160." in card
    assert "skolem generate ferry --set train --count 4 --seed 0 -o" in card
    assert "--steps 2 --pairs 200 --device cpu --seed 0" in card
    for line in (line for line in card.splitlines() if line.startswith("skolem ")):
        parse_command(shlex.split(line)[1:])


def test_only_finished_models_are_shipped(shelf: Path) -> None:
    with pytest.raises(SystemExit, match="not a model that `skolem learn` has finished"):
        install_learned("blocks", BLOCKS, "one GPU", [])


def test_problems_of_ones_own_cannot_be_made_again(learned: Path) -> None:
    model = open_model(learned)
    own = change_training(model, learned={**model.card.training["learned"], "problems": ["mine.pddl"]})
    with pytest.raises(UnsupportedError, match="not made by `skolem generate`"):
        list(list_commands(own, Path("m")))
