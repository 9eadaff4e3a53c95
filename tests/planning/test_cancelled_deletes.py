"""Deletes that an add of the same action cancels: the planner does not take the deleted atom for gone."""

import pytest
from tests.adl.independent_search import Search
from tests.planning.pddl_examples import read, read_blocks

from skolem.planning.cancelled_deletes import write_out_cancelled
from skolem.planning.exact import plan_exact
from skolem.planning.limits import Limits
from skolem.request import Request
from skolem.solve import solve
from skolem.support.errors import ExitCode
from skolem.task.model import Task

LIMITS = Limits(60.0, 2000)
DOMAIN = """(define (domain moves) (:requirements :adl) (:types thing place) (:constants home - place)
  (:predicates (at ?t - thing ?p - place) (waits ?t - thing) (road ?a ?b - place) (open)) {action})"""
OBJECTS = "r - thing a b - place"
MOVE = "(:action move :parameters (?r - thing ?x ?y - place)"
TO_ITSELF = f"{MOVE} :precondition (at ?r ?x) :effect (and (at ?r ?y) (not (at ?r ?x)) (when (= ?x ?y) (waits ?r))))"
ACTIONS = {
    "an equality in an effect": TO_ITSELF,
    "an equality in words": TO_ITSELF.replace("(= ?x ?y)", "(not (not (= ?x ?y)))"),
    "an equality in the precondition": f"""{MOVE} :precondition (and (at ?r ?x) (= ?x ?y))
      :effect (and (at ?r ?y) (not (at ?r ?x)) (waits ?r)))""",
    "an atom that is demanded and added": f"""{MOVE} :precondition (and (at ?r ?x) (at ?r ?y))
      :effect (and (at ?r ?y) (not (at ?r ?x)) (waits ?r)))""",
    "an atom that a condition demands": f"""{MOVE} :precondition (at ?r ?x)
      :effect (and (when (and (open) (at ?r ?y)) (at ?r ?y)) (not (at ?r ?x)) (when (open) (waits ?r))))""",
    "a universal add": """(:action move :parameters (?r - thing ?x - place) :precondition (at ?r ?x)
      :effect (and (forall (?y - place) (when (= ?y ?x) (at ?r ?y))) (not (at ?r ?x)) (waits ?r)))""",
    "a universal add of a condition with a quantifier": """(:action move :parameters (?r - thing ?x - place)
      :precondition (at ?r ?x) :effect (and (not (at ?r ?x)) (waits ?r)
        (forall (?y - place) (when (and (= ?y ?x) (exists (?x - place) (road ?x ?y))) (at ?r ?y)))))""",
    "a universal add for fewer objects": """(:action move :parameters (?r - thing ?x - object)
      :precondition (at ?r ?x) :effect (and (not (at ?r ?x)) (waits ?r)
        (forall (?y - place) (when (= ?y ?x) (at ?r ?y)))))""",
    "a universal delete": """(:action move :parameters (?r - thing ?x - place) :precondition (at ?r ?x)
      :effect (and (forall (?y - place) (when (at ?r ?y) (at ?r ?y))) (forall (?y - place) (not (at ?r ?y)))
        (waits ?r)))""",
    "a thing that takes its own place": """(:action capture :parameters (?p ?q - thing ?x ?y - place)
      :precondition (and (at ?p ?x) (at ?q ?y))
      :effect (and (at ?p ?y) (not (at ?p ?x)) (not (at ?q ?y)) (waits ?q)))""",
}


def make_task(action: str, goal: str = "(exists (?r - thing) (and (at ?r a) (waits ?r)))") -> Task:
    return read(DOMAIN.format(action=action), OBJECTS, "(at r a) (road b a) (open)", goal)


@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS)
def test_what_is_added_is_not_gone(action: str) -> None:
    task = make_task(action)
    assert Search(task.domain.source.text, task.source.text).find_plan(1000) is not None
    result = plan_exact(task, "dnf", "astar(blind())", LIMITS)
    assert (result.status, result.cost) == ("solved", 1)


def test_two_ways_to_one_add() -> None:
    spread = """(:action spread :parameters (?r - thing ?x ?z - place) :precondition (at ?r ?x)
      :effect (and (forall (?y - place) (when (or (= ?y ?x) (= ?y ?z)) (at ?r ?y))) (not (at ?r ?x))))"""
    result = plan_exact(make_task(spread, "(and (at r a) (at r b))"), "dnf", "astar(blind())", LIMITS)
    assert result.plan == ("(spread r a b)",)


def test_a_constant_that_is_added() -> None:
    go_home = """(:action go-home :parameters (?r - thing ?x - place) :precondition (at ?r ?x)
      :effect (and (at ?r home) (not (at ?r ?x)) (when (= ?x home) (waits ?r))))"""
    result = plan_exact(make_task(go_home, "(and (at r home) (waits r))"), "dnf", "astar(blind())", LIMITS)
    assert result.plan == ("(go-home r a)", "(go-home r home)")


def test_every_route_of_the_product() -> None:
    for grounder in ("auto", "random-valid", "end", "bind-axiom", "miniscope"):
        solution = solve(make_task(TO_ITSELF), Request(grounder, "lama-first", LIMITS))
        assert (solution.exit_code, solution.cost, solution.valid) == (ExitCode.SUCCESS, 1, True)


@pytest.mark.parametrize(
    "action",
    [
        f"{MOVE} :precondition (at ?r ?x) :effect (and (at ?r ?y) (not (at ?r ?x))))",
        f"{MOVE} :precondition (and (at ?r ?x) (not (= ?x ?y))) :effect (and (at ?r ?y) (not (at ?r ?x)) (waits ?r)))",
        f"{MOVE} :precondition (and (at ?r ?x) (road ?x ?y)) :effect (and (at ?r ?y) (not (at ?r ?x)) (waits ?r)))",
    ],
)
def test_ordinary_moves_stay_as_they_are(action: str) -> None:
    task = make_task(action)
    [move] = task.domain.actions
    assert write_out_cancelled(task, move).effects == move.effects


def test_blocks_stay_as_they_are() -> None:
    task = read_blocks("(on a e)")
    for action in task.domain.actions:
        assert write_out_cancelled(task, action).effects == action.effects
