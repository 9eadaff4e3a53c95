"""What only describes objects, and when two domains mean the same."""

from skolem.families.registry import FAMILIES, generate_problem
from skolem.pddl.reading import read_task_text
from skolem.task.attributes import find_attributes, list_named_objects
from skolem.task.model import Source, Task
from skolem.task.schemas import describe_actions, uses_metric

COLOURS = {"red", "blue", "green", "yellow", "orange", "purple"}
DOMAIN = """(define (domain d) (:requirements :adl :typing) (:types thing place - object shed - place)
  (:constants home - place)
  (:predicates (in ?x - thing ?y - place) (road ?x ?y - place) (heavy ?x) (sharp ?x) (owner ?x ?y)
    (safe) (safe2) (far ?x ?y - place))
  (:derived (safe) (exists (?x - thing) (and (sharp ?x) (in ?x home))))
  (:action bring :parameters (?x - thing ?a ?b - place)
    :precondition (and (in ?x ?a) (or (road ?a ?b) (safe)))
    :effect (and (in ?x ?b) (not (in ?x ?a)) (when (heavy ?x) (safe2)))))"""
PROBLEM = """(define (problem p) (:domain d) (:objects k - thing s - shed) (:init (in k s) (road s home))
  (:goal (exists (?x - thing) (in ?x home))))"""


def read(domain: str, problem: str) -> Task:
    return read_task_text(Source("domain.pddl", domain), Source("problem.pddl", problem))


def test_colours_are_the_attributes_of_every_family() -> None:
    for family in FAMILIES:
        instance = generate_problem(family, "train", 0, 0)
        task = read(instance.domain_text, instance.problem_text)
        assert find_attributes(task.domain) - {"type:object"} == COLOURS
        assert list_named_objects(task.domain) == ()


def test_whatever_actions_effects_and_axioms_read_is_no_attribute() -> None:
    domain = read(DOMAIN, PROBLEM).domain
    assert find_attributes(domain) == {"owner", "far", "type:object", "type:shed"}
    assert list_named_objects(domain) == ("home",)


def test_objects_that_actions_name_are_static_relations() -> None:
    task = read(DOMAIN, PROBLEM)
    assert task.statics["named:home"].tolist() == [[task.index["home"]]]


def test_names_order_and_attributes_do_not_change_what_actions_mean() -> None:
    other = (
        DOMAIN.replace("(:action bring", "(:action carry").replace("?b", "?to").replace("(owner ?x ?y)", "(brand ?x)")
    )
    other = other.replace("(or (road ?a ?to) (safe))", "(or (safe) (road ?a ?to))")
    assert describe_actions(read(other, PROBLEM)) == describe_actions(read(DOMAIN, PROBLEM))
    harder = DOMAIN.replace("(in ?x ?a) (or", "(in ?x ?a) (not (heavy ?x)) (or")
    assert describe_actions(read(harder, PROBLEM)) != describe_actions(read(DOMAIN, PROBLEM))


def test_kinds_mean_the_same_as_types_and_predicates() -> None:
    typed = """(define (domain d) (:types ball room) (:predicates (at ?x - ball ?y - room))
      (:action take :parameters (?x - ball ?y - room) :precondition (at ?x ?y) :effect (not (at ?x ?y))))"""
    plain = """(define (domain d) (:predicates (at ?x ?y) (ball ?x) (room ?x))
      (:action take :parameters (?x ?y) :precondition (and (at ?x ?y) (room ?y) (ball ?x)) :effect (not (at ?x ?y))))"""
    problem = "(define (problem p) (:domain d) (:objects b - ball r - room) (:init (at b r)) (:goal (at b r)))"
    same = "(define (problem p) (:domain d) (:objects b r) (:init (at b r) (ball b) (room r)) (:goal (at b r)))"
    assert describe_actions(read(typed, problem)) == describe_actions(read(plain, same))
    only = problem.replace("r - room", "c - ball").replace(
        "(:init (at b r)) (:goal (at b r))", "(:init) (:goal (at b b))"
    )
    blocks = typed.replace("room", "ball").replace("ball ball", "ball")
    untyped = """(define (domain d) (:predicates (at ?x ?y))
      (:action take :parameters (?x ?y) :precondition (at ?x ?y) :effect (not (at ?x ?y))))"""
    bare = "(define (problem p) (:domain d) (:objects b c) (:init) (:goal (at b b)))"
    assert describe_actions(read(blocks, only)) == describe_actions(read(untyped, bare))


def test_costs_matter_only_where_plans_are_compared_by_them() -> None:
    costly = """(define (domain d) (:requirements :action-costs) (:predicates (p)) (:functions (total-cost) - number)
      (:action a :parameters () :precondition () :effect (and (p) (increase (total-cost) 3))))"""
    steps = "(define (problem p) (:domain d) (:init) (:goal (p)))"
    metric = "(define (problem p) (:domain d) (:init) (:goal (p)) (:metric minimize (total-cost)))"
    assert not uses_metric(read(costly, steps))
    assert uses_metric(read(costly, metric))
    assert not uses_metric(read(costly.replace("3", "1"), metric))
    assert describe_actions(read(costly, steps)) == describe_actions(read(costly.replace("3", "4"), steps))
    assert describe_actions(read(costly, metric)) != describe_actions(read(costly.replace("3", "4"), metric))
