"""Pictures as SVG text, without any drawing library: for pages that show many of them."""

from collections.abc import Iterator
from dataclasses import replace
from html import escape

from skolem.drawing.picture import INK, Box, Disc, Line, Picture, Shape, Style, Text

_MARGIN = 8.0
_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
_ARROW_LENGTH, _ARROW_WIDTH = 5.0, 2.5


def write_svg(picture: Picture) -> str:
    """The picture as the text of an SVG image."""
    left, bottom, right, top = picture.bounds
    width, height = right - left + 2 * _MARGIN, top - bottom + 2 * _MARGIN
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.1f} {height:.1f}"'
    head += f' width="{width:.1f}" height="{height:.1f}" font-family="DejaVu Sans, Verdana, Arial, sans-serif">'
    moved = picture.move(_MARGIN - left, -top - _MARGIN)
    return "".join((head, *(part for shape in moved.shapes for part in _write_shape(shape)), "</svg>"))


def _write_shape(shape: Shape) -> Iterator[str]:
    """The elements of a shape; y goes downwards here."""
    match shape:
        case Box():
            y = -shape.y - shape.height
            rounded = f' rx="{shape.rounded:.1f}"' if shape.rounded else ""
            place = f'x="{shape.x:.1f}" y="{y:.1f}" width="{shape.width:.1f}" height="{shape.height:.1f}"'
            yield f"<rect {place}{rounded}{_write_style(shape.style)}/>"
        case Disc():
            yield f'<circle cx="{shape.x:.1f}" cy="{-shape.y:.1f}" r="{shape.radius:.1f}"{_write_style(shape.style)}/>'
        case Line():
            points = " ".join(f"{x:.1f},{-y:.1f}" for x, y in shape.points)
            style = replace(shape.style, fill=None, edge=shape.style.edge or INK)
            yield f'<polyline points="{points}"{_write_style(style)}/>'
            if shape.arrow:
                yield _write_head(shape)
        case Text():
            look = ' font-weight="bold"' * shape.bold + ' font-style="italic"' * shape.italic
            place = f'x="{shape.x:.1f}" y="{-shape.y + 0.36 * shape.size:.1f}" font-size="{shape.size:.1f}"'
            anchor = _ANCHORS[shape.align]
            yield f'<text {place} text-anchor="{anchor}" fill="{shape.colour}"{look}>{escape(shape.text)}</text>'


def _write_style(style: Style) -> str:
    line = f' stroke="{style.edge}" stroke-width="{style.weight:.1f}"' if style.edge else ""
    return f' fill="{style.fill or "none"}"{line}' + ' stroke-dasharray="3 2"' * style.dashed


def _write_head(line: Line) -> str:
    """The head of an arrow at the end of a line."""
    (ax, ay), (bx, by) = line.points[-2:]
    length = ((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5 or 1.0
    dx, dy = (bx - ax) / length, (by - ay) / length
    x, y = bx - _ARROW_LENGTH * dx, by - _ARROW_LENGTH * dy
    corners = ((bx, by), (x - _ARROW_WIDTH * dy, y + _ARROW_WIDTH * dx), (x + _ARROW_WIDTH * dy, y - _ARROW_WIDTH * dx))
    points = " ".join(f"{px:.1f},{-py:.1f}" for px, py in corners)
    return f'<polygon points="{points}" fill="{line.style.edge or INK}"/>'
