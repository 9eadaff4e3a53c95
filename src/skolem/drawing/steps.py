"""A plan as SVG images for a page: the state before its first step and after every one, and the goal beside them."""

from collections.abc import Sequence
from dataclasses import dataclass

from skolem.drawing.page import find_family
from skolem.drawing.plan_page import draw_states
from skolem.drawing.relational import choose_tints, draw_relations
from skolem.drawing.scene import complete_binding, make_goal_scene, make_state_scene
from skolem.drawing.svg import write_svg
from skolem.task.model import Binding, Task

MOST_STATES = 120
"""How many states of a plan are drawn."""


@dataclass(frozen=True)
class Strip:
    """SVG images of the states of a plan, all of the same size, and of the goal; None for a goal that is only text."""

    states: tuple[str, ...]
    goal: str | None


def draw_strip(task: Task, plan: Sequence[str] = (), binding: Binding | None = None) -> Strip:
    """The states that a plan leads through, the first of many; an InputError for a step that cannot be taken."""
    chosen = complete_binding(task, binding)
    scene = make_goal_scene(task, chosen)
    goal = find_family(task)(scene) or draw_relations(scene, choose_tints(make_state_scene(task, chosen)))
    states = draw_states(task, plan[: MOST_STATES - 1], chosen)
    return Strip(tuple(map(write_svg, states)), None if goal is None or not goal.shapes else write_svg(goal))
