"""Pictures as SVG text, and the strips of states that a page shows."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from skolem.drawing.picture import Box, Disc, Line, Picture, Style, Text
from skolem.drawing.steps import MOST_STATES, draw_strip
from skolem.drawing.svg import write_svg
from skolem.pddl.reading import read_task
from skolem.support.errors import InputError

EXAMPLES = Path(__file__).parents[2] / "examples"
SVG = "{http://www.w3.org/2000/svg}"


def test_every_shape_is_there() -> None:
    shapes = (
        Box(0, 0, 10, 20, Style("#ff0000", dashed=True), rounded=2),
        Disc(5, 5, 3),
        Line(((0, 0), (10, 0), (10, 10)), arrow=True),
        Text(1, 1, "a < b & c", bold=True, italic=True, align="right"),
    )
    root = ElementTree.fromstring(write_svg(Picture(shapes)))
    assert [child.tag.removeprefix(SVG) for child in root] == ["rect", "circle", "polyline", "polygon", "text"]
    assert root[4].text == "a < b & c"
    assert root[4].get("text-anchor") == "end"
    assert root[0].get("stroke-dasharray")


def test_up_is_up() -> None:
    low, high = Disc(0, 0, 1), Disc(0, 50, 1)
    root = ElementTree.fromstring(write_svg(Picture((low, high))))
    assert float(root[0].get("cy", "0")) > float(root[1].get("cy", "0"))


@pytest.mark.parametrize("name", ["blocks/tower", "household/breakfast", "robot/mugs"])
def test_a_strip_has_the_first_state_and_one_for_every_step(name: str) -> None:
    problem = EXAMPLES / f"{name}.pddl"
    task = read_task(problem.with_name("domain.pddl"), problem)
    assert len(draw_strip(task).states) == 1


def test_states_have_the_same_size() -> None:
    task = read_task(EXAMPLES / "robot" / "domain.pddl", EXAMPLES / "robot" / "mugs.pddl")
    plan = ("(go table counter)", "(take mug3 counter)", "(go counter sink)") + (
        "(go sink counter)",
        "(go counter sink)",
    ) * 100
    strip = draw_strip(task, plan, {"?m": "mug3"})
    assert len(strip.states) == MOST_STATES
    assert len({ElementTree.fromstring(state).get("viewBox") for state in strip.states}) == 1
    assert strip.states[0] != strip.states[2]
    with pytest.raises(InputError, match="step 1"):
        draw_strip(task, ("(go sink counter)",))
