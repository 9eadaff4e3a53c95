"""Learning that is killed goes on, and leaves no half of a model."""

import random
from pathlib import Path

import pytest
from tools.kill_learn import Place, disturb, make_place, read_learned

SMALL = ("--steps", "4", "--pairs", "300", "--goals", "2")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return make_place(tmp_path_factory.mktemp("place"))


def test_learning_that_is_killed_twice_is_finished(place: Place, tmp_path: Path) -> None:
    found = disturb(place, SMALL, 5.0, 2, random.Random(2), tmp_path)
    assert found["faults"] == []
    assert len(found["kills"]) == 2
    assert found["finished_runs"] >= 1
    assert place.judge_model(tmp_path / "run-0") == "usable"
    assert set(read_learned(tmp_path / "run-0")) == {"weights", "card", "dataset"}


def test_half_a_model_is_a_fault(place: Place, tmp_path: Path) -> None:
    assert place.judge_model(tmp_path) == "none"
    (tmp_path / "config.json").write_text("{")
    assert place.judge_model(tmp_path).startswith("exit 31: ")
