"""Any other domain: objects as boxes, binary facts as labelled arrows, everything else as text."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle

import numpy as np

from skolem.drawing.arrows import Arrow, choose_strokes, draw_arrows, draw_legend
from skolem.drawing.glyphs import choose_ink, choose_style, mark_binding
from skolem.drawing.layout import list_components, list_neighbours, spread_nodes
from skolem.drawing.picture import (
    PALE,
    WHITE,
    Box,
    Picture,
    Shape,
    Text,
    lay_in_row,
    measure_text,
    stack_pictures,
    wrap_parts,
)
from skolem.drawing.scene import SHADES, Scene, Token

MOST_TOKENS = 60
_MOST_ARROWS = 90
_MOST_REMARKS = 10
_MOST_UNARY = 4
_MOST_NEIGHBOURS = 6
_WIDTH = 520.0
_TINTS = ("#DCE9F5", "#FBE7C6", "#DDF0E1", "#F3DCEB", "#E6DFF5", "#F7F3C9", "#D5F0F0", "#EADFD5", "#E3E3E3")


@dataclass(frozen=True)
class Node:
    """A token's box around (0, 0)."""

    token: Token
    lines: tuple[str, ...]
    width: float
    height: float
    tint: str

    def draw(self) -> Picture:
        """The box with the name and what is true of the token."""
        style = choose_style(self.token)
        if not self.token.colour:
            style = replace(style, fill=self.tint)
        ink, top = choose_ink(self.token), self.height / 2 - 9
        shapes: list[Shape] = [Box(-self.width / 2, -self.height / 2, self.width, self.height, style, rounded=4)]
        shapes.append(Text(0.0, top, self.lines[0], 9, ink, bold=not self.token.variable))
        shapes += [Text(0.0, top - 10 - 8.5 * i, line, 7, ink) for i, line in enumerate(self.lines[1:])]
        return Picture((*shapes, *mark_binding(self.token, self.width / 2 - 9, self.height / 2)))


def choose_tints(scene: Scene) -> dict[str, str]:
    """A pale colour for every group of tokens."""
    groups = dict.fromkeys(_name_group(token) for token in scene.tokens)
    return dict(zip(groups, cycle(_TINTS), strict=False))


def draw_relations(scene: Scene, tints: Mapping[str, str], first: Iterable[str] = ()) -> Picture | None:
    """The graph of the facts; of a large scene the part around the objects named `first`, and what was left out."""
    shown = _choose_tokens(scene, set(first))
    arrows, crowded = _choose_arrows(scene, set(shown))
    parts = [_draw_graph(_make_nodes(scene, shown, tints), arrows)] if shown else []
    parts += _draw_remarks(_list_remarks(scene, set(shown), crowded))
    return stack_pictures(parts, 14) if parts else None


def draw_relation_states(scenes: Sequence[Scene], tints: Mapping[str, str], first: Iterable[str]) -> list[Picture]:
    """The graphs of several states of the same objects, each object at one place in all of them."""
    rows = {name: [row for scene in scenes for row in scene.list_facts(name)] for name in scenes[0].facts}
    whole = Scene(scenes[0].tokens, {name: tuple(dict.fromkeys(found)) for name, found in rows.items()})
    shown = _choose_tokens(whole, set(first))
    arrows, crowded = _choose_arrows(whole, set(shown))
    nodes, strokes = _make_nodes(whole, shown, tints), choose_strokes(arrows)
    boxes = _place_components(nodes, arrows, strokes)
    pictures = []
    for scene in scenes:
        kept = Scene(scene.tokens, {name: found for name, found in scene.facts.items() if name not in crowded})
        here, _ = _choose_arrows(kept, set(shown))
        # Boxes are as large as they ever get, so that arrows end where they did before.
        drawn = [replace(node, width=boxes[node.token][2]) for node in _make_nodes(kept, shown, tints)]
        lines, labels = draw_arrows(here, boxes, strokes)
        bodies = [shape for node in drawn for shape in node.draw().move(*boxes[node.token][:2]).shapes]
        graph = Picture((*lines, *bodies, *labels))
        pictures.append(stack_pictures([graph, *_draw_remarks(_list_remarks(kept, set(shown), crowded))], 14))
    return pictures


