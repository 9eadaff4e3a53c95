"""The command models: as a list, and with the user's own."""

from pathlib import Path

import pytest
from tests.cli.calls import TOWER, run, run_json

from skolem.grounding.models import DATA, MODELS


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA, str(tmp_path))


def test_from_adding_to_removing() -> None:
    code, added = run_json("models", "add", str(MODELS / "blocks"), "--name", "mine")
    assert (code, added["status"], added["name"], added["domain"]) == (0, "added", "mine", "blocks")
    _, listed = run_json("models")
    assert [model["name"] for model in listed if model["source"] == "user"] == ["mine"]
    assert listed == run_json("models", "list")[1]
    code, found = run_json("models", "which", *TOWER)
    assert (code, found["status"], found["used"]) == (0, "found", ["mine"])
    _, solution = run_json("plan", *TOWER, "--model", "mine")
    assert solution["valid"]
    assert "the model mine" in solution["message"]
    code, removed = run_json("models", "remove", "mine")
    assert (code, removed["status"]) == (0, "removed")
    assert run_json("models", "which", *TOWER)[1]["used"] == ["blocks"]


def test_what_is_missing_is_said() -> None:
    done = run("models", "add")
    assert done.returncode == 36
    assert done.stderr == "skolem: expected skolem models add MODEL (see skolem models --help)\n"
    code, answer = run_json("models", "remove", "nothing")
    assert (code, answer["status"]) == (31, "error")
    assert run_json("models", "add", "/nowhere/at/all")[0] == 31
