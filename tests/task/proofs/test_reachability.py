from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from tests.task.household import house
from tests.task.random_domains import make_task, open_world

from skolem.families.registry import FAMILIES, generate_problem
from skolem.oracle.bindings import View, find_columns, list_valid
from skolem.oracle.ground import ground
from skolem.oracle.space import SpaceLimits, expand
from skolem.pddl.reading import read_task, read_task_text
from skolem.task.model import Source, Task
from skolem.task.proofs.reachability import Refuter
from skolem.task.query import Query

EXAMPLES = Path(__file__).parents[3] / "examples"


def read_text(domain: str, objects: str, init: str) -> Task:
    first = objects.split()[0]
    problem = f"(define (problem p) (:domain d) (:objects {objects}) (:init {init}) (:goal (= {first} {first})))"
    return read_task_text(Source("domain.pddl", domain), Source("problem.pddl", problem))


def read_family(family: str, objects: str, init: str) -> Task:
    return read_text(FAMILIES[family].domain_text.replace(f"(domain {family})", "(domain d)"), objects, init)


def make_query(task: Task, goal: str) -> Query:
    """The atoms of a text such as "on a b, clear a"; a term that is no object is an unbound variable."""
    atoms = [part.split() for part in goal.split(",")]
    free = sorted({term for _, *terms in atoms for term in terms if term not in task.index})
    codes = {**task.index, **{name: ~i for i, name in enumerate(free)}}
    return Query(len(free), tuple((name, tuple(codes[t] for t in terms)) for name, *terms in atoms))


def is_refuted(task: Task, goal: str) -> bool:
    return Refuter(task).refutes(make_query(task, goal))


BLOCKS = read_family(
    "blocks", "a b c d", "(on a b) (ontable b) (ontable c) (ontable d) (clear a) (clear c) (clear d) (handempty)"
)
GRIPPER = read_family(
    "gripper",
    "ball1 ball2 left right hall attic",
    "(ball ball1) (ball ball2) (gripper left) (gripper right) (room hall) (room attic) (connected hall attic)"
    " (connected attic hall) (at-robby hall) (free left) (free right) (at ball1 hall) (at ball2 hall)",
)
DELIVERY = read_family(
    "delivery",
    "t p1 p2 c1 c2 c3",
    "(truck t) (package p1) (package p2) (cell c1) (cell c2) (cell c3) (adjacent c1 c2) (adjacent c2 c1)"
    " (adjacent c2 c3) (adjacent c3 c2) (at t c1) (at p1 c2) (at p2 c3) (empty t)",
)
VISITALL = read_family("visitall", "c1 c2 c3", "(connected c1 c2) (connected c2 c1) (at-robot c1) (visited c1)")


@pytest.mark.parametrize(
    ("task", "goal"),
    [
        (BLOCKS, "on c c"),
        (BLOCKS, "on a b, on a c"),
        (BLOCKS, "on a c, on b c"),
        (BLOCKS, "on a b, on b a"),
        (BLOCKS, "on a b, on b c, on c a"),
        (BLOCKS, "on d c, on a b, on b c, on c a"),
        (BLOCKS, "on a b, on b c, on c d, on d a"),
        (BLOCKS, "clear a, on b a"),
        (BLOCKS, "clear c, on d c, ontable a"),
        (BLOCKS, "ontable c, on c d"),
        (BLOCKS, "holding c, holding d"),
        (BLOCKS, "holding c, handempty"),
        (BLOCKS, "on a b, on x c, on b a"),
        (GRIPPER, "at ball1 hall, at ball1 attic"),
        (GRIPPER, "at ball1 hall, carry ball1 left"),
        (GRIPPER, "carry ball1 left, carry ball2 left"),
        (GRIPPER, "carry ball1 left, free left"),
        (GRIPPER, "at-robby hall, at-robby attic"),
        (GRIPPER, "at ball1 left"),
        (GRIPPER, "at hall attic"),
        (DELIVERY, "at p1 c1, at p1 c2"),
        (DELIVERY, "at t c1, at t c2"),
        (DELIVERY, "carrying t p1, carrying t p2"),
        (DELIVERY, "carrying t p1, at p1 c1"),
        (DELIVERY, "carrying t p1, empty t"),
        (DELIVERY, "at p1 p2"),
        (VISITALL, "at-robot c1, at-robot c2"),
    ],
)
def test_impossible_goals_are_refuted(task: Task, goal: str) -> None:
    assert is_refuted(task, goal)
    bound = tuple(atom for atom in make_query(task, goal).atoms if min(atom[1], default=0) >= 0)
    assert not open_world(task).is_reachable(bound)


