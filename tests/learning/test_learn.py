"""Learning by one command: a model that plans, the same every time, and stopped at any moment."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.test_learning import BLOCKED

import skolem
from skolem.cli import main
from skolem.network.model_folder import load_card, load_weights
from skolem.oracle.dataset import hash_file

SMALL = ("--steps", "4", "--pairs", "300", "--goals", "3", "--device", "cpu", "--jobs", "1")


def learn(files: tuple[str, ...], folder: Path, *options: str) -> int:
    return main(["learn", *files, "-o", str(folder), *SMALL, *options])


@pytest.fixture(scope="module")
def model(ferry: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learned") / "ferry"
    assert learn(ferry, folder, "--quiet") == 0
    return folder


def test_the_model_plans_at_once(
    model: Path, ferry: tuple[str, ...], large: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", ferry[0], str(large), "--model", str(model), "--grounder", "learned", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["status"], found["valid"], found["route"]) == ("solved", True, "learned")


def test_the_card_says_from_what_it_was_learned_and_how_good_it_is(model: Path) -> None:
    card = load_card(model)
    assert {"at", "docked", "aboard", "not at"} <= set(card.goals)
    assert {r.name for r in card.vocabulary.relations} >= {"at", "docked", "type:car"}
    assert "red" not in card.vocabulary.index
    learned = card.training["learned"]
    assert (len(learned["problems"]), len(learned["kept"])) == (6, 1)
    assert learned["measurement"]["goals"] == 3
    assert set(learned["measurement"]["routes"]) == {"learned", "exact route", "random"}
    assert learned["measurement"]["objects"][0] > 7
    page = (model / "README.md").read_text()
    assert learned["measurement"]["sentence"] in page
    assert "problems kept apart" in page


def test_the_same_seed_gives_the_same_weights(model: Path, ferry: tuple[str, ...], tmp_path: Path) -> None:
    assert learn(ferry, tmp_path / "again", "--quiet") == 0
    for name, value in load_weights(model, load_card(model)).items():
        assert (load_weights(tmp_path / "again", load_card(tmp_path / "again"))[name] == value).all()
    assert load_card(tmp_path / "again").training["learned"] == load_card(model).training["learned"]


def test_it_says_what_it_learns_and_ends_with_a_sentence(
    ferry: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert learn(ferry, tmp_path / "model") == 0
    told = capsys.readouterr()
    assert "6 problems of 4 to 5 objects, 2 with quantified goals" in told.out
    assert "left out, because no action reads them: blue, red" in told.out
    assert "on 3 goals of larger tasks" in told.out.splitlines()[-2]
    assert "labelling goals" in told.err
    assert "training (main)" in told.err


def test_a_program_learns_from_texts_and_plans_with_the_model(
    ferry: tuple[str, ...], large: Path, tmp_path: Path
) -> None:
    domain, *problems = (Path(file).read_text() for file in ferry)
    model = skolem.learn(domain, problems, tmp_path / "model", steps=4, pairs=300, goals=3, device="cpu")
    assert model.path == tmp_path / "model"
    assert skolem.plan(domain, large, model=model, grounder="learned").valid


def test_json_is_one_value(ferry: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert learn(ferry, tmp_path / "model", "--json", "--quiet") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == "learned"
    assert found["pairs"] >= 300
    assert found["measurement"]["sentence"]


def test_a_run_is_not_overwritten_but_continued(
    model: Path, ferry: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert learn(ferry, model) == 31
    assert "already holds a learning run" in capsys.readouterr().err
    assert learn(ferry, model, "--resume", "--seed", "1") == 31
    assert "other settings (seed)" in capsys.readouterr().err


def test_a_folder_of_something_else_is_left_as_it_is(
    ferry: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "README.md").write_text("mine")
    assert learn(ferry, tmp_path) == 31
    assert "README.md:1:1: this is not of a learning run and would be overwritten" in capsys.readouterr().err
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("README.md", "mine")]


def test_texts_do_not_replace_files_of_the_folder(ferry: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text("; mine")
    with pytest.raises(skolem.SkolemError, match="would be overwritten"):
        skolem.learn(Path(ferry[0]).read_text(), ferry[1:], tmp_path)
    assert (tmp_path / "domain.pddl").read_text() == "; mine"


def test_there_must_be_a_run_to_resume(
    ferry: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert learn(ferry, tmp_path / "nothing", "--resume") == 31
    assert "no learning run to resume" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("(docked", "(anchored"), "unknown predicate 'anchored'"),
        (lambda text: text.replace("(docked", "(red"), "nothing that can be done"),
    ],
)
def test_a_faulty_problem_is_an_error_in_one_place(
    change: Callable[[str], str],
    message: str,
    ferry: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    wrong = tmp_path / "wrong.pddl"
    wrong.write_text(change(Path(ferry[1]).read_text()))
    assert learn((ferry[0], str(wrong)), tmp_path / "model") == 31
    assert message in capsys.readouterr().err
    assert not (tmp_path / "model").exists()


@pytest.fixture(scope="module")
def own_labels(ferry: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own") / "ferry"
    assert learn(ferry, folder, "--labels", "self", "--steps", "10", "--quiet") == 0
    return folder


def test_without_a_search_every_model_guides_the_labels_of_the_next(own_labels: Path) -> None:
    first, second, main = (load_card(own_labels / name) for name in ("first", "second", ""))
    assert "guide" not in first.training["origin"]
    assert second.training["origin"]["guide"] == hash_file(own_labels / "first" / "model.safetensors")
    assert main.training["origin"]["guide"] == hash_file(own_labels / "second" / "model.safetensors")
    assert [card.training["budget"]["steps"] for card in (first, second, main)] == [2, 2, 6]


def test_the_card_says_that_there_were_no_exact_costs(own_labels: Path, model: Path) -> None:
    assert load_card(own_labels).training["learned"]["labels"] == "self"
    assert "no exact cost" in (own_labels / "README.md").read_text()
    assert "with exact costs" in (model / "README.md").read_text()


def test_stopped_between_models_it_goes_on_to_the_same_weights(
    own_labels: Path, ferry: tuple[str, ...], tmp_path: Path
) -> None:
    folder = shutil.copytree(own_labels, tmp_path / "model")
    for name in (*(path.name for path in folder.iterdir() if path.is_file()), "dataset", "second"):
        (shutil.rmtree if (folder / name).is_dir() else Path.unlink)(folder / name)
    record = json.loads((own_labels / "learn.json").read_text())
    (folder / "learn.json").write_text(json.dumps({**record, "stage": "second"}))
    assert learn(ferry, folder, "--labels", "self", "--steps", "10", "--quiet", "--resume") == 0
    again = load_weights(folder, load_card(folder))
    for name, value in load_weights(own_labels, load_card(own_labels)).items():
        assert (again[name] == value).all()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_stopped_in_training_it_leaves_a_model_and_goes_on(
    number: signal.Signals, ferry: tuple[str, ...], large: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    command = [sys.executable, "-m", "skolem.cli", "learn", *ferry, "-o", str(folder), *SMALL[2:]]
    process = subprocess.Popen([*command, "--steps", "200"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while not (folder / "training.safetensors").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    _, told = process.communicate()
    assert process.returncode == (143 if number == signal.SIGTERM else -9)
    if number == signal.SIGTERM:
        assert b"the best model so far is in" in told
    assert main(["plan", ferry[0], str(large), "--model", str(folder), "--grounder", "learned", "--quiet"]) == 0
    before = load_card(folder).training["steps"]
    again = subprocess.run(
        [*command, "--resume", "--steps", str(before + 10), "--json"], capture_output=True, check=True
    )
    assert json.loads(again.stdout)["status"] == "learned"
    assert "learned" in load_card(folder).training


def test_stopped_while_labelling_it_goes_on_with_what_is_labelled(ferry: tuple[str, ...], tmp_path: Path) -> None:
    folder = tmp_path / "model"
    command = [sys.executable, "-m", "skolem.cli", "learn", *ferry, "-o", str(folder), *SMALL]
    command[command.index("--pairs") + 1] = "4000"
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not list(folder.glob("dataset/train-*.npz")):
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    process.wait()
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("dataset/train-*.npz")}
    subprocess.run([*command, "--resume"], check=True, capture_output=True)
    assert all(path.stat().st_mtime_ns == changed for path, changed in kept.items())
    assert load_card(folder).training["dataset"]["pairs"] >= 4000


def test_learning_needs_torch_numpy_and_safetensors_alone(ferry: tuple[str, ...], tmp_path: Path) -> None:
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
    command = [sys.executable, "-c", script, "learn", *ferry, "-o", str(tmp_path / "model"), *SMALL, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)["measurement"]["routes"]) == {"learned", "random"}
