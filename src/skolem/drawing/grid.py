"""Cells on a grid with what stands on them: Delivery and Visitall."""

from collections.abc import Callable
from dataclasses import replace
from math import ceil, sqrt

from skolem.drawing import glyphs
from skolem.drawing.layout import embed_in_grid
from skolem.drawing.picture import (
    INK,
    Box,
    Line,
    Picture,
    Shape,
    Style,
    Text,
    fit_text,
    join_pictures,
    lay_in_row,
)
from skolem.drawing.scene import Scene, Token

DELIVERY_SIGNATURE = {"truck": 1, "package": 1, "cell": 1, "adjacent": 2, "at": 2}
VISITALL_SIGNATURE = {"at-robot": 1, "visited": 1, "connected": 2}

_SIDE = 44.0
_HALF = _SIDE / 2


def draw_delivery(scene: Scene) -> Picture | None:
    """The grid with truck and packages, or what the goal wants where; None where the cells fit no grid."""
    where = scene.list_facts("at")
    cells = scene.sort([*scene.list_members("cell"), *(cell for _, cell in where)])
    things: dict[Token, list[Token]] = {}
    for thing, cell in where:
        things.setdefault(cell, []).append(thing)
    if not scene.is_goal:
        return _draw_grid(scene, cells, "adjacent", lambda cell: _draw_things(scene, things.get(cell, [])))
    if scene.list_facts("adjacent") or scene.list_facts("carrying"):
        return None
    wishes = []
    for cell in cells:
        parts = [Picture(tuple(_draw_thing(scene, thing, 1.4))) for thing in things.get(cell, [])]
        if parts:
            parts.append(Picture((Line(((0.0, 0.0), (26.0, 0.0)), Style(edge=INK, weight=1.4), arrow=True),)))
        wishes.append(lay_in_row([*parts, Picture(tuple(_draw_cell(cell, alone=True)))], 8))
    return _arrange(wishes, columns=1 if len(wishes) <= 4 else 2)


def draw_visitall(scene: Scene) -> Picture | None:
    """The grid with the robot and the visited cells, or the cells to be visited; None without a grid."""
    robot = {cell for (cell,) in scene.list_facts("at-robot")}
    visited = {cell for (cell,) in scene.list_facts("visited")}

    def draw_inside(cell: Token) -> list[Shape]:
        shapes: list[Shape] = []
        if cell in robot:
            shapes += glyphs.draw_robot(0.0, -1.0, 15)
        if cell in visited:
            height = _HALF - 8 if scene.is_goal else 7 - _HALF
            shapes.append(Text(_HALF - 7, height, "✓", 11, glyphs.choose_ink(cell), bold=True))
        return shapes

    if not scene.is_goal:
        return _draw_grid(scene, list(scene.tokens), "connected", draw_inside)
    if scene.list_facts("connected"):
        return None
    cells = [Picture((*_draw_cell(c, alone=c not in robot), *draw_inside(c))) for c in scene.tokens]
    return _arrange(cells, columns=2 if len(cells) <= 4 else 3)


def _draw_grid(
    scene: Scene, cells: list[Token], relation: str, draw_inside: Callable[[Token], list[Shape]]
) -> Picture | None:
    index = {cell: i for i, cell in enumerate(cells)}
    links = {(index[a], index[b]) for a, b in scene.list_facts(relation) if a in index and b in index}
    places = embed_in_grid(len(cells), sorted(links))
    if places is None or not cells:
        return None
    shapes: list[Shape] = []
    above: list[Shape] = []
    for cell, (column, row) in zip(cells, places, strict=True):
        middle = (column * _SIDE, -row * _SIDE)
        shapes += Picture(tuple(_draw_cell(cell))).move(*middle).shapes
        inside = [*draw_inside(cell), *glyphs.mark_binding(cell, _HALF - 16, _HALF - 3)]
        above += Picture(tuple(inside)).move(*middle).shapes
    return Picture((*shapes, *_draw_walls(places, links), *above))


