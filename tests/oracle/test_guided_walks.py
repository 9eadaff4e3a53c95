"""Walks that a guide leads: never worse bounds, exact ones with a good guide, and still upper bounds with a bad one."""

from collections.abc import Sequence
from random import Random

import pytest
from tests.oracle.test_space import read_instance, read_toy

from skolem.oracle.bindings import View
from skolem.oracle.costs import Oracle
from skolem.oracle.exploration import explore
from skolem.oracle.goals import find_cost
from skolem.oracle.ground import ground
from skolem.oracle.guided_walks import Asked, walk_to_goals
from skolem.oracle.labels import BindingCosts
from skolem.oracle.space import Space, SpaceLimits, expand
from skolem.oracle.training_tasks import TrainingTask
from skolem.task.model import Task
from skolem.task.query import Query, Relations


class ExactGuide:
    """Knows what everything costs."""

    checksum = "exact"

    def __init__(self, space: Space) -> None:
        self.space = space

    def predict(self, statics: Relations, objects: int, asked: Sequence[tuple[Relations, Query]]) -> list[float]:
        costs = []
        for relations, query in asked:
            state = self.space.find(relations)
            assert state is not None
            cost = find_cost(self.space, state, statics, objects, query)
            costs.append(99.0 if cost is None else float(cost))
        return costs


class WrongGuide:
    """Takes the worst for the best."""

    checksum = "wrong"

    def __init__(self, space: Space) -> None:
        self.right = ExactGuide(space)

    def predict(self, statics: Relations, objects: int, asked: Sequence[tuple[Relations, Query]]) -> list[float]:
        return [100 - cost for cost in self.right.predict(statics, objects, asked)]


def ask(task: Task, query: Query, states: int) -> Asked:
    """A goal from the initial state, in what random walks find."""
    space = explore(ground(task), SpaceLimits(states), Random(1))
    drawn = TrainingTask(task, space, 0, len(task.objects), task.statics, lambda rng: query)
    view = View(space, 0)
    return Asked(drawn, view, query, BindingCosts(view, task.statics, len(task.objects), query, 1_000))


def list_arities(task: Task) -> dict[str, int]:
    return {n: len(types) for n, types in task.domain.predicates.items() if n not in task.domain.static}


TOWER = Query(4, (("on", (~0, ~1)), ("on", (~1, ~2)), ("on", (~2, ~3))))


@pytest.mark.parametrize("states", [8, 30, 100])
@pytest.mark.parametrize("kind", [ExactGuide, WrongGuide])
def test_bounds_only_improve_and_stay_bounds(kind: type[ExactGuide] | type[WrongGuide], states: int) -> None:
    task = read_instance("blocks", 5)
    asked, whole = ask(task, TOWER, states), expand(ground(task), SpaceLimits())
    (found,) = walk_to_goals([asked], kind(whole), Random(2), list_arities(task))
    true = asked.costs.see_from(View(whole, 0)).costs
    before, after = asked.costs.costs, found.costs.costs
    assert (after[before >= 0] <= before[before >= 0]).all()
    assert (after[before >= 0] >= 0).all()
    assert (after[after >= 0] >= true[after >= 0]).all()
    assert len(found.task.space) >= len(asked.task.space)


def test_a_guide_that_knows_the_costs_finds_a_cheapest_way() -> None:
    task = read_instance("blocks", 5)
    whole = expand(ground(task), SpaceLimits())
    best = find_cost(whole, 0, task.statics, len(task.objects), TOWER)
    asked = ask(task, TOWER, 8)
    assert asked.costs.best != best
    (found,) = walk_to_goals([asked], ExactGuide(whole), Random(2), list_arities(task))
    assert found.costs.best == best


def test_costs_of_actions_and_free_actions_count() -> None:
    task = read_toy()
    query = Query(1, (("have", (~0,)), ("at", (task.index["b"],)), ("wet", ())))
    asked, whole = ask(task, query, 3), expand(ground(task), SpaceLimits())
    (found,) = walk_to_goals([asked], ExactGuide(whole), Random(2), list_arities(task))
    assert found.costs.best == Oracle().find_cost_in_space(task, query).cost


def test_states_keep_their_identity() -> None:
    task = read_instance("gripper", 9)
    query = Query(2, (("carry", (~0, ~1)),))
    asked, arities = ask(task, query, 40), list_arities(task)
    whole = expand(ground(task), SpaceLimits())
    (found,) = walk_to_goals([asked], ExactGuide(whole), Random(2), arities)
    before, after = asked.task.space, found.task.space
    for state in range(len(before)):
        assert after.find(before.relations(state, arities)) is not None
    assert after.find(before.relations(0, arities)) == found.view.state == 0
