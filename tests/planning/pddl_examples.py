"""Small tasks of many kinds, for the tests of the routes."""

from skolem.pddl.reading import read_task_text
from skolem.task.model import Source, Task

BLOCKS = """
(define (domain blocks)
  (:predicates (on ?x ?y) (ontable ?x) (clear ?x) (holding ?x) (handempty) (red ?x) (blue ?x))
  (:action pick-up :parameters (?x) :precondition (and (clear ?x) (ontable ?x) (handempty))
    :effect (and (not (ontable ?x)) (not (clear ?x)) (not (handempty)) (holding ?x)))
  (:action put-down :parameters (?x) :precondition (holding ?x)
    :effect (and (not (holding ?x)) (clear ?x) (handempty) (ontable ?x)))
  (:action stack :parameters (?x ?y) :precondition (and (holding ?x) (clear ?y))
    :effect (and (not (holding ?x)) (not (clear ?y)) (clear ?x) (handempty) (on ?x ?y)))
  (:action unstack :parameters (?x ?y) :precondition (and (on ?x ?y) (clear ?x) (handempty))
    :effect (and (holding ?x) (clear ?y) (not (clear ?x)) (not (handempty)) (not (on ?x ?y)))))
"""

# One tower a-b-c-d (a on top), colours alternate; e stands alone.
BLOCKS_INIT = """(on a b) (on b c) (on c d) (ontable d) (clear a) (ontable e) (clear e) (handempty)
  (red a) (blue b) (red c) (blue d) (red e)"""

LOGISTICS = """
(define (domain logistics)
  (:requirements :strips :typing)
  (:types vehicle package - thing truck plane - vehicle city airport - place)
  (:constants hub - airport)
  (:predicates (at ?t - thing ?p - place) (in ?p - package ?v - vehicle) (road ?a ?b - place) (fragile ?p - package))
  (:action load :parameters (?p - package ?v - (either truck plane) ?x - place)
    :precondition (and (at ?p ?x) (at ?v ?x)) :effect (and (in ?p ?v) (not (at ?p ?x))))
  (:action unload :parameters (?p - package ?v - vehicle ?x - place)
    :precondition (and (in ?p ?v) (at ?v ?x)) :effect (and (at ?p ?x) (not (in ?p ?v))))
  (:action drive :parameters (?t - truck ?x ?y - place)
    :precondition (and (at ?t ?x) (road ?x ?y)) :effect (and (at ?t ?y) (not (at ?t ?x))))
  (:action fly :parameters (?v - plane ?x ?y - airport)
    :precondition (at ?v ?x) :effect (and (at ?v ?y) (not (at ?v ?x)))))
"""

LOGISTICS_OBJECTS = "t1 t2 - truck j - plane p1 p2 p3 - package c1 c2 - city north - airport"
LOGISTICS_INIT = """(at t1 c1) (at t2 north) (at j hub) (at p1 c1) (at p2 hub) (at p3 north) (fragile p2)
  (road c1 hub) (road hub c1) (road north c2) (road c2 north)"""

HOUSEHOLD = """
(define (domain household)
  (:requirements :typing :negative-preconditions :action-costs :conditional-effects)
  (:types room item - object cup plate - item)
  (:predicates (robot-at ?r - room) (in ?i - item ?r - room) (held ?i - item) (clean ?i - item) (busy)
    (sink ?r - room) (linked ?a ?b - room) (wet-floor ?r - room))
  (:functions (total-cost) - number (distance ?a ?b - room) - number)
  (:action walk :parameters (?a ?b - room) :precondition (and (robot-at ?a) (linked ?a ?b) (not (wet-floor ?b)))
    :effect (and (robot-at ?b) (not (robot-at ?a)) (increase (total-cost) (distance ?a ?b))))
  (:action take :parameters (?i - item ?r - room) :precondition (and (robot-at ?r) (in ?i ?r) (not (busy)))
    :effect (and (held ?i) (busy) (not (in ?i ?r)) (increase (total-cost) 1)))
  (:action put :parameters (?i - item ?r - room) :precondition (and (robot-at ?r) (held ?i))
    :effect (and (not (held ?i)) (not (busy)) (in ?i ?r) (when (sink ?r) (clean ?i)) (increase (total-cost) 2))))
"""

