"""Sokoban: a barrel on a red cell, in a room where a wrong push is for ever."""

from random import Random

from skolem.families.suite.domain import make_domain
from skolem.families.suite.problems import Goal, spread, write_problem

Cell = tuple[int, int]

STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
PUSHES = 40


def draw(size: int, rng: Random) -> str:
    """A room of that many cells with boxes inside; the goal is where random pushes have brought some of them."""
    cells = dig_room(rng, size)
    # Where a box can be pushed along both axes, else along one.
    free = sorted(
        cells, key=lambda cell: (-sum(can_pass(cells, cell, axis) for axis in ("down", "right")), rng.random())
    )
    boxes = dict(zip(("box1", "box2", "box3")[: 2 + (size > 18)], free, strict=False))
    kinds = spread(rng, list(boxes), ("crate", "barrel"))
    player = rng.choice([cell for cell in cells if cell not in boxes.values()])
    ends = push_about(rng, cells, boxes, player)
    # Few cells are marked: those where the boxes may end, and some others.
    marked = sorted({*ends.values(), *rng.sample(cells, size // 6)})
    colours = spread(rng, list(map(name_cell, marked)), ("red", "green"))
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
        if len(goal.kinds) < variables:
            place = goal.add_variable("c", "cell")
            goal.add(colours[cell], place)
            cell = place
        goal.add("box-at", box, cell)
    goal.differ(placed)
    objects = {kind: [box for box in boxes if kinds[box] == kind] for kind in ("crate", "barrel")}
    objects |= {"cell": list(map(name_cell, cells)), "direction": list(STEPS)}
    return write_problem("sokoban", size, objects, init, goal)


def dig_room(rng: Random, size: int) -> list[Cell]:
    """A rectangle of cells without those that are too many, still connected."""
    columns = rng.choice([n for n in range(3, size) if n * n <= 2 * size and size >= 3 * n and -size % n < 4])
    cells = {(row, column) for row in range(-(-size // columns)) for column in range(columns)}
    while len(cells) > size:
        pillar = rng.choice(sorted(cells))
        rest = sorted(cells - {pillar})
        if len(walk(rest, set(), rest[0])) == len(rest):
            cells.remove(pillar)
    return sorted(cells)


def push_about(rng: Random, cells: list[Cell], boxes: dict[str, Cell], player: Cell) -> dict[str, Cell]:
    """Where the boxes are farthest from where they were, in the course of random pushes."""
    start, farthest = boxes, boxes
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
        box, player, there = rng.choice(pushes)
        boxes = boxes | {box: there}
        farthest = max(farthest, boxes, key=lambda each: sum(map(measure, start.values(), each.values())))
    return farthest


def measure(cell: Cell, other: Cell) -> int:
    """The distance of two cells in an empty room."""
    return abs(cell[0] - other[0]) + abs(cell[1] - other[1])


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
    (12, 13, 15, 16),
    (20, 22, 24, 26),
    "Typed, with an axiom; colours of cells are predicates, kinds of boxes are types; boxes get stuck (dead ends). The "
    "size is the number of cells.",
)
