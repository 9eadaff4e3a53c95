"""Mistakes in PDDL files: one line with the user's file, line and column, what is wrong and what was expected."""

from collections.abc import Sequence

import pytest
from tests.task.household import DOMAIN, PROBLEM, sources

from skolem.pddl.reading import read_task_text
from skolem.support.errors import ExitCode, InputError, SkolemError, UnsupportedError
from skolem.task.model import Source


def fail(domain: str = DOMAIN, problem: str = PROBLEM.replace("GOAL", "(quiet)")) -> SkolemError:
    with pytest.raises(SkolemError) as caught:
        read_task_text(Source("house.pddl", domain), Source("evening.pddl", problem))
    return caught.value


NINE = [
    ("missing parenthesis", "(exists (?t - cup) (clean ?t)", 3, "expected ')'"),
    ("unknown predicate", "(exists (?t - cup) (claen ?t))", 30, "unknown predicate 'claen', expected 'clean'"),
    ("unknown object", "(clean cupp1)", 17, "unknown object 'cupp1', expected 'cup1'"),
    ("unknown type", "(exists (?t - cups) (clean ?t))", 24, "unknown type 'cups', expected 'cup'"),
    ("wrong arity", "(at cup1)", 10, "'at' with 1 argument, expected 2"),
    ("free variable", "(exists (?t - cup) (clean ?s))", 36, "the variable '?s' is free, expected '?t'"),
    ("duplicate variable", "(exists (?t ?t - cup) (clean ?t))", 22, "the variable '?t' stands twice in one list"),
    ("ill-typed argument", "(exists (?r - room) (clean ?r))", 37, "'?r' is of type room, expected thing"),
    ("empty goal form", "()", 10, "the goal is empty, expected a condition"),
]


@pytest.mark.parametrize(("goal", "column", "message"), [case[1:] for case in NINE], ids=[case[0] for case in NINE])
def test_nine_malformed_goals(goal: str, column: int, message: str) -> None:
    # The missing parenthesis shows at the next section, which stands inside of the goal.
    line_number = 9 if "')'" in message else 8
    error = fail(problem=PROBLEM.replace("GOAL", goal))
    assert isinstance(error, InputError)
    assert error.exit_code == ExitCode.INPUT_ERROR
    head, line, caret = str(error).splitlines()
    assert message in head
    assert "expected" in head
    assert head.startswith(f"evening.pddl:{line_number}:{column}: ")
    assert line == "  " + PROBLEM.replace("GOAL", goal).splitlines()[line_number - 1]
    assert caret == " " * (column + 1) + "^"


MORE_GOALS = [
    ("(clean kitchen)", "'kitchen' is of type room, expected thing"),
    ("(at cup1 hall attic)", "'at' with 3 arguments, expected 2"),
    ("(clean (cup1))", "'(' found, expected the name of an object"),
    ("quiet", "'quiet' found, expected a condition"),
    ("(quiet) (quiet)", "a second condition in the goal"),
    ("(and quiet)", "'quiet' found, expected a condition"),
    ("(and ())", "'()' found, expected a condition"),
    ("((quiet))", "'(' found, expected 'and'"),
    ("(not)", "'not' with 0 parts, expected '(not CONDITION)'"),
    ("(exists (?t) (quiet) (quiet))", "'exists' with 3 parts, expected '(exists"),
    ("(exists ?t (quiet))", "'?t' found, expected a list of variables"),
    ("(exists-n 1 () (quiet))", "'exists-n' with no variables, expected '(exists-n N"),
    ("(exists (t) (quiet))", "'t' found, expected a variable"),
    ("(exists ((?t)) (quiet))", "'(' found, expected a variable"),
    ("(exists (?t -) (quiet))", "'-' at the end of the list, expected a type"),
    ("(exists (- cup) (quiet))", "'-' without names before it, expected a name"),
    ("(exists (?t - (cup)) (quiet))", "a list as a type, expected a type or '(either"),
    ("(exists (?t - (either)) (quiet))", "a list as a type, expected a type or '(either"),
    ("(exists (?t - (either cup jug)) (quiet))", "unknown type 'jug', expected"),
    ("(exists (?t - ?u) (quiet))", "'?u' found, expected the name of a type"),
    ("(= cup1)", "'=' with 1 argument, expected 2"),
    ("(frobnicate)", "unknown predicate 'frobnicate', expected a declared predicate"),
    ("(clean zzzz)", "unknown object 'zzzz', expected a declared object"),
    ("(clean ?zzzz)", "the variable '?zzzz' is free, expected a variable of an enclosing"),
]


@pytest.mark.parametrize(("goal", "message"), MORE_GOALS)
def test_more_malformed_goals(goal: str, message: str) -> None:
    error = fail(problem=PROBLEM.replace("GOAL", goal))
    assert isinstance(error, InputError)
    assert message in str(error).splitlines()[0]
    assert str(error).startswith("evening.pddl:8:")


