"""Which model is used for a task, and what happens when one is damaged or belongs elsewhere."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from skolem.evaluation.routes import Spec
from skolem.evaluation.test_sets import read_instance
from skolem.grounding.models import MODELS, Model, find_model, list_models, open_model
from skolem.pddl.reading import read_task, read_task_text
from skolem.support.errors import InputError, SkolemError, UnsupportedError
from skolem.task.model import Source, Task

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def read_tower(goal: str = "") -> Task:
    task = read_task(EXAMPLES / "blocks" / "domain.pddl", EXAMPLES / "blocks" / "tower.pddl")
    if not goal:
        return task
    start, end = task.goal_span
    return read_task_text(task.domain.source, Source("p", task.source.text[:start] + goal + task.source.text[end:]))


def test_every_family_has_a_model_of_less_than_two_megabytes() -> None:
    names = {model.name for model in list_models() if isinstance(model, Model)}
    assert names >= {"blocks", "blocks-c", "gripper", "delivery", "visitall"}
    for weights in MODELS.rglob("model.safetensors"):
        assert sum(file.stat().st_size for file in weights.parent.iterdir()) < 2_000_000


def test_the_goals_predicates_choose_between_models_of_one_domain() -> None:
    assert find_model(read_tower()).name == "blocks"
    assert find_model(read_tower("(:goal (exists (?x) (and (red ?x) (clear ?x))))")).name == "blocks-c"


def test_a_task_far_larger_than_in_training_has_another_model_where_there_is_one() -> None:
    found = {}
    for family, size in (("delivery", 88), ("delivery", 87), ("blocks", 40)):
        found[family, size] = find_model(read_instance(Spec(family, False, 3, size=size, variables=2).make())).name
    assert found == {("delivery", 88): "delivery-large", ("delivery", 87): "delivery", ("blocks", 40): "blocks"}


def test_a_model_is_trusted_with_as_many_objects_as_it_was_measured_on() -> None:
    model = open_model(MODELS / "delivery-large")
    measured = model.card.training["measured"]
    task = read_instance(Spec("delivery", False, 3, size=100, variables=2).make())
    assert len(task.objects) <= measured
    assert not model.is_exceeded(task)
    training = {**model.card.training, "measured": len(task.objects) - 1}
    assert replace(model, card=replace(model.card, training=training)).is_exceeded(task)


def test_a_goal_that_no_model_has_seen_is_refused_with_the_reason() -> None:
    with pytest.raises(UnsupportedError, match="never trained on goals with ontable"):
        find_model(read_tower("(:goal (exists (?x) (and (red ?x) (ontable ?x))))"))


def test_a_domain_without_model_is_named() -> None:
    task = read_task(EXAMPLES / "household" / "domain.pddl", next((EXAMPLES / "household").glob("[!d]*.pddl")))
    with pytest.raises(UnsupportedError, match="no learned model for the domain"):
        find_model(task)


@pytest.mark.parametrize("damage", ["delete", "truncate", "garble", "swap"])
def test_damaged_models_give_one_clear_line(tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "blocks"
    shutil.copytree(MODELS / "blocks", folder)
    weights = folder / "model.safetensors"
    if damage == "delete":
        weights.unlink()
    elif damage == "truncate":
        weights.write_bytes(weights.read_bytes()[:1000])
    elif damage == "garble":
        weights.write_bytes(b"junk" * 1000)
    else:
        shutil.copy(MODELS / "gripper" / "model.safetensors", weights)
    with pytest.raises(InputError, match=r"model\.safetensors"):
        open_model(folder).load()


def test_a_damaged_card_is_listed_as_an_error(tmp_path: Path) -> None:
    shutil.copytree(MODELS / "blocks", tmp_path / "blocks")
    (tmp_path / "blocks" / "config.json").write_text("{")
    assert [isinstance(model, SkolemError) for model in list_models(tmp_path)] == [True]
    with pytest.raises(UnsupportedError, match=r"config\.json"):
        find_model(read_tower(), tmp_path)


def test_a_model_may_come_with_a_network_that_rates() -> None:
    task = read_task(EXAMPLES / "visitall" / "domain.pddl", next((EXAMPLES / "visitall").glob("[!d]*.pddl")))
    model = find_model(task)
    rater = model.load_rater()
    assert model.rates
    assert rater is not None
    assert rater.config.head
    assert not model.load().config.head
    assert model.identify(rated=True) != model.identify(rated=False)


def test_a_network_for_other_relations_cannot_rate(tmp_path: Path) -> None:
    shutil.copytree(MODELS / "visitall", tmp_path / "visitall")
    shutil.rmtree(tmp_path / "visitall" / "rater")
    assert open_model(tmp_path / "visitall").load_rater() is None
    shutil.copytree(MODELS / "blocks-c" / "rater", tmp_path / "visitall" / "rater")
    with pytest.raises(InputError, match="cannot rate"):
        open_model(tmp_path / "visitall").load_rater()


def test_a_network_is_read_again_only_when_its_files_change(tmp_path: Path) -> None:
    shutil.copytree(MODELS / "blocks", tmp_path / "blocks")
    model = open_model(tmp_path / "blocks")
    first = model.load()
    assert model.load() is first
    weights = tmp_path / "blocks" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-4])
    with pytest.raises(InputError, match=r"model\.safetensors"):
        model.load()


@pytest.mark.parametrize(
    ("learned", "exact", "doubted"),
    [
        ({"covered": 40, "ratio": 1.02}, {"covered": 40, "ratio": 1.2}, False),
        ({"covered": 39, "ratio": 1.02}, {"covered": 40, "ratio": 1.2}, True),
        ({"covered": 40, "ratio": 1.02}, {"covered": 40, "ratio": 1.03}, True),
        ({"covered": 40, "ratio": 1.02}, None, True),
        (None, None, True),
    ],
)
def test_a_learned_model_is_taken_at_its_word_where_it_was_measured_to_be_better(
    learned: dict[str, float] | None, exact: dict[str, float] | None, doubted: bool
) -> None:
    model = open_model(MODELS / "blocks")
    assert model.doubt == ""
    plan = {**model.card.training["origin"]["plan"], "files": ["domain.pddl", "p1.pddl"]}
    training = {**model.card.training, "origin": {"plan": plan}}
    if learned is not None:
        routes = {"learned": learned, **({} if exact is None else {"exact route": exact})}
        training["learned"] = {"measurement": {"routes": routes}}
    changed = replace(model, card=replace(model.card, training=training))
    assert bool(changed.doubt) is doubted


def test_a_model_of_one_setting_is_not_taken_for_the_other() -> None:
    several = "(:goal (exists (?x ?y) (and (red ?x) (blue ?y) (on ?x ?y){})))"
    goals = {False: several.format(""), True: several.format(" (not (= ?x ?y))")}
    model = open_model(MODELS / "blocks")
    for neq in (False, True):
        training = {**model.card.training, "origin": {"plan": {"neq": neq}}}
        trained = replace(model, card=replace(model.card, training=training))
        trained.check(read_tower(goals[neq]))
        trained.check(read_tower("(:goal (exists (?x) (and (red ?x) (on ?x a))))"))
        with pytest.raises(UnsupportedError, match=f"goals with{'' if neq else 'out'} inequalities only"):
            trained.check(read_tower(goals[not neq]))
