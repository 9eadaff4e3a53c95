"""The reference itself, on tasks small enough to be worked out by hand."""

import pytest
from tests.adl.independent_search import Search, TooLargeError, UnstratifiedError, parse
from tests.adl.plain_text import is_plain, write_plain

DOMAIN = "(define (domain d) (:types a b - object) (:constants c - a) (:predicates (left) (right) (p ?x) (q ?x)) %s)"
PROBLEM = "(define (problem t) (:domain d) (:objects e - b f - (either a b)) (:init %s) (:goal %s))"


def make(operators: str, init: str = "", goal: str = "(and)") -> Search:
    return Search(DOMAIN % operators, PROBLEM % (init, goal))


def holds(formula: str, init: str) -> bool:
    search = make("(:action change :parameters (?x) :effect (and (left) (right) (p ?x) (q ?x)))", init)
    return search.make_test(parse(formula))(search.derive(search.initial))


@pytest.mark.parametrize(
    ("formula", "init", "truth"),
    [
        ("(and (or (left) (right)) (or (not (left)) (not (right))))", "", False),
        ("(and (or (left) (right)) (or (not (left)) (not (right))))", "(left)", True),
        ("(and (or (left) (right)) (or (not (left)) (not (right))))", "(left) (right)", False),
        ("(and (imply (left) (right)) (imply (not (left)) (p c)))", "(left)", False),
        ("(and (imply (left) (right)) (imply (not (left)) (p c)))", "(p c)", True),
        ("(and)", "", True),
        ("(or)", "", False),
        ("(forall (?x - a) (p ?x))", "(p c)", False),
        ("(forall (?x - a) (p ?x))", "(p c) (p f)", True),
        ("(exists (?x - (either a b)) (and (p ?x) (not (= ?x f))))", "(p f)", False),
        ("(exists (?x) (forall (?y - b) (imply (q ?y) (= ?x ?y))))", "(q e)", True),
        ("(exists (?x) (forall (?y - b) (imply (q ?y) (= ?x ?y))))", "(q e) (q f)", False),
        ("(exists (?x) (and (p ?x) (exists (?x) (q ?x))))", "(p c) (q e)", True),
    ],
)
def test_conditions(formula: str, init: str, truth: bool) -> None:
    assert holds(formula, init) is truth


def test_effects_read_the_state_before_and_adding_wins() -> None:
    search = make(
        "(:action swap :parameters () :effect (and (when (left) (and (right) (not (left))))"
        " (when (right) (and (left) (not (right)))) (p c) (not (p c)) (forall (?x - b) (q ?x))))",
        "(left)",
    )
    ((action, after),) = search.list_successors(search.initial)
    assert action.step == "(swap)"
    assert after == {"(right)", "(p c)", "(q e)", "(q f)"}
    ((_, both),) = search.list_successors(frozenset({"(left)", "(right)"}))
    assert {"(left)", "(right)"} <= both


AXIOMS = (
    "(:derived (p ?x) (not (q ?x)))",
    "(:derived (p ?x) (and (q ?x) (right)))",
    "(:derived (q ?x) (or (and (left) (= ?x c)) (exists (?y) (and (= ?x e) (q ?y)))))",
)
SWITCH = "(:action switch :parameters () :effect (and (when (left) (not (left))) (when (not (left)) (left)) (right)))"


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_axioms_are_a_fixpoint_whatever_their_order(order: tuple[int, int, int]) -> None:
    search = make(" ".join(AXIOMS[i] for i in order) + SWITCH, "(left)")
    assert search.derive(search.initial) == {"(left)", "(q c)", "(q e)", "(p f)"}
    assert search.derive(frozenset()) == {"(p c)", "(p e)", "(p f)"}


def test_an_axiom_that_denies_itself_is_refused() -> None:
    with pytest.raises(UnstratifiedError):
        make("(:derived (p ?x) (not (q ?x))) (:derived (q ?x) (p ?x))")


COSTS = """(define (domain d) (:predicates (at ?x) (road ?x ?y)) (:functions (total-cost) (toll ?x))
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y))
    :effect (and (at ?y) (not (at ?x)) (increase (total-cost) (toll ?y)) (increase (total-cost) 1)))
  (:action fly :parameters (?x) :precondition (at ?x) :effect (at z))
  (:action wait :parameters () :effect (increase (total-cost) 1)))"""
ROADS = """(define (problem t) (:domain d) (:objects a b z)
  (:init (at a) (road a b) (road b z) (= (total-cost) 0) (= (toll a) 1) (= (toll b) 2) (= (toll z) 5))
  (:goal (and (at z) (not (at a)) %s)) %s)"""
METRIC = "(:metric minimize (total-cost))"


@pytest.mark.parametrize(
    ("more", "metric", "cost"),
    [("", METRIC, 3), ("", "", 2), ("(not (at b))", METRIC, 9), ("(road z z)", METRIC, None)],
)
def test_cheapest_plans(more: str, metric: str, cost: int | None) -> None:
    search = Search(COSTS, ROADS % (more, metric))
    space = search.explore(100)
    state = space.find_cheapest(search.goal)
    plan = space.find_plan(state)
    assert search.find_plan(100) == plan
    if plan is None or state is None:
        assert cost is None
        return
    assert space.cost[state] == cost
    verdict = search.judge(plan)
    assert (verdict.valid, verdict.cost) == (True, cost)
    assert not search.judge(plan[:-1]).valid
    assert not search.judge((*plan, "(go a b)")).valid
    assert not search.judge(("(dance a)", *plan)).valid


def test_a_space_that_is_too_large_is_refused() -> None:
    with pytest.raises(TooLargeError):
        Search(COSTS, ROADS % ("", "")).explore(2)


def test_the_plain_text_means_the_same() -> None:
    search = Search(COSTS, ROADS % ("", METRIC))
    assert not is_plain(search)
    plain = Search(*write_plain(search))
    assert is_plain(plain)
    found = plain.find_plan(100)
    assert found is not None
    assert search.judge(found).cost == 3
    assert plain.judge(("(go a b)", "(fly b)")).cost == 3
