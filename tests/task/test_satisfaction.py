from collections.abc import Mapping
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.task.random_structures import FLUENT, STATIC, cases, list_solutions, relations

from skolem.task.constraints.relations_index import MOST_PAIRED
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Term, Variable
from skolem.task.model import Domain, Goal, Source, Task, type_relation
from skolem.task.query import Query, Relations
from skolem.task.satisfaction import find_witness, satisfy

ARITIES = STATIC | FLUENT | {"type:b": 1}


def make_task(goal: Goal, state: Relations, objects: int) -> Task:
    """A task of the objects o0, o1, ... with the state as its initial one."""
    source = Source("hand-built.pddl", "")
    domain = Domain("hand-built", source, {}, {}, frozenset(state), frozenset(), {})
    names = tuple(f"o{i}" for i in range(objects))
    return Task(domain, "hand-built", source, names, {}, state, goal, (0, 0))


def check(formula: Formula, state: Relations, objects: int) -> dict[str, str] | None:
    return satisfy(make_task(Goal(formula, outside="not looked at"), state, objects), state)


def rows(*tuples: tuple[int, ...]) -> npt.NDArray[np.int32]:
    return np.array(tuples, dtype=np.int32)


def holds(formula: Formula, state: Relations, objects: int, env: Mapping[str, int]) -> bool:
    """The textbook definition."""

    def value(term: Term) -> int:
        return env[term.name] if isinstance(term, Variable) else int(term[1:])

    def environments(variables: tuple[Variable, ...]) -> list[dict[str, int]]:
        ranges = [
            [
                o
                for o in range(objects)
                if "object" in v.types or any([o] in state[f"type:{t}"].tolist() for t in v.types)
            ]
            for v in variables
        ]
        return [{**env, **dict(zip((v.name for v in variables), c, strict=True))} for c in product(*ranges)]

    match formula:
        case Atom(predicate, terms):
            return predicate in state and [value(t) for t in terms] in state[predicate].tolist()
        case Equal(left, right):
            return value(left) == value(right)
        case Not(body):
            return not holds(body, state, objects, env)
        case And(parts):
            return all(holds(p, state, objects, env) for p in parts)
        case Or(parts):
            return any(holds(p, state, objects, env) for p in parts)
        case Exists(variables, body):
            return any(holds(body, state, objects, e) for e in environments(variables))
        case Forall(variables, body):
            return all(holds(body, state, objects, e) for e in environments(variables))


@st.composite
def formulas(
    draw: st.DrawFn, objects: int, names: list[int], scope: tuple[Variable, ...] = (), depth: int = 4
) -> Formula:
    """Random formulas; `names` counts the variables made so far, since each has a name of its own."""
    constants = [f"o{i}" for i in range(objects)]
    term: st.SearchStrategy[Term] = st.sampled_from([*scope * 3, *constants])
    kind = draw(
        st.sampled_from(["atom", "equal"] if depth == 0 else ["atom", "equal", *["not", "and", "or", "quantify"] * 2])
    )
    if kind == "atom":
        name = draw(st.sampled_from([*sorted(STATIC | FLUENT), "unknown"]))
        return Atom(name, tuple(draw(term) for _ in range(ARITIES.get(name, 1))))
    if kind == "equal":
        return Equal(draw(term), draw(term))
    if kind == "not":
        return Not(draw(formulas(objects, names, scope, depth - 1)))
    if kind in ("and", "or"):
        parts = tuple(draw(formulas(objects, names, scope, depth - 1)) for _ in range(draw(st.integers(0, 3))))
        return And(parts) if kind == "and" else Or(parts)
    variables = []
    for _ in range(draw(st.integers(1, 2))):
        names[0] += 1
        types = draw(st.sampled_from([("object",), ("a",), ("b",), ("a", "b")]))
        variables.append(Variable(f"?x{names[0]}", types))
    body = draw(formulas(objects, names, (*scope, *variables), depth - 1))
    return Exists(tuple(variables), body) if draw(st.booleans()) else Forall(tuple(variables), body)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Formula, Relations, int]:
    objects = draw(st.integers(1, 3))
    return draw(formulas(objects, [0])), draw(relations(ARITIES, objects)), objects


def bind(formula: Formula, witness: Mapping[str, str]) -> Formula:
    """The formula with the witness's variables restricted to their objects."""
    match formula:
        case Not(body):
            return Not(bind(body, witness))
        case And(parts):
            return And(tuple(bind(p, witness) for p in parts))
        case Or(parts):
            return Or(tuple(bind(p, witness) for p in parts))
        case Exists(variables, body):
            fixed = tuple(Equal(v, witness[v.name]) for v in variables if v.name in witness)
            return Exists(variables, And((*fixed, bind(body, witness))))
        case Forall(variables, body):
            excused = tuple(Not(Equal(v, witness[v.name])) for v in variables if v.name in witness)
            return Forall(variables, Or((*excused, bind(body, witness))))
    return formula


