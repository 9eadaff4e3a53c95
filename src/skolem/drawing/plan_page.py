"""A plan as pictures: its states side by side, or one after another in an animated SVG."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import ceil, sqrt
from pathlib import Path

from skolem.drawing.page import check_path, find_family, save_bytes, save_picture
from skolem.drawing.picture import PALE, Box, Picture, Style, Text, join_pictures, measure_text, stack_pictures
from skolem.drawing.relational import choose_tints, draw_relation_states
from skolem.drawing.render import render_picture
from skolem.drawing.scene import complete_binding, list_relevant, make_state_scene
from skolem.planning.successors import Simulator
from skolem.support.errors import InputError
from skolem.task.model import Binding, Task
from skolem.task.query import Relations

_GAP = 30.0
_MOST_WIDTH = 1400.0
_CAPTION = 10.0
_SECONDS = 1.2
"""How long an animation shows each state."""
_UNUSED_ID = re.compile(r' id="(figure|axes|patch|text|line2d)_\d+"')


def save_plan(
    task: Task, plan: Sequence[str], path: Path, binding: Binding | None = None, moving: bool = False
) -> None:
    """Writes the states that a plan leads through, as a strip or moving."""
    format = check_path(path)
    if not moving:
        save_picture(draw_plan(task, plan, binding), path)
        return
    if format != "svg":
        raise InputError(f"an animation is an SVG file, expected a name that ends in .svg, not {path.name!r}")
    save_bytes(animate(draw_states(task, plan, binding)), path)


def draw_plan(task: Task, plan: Sequence[str], binding: Binding | None = None) -> Picture:
    """The states of a plan in rows, each below the step that leads to it."""
    frames = draw_states(task, plan, binding)
    each = frames[0].width + _GAP
    # Wide enough for a page, or for a shape that is not much higher than wide.
    most = max(int((_MOST_WIDTH + _GAP) // each), ceil(sqrt(1.5 * len(frames) * frames[0].height / each)), 1)
    rows = [frames[i : i + most] for i in range(0, len(frames), most)]
    return stack_pictures([_lay_frames(row, each) for row in rows], _GAP)


def _lay_frames(frames: Sequence[Picture], each: float) -> Picture:
    """Frames from left to right with a thin line between them."""
    height, line = frames[0].height, Style(edge=PALE, weight=0.5)
    rules = [Box(each * i - _GAP / 2, -height, 0.0, height, line) for i in range(1, len(frames))]
    placed = [frame.move(each * i - frame.bounds[0], -frame.bounds[3]) for i, frame in enumerate(frames)]
    return join_pictures([*placed, Picture(tuple(rules))])


def draw_states(task: Task, plan: Sequence[str], binding: Binding | None = None) -> list[Picture]:
    """One picture for every state of a plan, all of the same size; an InputError says which step cannot be taken."""
    chosen = complete_binding(task, binding)
    states = list(_list_states(task, plan))
    scenes = [make_state_scene(replace(task, init={**task.init, **state}), chosen) for state in states]
    draw = find_family(task)
    # What stands on the ground stays at its height, however high the rest gets.
    drawn = [picture.move(0.0, -picture.bounds[1]) for scene in scenes if (picture := draw(scene)) is not None]
    if len(drawn) < len(scenes):
        drawn = draw_relation_states(scenes, choose_tints(scenes[0]), list_relevant(task, chosen))
    captions = ["start", *(f"{number}. {step.strip('()')}" for number, step in enumerate(plan, 1))]
    left = min(picture.bounds[0] for picture in drawn)
    bottom = min(picture.bounds[1] for picture in drawn)
    widest = max(measure_text(caption, _CAPTION, bold=True) for caption in captions)
    right = max(*(picture.bounds[2] for picture in drawn), left + widest)
    top = max(picture.bounds[3] for picture in drawn) + 2 * _CAPTION
    room = Picture((Box(left, bottom, right - left, top - bottom, Style(edge=None)),))
    return [
        room + Picture((Text(left, top - _CAPTION / 2, caption, _CAPTION, bold=True, align="left"),)) + picture
        for caption, picture in zip(captions, drawn, strict=True)
    ]


def _list_states(task: Task, plan: Sequence[str]) -> list[Relations]:
    simulator = Simulator(task)
    state = simulator.start
    states = [simulator.read(state)]
    for number, step in enumerate(plan, 1):
        try:
            state = simulator.take(state, step).state
        except InputError as error:
            raise InputError(f"the plan cannot be drawn: step {number}, {step}: {error}") from error
        states.append(simulator.read(state))
    return states


def animate(frames: Sequence[Picture]) -> bytes:
    """An SVG file that shows one frame after another, over and over; where nothing moves, the first."""
    texts = [render_picture(frame, "svg").decode("utf-8") for frame in frames]
    head = texts[0][: texts[0].index("<metadata>")]
    # The last state is looked at longest.
    times = [i / (len(frames) + 1) for i in range(len(frames))] + [1.0]
    parts = []
    for number, (text, (start, end)) in enumerate(zip(texts, pairwise(times), strict=True)):
        body = _UNUSED_ID.sub("", text[text.index("</metadata>") + len("</metadata>") : text.rindex("</svg>")])
        values, keys = ["hidden", "visible", "hidden"], [0.0, start, end]
        if number == 0:
            values, keys = values[1:], keys[1:]
        if end == 1.0:
            values, keys = values[:-1], keys[:-1]
        change = (
            f'<animate attributeName="visibility" calcMode="discrete" repeatCount="indefinite"'
            f' dur="{_SECONDS * (len(frames) + 1):g}s" values="{";".join(values)}"'
            f' keyTimes="{";".join(f"{key:.5g}" for key in keys)}"/>'
        )
        shown = "visible" if number == 0 else "hidden"
        parts.append(f'<g visibility="{shown}">{change if len(frames) > 1 else ""}{body}</g>\n')
    return (head + "".join(parts) + "</svg>\n").encode()
