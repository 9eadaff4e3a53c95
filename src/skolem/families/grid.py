"""Grids of cells, for the families that move on one, and odd ones with long distances."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from random import Random

GridPoint = tuple[int, int]
Passages = list[tuple[str, str]]
"""Pairs of neighbouring cells, in both directions."""


def sample_grid(rng: Random, cells: int) -> dict[str, GridPoint]:
    """The cells of a grid by name, with row and column.

    The grid is a rectangle at most twice as long as wide where the number of cells allows one,
    and otherwise such a rectangle whose last row is incomplete.
    """
    widths = [w for w in range(1, cells + 1) if _is_compact(w, -(-cells // w))]
    width = rng.choice([w for w in widths if cells % w == 0] or widths)
    places = (divmod(i, width) for i in range(cells))
    return {f"c{row}-{column}": (row, column) for row, column in places}


def connect_grid(grid: dict[str, GridPoint]) -> Passages:
    """The pairs of neighbouring cells, in both directions."""
    names = {place: name for name, place in grid.items()}
    steps = ((0, 1), (1, 0), (0, -1), (-1, 0))
    return [
        (name, names[row + down, column + right])
        for name, (row, column) in grid.items()
        for down, right in steps
        if (row + down, column + right) in names
    ]


def sample_odd_grid(rng: Random, cells: int) -> tuple[tuple[str, ...], Passages]:
    """The cells of a path, a ring, a maze with or without loops, or a grid with walls, and their passages."""
    shape = rng.choices(("path", "ring", "maze", "loops", "walls"), (5, 2, 6, 3, 4))[0]
    if shape in ("path", "ring"):
        names = [f"c0-{i}" for i in range(cells)]
        return tuple(names), join_rooms(rng, names, shape)
    grid = sample_grid(rng, cells)
    passages = connect_grid(grid)
    if shape == "walls":
        return tuple(grid), build_walls(rng, grid, passages)
    kept = set(grow_tree(rng, passages))
    if shape == "loops":
        spare = sorted({pair for pair in passages if pair not in kept and pair[0] < pair[1]})
        kept |= {pair for a, b in rng.sample(spare, min(len(spare), 2)) for pair in ((a, b), (b, a))}
    return tuple(grid), [pair for pair in passages if pair in kept]


def join_rooms(rng: Random, rooms: Sequence[str], shape: str) -> Passages:
    """The passages of rooms in a row (path), in a ring, around one of them (star), or in a random tree."""
    if shape == "tree":
        doors = [(rooms[rng.randrange(i)], rooms[i]) for i in range(1, len(rooms))]
    elif shape == "star":
        doors = [(rooms[0], room) for room in rooms[1:]]
    else:
        doors = list(pairwise(rooms))
        doors += [(rooms[-1], rooms[0])] if shape == "ring" and len(rooms) > 2 else []
    return [pair for a, b in doors for pair in ((a, b), (b, a))]


def grow_tree(rng: Random, passages: Passages) -> Passages:
    """Passages that connect all cells and close no loop; mostly they go on from the last cell, in long corridors."""
    if not passages:
        return []
    start = rng.choice(passages)[0]
    reached, open_cells, tree = {start}, [start], []
    while open_cells:
        place = -1 if rng.random() < 0.85 else rng.randrange(len(open_cells))
        ahead = [pair for pair in passages if pair[0] == open_cells[place] and pair[1] not in reached]
        if not ahead:
            del open_cells[place]
            continue
        here, there = rng.choice(ahead)
        reached.add(there)
        open_cells.append(there)
        tree += [(here, there), (there, here)]
    return tree


def build_walls(rng: Random, grid: dict[str, GridPoint], passages: Passages) -> Passages:
    """The passages without those through one or two walls across the grid, each of which has one door."""
    for _ in range(rng.randint(1, 2)):
        axis = rng.randrange(2)
        wall = rng.randint(0, max(place[axis] for place in grid.values()))
        through = sorted({(a, b) for a, b in passages if grid[a][axis] == wall and grid[b][axis] == wall + 1})
        shut = set(through) - {rng.choice(through)} if through else set()
        passages = [(a, b) for a, b in passages if (a, b) not in shut and (b, a) not in shut]
    return passages


def pick_far(rng: Random, cells: Sequence[str], passages: Passages, taken: Iterable[str]) -> str:
    """A random cell, or in half of the cases that of three which is the farthest from those taken."""
    if rng.random() < 0.5:
        return rng.choice(cells)
    distance = count_steps(passages, taken)
    return max((rng.choice(cells) for _ in range(3)), key=lambda cell: distance.get(cell, 0))


def count_steps(passages: Passages, starts: Iterable[str]) -> dict[str, int]:
    """The number of steps from the nearest start to every cell that is reached."""
    neighbours: dict[str, list[str]] = {}
    for a, b in passages:
        neighbours.setdefault(a, []).append(b)
    distance = dict.fromkeys(starts, 0)
    queue = list(distance)
    for cell in queue:
        for other in neighbours.get(cell, ()):
            if other not in distance:
                distance[other] = distance[cell] + 1
                queue.append(other)
    return distance


def _is_compact(width: int, height: int) -> bool:
    return max(width, height) <= 2 * min(width, height)
