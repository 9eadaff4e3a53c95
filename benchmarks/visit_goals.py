"""Goals of the paper's Visit-1 and Visit-Many with exact costs, and three ways to show them to a network."""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from random import Random
from typing import Literal

import numpy as np
import numpy.typing as npt

from skolem.network.encoding import EncodedGraphs, StateEncoder
from skolem.network.vocabulary import Vocabulary
from skolem.task.constraints.relations_index import index_relations
from skolem.task.query import CodedAtom, Query
from skolem.task.relation import Relation

COLOURS = 3
"""Colours that goals may ask for; cells may also have none of them."""
MOST_CELLS = 8


@dataclass(frozen=True)
class Visit:
    """Cells with colours, a robot, and a goal: visit a cell for every variable, of the variable's colour."""

    colours: tuple[int, ...]
    """The colour of every cell; `COLOURS` stands for none."""
    edges: tuple[tuple[int, int], ...]
    """Pairs of neighbours, each once."""
    robot: int
    asked: tuple[int, ...]
    """The colour of every variable."""
    unequal: tuple[tuple[int, int], ...] = ()
    """Pairs of variables that must differ."""
    binding: tuple[int, ...] = ()
    """The cell of every variable, -1 while it has none; empty for none at all."""

    @property
    def bound(self) -> tuple[int, ...]:
        """The cell of every variable, -1 for none."""
        return self.binding or (-1,) * len(self.asked)

    @cached_property
    def cost(self) -> int | None:
        """The least number of moves after which the goal is true, by breadth-first search; None if there is none."""
        near: list[list[int]] = [[] for _ in self.colours]
        for a, b in self.edges:
            near[a].append(b)
            near[b].append(a)
        start = (self.robot, frozenset([self.robot]))
        seen, queue = {start}, deque([(start, 0)])
        while queue:
            (cell, visited), moves = queue.popleft()
            if self.is_true(visited):
                return moves
            for other in near[cell]:
                # Cells of other colours are never asked for: whether they were visited makes no difference.
                matters = self.colours[other] in self.asked
                after = (other, visited | {other} if matters else visited)
                if after not in seen:
                    seen.add(after)
                    queue.append((after, moves + 1))
        return None

    def is_true(self, visited: frozenset[int]) -> bool:
        """Whether the goal is true once these cells are visited."""

        def extend(variable: int, chosen: tuple[int, ...]) -> bool:
            if variable == len(self.asked):
                return all(chosen[a] != chosen[b] for a, b in self.unequal)
            cells = visited if self.bound[variable] < 0 else visited & {self.bound[variable]}
            fitting = (cell for cell in cells if self.colours[cell] == self.asked[variable])
            return any(extend(variable + 1, (*chosen, cell)) for cell in fitting)

        return extend(0, ())

    def bind(self, variable: int, cell: int) -> "Visit":
        """The same with one more variable bound."""
        return replace(self, binding=(*self.bound[:variable], cell, *self.bound[variable + 1 :]))


