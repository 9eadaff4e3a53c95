import pytest
from tests.task.household import house

from skolem.pddl.reading import read_task_text
from skolem.pddl.writing import format_formula
from skolem.task.formulas import And, Atom, Exists, Not, Or
from skolem.task.model import Source, Task


def bare(goal: str) -> Task:
    """A task of one object with this goal."""
    domain = "(define (domain d) (:predicates (p ?x) (q ?x ?y)) (:action a :parameters (?x) :effect (p ?x)))"
    problem = f"(define (problem p) (:domain d) (:objects o) (:init) (:goal {goal}))"
    return read_task_text(Source("d", domain), Source("p", problem))


def test_nested_quantifiers_are_collected() -> None:
    goal = house("(and (quiet) (exists (?t - cup) (and (clean ?t) (exists (?r) (at ?t ?r)))))").goal
    assert [v.name for v in goal.variables] == ["?t", "?r"]
    assert [a.predicate for a in goal.atoms] == ["quiet", "clean", "at"]
    assert goal.outside is None


def test_equalities_and_inequalities() -> None:
    goal = house("(exists (?a ?b - cup) (and (not (= ?a ?b)) (= ?a cup1)))").goal
    a, b = goal.variables
    assert goal.inequalities == ((a, b),)
    assert goal.equalities == ((a, "cup1"),)


def test_a_reused_name_gets_a_number() -> None:
    goal = bare("(and (exists (?x) (and (p ?x) (exists (?x) (p ?x)) (q ?x o))) (exists (?x ?x@2) (q ?x ?x@2)))").goal
    assert [v.name for v in goal.variables] == ["?x", "?x@2", "?x@3", "?x@2@2"]
    first, second, third, fourth = goal.variables
    assert [a.terms for a in goal.atoms] == [(first,), (second,), (first, "o"), (third, fourth)]


def test_goals_without_variables() -> None:
    assert bare("(p o)").goal.atoms == (Atom("p", ("o",)),)
    assert bare("(and)").goal.atoms == ()
    assert bare("(and)").goal.outside is None


@pytest.mark.parametrize(
    ("goal", "reason"),
    [
        ("(or (quiet) (robot hall))", "a disjunction"),
        ("(imply (quiet) (robot hall))", "a disjunction"),
        ("(or)", "a disjunction"),
        ("(forall (?t - cup) (clean ?t))", "a universal quantifier"),
        ("(exists (?t - cup) (not (clean ?t)))", "the negated atom '(not (clean ...))'"),
        ("(not (door hall attic))", "the negated atom '(not (door ...))'"),
        ("(not (exists (?t - cup) (clean ?t)))", "a negated formula"),
        ("(exists (?t - cup) (handy ?t))", "the derived predicate 'handy'"),
        ("(or (exists (?t - cup) (clean ?t)) (quiet))", "a disjunction"),
    ],
)
def test_goals_outside_the_fragment_say_why(goal: str, reason: str) -> None:
    found = house(goal).goal
    assert found.outside == reason
    assert (found.variables, found.atoms, found.equalities, found.inequalities) == ((), (), (), ())


def test_formulas_are_simplified_where_nothing_is_lost() -> None:
    assert format_formula(bare("(and (and (p o)) (and (q o o) (and)))").goal.formula) == "(and (p o) (q o o))"
    assert format_formula(bare("(not (not (p o)))").goal.formula) == "(p o)"
    assert format_formula(bare("(or (or (p o) (q o o)) (or))").goal.formula) == "(or (p o) (q o o))"
    assert format_formula(bare("(imply (p o) (or (p o) (q o o)))").goal.formula) == "(or (not (p o)) (p o) (q o o))"
    assert isinstance(bare("(imply (not (p o)) (p o))").goal.formula, Or)


@pytest.mark.parametrize(
    ("opening", "closing", "outside"),
    [
        ("(and ", ")", None),
        ("(and (p o) ", ")", None),
        ("(exists (?x) (and (p ?x) ", "))", None),
        ("(not ", ")", None),
        ("(or (p o) (and (p o) ", "))", "a disjunction"),
        ("(forall (?x) ", ")", "a universal quantifier"),
        ("(imply (p o) ", ")", "a disjunction"),
        ("(imply ", " (p o))", "a disjunction"),
    ],
)
def test_deep_goals(opening: str, closing: str, outside: str | None) -> None:
    depth = 3_000
    task = bare(opening * depth + "(p o)" + closing * depth)
    assert task.goal.outside == outside
    written = format_formula(task.goal.formula)
    same = format_formula(bare(written).goal.formula) == written
    assert same


def test_compound_formulas_have_parts() -> None:
    formula = bare("(exists (?x) (and (p ?x) (not (= ?x o))))").goal.formula
    assert isinstance(formula, Exists)
    assert isinstance(formula.body, And)
    assert isinstance(formula.body.parts[1], Not)


def test_a_hundred_thousand_nested_quantifiers() -> None:
    depth = 100_000
    task = bare("(exists (?x) " * depth + "(p ?x)" + ")" * depth)
    assert len(task.goal.variables) == depth
    assert task.goal.atoms == (Atom("p", (task.goal.variables[-1],)),)
