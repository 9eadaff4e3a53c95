"""Which tasks Fast Downward reads as they are meant."""

import pytest
from tests.adl.independent_search import Search, parse
from tests.adl.plain_text import is_plain

DOMAIN = "(define (domain d) (:types t u) (:predicates (p ?x)) (:action a :parameters (%s) :effect (p ?x)))"
PROBLEM = "(define (problem q) (:domain d) (:objects o - t) (:init) (:goal %s))"


@pytest.mark.parametrize(
    ("parameters", "goal", "plain"),
    [
        ("?x", "(exists (?x - t) (p ?x))", True),
        ("?x - (either t u)", "(p o)", False),
        ("?x", "(exists (?x - (either t u)) (p ?x))", False),
    ],
)
def test_either_is_not_plain(parameters: str, goal: str, plain: bool) -> None:
    assert is_plain(Search(DOMAIN % parameters, PROBLEM % goal)) == plain
    # Random tasks get their goals after their problems were read.
    search = Search(DOMAIN % parameters, PROBLEM % "(and)")
    search.goal = parse(goal)
    assert is_plain(search) == plain
