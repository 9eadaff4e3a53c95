from random import Random

from tests.oracle.reference import draw_case, holds

from skolem.oracle.costs import expand_task
from skolem.oracle.lifting import Language, lift_goal, list_shapes
from skolem.oracle.space import SpaceLimits
from skolem.task.model import Task


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
        query = lift_goal(rng, read_language(task, 3), task.statics, target, list_unary(task))
        assert query.variables <= 3
        assert query.atoms
        assert holds({**task.statics, **target}, len(task.objects), query)


def test_lifted_goals_have_variables_descriptions_and_inequalities() -> None:
    rng = Random(4)
    task, _ = draw_case(rng)
    space = expand_task(task, SpaceLimits())
    arities = {n: len(t) for n, t in task.domain.predicates.items() if n not in task.domain.static}
    goals = [
        lift_goal(rng, read_language(task, 1 + i % 3), task.statics, space.relations(0, arities), list_unary(task))
        for i in range(100)
    ]
    assert {goal.variables for goal in goals} >= {1, 2}
    assert any(name in task.statics for goal in goals for name, _ in goal.atoms)
    assert any(goal.unequal for goal in goals)
    assert any(not goal.unequal for goal in goals if goal.variables > 1)
    assert any(arg >= 0 for goal in goals for name, args in goal.atoms for arg in args)
