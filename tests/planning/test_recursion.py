"""A `forall` between derived predicates that depend on each other: the planner takes it, and it means the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adl.independent_search import Search
from tests.planning.pddl_examples import read, read_circuit

from skolem.planning import recursion
from skolem.planning.exact import plan_exact
from skolem.planning.fast_downward import UNSTRATIFIED, run_planner
from skolem.planning.limits import Limits
from skolem.planning.recursion import write_out_recursion
from skolem.planning.rewriting import Rewriter
from skolem.request import Request
from skolem.solve import solve
from skolem.support.errors import ExitCode
from skolem.task.formulas import Atom, Forall, list_parts
from skolem.task.semantics.axioms import find_peers

LIMITS = Limits(60.0, 2000)
ROUTES = ["exact", "dnf", "end", "bind-axiom", "miniscope"]

# Two predicates that depend on each other, one through a `forall` that says nothing about its variable.
LOOP = """
(define (domain loop)
  (:constants a b)
  (:predicates (on ?x) (held ?x) (lit) (ready ?x))
  (:action press :parameters (?x) :precondition (not (on ?x)) :effect (on ?x))
  (:action take :parameters (?x) :precondition (ready ?x) :effect (held ?x))
  (:derived (lit) (or (on b) (exists (?x) (and (on ?x) (ready a)))))
  (:derived (ready ?x) (forall (?y) (or (lit) (lit)))))
"""

# A box is safe if it is whole and all on it are; a pile is if all of its boxes are, and nothing stands on another pile.
PILES = """
(define (domain piles)
  (:requirements :typing :derived-predicates)
  (:types box lid - thing pile)
  (:predicates (on ?x ?y - thing) (in ?x - thing ?p - pile) (broken ?x - thing) (safe ?x - thing) (good ?p - pile))
  (:action mend :parameters (?x - thing) :precondition (broken ?x) :effect (not (broken ?x)))
  (:action move :parameters (?x ?y ?z - thing) :precondition (and (on ?x ?y) (not (= ?x ?z)))
    :effect (and (not (on ?x ?y)) (on ?x ?z)))
  (:derived (safe ?x - (either box lid)) (and (not (broken ?x))
    (not (exists (?y - (either box lid)) (and (on ?y ?x) (not (safe ?y)))))
    (forall (?p - pile) (imply (in ?x ?p) (or (good ?p) (exists (?y - box) (not (in ?y ?p))))))))
  (:derived (good ?p - pile) (forall (?x - thing)
    (or (not (in ?x ?p)) (and (safe ?x) (forall (?x - lid) (or (broken ?x) (safe ?x))))))))
