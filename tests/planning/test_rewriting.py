"""Tasks written again for Fast Downward: what it refuses in the user's text is gone, and nothing else has changed."""

import pytest
from tests.planning.pddl_examples import read, read_blocks

from skolem.pddl.reading import read_task_text
from skolem.planning.exact import plan_exact
from skolem.planning.fast_downward import run_planner
from skolem.planning.limits import Limits
from skolem.planning.rewriting import Rewriter
from skolem.support.errors import ExitCode
from skolem.task.formulas import Atom
from skolem.task.model import Source

# `either` everywhere it may stand: parameters, quantifiers in conditions and effects, axioms, functions, objects.
UNIONS = """
(define (domain unions)
  (:requirements :typing :derived-predicates :conditional-effects :action-costs)
  (:types cat dog fish - animal bowl)
  (:constants tom - cat)
  (:predicates (fed ?a - (either cat dog)) (happy ?a - animal) (full ?b - bowl) (calm) (near ?a - animal ?b - bowl))
  (:functions (total-cost) - number (effort ?a - (either cat dog)) - number)
  (:derived (calm) (forall (?a - (either cat dog)) (fed ?a)))
  (:derived (happy ?a - (either cat dog)) (and (fed ?a) (exists (?b - (either bowl fish)) (near ?a ?b))))
  (:action feed :parameters (?a - (either cat dog) ?b - bowl) :precondition (and (full ?b) (near ?a ?b))
    :effect (and (fed ?a) (increase (total-cost) (effort ?a))))
  (:action scare :parameters () :precondition (exists (?a - (either cat dog)) (fed ?a))
    :effect (and (forall (?a - (either cat dog)) (not (fed ?a))) (increase (total-cost) 1)))
  (:action share :parameters (?b - bowl) :precondition (full ?b)
    :effect (and (not (full ?b)) (increase (total-cost) 9)
      (forall (?a - (either cat dog)) (when (near ?a ?b) (fed ?a))))))
"""
UNIONS_OBJECTS = "rex - dog dory - fish both - (either cat dog) b - bowl"
UNIONS_INIT = """(full b) (near tom b) (near both b) (near rex b) (near dory b)
  (= (total-cost) 0) (= (effort tom) 4) (= (effort rex) 2) (= (effort both) 3)"""


@pytest.mark.parametrize("route", ["dnf", "end", "bind-axiom", "miniscope"])
@pytest.mark.parametrize(
    ("goal", "cost"),
    [
        ("(exists (?a - animal) (fed ?a))", 2),
        ("(exists (?a - cat) (fed ?a))", 3),
        ("(exists (?a ?b - (either cat dog)) (and (fed ?a) (fed ?b) (not (= ?a ?b)) (not (= ?a rex)) (= ?b rex)))", 5),
        ("(exists (?a - (either dog bowl) ?c - cat ?d - animal) (and (fed ?a) (fed ?c) (fed ?d) (not (= ?a ?c)) "
         "(not (= ?c ?d)) (not (= ?a ?d))))", 9),
    ],
)  # fmt: skip
def test_either_may_stand_everywhere(route: str, goal: str, cost: int) -> None:
    task = read(UNIONS, UNIONS_OBJECTS, UNIONS_INIT, goal, metric=True)
    result = plan_exact(task, route, "astar(blind())", Limits(60.0, 2000))
    assert (result.status, result.cost, result.message) == ("solved", cost, "")


def test_either_in_axioms() -> None:
    task = read(UNIONS, UNIONS_OBJECTS, UNIONS_INIT, "(exists (?a - animal) (and (happy ?a) (calm)))", metric=True)
    result = plan_exact(task, "dnf", "astar(blind())", Limits(60.0, 2000))
    assert (result.status, result.cost) == ("solved", 9)


def test_sections_may_be_missing() -> None:
    domain = "(define (domain bare) (:predicates (won) (ready ?x)) (:action win :effect (won)))"
    problem = """(define (problem p) (:domain bare) (:objects a b) (:init (ready a))
      (:goal (exists (?x) (and (won) (ready ?x)))))"""
    task = read_task_text(Source("d", domain), Source("p", problem))
    for route in ("dnf", "end", "bind-axiom", "miniscope"):
        assert plan_exact(task, route).plan == ("(win)",)


def test_the_rewritten_goal_is_the_only_goal() -> None:
    rewriting = Rewriter(read_blocks("(on a e)")).finish(Atom("holding", ("e",)))
    result = run_planner(rewriting.domain_text, rewriting.problem_text)
    assert (result.plan, rewriting.dummies, rewriting.dummy_cost) == (("(pick-up e)",), frozenset(), 0)


def test_fresh_names_are_new() -> None:
    rewriter = Rewriter(read_blocks("(on a e)"))
    names = [rewriter.fresh("stack"), rewriter.fresh("stack"), rewriter.fresh("new"), rewriter.fresh("a")]
    assert names == ["stack-2", "stack-3", "new", "a-2"]


def test_goals_too_deep_for_the_planner_are_a_clean_error() -> None:
    goal = "(or (holding a) (and (clear a) " * 1500 + "(clear b)" + "))" * 1500
    assert plan_exact(read_blocks(goal)).status == "solved"
    result = plan_exact(read_blocks(goal), "dnf")
    assert (result.status, result.exit_code) == ("error", ExitCode.TRANSLATE_CRITICAL_ERROR)
    assert "recursion" in result.message
    assert "\n" not in result.message