@pytest.mark.parametrize(
    "goal",
    ["(> (far hall attic) 3)", "(= (total-cost) 3)", "(= hall 3)", "(preference p (quiet))", "(always (quiet))"],
)
def test_goals_that_no_classical_planner_takes(goal: str) -> None:
    error = fail(problem=PROBLEM.replace("GOAL", goal))
    assert isinstance(error, UnsupportedError)
    assert error.exit_code == ExitCode.UNSUPPORTED
    assert str(error).startswith("evening.pddl:8:")


PROBLEMS = [
    ("(robot hall)", "(robto hall)", "4:11: unknown predicate 'robto', expected 'robot'"),
    ("(robot hall)", "(robot hal)", "4:17: unknown object 'hal', expected 'hall'"),
    ("(robot hall)", "(robot cup1)", "4:17: 'cup1' is of type cup, expected room"),
    ("(robot hall)", "(robot)", "4:10: 'robot' with 0 arguments, expected 1"),
    ("(robot hall)", "(robot ?x)", "4:17: unknown object '?x'"),
    ("(robot hall)", "(handy cup1)", "4:10: 'handy' is derived by an axiom"),
    ("(robot hall)", "robot", "4:10: 'robot' found, expected a fact"),
    ("(robot hall)", "()", "4:10: '()' or a list of lists found, expected a fact"),
    ("(robot hall)", "(robot hall) (not (robot hall))", "4:23: this fact is both true and false"),
    ("(robot hall)", "(not)", "4:11: unknown predicate 'not'"),
    ("(robot hall)", "(= hall hall)", "4:10: '=' in the initial state, expected '(= (function"),
    ("(robot hall)", "(= (near hall) 3)", "4:13: unknown function 'near', expected"),
    ("(robot hall)", "(= (far hall hall) x)", "4:29: 'x' found, expected a number"),
    ("(robot hall)", "(= (far hall attic) 2)", "a second value for this function"),
    ("(:domain house)", "(:domain flat)", "2:12: the problem is for the domain 'flat', expected 'house'"),
    ("(:domain house)", "(:domain)", "2:3: the problem is for the domain '', expected 'house'"),
    ("(:domain house)", "", "9:34: the problem has no ':domain' section"),
    ("(:goal (quiet))", "", "9:34: the problem has no goal, expected '(:goal ...)'"),
    ("(:goal (quiet))", "(:goal)", "8:3: the goal is empty"),
    ("(:goal (quiet))", "(:goal (quiet)) (:goal (quiet))", "8:19: a second ':goal' section, expected one"),
    ("(:goal (quiet))", "(:gaol (quiet))", "8:3: ':gaol' found, expected ':goal'"),
    ("(:goal (quiet))", "((quiet))", "8:3: a list without a section's name"),
    ("(:goal (quiet))", "goal", "8:3: 'goal' found, expected a section"),
    ("lamp)", "lamp lamp)", "'lamp' is declared twice"),
    ("lamp)", "kitchen)", "'kitchen' is declared as a constant of the domain already"),
    ("lamp)", "(lamp))", "'(' found, expected the name of an object"),
    ("lamp)", "?lamp)", "'?lamp' found, expected the name of an object"),
    ("lamp)", "lamp - lamps)", "unknown type 'lamps'"),
    ("(define (problem evening)", "(define (domain evening)", "expected '(problem NAME)': are the two files swapped?"),
    ("(define (problem evening)", "(define (problem)", "1:9: 'problem' without one name"),
    ("(define (problem evening)", "(define (house)", "1:9: '(house ...)' found, expected '(problem NAME)'"),
    ("(define (problem", "(defines (problem", "1:1: '(defines' found, expected '(define (problem NAME) ...)'"),
]


@pytest.mark.parametrize(("old", "new", "message"), PROBLEMS)
def test_malformed_problems(old: str, new: str, message: str) -> None:
    problem = PROBLEM.replace("GOAL", "(quiet)")
    assert old in problem
    error = fail(problem=problem.replace(old, new, 1))
    assert isinstance(error, InputError)
    assert message in str(error)
    assert str(error).startswith("evening.pddl:")


def test_sections_out_of_order() -> None:
    text = "(define (problem p) (:domain house) (:goal (quiet)) (:init))"
    assert "1:53: ':init' after ':goal', expected it before" in str(fail(problem=text))


def test_an_empty_definition() -> None:
    assert "an empty definition, expected '(define (domain NAME) ...)'" in str(fail(domain="(define)"))


def test_swapped_files() -> None:
    domain, problem = sources("(quiet)")
    assert "are the two files swapped?" in str(fail(problem.text, domain.text))