HOUSEHOLD_OBJECTS = "kitchen hall bedroom cellar - room cup1 cup2 - cup plate1 - plate"
HOUSEHOLD_INIT = """(robot-at hall) (in cup1 bedroom) (in cup2 kitchen) (in plate1 hall) (sink kitchen) (clean plate1)
  (linked kitchen hall) (linked hall kitchen) (linked hall bedroom) (linked bedroom hall) (linked hall cellar)
  (wet-floor cellar) (= (total-cost) 0) (= (distance kitchen hall) 3) (= (distance hall kitchen) 3)
  (= (distance hall bedroom) 5) (= (distance bedroom hall) 5) (= (distance hall cellar) 1)"""

CIRCUIT = """
(define (domain circuit)
  (:requirements :strips :derived-predicates :disjunctive-preconditions)
  (:predicates (wire ?a ?b) (source ?a) (lamp ?a) (closed ?a) (live ?a) (fuse ?a))
  (:derived (live ?a) (or (source ?a) (exists (?b) (and (live ?b) (wire ?b ?a) (closed ?a)))))
  (:action toggle :parameters (?a) :precondition (not (live ?a)) :effect (closed ?a))
  (:action break :parameters (?a) :precondition (and (closed ?a) (or (lamp ?a) (fuse ?a))) :effect (not (closed ?a))))
"""

CIRCUIT_INIT = "(source s) (wire s a) (wire a b) (wire s c) (wire c d) (lamp b) (lamp d) (fuse a) (closed c)"

# Every name that the routes would like to use is taken.
CLASHING = """
(define (domain bind0)
  (:requirements :strips)
  (:predicates (running) (phase) (bound0 ?x) (candidate0 ?x) (free0) (some0 ?x) (before ?x ?y) (apart0 ?x) (ended))
  (:action bind0 :parameters (?x) :precondition (and (running) (candidate0 ?x)) :effect (bound0 ?x))
  (:action check :parameters (?v0 ?v1) :precondition (and (bound0 ?v0) (bound0 ?v1)) :effect (before ?v0 ?v1))
  (:action end :parameters () :effect (and (ended) (not (running)))))
"""


def read(domain: str, objects: str, init: str, goal: str, metric: bool = False) -> Task:
    """The task with these objects, this initial state and this goal."""
    name = domain.split("(domain ")[1].split(")")[0]
    problem = f"""(define (problem small) (:domain {name}) (:objects {objects}) (:init {init}) (:goal {goal})
      {"(:metric minimize (total-cost))" if metric else ""})"""
    return read_task_text(Source("domain.pddl", domain), Source("problem.pddl", problem))


def read_blocks(goal: str) -> Task:
    """Five blocks and a goal."""
    return read(BLOCKS, "a b c d e", BLOCKS_INIT, goal)


def read_logistics(goal: str) -> Task:
    """A typed task with a constant and a goal."""
    return read(LOGISTICS, LOGISTICS_OBJECTS, LOGISTICS_INIT, goal)


def read_household(goal: str, metric: bool = True) -> Task:
    """A task with action costs, negative preconditions and conditional effects."""
    return read(HOUSEHOLD, HOUSEHOLD_OBJECTS, HOUSEHOLD_INIT, goal, metric)


def read_circuit(goal: str) -> Task:
    """A task with a derived predicate and disjunctive preconditions."""
    return read(CIRCUIT, "s a b c d", CIRCUIT_INIT, goal)


def read_clashing(goal: str) -> Task:
    """A task whose names are those of the routes."""
    return read(CLASHING, "x y z", "(running) (candidate0 x) (candidate0 y)", goal)
