"""How tokens look: blocks, balls, cells, and the small things that stand in them."""

from skolem.drawing.picture import (
    INK,
    WHITE,
    Box,
    Disc,
    Line,
    Shape,
    Style,
    Text,
    fit_text,
    measure_text,
)
from skolem.drawing.scene import SHADES, Token

_PLAIN = "#E4E4E4"
_MARK = "#111111"
_DARK = ("red", "blue")


def mix_colours(colour: str, other: str, share: float) -> str:
    """The colour with a share of the other mixed in."""
    pairs = [(int(colour[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in pairs)


def choose_style(token: Token) -> Style:
    """Objects are filled and solid, variables pale and dashed, bound objects have a strong outline."""
    shade = SHADES.get(token.colour or "", _PLAIN)
    if token.variable:
        edge = mix_colours(shade, "#000000", 0.35)
        return Style(mix_colours(shade, WHITE, 0.72), edge, 1.3, dashed=True)
    if token.note:
        return Style(shade, _MARK, 2.2)
    return Style(shade, mix_colours(shade, "#000000", 0.55), 0.8)


def choose_ink(token: Token) -> str:
    """The colour of the text inside a token."""
    return WHITE if token.colour in _DARK and not token.variable else INK


def label_token(token: Token, x: float, y: float, width: float, size: float = 10.0) -> list[Shape]:
    """The token's name, the object bound to it if it is a variable, and the initial of its colour."""
    ink = choose_ink(token)
    bound = f"={token.note}" if token.variable and token.note else ""
    shift = size * 0.42 if bound or token.colour else 0.0
    shapes: list[Shape] = [fit_text(x, y + shift, token.name, width, size, colour=ink, bold=not token.variable)]
    if bound:
        shapes.append(fit_text(x, y - size * 0.62, bound, width * 0.9, size * 0.85, colour=ink, bold=True))
    elif token.colour:
        shapes.append(fit_text(x, y - size * 0.72, token.colour, width, size * 0.6, colour=ink))
    return shapes


def mark_binding(token: Token, x: float, y: float) -> list[Shape]:
    """A flag with the variables that are bound to an object, which is the middle of its left side."""
    if token.variable or not token.note:
        return []
    width = measure_text(token.note, 7, bold=True) + 5
    flag = Box(x, y - 5, width, 10, Style(_MARK, WHITE, 0.8), rounded=3)
    return [flag, Text(x + width / 2, y, token.note, 7, WHITE, bold=True)]


def draw_square(token: Token, x: float, y: float, side: float, size: float) -> list[Shape]:
    """A block with its name; (x, y) is its lower left corner."""
    body = Box(x, y, side, side, choose_style(token), rounded=2)
    return [body, *label_token(token, x + side / 2, y + side / 2, side - 5, size)]


def draw_ball(token: Token, x: float, y: float, radius: float, size: float) -> list[Shape]:
    """A ball with its name; (x, y) is its centre."""
    body = Disc(x, y, radius, choose_style(token))
    flag = mark_binding(token, x + radius * 0.4, y + radius)
    return [body, *label_token(token, x, y, radius * 1.65, size), *flag]


def draw_package(token: Token, x: float, y: float, side: float) -> list[Shape]:
    """A parcel with its name; (x, y) is its centre."""
    low, left = y - side / 2, x - side / 2
    style = Style("#F3E3C8", "#6B4A1F", 1.3 if token.variable else 0.9, dashed=token.variable)
    if token.note and not token.variable:
        style = Style("#F3E3C8", _MARK, 2.0)
    band = Style("#C9A36A", None)
    name = f"{token.name}={token.note}" if token.variable and token.note else token.name
    return [
        Box(left, low, side, side, style),
        Box(left + 0.6, low + side * 0.74, side - 1.2, side * 0.14, band),
        fit_text(x, y - side * 0.1, name, side - 2, 7.5, bold=True),
        *mark_binding(token, x + side / 2 - 6, y + side / 2),
    ]


def draw_truck(token: Token, x: float, y: float, width: float) -> list[Shape]:
    """A truck with its name on the side; (x, y) is its centre."""
    left, low, height = x - width / 2, y - width * 0.25, width * 0.5
    style = Style(WHITE, INK, 1.0, dashed=token.variable)
    name = f"{token.name}={token.note}" if token.variable and token.note else token.name
    return [
        Box(left, low, width * 0.68, height, style, rounded=1),
        Box(left + width * 0.68, low, width * 0.32, height * 0.66, style, rounded=1),
        Box(left + width * 0.78, low + height * 0.34, width * 0.16, height * 0.22, Style("#BFD3E6", None)),
        *(Disc(left + width * at, low, width * 0.11, Style(INK, WHITE, 0.6)) for at in (0.22, 0.78)),
        fit_text(left + width * 0.34, low + height * 0.58, name, width * 0.62, 7.5, bold=True),
        *mark_binding(token, left + width * 0.7, low + height),
    ]


def draw_robot(x: float, y: float, size: float) -> list[Shape]:
    """A robot's head; (x, y) is its centre."""
    half = size / 2
    eyes = [Disc(x + dx * size, y + size * 0.02, size * 0.09, Style(WHITE, None)) for dx in (-0.2, 0.2)]
    return [
        Line(((x, y + half * 0.6), (x, y + half * 1.15)), Style(edge=INK, weight=1.2)),
        Disc(x, y + half * 1.2, size * 0.08, Style(INK, None)),
        Box(x - half, y - half * 0.7, size, size * 0.7, Style("#3D3D3D", WHITE, 0.7), rounded=2),
        *eyes,
        Line(((x - size * 0.2, y - size * 0.2), (x + size * 0.2, y - size * 0.2)), Style(edge=WHITE, weight=1.0)),
    ]


def draw_hand(x: float, y: float, width: float) -> list[Shape]:
    """The arm that holds a block; (x, y) is the middle of what it grasps from above."""
    style, half = Style(edge=INK, weight=1.6), width / 2
    grip = ((x - half, y - 6), (x - half, y + 5), (x + half, y + 5), (x + half, y - 6))
    return [Line(((x, y + 5), (x, y + 17)), style), Line(grip, style), Box(x - 5, y + 15, 10, 5, Style(INK, None))]
