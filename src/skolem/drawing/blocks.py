"""Blocks in towers."""

from skolem.drawing.glyphs import draw_hand, draw_square, mark_binding
from skolem.drawing.picture import INK, PALE, Line, Picture, Shape, Style, Text, choose_size, stack_pictures
from skolem.drawing.scene import Scene, Token

SIGNATURE = {"on": 2, "ontable": 1, "clear": 1, "holding": 1}

_SIDE = 34.0
_STEP = 48.0
_MOST_IN_ROW = 12
_HAND_HEIGHT = 50.0


def draw_blocks(scene: Scene) -> Picture | None:
    """Towers on the table and what the arm holds; None where `on` does not make towers."""
    held = scene.sort([token for (token,) in scene.list_facts("holding")])
    towers = _build_towers(scene, held)
    if towers is None:
        return None
    on_table = {token for (token,) in scene.list_facts("ontable")}
    size = choose_size((token.name for token in scene.tokens), _SIDE - 5, 10)
    wanted_clear = {token for (token,) in scene.list_facts("clear")} if scene.is_goal else set()
    columns: list[list[Shape]] = [_draw_held(token, size) for token in held]
    if scene.list_facts("handempty"):
        columns.append(draw_hand(_SIDE / 2, _HAND_HEIGHT + _SIDE, _SIDE))
    for tower in towers:
        # In a goal a tower that may stand on other blocks floats above the table.
        lift = 9.0 if on_table and tower[0] not in on_table else 0.0
        columns.append(_draw_tower(tower, lift, wanted_clear, size))
    if not columns:
        return None
    rows = [columns[i : i + _MOST_IN_ROW] for i in range(0, len(columns), _MOST_IN_ROW)]
    return stack_pictures([_draw_row(row, bool(on_table)) for row in rows], 20)


def _build_towers(scene: Scene, held: list[Token]) -> list[list[Token]] | None:
    pairs = set(scene.list_facts("on"))
    above = {lower: upper for upper, lower in pairs}
    carried = {upper for upper, _ in pairs}
    if len(above) < len(pairs) or len(carried) < len(pairs) or (carried | set(above)) & set(held):
        return None
    towers = []
    for bottom in (t for t in scene.tokens if t not in carried and t not in held):
        towers.append([bottom])
        while towers[-1][-1] in above:
            towers[-1].append(above[towers[-1][-1]])
    # Blocks that stand on each other in a circle are reached from no bottom.
    return towers if sum(map(len, towers)) + len(held) == len(scene.tokens) else None


def _draw_tower(tower: list[Token], lift: float, wanted_clear: set[Token], size: float) -> list[Shape]:
    shapes: list[Shape] = []
    if lift:
        dots = Style(edge=PALE, weight=1.0, dashed=True)
        shapes += [Line(((x, 1.0), (x, lift)), dots) for x in (6.0, _SIDE - 6.0)]
    for level, token in enumerate(tower):
        shapes += draw_square(token, 0.0, lift + level * _SIDE, _SIDE, size)
    for level, token in enumerate(tower):
        shapes += mark_binding(token, _SIDE - 4, lift + level * _SIDE + _SIDE - 8)
    if tower[-1] in wanted_clear:
        top = lift + len(tower) * _SIDE
        open_top = Style(edge=PALE, weight=0.9, dashed=True)
        shapes += [Line(((x, top + 2), (x, top + 16)), open_top) for x in (1.0, _SIDE - 1.0)]
        shapes.append(Text(_SIDE / 2, top + 9, "clear", 8, INK, italic=True))
    return shapes


def _draw_held(token: Token, size: float) -> list[Shape]:
    body = draw_square(token, 0.0, _HAND_HEIGHT, _SIDE, size)
    hand = draw_hand(_SIDE / 2, _HAND_HEIGHT + _SIDE, _SIDE)
    return [*body, *hand, *mark_binding(token, _SIDE - 4, _HAND_HEIGHT + _SIDE - 8)]


def _draw_row(columns: list[list[Shape]], on_table: bool) -> Picture:
    shapes: list[Shape] = []
    if on_table:
        end = (len(columns) - 1) * _STEP + _SIDE + 10
        shapes.append(Line(((-10.0, -1.0), (end, -1.0)), Style(edge=INK, weight=2.0)))
    for i, column in enumerate(columns):
        shapes += Picture(tuple(column)).move(i * _STEP, 0.0).shapes
    return Picture(tuple(shapes))
