"""Goals in normal form mean what they meant before; what comes out of common ones."""

from dataclasses import replace
from random import Random

import pytest
from tests.task.household import house
from tools.goal_meaning import check, draw_world, holds

from skolem.pddl.writing import format_formula
from skolem.task import alternatives, expansion
from skolem.task.expansion import Expander
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Variable, list_parts
from skolem.task.goal_normal_form import list_alternatives
from skolem.task.goals import ground_goal
from skolem.task.model import Goal
from skolem.task.negation import push_negations


def list_goals(goal: str) -> list[Goal]:
    return [task.goal for task in list_alternatives(house(goal))]


def find_goal(goal: str) -> Goal:
    (found,) = list_goals(goal)
    return found


def write(goal: Goal) -> str:
    return format_formula(goal.formula)


@pytest.mark.parametrize("seed", range(400))
def test_goals_and_their_alternatives_agree_in_every_state(seed: int) -> None:
    assert check(seed) is None


@pytest.mark.parametrize("seed", range(100))
def test_each_step_keeps_the_meaning(seed: int) -> None:
    world = draw_world(Random(seed))
    formula = world.task.goal.formula
    inward = push_negations(formula)
    assert all(isinstance(part.body, Atom | Equal) for part in list_parts(inward) if isinstance(part, Not))
    expanded = Expander(world.task, inward).expand()
    for state in world.states:
        truth = holds(formula, state, {})
        assert holds(inward, state, {}) == truth
        assert holds(expanded, state, {}) == truth


def test_a_goal_that_needs_no_resolving_stays_as_it_is() -> None:
    task = house("(exists (?c - cup) (and (clean ?c) (at ?c hall)))")
    assert list_alternatives(task) == (task,)


def test_some_room_that_holds_every_cup_is_one_variable() -> None:
    goal = find_goal("(exists (?r - room) (forall (?c - cup) (at ?c ?r)))")
    assert [v.name for v in goal.variables] == ["?r"]
    assert len(goal.atoms) == len(house("(quiet)").init["type:cup"])
    assert goal.residual is None


def test_every_cup_in_some_room_is_a_variable_per_cup() -> None:
    goal = find_goal("(forall (?c - cup) (exists (?r - room) (at ?c ?r)))")
    names = [v.name for v in goal.variables]
    assert names == [f"?r@{atom.terms[0]}" for atom in goal.atoms]
    assert goal.outside is None


def test_negated_atoms_stand_beside_the_others() -> None:
    goal = find_goal("(exists (?c - cup) (and (clean ?c) (not (at ?c hall)) (forall (?r - room) (not (robot ?r)))))")
    assert [a.predicate for a in goal.atoms] == ["clean"]
    assert goal.denied[0].predicate == "at"
    assert {a.predicate for a in goal.denied[1:]} == {"robot"}
    assert goal.residual is None


def test_disjunctions_with_variables_are_alternatives() -> None:
    first, second = list_goals("(or (exists (?c - cup) (clean ?c)) (and (quiet) (exists (?c - cup) (at ?c hall))))")
    assert [a.predicate for a in first.atoms] == ["clean"]
    assert [a.predicate for a in second.atoms] == ["quiet", "at"]


def test_disjunctions_without_variables_are_left_to_the_planner() -> None:
    goal = find_goal("(and (exists (?c - cup) (clean ?c)) (or (quiet) (robot hall)))")
    assert isinstance(goal.residual, Or)
    assert [v.name for v in goal.variables] == ["?c"]


def test_what_never_changes_is_decided() -> None:
    assert list_goals("(and (quiet) (forall (?r - room) (not (door hall ?r))))") == []
    goal = find_goal("(or (quiet) (forall (?r - room) (not (door hall ?r))))")
    assert write(goal) == "(and (quiet))"
    assert write(find_goal("(imply (exists (?r - room) (door hall ?r)) (quiet))")) == "(and (quiet))"


def test_at_the_bound_a_universal_quantifier_is_residual(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expansion, "MOST_INSTANCES", 1)
    goal = find_goal("(exists (?c - cup) (and (clean ?c) (forall (?d - cup) (at ?d hall))))")
    assert [v.name for v in goal.variables] == ["?c"]
    assert isinstance(goal.residual, Forall)
    nothing = find_goal("(forall (?d - cup) (at ?d hall))")
    assert nothing.outside == "a universal quantifier over too many objects"


def test_variables_that_only_the_residual_mentions_stay_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expansion, "MOST_INSTANCES", 1)
    goal = find_goal("(exists (?r - room) (and (quiet) (forall (?c - cup) (at ?c ?r))))")
    assert goal.variables == ()
    assert isinstance(goal.residual, Exists)


def test_the_alternatives_beyond_the_bound_stay_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alternatives, "MOST_ALTERNATIVES", 2)
    some = " ".join(f"(exists (?c - cup) (and (at ?c hall) ({word} ?c)))" for word in ("clean", "handy", "clean"))
    first, rest = list_goals(f"(or {some})")
    assert first.residual is None
    assert isinstance(rest.residual, Or)
    assert len(rest.residual.parts) == 2


def test_binding_keeps_the_denied_atoms_and_the_residual() -> None:
    goal = "(exists (?c - cup) (and (clean ?c) (not (at ?c hall)) (or (quiet) (robot hall))))"
    (task,) = list_alternatives(house(goal))
    bound = format_formula(ground_goal(task, {"?c": "cup1"}))
    assert bound == "(and (clean cup1) (not (at cup1 hall)) (or (quiet) (robot hall)))"


def alternate(depth: int) -> Formula:
    """Quantifiers of both kinds in each other, every instance of which shares the rest."""
    formula: Formula = Atom("clear", ("o0",))
    for i in range(depth):
        x, y = Variable(f"?x{i}"), Variable(f"?y{i}")
        formula = Forall((x,), Exists((y,), And((Atom("on", (x, y)), formula))))
    return formula


def test_deep_goals_take_neither_recursion_nor_copies() -> None:
    task = draw_world(Random(1)).task
    depth = 1_000
    (found,) = list_alternatives(replace(task, goal=Goal(alternate(depth), outside="quantifiers")))
    assert len(found.goal.variables) == depth * len(task.objects)
    same: Formula = Atom("clear", ("o0",))
    for _ in range(200):
        same = And((Or((Not(same), Atom("done", ()))), Or((Not(Atom("done", ())), same))))
    (found,) = list_alternatives(replace(task, goal=Goal(same, outside="disjunctions")))
    assert found.goal.residual is not None
