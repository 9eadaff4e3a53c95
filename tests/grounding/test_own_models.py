"""Models of the user's own: added whole, found by their vocabulary, told apart by their names, removed."""

import shutil
from pathlib import Path

import pytest

from skolem.grounding.models import DATA, MODELS, find_model, find_user_folder, open_named
from skolem.grounding.own_models import add_model, explain_fit, remove_model
from skolem.pddl.reading import read_task
from skolem.request import Request
from skolem.solve import solve
from skolem.support.errors import InputError
from skolem.task.model import Task

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(DATA, str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def tower() -> Task:
    return read_task(EXAMPLES / "blocks" / "domain.pddl", EXAMPLES / "blocks" / "tower.pddl")


def test_without_the_variable_models_are_in_the_users_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DATA)
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")
    assert find_user_folder().parts[-2:] == ("skolem", "models")


def test_an_added_model_is_preferred_to_a_shipped_one_and_named(tower: Task) -> None:
    assert find_model(tower).name == "blocks"
    added = add_model(MODELS / "blocks", "mine")
    assert added.path == find_user_folder() / "mine"
    assert not added.shipped
    assert find_model(tower).name == "mine"
    solution = solve(tower, Request("learned"))
    assert solution.valid
    assert solution.message == "objects chosen by the model mine"


def test_an_added_model_is_found_by_its_name() -> None:
    add_model(MODELS / "blocks", "mine")
    assert open_named(Path("mine")).name == "mine"
    assert open_named(Path("blocks")).shipped
    with pytest.raises(InputError, match="there is no model other: expected a folder or one of mine, barman, blocks"):
        open_named(Path("other"))


def test_a_model_is_added_whole_and_without_what_belongs_to_its_training(tmp_path: Path, data: Path) -> None:
    source = tmp_path / "delivery"
    shutil.copytree(MODELS / "visitall", source)
    (source / "training.safetensors").write_bytes(b"large")
    folder = add_model(source, "walks").path
    assert sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()) == [
        "README.md",
        "config.json",
        "model.safetensors",
        "rater/config.json",
        "rater/model.safetensors",
    ]
    assert [path.name for path in data.iterdir()] == ["models"]


def test_a_removed_model_is_gone(tower: Task, data: Path) -> None:
    add_model(MODELS / "blocks", "mine")
    remove_model("mine")
    assert find_model(tower).shipped
    assert not list((data / "models").iterdir())
    with pytest.raises(InputError, match="there is no model mine"):
        remove_model("mine")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("blocks", "a shipped model is called blocks already"),
        ("../mine", "no name for a model"),
        (".mine", "no name for a model"),
        ("mine", "there is a model mine already"),
    ],
)
def test_a_model_gets_a_name_of_its_own(name: str, message: str) -> None:
    add_model(MODELS / "blocks", "mine")
    with pytest.raises(InputError, match=message):
        add_model(MODELS / "blocks", name)


def test_shipped_models_stay() -> None:
    with pytest.raises(InputError, match="came with Skolem"):
        remove_model("blocks")
    assert (MODELS / "blocks" / "config.json").exists()


def test_a_damaged_model_is_refused(tmp_path: Path, data: Path) -> None:
    shutil.copytree(MODELS / "blocks", tmp_path / "broken")
    (tmp_path / "broken" / "model.safetensors").write_bytes(b"junk")
    with pytest.raises(InputError, match=r"model\.safetensors"):
        add_model(tmp_path / "broken")
    assert not data.exists()


def test_every_model_says_why_it_is_not_used(tower: Task) -> None:
    add_model(MODELS / "blocks", "mine")
    fits, errors = explain_fit(tower)
    assert not errors
    reasons = {fit.model.name: fit.reason for fit in fits}
    assert [fit.model.name for fit in fits if fit.used] == ["mine"]
    assert reasons["mine"] == "it knows all of the goal"
    assert reasons["blocks"] == "another model is as good or knows more of the goal"
    assert reasons["blocks-c"] == "the model blocks-c was never trained on goals with on"
    assert reasons["gripper"].startswith("the model was trained on another domain")


def test_where_no_model_fits_none_is_used() -> None:
    household = EXAMPLES / "household"
    task = read_task(household / "domain.pddl", next(household.glob("[!d]*.pddl")))
    fits, _ = explain_fit(task)
    assert fits
    assert not any(fit.used for fit in fits)
