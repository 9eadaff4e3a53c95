"""The whole drawing: the state, the goal beside it, the goal's formula and the binding below."""

import os
from collections.abc import Callable
from pathlib import Path

from skolem.drawing import blocks, grid, gripper
from skolem.drawing.goal_text import list_goal_parts
from skolem.drawing.picture import PALE, Line, Picture, Style, Text, stack_pictures, wrap_parts
from skolem.drawing.relational import choose_tints, draw_relations
from skolem.drawing.render import FORMATS, render_picture
from skolem.drawing.scene import (
    Scene,
    complete_binding,
    list_relevant,
    make_goal_scene,
    make_state_scene,
    show_variable,
)
from skolem.support.errors import InputError, Place
from skolem.task.model import Binding, Task

_GAP = 26.0
_LEAST_WIDTH = 400.0
_MOST_WIDTH = 900.0
_TEXT_SIZE = 10.0
_MOST_LINES = 14
_INDENT = 56.0
# Above this many objects a picture of single blocks or cells says nothing; the relational summary does.
_MOST_OBJECTS = 1000

_FAMILIES: tuple[tuple[dict[str, int], Callable[[Scene], Picture | None]], ...] = (
    (blocks.SIGNATURE, blocks.draw_blocks),
    (gripper.SIGNATURE, gripper.draw_gripper),
    (grid.DELIVERY_SIGNATURE, grid.draw_delivery),
    (grid.VISITALL_SIGNATURE, grid.draw_visitall),
)


def draw_task(task: Task, binding: Binding | None = None) -> Picture:
    """The initial state and the goal, with the bound objects marked in both."""
    chosen = complete_binding(task, binding)
    draw = find_family(task)
    state, goal = make_state_scene(task, chosen), make_goal_scene(task, chosen)
    tints = choose_tints(state)
    left = draw(state) or draw_relations(state, tints, list_relevant(task, chosen)) or Picture()
    right = draw(goal) or draw_relations(goal, tints) or _refer_to_formula(task)
    picture = _set_beside(_add_heading("Initial state", left), _add_heading("Goal", right))
    return stack_pictures([picture, _write_goal(task, chosen, picture.width)], 16)


def save_drawing(task: Task, path: Path, binding: Binding | None = None) -> None:
    """Writes the drawing of a task."""
    check_path(path)
    save_picture(draw_task(task, binding), path)


def save_picture(picture: Picture, path: Path) -> None:
    """Writes a picture as the kind of file that the path's suffix says, all at once."""
    save_bytes(render_picture(picture, check_path(path)), path)


def check_path(path: Path) -> str:
    """The format that the path's suffix says; an InputError where there is no such format."""
    format = path.suffix.lower().removeprefix(".")
    if format not in FORMATS:
        raise InputError(f"expected a file name that ends in .svg or .png, not {path.name!r}")
    return format


def save_bytes(content: bytes, path: Path) -> None:
    """Writes the content of a picture's file, all at once."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise InputError(f"cannot write the drawing ({error.strerror})", Place(str(path))) from error


def find_family(task: Task) -> Callable[[Scene], Picture | None]:
    """How scenes of the task's domain are drawn; the function gives None where it is none of the families'."""
    if len(task.objects) <= _MOST_OBJECTS:
        for signature, draw in _FAMILIES:
            if all(len(task.domain.predicates.get(name, ())) == arity for name, arity in signature.items()):
                return draw
    return lambda scene: None


def _refer_to_formula(task: Task) -> Picture:
    remark = f"see the formula ({task.goal.outside})" if task.goal.outside else "see the formula"
    return Picture((Text(0.0, 0.0, remark, 9, PALE, italic=True, align="left"),))


def _add_heading(title: str, picture: Picture) -> Picture:
    left, _, _, top = picture.bounds
    return picture + Picture((Text(left, top + 16, title, 11, bold=True, align="left"),))


def _set_beside(left: Picture, right: Picture) -> Picture:
    """Both with their headings at the same height, a line between them."""
    height = max(left.height, right.height)
    left = left.move(-left.bounds[0], -left.bounds[3])
    start = left.width + 2 * _GAP
    right = right.move(start - right.bounds[0], -right.bounds[3])
    middle = left.width + _GAP
    rule = Line(((middle, 0.0), (middle, -height)), Style(edge=PALE, weight=0.6))
    return left + Picture((rule,)) + right


def _write_goal(task: Task, binding: Binding, width: float) -> Picture:
    width = min(max(width, _LEAST_WIDTH), _MOST_WIDTH)
    lines = wrap_parts(list_goal_parts(task.goal), width - _INDENT, _TEXT_SIZE, _MOST_LINES)
    chosen = [f"{show_variable(variable)} = {obj}" for variable, obj in binding.items()]
    bound = wrap_parts([part + "," for part in chosen[:-1]] + chosen[-1:], width - _INDENT, _TEXT_SIZE, _MOST_LINES)
    shapes: list[Text] = []
    y = 0.0
    for title, part in (("Formula", lines), ("Binding", bound)):
        for i, line in enumerate(part):
            shapes.append(Text(_INDENT, y, line, _TEXT_SIZE, align="left"))
            if i == 0:
                shapes.append(Text(0.0, y, title, _TEXT_SIZE, bold=True, align="left"))
            y -= 1.5 * _TEXT_SIZE
    return Picture(tuple(shapes))
