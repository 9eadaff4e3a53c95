from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pymimir
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.task.household import house
from unified_planning.io import PDDLReader
from unified_planning.shortcuts import get_environment

from skolem.pddl.reading import read_task_text
from skolem.pddl.writing import format_formula, replace_goal, spell_as_written, write_grounded
from skolem.support.errors import InputError
from skolem.task.formulas import Atom
from skolem.task.goals import ground_goal
from skolem.task.model import Binding, Source, Task

# As a case-sensitive reader with enforced requirements takes it.
DOMAIN = """(define (domain shelf)
  (:requirements :strips :typing :equality :negative-preconditions)
  (:types book box - thing spot)
  (:constants Top - spot)
  (:predicates (on ?x - thing ?s - spot) (Red ?x - thing) (near ?a ?b - spot) (full))
  (:action put :parameters (?x - thing ?a ?b - spot)
    :precondition (and (on ?x ?a) (near ?a ?b)) :effect (and (on ?x ?b) (not (on ?x ?a)))))
"""
PROBLEM = """; a comment
(define (problem Tidy) (:domain shelf)
  (:objects A B - book c - box s1 s2 - spot)
  (:init (on A s1) (on B Top) (on c s2) (Red A) (Red c) (near s1 s2) (near s2 Top)) ; facts
  (:goal %s)  ; the end
)\r
"""

GOALS = [
    "(exists (?x ?y - thing ?s) (and (on ?x ?s) (Red ?x) (on ?y ?s) (not (= ?x ?y))))",
    "(exists (?x - (either book box)) (and (on ?x Top) (= ?x ?x)))",
    "(and (exists (?x - book) (on ?x s1)) (exists (?x - box) (on ?x s1)) (on B Top))",
    "(exists (?x - spot ?y - spot) (and (near ?x ?y) (not (= ?x s1)) (= ?y Top)))",
    "(and)",
    "(on A s1)",
]


def shelf(goal: str) -> Task:
    return read_task_text(Source("shelf.pddl", DOMAIN), Source("tidy.pddl", PROBLEM % goal))


def write_goal(task: Task, binding: Binding) -> str:
    return format_formula(ground_goal(task, binding), spell_as_written(task))


def read_with_fast_downward(domain: str, problem: str) -> Any:
    from fast_downward.translate.pddl_parser.lisp_parser import parse_nested_list
    from fast_downward.translate.pddl_parser.parsing_functions import parse_task

    return parse_task(parse_nested_list(domain.splitlines()), parse_nested_list(problem.splitlines()))


def read_with_mimir(domain: str, problem: str) -> pymimir.Problem:
    # It skips comments in files alone.
    with TemporaryDirectory() as folder:
        for name, text in (("domain", domain), ("problem", problem)):
            (Path(folder) / name).write_bytes(text.encode())
        return pymimir.Problem(pymimir.Domain(Path(folder) / "domain"), Path(folder) / "problem")


def list_goal(task: Any) -> set[str]:
    """The goal literals as Fast Downward's translator reads them."""
    goal = task.goal
    return {str(part) for part in (goal.parts if hasattr(goal, "parts") and goal.parts else [goal])}


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(GOALS), st.data())
def test_grounded_problems_are_read_back_by_everyone(goal: str, data: st.DataObject) -> None:
    task = shelf(goal)
    binding = {v.name: data.draw(st.sampled_from(task.objects)) for v in task.goal.variables}
    text = write_grounded(task, binding)

    start, end = task.goal_span
    assert text.startswith(task.source.text[:start])
    assert text.endswith(task.source.text[end:])

    ours = read_task_text(task.domain.source, Source("grounded.pddl", text)).goal
    assert ours.outside is None
    assert ours.variables == ()
    assert write_grounded(read_task_text(task.domain.source, Source("g", text)), {}) == text
    theirs = read_with_fast_downward(DOMAIN, text)
    get_environment().credits_stream = None
    unified = PDDLReader().parse_problem_string(DOMAIN, text)
    mimir = read_with_mimir(DOMAIN, text)
    if ours.inequalities:
        assert list_goal(theirs) == {f"NegatedAtom =({task.objects[0]}, {task.objects[0]})"}
    else:
        atoms = [f"Atom {a.predicate}({', '.join(map(str, a.terms))})" for a in ours.atoms]
        assert not ours.atoms or list_goal(theirs) == set(atoms)
        assert len(unified.goals) <= 1
        assert len(mimir.get_goal_condition()) == len(ours.atoms)


