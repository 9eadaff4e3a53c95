"""The engines make the choices of the reference, with the shipped models on tasks of their families."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from skolem.evaluation.test_sets import read_instance
from skolem.families.registry import generate_problem
from skolem.grounding.learned import LearnedGrounder
from skolem.grounding.models import MODELS, PAPER_MODELS, Model, find_model
from skolem.grounding.policy import follow_policy
from skolem.grounding.protocol import Order
from skolem.network.engine.choice import Kind, build_engine
from skolem.network.engine.protocol import Engine
from skolem.network.model_folder import load_weights
from skolem.planning.limits import NO_LIMITS
from skolem.task.model import Task

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
SIZES = {"blocks": 9, "blocks-c": 9, "gripper": 15, "delivery": 31, "visitall": 25}
FAMILY = pytest.mark.parametrize("family", SIZES)
FAST = pytest.mark.parametrize("kind", ["native", "numpy"])


def make_task(family: str, neq: bool = False) -> Task:
    return read_instance(generate_problem(family, "lama", 3, 0, size=SIZES[family], variables=4, neq=neq))


def build(kind: Kind, model: Model) -> Engine:
    return build_engine(kind, model.card.network, model.card.vocabulary, load_weights(model.path, model.card))


def agree(task: Task, make: Callable[[Kind], LearnedGrounder], kind: Kind, count: int = 1) -> None:
    """Asserts that the first groundings are those of the reference, choice by choice."""
    for _, found, wanted in zip(
        range(count), make(kind).groundings(task), make("torch").groundings(task), strict=False
    ):
        assert found.binding == wanted.binding
        assert found.predicted_cost == pytest.approx(wanted.predicted_cost, abs=1e-3)
        for step, other in zip(found.trace, wanted.trace, strict=True):
            assert [(c.variable, c.object) for c in step.ranked] == [(c.variable, c.object) for c in other.ranked]
            costs = {(c.variable, c.object): c.value for c in other.ranked}
            assert {(c.variable, c.object): c.value for c in step.ranked} == pytest.approx(costs, abs=1e-3)


@FAST
@FAMILY
@pytest.mark.parametrize("neq", [False, True])
def test_greedy_and_next_best_bindings_agree(kind: Kind, family: str, neq: bool) -> None:
    task = make_task(family, neq)
    model = find_model(task, MODELS)
    rater = model.rater

    def make(kind: Kind) -> LearnedGrounder:
        rates = build(kind, rater) if rater else None
        return LearnedGrounder(build(kind, model), scores="both" if rates else "full", order="fixed", rater=rates)

    agree(task, make, kind, count=3)


@FAST
@FAMILY
@pytest.mark.parametrize("order", ["best", "fixed"])
def test_beams_and_their_next_best_bindings_agree(kind: Kind, family: str, order: Order) -> None:
    task = make_task(family)
    model = find_model(task, MODELS)
    agree(task, lambda kind: LearnedGrounder(build(kind, model), "beam", width=4, order=order), kind, count=6)


@FAST
@pytest.mark.parametrize("family", ["blocks-c", "visitall"])
def test_the_head_alone_agrees(kind: Kind, family: str) -> None:
    task = make_task(family)
    rater = find_model(task, MODELS).rater
    assert rater is not None
    agree(task, lambda kind: LearnedGrounder(build(kind, rater), scores="head"), kind)


@FAST
@FAMILY
def test_the_papers_models_agree(kind: Kind, family: str) -> None:
    task = make_task(family, neq=True)
    model = find_model(task, PAPER_MODELS)
    agree(task, lambda kind: LearnedGrounder(build(kind, model), candidates="all", order="fixed"), kind)


@FAST
def test_policies_agree(kind: Kind) -> None:
    task = make_task("visitall")
    model = find_model(task, MODELS)
    binding = LearnedGrounder(build("torch", model)).ground(task).binding
    assert binding is not None
    plans = [follow_policy(build(k, model), task, binding, NO_LIMITS).plan for k in (kind, "torch")]
    assert plans[0] == plans[1] is not None


def test_grounding_imports_no_torch() -> None:
    folder = EXAMPLES / "visitall"
    program = (
        "import sys; from pathlib import Path; from skolem.pddl.reading import read_task;"
        "from skolem.grounding.learned import LearnedGrounder; from skolem.grounding.models import find_model;"
        "task = read_task(*map(Path, sys.argv[1:])); model = find_model(task);"
        "found = LearnedGrounder(model.load(), scores='both', rater=model.load_rater()).ground(task);"
        "assert found.binding; print('torch' in sys.modules)"
    )
    arguments = [str(folder / "domain.pddl"), str(folder / "tour.pddl")]
    run = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
