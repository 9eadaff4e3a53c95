from collections import Counter
from random import Random

import numpy as np
import pytest
from tests.oracle.mimir import list_after, list_atoms, open_problem
from tests.task.semantics.random_tasks import draw_task
from tests.task.semantics.textbook import Facts, Textbook

from skolem.families.registry import generate_problem
from skolem.oracle.ground import ground
from skolem.oracle.ground_task import TRUE, GroundAction, GroundEffect, GroundTask
from skolem.oracle.space import Graph, Space, SpaceLimits, expand
from skolem.pddl.reading import read_task_text
from skolem.support.errors import LimitError
from skolem.task.model import Source, Task
from skolem.task.query import CodedAtom
from skolem.task.semantics.dynamics import Dynamics, Step

TOY = """(define (domain toy)
  (:requirements :strips :typing :action-costs :negative-preconditions :derived-predicates :conditional-effects)
  (:types place thing)
  (:predicates (at ?x - place) (road ?x ?y - place) (have ?i - thing) (in ?i - thing ?x - place) (wet)
               (near ?x - place) (dry ?x - place))
  (:functions (total-cost) - number (length ?x ?y - place) - number)
  (:derived (near ?x - place) (exists (?y - place) (and (at ?y) (road ?y ?x))))
  (:derived (dry ?x - place) (and (not (near ?x)) (not (wet))))
  (:action go :parameters (?x ?y - place) :precondition (and (at ?x) (near ?y) (road ?x ?y))
    :effect (and (at ?y) (not (at ?x)) (increase (total-cost) (length ?x ?y))))
  (:action take :parameters (?i - thing ?x - place) :precondition (and (at ?x) (in ?i ?x))
    :effect (and (have ?i) (not (in ?i ?x)) (when (wet) (not (wet))) (increase (total-cost) 3)))
  (:action rain :parameters () :precondition (not (wet)) :effect (and (wet) (increase (total-cost) 0))))"""

TOY_PROBLEM = """(define (problem p) (:domain toy) (:objects a b c - place i j - thing)
  (:init (at a) (road a b) (road b c) (road b a) (in i a) (in j c)
         (= (total-cost) 0) (= (length a b) 5) (= (length b c) 2) (= (length b a) 1))
  (:goal (have i)) (:metric minimize (total-cost)))"""


def read_toy(problem: str = TOY_PROBLEM) -> Task:
    return read_task_text(Source("domain.pddl", TOY), Source("problem.pddl", problem))


def read_instance(family: str, size: int, seed: int = 0) -> Task:
    instance = generate_problem(family, "train", seed, 0, size=size)
    return read_task_text(Source("domain.pddl", instance.domain_text), Source("problem.pddl", instance.problem_text))


def list_states(space: Space, task: Task, only: int | None = None) -> set[frozenset[CodedAtom]]:
    arities = {n: len(types) for n, types in task.domain.predicates.items() if n not in task.domain.static}
    return {
        frozenset((n, tuple(row)) for n, rows in space.relations(s, arities).items() for row in rows.tolist())
        for s in (range(len(space)) if only is None else [only])
    }


@pytest.mark.parametrize(("family", "size"), [("blocks", 4), ("gripper", 9), ("delivery", 7), ("visitall", 6)])
def test_states_are_those_that_pymimir_reaches(family: str, size: int) -> None:
    task = read_instance(family, size)
    frontier = [open_problem(task)]
    seen = {frontier[0].get_index()}
    states, edges = set(), 0
    while frontier:
        state = frontier.pop()
        states.add(list_atoms(task, state))
        for after in list_after(state):
            edges += 1
            if after.get_index() not in seen:
                seen.add(after.get_index())
                frontier.append(after)
    space = expand(ground(task), SpaceLimits())
    assert list_states(space, task) == states
    assert (len(space), len(space.sources)) == (len(states), edges)


def test_axioms_and_conditional_effects_are_those_of_the_textbook() -> None:
    assert_same_space(read_toy())


@pytest.mark.parametrize("seed", range(150))
def test_spaces_of_random_tasks_are_those_of_the_textbook(seed: int) -> None:
    assert_same_space(draw_task(Random(seed)), 30)


STATIC = """(define (domain static)
  (:requirements :strips :typing :negative-preconditions :equality :conditional-effects)
  (:types thing)
  (:predicates (red ?x - thing) (hot ?x - thing) (cold ?x - thing) (done ?x - thing))
  (:action touch :parameters (?x - thing) :precondition (not (done ?x))
    :effect (and (done ?x) (when (red ?x) (hot ?x)) (when (not (red ?x)) (cold ?x))
                 (forall (?y - thing) (when (and (red ?y) (not (= ?x ?y))) (cold ?y))))))"""


def test_effects_depend_on_what_never_changes() -> None:
    problem = "(define (problem p) (:domain static) (:objects a b c - thing) (:init (red a) (red c)) (:goal (hot a)))"
    assert_same_space(read_task_text(Source("domain.pddl", STATIC), Source("problem.pddl", problem)))


