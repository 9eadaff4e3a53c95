"""Drawings of plans and of explanations."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from skolem.drawing import draw_explanation, draw_plan, render_picture, save_plan
from skolem.drawing.picture import Text
from skolem.drawing.plan_page import animate, draw_states
from skolem.grounding.explanation import explain_goal
from skolem.pddl.reading import read_task
from skolem.planning.exact import plan_exact
from skolem.request import Request
from skolem.solve import ground
from skolem.support.errors import InputError
from skolem.task.model import Task

EXAMPLES = Path(__file__).parents[2] / "examples"
SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("blocks/tower", "gripper/rooms", "delivery/parking", "visitall/visit-1", "household/breakfast")


def read_example(name: str) -> Task:
    return read_task(EXAMPLES / name.split("/")[0] / "domain.pddl", EXAMPLES / f"{name}.pddl")


def list_texts(content: bytes) -> list[str]:
    return ["".join(node.itertext()) for node in ElementTree.fromstring(content).iter(f"{SVG}text")]


@pytest.mark.parametrize("name", NAMES)
def test_a_strip_has_every_step_and_frames_of_one_size(name: str) -> None:
    task = read_example(name)
    plan = plan_exact(task).plan or ()
    frames = draw_states(task, plan)
    assert len(frames) == len(plan) + 1
    assert len({frame.bounds for frame in frames}) == 1
    texts = list_texts(render_picture(draw_plan(task, plan), "svg"))
    assert {f"{number}. {step.strip('()')}" for number, step in enumerate(plan, 1)} <= set(texts)


def test_an_object_keeps_its_place_in_a_domain_without_a_picture_of_its_own() -> None:
    task = read_example("household/breakfast")
    frames = draw_states(task, (plan_exact(task).plan or ())[:3])
    places = [[s.x for s in frame.shapes if isinstance(s, Text) and s.text == "kitchen"] for frame in frames]
    assert places[0] == places[1] == places[2] == places[3]


def test_an_animation_shows_one_state_at_a_time() -> None:
    task = read_example("visitall/visit-1")
    frames = draw_states(task, plan_exact(task).plan or ())
    root = ElementTree.fromstring(animate(frames))
    groups = [node for node in root if node.tag == f"{SVG}g"]
    assert len(groups) == len(frames)
    assert [group.get("visibility") for group in groups] == ["visible"] + ["hidden"] * (len(frames) - 1)
    assert all(group.find(f"{SVG}animate") is not None for group in groups)


def test_a_step_that_cannot_be_taken_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="step 1, \\(pick-up a\\): the precondition is not satisfied"):
        draw_plan(read_example("blocks/tower"), ["(pick-up a)"])
    with pytest.raises(InputError, match="an animation is an SVG file"):
        save_plan(read_example("blocks/tower"), [], tmp_path / "plan.png", moving=True)


def test_an_explanation_shows_reasons_and_predicted_costs() -> None:
    task = read_example("blocks/tower")
    explanation = explain_goal(task, ground(task, Request()))
    texts = list_texts(render_picture(draw_explanation(task, explanation), "svg"))
    assert "ruled out: a, b, d, f, by (blue ?x1)" in texts
    assert "Predicted costs, step by step" in texts
