"""The ablation: which runs there are, that they go on after an interruption, and what is collected of them."""

import json
from argparse import ArgumentTypeError
from pathlib import Path
from random import Random

import pytest
from benchmarks.ablations import VARIANTS, collect, format_table, list_runs, parse_dataset, run_all, split_name
from tests.network.worlds import RELATIONS, fill_builder

from skolem.oracle.dataset import PARTS, Dataset, ShardBuilder, ShardFile, write_manifest, write_shard

SWITCHES = ("--device", "cpu", "--batch", "16", "--width", "8")


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "dataset"
    folder.mkdir()
    parts: dict[str, tuple[ShardFile, ...]] = {}
    for part in PARTS:
        builder = ShardBuilder(RELATIONS)
        fill_builder(builder, Random(part), 8, 4, complete=part == "larger")
        parts[part] = (write_shard(folder / f"{part}-0.npz", builder.build()),)
    write_manifest(Dataset(folder, "made-up", RELATIONS, {"seed": 0}, parts))
    return folder


def test_every_variant_with_a_dataset_is_run(tmp_path: Path) -> None:
    datasets = dict(map(parse_dataset, ("blocks-c:small=d/1", "gripper:large=d/2")))
    runs = list_runs(datasets, (0, 1), tmp_path)
    small, large = (sum(v.data == data for v in VARIANTS) for data in ("small", "large"))
    assert len(runs) == 2 * (small + large)
    for run in runs:
        assert split_name(run.folder.name) == (run.family, run.variant, run.seed)
        assert run.command(SWITCHES)[4] == str(Path("d/1") if run.family == "blocks-c" else Path("d/2"))


def test_runs_are_trained_and_collected_and_not_repeated(dataset: Path, tmp_path: Path) -> None:
    output = tmp_path / "runs"
    runs = [r for r in list_runs({("made-up", "large"): dataset}, (0,), output) if r.variant.name in ("skolem", "head")]
    run_all(runs, (*SWITCHES, "--layers", "2", "--steps", "4"), parallel=2, budget=120.0)
    assert all(run.done for run in runs)
    rows = collect(output)
    assert [(row["variant"], row["steps"]) for row in rows] == [("skolem", 4), ("head", 4)]
    assert rows[1]["parts"]["larger"]["head"] is not None
    assert format_table(rows).count("\n") == 4
    log = (output / "made-up-head-s0.log").read_text()
    run_all(runs, (*SWITCHES, "--layers", "2", "--steps", "4"), parallel=2, budget=120.0)
    assert (output / "made-up-head-s0.log").read_text() == log


def test_a_run_that_was_stopped_is_not_done(dataset: Path, tmp_path: Path) -> None:
    run = list_runs({("made-up", "large"): dataset}, (0,), tmp_path)[0]
    run.folder.mkdir()
    events = [{"event": "train", "step": 50, "seconds": 1.0, "progress": 0.5}]
    (run.folder / "log.jsonl").write_text("".join(json.dumps(e) + "\n" for e in events) + '{"event": "val')
    assert not run.done
    (run.folder / "training.safetensors").touch()
    assert run.command(SWITCHES)[-1] == "--resume"


@pytest.mark.parametrize("text", ["blocks=d", "blocks:tiny=d", "blocks:large"])
def test_a_wrong_dataset_argument_is_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="expected FAMILY"):
        parse_dataset(text)