def test_states_that_differ_in_the_highest_bits_are_told_apart() -> None:
    action = GroundAction(TRUE, (flip(63, 63 + 64, 34 + 64),), 1)
    atoms: dict[CodedAtom, tuple[int, int]] = {("p", (i,)): divmod(i, 64) for i in range(128)}
    task = GroundTask(atoms, 2, 2, (action,), (), np.zeros(2, dtype=np.uint64), True)
    assert len(expand(task, SpaceLimits())) == 2


def flip(*bits: int) -> GroundEffect:
    add = np.zeros(2, dtype=np.uint64)
    for bit in bits:
        add[bit // 64] |= np.uint64(1 << bit % 64)
    return GroundEffect(TRUE, add, np.zeros(2, dtype=np.uint64))


def assert_same_space(task: Task, limit: int = 1000) -> None:
    """Compares states, transitions and costs, as far as the space goes within the limit."""
    space = expand(ground(task), SpaceLimits(limit), partial=True)
    textbook, dynamics = Textbook(task), Dynamics(task)

    def encode(facts: Facts) -> frozenset[CodedAtom]:
        return frozenset((n, tuple(task.index[o] for o in args)) for n, *args in facts if n not in task.domain.static)

    depth, number, plain = {textbook.start: 0}, {encode(textbook.derive(textbook.start)): 0}, [textbook.start]
    transitions = Counter[tuple[frozenset[CodedAtom], frozenset[CodedAtom], int]]()
    for state in plain:
        if space.horizon is not None and depth[state] == space.horizon:
            continue
        for action, objects, after in textbook.list_successors(state):
            operator = next(o for o in dynamics.operators if o.action is action)
            cost = dynamics.find_cost(Step(operator, tuple(task.index[o] for o in objects)))
            transitions[encode(textbook.derive(state)), encode(textbook.derive(after)), cost] += 1
            if after not in depth:
                depth[after] = depth[state] + 1
                number[encode(textbook.derive(after))] = len(plain)
                plain.append(after)
    states = list_states(space, task)
    assert states == set(number)
    assert len(space) == len(plain)
    listed = [list_states(space, task, s).pop() for s in range(len(space))]
    costs = [1] * len(space.sources) if space.costs is None else space.costs.tolist()
    found = zip(space.sources.tolist(), space.targets.tolist(), costs, strict=True)
    assert Counter((listed[source], listed[target], cost) for source, target, cost in found) == transitions


def test_known_sizes_of_blocks_spaces() -> None:
    sizes = [len(expand(ground(read_instance("blocks", n)), SpaceLimits())) for n in (2, 3, 4, 5)]
    assert sizes == [5, 22, 125, 866]


def test_the_number_of_states_is_limited() -> None:
    task = ground(read_instance("blocks", 5))
    with pytest.raises(LimitError, match="more than 800 states"):
        expand(task, SpaceLimits(800))
    with pytest.raises(LimitError, match="was not expanded in 0 s"):
        expand(task, SpaceLimits(seconds=0))


def test_a_partial_space_holds_all_states_up_to_its_horizon() -> None:
    task = ground(read_instance("blocks", 5))
    whole, part = expand(task, SpaceLimits()), expand(task, SpaceLimits(400), partial=True)
    assert whole.horizon is None
    assert part.horizon is not None
    assert len(part) == (whole.depth <= part.horizon).sum() <= 400


def test_the_initial_state_is_found_in_a_space() -> None:
    task = read_instance("visitall", 6)
    space = expand(ground(task), SpaceLimits())
    assert space.find(task.init) == 0
    assert space.find({**task.init, "at-robot": np.zeros((0, 1), dtype=np.int32)}) is None


def test_searches_with_and_without_costs() -> None:
    starts = np.array([0, 2, 4, 5, 5])
    targets = np.array([1, 2, 2, 3, 3], dtype=np.int32)
    assert Graph(starts, targets, None).search(np.array([0])).tolist() == [0, 1, 1, 2]
    costs = np.array([0, 5, 1, 9, 4], dtype=np.int32)
    assert Graph(starts, targets, costs).search(np.array([0])).tolist() == [0, 0, 1, 5]
    assert Graph(starts, targets, costs).search(np.array([3])).tolist() == [-1, -1, -1, 0]


def test_action_costs_are_read_from_the_task() -> None:
    task = read_toy()
    space = expand(ground(task), SpaceLimits())
    assert space.costs is not None
    assert set(space.costs.tolist()) == {0, 1, 2, 3, 5}
    have = space.columns["have"]
    i, j = task.index["i"], task.index["j"]
    distance = space.forward.search(np.array([0]))
    assert distance[space.holds(int(have[i]))].min() == 3
    assert distance[space.holds(int(have[j]))].min() == 5 + 2 + 3
    assert distance[space.holds(int(have[j])) & space.holds(int(have[i]))].min() == 13
