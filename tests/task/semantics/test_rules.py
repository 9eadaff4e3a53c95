from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from skolem.task.constraints.relations_index import RelationsIndex
from skolem.task.formulas import And, Atom, Exists, Formula, Or, Variable
from skolem.task.normal_form import normalize
from skolem.task.semantics.rules import Rule, apply_rules

X, Y, Z = (Variable(name) for name in ("?x", "?y", "?z"))
OBJECTS = 4


def edge(a: Variable, b: Variable) -> Atom:
    return Atom("edge", (a, b))


def reach(a: Variable, b: Variable) -> Atom:
    return Atom("reach", (a, b))


def make_rule(body: Formula) -> Rule:
    part, _ = normalize(Exists((X, Y), body), {})
    return Rule(part, 2, (("reach", (~0, ~1)),))


WAYS = {
    "left": (edge(X, Y), Exists((Z,), And((edge(X, Z), reach(Z, Y))))),
    "right": (edge(X, Y), Exists((Z,), And((reach(X, Z), edge(Z, Y))))),
    "both": (edge(X, Y), Exists((Z,), And((reach(X, Z), reach(Z, Y))))),
    "one": (Or((edge(X, Y), Exists((Z,), And((reach(X, Z), edge(Z, Y)))))),),
}


@settings(deadline=None)
@given(st.sets(st.tuples(*[st.integers(0, OBJECTS - 1)] * 2)), st.sampled_from(sorted(WAYS)))
def test_rules_are_applied_until_nothing_follows(edges: set[tuple[int, int]], way: str) -> None:
    closed = set(edges)
    for middle, first, last in product(range(OBJECTS), repeat=3):
        if (first, middle) in closed and (middle, last) in closed:
            closed.add((first, last))
    tuples: dict[str, set[tuple[int, ...]]] = {"edge": set(edges), "reach": set()}
    rules = [make_rule(body) for body in WAYS[way]]
    applied = apply_rules(rules, tuples, RelationsIndex({}, OBJECTS), {"edge": 2, "reach": 2})
    assert tuples["reach"] == closed
    assert set().union(*applied) == closed
    assert all(len(set(found)) == len(found) for found in applied)
