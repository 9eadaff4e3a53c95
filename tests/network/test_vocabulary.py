"""Which tasks fit a vocabulary."""

import pytest
from tests.network.worlds import ATTRIBUTES, RELATIONS

from skolem.network.vocabulary import Vocabulary
from skolem.oracle.dataset import Relation
from skolem.oracle.training_tasks import list_attributes, list_relations
from skolem.pddl.reading import read_task_text
from skolem.support.errors import UnsupportedError
from skolem.task.model import Source, Task
from skolem.task.query import Query

DOMAIN = """(define (domain ferry)
  (:predicates (car ?x) (place ?x) (road ?x ?y) (at ?x ?y) (free) (boat ?x) (red ?x) (likes ?x ?y))
  (:action go :parameters (?from ?to) :precondition (and (place ?from) (place ?to) (road ?from ?to) (boat ?from))
    :effect (and (boat ?to) (not (boat ?from))))
  (:action load :parameters (?c ?p) :precondition (and (car ?c) (place ?p) (at ?c ?p) (boat ?p) (free))
    :effect (and (not (at ?c ?p)) (not (free)))))"""
PROBLEM = """(define (problem p) (:domain ferry) (:objects a b c)
  (:init (car c) (place a) (place b) (road a b) (at c a) (boat a) (free))
  (:goal (exists (?x) (and (red ?x) (boat ?x)))))"""


def read(domain: str = DOMAIN, problem: str = PROBLEM) -> Task:
    return read_task_text(Source("domain.pddl", domain), Source("problem.pddl", problem))


def learn(task: Task, *, decided: bool) -> Vocabulary:
    relations = list_relations([task])
    return Vocabulary.of(relations, attributes=list_attributes([task], relations) if decided else None)


DECIDED, PLAIN = learn(read(), decided=True), learn(read(), decided=False)


def test_names_and_arities_of_a_graph() -> None:
    small = Vocabulary.of([Relation("type:object", 1, True), Relation("on", 2, False), Relation("raining", 0, False)])
    assert small.names == ("on", "raining", "Constant", "on_G", "raining_G", "Variable", "PossibleBinding", "Neq_G")
    assert small.arities == (2, 1, 1, 2, 1, 1, 2, 2)
    assert small.by_arity == {1: (1, 2, 4, 5), 2: (0, 3, 6, 7)}


def test_what_is_decided_has_no_attributes_but_joins_marks_and_negated_literals() -> None:
    relations = [
        Relation("on", 2, False),
        Relation("next", 2, True),
        Relation("ball", 1, True),
        Relation("red", 1, True),
    ]
    vocabulary = Vocabulary.of([*relations, Relation("likes", 2, True)], attributes=("red", "likes"))
    assert vocabulary.names == (
        *("on", "next", "ball", "Constant", "on_G", "next_G", "on_N", "Variable", "PossibleBinding", "Neq_G"),
        *("Violated", "Join1", "Join2", "Join3", "Join1_G", "Join2_G", "Join3_G"),
    )
    assert Vocabulary.of(relations, attributes=("red",)).joins == 0


def test_the_signature_tells_vocabularies_apart() -> None:
    changed = [Relation(r.name, r.arity, not r.static) for r in RELATIONS]
    several = [Vocabulary.of(RELATIONS), Vocabulary.of(changed), Vocabulary.of(RELATIONS[1:])]
    several.append(Vocabulary.of(RELATIONS, attributes=ATTRIBUTES))
    assert Vocabulary.of(RELATIONS).signature == several[0].signature
    assert len({each.signature for each in several}) == 4


def test_attributes_and_spare_predicates_do_not_matter_where_what_is_static_is_decided() -> None:
    other = DOMAIN.replace("(red ?x) (likes ?x ?y)", "(crimson ?x) (striped ?x) (brand ?x ?y) (between ?x ?y ?z)")
    problem = PROBLEM.replace("(red ?x)", "(crimson ?x)")
    DECIDED.check_task(read(other, problem))
    DECIDED.check_query(read(other, problem).query, read(other, problem).statics)
    with pytest.raises(UnsupportedError, match="crimson/1 is unknown to it"):
        PLAIN.check_task(read(other, problem))


def test_a_type_counts_as_the_predicate_of_its_name() -> None:
    typed = """(define (domain ferry) (:types car place red-car - object)
      (:predicates (road ?x ?y - place) (at ?x - car ?y - place) (free) (boat ?x - place))
      (:action go :parameters (?from ?to - place) :precondition (and (road ?from ?to) (boat ?from))
        :effect (and (boat ?to) (not (boat ?from))))
      (:action load :parameters (?c - car ?p - place) :precondition (and (at ?c ?p) (boat ?p) (free))
        :effect (and (not (at ?c ?p)) (not (free)))))"""
    problem = """(define (problem p) (:domain ferry) (:objects a b - place c - car)
      (:init (road a b) (at c a) (boat a) (free))
  (:goal (exists (?x - place) (boat ?x))))"""
    DECIDED.check_task(read(typed, problem))
    learn(read(typed, problem), decided=True).check_task(read())
    with pytest.raises(UnsupportedError, match="type:lorry/1 is unknown to it"):
        DECIDED.check_task(read(typed.replace("car", "lorry"), problem.replace("car", "lorry")))


def test_objects_that_actions_name_are_relations() -> None:
    named = DOMAIN.replace("(:predicates", "(:constants harbour) (:predicates").replace(
        "(free))\n", "(free) (at ?c harbour))\n"
    )
    with pytest.raises(UnsupportedError, match="named:harbour/1 is unknown to it"):
        DECIDED.check_task(read(named))
    vocabulary = learn(read(named), decided=True)
    assert "named:harbour" in vocabulary.index
    vocabulary.check_task(read(named))


def test_other_tasks_are_refused_by_name() -> None:
    wet = DOMAIN.replace("(at ?x ?y) (free)", "(at ?x ?y ?z) (wet ?x)").replace("(free)", "(wet ?c)")
    wet = wet.replace("(at ?c ?p)", "(at ?c ?p ?p)")
    task = read(wet, PROBLEM.replace(" (at c a)", "").replace("(free)", ""))
    for vocabulary in (PLAIN, DECIDED):
        with pytest.raises(UnsupportedError) as refusal:
            vocabulary.check_task(task)
        assert str(refusal.value) == (
            "the model was trained on another domain: at has 3 arguments instead of 2; wet/1 is unknown to it; "
            "free/0 is missing"
        )


def test_predicates_that_change_elsewhere_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="road is changed by actions"):
        DECIDED.check_task(read(DOMAIN.replace("(not (boat ?from))", "(not (road ?from ?to))")))


def test_negated_literals_are_known_where_what_is_static_is_decided() -> None:
    query = Query(1, (("boat", (~0,)),), denied=(("free", ()), ("red", (~0,))))
    DECIDED.check_query(query, read().statics)
    with pytest.raises(UnsupportedError, match="the goal's not free, not red"):
        PLAIN.check_query(query, read().statics)
