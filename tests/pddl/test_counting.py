"""Counts in goals mean what the package bddl evaluates: rows and columns of a table of truth values."""

from itertools import product
from random import Random

import pytest
from tools.goal_meaning import State, holds

from skolem.pddl.reading import read_task_text
from skolem.pddl.writing import format_formula
from skolem.support.errors import InputError, UnsupportedError
from skolem.task.formulas import Exists, list_parts
from skolem.task.model import Source, Task

DOMAIN = """(define (domain d) (:types a b c - object)
  (:predicates (p ?x) (r ?x ?y)) (:action act :parameters (?x ?y) :effect (and (p ?x) (r ?x ?y))))"""


def read(goal: str, a: int = 3, b: int = 2, domain: str = DOMAIN) -> Task:
    """A task with the objects o0, o1, ..., first those of type a, then those of type b."""
    names = [f"o{i}" for i in range(a + b)]
    objects = f"{' '.join(names[:a])} - a {' '.join(names[a:])} - b"
    problem = f"(define (problem p) (:domain d) (:objects {objects}) (:init) (:goal {goal}))"
    return read_task_text(Source("domain.pddl", domain), Source("problem.pddl", problem))


def draw_state(rng: Random, a: int, b: int) -> State:
    objects, density = range(a + b), rng.random()
    return {
        "p": frozenset((o,) for o in objects if rng.random() < density),
        "r": frozenset(pair for pair in product(objects, repeat=2) if rng.random() < density),
        "type:a": frozenset((o,) for o in range(a)),
        "type:b": frozenset((o,) for o in range(a, a + b)),
    }


def count_pairs(rows: range, columns: range, state: State) -> tuple[int, int, int]:
    """The rows and the columns with a true pair, and the lesser number of both; an object is no partner of itself."""
    table = [[(x, y) in state["r"] for y in columns if y != x] for x in rows]
    width = len(table[0])
    return sum(map(any, table)), sum(map(any, zip(*table, strict=True))), min(len(table), width)


@pytest.mark.parametrize("seed", range(60))
def test_counts_mean_what_bddl_evaluates(seed: int) -> None:
    rng = Random(seed)
    a, b, n = rng.randint(1, 4), rng.randint(1, 4), rng.randint(0, 4)
    first, second = rng.choice("ab"), rng.choice("ab")
    ranges = {"a": range(a), "b": range(a, a + b)}
    pairs = f"(?x - {first}) (?y - {second}) (r ?x ?y)"
    goals = [f"(exists-n {n} (?x - {first}) (p ?x))", f"(forn ({n}) (?x - {first}) (p ?x))"]
    goals += [f"(fornpairs ({n}) {pairs})", f"(forpairs {pairs})"]
    formulas = [read(goal, a, b).goal.formula for goal in goals]
    for _ in range(5):
        state = draw_state(rng, a, b)
        number = sum((o,) in state["p"] for o in ranges[first])
        rows, columns, least = count_pairs(ranges[first], ranges[second], state)
        expected = [number >= n, number == n, min(rows, columns) >= n, min(rows, columns) >= least]
        assert [holds(formula, state, {}) for formula in formulas] == expected


def test_at_least_so_many_are_variables_that_differ() -> None:
    task = read("(exists-n 2 (?x - a) (p ?x))")
    written = "(exists (?x - a ?x@2 - a) (and (p ?x) (p ?x@2) (not (= ?x ?x@2))))"
    assert format_formula(task.goal.formula) == written
    assert task.goal.outside is None


def test_variables_inside_a_count_have_names_of_their_own() -> None:
    formula = read("(exists-n 2 (?x - a) (exists (?y) (r ?x ?y)))").goal.formula
    names = [v.name for part in list_parts(formula) if isinstance(part, Exists) for v in part.variables]
    assert len(set(names)) == len(names) == 4


def test_more_than_there_are_is_never_true() -> None:
    assert format_formula(read("(exists-n 1000000 (?x) (p ?x))").goal.formula) == "(or)"


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ("(forn (?x - a) (p ?x))", "'forn' with 2 parts, expected '(forn (N) (?x - TYPE) CONDITION)'"),
        ("(forn (some) (?x - a) (p ?x))", "no number after 'forn'"),
        ("(forpairs (?x ?y - a) (?z - b) (r ?x ?z))", "several variables in one list"),
        ("(forpairs (?x - a) (?y) (r ?x ?y))", "share some objects"),
    ],
)
def test_mistakes_in_counts_are_told(goal: str, message: str) -> None:
    with pytest.raises((InputError, UnsupportedError)) as error:
        read(goal)
    assert message in str(error.value)


def test_counts_stand_in_goals_only() -> None:
    domain = DOMAIN.replace(":effect", ":precondition (exists-n 2 (?z) (p ?z)) :effect")
    with pytest.raises(UnsupportedError, match="outside a goal"):
        read("(p o0)", domain=domain)


def test_a_predicate_may_have_the_name_of_a_count() -> None:
    task = read("(forn o0)", domain=DOMAIN.replace("(p ?x)", "(p ?x) (forn ?x)", 1))
    assert [atom.predicate for atom in task.goal.atoms] == ["forn"]
