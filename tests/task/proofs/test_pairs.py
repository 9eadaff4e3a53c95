"""Pairs of atoms that are never true together: dead ends that no invariant shows."""

from itertools import combinations
from random import Random

import pytest
from tests.task.proofs.test_reachability import GRIPPER, is_refuted, make_query, read_text
from tests.task.random_domains import make_task, open_world

from skolem.support.errors import LimitError
from skolem.task.model import Task
from skolem.task.proofs.pairs import Pairs

FORK = """(define (domain d) (:predicates (at ?p) (way ?a ?b) (lamp ?p) (lit ?p) (match ?m))
  (:action go :parameters (?a ?b) :precondition (and (at ?a) (way ?a ?b)) :effect (and (at ?b) (not (at ?a))))
  (:action light :parameters (?p ?m) :precondition (and (at ?p) (lamp ?p) (match ?m))
    :effect (and (lit ?p) (not (match ?m)))))"""
LAMPS = "(at hall) (way hall left) (way hall right) (way right attic) (lamp left) (lamp right) (lamp attic)"


def refute(task: Task, goal: str) -> bool:
    return Pairs(task).refute(make_query(task, goal).atoms) is not None


def test_what_lies_on_two_ways_is_not_reached_where_none_leads_back() -> None:
    task = read_text(FORK, "hall left right attic m n", f"{LAMPS} (match m) (match n)")
    assert refute(task, "lit left, lit right")
    assert refute(task, "lit right, lit attic, lit left")
    assert not refute(task, "lit right, lit attic")
    assert not refute(task, "lit left")
    assert is_refuted(task, "lit left, at attic")


def test_an_atom_that_is_never_true_is_refuted_alone() -> None:
    task = read_text(FORK, "hall left right attic cellar", f"{LAMPS} (lamp cellar)")
    assert refute(task, "lit left")
    assert Pairs(task).refute(make_query(task, "at hall, at cellar").atoms) == (("at", (task.index["cellar"],)),)


def test_what_an_action_demands_to_be_false_counts() -> None:
    actions = (
        "(:action act :parameters (?x) :precondition (not (q ?x)) :effect (p ?x))"
        "(:action end :parameters (?x) :precondition (p ?x) :effect (q ?x))"
    )
    task = read_text(f"(define (domain d) (:predicates (p ?x) (q ?x)) {actions})", "a b", "(q a)")
    assert refute(task, "p a")
    assert not refute(task, "p b, q a")


def test_nothing_reachable_is_refuted() -> None:
    rng, unreachable, refuted = Random(3), 0, 0
    for _ in range(25):
        task = make_task(rng)
        world, pairs, objects = open_world(task), Pairs(task), range(len(task.objects))
        atoms = [("flag", ()), *((name, (obj,)) for name in "pq" for obj in objects)]
        atoms += [("r", (one, other)) for one in objects for other in objects]
        for pair in combinations(atoms, 2):
            reachable, refutes = world.is_reachable(pair), pairs.refute(pair) is not None
            assert not (reachable and refutes), (pair, task.domain.source.text, task.source.text)
            unreachable += not reachable
            refuted += refutes
    assert refuted > 0.9 * unreachable > 0


def test_too_many_ground_actions_are_not_looked_at() -> None:
    with pytest.raises(LimitError):
        Pairs(GRIPPER, most_rules=3)
