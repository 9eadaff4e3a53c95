"""Where cells and nodes are drawn."""

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from skolem.drawing.layout import embed_in_grid, spread_nodes

Cell = tuple[int, int]


def connect_cells(cells: list[Cell]) -> list[tuple[int, int]]:
    number = {cell: i for i, cell in enumerate(cells)}
    beside = [(cell, (cell[0] + dx, cell[1] + dy)) for cell in cells for dx, dy in ((1, 0), (0, 1))]
    return [(number[a], number[b]) for a, b in beside if b in number]


def test_a_grid_listed_row_by_row_is_drawn_as_listed() -> None:
    cells = [(column, row) for row in range(4) for column in range(6)]
    assert embed_in_grid(len(cells), connect_cells(cells)) == cells


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 1000))
def test_a_shuffled_grid_gets_its_shape_back(width: int, height: int, seed: int) -> None:
    cells = [(column, row) for row in range(height) for column in range(width)]
    Random(seed).shuffle(cells)
    edges = connect_cells(cells)
    places = embed_in_grid(len(cells), edges)
    assert places is not None
    assert len(set(places)) == len(cells)
    assert all(abs(places[a][0] - places[b][0]) + abs(places[a][1] - places[b][1]) == 1 for a, b in edges)
    if min(width, height) > 1:
        spans = {1 + max(p[axis] for p in places) for axis in (0, 1)}
        assert spans == {width, height}


def test_unconnected_grids_stand_side_by_side() -> None:
    places = embed_in_grid(4, [(0, 1), (2, 3)])
    assert places == [(0, 0), (1, 0), (3, 0), (4, 0)]


def test_a_graph_that_is_no_grid_has_no_places() -> None:
    triangle = [(0, 1), (1, 2), (2, 0)]
    star = [(0, i) for i in range(1, 6)]
    assert embed_in_grid(3, triangle) is None
    assert embed_in_grid(6, star) is None


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 25), st.integers(0, 1000))
def test_spread_boxes_do_not_overlap(count: int, seed: int) -> None:
    rng = Random(seed)
    edges = [(rng.randrange(i), i) for i in range(1, count)]
    sizes = np.array([(rng.randrange(20, 90), rng.randrange(15, 50)) for _ in range(count)], dtype=float)
    centres = spread_nodes(sizes, edges, 60.0)
    gaps = np.abs(centres[:, None] - centres[None, :]) - (sizes[:, None] + sizes[None, :]) / 2
    assert all((gaps[a, b] > -1.0).any() for a in range(count) for b in range(a))
