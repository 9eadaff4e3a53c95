"""Drawings of tasks: every family, any other domain, bindings, file formats."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from skolem.drawing import draw_task, render_picture, save_drawing
from skolem.families.registry import FAMILIES, generate_problem
from skolem.pddl.reading import read_task_text
from skolem.support.errors import InputError
from skolem.task.model import Source, Task

SIZES = {"blocks": 8, "blocks-c": 8, "gripper": 13, "delivery": 26, "visitall": 20}

KITCHEN = """
(define (domain kitchen)
  (:requirements :typing)
  (:types thing place - object cup plate - thing)
  (:predicates (in ?t - thing ?p - place) (clean ?t - thing) (chipped ?t - thing) (power)
               (route ?a - place ?b - place ?c - place))
  (:action move
    :parameters (?t - thing ?a - place ?b - place)
    :precondition (in ?t ?a)
    :effect (and (in ?t ?b) (not (in ?t ?a))))
  (:action wash :parameters (?t - thing) :precondition (power) :effect (clean ?t)))
"""


def make_kitchen(goal: str, cups: int = 2) -> Task:
    names = [f"cup{i}" for i in range(1, cups + 1)]
    facts = " ".join(f"(in {name} shelf)" for name in names)
    problem = f"""
(define (problem breakfast) (:domain kitchen)
  (:objects {" ".join(names)} - cup plate1 - plate shelf table sink - place)
  (:init {facts} (in plate1 sink) (chipped cup1) (power) (route shelf table sink))
  (:goal {goal}))"""
    return read_task_text(Source("domain.pddl", KITCHEN), Source("problem.pddl", problem))


def make_family_task(family: str) -> Task:
    instance = generate_problem(family, "optimal", 1, 0, size=SIZES[family], variables=3, neq=True)
    return read_task_text(Source("domain.pddl", instance.domain_text), Source("problem.pddl", instance.problem_text))


def list_texts(task: Task, binding: dict[str, str] | None = None) -> list[str]:
    """The texts of the SVG drawing."""
    root = ElementTree.fromstring(render_picture(draw_task(task, binding), "svg"))
    return ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_task_shows_its_objects_and_its_variables(family: str) -> None:
    task = make_family_task(family)
    texts = list_texts(task)
    assert set(task.objects) <= set(texts)
    assert {"x1", "x2", "x3"} <= set(texts)
    assert any(text.startswith("∃ x1, x2, x3 :") for text in texts)
    assert any("different(x1, x2, x3)" in text for text in texts)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_binding_is_shown_at_its_objects_and_in_the_goal(family: str) -> None:
    task = make_family_task(family)
    objects = [name for name in task.objects if name not in ("t", "left", "right")][-3:]
    binding = dict(zip(("?x1", "?x2", "?x3"), objects, strict=True))
    plain, texts = list_texts(task), list_texts(task, binding)
    assert [texts.count(v) - plain.count(v) for v in ("x1", "x2", "x3")] == [1, 1, 1]
    assert all(f"={name}" in texts for name in objects)
    assert f"x1 = {objects[0]}, x2 = {objects[1]}, x3 = {objects[2]}" in texts


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_task_gives_the_same_bytes(family: str, tmp_path: Path) -> None:
    task = make_family_task(family)
    for suffix, head in ((".svg", b"<?xml"), (".png", b"\x89PNG\r\n\x1a\n")):
        first, second = tmp_path / f"first{suffix}", tmp_path / f"second{suffix}"
        save_drawing(task, first)
        save_drawing(task, second)
        assert first.read_bytes().startswith(head)
        assert first.read_bytes() == second.read_bytes()


def test_a_drawing_holds_no_date(tmp_path: Path) -> None:
    content = render_picture(draw_task(make_family_task("blocks")), "svg")
    assert re.search(rb"20\d\d-\d\d-\d\d", content) is None


def test_another_domain_is_drawn_as_a_graph() -> None:
    task = make_kitchen("(exists (?c - cup ?p - place) (and (in ?c ?p) (clean ?c) (in plate1 ?p) (power)))")
    texts = list_texts(task, {"c": "cup2"})
    assert set(task.objects) <= set(texts)
    assert {"in", "chipped", ": cup", "c = cup2", "p", "clean"} <= set(texts)
    assert "power; route(shelf, table, sink)" in texts
    assert "∃ c ∈ cup, p ∈ place : in(c, p) ∧ clean(c) ∧ in(plate1, p) ∧ power" in texts


def test_of_many_objects_those_of_the_goal_are_drawn_and_the_rest_is_counted() -> None:
    task = make_kitchen("(exists (?c - cup) (and (clean ?c) (in cup150 sink)))", cups=200)
    texts = list_texts(task, {"?c": "cup111"})
    assert {"cup111", "cup150", "sink", "c = cup111"} <= set(texts)
    drawn = [text for text in texts if re.fullmatch(r"cup\d+", text)]
    assert len(set(drawn)) < 60
    assert any(re.search(r"\d+ objects not drawn \(\d+ cup", text) for text in texts)


def test_a_goal_outside_the_fragment_is_shown_as_a_formula() -> None:
    task = make_kitchen("(and (forall (?c - cup) (or (clean ?c) (in ?c sink))) (not (in plate1 sink)))")
    assert task.goal.outside is not None
    texts = list_texts(task)
    assert "(∀ c ∈ cup : (clean(c) ∨ in(c, sink))) ∧ ¬in(plate1, sink)" in texts
    assert f"see the formula ({task.goal.outside})" in texts


def test_a_goal_without_variables_is_drawn_with_its_objects() -> None:
    texts = list_texts(make_kitchen("(and (in cup1 table) (in cup2 table))"))
    assert "in(cup1, table) ∧ in(cup2, table)" in texts
    assert texts.count("table") == 2


@pytest.mark.parametrize(
    ("goal", "wanted"),
    [
        ("(exists (?x ?y) (and (on ?x ?y) (on ?y ?x)))", ["on"]),
        ("(exists (?x) (and (holding a) (clear ?x)))", ["clear"]),
        ("(exists (?x) (and (ontable ?x) (not (= ?x b))))", ["∃ x : ontable(x) ∧ x ≠ b"]),
        ("(handempty)", ["handempty"]),
        ("(and)", ["true", "see the formula"]),
    ],
)
def test_unusual_goals_of_a_family_are_drawn(goal: str, wanted: list[str]) -> None:
    problem = f"""(define (problem p) (:domain blocks) (:objects a b c)
      (:init (holding c) (ontable a) (on b a) (clear b)) (:goal {goal}))"""
    domain = Source("domain.pddl", FAMILIES["blocks"].domain_text)
    texts = list_texts(read_task_text(domain, Source("problem.pddl", problem)))
    assert {"a", "b", "c", *wanted} <= set(texts)


def test_names_that_look_like_markup_are_drawn_as_they_are() -> None:
    problem = """(define (problem p) (:domain kitchen) (:objects a_$x$_b - cup s - place)
      (:init (in a_$x$_b s)) (:goal (clean a_$x$_b)))"""
    texts = list_texts(read_task_text(Source("domain.pddl", KITCHEN), Source("problem.pddl", problem)))
    assert "a_$x$_b" in texts


@pytest.mark.parametrize("name", ["drawing.pdf", "drawing", "drawing.SVGZ"])
def test_another_suffix_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ends in \.svg or \.png"):
        save_drawing(make_kitchen("(power)"), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_missing_folder_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write the drawing"):
        save_drawing(make_kitchen("(power)"), tmp_path / "missing" / "drawing.svg")


def test_a_binding_of_something_else_is_refused() -> None:
    task = make_kitchen("(exists (?c - cup) (clean ?c))")
    with pytest.raises(InputError, match=r"unknown variable '\?d', expected one of \?c"):
        draw_task(task, {"?d": "cup1"})
    with pytest.raises(InputError, match="bound to 'cup9', which is no object of breakfast"):
        draw_task(task, {"?c": "cup9"})
