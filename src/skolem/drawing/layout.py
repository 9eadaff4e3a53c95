"""Where the nodes of a graph go: on a grid when the graph is part of one, otherwise spread over the plane."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

GridPoint = tuple[int, int]
Edges = Sequence[tuple[int, int]]
Points = npt.NDArray[np.float64]

_STARTS = 20
_STEPS: tuple[GridPoint, ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))


def list_neighbours(count: int, edges: Edges) -> list[list[int]]:
    """The neighbours of every node, in order."""
    sets: list[set[int]] = [set() for _ in range(count)]
    for a, b in edges:
        if a != b:
            sets[a].add(b)
            sets[b].add(a)
    return [sorted(s) for s in sets]


def list_components(neighbours: list[list[int]]) -> list[list[int]]:
    """The connected parts of the graph, each in order."""
    seen: set[int] = set()
    parts = []
    for start in range(len(neighbours)):
        if start in seen:
            continue
        part, seen = [start], seen | {start}
        for node in part:
            fresh = [n for n in neighbours[node] if n not in seen]
            part.extend(fresh)
            seen.update(fresh)
        parts.append(sorted(part))
    return parts


def embed_in_grid(count: int, edges: Edges) -> list[GridPoint] | None:
    """Distinct (column, row) places with every edge between neighbouring places, or None where none is found.

    Rows count downwards; of the mirrored and turned versions the one that reads most like the nodes' own
    order is taken, and unconnected parts stand side by side.
    """
    neighbours = list_neighbours(count, edges)
    places: list[GridPoint] = [(0, 0)] * count
    column = 0
    for part in list_components(neighbours):
        embedded = _embed_part(part, neighbours)
        if embedded is None:
            return None
        for node, (x, y) in _turn_to_reading_order(embedded).items():
            places[node] = (column + x, y)
        column = max(places[node][0] for node in part) + 2
    return places


def _embed_part(part: list[int], neighbours: list[list[int]]) -> dict[int, GridPoint] | None:
    """Places for the nodes of one connected part, from the first start that leads to some without much effort."""
    if any(len(neighbours[node]) > len(_STEPS) for node in part):
        return None
    starts = sorted(part, key=lambda node: (-len(neighbours[node]), node))
    few = starts[: max(1, min(_STARTS, 2000 // len(part)))]
    attempts = (_embed_from(start, part, neighbours) for start in few)
    return next((places for places in attempts if places is not None), None)


def _embed_from(start: int, part: list[int], neighbours: list[list[int]]) -> dict[int, GridPoint] | None:
    """Places by backtracking; the node with most placed neighbours is next, so that mistakes show at once."""
    placed: dict[int, GridPoint] = {}
    taken: dict[GridPoint, int] = {}
    touching = dict.fromkeys(part, 0)
    effort = 6 * len(part) + 200

    def list_options(node: int) -> list[GridPoint]:
        fixed = [placed[n] for n in neighbours[node] if n in placed]
        around = [{(x + dx, y + dy) for dx, dy in _STEPS} for x, y in fixed]
        free = [place for place in sorted(set.intersection(*around)) if place not in taken]

        def count_strangers(place: GridPoint) -> int:
            beside = (taken.get((place[0] + dx, place[1] + dy)) for dx, dy in _STEPS)
            return sum(other is not None and other not in neighbours[node] for other in beside)

        return sorted(free, key=count_strangers)

    def change(node: int, place: GridPoint | None) -> None:
        if place is None:
            del taken[placed.pop(node)]
        else:
            placed[node], taken[place] = place, node
        for n in neighbours[node]:
            touching[n] += 1 if place is not None else -1

    # Each entry is a node and the places still to be tried for it.
    trail: list[tuple[int, list[GridPoint]]] = [(start, [(0, 0)])]
    while trail:
        node, options = trail[-1]
        if node in placed:
            change(node, None)
        effort -= 1
        if effort < 0:
            return None
        if not options:
            trail.pop()
            continue
        change(node, options.pop(0))
        if len(placed) == len(part):
            return placed
        following = max(
            (n for n in part if n not in placed),
            key=lambda n: (touching[n], len(neighbours[n]), (start - n) % len(neighbours)),
        )
        trail.append((following, list_options(following)))
    return None


def _turn_to_reading_order(places: dict[int, GridPoint]) -> dict[int, GridPoint]:
    nodes = sorted(places)
    points = np.array([places[n] for n in nodes])
    best: tuple[float, npt.NDArray[np.int64]] | None = None
    for swap in (False, True):
        for flip_x in (1, -1):
            for flip_y in (1, -1):
                turned = (points[:, ::-1] if swap else points) * (flip_x, flip_y)
                turned = turned - turned.min(axis=0)
                reading = turned[:, 1] * (turned[:, 0].max() + 1) + turned[:, 0]
                # How many neighbours in the nodes' order are also in reading order, then the wider picture.
                score = float((np.diff(reading) > 0).sum()) + 0.5 * float((np.diff(reading) == 1).sum())
                score += 0.1 * float(np.ptp(turned[:, 0]) > np.ptp(turned[:, 1]))
                if best is None or score > best[0]:
                    best = (score, turned)
    assert best is not None
    return {n: (int(x), int(y)) for n, (x, y) in zip(nodes, best[1], strict=True)}


def spread_nodes(sizes: Points, edges: Edges, length: float) -> Points:
    """Centres of one connected graph's boxes: edges about as long as asked, boxes apart from each other."""
    count = len(sizes)
    points = _scale_distances(count, edges) * length
    attract = np.zeros((count, count))
    for a, b in edges:
        attract[a, b] = attract[b, a] = float(a != b)
    for step in range(250):
        delta = points[:, None, :] - points[None, :, :]
        distance = np.maximum(np.hypot(delta[..., 0], delta[..., 1]), 1.0)
        # Repulsion falls off fast, so that far parts of a large graph do not drive each other away.
        pull = (length / distance) ** 3 - attract * distance / length
        move = (delta * (pull * (1 - np.eye(count)))[..., None]).sum(axis=1) - 0.02 * points
        largest = length * 0.4 * (1 - step / 250)
        norm = np.maximum(np.hypot(move[:, 0], move[:, 1]), 1e-9)
        points = points + move * (np.minimum(norm, largest) / norm)[:, None]
    return np.round(_separate_boxes(points, sizes), 2)


