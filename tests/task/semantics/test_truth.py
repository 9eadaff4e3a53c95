from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.task.random_structures import relations
from tests.task.test_satisfaction import ARITIES, formulas, holds

from skolem.task.constraints.relations_index import RelationsIndex
from skolem.task.formulas import Exists, Formula, Variable
from skolem.task.model import make_relation
from skolem.task.normal_form import normalize
from skolem.task.query import Relations
from skolem.task.semantics.facts import Facts, unite_types
from skolem.task.semantics.truth import Evaluator

PARAMETERS = (Variable("?p"), Variable("?q", ("a", "b")))


@st.composite
def open_formulas(draw: st.DrawFn) -> tuple[Formula, Relations, int]:
    objects = draw(st.integers(1, 3))
    return draw(formulas(objects, [0], PARAMETERS, 3)), draw(relations(ARITIES, objects)), objects


@settings(max_examples=300, deadline=None)
@given(open_formulas(), st.booleans())
def test_bindings_are_those_with_which_the_textbook_says_true(
    case: tuple[Formula, Relations, int], bound: bool
) -> None:
    formula, state, objects = case
    part, variables = normalize(Exists(PARAMETERS, formula), {f"o{i}": i for i in range(objects)})
    structure = RelationsIndex({**state, **unite_types(variables, state)}, objects)
    typed = [o for o in range(objects) if [o] in [*state["type:a"].tolist(), *state["type:b"].tolist()]]
    expected = [(p, q) for p, q in product(range(objects), typed) if holds(formula, state, objects, {"?p": p, "?q": q})]
    evaluator = Evaluator(structure)
    if bound:
        found = [(p, *q) for p in range(objects) for q in evaluator.list_bindings(part, [1], {0: p})]
    else:
        found = evaluator.list_bindings(part, [0, 1], {})
    assert found == expected
    for pair in product(range(objects), repeat=2):
        assert (evaluator.find(part, dict(enumerate(pair))) is not None) == (pair in expected)


def test_facts_of_a_state_beside_those_that_never_change() -> None:
    statics = RelationsIndex({"red": make_relation([(0,), (2,)], 1)}, 3)
    facts = Facts(statics, {"on": {(2, 0), (0, 1)}, "free": set()}, {"on": 2, "free": 0})
    assert sorted(facts) == ["free", "on", "red"]
    assert facts["on"].tolist() == [[0, 1], [2, 0]]
    assert facts["free"].shape == (0, 0)
    assert facts.contains("on", (2, 0))
    assert not facts.contains("red", (1,))
    assert not facts.contains("free", ())
    assert facts.select("on", (~0, 0)) == 1 << 2
    assert facts.select("red", (~0,)) is statics.select("red", (~0,))