def _place_components(
    nodes: list[Node], arrows: list[Arrow], strokes: Mapping[str, str]
) -> dict[Token, tuple[float, float, float, float]]:
    """The boxes of all tokens: connected parts from left to right in rows, then what is connected with nothing."""
    index = {node.token: i for i, node in enumerate(nodes)}
    edges = [(index[arrow.start], index[arrow.end]) for arrow in arrows]
    boxes: dict[Token, tuple[float, float, float, float]] = {}
    x = y = lowest = 0.0
    for part in sorted(list_components(list_neighbours(len(nodes), edges)), key=len, reverse=True):
        placed = _place([nodes[i] for i in part], [a for a in arrows if index[a.start] in part], strokes)
        left, right = (min(b[0] - b[2] / 2 for b in placed.values()), max(b[0] + b[2] / 2 for b in placed.values()))
        bottom, top = (min(b[1] - b[3] / 2 for b in placed.values()), max(b[1] + b[3] / 2 for b in placed.values()))
        if x > 0 and x + right - left > _WIDTH:
            x, y = 0.0, lowest - 16
        for token, (cx, cy, width, height) in placed.items():
            boxes[token] = (cx - left + x, cy - top + y, width, height)
        x, lowest = x + right - left + 12, min(lowest, y - (top - bottom))
    return boxes