def test_only_the_goal_changes() -> None:
    task = shelf("(exists (?x - box) (on ?x s1))")
    assert write_grounded(task, {"?x": "c"}) == PROBLEM % "(and (on c s1))"
    assert replace_goal(task, Atom("full", ())) == PROBLEM % "(full)"


def test_names_are_spelled_as_the_user_does() -> None:
    task = shelf("(exists (?x - book ?s) (and (red ?x) (on ?x ?s)))")
    assert write_goal(task, {"?x": "a", "?s": "top"}) == "(and (Red A) (on A Top))"


@pytest.mark.parametrize(
    ("goal", "binding"),
    [
        ("(exists (?x ?y - book) (and (on ?x s1) (on ?y s1) (not (= ?x ?y))))", {"?x": "a", "?y": "a"}),
        ("(exists (?x ?y - book) (and (on ?x s1) (= ?x ?y)))", {"?x": "a", "?y": "b"}),
        ("(exists (?x - book) (on ?x s1))", {"?x": "c"}),
    ],
)
def test_a_binding_that_cannot_hold_gives_a_goal_that_cannot(goal: str, binding: dict[str, str]) -> None:
    assert write_goal(shelf(goal), binding) == "(not (= Top Top))"


@pytest.mark.parametrize(("binding", "message"), [({}, "no object for '?x'"), ({"?x": "z"}, "unknown object 'z'")])
def test_incomplete_bindings_are_refused(binding: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message.replace("?", r"\?")):
        ground_goal(shelf("(exists (?x) (on ?x s1))"), binding)


def test_a_goal_outside_the_fragment_is_written_whole() -> None:
    goal = "(or (Red A) (forall (?x - book ?s - spot) (imply (on ?x ?s) (near ?s Top))))"
    again = "(or (Red A) (forall (?x - book ?s - spot) (or (not (on ?x ?s)) (near ?s Top))))"
    assert write_goal(shelf(goal), {}) == again


def conditions(depth: int) -> st.SearchStrategy[str]:
    leaves = st.sampled_from(
        ["(quiet)", "(clean cup1)", "(robot ?r)", "(at ?t ?r)", "(= ?t cup1)", "(not (= ?r hall))"]
    )

    def extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        def join(parts: Sequence[str]) -> str:
            return " ".join(parts)

        return st.one_of(
            st.lists(inner, max_size=3).map(lambda p: f"(and {join(p)})"),
            st.lists(inner, max_size=3).map(lambda p: f"(or {join(p)})"),
            inner.map(lambda p: f"(not {p})"),
            inner.map(lambda p: f"(exists (?t - cup ?r) {p})"),
            inner.map(lambda p: f"(forall (?r - (either room object)) {p})"),
            st.tuples(inner, inner).map(lambda p: f"(imply {p[0]} {p[1]})"),
        )

    return st.recursive(leaves, extend, max_leaves=depth).map(lambda p: f"(exists (?t - thing ?r - room) {p})")


@settings(deadline=None, max_examples=100)
@given(conditions(12))
def test_formulas_are_read_back_as_they_were_written(goal: str) -> None:
    # The second reading merges what a double negation kept apart in the first.
    merged = format_formula(house(format_formula(house(goal).goal.formula)).goal.formula)
    assert format_formula(house(merged).goal.formula) == merged
