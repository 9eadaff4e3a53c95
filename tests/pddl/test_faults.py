"""All mistakes of a file at once, each with its place; slips whose meaning is clear are warnings."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.task.household import DOMAIN, PROBLEM, house, sources

from skolem.pddl.faults import MOST_ERRORS
from skolem.pddl.reading import read_task_text
from skolem.support.errors import ExitCode, InputError, SkolemError, UnsupportedError
from skolem.task.model import Source, Task


def read(domain: str = DOMAIN, problem: str = PROBLEM.replace("GOAL", "(quiet)")) -> Task:
    return read_task_text(Source("house.pddl", domain), Source("evening.pddl", problem))


def fail(domain: str = DOMAIN, problem: str = PROBLEM.replace("GOAL", "(quiet)")) -> SkolemError:
    with pytest.raises(SkolemError) as caught:
        read(domain, problem)
    return caught.value


def list_messages(error: SkolemError) -> list[str]:
    return [each.message for each in (error, *error.others)]


def change(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def test_every_error_has_its_line_and_its_caret() -> None:
    problem = change(PROBLEM, ("GOAL", "(and (claen cup1) (at cup1))"), ("(robot hall)", "(robot cup1)"))
    error = fail(problem=problem)
    assert isinstance(error, InputError)
    assert str(error).splitlines() == [
        "evening.pddl:4:17: 'cup1' is of type cup, expected room",
        "    (:init (robot cup1) (door hall kitchen) ; one way in",
        "                  ^",
        "evening.pddl:8:16: unknown predicate 'claen', expected 'clean'",
        "    (:goal (and (claen cup1) (at cup1))) ; what we want",
        "                 ^",
        "evening.pddl:8:28: 'at' with 1 argument, expected 2",
        "    (:goal (and (claen cup1) (at cup1))) ; what we want",
        "                             ^",
    ]


def test_a_broken_section_or_action_does_not_hide_the_next() -> None:
    domain = change(
        DOMAIN,
        (":strips", ":stripes"),
        ("(quiet)", "(quiet ?x - den)"),
        ("(handy ?t - thing) (exists", "(handi ?t - thing) (exists"),
        ("(or (door ?a ?b)", "(or (dor ?a ?b)"),
        ("(and (clean ?t) (increase", "(and (clean) (increase"),
        (":action rest :effect", ":action rest :effects"),
    )
    error = fail(domain)
    expected = [
        "unknown requirement ':stripes', expected ':strips'",
        "unknown type 'den', expected a declared type",
        "unknown predicate 'handi', expected 'handy'",
        "unknown predicate 'dor', expected 'door'",
        "'clean' with 0 arguments, expected 1",
        "':effects' found, expected ':effect'",
    ]
    assert list_messages(error) == expected


def test_every_declaration_fact_and_part_of_a_goal_is_looked_at() -> None:
    problem = change(
        PROBLEM,
        ("Hall attic - room", "Hall ?attic - romo"),
        ("lamp)", "lamp lamp)"),
        ("(at cup1 hall)", "(at cup1 hal) (at)"),
        ("(= (far hall attic) 1)", "(= (far hall cup1) x) (= far 1)"),
        ("GOAL", "(and (exists (?t ?t - cups) (clean ?t)) (not) quiet (forall (?r - room) (robot ?q)))"),
    )
    assert list_messages(fail(problem=problem)) == [
        "unknown type 'romo', expected 'room'",
        "'?attic' found, expected the name of an object",
        "'lamp' is declared twice, expected a new name",
        "unknown object 'attic', expected a declared object or constant",
        "unknown object 'hal', expected 'hall'",
        "'at' with 0 arguments, expected 2",
        "'cup1' is of type cup, expected room",
        "'=' in the initial state, expected '(= (function object ...) NUMBER)'",
        "unknown type 'cups', expected 'cup'",
        "the variable '?t' stands twice in one list, expected once",
        "'not' with 0 parts, expected '(not CONDITION)'",
        "'quiet' found, expected a condition such as '(and ...)' or '(predicate ...)'",
        "the variable '?q' is free, expected '?r'",
    ]


def test_a_name_that_is_not_declared_is_reported_once() -> None:
    facts = " ".join(["(robto hall) (robot hal) (door hal hall)"] * 30)
    assert list_messages(fail(problem=change(PROBLEM, ("GOAL", "(robto hal)"), ("(robot hall)", facts)))) == [
        "unknown predicate 'robto', expected 'robot'",
        "unknown object 'hal', expected 'hall'",
    ]


def test_twenty_errors_are_enough() -> None:
    facts = " ".join(f"(robot room{i})" for i in range(10_000))
    error = fail(problem=change(PROBLEM, ("GOAL", "(quiet)"), ("(robot hall)", facts)))
    assert len(list_messages(error)) == MOST_ERRORS
    assert len({each.message for each in error.others}) == MOST_ERRORS - 1


def test_the_first_error_decides_the_exit_code() -> None:
    numeric = (":strips", ":numeric-fluents")
    error = fail(change(DOMAIN, numeric, ("(quiet))", "(quiet) (quiet))")))
    assert (type(error), error.exit_code) == (UnsupportedError, ExitCode.UNSUPPORTED)
    assert [type(other) for other in error.others] == [InputError]


@pytest.mark.parametrize(
    ("old", "new", "messages"),
    [
        ("(:goal (quiet))", "(:gaol (quiet))", ["':gaol' found, expected ':goal'"]),
        ("(:domain house)", "(:domain flat) extra", ["'extra' found, expected a section such as '(:init ...)'",
         "the problem is for the domain 'flat', expected 'house' of house.pddl"]),
        ("(:goal (quiet))", "(:metric) (:init) (:goal (quiet))", ["a second ':init' section, expected one",
         "a second ':metric' section, expected one", "':goal' after ':metric', expected it before",
         "this metric is not supported, expected '(:metric minimize (total-cost))'"]),
    ],
)  # fmt: skip
def test_one_mistake_in_a_section_makes_no_others(old: str, new: str, messages: list[str]) -> None:
    assert list_messages(fail(problem=change(PROBLEM, ("GOAL", "(quiet)"), (old, new)))) == messages


SLIPS: Sequence[tuple[str, str, str]] = [
    ("(robot ?r) (= ?r kitchen)", "(robot ?r) (= ?r sink)", "unknown object 'sink', expected 'kitchen' or a declaration"
     " in ':constants'"),
    ("(:constants Kitchen - room)", "", "unknown object 'kitchen', expected a declaration in ':constants'"),
    ("(robot ?r) (= ?r kitchen)", "(far ?r kitchen)", "'far' is a function, expected a predicate"),
    ("(robot ?r) (= ?r kitchen)", "(= (far ?r ?r) 3)", "conditions on the function 'far' are not supported"),
    ("(robot ?r) (= ?r kitchen)", "(> (far ?r ?r) 3)", "numeric conditions are not supported"),
    ("(far ?a ?b - room) - number", "(place ?t) - room", "functions of type 'room' are not supported"),
    ("(?a ?b - room)\n", "(?a ?b - (either))\n", "a list as a type, expected a type or '(either TYPE ...)'"),
    ("(:functions", "(:sorts) (:functions", "':sorts' found, expected :requirements or :types or"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), SLIPS)
def test_common_slips_are_named(old: str, new: str, message: str) -> None:
    assert message in list_messages(fail(change(DOMAIN, (old, new))))[0]


def test_a_comma_is_taken_for_a_space() -> None:
    domain, problem = sources("(exists (?x, ?y - cup) (and (clean ?x) (at ?y,hall)))")
    task = read_task_text(domain, problem)
    assert [v.name for v in task.goal.variables] == ["?x", "?y"]
    assert task.warnings == ("evening.pddl:8:21: ',' has no meaning in PDDL, taken for a space (and 1 more)",)


def test_warnings_of_both_files() -> None:
    domain = change(DOMAIN, ("(?a ?b - room)\n", "(?a, ?b - room)\n"))
    problem = change(PROBLEM, ("GOAL", "(quiet)"), ("(:goal", "(:bounds (number 0 7)) (:length (:serial 3)) (:goal"),
                     ("lamp)", "lamp kitchen - room)"))  # fmt: skip
    task = read(domain, problem)
    assert task.domain.warnings == task.warnings[:1]
    assert task.warnings == (
        "house.pddl:10:30: ',' has no meaning in PDDL, taken for a space",
        "evening.pddl:8:3: ':bounds' has no meaning for a classical planner, left out",
        "evening.pddl:8:26: ':length' has no meaning for a classical planner, left out",
        "evening.pddl:3:78: 'kitchen' is a constant of the domain already, taken for the same object",
    )
    assert task.objects == house().objects


def test_fluents_are_taken_for_costs() -> None:
    task = read(change(DOMAIN, (":strips", ":strips :fluents")))
    assert task.warnings == (
        "house.pddl:3:26: ':fluents' is taken for ':action-costs', no other functions are supported",
    )
    numeric = change(DOMAIN, (":strips", ":fluents"), (":effect (quiet)", ":effect (assign (far kitchen kitchen) 1)"))
    assert "numeric effects other than on an action's total cost are not supported" in fail(numeric).message


def test_types_may_be_declared_again() -> None:
    domain = change(
        DOMAIN, ("room thing - object cup plate - thing", "cup plate - thing thing room - object cup - object")
    )
    task = read(domain)
    assert task.domain.supertypes == house().domain.supertypes
    assert task.warnings == ()


def test_requirements_may_be_missing_and_space_may_be_anything() -> None:
    domain, problem = sources("(quiet)")
    bare = replace(domain, text=change(domain.text, ("(:requirements :strips)", "")).replace(" ", "\t"))
    task = read_task_text(bare, replace(problem, text=problem.text.replace("\n", "\r\n\f")))
    assert (task.warnings, task.objects) == ((), house().objects)
