from functools import partial
from random import Random

import numpy as np
from tests.learning.conftest import DOMAIN, write_problem
from tests.oracle.reference import draw_case, holds

from skolem.oracle.costs import expand_task
from skolem.oracle.lifting import Language, Rows, Shape, lift_goal, list_shapes
from skolem.oracle.space import SpaceLimits
from skolem.pddl.reading import read_task_text
from skolem.task.model import Source, Task


def read_language(task: Task, variables: int) -> Language:
    """The language of a task's goals, its own goal among them."""
    joins = frozenset(name for name, rows in task.statics.items() if rows.shape[1] > 1)
    return Language(tuple(list_shapes(task)), frozenset(), joins, variables)


def list_unary(task: Task) -> list[str]:
    return [name for name, rows in task.statics.items() if rows.shape[1] == 1]


def test_a_lifted_goal_holds_in_the_state_it_was_lifted_from() -> None:
    rng = Random(4)
    for _ in range(60):
        task, _ = draw_case(rng)
        space = expand_task(task, SpaceLimits())
        arities = {n: len(t) for n, t in task.domain.predicates.items() if n not in task.domain.static}
        target = space.relations(rng.randrange(len(space)), arities)
        query = lift_goal(rng, read_language(task, 3), task.statics, partial(dict, target), {}, list_unary(task))
        assert query.variables <= 3
        assert query.atoms
        assert holds({**task.statics, **target}, len(task.objects), query)


def test_lifted_goals_have_variables_descriptions_and_inequalities() -> None:
    rng = Random(4)
    task, _ = draw_case(rng)
    space = expand_task(task, SpaceLimits())
    arities = {n: len(t) for n, t in task.domain.predicates.items() if n not in task.domain.static}
    start = space.relations(0, arities)
    goals = [
        lift_goal(rng, read_language(task, 1 + i % 3), task.statics, lambda: start, {}, list_unary(task))
        for i in range(100)
    ]
    assert {goal.variables for goal in goals} >= {1, 2}
    assert any(name in task.statics for goal in goals for name, _ in goal.atoms)
    assert any(goal.unequal for goal in goals)
    assert any(not goal.unequal for goal in goals if goal.variables > 1)
    assert any(arg >= 0 for goal in goals for name, args in goal.atoms for arg in args)


def test_goals_are_in_the_shapes_of_the_users_goals() -> None:
    shape = Shape((("on", (0, 1)), ("clear", (0,))), (("holding", (1,)),), frozenset({0}))
    language = Language(shapes=(shape,), variables=1)
    target = {
        "on": np.array([[0, 1], [2, 3]], dtype=np.int32),
        "clear": np.array([[0], [2], [4]], dtype=np.int32),
        "holding": np.zeros((0, 1), dtype=np.int32),
    }
    rng, shaped = Random(0), 0
    for _ in range(200):
        goal = lift_goal(rng, language, {}, lambda: target, {"holding": [(i,) for i in range(5)]}, ())
        if goal.denied:
            shaped += 1
            assert {name for name, _ in goal.atoms} == {"on", "clear"}
            assert len({args[0] for _, args in goal.atoms}) == 1
    assert shaped > 60


def test_what_the_users_goals_deny_of_all_objects_is_denied_of_all() -> None:
    shape = Shape((("at", (0, 1)),), (("open", (2,)), ("open", (3,))), frozenset({0}))
    shut = {"at": np.array([[0, 1]], dtype=np.int32), "open": np.zeros((0, 1), dtype=np.int32)}
    ajar = {**shut, "open": np.array([[4]], dtype=np.int32)}
    rng = Random(0)
    possible: Rows = {"at": [(0, 1)], "open": [(3,), (4,), (5,)]}
    denied = set()
    for _ in range(60):
        goal = lift_goal(rng, Language(shapes=(shape,)), {}, lambda: rng.choice((shut, ajar)), possible, ())
        denied.add(goal.denied)
    assert denied == {(), (("open", (3,)), ("open", (4,)), ("open", (5,)))}


def test_a_shape_is_sought_in_several_states() -> None:
    shape = Shape((("visited", (0,)), ("visited", (1,)), ("visited", (2,))), (), frozenset({0, 1, 2}))
    near, far = ({"visited": np.arange(n, dtype=np.int32)[:, None]} for n in (1, 3))
    rng = Random(0)
    goals = [
        lift_goal(rng, Language(shapes=(shape,)), {}, lambda: rng.choice((near, near, near, far)), {}, ())
        for _ in range(200)
    ]
    assert sum(goal.variables == 3 for goal in goals) > 50


def test_a_goal_with_alternatives_has_a_shape_for_each() -> None:
    goal = "(:goal (or (at c0 p0) (exists (?c - car) (and (aboard ?c) (red ?c)))))"
    text = write_problem(Random(0), 2, 2, goal)
    task = read_task_text(Source("domain.pddl", DOMAIN), Source("problem.pddl", text))
    assert [[name for name, _ in shape.atoms] for shape in list_shapes(task)] == [["at"], ["aboard"]]
