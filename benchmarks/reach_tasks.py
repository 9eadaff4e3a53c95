"""Tasks that are unlike those of training: two objects at known distances, mazes, odd layouts, negated literals."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from benchmarks.reach_attributes import Texts

from skolem.families import blocks, delivery, gripper, visitall
from skolem.families.family import (
    Colouring,
    Family,
    GoalSpec,
    Layout,
    NamedAtom,
    colour_atoms,
    require_distinct,
    write_atom,
    write_problem,
)
from skolem.families.grid import (
    Passages,
    build_walls,
    connect_grid,
    count_steps,
    grow_tree,
    join_rooms,
    pick_far,
    sample_grid,
)
from skolem.families.registry import FAMILIES
from skolem.pddl.reading import read_task_text
from skolem.task.model import Source, Task
from skolem.task.satisfaction import satisfy

ASKED, OTHER = "red", "blue"
LONGEST = {"visitall": 20, "delivery": 20, "blocks-c": 15, "gripper": 10}
"""The farthest that is asked for: steps, blocks above, and rooms of a ring."""
ODD_SIZES = {
    "blocks": range(8, 17),
    "blocks-c": range(8, 17),
    "gripper": range(12, 17),
    "delivery": range(26, 41),
    "visitall": range(17, 41),
}
"""Sizes beyond those of training, for odd layouts."""
MAZE_SIZES = {"visitall": range(25, 65), "delivery": range(27, 46)}
NEGATED_SIZES = {
    "blocks": range(8, 9),
    "blocks-c": range(8, 9),
    "gripper": range(13, 14),
    "delivery": range(10, 15),
    "visitall": range(9, 14),
}
"""Sizes of which all states can be looked at, because a negated literal can make a goal unreachable."""
SHAPES = ("maze", "walls")


@dataclass(frozen=True)
class Pair:
    """A task with two objects that fit its goal, the second two steps farther than the first."""

    family: str
    shape: str
    place: int
    """How far away the nearer one is: steps, blocks above it, or rooms to it."""
    turned: bool
    """Whether the objects stand in the other order."""
    layout: Layout
    goal: GoalSpec
    near: str
    far: str
    cost: int
    """The cost of the nearer one; the other's is two more."""
    rooms: int = 0

    @property
    def name(self) -> str:
        """A name that tells the pair from all others."""
        size = f"-{self.rooms}" if self.rooms else ""
        return f"{self.family}-{self.shape}{size}-{self.place}{'-turned' * self.turned}"

    @property
    def texts(self) -> Texts:
        """The task as PDDL."""
        return write_texts(self.family, self.layout, paint(self.layout, (self.near, self.far)), self.goal)


def paint(layout: Layout, asked: Sequence[str]) -> Colouring:
    """Some objects in the colour that the goal asks for, the others in another one."""
    return {name: ASKED if name in asked else OTHER for name in layout.coloured}


def write_texts(family: str, layout: Layout, colours: Colouring, goal: GoalSpec) -> Texts:
    """A task of a family as PDDL."""
    kind = FAMILIES[family]
    init = (*layout.atoms, *colour_atoms(colours))
    return Texts(kind.domain_text, write_problem("reach", kind.domain, layout.objects, init, goal))


def read_texts(texts: Texts) -> Task:
    """The task of PDDL texts."""
    return read_task_text(Source("domain.pddl", texts.domain), Source("problem.pddl", texts.problem))


def list_pairs(family: str, longest: int | None = None) -> list[Pair]:
    """All pairs of a family, up to a distance or the longest that is asked for."""
    most = LONGEST[family] if longest is None else longest
    makers = {"visitall": _list_walks, "delivery": _list_walks, "blocks-c": _list_towers, "gripper": _list_rings}
    return makers[family](family, most)


