"""An explanation as a picture: the task with its objects marked, what each variable could be, and predicted costs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from skolem.drawing.page import check_path, draw_task, save_picture
from skolem.drawing.picture import (
    INK,
    PALE,
    Box,
    Picture,
    Shape,
    Style,
    Text,
    fit_text,
    join_pictures,
    measure_text,
    stack_pictures,
    wrap_parts,
)
from skolem.drawing.scene import show_variable
from skolem.grounding.explanation import Explanation, GoalExplanation
from skolem.grounding.protocol import Step
from skolem.task.model import Task

_SIZE = 9.0
_LINE = 1.5 * _SIZE
_LEAST_WIDTH = 560.0
_MOST_WIDTH = 900.0
_MOST_CHOICES = 6
_BAR = 70.0
_LABEL = 62.0


def save_explanation(task: Task, explanation: Explanation, path: Path) -> None:
    """Writes the drawing of an explanation."""
    check_path(path)
    save_picture(draw_explanation(task, explanation), path)


def draw_explanation(task: Task, explanation: Explanation) -> Picture:
    """The task, the reasons and the predicted costs, from top to bottom."""
    known = {v.variable for goal in explanation.goals for v in goal.variables}
    binding = {name: obj for name, obj in (explanation.binding or {}).items() if name in known}
    picture = draw_task(task, binding if task.goal.outside is None else None)
    width = min(max(picture.width, _LEAST_WIDTH), _MOST_WIDTH)
    parts = [picture, _write_lines(list(_list_lines(explanation)), width)]
    if explanation.steps:
        parts.append(_draw_steps(explanation.steps, width))
    return stack_pictures(parts, 18)


def _list_lines(explanation: Explanation) -> Iterator[tuple[str, str]]:
    """Lines with a title each."""
    for goal in explanation.goals:
        if goal.chosen or len(explanation.goals) == 1:
            yield from _list_goal_lines(goal)
    for forced in explanation.forced:
        yield "Why not?", forced.text


def _list_goal_lines(goal: GoalExplanation) -> Iterator[tuple[str, str]]:
    for variable in goal.variables:
        title = show_variable(variable.variable) + (f" = {variable.chosen}" if variable.chosen else "")
        for kind, line in variable.list_reasons(goal.conflict):
            yield title, f"{kind}: {line}"
            title = ""
    if goal.conflict:
        yield "Conflict", f"nothing satisfies {', '.join(goal.conflict)} together"


def _write_lines(lines: Sequence[tuple[str, str]], width: float) -> Picture:
    indent = max((measure_text(title, _SIZE, bold=True) for title, _ in lines), default=0.0) + 12
    shapes: list[Shape] = []
    y = 0.0
    for title, text in lines:
        if title:
            shapes.append(Text(0.0, y, title, _SIZE, bold=True, align="left"))
        for line in wrap_parts(text.split(" "), width - indent, _SIZE, 3):
            shapes.append(Text(indent, y, line, _SIZE, align="left"))
            y -= _LINE
    return Picture(tuple(shapes))


def _draw_steps(steps: Sequence[Step], width: float) -> Picture:
    """The predicted costs of each step as bars, the choice that was taken in black."""
    most = max((choice.value for step in steps for choice in step.ranked), default=0.0)
    columns = [_draw_step(number, step, most) for number, step in enumerate(steps, 1)]
    each = _LABEL + _BAR + 60
    in_row = max(1, int(width // each))
    rows = [
        join_pictures([column.move(each * place, 0.0) for place, column in enumerate(columns[i : i + in_row])])
        for i in range(0, len(columns), in_row)
    ]
    heading = Picture((Text(0.0, 0.0, "Predicted costs, step by step", _SIZE, bold=True, align="left"),))
    return stack_pictures([heading, *rows], 10)


def _draw_step(number: int, step: Step, most: float) -> Picture:
    taken = next(c for c in step.ranked if (c.variable, c.object) == (step.variable, step.object))
    shown = list(step.ranked[:_MOST_CHOICES])
    if taken not in shown:
        shown[-1] = taken
    shapes: list[Shape] = [Text(0.0, 0.0, f"{number}. {show_variable(step.variable)}", _SIZE, bold=True, align="left")]
    for place, choice in enumerate(shown, 1):
        y, chosen = -_LINE * place, choice is taken
        same = choice.variable == step.variable
        name = choice.object if same else f"{show_variable(choice.variable)} = {choice.object}"
        shapes.append(replace(fit_text(_LABEL, y, name, _LABEL, _SIZE, bold=chosen), align="right"))
        length = max(1.0, _BAR * max(0.0, choice.value) / most) if most > 0 else 1.0
        colour = INK if chosen else PALE
        shapes.append(Box(_LABEL + 4, y - 4, length, 8, Style(fill=colour, edge=None)))
        shapes.append(Text(_LABEL + 8 + length, y, f"{choice.value:.1f}", _SIZE - 1, colour, bold=chosen, align="left"))
    if len(step.ranked) > len(shown):
        more = f"and {len(step.ranked) - len(shown)} more"
        shapes.append(Text(_LABEL + 4, -_LINE * (len(shown) + 1), more, _SIZE - 1, PALE, align="left"))
    return Picture(tuple(shapes))
