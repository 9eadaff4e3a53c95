"""Sokoban: a barrel on a red cell, in a room where a wrong push is for ever."""

from random import Random

from skolem.families.suite.domain import make_domain
from skolem.families.suite.problems import Goal, spread, write_problem

Cell = tuple[int, int]

STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
COLOURS = ("red", "green", "plain")
PUSHES = 30


def draw(size: int, rng: Random) -> str:
    """A room of that many cells with boxes inside; the goal is where random pushes have brought some of them."""
    cells = dig_room(rng, size)
    inner = [cell for cell in cells if any(can_pass(cells, cell, axis) for axis in ("down", "right"))]
    boxes = dict(zip(("box1", "box2", "box3"), rng.sample(inner, min(len(inner), 2 + (size > 16))), strict=False))
    kinds = spread(rng, list(boxes), ("crate", "barrel"))
    player = rng.choice([cell for cell in cells if cell not in boxes.values()])
    ends = push_about(rng, cells, boxes, player)
    colours = spread(rng, list(map(name_cell, cells)), COLOURS)
    init = [
        *(
            ("next", name_cell(cell), name_cell(step(cell, direction)), direction)
            for cell in cells
            for direction in STEPS
            if step(cell, direction) in cells
        ),
        *((colour, cell) for cell, colour in colours.items()),
        ("player-at", name_cell(player)),
        *(("box-at", box, name_cell(cell)) for box, cell in boxes.items()),
        *(("filled", name_cell(cell)) for cell in boxes.values()),
    ]
    goal, placed, variables = Goal(), [], rng.randint(1, 4)
    for witness in rng.sample(list(boxes), len(boxes)):
        if len(goal.kinds) >= variables:
            break
        box, cell = goal.add_variable("b", kinds[witness]), name_cell(ends[witness])
        placed.append(box)
        if len(goal.kinds) < variables or rng.random() < 0.5:
            place = goal.add_variable("c", "cell") if len(goal.kinds) < 4 else cell
            if place != cell:
                goal.add(colours[cell], place)
            cell = place
        goal.add("box-at", box, cell)
    goal.differ(placed)
    objects = {kind: [box for box in boxes if kinds[box] == kind] for kind in ("crate", "barrel")}
    objects |= {"cell": list(colours), "direction": list(STEPS)}
    return write_problem("sokoban", size, objects, init, goal)


def dig_room(rng: Random, size: int) -> list[Cell]:
    """Connected cells, more of a room than of a cave."""
    cells = {(0, 0), (0, 1), (1, 0), (1, 1)}
    while len(cells) < size:
        edge = sorted({step(cell, direction) for cell in cells for direction in STEPS} - cells)
        # A cell with two neighbours closes a corner: three in four are of that kind.
        closing = [cell for cell in edge if sum(step(cell, d) in cells for d in STEPS) > 1]
        cells.add(rng.choice(closing if closing and rng.random() < 0.75 else edge))
    top, left = min(row for row, _ in cells), min(column for _, column in cells)
    return sorted((row - top, column - left) for row, column in cells)


def push_about(rng: Random, cells: list[Cell], boxes: dict[str, Cell], player: Cell) -> dict[str, Cell]:
    """Where the boxes are after random pushes."""
    boxes = dict(boxes)
    for _ in range(PUSHES):
        walked = walk(cells, set(boxes.values()), player)
        pushes = [
            (box, cell, step(cell, direction))
            for box, cell in boxes.items()
            for direction, (down, right) in STEPS.items()
            if (cell[0] - down, cell[1] - right) in walked
            and step(cell, direction) in cells
            and step(cell, direction) not in boxes.values()
        ]
        if not pushes:
            break
        box, player, boxes[box] = rng.choice(pushes)
    return boxes


def walk(cells: list[Cell], filled: set[Cell], player: Cell) -> set[Cell]:
    """The cells that the player can reach."""
    found, ahead = {player}, [player]
    while ahead:
        cell = ahead.pop()
        for direction in STEPS:
            there = step(cell, direction)
            if there in cells and there not in filled and there not in found:
                found.add(there)
                ahead.append(there)
    return found


def can_pass(cells: list[Cell], cell: Cell, direction: str) -> bool:
    """Whether a box on the cell can be pushed along that axis."""
    down, right = STEPS[direction]
    return step(cell, direction) in cells and (cell[0] - down, cell[1] - right) in cells


def step(cell: Cell, direction: str) -> Cell:
    """The neighbour in that direction."""
    down, right = STEPS[direction]
    return cell[0] + down, cell[1] + right


def name_cell(cell: Cell) -> str:
    """The cell as an object."""
    return f"cell{cell[0]}-{cell[1]}"


DOMAIN = make_domain(
    "sokoban",
    draw,
    (12, 13, 14, 15, 16),
    (19, 22, 25, 28),
    "Typed, with an axiom; colours of cells are predicates, kinds of boxes are types; boxes get stuck (dead ends). The "
    "size is the number of cells.",
)