@settings(deadline=None)
@given(cases(fluents=True))
def test_there_is_a_witness_exactly_if_brute_force_finds_one(case: tuple[Query, Relations, int]) -> None:
    witness, solutions = find_witness(*case), list_solutions(*case)
    assert witness in solutions if solutions else witness is None


@settings(max_examples=300, deadline=None)
@given(worlds())
def test_formulas_mean_what_the_textbook_says(world: tuple[Formula, Relations, int]) -> None:
    formula, state, objects = world
    witness = check(formula, state, objects)
    assert (witness is not None) == holds(formula, state, objects, {})
    if witness is not None:
        assert holds(bind(formula, witness), state, objects, {})


def test_goals_in_the_fragment_name_their_witness() -> None:
    x, y = Variable("?x", ("a",)), Variable("?x@2")
    atoms = (Atom("on", (x, y)), Atom("on", (y, "o2")))
    goal = Goal(Exists((x, y), And(atoms)), (x, y), atoms, inequalities=((x, y),))
    state = {"on": rows((0, 1), (1, 2)), type_relation(("a",)): rows((0,), (1,))}
    assert satisfy(make_task(goal, state, 3), state) == {"?x": "o0", "?x@2": "o1"}
    assert satisfy(make_task(goal, state, 3), {**state, "on": rows((1, 2))}) is None


def test_static_relations_may_be_left_out_of_a_state() -> None:
    x = Variable("?x", ("a",))
    goal = Goal(Exists((x,), Atom("clear", (x,))), (x,), (Atom("clear", (x,)),))
    task = make_task(goal, {type_relation(("a",)): rows((1,))}, 2)
    assert satisfy(task, {"clear": rows((0,), (1,))}) == {"?x": "o1"}
    assert satisfy(task, {}) is None


def test_relations_that_a_state_lacks_are_empty() -> None:
    assert find_witness(Query(1, (("on", (~0, ~0)),)), {}, 3) is None
    x = Variable("?x")
    assert check(Exists((x,), Not(Atom("on", (x, x)))), {}, 3) == {"?x": "o0"}


def test_only_variables_that_matter_are_in_the_witness() -> None:
    x, y, z = Variable("?x"), Variable("?y"), Variable("?z")
    formula = And((Or((Exists((x,), Atom("red", (x,))), Exists((y,), Atom("clear", (y,))))), Forall((z,), Equal(z, z))))
    assert check(formula, {"red": rows(), "clear": rows((1,))}, 2) == {"?y": "o1"}


def test_a_universal_part_restricts_the_variable_around_it() -> None:
    box, thing = Variable("?box"), Variable("?thing", ("a",))
    formula = Exists((box,), Forall((thing,), Atom("on", (thing, box))))
    state = {"on": rows((0, 3), (1, 3), (0, 2)), "type:a": rows((0,), (1,))}
    assert check(formula, state, 4) == {"?box": "o3"}


def test_six_variables_over_a_hundred_objects() -> None:
    grid = rows(*((i, j) for i in range(100) for j in range(100) if abs(i % 10 - j % 10) + abs(i // 10 - j // 10) == 1))
    differ = tuple((~a, ~b) for a, b in combinations(range(6), 2))
    ring = Query(6, tuple(("next", (~i, ~((i + 1) % 6))) for i in range(6)), unequal=differ)
    witness = find_witness(ring, {"next": grid}, 100)
    assert witness is not None
    assert len(set(witness)) == 6
    # A grid has no rings of odd length.
    odd = Query(6, tuple(("next", (~i, ~((i + 1) % 5))) for i in range(5)), unequal=differ)
    assert find_witness(odd, {"next": grid}, 100) is None


def test_negated_atoms_over_many_objects() -> None:
    count = MOST_PAIRED + 1
    x, y = Variable("?x", ("a",)), Variable("?y", ("a",))
    state = {"on": rows((7, 7), (7, 9), (9, 9)), "type:a": rows((7,), (9,))}
    assert check(Exists((x, y), Not(Atom("on", (x, y)))), state, count) == {"?x": "o9", "?y": "o7"}


@pytest.mark.parametrize("shape", ["not", "and-or", "exists", "exists-or", "forall-exists"])
def test_deep_formulas(shape: str) -> None:
    x = Variable("?x")
    formula: Formula = Atom("red", (x,))
    for i in range(5_000):
        match shape:
            case "not":
                formula = Not(formula)
            case "and-or":
                formula = Or((Atom("clear", (x,)), formula)) if i % 2 else And((Atom("red", (x,)), formula))
            case "exists":
                formula = Exists((Variable(f"?y{i}"),), formula)
            case "exists-or":
                y = Variable(f"?y{i}")
                formula = Exists((y,), And((Atom("red", (y,)), Or((Atom("clear", (y,)), formula)))))
            case "forall-exists":
                formula = (Exists if i % 2 else Forall)((Variable(f"?y{i}"),), formula)
    state = {"red": rows((1,)), "clear": np.zeros((0, 1), dtype=np.int32)}
    witness = check(Exists((x,), formula), state, 2)
    assert witness is not None
    assert witness["?x"] == "o1"
