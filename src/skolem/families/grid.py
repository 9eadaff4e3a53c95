"""Grids of cells, for the families that move on one."""

from random import Random

GridPoint = tuple[int, int]


def sample_grid(rng: Random, cells: int) -> dict[str, GridPoint]:
    """The cells of a grid by name, with row and column.

    The grid is a rectangle at most twice as long as wide where the number of cells allows one,
    and otherwise such a rectangle whose last row is incomplete.
    """
    widths = [w for w in range(1, cells + 1) if _is_compact(w, -(-cells // w))]
    width = rng.choice([w for w in widths if cells % w == 0] or widths)
    places = (divmod(i, width) for i in range(cells))
    return {f"c{row}-{column}": (row, column) for row, column in places}


def connect_grid(grid: dict[str, GridPoint]) -> list[tuple[str, str]]:
    """The pairs of neighbouring cells, both ways."""
    names = {place: name for name, place in grid.items()}
    steps = ((0, 1), (1, 0), (0, -1), (-1, 0))
    return [
        (name, names[row + down, column + right])
        for name, (row, column) in grid.items()
        for down, right in steps
        if (row + down, column + right) in names
    ]


def _is_compact(width: int, height: int) -> bool:
    return max(width, height) <= 2 * min(width, height)