"""
PILES_OBJECTS = "a b c - box l - lid p q - pile"
PILES_INIT = "(on a b) (on b c) (on l a) (in a p) (in b p) (in c q) (broken a) (broken l)"


@pytest.mark.parametrize("route", ROUTES)
def test_predicates_that_depend_on_each_other_through_a_forall(route: str) -> None:
    task = read(LOOP, "c", "(on c)", "(exists (?x) (and (ready ?x) (lit) (not (on ?x))))")
    result = plan_exact(task, route, "astar(blind())", LIMITS)
    assert (result.status, result.plan) == ("solved", ("(press b)",))


@pytest.mark.parametrize("grounder", ["auto", "random-valid"])
def test_every_route_of_the_product(grounder: str) -> None:
    task = read(LOOP, "c", "(on c)", "(exists (?x) (held ?x))")
    solution = solve(task, Request(grounder, "lama-first", LIMITS))
    assert (solution.exit_code, solution.cost, solution.valid) == (ExitCode.SUCCESS, 2, True)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("goal", ["(exists (?x - box) (and (safe ?x) (on l ?x)))", "(exists (?p - pile) (good ?p))"])
def test_nested_and_negated_quantifiers(goal: str, route: str) -> None:
    task = read(PILES, PILES_OBJECTS, PILES_INIT, goal)
    search = Search(PILES, task.source.text)
    best = search.find_plan(10_000)
    assert best is not None
    result = plan_exact(task, route, "astar(blind())", LIMITS)
    assert (result.status, result.cost) == ("solved", len(best))


def test_what_is_not_recursive_stays_as_it_is() -> None:
    circuit = read_circuit("(live b)")
    assert write_out_recursion(circuit, Rewriter(circuit).add_axiom) == circuit.domain.axioms
    domain = """(define (domain d) (:predicates (p ?x) (q ?x) (d ?x) (e)) (:action a :parameters (?x) :effect (p ?x))
      (:derived (d ?x) (or (forall (?y) (p ?y)) (exists (?y) (and (q ?y) (d ?y)))))
      (:derived (e) (forall (?y) (d ?y))))"""
    task = read(domain, "a b", "", "(e)")
    assert write_out_recursion(task, Rewriter(task).add_axiom) == task.domain.axioms


def test_a_forall_over_too_many_objects_is_refused_if_the_planner_cannot_take_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recursion, "MOST_INSTANCES", 8)
    many = read(LOOP, "c d e f g h i", "", "(exists (?x) (and (ready ?x) (lit)))")
    solution = solve(many, Request("auto", "lama-first", LIMITS))
    assert (solution.status, solution.exit_code) == ("error", ExitCode.UNSUPPORTED)
    assert UNSTRATIFIED in solution.message
    # Nothing stands on itself here, so that layers of atoms remain.
    domain = """(define (domain tower) (:predicates (on ?x ?y) (bad ?x) (safe ?x))
      (:action mend :parameters (?x) :effect (not (bad ?x)))
      (:derived (safe ?x) (and (not (bad ?x)) (forall (?y) (imply (on ?y ?x) (safe ?y))))))"""
    tower = read(domain, "a b c", "(on a b) (on b c) (bad b)", "(exists (?x) (and (on b ?x) (safe ?x)))")
    assert plan_exact(tower, "dnf").plan == ("(mend b)",)


def test_the_planner_itself_does_not_take_it() -> None:
    task = read(LOOP, "c", "(on c)", "(and (ready a) (lit))")
    result = run_planner(LOOP, task.source.text)
    assert (result.status, result.exit_code, result.message) == ("error", ExitCode.UNSUPPORTED, UNSTRATIFIED)


def _extend(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    variable = st.sampled_from("xyz")
    return st.one_of(
        st.builds("({} {} {})".format, st.sampled_from(["and", "or"]), inside, inside),
        st.builds("({} (?{} - {}) {})".format, st.sampled_from(["exists", "forall"]), variable,
                  st.sampled_from(["object", "t", "(either t u)"]), inside),
        # An even number of negations.
        st.builds("(not (exists (?{}) (not {})))".format, variable, inside),
    )  # fmt: skip


LITERALS = ("p ?x", "p ?y", "d ?x", "d ?z", "d a", "e ?x ?y", "e ?y ?z", "e ?x b", "= ?x ?y")
BODIES = st.recursive(st.sampled_from([f"({a})" for a in LITERALS] + ["(not (p ?y))", "(not (q ?x ?z))"]), _extend)


@settings(max_examples=100, deadline=None)
@given(BODIES, BODIES, st.sets(st.sampled_from(["(p a)", "(p b)", "(p c)", "(q a b)", "(q b b)", "(q c a)"])))
def test_the_same_is_derived(body: str, other: str, facts: set[str]) -> None:
    domain = f"""(define (domain d) (:types t u s) (:constants a - t b - u c - s)
      (:predicates (p ?x) (q ?x ?y) (d ?x) (e ?x ?y))
      (:action act :parameters (?x ?y) :effect (and (p ?x) (q ?x ?y)))
      (:derived (d ?x) (exists (?y ?z) {body})) (:derived (d ?x - t) (and (p ?x) (e ?x ?x)))
      (:derived (e ?x ?y - (either t u)) (forall (?z - object) {other})) (:derived (e ?x ?y) (and (d ?x) (q ?y ?x))))"""
    task = read(domain, "", " ".join(sorted(facts)), "(d b)")
    rewriter = Rewriter(task)
    for axiom in write_out_recursion(task, rewriter.add_axiom):
        recursive = [part for part in list_parts(axiom.body) if isinstance(part, Forall)]
        names = {a.predicate for part in recursive for a in list_parts(part) if isinstance(a, Atom)}
        assert names.isdisjoint(find_peers(task.domain)[axiom.predicate])
    rewriting = Rewriter(task).finish(task.goal.formula)
    before, after = Search(domain, task.source.text), Search(rewriting.domain_text, rewriting.problem_text)
    derived = {atom for atom in after.derive(after.initial) if atom[1] in "de" and atom[2] == " "}
    assert derived == {atom for atom in before.derive(before.initial) if atom[1] in "de" and atom[2] == " "}
