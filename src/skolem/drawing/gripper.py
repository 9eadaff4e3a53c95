"""Rooms with balls, and the robot with its grippers."""

from itertools import permutations
from math import ceil, sqrt

from skolem.drawing.glyphs import draw_ball, draw_robot, mark_binding
from skolem.drawing.picture import (
    INK,
    PALE,
    Box,
    Disc,
    Line,
    Picture,
    Shape,
    Style,
    Text,
    choose_size,
    fit_text,
)
from skolem.drawing.scene import Scene, Token

SIGNATURE = {"at-robby": 1, "at": 2, "free": 1, "carry": 2}

_RADIUS = 16.0
_STEP = 40.0
_GAP = 34.0
_ROBOT_STRIP = 50.0

Room = Token | None
"""A room, or None for things that may be anywhere."""


def draw_gripper(scene: Scene) -> Picture | None:
    """The rooms side by side with what is, or has to be, in them; None where nothing has a place."""
    where = scene.list_facts("at")
    robot_rooms = {room for (room,) in scene.list_facts("at-robby")}
    rooms = scene.sort([*scene.list_members("room"), *(room for _, room in where), *robot_rooms])
    carried = scene.list_facts("carry")
    placed = {ball for ball, _ in where} | {ball for ball, _ in carried}
    grippers = scene.sort([*scene.list_members("gripper"), *scene.list_members("free"), *(g for _, g in carried)])
    loose = [t for t in scene.tokens if t not in placed and t not in rooms and t not in grippers]
    rooms = _order_rooms(rooms, _list_connections(scene, rooms))
    places: list[Room] = [*rooms]
    # In a goal the robot's load has to be shown even where the robot itself may be anywhere.
    homeless_robot = not robot_rooms and bool(grippers)
    if loose or homeless_robot:
        places.append(None)
    if not places:
        return None
    contents = {place: [ball for ball, room in where if room == place] if place else loose for place in places}
    most = max(len(balls) for balls in contents.values())
    columns = max(3, ceil(sqrt(most * 0.8)))
    width = columns * _STEP + 10
    height = max(1, ceil(most / columns)) * _STEP + 10
    with_robot = bool(robot_rooms) or homeless_robot
    size = choose_size((token.name for token in placed | {*loose}), _RADIUS * 1.65, 9)
    shapes = _draw_connections(scene, rooms, width, height)
    for i, place in enumerate(places):
        left = i * (width + _GAP)
        full = height + (_ROBOT_STRIP if with_robot else 0.0)
        shapes += _draw_room(place, left, width, full)
        for k, ball in enumerate(contents[place]):
            row, column = divmod(k, columns)
            shapes += draw_ball(ball, left + 5 + (column + 0.5) * _STEP, 5 + (row + 0.5) * _STEP, _RADIUS, size)
        if place in robot_rooms or (place is None and homeless_robot):
            shapes += _draw_robot(scene, grippers, left + width / 2, height + 19, size)
    return Picture(tuple(shapes))


def _draw_room(place: Room, left: float, width: float, height: float) -> list[Shape]:
    if place is None:
        return [Text(left + width / 2, height + 9, "anywhere", 9, PALE, italic=True)]
    bound = bool(place.note) and not place.variable
    style = Style("#FAFAF7", INK, 2.2 if bound else 1.2, dashed=place.variable)
    name = f"{place.name} = {place.note}" if place.variable and place.note else place.name
    title = fit_text(left + width / 2, height + 9, name, width, 10, bold=not place.variable)
    return [Box(left, 0.0, width, height, style), title, *mark_binding(place, left + width - 8, height)]


def _draw_robot(scene: Scene, grippers: list[Token], x: float, y: float, size: float) -> list[Shape]:
    shapes = draw_robot(x, y, 18)
    load = {gripper: ball for ball, gripper in scene.list_facts("carry")}
    for i, gripper in enumerate(grippers):
        side = -1 if i % 2 == 0 else 1
        at = x + side * (18 + _RADIUS + 2.2 * _RADIUS * (i // 2))
        shapes.append(Line(((x + side * 10, y), (at - side * _RADIUS, y)), Style(edge=INK, weight=1.6)))
        if gripper in load:
            shapes += draw_ball(load[gripper], at, y + 1, _RADIUS, size)
        else:
            shapes.append(Disc(at, y + 1, _RADIUS, Style("#FFFFFF", PALE, 1.0, dashed=gripper.variable)))
            shapes.append(fit_text(at, y + 1, gripper.name, 22, 7))
        shapes += mark_binding(gripper, at - 7, y + _RADIUS)
    return shapes


def _list_connections(scene: Scene, rooms: list[Token]) -> list[tuple[int, int]]:
    """The connected pairs of rooms by their places, one-way ones in their direction."""
    index = {room: i for i, room in enumerate(rooms)}
    pairs = {(index[a], index[b]) for a, b in scene.list_facts("connected") if a != b and a in index and b in index}
    return sorted((a, b) for a, b in pairs if a < b or (b, a) not in pairs)


def _order_rooms(rooms: list[Token], connections: list[tuple[int, int]]) -> list[Token]:
    """The order in which most connected rooms are neighbours."""
    if len(rooms) > 6:
        return rooms
    numbers = range(len(rooms))
    best = min(permutations(numbers), key=lambda order: sum(abs(order[a] - order[b]) for a, b in connections))
    return sorted(rooms, key=lambda room: best[rooms.index(room)])


def _draw_connections(scene: Scene, rooms: list[Token], width: float, height: float) -> list[Shape]:
    step = width + _GAP
    pairs = set(scene.list_facts("connected"))
    shapes: list[Shape] = []
    for a, b in _list_connections(scene, rooms):
        one_way = (rooms[b], rooms[a]) not in pairs
        style = Style(edge=INK, weight=2.4)
        if abs(a - b) == 1:
            start, end = (a * step + width, b * step) if a < b else (a * step, b * step + width)
            points = [(start, height / 2), (end, height / 2)]
        else:
            start, end, drop = a * step + width / 2, b * step + width / 2, -3.0 - 7.0 * abs(a - b)
            points = [(start, 0.0), (start, drop), (end, drop), (end, 0.0)]
        shapes.append(Line(tuple(points), style, arrow=one_way))
    return shapes
