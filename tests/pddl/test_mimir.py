import pymimir
import pytest
from tests.task.household import house

from skolem.pddl.mimir import StateReader, load_problem, mimir_name, state_relations
from skolem.pddl.reading import read_task_text
from skolem.task.formulas import And, Atom
from skolem.task.model import Source, Task
from skolem.task.query import Relations


def holds(task: Task, relations: Relations, predicate: str) -> set[tuple[str, ...]]:
    return {tuple(task.objects[i] for i in row) for row in relations[predicate].tolist()}


def step(state: pymimir.State, action: str) -> pymimir.State:
    """The state after the applicable action with this text."""
    chosen = next(a for a in state.generate_applicable_actions() if str(a) == action)
    return chosen.apply(state)


def test_the_initial_state_is_the_tasks() -> None:
    task = house()
    relations = state_relations(task, load_problem(task).get_initial_state())
    assert set(relations) == set(task.init)
    for name, rows in relations.items():
        assert sorted(rows.tolist()) == sorted(task.init[name].tolist())
        assert rows.dtype == task.init[name].dtype
        assert rows.shape == task.init[name].shape


def test_plans_can_be_replayed() -> None:
    task = house()
    problem = load_problem(task)
    reader = StateReader(task, problem)
    state = step(problem.get_initial_state(), "(go hall kitchen)")
    after = reader.relations(state)
    assert holds(task, after, "robot") == {("kitchen",)}
    assert holds(task, after, "at") == {("cup1", "kitchen"), ("cup2", "kitchen"), ("dish", "kitchen")}
    assert holds(task, after, "handy") == {("cup1",), ("cup2",), ("dish",)}
    state = step(state, "(wash dish)")
    assert holds(task, reader.relations(state), "clean") == {("cup1",), ("dish",)}
    assert holds(task, reader.relations(state), "door") == holds(task, task.init, "door")


def test_a_goal_can_be_given() -> None:
    task = house()
    goal = And((Atom("clean", ("dish",)), Atom("quiet", ())))
    assert len(load_problem(task, goal).get_goal_condition()) == 2
    assert len(load_problem(task).get_goal_condition()) == 0


def test_odd_names_sections_in_any_order_and_few_requirements() -> None:
    domain = """(define (domain 2nd.try)
      (:predicates (P.1 ?x) (axiom_0 ?x) (number ?x) (never))
      (:types object A+B - object)
      (:action 1go :parameters (?x! - a+b) :effect (and (p.1 ?x!) (not (axiom_0 ?x!))))
      (:action idle :precondition (or) :effect (never))
      (:action skip :parameters () :effect ()))"""
    problem = """(define (problem 1) (:domain 2nd.try) (:objects 1 a.b - a+b axiom_1)
      (:init (axiom_0 1) (axiom_0 a.b) (number axiom_1)) (:goal (exists (?x) (p.1 ?x))))"""
    task = read_task_text(Source("d", domain), Source("p", problem))
    pymimir_problem = load_problem(task)
    state = pymimir_problem.get_initial_state()
    assert mimir_name("1go") != "1go"
    after = state_relations(task, step(state, f"({mimir_name('1go')} {mimir_name('a.b')})"))
    assert holds(task, after, "p.1") == {("a.b",)}
    assert holds(task, after, "axiom_0") == {("1",)}
    assert holds(task, after, "number") == {("axiom_1",)}
    assert after["never"].shape == (0, 0)


def test_shadowed_variables_and_nested_quantifiers_in_actions() -> None:
    domain = """(define (domain d) (:predicates (p ?x) (q ?x))
      (:action a :parameters (?x)
        :precondition (and (p ?x) (exists (?x) (not (p ?x))) (forall (?x) (imply (q ?x) (exists (?y) (q ?y)))))
        :effect (and (forall (?x) (when (p ?x) (and (q ?x) (not (p ?x))))) (forall (?y) (when () (q ?y))))))"""
    problem = "(define (problem p) (:domain d) (:objects a b) (:init (p a)) (:goal (q a)))"
    task = read_task_text(Source("d", domain), Source("p", problem))
    after = state_relations(task, step(load_problem(task).get_initial_state(), "(a a)"))
    assert holds(task, after, "q") == {("a",), ("b",)}
    assert holds(task, after, "p") == set()


def test_a_metric_without_an_initial_value() -> None:
    task = house()
    task = read_task_text(task.domain.source, Source("p", task.source.text.replace("(= (total-cost) 0)", "")))
    assert load_problem(task).get_initial_state().generate_applicable_actions()


@pytest.mark.parametrize("condition", ["(forall (?z) (q ?y ?z))", "(not (exists (?z) (and (p ?x) (not (q ?y ?z)))))"])
def test_universal_conditions_of_universal_effects(condition: str) -> None:
    domain = f"""(define (domain d) (:predicates (p ?x) (q ?x ?y) (r ?x))
      (:action a :parameters (?x) :precondition (p ?x) :effect (forall (?y) (when {condition} (r ?y)))))"""
    problem = "(define (problem p) (:domain d) (:objects a b) (:init (p a) (q a a) (q b a) (q b b)) (:goal (r a)))"
    task = read_task_text(Source("d", domain), Source("p", problem))
    after = state_relations(task, step(load_problem(task).get_initial_state(), "(a a)"))
    assert holds(task, after, "r") == {("b",)}
    assert set(after) == set(task.init)


def test_a_type_and_a_predicate_may_have_the_same_name() -> None:
    domain = """(define (domain flat) (:requirements :typing) (:types room thing)
      (:predicates (room ?x) (at ?t - thing ?r - room) (thing ?t - thing ?r - room))
      (:derived (thing ?t - thing ?r - room) (and (at ?t ?r) (room ?r)))
      (:action tidy :parameters (?r - room) :precondition (not (room ?r)) :effect (room ?r)))"""
    problem = """(define (problem p) (:domain flat) (:objects hall den - room cup - thing)
      (:init (room hall) (at cup hall)) (:goal (exists (?r - room ?t - thing) (thing ?t ?r))))"""
    task = read_task_text(Source("domain.pddl", domain), Source("problem.pddl", problem))
    state = load_problem(task).get_initial_state()
    found = state_relations(task, state)
    assert {name: rows.tolist() for name, rows in found.items() if name in ("room", "thing")} == {
        "room": [[task.index["hall"]]],
        "thing": [[task.index["cup"], task.index["hall"]]],
    }
    assert [action.get_objects()[0].get_name() for action in state.generate_applicable_actions()] == ["den"]


def test_variables_that_a_condition_does_not_mention_are_left_out() -> None:
    domain = """(define (domain idle) (:predicates (on) (near ?x ?y))
      (:action wait :parameters (?x) :precondition (forall (?y ?z) (forall (?u) (exists (?v) (near ?x ?x))))
        :effect (on)))"""
    names = [f"o{i}" for i in range(60)]
    problem = f"(define (problem p) (:domain idle) (:objects {' '.join(names)}) (:init (near o7 o7)) (:goal (on)))"
    task = read_task_text(Source("domain.pddl", domain), Source("problem.pddl", problem))
    state = load_problem(task).get_initial_state()
    assert [action.get_objects()[0].get_name() for action in state.generate_applicable_actions()] == ["o7"]