def _list_walks(family: str, most: int) -> list[Pair]:
    """Two cells of a path: on both sides of the start, or both on the same side of it."""
    pairs = []
    for place in range(1, most + 1):
        for shape, near, far in (("two sides", -place, place + 2), ("one side", place, place + 2)):
            names = {i: f"c{i - min(0, near)}" for i in range(min(0, near) - 1, far + 2)}
            for turned in (False, True):
                cells = tuple(names.values())[:: -1 if turned else 1]
                passages = [pair for a, b in pairwise(names.values()) for pair in ((a, b), (b, a))]
                for what, layout, atom, extra in _start_walks(family, cells, passages, names[0]):
                    goal = GoalSpec(("?x",), ((ASKED, "?x"), atom))
                    shown = f"{what}, {shape}"
                    ends = names[near], names[far]
                    pairs.append(Pair(family, shown, place, turned, layout, goal, *ends, place + extra))
    return pairs


def _start_walks(
    family: str, cells: tuple[str, ...], passages: Passages, start: str
) -> list[tuple[str, Layout, NamedAtom, int]]:
    """What is to be done at a cell, its layout and goal atom, and the steps that it takes beside the way."""
    if family == "visitall":
        atoms = [*(("connected", *pair) for pair in passages), ("at-robot", start), ("visited", start)]
        return [("visit", Layout(cells, tuple(atoms), cells), ("visited", "?x"), 0)]
    layout = delivery.write_layout(cells, passages, {delivery.TRUCK: start, "p1": start})
    return [("park", layout, ("at", delivery.TRUCK, "?x"), 0), ("deliver", layout, ("at", "p1", "?x"), 2)]


def _list_towers(family: str, most: int) -> list[Pair]:
    """Two blocks under others, in two towers or in one; every block above costs two steps, the last one step."""
    pairs = []
    for depth in range(1, most + 1):
        for turned in (False, True):
            near, far = ("near", "far")
            above = [f"a{i}" for i in range(depth)]
            further = [f"b{i}" for i in range(depth + 1)]
            two = [["u", near, *above], ["v", far, *further]]
            one = [["u", far, near, *above]]
            for shape, towers in (("two towers", two), ("one tower", one)):
                names = tuple(name for tower in towers for name in tower)[:: -1 if turned else 1]
                layout = blocks.write_layout(names, towers)
                goal = GoalSpec(("?x",), ((ASKED, "?x"), ("clear", "?x")))
                pairs.append(Pair(family, shape, depth, turned, layout, goal, near, far, 2 * depth - 1))
    return pairs