@dataclass(frozen=True)
class Input:
    """A way to show goals to a network."""

    name: str
    meaning: str
    colours: Literal["predicates", "objects"]
    decided: bool
    """Input version 2: attributes are left out, what is static and ground is decided."""

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The relations of its graphs."""
        unary = [Relation(_name_colour(c), 1, True) for c in range(COLOURS)]
        coloured = unary if self.colours == "predicates" else [Relation("has-colour", 2, True)]
        own = [Relation("connected", 2, True), Relation("at-robot", 1, False), Relation("visited", 1, False)]
        return Vocabulary.of([*own, *coloured], attributes=[r.name for r in coloured] if self.decided else None)

    def encode(self, visit: Visit) -> EncodedGraphs:
        """The graph of a goal."""
        cells = len(visit.colours)
        objects = cells + (COLOURS if self.colours == "objects" else 0)
        known = [(cell, colour) for cell, colour in enumerate(visit.colours) if colour < COLOURS]
        statics = {"connected": _rows(2, [pair for a, b in visit.edges for pair in ((a, b), (b, a))])}
        atoms: list[CodedAtom] = []
        if self.colours == "objects":
            statics["has-colour"] = _rows(2, [(cell, cells + colour) for cell, colour in known])
            atoms += [("has-colour", (~v, cells + colour)) for v, colour in enumerate(visit.asked)]
        else:
            for c in range(COLOURS):
                statics[_name_colour(c)] = _rows(1, [(cell,) for cell, colour in known if colour == c])
            atoms += [(_name_colour(colour), (~v,)) for v, colour in enumerate(visit.asked)]
        atoms += [("visited", (~v,)) for v in range(len(visit.asked))]
        unequal = tuple((~a, ~b) for a, b in visit.unequal)
        query = Query(len(visit.asked), tuple(atoms), unequal=unequal, binding=visit.bound)
        fluents = {name: _rows(1, [(visit.robot,)]) for name in ("at-robot", "visited")}
        index = index_relations(statics, objects)
        encoder = StateEncoder(self.vocabulary, {**index, **fluents}, index, "static" if self.decided else "all")
        return encoder.encode([query])


PREDICATES = Input("predicates", "the paper's: a fixed set of colours, each a predicate", "predicates", False)
OBJECTS = Input("objects", "colours are objects, `has-colour` joins them with cells and variables", "objects", False)
DECIDED = Input("version 2", "no colours: candidates as PossibleBinding, what is ground decided", "predicates", True)
INPUTS = (PREDICATES, OBJECTS, DECIDED)


def _name_colour(colour: int) -> str:
    return f"colour{colour}"


def _rows(arity: int, rows: Sequence[tuple[int, ...]]) -> npt.NDArray[np.int32]:
    return np.array(rows, dtype=np.int32).reshape(len(rows), arity)


def draw_visit(rng: Random, variables: int, unequal: bool = False) -> Visit:
    """A random part of a grid whose goal is reachable and not yet true; with `unequal` all have one colour."""
    while True:
        cells = _draw_cells(rng, rng.randint(3, MOST_CELLS))
        place = {cell: number for number, cell in enumerate(cells)}
        edges = [(place[x, y], place[n]) for x, y in cells for n in ((x + 1, y), (x, y + 1)) if n in place]
        # A spanning tree and some of the other edges, so that ways are long.
        kept = _draw_tree(rng, len(cells), edges)
        kept += [edge for edge in edges if edge not in kept and rng.random() < 0.3]
        shares = [rng.choice((1, 2, 3)) for _ in range(COLOURS)]
        colours = tuple(rng.choices(range(COLOURS + 1), [*shares, 5], k=len(cells)))
        asked = (rng.randrange(COLOURS),) * variables if unequal else tuple(rng.sample(range(COLOURS), variables))
        pairs = tuple((a, b) for b in range(variables) for a in range(b)) if unequal else ()
        visit = Visit(colours, tuple(kept), rng.randrange(len(cells)), asked, pairs)
        counts = Counter(colours)
        if all(counts[c] >= (variables if unequal else 1) for c in asked) and visit.cost:
            return visit


def _draw_cells(rng: Random, count: int) -> list[tuple[int, int]]:
    cells = [(0, 0)]
    while len(cells) < count:
        x, y = rng.choice(cells)
        dx, dy = rng.choice(((1, 0), (-1, 0), (0, 1), (0, -1)))
        if (x + dx, y + dy) not in cells:
            cells.append((x + dx, y + dy))
    return cells


def _draw_tree(rng: Random, nodes: int, edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    home = list(range(nodes))
    tree = []
    for a, b in rng.sample(edges, len(edges)):
        if home[a] != home[b]:
            tree.append((a, b))
            old = home[b]
            home = [home[a] if each == old else each for each in home]
    return tree


@dataclass(frozen=True)
class Pair:
    """Two goals that are much alike."""

    name: str
    first: Visit
    second: Visit


def make_arms(near: int, far: int) -> Pair:
    """A robot between two arms, a coloured cell near and one far on each: equal colours share an arm, or do not.

    The goal asks for both colours. In the second task one arm has both.
    """
    second = 1 + far
    edges = [edge for start in (1, second) for edge in pairwise((0, *range(start, start + far)))]
    plain = [COLOURS] * (1 + 2 * far)
    tasks = []
    for left, right in (((0, 0), (1, 1)), ((0, 1), (1, 0))):
        colours = plain.copy()
        colours[near], colours[far] = left
        colours[second + near - 1], colours[second + far - 1] = right
        tasks.append(Visit(tuple(colours), tuple(edges), 0, (0, 1)))
    return Pair("arms", tasks[0], tasks[1])


def make_rings(length: int, way: int) -> Pair:
    """Two ways from the robot to cells of one colour, each on a ring of its own, or both on one ring twice as long.

    The goal asks for two different cells of that colour, and there are no more.
    """
    start = 1 + 2 * (way - 1)
    edges: list[tuple[int, int]] = []
    for side in range(2):
        between = range(1 + side * (way - 1), 1 + (side + 1) * (way - 1))
        edges += pairwise((0, *between, start + side * length))
    ring = [start + i for i in range(2 * length)]
    apart = [(ring[s * length + i], ring[s * length + (i + 1) % length]) for s in range(2) for i in range(length)]
    around = [(ring[i], ring[(i + 1) % len(ring)]) for i in range(len(ring))]
    colours = [COLOURS] * (start + 2 * length)
    colours[start] = colours[start + length] = 0
    tasks = [Visit(tuple(colours), tuple(edges + each), 0, (0, 0), ((0, 1),)) for each in (apart, around)]
    return Pair("rings", tasks[0], tasks[1])


def make_gates(near: int, far: int) -> Pair:
    """A gate to the first task of `make_arms` and one to the second: the same goal with the one or the other chosen."""
    arms = make_arms(near, far)
    sides = (arms.first, arms.second)
    size = len(arms.first.colours)
    colours = [COLOURS, *(c for side in sides for c in (2, *side.colours[1:]))]
    edges = [(0, 1), (0, 1 + size)]
    edges += [(a + 1 + side * size, b + 1 + side * size) for side in range(2) for a, b in sides[side].edges]
    visit = Visit(tuple(colours), tuple(edges), 0, (2, 0, 1))
    return Pair("gates", visit.bind(0, 1), visit.bind(0, 1 + size))


def make_repeated() -> Pair:
    """Two cells beside the robot for four variables in two pairs that must differ: each pair has one, or has both."""
    visit = Visit((COLOURS, 0, 0), ((0, 1), (0, 2)), 0, (0, 0, 0, 0), ((0, 1), (2, 3)))
    return Pair("repeated", replace(visit, binding=(1, 1, 2, 2)), replace(visit, binding=(1, 2, 1, 2)))


def list_arms() -> Iterator[Pair]:
    """Arms of all small sizes where the costs differ."""
    for near in range(1, 3):
        for far in range(near + 1, 3 * near):
            yield make_arms(near, far)


def list_rings() -> Iterator[Pair]:
    """Rings of all small sizes where the costs differ."""
    for way in range(2, 4):
        for length in range(3, 2 * way):
            yield make_rings(length, way)
