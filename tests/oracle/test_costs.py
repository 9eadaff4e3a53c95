from random import Random

import pytest
from tests.oracle.reference import draw_case, search
from tests.oracle.test_space import TOY_PROBLEM, read_instance, read_toy

from skolem.families.registry import generate_problem
from skolem.oracle.costs import Oracle, SpaceCache
from skolem.oracle.space import SpaceLimits
from skolem.pddl.reading import read_task_text
from skolem.planning.limits import Limits
from skolem.support.errors import UnsupportedError
from skolem.task.model import Source, Task

COSTS = """(define (domain roads) (:requirements :strips :action-costs)
  (:predicates (at ?x) (road ?x ?y) (shop ?x))
  (:functions (total-cost) - number (length ?x ?y) - number)
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y))
    :effect (and (at ?y) (not (at ?x)) (increase (total-cost) (length ?x ?y)))))"""

COSTS_PROBLEM = """(define (problem p) (:domain roads) (:objects a b c d)
  (:init (at a) (road a b) (road b c) (road a c) (shop c) (shop a) (= (total-cost) 0)
         (= (length a b) 2) (= (length b c) 3) (= (length a c) 7))
  (:goal (exists (?x) (and (shop ?x) (at ?x) (not (= ?x a))))) (:metric minimize (total-cost)))"""


def read_roads(problem: str = COSTS_PROBLEM) -> Task:
    return read_task_text(Source("domain.pddl", COSTS), Source("problem.pddl", problem))


def test_both_routes_and_brute_force_agree() -> None:
    rng = Random(23)
    oracle = Oracle()
    for _ in range(12):
        task, query = draw_case(rng)
        in_space, planned = oracle.find_cost_in_space(task, query), oracle.find_cost_by_planner(task, query)
        expected = search(task, query)
        assert in_space.cost == planned.cost == expected
        assert in_space.status == planned.status == ("unreachable" if expected is None else "reachable")


def test_action_costs_on_both_routes() -> None:
    oracle = Oracle()
    assert oracle.find_cost_in_space(read_roads()).cost == 5
    assert oracle.find_cost_by_planner(read_roads()).cost == 5
    unreachable = read_roads(COSTS_PROBLEM.replace("(shop c)", "(shop d)"))
    assert oracle.find_cost_in_space(unreachable).status == "unreachable"
    assert oracle.find_cost_by_planner(unreachable).status == "unreachable"


def test_tasks_with_other_costs_have_spaces_of_their_own() -> None:
    oracle = Oracle()
    assert oracle.find_cost_in_space(read_roads()).cost == 5
    assert oracle.find_cost_in_space(read_roads(COSTS_PROBLEM.replace("b c) 3", "b c) 9"))).cost == 7
    assert oracle.find_cost_in_space(read_roads(COSTS_PROBLEM.replace("(:metric minimize (total-cost))", ""))).cost == 1


def test_a_domain_with_axioms_types_and_conditional_effects() -> None:
    problem = TOY_PROBLEM.replace("(have i)", "(exists (?y - thing) (and (have ?y) (at b)))")
    assert Oracle().find_cost(read_toy(problem)).cost == 8


def test_a_space_that_is_too_large_is_left_to_the_planner() -> None:
    task = read_instance("blocks", 5)
    small, large = Oracle(SpaceLimits(100)).find_cost(task), Oracle().find_cost(task)
    assert (small.route, large.route) == ("planner", "space")
    assert small.cost == large.cost


def test_limits_of_both_routes_give_a_clear_outcome() -> None:
    instance = generate_problem("blocks", "lama", 0, 0, size=17, variables=6)
    task = read_task_text(Source("domain.pddl", instance.domain_text), Source("problem.pddl", instance.problem_text))
    result = Oracle(SpaceLimits(1000), Limits(0.5)).find_cost(task)
    assert (result.status, result.cost) == ("limit", None)
    assert result.message


def test_goals_outside_the_fragment_are_refused() -> None:
    task = read_roads(COSTS_PROBLEM.replace("(exists (?x) (and (shop ?x) (at ?x) (not (= ?x a))))", "(not (at a))"))
    with pytest.raises(UnsupportedError, match="exact costs are not computed"):
        Oracle().find_cost(task)


def test_tasks_that_differ_in_colours_share_a_space() -> None:
    first = read_instance("blocks", 4)
    text = first.source.text
    for colour in ("red", "blue", "green", "yellow", "orange"):
        text = text.replace(f"({colour} b", "(purple b")
    second = read_task_text(first.domain.source, Source("other.pddl", text))
    spaces = SpaceCache(SpaceLimits())
    assert spaces.find(first)[0] is spaces.find(second)[0]
    assert spaces.find(first)[0] is not spaces.find(read_instance("blocks", 3))[0]
