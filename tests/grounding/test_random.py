from collections import Counter
from itertools import islice

import numpy as np
import pytest

from skolem.grounding.protocol import Grounder
from skolem.grounding.random import RandomGrounder, RandomValidGrounder
from skolem.support.errors import UnsupportedError
from skolem.task.formulas import And, Atom, Exists, Or, Variable
from skolem.task.model import Domain, Goal, Source, Task

X, Y = Variable("?x"), Variable("?y")


def make_task(
    goal: Goal, red: tuple[int, ...] = (0, 1, 2), objects: tuple[str, ...] = ("a", "b", "c", "d"), text: str = ""
) -> Task:
    """A task over a few blocks, some of them red."""
    source = Source("blocks.pddl", text)
    domain = Domain("blocks", source, {}, {}, frozenset({"red"}), frozenset(), {})
    init = {"red": np.array(red, dtype=np.int32).reshape(-1, 1), "on": np.zeros((0, 2), dtype=np.int32)}
    return Task(domain, "few", source, objects, {}, init, goal, (0, 0))


def red_tower() -> Goal:
    """A red block on another red block."""
    atoms = (Atom("red", (X,)), Atom("red", (Y,)), Atom("on", (X, Y)))
    return Goal(Exists((X, Y), And(atoms)), (X, Y), atoms, inequalities=((X, Y),))


@pytest.mark.parametrize("make", [RandomGrounder, RandomValidGrounder])
def test_a_seed_and_a_task_give_one_sequence(make: type[RandomGrounder] | type[RandomValidGrounder]) -> None:
    task = make_task(red_tower())
    again = [[g.binding for g in make(3).groundings(task)] for _ in range(2)]
    assert again[0] == again[1]
    assert make(3).ground(task).binding == again[0][0]
    others = [[g.binding for g in make(seed).groundings(task)] for seed in range(10)]
    elsewhere = [g.binding for g in make(3).groundings(make_task(red_tower(), text="another problem"))]
    assert any(other != again[0] for other in others)
    assert elsewhere != again[0]


def test_random_takes_any_object_once_in_every_combination() -> None:
    bindings = [g.binding for g in RandomGrounder(0).groundings(make_task(red_tower()))]
    assert len(bindings) == 16
    assert {(b["?x"], b["?y"]) for b in bindings if b} == {(x, y) for x in "abcd" for y in "abcd"}


def test_random_valid_gives_every_valid_binding_once() -> None:
    groundings = list(RandomValidGrounder(0).groundings(make_task(red_tower())))
    pairs = [(g.binding["?x"], g.binding["?y"]) for g in groundings if g.binding]
    assert sorted(pairs) == [(x, y) for x in "abc" for y in "abc" if x != y]
    assert all(
        (g.status, g.route, g.predicted_cost, g.trace) == ("grounded", "random-valid", None, ()) for g in groundings
    )


def test_valid_bindings_that_draws_miss_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skolem.grounding.random._MOST_REPEATS", 1)
    pairs = Counter(
        tuple(g.binding.values()) for g in RandomValidGrounder(0).groundings(make_task(red_tower())) if g.binding
    )
    assert len(pairs) == 6
    assert set(pairs.values()) == {1}


@pytest.mark.parametrize("make", [RandomGrounder, RandomValidGrounder])
def test_first_bindings_are_spread_evenly(make: type[RandomGrounder] | type[RandomValidGrounder]) -> None:
    task = make_task(red_tower())
    possible = len(list(make(0).groundings(task)))
    first = Counter(str(make(seed).ground(task).binding) for seed in range(100 * possible))
    assert len(first) == possible
    assert all(50 < times < 150 for times in first.values())


def test_no_valid_binding_is_a_proof_of_unsolvability() -> None:
    grounding = RandomValidGrounder(0).ground(make_task(red_tower(), red=(2,)))
    assert (grounding.status, grounding.binding) == ("unsolvable", None)
    empty = RandomGrounder(0).ground(make_task(red_tower(), objects=()))
    assert (empty.status, empty.binding) == ("unsolvable", None)


@pytest.mark.parametrize("grounder", [RandomGrounder(1), RandomValidGrounder(1)])
def test_a_goal_without_variables_has_the_empty_binding(grounder: Grounder) -> None:
    atom = Atom("on", ("a", "b"))
    assert [g.binding for g in grounder.groundings(make_task(Goal(atom, (), (atom,))))] == [{}]


@pytest.mark.parametrize("grounder", [RandomGrounder(1), RandomValidGrounder(1)])
def test_goals_outside_the_fragment_are_refused(grounder: Grounder) -> None:
    goal = Goal(Or((Atom("red", ("a",)), Atom("red", ("b",)))), outside="it has a disjunction")
    with pytest.raises(UnsupportedError, match=f"{grounder.name} grounder .* it has a disjunction"):
        grounder.ground(make_task(goal))


def test_many_combinations_are_not_listed_first() -> None:
    variables = tuple(Variable(f"?v{i}") for i in range(20))
    goal = Goal(Exists(variables, And(())), variables)
    task = make_task(goal, objects=tuple(f"o{i}" for i in range(100)))
    assert len(list(islice(RandomGrounder(0).groundings(task), 5))) == 5
    assert len(list(islice(RandomValidGrounder(0).groundings(task), 5))) == 5
