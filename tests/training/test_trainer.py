"""Training runs: they learn, continue bit by bit, recover, and share work among processes."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import torch

from skolem.cli import main
from skolem.network.checkpoint import load_model, read_tensors
from skolem.network.config import NetworkConfig
from skolem.network.engine.native_training import NativeEmbedder
from skolem.network.rgnn import RGNN
from skolem.oracle.dataset import read_dataset
from skolem.support.errors import InputError, SkolemError
from skolem.training import trainer as training
from skolem.training.distributed import Processes
from skolem.training.optimisation import Optimisation, Watch
from skolem.training.recipe import PRESETS, Budget, Recipe
from skolem.training.trainer import Run, Trainer, train

NETWORK = NetworkConfig(layers=2, width=8)
RECIPE = Recipe(batch=32, rate=0.05)


@pytest.fixture(autouse=True)
def short_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "_WINDOW", 10)


@pytest.fixture(scope="module")
def dataset(make_dataset: Callable[..., Path]) -> Path:
    return make_dataset(40)


def make_run(dataset: Path, folder: Path, steps: int, **changes: Any) -> Run:
    return replace(Run(dataset, folder, NETWORK, RECIPE, Budget(steps), validations=4), **changes)


def read_log(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def test_a_run_learns_and_leaves_a_model_that_fits_its_card(dataset: Path, tmp_path: Path) -> None:
    card = train(make_run(dataset, tmp_path, 80))
    losses = [event["loss"] for event in read_log(tmp_path) if event["event"] == "train"]
    assert losses[-1] < losses[0] / 2
    validations = [event for event in read_log(tmp_path) if event["event"] == "validation"]
    assert len(validations) == 4
    assert set(validations[-1]["parts"]) == {"validation", "larger"}
    best = min(validations, key=lambda event: (event["score"], event["parts"]["larger"]["loss"]))
    assert card.training["validation"] == best["parts"]
    assert best["improved"]
    model, again = load_model(tmp_path)
    assert again == card
    assert model.config == NETWORK


def test_the_compiled_code_trains_as_pytorch_does(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    losses = {}
    for engine, embed in (("native", NativeEmbedder()), ("torch", RGNN.embed)):
        monkeypatch.setenv("SKOLEM_ENGINE", engine)
        run = make_run(dataset, tmp_path / engine, 40)
        with Processes("cpu") as processes:
            trainer = Trainer(run, read_dataset(dataset), processes, ())
            assert trainer.model.embedder == embed
            trainer.run_to_end()
        losses[engine] = [event["loss"] for event in read_log(run.folder) if event["event"] == "train"]
    assert losses["native"] == pytest.approx(losses["torch"], rel=1e-2)


def test_threads_change_no_bit_of_a_run(dataset: Path, tmp_path: Path) -> None:
    before, found = torch.get_num_threads(), []
    for count in (1, 2):
        torch.set_num_threads(count)
        try:
            train(make_run(dataset, tmp_path / str(count), 20))
            assert torch.get_num_threads() == count
        finally:
            torch.set_num_threads(before)
        found.append(read_tensors(tmp_path / str(count) / "model.safetensors")[0])
    assert all(torch.equal(value, found[1][name]) for name, value in found[0].items())


@pytest.mark.parametrize(
    ("recipe", "network"),
    [
        (RECIPE, replace(NETWORK, head=True)),
        (replace(PRESETS["paper"][1], batch=32), NETWORK),
        (replace(PRESETS["paper-code"][1], batch=32), replace(NETWORK, embeddings="half-random", inequalities="facts")),
    ],
    ids=["skolem", "paper", "paper-code"],
)
def test_an_interrupted_run_continues_bit_by_bit(
    recipe: Recipe, network: NetworkConfig, dataset: Path, tmp_path: Path
) -> None:
    def stop(event: Any) -> None:
        if event["event"] == "train" and event["step"] == 30:
            raise KeyboardInterrupt

    whole, parted = tmp_path / "whole", tmp_path / "parted"
    settings = {"recipe": recipe, "network": network}
    train(make_run(dataset, whole, 40, **settings))
    with pytest.raises(KeyboardInterrupt):
        train(make_run(dataset, parted, 40, **settings), listeners=(stop,))
    train(make_run(dataset, parted, 40, **settings), resume=True)
    for name in ("training.safetensors", "model.safetensors"):
        expected, found = read_tensors(whole / name)[0], read_tensors(parted / name)[0]
        assert expected.keys() == found.keys()
        assert all(torch.equal(value, found[key]) for key, value in expected.items())


def test_a_run_is_saved_between_two_validations(dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(event: Any) -> None:
        if event["event"] == "train" and event["step"] == 30:
            raise KeyboardInterrupt

    monkeypatch.setattr(training, "_SAVING_SECONDS", 0.0)
    whole, parted = tmp_path / "whole", tmp_path / "parted"
    train(make_run(dataset, whole, 40, validations=1))
    with pytest.raises(KeyboardInterrupt):
        train(make_run(dataset, parted, 40, validations=1), listeners=(stop,))
    train(make_run(dataset, parted, 40, validations=1), resume=True)
    assert [event["step"] for event in read_log(parted) if event["event"] == "resumed"] == [20]
    expected, found = (read_tensors(folder / "model.safetensors")[0] for folder in (whole, parted))
    assert all(torch.equal(value, found[key]) for key, value in expected.items())


def test_a_head_learns_with_the_network(dataset: Path, tmp_path: Path) -> None:
    train(make_run(dataset, tmp_path, 40, network=replace(NETWORK, head=True)))
    results = [event["parts"]["larger"] for event in read_log(tmp_path) if event["event"] == "validation"]
    assert results[-1]["head"]["goals"] == results[-1]["grade"]["goals"]
    assert load_model(tmp_path)[0].head is not None


def test_a_network_that_only_rates_is_kept_for_the_choices_of_its_head(dataset: Path, tmp_path: Path) -> None:
    recipe = replace(RECIPE, value=0.0, parents=2.0, select="head")
    card = train(make_run(dataset, tmp_path, 40, network=replace(NETWORK, head=True), recipe=recipe))
    validations = [event for event in read_log(tmp_path) if event["event"] == "validation"]
    for event in validations:
        assert event["score"] == pytest.approx(fmean(part["head"]["score"] for part in event["parts"].values()))
    best = min(validations, key=lambda event: (event["score"], event["parts"]["larger"]["loss"]))
    assert card.training["validation"] == best["parts"]


def test_the_weight_of_costs_and_the_number_of_nodes_are_checked() -> None:
    with pytest.raises(InputError, match="must not be negative"):
        replace(RECIPE, value=-1.0)
    with pytest.raises(InputError, match="nodes to rate"):
        replace(RECIPE, parents=0.0)
    with pytest.raises(InputError, match="ratio, loss or head"):
        replace(RECIPE, select="luck")  # type: ignore[arg-type]


def test_a_run_starts_from_the_weights_of_a_model_and_adds_a_head_and_marks(dataset: Path, tmp_path: Path) -> None:
    first = train(make_run(dataset, tmp_path / "first", 80))
    reached = read_log(tmp_path / "first")[-1]["loss"]
    network = replace(NETWORK, head=True, marks=True)
    card = train(make_run(dataset, tmp_path / "second", 20, network=network, start=tmp_path / "first"))
    assert read_log(tmp_path / "second")[-1]["loss"] < 2 * reached
    assert card.training["start"] == {**first.training, "network": asdict(first.network)}
    other = make_run(dataset, tmp_path / "third", 1, network=replace(NETWORK, width=16), start=tmp_path / "first")
    with pytest.raises(InputError, match="do not fit"):
        train(other)


def test_a_folder_is_neither_overwritten_nor_continued_with_other_settings(dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no training run to resume"):
        train(make_run(dataset, tmp_path, 1), resume=True)
    train(make_run(dataset, tmp_path, 1))
    with pytest.raises(InputError, match="already holds a training run"):
        train(make_run(dataset, tmp_path, 2))
    with pytest.raises(InputError, match="other settings"):
        train(make_run(dataset, tmp_path, 2, seed=1), resume=True)


def test_a_damaged_run_is_named_and_not_continued(dataset: Path, tmp_path: Path) -> None:
    train(make_run(dataset, tmp_path, 10))
    path = tmp_path / "training.safetensors"
    sound = path.read_bytes()
    path.write_bytes(sound[:-1] + bytes([sound[-1] ^ 1]))
    with pytest.raises(InputError, match=r"training\.safetensors.* does not match its checksum: .*remove it"):
        train(make_run(dataset, tmp_path, 20), resume=True)
    path.write_bytes(sound[:1000])
    with pytest.raises(InputError, match=r"training\.safetensors.* not a readable file of weights .*remove it"):
        train(make_run(dataset, tmp_path, 20), resume=True)


def test_the_log_of_an_interrupted_run_is_as_if_it_had_not_been(dataset: Path, tmp_path: Path) -> None:
    def stop(event: Any) -> None:
        if event["event"] == "train" and event["step"] == 30:
            with (tmp_path / "parted" / "log.jsonl").open("a") as log:
                log.write('{"event": "tra')
            raise KeyboardInterrupt

    def describe(folder: Path) -> list[tuple[str, int]]:
        return [(event["event"], event["step"]) for event in read_log(folder)]

    train(make_run(dataset, tmp_path / "whole", 40, validations=2))
    with pytest.raises(KeyboardInterrupt):
        train(make_run(dataset, tmp_path / "parted", 40, validations=2), listeners=(stop,))
    (tmp_path / "parted" / ".config.json.0123abcd.part").write_text("half a card")
    train(make_run(dataset, tmp_path / "parted", 40, validations=2), resume=True)
    expected = describe(tmp_path / "whole")
    place = expected.index(("validation", 20)) + 1
    assert describe(tmp_path / "parted") == [*expected[:place], ("resumed", 20), *expected[place:]]
    assert not list((tmp_path / "parted").glob(".*"))


def test_divergence_is_noticed() -> None:
    watch = Watch(spread=10.0)
    assert [watch.accept(loss) for loss in (8.0, 9.9, 0.1, 9.0, 10.5, float("nan"))] == [True] * 4 + [False] * 2


def test_a_run_recovers_from_divergence(dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []
    usual = Optimisation.step

    def fail_once(self: Optimisation, *arguments: Any) -> torch.Tensor:
        steps.append(arguments[2])
        loss = usual(self, *arguments)
        if len(steps) == 24:
            with torch.no_grad():
                self.model.update.outer_bias.fill_(torch.nan)
            return loss * torch.nan
        return loss

    monkeypatch.setattr(Optimisation, "step", fail_once)
    recipe = replace(RECIPE, schedule="constant", warmup=0.0)
    train(make_run(dataset, tmp_path, 40, recipe=recipe))
    kinds = [event["event"] for event in read_log(tmp_path)]
    assert kinds.count("recovery") == 1
    assert steps[29] == 2 * steps[30]
    assert all(bool(value.isfinite().all()) for value in read_tensors(tmp_path / "training.safetensors")[0].values())


def test_a_run_that_always_diverges_ends_with_an_error(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Optimisation, "step", lambda *arguments: torch.tensor(torch.nan))
    with pytest.raises(SkolemError, match="diverged"):
        train(make_run(dataset, tmp_path, 2000))


def test_two_processes_train_what_one_does(dataset: Path, tmp_path: Path) -> None:
    run = make_run(dataset, tmp_path / "1", 3, seed=5)
    train(run)
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    settings = ["--layers=2", "--width=8", "--batch=32", f"--rate={RECIPE.rate}", "--steps=3", "--seed=5", "--no-marks"]
    command = [*launcher, "-m", "skolem.cli", "train", str(dataset), "-o", str(tmp_path / "2"), *settings]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    one, two = (read_tensors(tmp_path / name / "training.safetensors")[0] for name in ("1", "2"))
    for name, value in one.items():
        if name.startswith("weights."):
            torch.testing.assert_close(value, two[name], rtol=1e-3, atol=1e-5)
    assert len(read_log(tmp_path / "2")) == len(read_log(tmp_path / "1"))


def test_the_command_shows_progress_and_ends_with_errors_in_one_line(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = ["-o", str(tmp_path / "model"), "--steps=2", "--layers=1", "--width=4", "--select=loss"]
    assert main(["train", str(dataset), *settings]) == 0
    assert "samples/s" in capsys.readouterr().out
    assert load_model(tmp_path / "model")[1].training["recipe"]["select"] == "loss"
    assert main(["train", str(tmp_path / "nothing"), *settings]) == 31
    assert capsys.readouterr().err.count("\n") == 1


def test_unreachable_goals_may_cost_twice_the_largest_cost(dataset: Path, tmp_path: Path) -> None:
    above, twice = (
        train(make_run(dataset, tmp_path / name, 1, recipe=replace(RECIPE, unreachable=name)))
        for name in ("above", "twice")
    )
    shard = read_dataset(dataset).load("train").shard
    assert twice.unreachable == 2 * shard.pair_cost[shard.pair_reachable].max()
    assert twice.farthest == twice.unreachable / 2
    assert above.farthest == above.unreachable - 2
