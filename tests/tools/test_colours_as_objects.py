"""Colours as objects: the same goals in other words, with the same candidates and costs."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
from tests.network.worlds import RELATIONS, fill_builder
from tools.colours_as_objects import HAS_COLOUR, convert_dataset, count_differences

from skolem.oracle.dataset import PARTS, Dataset, ShardBuilder, ShardFile, read_dataset, write_manifest, write_shard


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    folder = tmp_path_factory.mktemp("colours")
    parts: dict[str, tuple[ShardFile, ...]] = {}
    for part in PARTS:
        builder = ShardBuilder(RELATIONS)
        fill_builder(builder, Random(part), 10, 4, complete=part == "larger")
        parts[part] = (write_shard(folder / f"{part}-0.npz", builder.build()),)
    write_manifest(Dataset(folder, "made-up", RELATIONS, {"seed": 0}, parts))
    return read_dataset(folder)


@pytest.fixture(scope="module")
def converted(source: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    output = tmp_path_factory.mktemp("objects")
    convert_dataset(source.path, output)
    return read_dataset(output)


def test_candidates_are_the_same(source: Dataset, converted: Dataset) -> None:
    for part in PARTS:
        assert count_differences(source, converted, part, 100) == (10, 0)


def test_a_colour_is_said_of_the_same_terms(source: Dataset, converted: Dataset) -> None:
    before, after = source.load("train"), converted.load("train")
    for goal in range(10):
        coloured = sorted(args for name, args in before.goal(goal).atoms if name in ("red", "blue"))
        assert sorted(args[:1] for name, args in after.goal(goal).atoms if name == HAS_COLOUR) == coloured
        task = int(after.shard.goal_task[goal])
        assert min(args[1] for name, args in after.goal(goal).atoms if name == HAS_COLOUR) >= before.shard.objects[task]
        assert len(after.statics(task)[HAS_COLOUR]) == sum(len(before.statics(task)[c]) for c in ("red", "blue"))
        assert after.fluents(goal).keys() == before.fluents(goal).keys()
        for name, rows in before.fluents(goal).items():
            assert (after.fluents(goal)[name] == rows).all()


def test_validation_keeps_its_pairs_and_costs(source: Dataset, converted: Dataset) -> None:
    for part in ("validation", "larger"):
        before, after = source.load(part).shard, converted.load(part).shard
        for column in ("pair_node", "pair_object", "pair_cost", "pair_reachable", "complete_objects", "complete_cost"):
            assert (getattr(before, column) == getattr(after, column)).all()


def test_training_groups_get_one_colour_that_cannot_be_reached(source: Dataset, converted: Dataset) -> None:
    before, after = source.load("train").shard, converted.load("train").shard
    task = after.goal_task[after.node_goal[after.pair_node]]
    added = (after.pair_object >= before.objects[task]) & (after.pair_variable.astype(np.int64) >= 0)
    assert added.sum() == 10
    assert not after.pair_reachable[added].any()
    for column in ("pair_node", "pair_variable", "pair_object", "pair_cost", "pair_reachable"):
        assert (getattr(after, column)[~added] == getattr(before, column)).all()


def test_a_dataset_becomes_the_same_bytes_every_time(source: Dataset, converted: Dataset, tmp_path: Path) -> None:
    assert convert_dataset(source.path, tmp_path).checksum == converted.checksum
