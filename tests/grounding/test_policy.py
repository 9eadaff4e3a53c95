"""Acting without a planner: the policy reaches goals, takes cheap steps, and says why it stops."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from skolem.grounding import policy
from skolem.grounding.learned import LearnedGrounder
from skolem.grounding.models import find_model
from skolem.grounding.policy import follow_policy
from skolem.network.engine.protocol import Engine
from skolem.pddl.reading import read_task, read_task_text
from skolem.planning.limits import NO_LIMITS, Limits
from skolem.planning.validation import validate
from skolem.support.errors import ExitCode
from skolem.task.model import Source, Task
from skolem.task.query import Relations

EXAMPLES = Path(__file__).parent.parent.parent / "examples"

# Two ways to the goal: one dear step, or two cheap ones; and a hole that nothing leads out of.
ROADS = """(define (domain roads) (:predicates (at ?x) (road ?x ?y)) (:functions (total-cost) (length ?x ?y))
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y))
    :effect (and (not (at ?x)) (at ?y) (increase (total-cost) (length ?x ?y)))))"""
MAP = """(define (problem p) (:domain roads) (:objects home mill town hole)
  (:init (at home) (road home town) (= (length home town) 9) (road home mill) (= (length home mill) 2)
    (road mill town) (= (length mill town) 3) (road home hole) (= (length home hole) 1) (road mill home)
    (= (length mill home) 1)) (:goal (exists (?x) (at ?x))) (:metric minimize (total-cost)))"""


def read_example(folder: str, name: str) -> Task:
    return read_task(EXAMPLES / folder / "domain.pddl", EXAMPLES / folder / f"{name}.pddl")


def load_any_model() -> Engine:
    return find_model(read_example("visitall", "visit-1")).load()


def predict_by(values: dict[str, float], task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes every network predict the costs of being at these places, and zero where the goal is true."""

    def rate(judge: policy._Judge, states: Sequence[Relations]) -> list[float]:
        places = [task.objects[int(state["at"][0, 0])] for state in states]
        return [0.0 if judge.accepts(state) else values[place] for state, place in zip(states, places, strict=True)]

    monkeypatch.setattr(policy._Judge, "rate", rate)


@pytest.mark.parametrize(("folder", "name"), [("blocks", "tower"), ("visitall", "visit-1"), ("delivery", "parking")])
def test_the_plan_of_the_policy_reaches_the_grounded_goal(folder: str, name: str) -> None:
    task = read_example(folder, name)
    model = find_model(task).load()
    binding = LearnedGrounder(model).ground(task).binding
    assert binding is not None
    result = follow_policy(model, task, binding, NO_LIMITS)
    assert result.plan is not None
    check = validate(task, result.plan)
    assert (check.valid, check.cost) == (True, result.cost)


def test_inequalities_of_a_grounded_goal_change_no_step() -> None:
    task = read_example("gripper", "rooms")
    text = task.source.text
    assert "(not (= ?x2 ?x4))" in text
    free = read_task_text(task.domain.source, Source("free.pddl", text.replace("(not (= ?x2 ?x4))", "")))
    model = find_model(task).load()
    binding = LearnedGrounder(model).ground(task).binding or {}
    assert follow_policy(model, task, binding, NO_LIMITS).plan == follow_policy(model, free, binding, NO_LIMITS).plan


def test_a_goal_that_is_true_needs_no_step(monkeypatch: pytest.MonkeyPatch) -> None:
    task = read_task_text(Source("d", ROADS), Source("p", MAP))
    predict_by({}, task, monkeypatch)
    result = follow_policy(load_any_model(), task, {"?x": "home"}, NO_LIMITS)
    assert (result.status, result.plan) == ("solved", ())


def test_steps_are_chosen_by_their_cost_plus_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    task = read_task_text(Source("d", ROADS), Source("p", MAP))
    predict_by({"home": 5.0, "mill": 3.0, "hole": 30.0}, task, monkeypatch)
    result = follow_policy(load_any_model(), task, {"?x": "town"}, NO_LIMITS)
    assert (result.plan, result.cost) == (("(go home mill)", "(go mill town)"), 5)


def test_a_dead_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    task = read_task_text(Source("d", ROADS), Source("p", MAP))
    predict_by({"home": 5.0, "mill": 3.0, "hole": 0.1}, task, monkeypatch)
    result = follow_policy(load_any_model(), task, {"?x": "town"}, NO_LIMITS)
    assert (result.status, result.exit_code) == ("unsolved", ExitCode.UNSOLVED_INCOMPLETE)
    assert result.message == "the policy came to a dead end after 1 steps"


def test_no_state_is_visited_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    task = read_task_text(Source("d", ROADS), Source("p", MAP.replace("(road mill town)", "")))
    predict_by({"home": 0.0, "mill": 0.0, "hole": 30.0}, task, monkeypatch)
    result = follow_policy(load_any_model(), task, {"?x": "town"}, NO_LIMITS)
    assert result.message == "the policy came to a dead end after 1 steps"


def test_the_number_of_steps_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    task = read_example("visitall", "tour")
    monkeypatch.setattr(policy, "STEPS_PER_COST", 0)
    monkeypatch.setattr(policy, "SPARE_STEPS", 1)
    result = follow_policy(load_any_model(), task, {v.name: "c0-0" for v in task.goal.variables}, NO_LIMITS)
    assert result.message == "the policy did not reach the goal in 1 steps"


def test_the_time_limit_holds() -> None:
    task = read_example("visitall", "tour")
    binding = {v.name: "c0-0" for v in task.goal.variables}
    result = follow_policy(load_any_model(), task, binding, Limits(0.0, None))
    assert (result.status, result.exit_code) == ("unsolved", ExitCode.SEARCH_OUT_OF_TIME)
