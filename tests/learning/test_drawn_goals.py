"""Goals of larger tasks, drawn for the measurement that learning ends with."""

from itertools import islice
from pathlib import Path

from tools.learn_suite import write_problems

from skolem.families.registry import open_stream
from skolem.grounding.random import RandomValidGrounder
from skolem.learning.drawn_goals import draw_goals
from skolem.learning.learn import Lesson
from skolem.learning.survey import survey_problems
from skolem.oracle.costs import SpaceCache
from skolem.oracle.labelling import open_origin
from skolem.oracle.space import SpaceLimits


def test_drawn_goals_can_be_bound_also_where_they_deny_something(tmp_path: Path) -> None:
    domain, *problems = map(str, write_problems("satellite", tmp_path, 4, 0))
    lesson = Lesson(domain, tuple(problems), tmp_path / "model")
    recipe = lesson.plan(survey_problems(domain, lesson.problems))
    spaces = SpaceCache(SpaceLimits(20_000, 10.0), ball=True)
    goals = list(islice(draw_goals(open_origin(recipe, "larger"), open_stream("drawn", 0), spaces), 30))
    assert any(goal.task.goal.denied for goal in goals)
    for goal in goals:
        binding = RandomValidGrounder(0).ground(goal.task).binding
        assert binding is not None
        cost, at_least = goal.find_cost(binding)
        assert at_least or cost is None or cost >= goal.best