def _list_rings(family: str, most: int) -> list[Pair]:
    """Two balls in a ring of rooms, one room farther than the other, to be fetched to the robot's room."""
    pairs = []
    for count in range(4, most + 1):
        rooms = tuple(f"room-{i}" for i in range(count))
        passages = join_rooms(Random(0), rooms, "ring")
        for place in range(1, count // 2):
            for shape, there in (("one side", place + 1), ("two sides", -place - 1)):
                for turned in (False, True):
                    places = {"near": rooms[place], "far": rooms[there]}
                    listed = dict(reversed(places.items())) if turned else places
                    layout = gripper.write_layout(rooms, passages, rooms[0], listed)
                    goal = GoalSpec(("?x",), ((ASKED, "?x"), ("at", "?x", rooms[0])))
                    cost = 2 * place + 2
                    pairs.append(Pair(family, shape, place, turned, layout, goal, "near", "far", cost, count))
    return pairs


def draw_maze(rng: Random, family: str, shape: str) -> Texts:
    """A task in a maze, or on a grid with walls that have doors, larger than in training; 1 to 4 variables."""
    kind = FAMILIES[family]
    size = rng.choice(MAZE_SIZES[family])
    variables = rng.randint(1, 4 if family == "visitall" else 3)
    packages = [f"p{i}" for i in range(1, variables + 1)] if family == "delivery" else []
    grid = sample_grid(rng, size - len(packages) - bool(packages))
    passages = connect_grid(grid)
    if shape == "walls":
        passages = build_walls(rng, grid, passages)
    else:
        tree = set(grow_tree(rng, passages))
        passages = [pair for pair in passages if pair in tree]
    cells = tuple(grid)
    if len(count_steps(passages, cells[:1])) < len(cells):
        # A wall across a row that is not complete can leave cells out.
        return draw_maze(rng, family, shape)
    if packages:
        places: dict[str, str] = {}
        for thing in (delivery.TRUCK, *packages):
            places[thing] = pick_far(rng, cells, passages, places.values())
        layout = delivery.write_layout(cells, passages, places)
    else:
        layout = visitall.place_robot(rng, cells, passages)
    return draw_false(rng, kind, layout, variables)


def draw_odd(rng: Random, family: str) -> Texts:
    """A task with long ways: a path, a ring, a maze, walls, tall towers; larger than in training."""
    kind = FAMILIES[family]
    size = rng.choice(ODD_SIZES[family])
    variables = rng.randint(1, min(4, kind.most_variables(size)))
    return draw_false(rng, kind, kind.sample_odd_layout(rng, size, variables), variables)


def draw_negated(rng: Random, family: str) -> Texts:
    """A task with one or two negated literals beside its goal; it need not be reachable."""
    kind = FAMILIES[family]
    size = rng.choice(NEGATED_SIZES[family])
    variables = rng.randint(1, min(4, kind.most_variables(size)))
    return draw_false(rng, kind, kind.sample_layout(rng, size, variables), variables, negated=rng.choice((1, 1, 2)))


def draw_false(rng: Random, family: Family, layout: Layout, variables: int, negated: int = 0) -> Texts:
    """A layout with colours and a goal that is false at the start; half of the goals have inequalities."""
    while True:
        colours = family.sample_colours(rng, layout, family.colours.draw(rng))
        goal = family.sample_goal(rng, layout, colours, variables)
        if rng.random() < 0.5:
            goal = require_distinct(goal)
        if negated:
            goal = _deny(rng, family, layout, goal, negated)
        texts = write_texts(family.name, layout, colours, goal)
        task = read_texts(texts)
        if satisfy(task, task.init) is None:
            return texts


def _deny(rng: Random, family: Family, layout: Layout, goal: GoalSpec, count: int) -> GoalSpec:
    """The goal with negated literals over its variables and the objects."""
    listed = {kind: [terms[0] for name, *terms in layout.atoms if name == kind] for kind in ("room", "ball", "package")}

    def fill(term: str) -> str:
        places = {"?": goal.variables, "object": layout.objects, "cell": layout.coloured, **listed}
        return rng.choice(places[term]) if term in places else term

    denied: list[NamedAtom] = []
    while len(denied) < count:
        name, *terms = rng.choice(DENIED[family.domain])
        atom = (name, *map(fill, terms))
        if atom not in denied and atom not in goal.atoms and len(set(atom[1:])) == len(atom[1:]):
            denied.append(atom)
    # The writer of problems puts an atom's words between parentheses: the negated one is the only word of `not`.
    literals = tuple(("not", write_atom(atom)) for atom in denied)
    return GoalSpec(goal.variables, (*goal.atoms, *literals), goal.unequal)


DENIED: dict[str, Sequence[NamedAtom]] = {
    "blocks": (
        ("on", "?", "object"),
        ("on", "object", "?"),
        ("on", "object", "object"),
        ("ontable", "?"),
        ("ontable", "object"),
        ("clear", "?"),
        ("clear", "object"),
        ("holding", "object"),
        ("handempty",),
    ),
    "gripper": (
        ("at", "?", "room"),
        ("at", "ball", "room"),
        ("at-robby", "room"),
        ("free", "left"),
        ("carry", "ball", "left"),
    ),
    "delivery": (
        ("at", "t", "?"),
        ("at", "t", "cell"),
        ("at", "package", "?"),
        ("at", "package", "cell"),
        ("empty", "t"),
        ("carrying", "t", "package"),
    ),
    "visitall": (("at-robot", "?"), ("at-robot", "cell"), ("visited", "cell")),
}
"""Atoms that a goal can deny: `?` is one of its variables, a kind is one of its objects, all else stands for itself."""