@pytest.mark.parametrize(
    ("task", "goal"),
    [
        (BLOCKS, "on a b, on b c, on c d"),
        (BLOCKS, "on x x"),
        (BLOCKS, "on a x, on x a"),
        (BLOCKS, "clear a, clear b, clear c"),
        (BLOCKS, "red a"),
        (GRIPPER, "at ball1 attic, at ball2 attic, at-robby hall"),
        (GRIPPER, "carry ball1 left, carry ball2 right"),
        (DELIVERY, "at p1 c1, at p2 c1, at t c3"),
        (VISITALL, "visited c1, visited c2, at-robot c1"),
    ],
)
def test_other_goals_are_not(task: Task, goal: str) -> None:
    assert not is_refuted(task, goal)


def test_a_bound_variable_counts_and_an_unbound_one_does_not() -> None:
    a, b = BLOCKS.index["a"], BLOCKS.index["b"]
    refuter, query = Refuter(BLOCKS), Query(2, (("on", (~0, ~1)), ("on", (b, a))))
    assert not refuter.refutes(query)
    assert not refuter.refutes(query.bind(0, a))
    assert refuter.refutes(query.bind(0, a).bind(1, b))
    assert refuter.refutes(query.bind(0, b).bind(1, b))
    assert not refuter.refutes(Query(0, ()))


def test_a_goal_that_holds_at_the_start_is_not_refuted_even_where_nothing_could_reach_it() -> None:
    strange = read_family("blocks", "a b c", "(on a b) (on b a) (on c c) (handempty)")
    assert not is_refuted(strange, "on a b, on b a")
    assert not is_refuted(strange, "on c c")
    assert is_refuted(strange, "on a b, on c b")


def test_a_key_with_two_atoms_at_the_start_proves_nothing() -> None:
    double = read_family(
        "delivery", "t p c1 c2", "(truck t) (package p) (cell c1) (cell c2) (at t c1) (at t c2) (empty t)"
    )
    assert not is_refuted(double, "at t c1, at t c2")


TRAPS = "(define (domain d) (:types a none) (:constants c d e) (:predicates (flag) (p ?x) (q ?x) (r ?x ?y)) {})"


@pytest.mark.parametrize(
    ("action", "init", "goal"),
    [
        pytest.param(
            "(:action act :parameters (?x ?y) :precondition (r ?x ?y) :effect (and (r ?y ?x) (not (r ?x ?y))))",
            "(r c c)",
            "r c c",
            id="equal parameters, added and deleted",
        ),
        pytest.param(
            "(:action act :parameters () :precondition (flag)"
            " :effect (and (forall (?w) (p ?w)) (not (p c)) (not (p d))))",
            "(flag)",
            "p c, p d",
            id="a quantified effect adds what is deleted",
        ),
        pytest.param(
            "(:action act :parameters (?x ?y) :effect (and (p ?x) (not (p ?y))))", "(flag)", "p c, p d", id="any value"
        ),
        pytest.param(
            "(:action act :parameters (?x) :precondition (q ?x) :effect (and (p ?x) (when (flag) (not (p c)))))",
            "(q c) (q d)",
            "p c, p d",
            id="deletes on a condition",
        ),
        pytest.param(
            "(:action act :parameters () :effect (and (p c) (when (flag) (p d)) (not (p d))))",
            "(flag)",
            "p c, p d",
            id="adds on a condition",
        ),
        pytest.param(
            "(:action act :parameters () :effect (and (p c) (forall (?w - none) (not (p d)))))",
            "(p d)",
            "p c, p d",
            id="deletes for all of a type without objects",
        ),
        pytest.param(
            "(:action act :parameters () :precondition (or (q c) (flag)) :effect (and (p c) (not (q c)) (not (flag))))"
            "(:action back :parameters () :effect (q c))",
            "(flag)",
            "p c, q c",
            id="disjunctive precondition",
        ),
        pytest.param(
            "(:action act :parameters (?x) :precondition (not (p ?x)) :effect (and (p ?x) (q ?x)))",
            "",
            "p c, q c",
            id="denied and added",
        ),
        pytest.param(
            "(:action act :parameters (?x ?y) :precondition (and (p ?x) (not (= ?x ?y)))"
            " :effect (and (p ?y) (not (p ?x))))",
            "(p c) (p d)",
            "p e, p d",
            id="several of one kind",
        ),
    ],
)
def test_reachable_goals_of_tricky_actions_are_not_refuted(action: str, init: str, goal: str) -> None:
    task = read_text(TRAPS.format(action), "f", init)
    assert open_world(task).is_reachable(make_query(task, goal).atoms)
    assert not is_refuted(task, goal)


