"""A small typed task for tests: rooms, cups and plates, with constants, costs and a derived predicate."""

from skolem.pddl.reading import read_task_text
from skolem.task.model import Source, Task

DOMAIN = """; A robot tidies a house.
(define (domain House)
  (:requirements :strips)
  (:types room thing - object cup plate - thing china - (either cup plate))
  (:constants Kitchen - room)
  (:predicates (at ?t - thing ?r - room) (robot ?r - room) (Clean ?t - thing) (door ?a ?b - room)
               (handy ?t - thing) (quiet))
  (:functions (total-cost) - number (far ?a ?b - room) - number)
  (:derived (handy ?t - thing) (exists (?r - room) (and (at ?t ?r) (robot ?r))))
  (:action go :parameters (?a ?b - room)
    :precondition (and (robot ?a) (or (door ?a ?b) (door ?b ?a)))
    :effect (and (robot ?b) (not (robot ?a)) (increase (total-cost) (far ?a ?b))
                 (forall (?t - cup) (when (and (at ?t ?a) (clean ?t)) (and (at ?t ?b) (not (at ?t ?a)))))))
  (:action wash :parameters (?t - thing)
    :precondition (and (handy ?t) (not (clean ?t)) (exists (?r - room) (and (robot ?r) (= ?r kitchen))))
    :effect (and (clean ?t) (increase (total-cost) 2)))
  (:action rest :effect (quiet)))
"""

PROBLEM = """(define (problem evening)
  (:domain house)
  (:objects Hall attic - room cup1 Cup2 - cup dish - plate vase - china lamp)
  (:init (robot hall) (door hall kitchen) ; one way in
         (door attic Hall) (at cup1 hall) (at Cup2 kitchen) (at dish kitchen) (clean cup1)
         (= (total-cost) 0) (= (far hall kitchen) 3) (= (far kitchen hall) 3) (= (far hall attic) 1)
         (= (far attic hall) 1))
  (:goal GOAL) ; what we want
  (:metric minimize (total-cost)))
"""


def sources(goal: str) -> tuple[Source, Source]:
    """The texts of the domain and of a problem with this goal."""
    return Source("house.pddl", DOMAIN), Source("evening.pddl", PROBLEM.replace("GOAL", goal))


def house(goal: str = "(and)") -> Task:
    """The task with this goal."""
    return read_task_text(*sources(goal))
