"""Balls against whole spaces: what they say is exact, and what they do not know costs at least what they say."""

from random import Random

import numpy as np
import pytest
from tests.oracle.test_space import TOY_PROBLEM, read_instance, read_toy
from tests.task.semantics.random_tasks import draw_task

from skolem.oracle.ball import grow_ball
from skolem.oracle.bindings import View
from skolem.oracle.ground import ground
from skolem.oracle.ground_task import GroundTask
from skolem.oracle.space import Space, SpaceLimits, expand
from skolem.support.errors import LimitError


def find_rows(space: Space, words: int) -> dict[tuple[int, ...], int]:
    return {tuple(column): i for i, column in enumerate(space.states[:words].T.tolist())}


def assert_exact(task: GroundTask, whole: Space, limit: int) -> Space:
    """Compares the costs of reaching single atoms, pairs of them and their absence, from every state of a ball."""
    ball = grow_ball(task, SpaceLimits(limit))
    assert len(ball) <= max(1, limit)
    place = find_rows(whole, task.fluents)
    same = [place[row] for row in find_rows(ball, task.fluents)]
    assert same[0] == 0
    atoms = len(ball.atoms)
    columns = [(a, b) for a in range(atoms) for b in range(a, atoms)] + [
        (a, atoms + b) for a in range(atoms) for b in (0, a)
    ]
    wanted = np.array(columns, dtype=np.int32).reshape(-1, 2)
    for state, other in enumerate(same):
        here, there = View(ball, state), View(whole, other)
        for found, true in zip(here.find_costs(wanted).tolist(), there.find_costs(wanted).tolist(), strict=True):
            if found == -2:
                assert here.bound is not None
                assert true == -1 or true >= here.bound
            else:
                assert found == true
    if ball.horizon is None:
        assert len(ball) == len(whole)
    else:
        from_start = View(whole, 0)
        near = from_start.order[from_start.costs < ball.horizon]
        assert set(near.tolist()) <= set(same)
        costs = dict(zip(from_start.order.tolist(), from_start.costs.tolist(), strict=True))
        assert [costs[s] for s in same] == ball.depth.tolist()
    return ball


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 8, 13, 20, 1000])
def test_costs_in_a_ball_with_axioms_conditional_effects_and_free_actions_are_exact(limit: int) -> None:
    task = ground(read_toy())
    assert_exact(task, expand(task, SpaceLimits()), limit)


def test_a_free_action_alone_may_fill_a_ball() -> None:
    task = ground(read_toy(TOY_PROBLEM.replace("(= (length a b) 5)", "(= (length a b) 0)")))
    ball = assert_exact(task, expand(task, SpaceLimits()), 3)
    assert ball.horizon == 0


@pytest.mark.parametrize(("family", "size"), [("blocks", 4), ("visitall", 5)])
@pytest.mark.parametrize("limit", [7, 40, 10_000])
def test_costs_in_a_ball_of_a_family_are_exact(family: str, size: int, limit: int) -> None:
    task = ground(read_instance(family, size))
    assert_exact(task, expand(task, SpaceLimits()), limit)


@pytest.mark.parametrize("seed", range(120))
def test_costs_in_balls_of_random_tasks_are_exact(seed: int) -> None:
    task = ground(draw_task(Random(seed)))
    try:
        whole = expand(task, SpaceLimits(150))
    except LimitError:
        return
    for limit in (2, len(whole) // 3 + 1, len(whole) - 1, len(whole)):
        assert_exact(task, whole, limit)
