from random import Random

from tests.oracle.reference import draw_case, holds

from skolem.oracle.costs import expand_task
from skolem.oracle.lifting import lift_goal
from skolem.oracle.space import SpaceLimits


def test_a_lifted_goal_holds_in_the_state_it_was_lifted_from() -> None:
    rng = Random(4)
    for _ in range(60):
        task, _ = draw_case(rng)
        space = expand_task(task, SpaceLimits())
        arities = {n: len(t) for n, t in task.domain.predicates.items() if n not in task.domain.static}
        target = space.relations(rng.randrange(len(space)), arities)
        query = lift_goal(rng, task.statics, target, 3)
        assert query.variables <= 3
        assert query.atoms
        assert holds({**task.statics, **target}, len(task.objects), query)


def test_lifted_goals_have_variables_descriptions_and_inequalities() -> None:
    rng = Random(4)
    task, _ = draw_case(rng)
    space = expand_task(task, SpaceLimits())
    arities = {n: len(t) for n, t in task.domain.predicates.items() if n not in task.domain.static}
    goals = [lift_goal(rng, task.statics, space.relations(0, arities), 1 + i % 3) for i in range(100)]
    assert {goal.variables for goal in goals} >= {1, 2}
    assert any(name in task.statics for goal in goals for name, _ in goal.atoms)
    assert any(goal.unequal for goal in goals)
    assert any(not goal.unequal for goal in goals if goal.variables > 1)
    assert any(arg >= 0 for goal in goals for name, args in goal.atoms for arg in args)
