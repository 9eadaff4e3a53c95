"""A plan as pictures: the state before its first step and after every one, and the goal beside them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from skolem.drawing.page import find_family
from skolem.drawing.picture import Picture
from skolem.drawing.relational import choose_tints, draw_relations
from skolem.drawing.scene import complete_binding, list_relevant, make_goal_scene, make_state_scene
from skolem.drawing.svg import unite_bounds, write_svg
from skolem.planning.successors import Simulator
from skolem.task.model import Binding, Task

MOST_STATES = 120
"""How many states of a plan are drawn."""


@dataclass(frozen=True)
class Strip:
    """SVG images of the states of a plan, all of the same size, and of the goal; None for a goal that is only text."""

    states: tuple[str, ...]
    goal: str | None


def draw_steps(task: Task, plan: Sequence[str] = (), binding: Binding | None = None) -> Strip:
    """The states that a plan leads through, the first of many; an InputError for a step that cannot be taken."""
    chosen = complete_binding(task, binding)
    draw = find_family(task)
    tints = choose_tints(make_state_scene(task, chosen))

    def draw_state(shown: Task) -> Picture:
        scene = make_state_scene(shown, chosen)
        picture = draw(scene) or draw_relations(scene, tints, list_relevant(shown, chosen)) or Picture()
        # The ground stays where it is from picture to picture.
        left, bottom, _, _ = picture.bounds
        return picture.move(-left, -bottom)

    simulator = Simulator(task)
    state = simulator.start
    pictures = [draw_state(task)]
    for step in plan[: MOST_STATES - 1]:
        state = simulator.take(state, step).state
        pictures.append(draw_state(replace(task, init={**task.init, **simulator.read(state)})))
    bounds = unite_bounds(pictures)
    scene = make_goal_scene(task, chosen)
    goal = draw(scene) or draw_relations(scene, tints)
    states = tuple(write_svg(picture, bounds) for picture in pictures)
    return Strip(states, None if goal is None or not goal.shapes else write_svg(goal))
