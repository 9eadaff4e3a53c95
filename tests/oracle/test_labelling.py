import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.oracle.test_space import TOY, TOY_PROBLEM

from skolem.families.registry import generate_problem
from skolem.oracle.costs import Oracle
from skolem.oracle.dataset import Dataset, read_dataset
from skolem.oracle.labelling import DatasetRecipe, label, make_shard, plan_family
from skolem.oracle.labels import Mix
from skolem.pddl.reading import read_task
from skolem.support.errors import InputError

SMALL = DatasetRecipe("gripper", pairs=600, validation=100, larger=4, shard=200, larger_shard=2, larger_states=20_000)


def list_bytes(dataset: Dataset) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(dataset.path.iterdir())}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return label(SMALL, tmp_path_factory.mktemp("labels") / "gripper")


def test_parts_have_the_pairs_that_were_asked_for(dataset: Dataset) -> None:
    assert dataset.pairs("train") >= 600
    assert dataset.pairs("validation") >= 100
    shard = dataset.load("larger").shard
    assert len(np.unique(shard.complete_node)) == 4
    assert set(shard.objects.tolist()) <= set(range(12, 18))
    assert read_dataset(dataset.path).checksum == dataset.checksum


def test_validation_tasks_are_not_training_tasks(dataset: Dataset) -> None:
    def describe(part: str) -> set[tuple[bytes, ...]]:
        reader = dataset.load(part)
        tasks = range(len(reader.shard.objects))
        return {tuple(rows.tobytes() for rows in reader.statics(t).values()) for t in tasks}

    assert not describe("train") & describe("validation")


def test_listed_bindings_contain_the_best_and_agree_with_the_root(dataset: Dataset) -> None:
    shard = dataset.load("larger").shard
    for node in np.unique(shard.complete_node):
        here = (shard.complete_node == node) & shard.complete_reachable
        root = (shard.pair_node == node) & (shard.pair_variable == -1)
        assert shard.complete_cost[here].min() == shard.pair_cost[root][0]


def test_goals_may_name_objects_in_place_of_further_variables(tmp_path: Path) -> None:
    plan = DatasetRecipe("blocks", pairs=2000, validation=100, larger=0, mix=Mix(named=2))
    shard = label(plan, tmp_path).load("train").shard
    total = shard.goal_variables[shard.node_goal][shard.pair_node]
    bound = (shard.node_binding >= 0).sum(axis=1)[shard.pair_node] + (shard.pair_variable >= 0)
    assert set(total.tolist()) == {1, 2, 3, 4, 5, 6}
    assert (total - bound).max() == 4
    assert {(5, 1), (6, 2)} <= set(zip(total.tolist(), bound.tolist(), strict=True))


def test_progress_is_reported_up_to_all_pairs(tmp_path: Path) -> None:
    seen: list[int] = []
    label(SMALL, tmp_path, report=seen.append)
    assert seen[0] == 0
    assert seen == sorted(set(seen))
    assert seen[-1] == SMALL.total


def test_an_interrupted_run_continues_and_gives_the_same_bytes(dataset: Dataset, tmp_path: Path) -> None:
    make_shard(SMALL, tmp_path, "train", 1, 200)
    make_shard(SMALL, tmp_path, "train", 2, 200)
    kept = (tmp_path / "train-0001.npz").stat().st_mtime_ns
    damaged = tmp_path / "train-0002.npz"
    damaged.write_bytes(damaged.read_bytes()[:100])
    (tmp_path / ".train-0000.npz.0123abcd.part").write_bytes(b"half a shard")
    warnings: list[str] = []
    again = label(SMALL, tmp_path, warn=warnings.append)
    assert (tmp_path / "train-0001.npz").stat().st_mtime_ns == kept
    assert list_bytes(again) == list_bytes(dataset)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(p.name for p in dataset.path.iterdir())
    assert warnings == [f"{damaged}: the shard does not match its checksum: it is made again"]


def test_what_is_damaged_or_lost_is_named_and_made_again(dataset: Dataset, tmp_path: Path) -> None:
    folder = shutil.copytree(dataset.path, tmp_path / "copy")
    damaged, lost = folder / "train-0000.npz", folder / "validation-0000.npz"
    damaged.write_bytes(b"x" + damaged.read_bytes()[1:])
    lost.unlink()
    warnings: list[str] = []
    assert list_bytes(label(SMALL, folder, warn=warnings.append)) == list_bytes(dataset)
    assert [text.split(":")[0] for text in warnings] == [str(damaged), str(lost)]
    (folder / "dataset.json").write_text("{")
    warnings.clear()
    assert list_bytes(label(SMALL, folder, warn=warnings.append)) == list_bytes(dataset)
    assert [text.split(":")[0] for text in warnings] == [str(folder / "dataset.json")]


