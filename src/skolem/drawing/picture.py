"""Pictures as plain shapes in points (1/72 inch, y upwards), put together without any drawing library."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

INK = "#222222"
PALE = "#8A8A8A"
WHITE = "#FFFFFF"

Bounds = tuple[float, float, float, float]
"""Left, bottom, right, top."""


@dataclass(frozen=True)
class Style:
    """How a shape is filled and outlined; None leaves that part out."""

    fill: str | None = None
    edge: str | None = INK
    weight: float = 0.8
    dashed: bool = False


@dataclass(frozen=True)
class Box:
    """A rectangle given by its lower left corner."""

    x: float
    y: float
    width: float
    height: float
    style: Style = Style()
    rounded: float = 0.0

    @property
    def bounds(self) -> Bounds:
        """The space it takes."""
        return self.x, self.y, self.x + self.width, self.y + self.height

    def move(self, dx: float, dy: float) -> "Box":
        """The same shape elsewhere."""
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(frozen=True)
class Disc:
    """A circle given by its centre."""

    x: float
    y: float
    radius: float
    style: Style = Style()

    @property
    def bounds(self) -> Bounds:
        """The space it takes."""
        return self.x - self.radius, self.y - self.radius, self.x + self.radius, self.y + self.radius

    def move(self, dx: float, dy: float) -> "Disc":
        """The same shape elsewhere."""
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(frozen=True)
class Line:
    """A line through points, with an arrow head at its end if wanted."""

    points: tuple[tuple[float, float], ...]
    style: Style = Style()
    arrow: bool = False

    @property
    def bounds(self) -> Bounds:
        """The space it takes."""
        xs, ys = zip(*self.points, strict=True)
        return min(xs), min(ys), max(xs), max(ys)

    def move(self, dx: float, dy: float) -> "Line":
        """The same shape elsewhere."""
        return replace(self, points=tuple((x + dx, y + dy) for x, y in self.points))


@dataclass(frozen=True)
class Text:
    """One line of text; (x, y) is the left, middle or right of its middle height."""

    x: float
    y: float
    text: str
    size: float = 9.0
    colour: str = INK
    bold: bool = False
    italic: bool = False
    align: Literal["left", "center", "right"] = "center"

    @property
    def bounds(self) -> Bounds:
        """The space it takes, estimated from its letters."""
        width = measure_text(self.text, self.size, self.bold)
        left = self.x - width * {"left": 0.0, "center": 0.5, "right": 1.0}[self.align]
        return left, self.y - self.size * 0.6, left + width, self.y + self.size * 0.6

    def move(self, dx: float, dy: float) -> "Text":
        """The same shape elsewhere."""
        return replace(self, x=self.x + dx, y=self.y + dy)


Shape = Box | Disc | Line | Text


@dataclass(frozen=True)
class Picture:
    """Shapes, painted in their order."""

    shapes: tuple[Shape, ...] = ()

    @cached_property
    def bounds(self) -> Bounds:
        """The space all shapes take together."""
        if not self.shapes:
            return 0.0, 0.0, 0.0, 0.0
        lefts, bottoms, rights, tops = zip(*(shape.bounds for shape in self.shapes), strict=True)
        return min(lefts), min(bottoms), max(rights), max(tops)

    @property
    def width(self) -> float:
        """How wide it is."""
        return self.bounds[2] - self.bounds[0]

    @property
    def height(self) -> float:
        """How high it is."""
        return self.bounds[3] - self.bounds[1]

    def move(self, dx: float, dy: float) -> "Picture":
        """The same picture elsewhere."""
        return Picture(tuple(shape.move(dx, dy) for shape in self.shapes))

    def __add__(self, other: "Picture") -> "Picture":
        return Picture(self.shapes + other.shapes)


def join_pictures(pictures: Sequence[Picture]) -> Picture:
    """One picture with all shapes where they are."""
    return Picture(tuple(shape for picture in pictures for shape in picture.shapes))


def lay_in_row(pictures: Sequence[Picture], gap: float) -> Picture:
    """The pictures from left to right, each at the height it has."""
    placed, x = [], 0.0
    for picture in pictures:
        left, _, right, _ = picture.bounds
        placed.append(picture.move(x - left, 0.0))
        x += right - left + gap
    return join_pictures(placed)


def stack_pictures(pictures: Sequence[Picture], gap: float) -> Picture:
    """The pictures from top to bottom, their left sides at 0."""
    placed, y = [], 0.0
    for picture in pictures:
        left, bottom, _, top = picture.bounds
        placed.append(picture.move(-left, y - top))
        y -= top - bottom + gap
    return join_pictures(placed)


def measure_text(text: str, size: float, bold: bool = False) -> float:
    """The width of a line of text, estimated from classes of narrow and wide letters."""
    ems = sum(0.36 if c in "ijl.,:;()|!' " else 0.92 if c in "mwMW∃∀∧∨≠→…" else 0.63 for c in text)
    return ems * size * (1.1 if bold else 1.0)


def choose_size(texts: Iterable[str], width: float, size: float) -> float:
    """The largest size up to the given one at which every text, in bold, fits the width, if a readable one does."""
    widest = max((measure_text(text, 1.0, bold=True) for text in texts), default=0.0)
    return max(7.0, min(size, width / widest)) if widest else size


def fit_text(x: float, y: float, text: str, width: float, size: float = 9.0, **look: str | bool) -> Text:
    """The text centred at a point, small enough for the width; a very long one is cut."""
    smallest = 4.5
    bold = bool(look.get("bold"))
    while len(text) > 2 and measure_text(text, smallest, bold) > width:
        text = text[:-2] + "…"
    needed = measure_text(text, 1.0, bold)
    size = max(smallest, min(size, width / needed)) if needed else size
    return Text(x, y, text, size, bold=bold, colour=str(look.get("colour", INK)))


def wrap_parts(parts: list[str], width: float, size: float, most_lines: int) -> list[str]:
    """The parts joined by spaces into lines of at most the width, the last one cut where there are too many."""
    lines: list[str] = []
    for part in parts:
        if lines and measure_text(f"{lines[-1]} {part}", size) <= width:
            lines[-1] += " " + part
        else:
            lines.append(part)
    if len(lines) > most_lines:
        lines = [*lines[: most_lines - 1], f"… ({len(lines) - most_lines + 1} more lines)"]
    return lines
