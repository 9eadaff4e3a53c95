"""The ablation in miniature: what is labelled and trained, that validation goals are shared, and what is collected."""

from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.ablations import (
    DATA,
    VARIANTS,
    collect,
    format_table,
    label_data,
    make_plan,
    plan_data,
    split_name,
)
from tools.train_models import work_off

from benchmarks import ablations
from skolem.cli.parser import parse_command
from skolem.oracle.dataset import read_dataset
from skolem.oracle.labelling import DatasetRecipe

NAMES = [variant.name for variant in VARIANTS]


def test_every_variant_is_trained_on_every_family_that_it_is_for() -> None:
    plan = make_plan(("blocks", "delivery"), NAMES, (0, 1), 1000, ("--steps", "5"))
    assert len(plan.trainings) == 2 * (2 * len(VARIANTS) - 2)
    assert {training.dataset for training in plan.trainings} == plan.datasets.keys()
    assert list(plan.datasets)[:2] == ["blocks-usual", "delivery-usual"]
    for training in plan.trainings:
        family, variant, seed = split_name(training.name)
        assert training.name == f"{family}-{variant.name}-s{seed}"
        options = parse_command(["train", training.dataset, *training.options, "-o", "m"]).options
        assert (options.seed, options.steps) == (seed, 5)
        assert options.settings["readout"] == ("goal" if variant.name == "readout-goal" else "sum")
        assert ("loss" in options.settings) == (variant.name == "squared")


def test_data_differ_from_the_preset_in_one_thing() -> None:
    usual = plan_data("gripper", "usual", 1600)
    assert plan_data("gripper", "few", 1600).pairs == 100
    assert plan_data("gripper", "unnamed", 1600).mix.named == 0
    assert len({repr(plan_data("gripper", data, 1600)) for data in DATA}) == len(DATA) - 1
    assert repr(usual) != repr(plan_data("gripper", "unbalanced", 1600))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recipes of few and small tasks."""

    def plan_little(family: str, preset: str, pairs: int) -> DatasetRecipe:
        return DatasetRecipe(
            family, pairs=pairs, validation=40, larger=3, odd=3, larger_states=5_000, masks=0.5, negated=0.5
        )

    monkeypatch.setattr(ablations, "plan_family", plan_little)


@pytest.mark.usefixtures("small")
def test_validation_goals_are_the_usual_ones(tmp_path: Path) -> None:
    for data in ("usual", "colours"):
        label_data(plan_data("visitall", data, 200), data, tmp_path / f"visitall-{data}", 1, "loky")
    usual, colours = (read_dataset(tmp_path / f"visitall-{data}") for data in ("usual", "colours"))
    assert colours.relations == usual.relations
    for part in ("validation", "larger", "odd"):
        assert colours.parts[part] == usual.parts[part]
        colours.load(part)
    masks = [i for i, relation in enumerate(usual.relations) if relation.name.startswith("mask:")]
    used = [bool(d.load("train").shard.goal_counts[:, masks].any()) for d in (usual, colours)]
    assert used == [True, False]
    assert np.array_equal(usual.load("odd").shard.pair_cost, colours.load("odd").shard.pair_cost)


@pytest.mark.usefixtures("small")
def test_variants_are_trained_and_collected_and_not_repeated(tmp_path: Path) -> None:
    for data in ("usual", "plain"):
        folder = tmp_path / "datasets" / f"visitall-{data}"
        label_data(plan_data("visitall", data, 200), data, folder, 1, "loky")
        (folder / ".done").touch()
    names = ("skolem", "all-inequalities", "predicates")
    plan = make_plan(("visitall",), names, (0,), 200, ("--steps", "2", "--layers", "1", "--width", "4"))
    given = Namespace(device="cpu", jobs=1, encoders=1, places=1, seconds=600.0)
    assert work_off(plan, tmp_path, given) == 0
    rows = collect(tmp_path)
    assert [row["variant"] for row in rows] == ["skolem", "all-inequalities", "predicates"]
    assert all(row["steps"] == row["kept_at_step"] == 2 for row in rows)
    table = format_table([*rows, {**rows[-1], "seed": 1}]).splitlines()
    assert len(table) == 5
    assert "0 / 1" in table[-1]
    before = (tmp_path / "models" / "visitall-skolem-s0.log").read_text()
    assert work_off(plan, tmp_path, given) == 0
    assert (tmp_path / "models" / "visitall-skolem-s0.log").read_text() == before
