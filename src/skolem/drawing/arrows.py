"""Arrows between boxes, and labels that keep clear of boxes and of each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from math import hypot

from skolem.drawing.picture import (
    INK,
    PALE,
    WHITE,
    Bounds,
    Box,
    Line,
    Picture,
    Shape,
    Style,
    Text,
    join_pictures,
)
from skolem.drawing.scene import Token

Centred = tuple[float, float, float, float]
"""A box by its centre, width and height."""

_SIZE = 6.5
_MOST_LABELS = 45
_STROKES = ("#6E6E6E", "#B5472F", "#2B6CB0", "#2F855A", "#7B4FA3", "#B7791F", "#111111", "#A03C78")
_ALONG = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)


@dataclass(frozen=True)
class Arrow:
    """A labelled arrow between two tokens; a bent one leaves room for another one back."""

    start: Token
    end: Token
    label: str
    both_ways: bool = False
    bent: bool = False


def choose_strokes(arrows: Sequence[Arrow]) -> dict[str, str]:
    """The line colour of every label where there are too many arrows to label each; otherwise none."""
    if len(arrows) <= _MOST_LABELS:
        return {}
    return dict(zip(dict.fromkeys(arrow.label for arrow in arrows), cycle(_STROKES), strict=False))


def draw_legend(strokes: Mapping[str, str]) -> list[Picture]:
    """What the line colours mean."""
    rows = []
    for i, (label, stroke) in enumerate(strokes.items()):
        line = Line(((0.0, -11.0 * i), (22.0, -11.0 * i)), Style(edge=stroke, weight=1.4))
        rows.append(Picture((line, Text(28.0, -11.0 * i, label, 8, align="left"))))
    return [join_pictures(rows)] if rows else []


def draw_arrows(
    arrows: Sequence[Arrow], boxes: Mapping[Token, Centred], strokes: Mapping[str, str]
) -> tuple[list[Shape], list[Shape]]:
    """The lines, and the labels, which go above everything; coloured lines need no labels."""
    lines: list[Shape] = []
    labels: list[Shape] = []
    taken: list[Bounds] = [(x - w / 2, y - h / 2, x + w / 2, y + h / 2) for x, y, w, h in boxes.values()]
    for arrow in arrows:
        start, end = boxes[arrow.start], boxes[arrow.end]
        dx, dy = end[0] - start[0], end[1] - start[1]
        distance = hypot(dx, dy) or 1.0
        side = 5.0 if arrow.bent else 0.0
        shift = (-dy / distance * side, dx / distance * side)
        a = _leave_box(start, dx, dy, shift)
        b = _leave_box(end, -dx, -dy, shift)
        lines.append(Line((a, b), Style(edge=strokes.get(arrow.label, PALE), weight=0.9), arrow=not arrow.both_ways))
        if strokes:
            continue
        label = _place_label(arrow.label, a, b, taken)
        taken.append(label.bounds)
        left, low, right, high = label.bounds
        labels += [Box(left - 0.5, low + 0.5, right - left + 1, high - low - 1, Style(WHITE, None)), label]
    return lines, labels


def _leave_box(box: Centred, dx: float, dy: float, shift: tuple[float, float]) -> tuple[float, float]:
    """Where the line from the box's centre in a direction crosses its border."""
    x, y, width, height = box
    across = (width / 2 + 1.5) / abs(dx) if dx else float("inf")
    along = (height / 2 + 1.5) / abs(dy) if dy else float("inf")
    share = min(across, along, 1.0)
    return x + dx * share + shift[0], y + dy * share + shift[1]


def _place_label(label: str, a: tuple[float, float], b: tuple[float, float], taken: list[Bounds]) -> Text:
    options = [Text(a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, label, _SIZE, INK) for t in _ALONG]
    return min(options, key=lambda text: sum(_measure_overlap(text.bounds, other) for other in taken))


def _measure_overlap(one: Bounds, other: Bounds) -> float:
    across = min(one[2], other[2]) - max(one[0], other[0])
    up = min(one[3], other[3]) - max(one[1], other[1])
    return across * up if across > 0 and up > 0 else 0.0