@pytest.mark.parametrize(
    ("action", "init", "goal"),
    [
        pytest.param("(:action act :parameters (?x) :effect (not (p ?x)))", "(p c)", "p c, p d", id="never added"),
        pytest.param(
            "(:action act :parameters (?x ?y) :precondition (r ?x ?y) :effect (and (r ?y ?x) (not (r ?x ?y))))",
            "(r c d)",
            "r c c",
            id="demands itself",
        ),
        pytest.param(
            "(:action act :parameters () :precondition (flag) :effect (and (p c) (not (flag))))",
            "(flag)",
            "flag, p c",
            id="used up",
        ),
        pytest.param("(:action act :parameters (?x - none) :effect (p ?x))", "", "p c", id="no objects of the type"),
        pytest.param(
            "(:action act :parameters (?x ?y) :precondition (not (= ?x ?y)) :effect (r ?x ?y))",
            "",
            "r c c",
            id="unequal",
        ),
        pytest.param(
            "(:action act :parameters (?x) :precondition (not (q ?x)) :effect (p ?x))"
            "(:action never :parameters (?x) :precondition (p ?x) :effect (and (q ?x) (not (p ?x))))",
            "",
            "p c, q c",
            id="denied",
        ),
        pytest.param(
            "(:action act :parameters () :effect (when (flag) (and (p c) (not (flag)))))",
            "(flag)",
            "flag, p c",
            id="used up on a condition",
        ),
        pytest.param(
            "(:action act :parameters (?x ?y) :precondition (and (r ?x ?y) (p ?y))"
            " :effect (and (q ?x) (not (p ?y)) (r ?x ?x) (not (r ?x ?y))))"
            "(:action more :parameters (?x ?y) :precondition (r ?x ?y) :effect (and (r ?x e) (not (r ?x ?y))))",
            "(r c d) (p d) (p e)",
            "r c d, q c",
            id="the value of a parameter follows",
        ),
    ],
)
def test_unreachable_goals_of_tricky_actions_are_refuted(action: str, init: str, goal: str) -> None:
    task = read_text(TRAPS.format(action), "f", init)
    assert not open_world(task).is_reachable(make_query(task, goal).atoms)
    assert is_refuted(task, goal)


def test_derived_predicates_and_static_atoms_are_left_alone() -> None:
    task = house()
    assert not is_refuted(task, "handy cup1, robot attic, quiet")
    assert not is_refuted(task, "door attic attic")
    assert is_refuted(task, "at cup1 hall, at cup1 kitchen")


def read_instance(family: str, size: int, seed: int) -> Task:
    instance = generate_problem(family, "train", seed, 0, size=size)
    return read_task_text(Source("domain.pddl", instance.domain_text), Source("problem.pddl", instance.problem_text))


@pytest.mark.parametrize(
    ("family", "size"), [("blocks", 4), ("blocks-c", 4), ("gripper", 9), ("delivery", 9), ("visitall", 6)]
)
def test_nothing_that_is_reachable_is_refuted_in_the_families(family: str, size: int) -> None:
    for seed in range(3):
        unreachable, refuted = open_world(read_instance(family, size, seed)).check_refuter(Random(seed), 1000)
        assert 0 < refuted <= unreachable


@pytest.mark.parametrize(
    "path",
    ["blocks/tower", "delivery/parking", "gripper/rooms", "household/breakfast", "visitall/visit-1"],
)
def test_nothing_that_is_reachable_is_refuted_in_the_examples(path: str) -> None:
    problem = EXAMPLES / f"{path}.pddl"
    open_world(read_task(problem.parent / "domain.pddl", problem), 1000).check_refuter(Random(0), 500)


def test_a_task_without_fluents_is_left_alone() -> None:
    task = read_task(EXAMPLES / "colouring" / "domain.pddl", EXAMPLES / "colouring" / "map.pddl")
    assert not Refuter(task).refutes(replace(task.query, binding=(0,) * task.query.variables))


def test_nothing_that_is_reachable_is_refuted_in_random_tasks() -> None:
    total = 0
    for seed in range(100):
        rng = Random(seed)
        total += open_world(make_task(rng)).check_refuter(rng, 60)[1]
    assert total > 1000


@pytest.mark.parametrize(("family", "size"), [("blocks", 5), ("gripper", 9), ("delivery", 9)])
def test_every_unreachable_valid_binding_of_the_families_is_refuted(family: str, size: int) -> None:
    for seed in range(5):
        task = read_instance(family, size, seed)
        space, refuter = expand(ground(task), SpaceLimits()), Refuter(task)
        bindings = list_valid(task.statics, len(task.objects), task.query, 10_000)
        costs = View(space, 0).find_costs(find_columns(space, task.statics, task.query, bindings))
        refuted = [refuter.refutes(replace(task.query, binding=tuple(row))) for row in bindings.tolist()]
        assert np.array_equal(refuted, costs < 0)
