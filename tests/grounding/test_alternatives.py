"""What of a goal is bound and what is left to the planner, and in which order alternatives are bound."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import pytest
from tests.task.household import house
from tools.goal_meaning import CHANGING, draw_world, holds, list_bindings

from skolem.grounding.alternatives import AlternativesGrounder, Bindable, leave_literals, list_bindable
from skolem.grounding.models import MODELS, open_model
from skolem.grounding.protocol import DeadEndError, Grounding
from skolem.pddl.writing import format_formula
from skolem.support.errors import UnsupportedError
from skolem.task.goal_normal_form import list_alternatives
from skolem.task.model import Task


@pytest.mark.parametrize("seed", range(400))
def test_what_is_left_changes_no_meaning(seed: int) -> None:
    rng = Random(seed)
    world = draw_world(rng)
    kinds = [f"{sign}{name}" for name in CHANGING for sign in ("", "not ")]
    left = [leave_literals(task, rng.sample(kinds, rng.randint(0, 4))) for task in list_alternatives(world.task)]
    for state in world.states:
        found = any(next(list_bindings(task.goal, state), None) is not None for task in left)
        assert found == holds(world.task.goal.formula, state, {})


def leave(goal: str, *unseen: str) -> tuple[list[str], str]:
    """The variables that are bound, and the residual, of a goal about a house."""
    (alternative,) = list_alternatives(house(goal))
    left = leave_literals(alternative, unseen).goal
    return [v.name for v in left.variables], "" if left.residual is None else format_formula(left.residual)


def test_variables_of_known_atoms_are_bound_and_the_others_stay_quantified() -> None:
    goal = "(exists (?c - cup ?r - room) (and (clean ?c) (at ?c ?r) (door hall ?r)))"
    assert leave(goal) == (["?c", "?r"], "")
    assert leave(goal, "clean") == (["?c", "?r"], "(clean ?c)")
    assert leave(goal, "at") == (["?c"], "(exists (?r - room) (and (at ?c ?r) (door hall ?r)))")
    assert leave(goal, "at", "clean")[0] == []


def test_a_negated_atom_alone_does_not_say_which_object_is_cheap() -> None:
    goal = "(exists (?c - cup ?r - room) (and (clean ?c) (robot ?r) (not (at ?c ?r))))"
    assert leave(goal, "not at") == (["?c", "?r"], "(not (at ?c ?r))")
    assert leave(goal, "robot") == (["?c"], "(exists (?r - room) (and (robot ?r) (not (at ?c ?r))))")


def test_a_domain_without_a_model_is_told() -> None:
    with pytest.raises(UnsupportedError, match="no learned model for the domain house"):
        list_bindable(house("(exists (?c - cup) (and (clean ?c) (not (at ?c hall))))"), [])


@dataclass(frozen=True)
class Listed:
    """A grounder whose bindings have these costs; at the end it may give up."""

    costs: tuple[float, ...]
    gives_up: bool = False
    name: str = "listed"
    predicts: bool = True
    doubt: str = ""
    model: None = None

    def ground(self, task: Task) -> Grounding:
        return next(self.groundings(task))

    def groundings(self, task: Task) -> Iterator[Grounding]:
        for cost in self.costs:
            yield Grounding("grounded", {}, cost, (), self.name)
        if self.gives_up:
            raise DeadEndError("gave up")
        if not self.costs:
            yield Grounding("unsolvable", None, None, (), self.name)


def combine(*grounders: Listed, complete: bool = True) -> AlternativesGrounder:
    part = Bindable(house("(quiet)"), open_model(MODELS / "blocks"))
    return AlternativesGrounder(tuple((part, grounder) for grounder in grounders), complete)


def test_alternatives_and_their_next_best_bindings_come_in_the_order_of_cost() -> None:
    found = combine(Listed((2.0, 5.0)), Listed(()), Listed((3.0, 4.0, 9.0), gives_up=True)).groundings(house())
    assert [grounding.predicted_cost for grounding in found] == [2.0, 3.0, 4.0, 5.0, 9.0]


@pytest.mark.parametrize("noise", [-1e-5, 0.0, 1e-5])
def test_alternatives_that_differ_by_rounding_alone_come_in_their_order(noise: float) -> None:
    grounders = (Listed((4.0, 6.0), name="first"), Listed((4.0 + noise, 6.0 - noise), name="second"))
    found = combine(*grounders).groundings(house())
    assert [grounding.route for grounding in found] == ["first", "second"] * 2


def test_only_all_alternatives_together_prove_that_there_is_no_binding() -> None:
    assert combine(Listed(()), Listed(())).ground(house()).status == "unsolvable"
    with pytest.raises(UnsupportedError, match="no reachable binding"):
        combine(Listed(()), complete=False).ground(house())
    with pytest.raises(DeadEndError):
        combine(Listed(()), Listed((), gives_up=True)).ground(house())
