"""Training by command: every setting, recipes in files, and nothing but torch, numpy and safetensors."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skolem.cli import main
from skolem.network.model_folder import load_card

SMALL = ("--steps", "2", "--layers", "1", "--width", "4", "--batch", "8")
BLOCKED = ("rich", "pymimir", "up_fast_downward", "fast_downward", "matplotlib", "joblib", "ray", "unified_planning")


@pytest.fixture
def dataset(make_dataset: Callable[..., Path]) -> Path:
    return make_dataset(8)


def train(dataset: Path, folder: Path, *options: str) -> dict[str, Any]:
    """The network and the recipe that a model was made with."""
    assert main(["train", str(dataset), "-o", str(folder), *SMALL, *options, "--quiet"]) == 0
    card = load_card(folder)
    return {**vars(card.network), **card.training["recipe"]}


def test_every_setting_is_an_option(dataset: Path, tmp_path: Path) -> None:
    options = ("--no-marks", "--clip", "none", "--schedule", "constant", "--rate", "0.01", "--head")
    found = train(dataset, tmp_path / "model", *options)
    assert (found["layers"], found["marks"], found["clip"]) == (1, False, None)
    assert (found["schedule"], found["rate"], found["head"]) == ("constant", 0.01, True)
    assert found["average"] == 0.999


def test_a_recipe_file_replaces_the_preset_and_options_replace_both(dataset: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('rate = 0.5\nselect = "loss"\nresidual = false\naverage = "none"\n')
    found = train(dataset, tmp_path / "model", "--recipe", str(recipe), "--rate", "0.01")
    assert (found["rate"], found["select"], found["residual"], found["average"]) == (0.01, "loss", False, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("speed = 1", "unknown setting 'speed', expected one of layers, width, "),
        ('batch = "many"', "the setting batch is 'many', expected a number"),
        ("head = 1", "the setting head is 1, expected true or false"),
        ("readout = 3", "the setting readout is 3, expected sum or goal"),
        ("batch =", "not a readable recipe"),
        ("batch = 0", "rate and batch must be positive"),
    ],
)
def test_a_faulty_recipe_is_an_error_in_one_line(
    text: str, message: str, dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(text)
    assert main(["train", str(dataset), "-o", str(tmp_path / "model"), "--recipe", str(recipe)]) == 31
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


def test_training_needs_torch_numpy_and_safetensors_alone(dataset: Path, tmp_path: Path) -> None:
    script = f"""
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {BLOCKED}:
            raise ImportError(f"no {{name}} here")
sys.meta_path.insert(0, Blocked())
from skolem.cli import main
sys.exit(main())
"""
    command = [sys.executable, "-c", script, "train", str(dataset), "-o", str(tmp_path / "model"), *SMALL, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["status"] == "trained"


def test_the_preset_of_the_authors_code_is_labelled_by_setting(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["label", "visitall", "--neq", "-o", str(tmp_path / "dataset")]) == 31
    assert "--neq is for a family and the preset paper-code" in capsys.readouterr().err
    assert not (tmp_path / "dataset").exists()


def test_the_preset_of_the_authors_code_is_trained(dataset: Path, tmp_path: Path) -> None:
    found = train(dataset, tmp_path / "model", "--preset", "paper-code")
    assert (found["sampling"], found["unreachable"], found["rate"]) == ("by-cost", "twice", 1e-4)
    assert (found["inequalities"], found["embeddings"]) == ("facts", "half-random")