def _draw_walls(places: list[tuple[int, int]], links: set[tuple[int, int]]) -> list[Shape]:
    """A bar between neighbouring cells that are not connected, an arrow where only one way is open."""
    at = {place: i for i, place in enumerate(places)}
    shapes: list[Shape] = []
    for i, (column, row) in enumerate(places):
        for right, down in ((1, 0), (0, 1)):
            j = at.get((column + right, row + down))
            if j is None or ((i, j) in links and (j, i) in links):
                continue
            x, y = (column + right / 2) * _SIDE, -(row + down / 2) * _SIDE
            sign = 1 if (i, j) in links else -1
            if (i, j) in links or (j, i) in links:
                ends = ((x - 7 * right * sign, y + 7 * down * sign), (x + 7 * right * sign, y - 7 * down * sign))
                shapes.append(Line(ends, Style(edge=INK, weight=1.4), arrow=True))
            else:
                ends = ((x - _HALF * down, y - _HALF * right), (x + _HALF * down, y + _HALF * right))
                shapes.append(Line(ends, Style(edge=INK, weight=3.6)))
    return shapes


def _draw_cell(cell: Token, alone: bool = False) -> list[Shape]:
    """A cell around (0, 0); alone, its name fills it, otherwise there is room for what stands on it."""
    body = Box(1 - _HALF, 1 - _HALF, _SIDE - 2, _SIDE - 2, glyphs.choose_style(cell))
    if alone:
        return [body, *glyphs.label_token(cell, 0.0, 0.0, _SIDE - 8)]
    ink = glyphs.choose_ink(cell)
    # The flag of a bound cell takes its upper right corner.
    room = _SIDE - 8 - (16 if cell.note else 0)
    name = fit_text(0.0, _HALF - 7, cell.name, room, 7, colour=ink)
    shapes: list[Shape] = [body, replace(name, x=4 - _HALF, align="left")]
    if cell.colour:
        shapes.append(Text(4 - _HALF, 5.5 - _HALF, cell.colour, 5, ink, align="left"))
    return shapes


def _draw_things(scene: Scene, things: list[Token]) -> list[Shape]:
    """The things on a cell, the smaller the more there are."""
    columns = ceil(sqrt(len(things)))
    shapes: list[Shape] = []
    for i, thing in enumerate(things):
        row, column = divmod(i, columns)
        # Above and below there is room for the names of the cell and its colour.
        across, down = (_SIDE - 4) / columns, 23.0 / ceil(len(things) / columns)
        loaded = any(truck == thing for truck, _ in scene.list_facts("carrying"))
        scale = min(1.0, across / 25, down / (30 if loaded else 17))
        middle = ((column + 0.5) * across - _HALF + 2, 11.0 - (row + 0.5) * down - (3.0 * scale if loaded else 0.0))
        shapes += Picture(tuple(_draw_thing(scene, thing, scale))).move(*middle).shapes
    return shapes


def _draw_thing(scene: Scene, thing: Token, scale: float) -> list[Shape]:
    if "truck" not in thing.kinds:
        return glyphs.draw_package(thing, 0.0, 0.0, 16 * scale)
    load = [package for truck, package in scene.list_facts("carrying") if truck == thing]
    truck = glyphs.draw_truck(thing, 0.0, -3.0 * scale if load else 0.0, 24 * scale)
    return truck + [s for package in load for s in glyphs.draw_package(package, -4.0 * scale, 9.0 * scale, 12 * scale)]


def _arrange(pictures: list[Picture], columns: int) -> Picture | None:
    """The pictures in rows, with their right sides below each other."""
    if not pictures:
        return None
    width, height = max(p.width for p in pictures) + 16, max(p.height for p in pictures) + 10
    placed = []
    for i, picture in enumerate(pictures):
        row, column = divmod(i, columns)
        placed.append(picture.move(column * width - picture.bounds[2], -row * height))
    return join_pictures(placed)
