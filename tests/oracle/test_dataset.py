import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skolem.oracle.dataset import (
    Dataset,
    Relation,
    Shard,
    ShardBuilder,
    ShardReader,
    concatenate,
    read_dataset,
    read_shard,
    shrink,
    write_manifest,
    write_shard,
)
from skolem.support.errors import InputError
from skolem.task.query import Query

RELATIONS = (Relation("red", 1, True), Relation("edge", 2, True), Relation("at", 1, False), Relation("free", 0, False))


def rows(*tuples: tuple[int, ...], arity: int = 1) -> np.ndarray:
    return np.array(tuples, dtype=np.int32).reshape(len(tuples), arity)


def build_shard(objects: int = 3, cost: int | None = 4) -> Shard:
    builder = ShardBuilder(RELATIONS)
    task = builder.add_task(objects, {"red": rows((0,), (2,)), "edge": rows((0, 1), (1, 2), arity=2)})
    state = builder.add_state(task, {"at": rows((1,)), "free": rows((), arity=0)})
    query = Query(2, (("at", (~0,)), ("edge", (~0, ~1)), ("red", (2,))), unequal=((~0, ~1),))
    goal = builder.add_goal(task, query)
    root = builder.add_node(goal, state, (-1, -1))
    builder.add_pair(root, -1, -1, 3)
    builder.add_pair(root, 0, 1, cost)
    builder.add_complete(root, (1, 2), 3)
    builder.add_complete(root, (0, 1), None)
    node = builder.add_node(goal, state, (1, -1))
    builder.add_pair(node, 1, 2, 0)
    return builder.build()


def write_dataset(path: Path, shard: Shard) -> Dataset:
    file = write_shard(path / "train-0000.npz", shard)
    dataset = Dataset(path, "graph", RELATIONS, {"seed": 1}, {"train": (file,)})
    write_manifest(dataset)
    return dataset


def test_tasks_states_and_goals_come_back() -> None:
    reader = ShardReader(RELATIONS, build_shard())
    assert reader.statics(0)["edge"].tolist() == [[0, 1], [1, 2]]
    assert reader.statics(0)["red"].tolist() == [[0], [2]]
    assert reader.fluents(0)["at"].tolist() == [[1]]
    assert reader.fluents(0)["free"].shape == (1, 0)
    query = reader.goal(0)
    assert set(query.atoms) == {("at", (~0,)), ("edge", (~0, ~1)), ("red", (2,))}
    assert query.unequal == ((~0, ~1),)
    assert reader.node(1).binding == (1, -1)


def test_unreachable_pairs_have_no_cost() -> None:
    shard = build_shard(cost=None)
    assert shard.pair_reachable.tolist() == [True, False, True]
    assert shard.complete_reachable.tolist() == [True, False]
    assert build_shard(cost=0).pair_reachable.all()


def test_concatenation_moves_every_index() -> None:
    first, second = build_shard(objects=3), build_shard(objects=5)
    both = concatenate([first, second])
    reader = ShardReader(RELATIONS, both)
    assert both.objects.tolist() == [3, 5]
    assert both.state_task.tolist() == [0, 1]
    assert both.node_goal.tolist() == [0, 0, 1, 1]
    assert both.pair_node.tolist() == [0, 0, 1, 2, 2, 3]
    assert both.complete_node.tolist() == [0, 0, 2, 2]
    assert reader.node(3) == ShardReader(RELATIONS, second).node(1)
    assert reader.statics(1)["edge"].tolist() == [[0, 1], [1, 2]]


def test_an_empty_part_can_be_loaded(tmp_path: Path) -> None:
    dataset = write_dataset(tmp_path, ShardBuilder(RELATIONS).build())
    shard = dataset.load("train").shard
    assert len(shard.pair_node) == len(shard.objects) == 0
    assert shard.goal_counts.shape == (0, 4)


def test_a_part_without_shards_is_empty(tmp_path: Path) -> None:
    assert len(write_dataset(tmp_path, build_shard()).load("larger").shard.pair_node) == 0


def test_a_dataset_comes_back_from_disk(tmp_path: Path) -> None:
    written = write_dataset(tmp_path, build_shard())
    dataset = read_dataset(tmp_path)
    assert dataset == written
    assert (dataset.pairs("train"), dataset.pairs("larger")) == (3, 0)
    assert dataset.load("train").node(1).binding == (1, -1)


def test_the_same_shard_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = (write_shard(tmp_path / f"{i}.npz", build_shard()) for i in range(2))
    assert first.sha256 == second.sha256
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.npz", "1.npz"]


def test_numpy_alone_reads_a_shard(tmp_path: Path) -> None:
    write_shard(tmp_path / "shard.npz", build_shard())
    with np.load(tmp_path / "shard.npz", allow_pickle=False) as arrays:
        assert arrays["pair_cost"].tolist() == [3, 4, 0]


def test_a_damaged_shard_is_reported(tmp_path: Path) -> None:
    dataset = write_dataset(tmp_path, build_shard())
    path = tmp_path / "train-0000.npz"
    path.write_bytes(path.read_bytes()[:-10] + b"0123456789")
    with pytest.raises(InputError, match="does not match its checksum"):
        dataset.load("train")
    path.write_bytes(b"nothing")
    with pytest.raises(InputError, match="not a readable dataset shard"):
        read_shard(path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "other", "version": 1}'])
def test_a_manifest_that_is_none_is_reported(tmp_path: Path, text: str) -> None:
    (tmp_path / "dataset.json").write_text(text)
    with pytest.raises(InputError, match=r"dataset\.json"):
        read_dataset(tmp_path)


def test_an_unknown_version_is_reported(tmp_path: Path) -> None:
    write_dataset(tmp_path, build_shard())
    manifest = tmp_path / "dataset.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"version": 99}))
    with pytest.raises(InputError, match="expected format skolem-dataset version 2"):
        read_dataset(tmp_path)


@given(st.lists(st.integers(-(2**40), 2**40), max_size=8))
def test_shrinking_keeps_the_numbers(numbers: list[int]) -> None:
    array = np.array(numbers, dtype=np.int64)
    assert shrink(array).tolist() == numbers
    assert shrink(array).nbytes <= array.nbytes