def _choose_tokens(scene: Scene, first: set[str]) -> list[Token]:
    if len(scene.tokens) <= MOST_TOKENS:
        return list(scene.tokens)
    neighbours: dict[Token, list[Token]] = {}
    for row in (row for rows in scene.facts.values() for row in rows if len(row) == 2):
        neighbours.setdefault(row[0], []).append(row[1])
        neighbours.setdefault(row[1], []).append(row[0])
    near = [token for token in scene.tokens if token.name in first]
    seen = set(near)
    for token in near:
        fresh = [n for n in dict.fromkeys(neighbours.get(token, ())) if n not in seen][:_MOST_NEIGHBOURS]
        near.extend(fresh)
        seen.update(fresh)
        if len(near) > MOST_TOKENS:
            break
    rest = (token for token in scene.tokens if token not in seen)
    return scene.sort([*near, *rest][: MOST_TOKENS * 2 // 3])


def _choose_arrows(scene: Scene, shown: set[Token]) -> tuple[list[Arrow], dict[str, int]]:
    """The arrows to draw, and the relations that have too many of them with how many."""
    relations = {
        name: [(a, b) for a, b in rows if a in shown and b in shown and a != b]
        for name, rows in scene.facts.items()
        if rows and len(rows[0]) == 2
    }
    pairs: dict[tuple[Token, Token], list[str]] = {}
    crowded = {}
    for name in sorted(relations, key=lambda name: (len(relations[name]), name)):
        rows = set(relations[name])
        if sum(map(len, pairs.values())) + len(rows) > _MOST_ARROWS:
            crowded[name] = len(rows)
            continue
        for a, b in relations[name]:
            pairs.setdefault((a, b), []).append(name)
    arrows = []
    for (a, b), names in pairs.items():
        back = pairs.get((b, a), [])
        if names == back and scene.order[a] > scene.order[b]:
            continue
        arrows.append(Arrow(a, b, ", ".join(names), both_ways=names == back, bent=bool(back) and names != back))
    return arrows, crowded


def _make_nodes(scene: Scene, shown: list[Token], tints: Mapping[str, str]) -> list[Node]:
    unary: dict[Token, list[str]] = {token: [] for token in shown}
    for name, rows in sorted(scene.facts.items()):
        for row in rows:
            if row and row[0] in unary and set(row) == {row[0]} and len(row) <= 2:
                unary[row[0]].append(name if len(row) == 1 else f"{name}(itself)")
    nodes = []
    for token in shown:
        facts = unary[token]
        if len(facts) > _MOST_UNARY:
            facts = [*facts[: _MOST_UNARY - 1], f"… {len(facts) - _MOST_UNARY + 1} more"]
        head = f"{token.name} = {token.note}" if token.variable and token.note else token.name
        lines = (head, *([] if token.type == "object" else [f": {token.type}"]), *facts)
        width = max(measure_text(head, 9, bold=True), *(measure_text(line, 7) for line in lines), 22.0) + 10
        tint = tints.get(_name_group(token), WHITE)
        nodes.append(Node(token, lines, width, 18.0 + 8.5 * (len(lines) - 1) + (2.0 if lines[1:] else 0.0), tint))
    return nodes


def _name_group(token: Token) -> str:
    """What the token is coloured and counted by: its type, or in an untyped domain its static descriptions."""
    if token.type != "object":
        return token.type
    return " ".join(sorted(token.kinds - SHADES.keys())) or "object"


def _draw_graph(nodes: list[Node], arrows: list[Arrow]) -> Picture:
    index = {node.token: i for i, node in enumerate(nodes)}
    edges = [(index[arrow.start], index[arrow.end]) for arrow in arrows]
    components = list_components(list_neighbours(len(nodes), edges))
    strokes = choose_strokes(arrows)
    pictures = []
    for part in sorted((p for p in components if len(p) > 1), key=len, reverse=True):
        pictures.append(
            _draw_component([nodes[i] for i in part], [a for a in arrows if index[a.start] in part], strokes)
        )
    single = [nodes[part[0]] for part in components if len(part) == 1]
    groups = list(dict.fromkeys(_name_group(node.token) for node in single))
    single.sort(key=lambda node: groups.index(_name_group(node.token)))
    rows = [*_fill_rows(pictures, 26), *draw_legend(strokes), *_fill_rows([node.draw() for node in single], 8)]
    return stack_pictures(rows, 16)


def _draw_component(nodes: list[Node], arrows: list[Arrow], strokes: Mapping[str, str]) -> Picture:
    boxes = _place(nodes, arrows, strokes)
    lines, labels = draw_arrows(arrows, boxes, strokes)
    bodies = [shape for node in nodes for shape in node.draw().move(*boxes[node.token][:2]).shapes]
    return Picture((*lines, *bodies, *labels))


def _place(
    nodes: list[Node], arrows: list[Arrow], strokes: Mapping[str, str]
) -> dict[Token, tuple[float, float, float, float]]:
    """The boxes of connected tokens: the middle, the width and the height of each."""
    index = {node.token: i for i, node in enumerate(nodes)}
    edges = [(index[arrow.start], index[arrow.end]) for arrow in arrows]
    # Between two boxes side by side there must be room for a label and the arrow's head.
    label = 0.0 if strokes else max((measure_text(arrow.label, 6.5) for arrow in arrows), default=0.0)
    sizes = np.array([(node.width + max(22.0, min(60.0, label + 14)), node.height + 24) for node in nodes])
    length = min(110.0, 25 + float(sizes.mean()) * 0.7 + label * 0.5)
    centres = spread_nodes(sizes, edges, length)
    return {
        node.token: (float(x), float(y), node.width, node.height) for node, (x, y) in zip(nodes, centres, strict=True)
    }


def _fill_rows(pictures: Sequence[Picture], gap: float) -> list[Picture]:
    rows: list[list[Picture]] = []
    room = 0.0
    for picture in pictures:
        if not rows or picture.width > room:
            rows.append([])
            room = _WIDTH
        rows[-1].append(picture)
        room -= picture.width + gap
    return [lay_in_row(row, gap) for row in rows]


def _list_remarks(scene: Scene, shown: set[Token], crowded: dict[str, int]) -> list[str]:
    remarks = []
    for name, rows in sorted(scene.facts.items()):
        for row in rows:
            if not row or (len(row) > 2 and set(row) <= shown):
                remarks.append(f"{name}({', '.join(token.name for token in row)})" if row else name)
    if len(remarks) > _MOST_REMARKS:
        remarks = [*remarks[:_MOST_REMARKS], f"and {len(remarks) - _MOST_REMARKS} facts more"]
    remarks += [f"{name}: {count} pairs, not drawn" for name, count in sorted(crowded.items())]
    hidden = Counter(_name_group(token) for token in scene.tokens if token not in shown)
    if hidden:
        kinds = ", ".join(f"{count} {group}" for group, count in hidden.most_common(6))
        others = ", …" if len(hidden) > 6 else ""
        remarks.append(f"{hidden.total()} objects not drawn ({kinds}{others})")
    return remarks


def _draw_remarks(remarks: list[str]) -> list[Picture]:
    parts = [remark + (";" if i + 1 < len(remarks) else "") for i, remark in enumerate(remarks)]
    lines = wrap_parts(parts, _WIDTH, 8, 12)
    texts = [Text(0.0, -11.0 * i, line, 8, PALE, align="left") for i, line in enumerate(lines)]
    return [Picture(tuple(texts))] if texts else []