DOMAINS: Sequence[tuple[str, str, str]] = [
    (":strips", ":stripes", "unknown requirement ':stripes', expected ':strips'"),
    ("room thing - object", "room thing - room", "the type 'room' is its own supertype"),
    ("room thing - object", "number thing - object", "'number' found, expected the name of a type"),
    ("(quiet))", "(quiet) (quiet))", "the predicate 'quiet' is declared twice"),
    ("(quiet))", "(quiet ?x ?y - den))", "unknown type 'den'"),
    ("(quiet))", "(quiet x))", "'x' found, expected a variable such as '?x'"),
    ("(quiet))", "(and))", "'and' has a meaning of its own"),
    ("(quiet))", "quiet)", "'quiet' found, expected '(predicate ?x ...)'"),
    ("(quiet))", "())", "'()' found, expected '(predicate ?x ...)'"),
    (":action rest :effect", ":action rest", "'(' found, expected ':parameters', ':precondition' or ':effect'"),
    (":action rest :effect", ":action", "expected the name of an action"),
    (":action rest :effect (quiet)", ":action", "an action without a name"),
    (":action rest :effect", ":action wash :effect", "the action 'wash' is declared twice"),
    (":action rest :effect", ":action rest :effects", "':effects' found, expected ':effect'"),
    (":action rest :effect (quiet)", ":action rest :effect", "nothing after ':effect'"),
    (":action rest :effect (quiet)", ":action rest :effect (quiet) :precondition (quiet)", "in the wrong place"),
    (":action rest :effect (quiet)", ":action rest :effect (handy cup1)", "unknown object 'cup1'"),
    (":action rest :effect (quiet)", ":action rest :parameters (?t - cup) :effect (handy ?t)", "derived by an axiom"),
    (":action rest :effect (quiet)", ":action rest :effect (or (quiet) (quiet))", "'or' as an effect"),
    (":action rest :effect (quiet)", ":action rest :effect (when (quiet))", "'when' with 1 parts"),
    (":action rest :effect (quiet)", ":action rest :effect (increase (total-cost))", "without its two parts"),
    (":action rest :effect (quiet)", ":action rest :effect (increase (total-cost) one)", "expected a number"),
    ("(:functions (total-cost) - number", "(:functions", "unknown function 'total-cost'"),
    (":derived (handy ?t - thing)", ":derived (handy)", "'handy' with 0 arguments, expected 1"),
    (":derived (handy ?t - thing)", ":derived (handi ?t - thing)", "unknown predicate 'handi', expected 'handy'"),
    (":derived (handy ?t - thing)", ":derived ()", "'()' found, expected '(:derived"),
    (":derived (handy ?t - thing)", ":derived", "':derived' with 1 parts"),
    ("(exists (?r - room) (and (at ?t ?r) (robot ?r)))", "(not (handy ?t))", "depends on its own negation"),
    ("(:action rest", "(:types) (:action rest", "':types' after the actions, expected it before them"),
    ("(:action rest", "(:acton rest", "':acton' found, expected ':action'"),
]


@pytest.mark.parametrize(("old", "new", "message"), DOMAINS)
def test_malformed_domains(old: str, new: str, message: str) -> None:
    assert old in DOMAIN
    error = fail(domain=DOMAIN.replace(old, new, 1))
    assert isinstance(error, InputError)
    assert message in str(error)
    assert str(error).startswith("house.pddl:")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (":strips", ":numeric-fluents"),
        ("(:action rest", "(:durative-action rest"),
        ("(increase (total-cost) 2)", "(increase (far kitchen kitchen) 2)"),
        ("(increase (total-cost) 2)", "(decrease (total-cost) 2)"),
        ("(increase (total-cost) 2)", "(when (quiet) (increase (total-cost) 2))"),
        ("(increase (total-cost) 2)", "(increase (total-cost) 2.5)"),
        ("(far ?a ?b - room) - number", "(far ?a ?b - room) - room"),
        (":effect (quiet)", f":effect {'(and ' * 300}(quiet){')' * 300}"),
    ],
)
def test_domains_that_no_classical_planner_takes(old: str, new: str) -> None:
    assert old in DOMAIN
    error = fail(domain=DOMAIN.replace(old, new, 1))
    assert isinstance(error, UnsupportedError)
    assert str(error).startswith("house.pddl:")


def test_a_metric_without_its_function() -> None:
    domain = "(define (domain d) (:predicates (p)))"
    problem = "(define (problem p) (:domain d) (:init) (:goal (p)) (:metric minimize (total-cost)))"
    assert "1:53: unknown function 'total-cost'" in str(fail(domain, problem))


def test_other_metrics_are_not_supported() -> None:
    problem = PROBLEM.replace("GOAL", "(quiet)").replace("minimize", "maximize")
    assert isinstance(fail(problem=problem), UnsupportedError)


def test_a_supertype_has_the_name_of_a_type() -> None:
    error = fail("(define (domain house) (:types cup - number) (:predicates (quiet)))")
    assert str(error).startswith("house.pddl:1:38: 'number' found, expected the name of a type")
