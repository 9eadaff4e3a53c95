"""Patterns mean what the goal means, and are as small as the rules make them."""

from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.planning.pddl_examples import read

from skolem.planning.goal_pattern import GoalPattern, find_pattern
from skolem.planning.miniscope import order_eliminations
from skolem.planning.symmetry import order_pairs
from skolem.support.errors import UnsupportedError
from skolem.task.model import Task
from skolem.task.satisfaction import satisfy

DOMAIN = """(define (domain d) (:predicates (on ?x ?y) (lit ?x) (red ?x) (near ?x ?y))
  (:action a :parameters (?x ?y) :effect (and (on ?x ?y) (lit ?x))))"""
OBJECTS = "abcd"


def write_facts(predicate: str, rows: set[tuple[str, ...]]) -> str:
    return " ".join(f"({predicate} {' '.join(row)})" for row in sorted(rows))


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    """A random goal and a random initial state over four objects."""
    names = [f"?x{i}" for i in range(draw(st.integers(1, 4)))]
    term = st.sampled_from([*names, *names, "a"])
    unary, binary = st.tuples(term), st.tuples(term, term)
    parts = [write_facts("on", draw(st.sets(binary, max_size=3))), write_facts("lit", draw(st.sets(unary, max_size=3)))]
    parts += [
        write_facts("red", draw(st.sets(unary, max_size=3))),
        write_facts("near", draw(st.sets(binary, max_size=1))),
    ]
    parts += [f"(not (= {v} {w}))" for v, w in draw(st.sets(binary, max_size=5))]
    parts += [f"(= {v} {w})" for v, w in draw(st.sets(binary, max_size=1))]
    one = st.tuples(st.sampled_from(OBJECTS))
    two = st.tuples(st.sampled_from(OBJECTS), st.sampled_from(OBJECTS))
    init = [write_facts("on", draw(st.sets(two, min_size=4, max_size=12))), write_facts("lit", draw(st.sets(one)))]
    init += [write_facts("red", draw(st.sets(one, min_size=1))), write_facts("near", draw(st.sets(two, min_size=4)))]
    goal = f"(exists ({' '.join(names)}) (and {' '.join(parts)}))"
    return read(DOMAIN, " ".join(OBJECTS), " ".join(init), goal)


def has_solution(task: Task, pattern: GoalPattern, ordered: bool = False) -> bool:
    """Whether some binding satisfies the pattern in the initial state, by trying every one."""
    facts = {name: {tuple(row) for row in rows.tolist()} for name, rows in task.init.items()}
    unequal, before = order_pairs(pattern) if ordered else (pattern.unequal, [])
    for objects in product(*(sorted(c) for c in pattern.candidates.values())):
        value = dict(zip(pattern.candidates, objects, strict=True))
        if (
            all(tuple(value.get(t, t) for t in terms) in facts[name] for name, terms in pattern.atoms)
            and all(len({value[v] for v in pair}) == 2 for pair in unequal)
            and all(value[v] < value[w] for v, w in before)
        ):
            return pattern.possible
    return False


@given(tasks())
@settings(max_examples=100, deadline=None)
def test_a_pattern_has_a_solution_where_the_goal_has_one(task: Task) -> None:
    pattern = find_pattern(task)
    expected = satisfy(task, task.init) is not None
    assert has_solution(task, pattern) == expected
    assert has_solution(task, pattern, ordered=True) == expected


@pytest.mark.parametrize(
    ("goal", "variables", "atoms", "pairs"),
    [
        # The same demand twice is one demand, unless the objects must differ.
        ("(exists (?x ?y) (and (red ?x) (lit ?x) (red ?y) (lit ?y)))", 1, 1, 0),
        ("(exists (?x ?y) (and (red ?x) (lit ?x) (red ?y) (lit ?y) (not (= ?x ?y))))", 2, 2, 1),
        # An object that must stand on anything, where something that must stand on a red one is asked for anyway.
        ("(exists (?x ?y ?z) (and (on ?x ?y) (red ?y) (on ?x ?z)))", 2, 1, 0),
        # Only one object is near `d`, and enough objects are red whatever the others are.
        ("(exists (?x) (and (near ?x d) (lit ?x)))", 0, 1, 0),
        ("(exists (?x ?y) (and (red ?x) (lit ?y) (not (= ?x ?y))))", 1, 1, 0),
        ("(exists (?x ?y) (and (= ?x ?y) (on ?x ?y) (not (= ?x a))))", 1, 1, 0),
    ],
)
def test_patterns_are_small(goal: str, variables: int, atoms: int, pairs: int) -> None:
    pattern = find_pattern(read(DOMAIN, "a b c d", "(red a) (red b) (near c d)", goal))
    assert (len(pattern.candidates), len(pattern.atoms), len(pattern.unequal)) == (variables, atoms, pairs)


def test_goals_outside_the_fragment_have_no_pattern() -> None:
    with pytest.raises(UnsupportedError, match="a disjunction"):
        find_pattern(read(DOMAIN, "a b", "", "(or (lit a) (lit b))"))


def test_interchangeable_variables_form_a_chain() -> None:
    names = [f"?x{i}" for i in range(5)]
    parts = [f"(lit {v})" for v in names] + [f"(not (= {v} {w}))" for v in names for w in names if v < w]
    pattern = find_pattern(read(DOMAIN, "a b c d e f", "", f"(exists ({' '.join(names)}) (and {' '.join(parts)}))"))
    unequal, before = order_pairs(pattern)
    assert (unequal, len(before)) == ([], 4)
    assert max(len(step.scope) for step in order_eliminations(pattern)) == 1


def test_a_chain_of_atoms_needs_rules_over_two_variables() -> None:
    names = [f"?x{i}" for i in range(6)]
    parts = [f"(on {v} {w})" for v, w in pairwise(names)]
    pattern = find_pattern(read(DOMAIN, "a b c d", "", f"(exists ({' '.join(names)}) (and {' '.join(parts)}))"))
    assert [len(step.scope) for step in order_eliminations(pattern)] == [1, 1, 1, 1, 1, 0]