def test_a_finished_dataset_is_not_made_again(dataset: Dataset) -> None:
    before = {path: path.stat().st_mtime_ns for path in dataset.path.glob("*.npz")}
    assert label(SMALL, dataset.path).checksum == dataset.checksum
    assert {path: path.stat().st_mtime_ns for path in dataset.path.glob("*.npz")} == before


def test_the_number_of_workers_does_not_matter(dataset: Dataset, tmp_path: Path) -> None:
    assert list_bytes(label(SMALL, tmp_path, jobs=2)) == list_bytes(dataset)


def test_another_plan_does_not_mix_with_a_dataset(dataset: Dataset) -> None:
    with pytest.raises(InputError, match="another plan"):
        label(DatasetRecipe("gripper", pairs=601), dataset.path)


def test_a_users_domain_needs_no_goal_generator(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("domain.pddl", "a.pddl", "b.pddl")]
    for file, text in zip(files, (TOY, TOY_PROBLEM, TOY_PROBLEM.replace("(in j c)", "(in j b)")), strict=True):
        file.write_text(text)
    plan = DatasetRecipe("toy", tuple(map(str, files)), pairs=300, validation=50)
    dataset = label(plan, tmp_path / "out")
    costs = {"cost:length::1", "cost:length:2:4", "cost:length:5:"}
    assert {r.name for r in dataset.relations if r.static} == {"road", "type:place", "type:thing", *costs}
    assert dataset.pairs("train") >= 300
    assert set(dataset.parts) == {"train", "validation"}


def test_labels_of_a_users_problem_are_exact(tmp_path: Path) -> None:
    instance = generate_problem("blocks", "train", 0, 0, size=4)
    (tmp_path / "domain.pddl").write_text(instance.domain_text)
    (tmp_path / "problem.pddl").write_text(instance.problem_text)
    files = (str(tmp_path / "domain.pddl"), str(tmp_path / "problem.pddl"))
    reader = label(DatasetRecipe("blocks", files, pairs=200, validation=0), tmp_path / "out").load("train")
    task, oracle, shard = read_task(*files), Oracle(), reader.shard
    changing = [r.name for r in reader.relations if not r.static]
    initial = {n: set(map(tuple, task.init[n].tolist())) for n in changing}
    checked = 0
    for pair in range(len(shard.pair_node)):
        node = int(shard.pair_node[pair])
        fluents = reader.fluents(int(shard.node_state[node]))
        if {n: set(map(tuple, fluents[n].tolist())) for n in changing} != initial:
            continue
        query = reader.node(node)
        if shard.pair_variable[pair] != -1:
            query = query.bind(int(shard.pair_variable[pair]), int(shard.pair_object[pair]))
        expected = int(shard.pair_cost[pair]) if shard.pair_reachable[pair] else None
        assert oracle.find_cost_in_space(task, query).cost == expected
        checked += 1
    assert checked >= 20


def test_the_states_of_a_task_can_be_limited() -> None:
    usual, few = plan_family("delivery", "skolem", 400), plan_family("delivery", "skolem", 400, states=60_000)
    assert (usual.states, usual.large_states) == (1_000_000, 4_000_000)
    assert (few.states, few.large_states, few.large_share) == (60_000, 300_000, usual.large_share)
    assert replace(few, states=usual.states, large_states=usual.large_states) == usual


@pytest.mark.parametrize("neq", [False, True])
def test_the_preset_of_the_authors_code_binds_at_random_in_one_setting(neq: bool, tmp_path: Path) -> None:
    usual = plan_family("visitall", "paper-code", 400, neq=neq)
    dataset = label(replace(usual, validation=50, larger=3, larger_states=5_000), tmp_path)
    shard = dataset.load("train").shard
    assert len(shard.pair_cost) == len(shard.goal_task) >= 400
    assert shard.unequal_counts[shard.goal_variables > 1].all() == shard.unequal_counts.any() == neq
    bound = (shard.node_binding >= 0).sum(axis=1)[shard.pair_node] + (shard.pair_variable >= 0)
    unbound = shard.goal_variables[shard.node_goal[shard.pair_node]] - bound
    assert {0, 1, 2, 3, 4} == set(bound.tolist()) == set(unbound.tolist())
    # A random object seldom has the right colour.
    assert shard.pair_reachable[bound == 0].mean() > 0.8 > 0.2 > shard.pair_reachable[bound > 1].mean()
    larger = dataset.load("larger").shard
    assert len(np.unique(larger.complete_node)) == 3
    assert (larger.node_binding[larger.complete_node] < 0).all()