def _scale_distances(count: int, edges: Edges) -> Points:
    """Positions whose distances resemble those in the graph (classical scaling)."""
    neighbours = list_neighbours(count, edges)
    distance = np.zeros((count, count))
    for start in range(count):
        steps, queue = {start: 0}, [start]
        for node in queue:
            for n in neighbours[node]:
                if n not in steps:
                    steps[n] = steps[node] + 1
                    queue.append(n)
        distance[start] = [steps.get(node, count) for node in range(count)]
    centre = np.eye(count) - 1 / count
    values, vectors = np.linalg.eigh(-0.5 * centre @ (distance**2) @ centre)
    points = vectors[:, -2:][:, ::-1] * np.sqrt(np.maximum(values[-2:][::-1], 0.0))
    if points.shape[1] < 2:
        points = np.hstack([points, np.zeros((count, 1))])
    # The sign of an eigenvector is arbitrary; a slight curve keeps equal nodes from falling together.
    points *= np.where(points[np.abs(points).argmax(axis=0), range(2)] < 0, -1.0, 1.0)
    turn = np.arange(count) * 2.399963
    spread: Points = points + 0.05 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return spread


def _separate_boxes(points: Points, sizes: Points) -> Points:
    count = len(points)
    needed = (sizes[:, None, :] + sizes[None, :, :]) / 2
    points = points.copy()
    for _ in range(300):
        delta = points[:, None, :] - points[None, :, :]
        overlap = needed - np.abs(delta)
        overlap[np.arange(count), np.arange(count)] = -1.0
        clash = (overlap > 0.01).all(axis=2)
        if not clash.any():
            break
        along_x = clash & (overlap[..., 0] <= overlap[..., 1])
        order = np.sign(np.arange(count)[:, None] - np.arange(count)[None, :])
        for axis, active in ((0, along_x), (1, clash & ~along_x)):
            side = np.where(delta[..., axis] == 0, order, np.sign(delta[..., axis]))
            points[:, axis] += (side * overlap[..., axis] * active).sum(axis=1) * 0.35
    return points
