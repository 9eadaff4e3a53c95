"""What becomes of the plan with another object."""

from pathlib import Path

import pytest

from skolem.oracle.costs import Oracle
from skolem.pddl.reading import read_task, read_task_text
from skolem.planning.validation import validate
from skolem.request import Request
from skolem.support.errors import InputError
from skolem.task.model import Source, Task
from skolem.why import explain, force_objects

EXAMPLES = Path(__file__).parents[1] / "examples"
TOWER = read_task(EXAMPLES / "blocks" / "domain.pddl", EXAMPLES / "blocks" / "tower.pddl")
OPTIMAL = Request(planner="seq-opt-lmcut")


def change_goal(goal: str) -> Task:
    text = TOWER.source.text[: TOWER.goal_span[0]] + f"(:goal {goal}))"
    return read_task_text(TOWER.domain.source, Source("problem.pddl", text))


def test_an_optimal_planner_says_exactly_what_another_object_costs() -> None:
    (forced,) = explain(TOWER, OPTIMAL, [{"x1": "h"}]).forced
    exact = Oracle().find_cost_by_planner(TOWER, TOWER.query.bind(0, TOWER.index["h"])).cost
    assert (forced.status, forced.cost, forced.usual_cost) == ("possible", exact, 9)
    assert forced.text == f"with ?x1 = h: {exact} steps instead of 9"
    assert forced.binding is not None
    assert forced.binding["?x1"] == "h"
    check = validate(TOWER, forced.plan or ())
    assert check.valid


def test_any_other_planner_says_what_it_costs_at_most() -> None:
    (forced,) = explain(TOWER, Request(grounder="exact"), [{"?X1": "H"}]).forced
    assert forced.text.startswith("with ?x1 = h: at most ")
    assert not forced.optimal


def test_an_object_that_the_description_rules_out_is_refused_with_the_literal() -> None:
    (forced,) = explain(TOWER, OPTIMAL, [{"x1": "a"}]).forced
    assert forced.text == "?x1 = a cannot be: (blue ?x1) rules it out"


def test_objects_asked_for_together_can_contradict_each_other() -> None:
    one, both = explain(TOWER, OPTIMAL, [{"x4": "a"}, {"x4": "a", "x5": "a"}]).forced
    assert one.status == "possible"
    assert both.status == "impossible"


def test_a_variable_of_an_alternative_can_be_asked_about() -> None:
    task = change_goal("(or (exists (?x) (and (red ?x) (on ?x e))) (exists (?y) (and (blue ?y) (on ?y b))))")
    (forced,) = explain(task, OPTIMAL, [{"y": "c"}]).forced
    assert forced.status == "possible"
    assert validate(force_objects(task, {"?y": "c"}), forced.plan or ()).valid


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"x9": "a"}, "the goal has no variable '?x9', expected one of ?x1, ?x2"),
        ({"x1": "zz"}, "there is no object 'zz'"),
    ],
)
def test_a_question_about_nothing_is_an_error(question: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message.replace("?", r"\?")):
        explain(TOWER, OPTIMAL, [question])


def test_without_a_limit_objects_are_not_looked_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skolem.why.GROUNDING_SECONDS", 0.1)
    explanation = explain(TOWER, Request(grounder="exact"))
    assert (explanation.status, explanation.binding) == ("unsolved", None)
    assert "time limit" in explanation.message
    assert explanation.goals[0].variables[0].possible == ("c", "e", "g", "h")
