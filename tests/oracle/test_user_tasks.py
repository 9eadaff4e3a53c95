"""Training tasks from a user's own problems."""

from random import Random

from skolem.families.suite.registry import SUITE, generate_suite_problem
from skolem.oracle.costs import SpaceCache
from skolem.oracle.space import SpaceLimits
from skolem.oracle.user_tasks import ProblemOrigin
from skolem.pddl.reading import read_task_text
from skolem.task.model import Source


def test_goals_are_lifted_without_derived_predicates() -> None:
    problems = [generate_suite_problem("sokoban", "train", 0, index).problem_text for index in range(2)]
    domain = Source("domain.pddl", SUITE["sokoban"].domain)
    tasks = [read_task_text(domain, Source("problem.pddl", text)) for text in problems]
    origin, rng = ProblemOrigin(tasks, variables=3), Random(0)
    (drawn,) = origin.draw_tasks(rng, "train", SpaceCache(SpaceLimits(100_000, 60.0)))
    goals = [drawn.draw_goal(rng) for _ in range(50)]
    named = {name for goal in goals for name, _ in (*goal.atoms, *goal.denied)}
    assert "box-at" in named
    assert "reachable" not in named
