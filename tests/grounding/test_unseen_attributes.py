"""A model of a family serves its domain whatever describes the objects: other colours, spare predicates, types."""

import re
from pathlib import Path

import pytest
import torch

from skolem.families.registry import FAMILIES, Instance, generate_problem
from skolem.grounding.learned import LearnedGrounder
from skolem.grounding.models import Model, find_model, open_model
from skolem.network.checkpoint import save_model
from skolem.network.config import SKOLEM
from skolem.network.model_folder import ModelCard
from skolem.network.rgnn import RGNN
from skolem.network.vocabulary import Vocabulary
from skolem.oracle.training_tasks import FamilyOrigin, Variety
from skolem.pddl.reading import read_task_text
from skolem.support.errors import UnsupportedError
from skolem.task.model import Source, Task


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models of two families with random weights."""
    folder = tmp_path_factory.mktemp("models")
    torch.manual_seed(0)
    for name, goals in (("gripper", ("at", "not at")), ("blocks", ("on",))):
        origin = FamilyOrigin(FAMILIES[name], "train", 1, variety=Variety(masks=0.5))
        vocabulary = Vocabulary.of(origin.relations, True, origin.attributes)
        card = ModelCard(SKOLEM, vocabulary, name, 30.0, goals, origin.actions, origin.metric)
        save_model(folder / name, card, RGNN(SKOLEM, vocabulary).state_dict())
    return folder


def read(domain: str, problem: str) -> Task:
    return read_task_text(Source("domain.pddl", domain), Source("problem.pddl", problem))


def draw(family: str = "gripper") -> Instance:
    return generate_problem(family, "optimal", 0, 2, variables=2, neq=True)


def ground(models: Path, task: Task) -> tuple[str, tuple[str, ...], float | None]:
    model = find_model(task, models)
    grounding = LearnedGrounder(model.load()).ground(task)
    assert grounding.binding is not None
    return model.name, tuple(grounding.binding.values()), grounding.predicted_cost


def write_atoms(atoms: list[tuple[str, ...]]) -> str:
    return " ".join(f"({' '.join(atom)})" for atom in atoms)


def give_types(instance: Instance) -> Task:
    """A gripper task whose kinds and colours are types."""
    domain = instance.domain_text.replace(
        ":strips)", ":strips :typing)\n (:types room ball gripper - object COLOURS - ball)"
    )
    colours = "red blue green yellow orange purple"
    domain = domain.replace("COLOURS", colours).replace("(room ?x) (ball ?x) (gripper ?x)", "")
    domain = re.sub(r"\(red \?x\).*\(purple \?x\)", "", domain)
    domain = domain.replace("(?from ?to)", "(?from ?to - room)").replace("(room ?from) (room ?to)", "")
    domain = domain.replace("(?ball ?room ?gripper)", "(?ball - ball ?room - room ?gripper - gripper)")
    domain = domain.replace("(ball ?ball) (room ?room) (gripper ?gripper)", "")
    layout, goal = instance.layout, instance.goal
    kinds = {atom[1]: atom[0] for atom in layout.atoms if atom[0] in ("room", "ball", "gripper")} | {**instance.colours}
    objects = " ".join(f"{name} - {kinds[name]}" for name in layout.objects)
    init = write_atoms([atom for atom in layout.atoms if atom[0] not in ("room", "ball", "gripper")])
    described = {atom[1]: atom[0] for atom in goal.atoms if len(atom) == 2}
    variables = " ".join(f"{variable} - {described[variable]}" for variable in goal.variables)
    unequal = " ".join(f"(not (= {a} {b}))" for a, b in goal.unequal)
    body = f"{write_atoms([atom for atom in goal.atoms if len(atom) > 2])} {unequal}"
    header = f"(define (problem p) (:domain gripper) (:objects {objects}) (:init {init})"
    return read(domain, f"{header} (:goal (exists ({variables}) (and {body}))))")


def test_renamed_attributes_and_spare_predicates_change_nothing(models: Path) -> None:
    instance = draw()
    plain = read(instance.domain_text, instance.problem_text)
    renamed = [re.sub(r"\((red|blue) ", r"(deep-\1 ", text) for text in (instance.domain_text, instance.problem_text)]
    spare = instance.domain_text.replace("(red ?x)", "(red ?x) (striped ?x) (likes ?x ?y) (between ?x ?y ?z)")
    facts = instance.problem_text.replace(
        "(:init", "(:init (striped ball1) (likes ball1 ball2) (between ball1 left room-a)"
    )
    expected = ground(models, plain)
    assert expected[0] == "gripper"
    assert ground(models, read(*renamed)) == expected
    assert ground(models, read(spare, facts)) == expected


def test_kinds_and_colours_may_be_types(models: Path) -> None:
    instance = draw()
    name, binding, cost = ground(models, read(instance.domain_text, instance.problem_text))
    again = ground(models, give_types(instance))
    assert again[:2] == (name, binding)
    assert again[2] == pytest.approx(cost, abs=1e-3)


def test_other_actions_are_only_taken_by_name_and_with_a_warning(models: Path) -> None:
    instance = draw()
    slow = instance.domain_text.replace(
        "(connected ?from ?to) (at-robby ?from)", "(connected ?to ?from) (at-robby ?from)"
    )
    task, model = read(slow, instance.problem_text), open_model(models / "gripper")
    with pytest.raises(UnsupportedError, match="no learned model for the domain gripper"):
        find_model(task, models)
    model.check(task)
    assert model.list_differences(task) == ("the model gripper was trained on other actions than those of gripper",)
    assert model.list_differences(read(instance.domain_text, instance.problem_text)) == ()


def test_costs_of_actions_are_no_steps(models: Path) -> None:
    instance = draw("blocks")
    domain = instance.domain_text.replace("(:action pick-up", "(:functions (total-cost) - number)\n (:action pick-up")
    domain = domain.replace("(not (handempty))))", "(not (handempty)) (increase (total-cost) 5)))")
    problem = instance.problem_text.rstrip().removesuffix(")") + "(:metric minimize (total-cost)))"
    model: Model = open_model(models / "blocks")
    assert "the model blocks counts steps" in model.list_differences(read(domain, problem))


def test_goals_with_literals_that_were_never_trained_on_are_refused(models: Path) -> None:
    instance = draw("blocks")
    task = read(instance.domain_text, instance.problem_text.replace("    (and\n", "    (and (ontable ?x1)\n"))
    with pytest.raises(UnsupportedError, match="never trained on goals with ontable"):
        find_model(task, models)
