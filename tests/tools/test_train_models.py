"""A plan of datasets and trainings is worked off, cut off, and gone on with."""

from pathlib import Path

import pytest
from tools.train_models import main, read_plan

from skolem.cli.parser import parse_command
from skolem.network.model_folder import load_card

PLAN = """
[datasets]
small = "visitall --pairs 300 --seed 1"

[[training]]
name = "first"
dataset = "small"
options = "--steps 3 --layers 1 --width 4 --seed 0"

[[training]]
name = "second"
dataset = "small"
options = "--steps 3 --layers 1 --width 4 --seed 1"
"""
START = """
[[training]]
name = "twice"
dataset = "small"
start = "second"
options = "--steps 2 --layers 1 --width 4 --seed 1"
"""


def test_everything_is_made_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan, folder = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_text(PLAN)
    words = [str(plan), "-o", str(folder), "--device", "cpu", "--jobs", "1", "--places", "1"]
    assert main([*words, "--seconds", "0.5"]) == 0
    assert "0 of 2 trainings" in capsys.readouterr().out
    assert main(words) == 0
    assert "1 of 1 datasets, 2 of 2 trainings, 0 running, 0 failed" in capsys.readouterr().out
    assert [load_card(folder / "models" / name).training["seed"] for name in ("first", "second")] == [0, 1]
    before = (folder / "models" / "first" / "model.safetensors").stat().st_mtime_ns
    assert main(words) == 0
    assert (folder / "models" / "first" / "model.safetensors").stat().st_mtime_ns == before


def test_a_training_that_fails_is_told_and_the_others_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.replace("--width 4 --seed 0", "--width 0 --seed 0"))
    assert main([str(plan), "-o", str(tmp_path / "out"), "--device", "cpu", "--jobs", "1"]) == 1
    assert "1 of 2 trainings, 0 running, 1 failed" in capsys.readouterr().out


def test_a_training_may_start_from_another_and_some_may_be_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan, folder = tmp_path / "plan.toml", tmp_path / "out"
    datasets, trainings = PLAN.split("[[", 1)
    plan.write_text(f"{datasets}{START}[[{trainings}")
    words = [str(plan), "-o", str(folder), "--device", "cpu", "--jobs", "1"]
    assert main([*words, "--only", "second", "tw*"]) == 0
    assert "1 of 1 datasets, 2 of 2 trainings, 0 running, 0 failed" in capsys.readouterr().out
    assert load_card(folder / "models" / "twice").training["start"]["seed"] == 1
    assert not (folder / "models" / "first").exists()
    plan.write_text(PLAN + START.replace("second", "third"))
    with pytest.raises(SystemExit, match="no training third"):
        read_plan(plan)


def test_a_training_needs_a_dataset_of_the_plan(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.replace('dataset = "small"', 'dataset = "large"'))
    with pytest.raises(SystemExit, match="no dataset large"):
        read_plan(plan)


def test_the_plan_of_what_ships_is_made_of_commands() -> None:
    plan = read_plan(Path(__file__).parent.parent.parent / "tools" / "shipped_models.toml")
    for name, words in plan.datasets.items():
        assert words[:2] == ("skolem.cli", "label")
        parse_command([*words[1:], "-o", name])
    for training in plan.trainings:
        parse_command(["train", training.dataset, *training.options, "-o", training.name])
    assert len({training.name for training in plan.trainings}) == len(plan.trainings) == 35
