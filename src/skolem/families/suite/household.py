"""Household: a cool apple in a drawer, two mugs on one shelf, a book under a lamp, and every door closed again.

The goals are of the seven types of the ALFRED benchmark: place, place two, place in a vessel, place clean, hot or cold
(some of them sliced), and look at something under a lamp. All but the last say that no receptacle is left open.
"""

from collections.abc import Mapping, Sequence
from random import Random

from skolem.families.family import NamedAtom
from skolem.families.suite.domain import make_domain
from skolem.families.suite.problems import Goal, both_ways, join_places, number_objects, write_problem

RECEPTACLES: Mapping[str, tuple[str, ...]] = {
    "counter": ("worktop",),
    "sink": ("washer",),
    "microwave": ("heater", "openable"),
    "fridge": ("cooler", "openable"),
    "cabinet": ("openable",),
    "drawer": ("openable",),
    "shelf": (),
    "table": (),
    "desk": (),
    "sofa": (),
    "safe": ("openable",),
}
"""What every kind of receptacle can do; the first four are in every home that is large enough."""
FOOD = ("portable", "small", "heatable", "coolable", "washable", "sliceable")
ITEMS: Mapping[str, tuple[str, ...]] = {
    "apple": FOOD,
    "mug": ("portable", "heatable", "coolable", "washable"),
    "knife": ("portable", "blade", "washable"),
    "lamp": ("light",),
    "bowl": ("portable", "vessel", "washable", "coolable"),
    "book": ("portable",),
    "potato": FOOD,
    "plate": ("portable", "heatable", "washable"),
    "pan": ("portable", "washable"),
    "tomato": FOOD,
    "cloth": ("portable", "washable"),
    "bread": ("portable", "small", "heatable", "coolable", "sliceable"),
    "fork": ("portable", "washable"),
    "pen": ("portable", "small"),
    "watch": ("portable", "small"),
    "box": ("portable", "vessel"),
}
"""What can be done with every kind of item; the smaller a home, the fewer of the kinds it has."""
TREATMENTS = {"clean": ("washer", "washable"), "hot": ("heater", "heatable"), "cold": ("cooler", "coolable")}
NEEDED = 4
"""How many of the first kinds of receptacles a home has before the others come."""
SMALL, TELLING = 12, 6
"""Homes below that size have some of the first kinds of items, with which every type of goal can be drawn."""
CLOSED = "(forall (?f - receptacle) (not (open ?f)))"


def draw(size: int, rng: Random) -> str:
    """A home in which about a third of the objects are receptacles; one in ten doors stands open."""
    rooms = number_objects("room", max(1, size // 25))
    places = _draw_kinds(rng, list(RECEPTACLES), max(3, 3 * size // 10), NEEDED)
    known = rng.sample(list(ITEMS)[:TELLING], TELLING) if size < SMALL else list(ITEMS)
    items = _draw_kinds(rng, known, size - len(rooms) - len(places), min(len(ITEMS), size // 3))
    # The kitchen is the first room.
    home = {place: rooms[0] if i < NEEDED else rng.choice(rooms) for i, place in enumerate(places)}
    portable = [item for item, kind in items.items() if "portable" in ITEMS[kind]]
    vessels = [item for item in portable if "vessel" in ITEMS[items[item]]]
    small = [item for item in portable if "small" in ITEMS[items[item]]]
    filled = {item: rng.choice(vessels) for item in rng.sample(small, len(small) // 10)} if vessels else {}
    doors = [place for place, kind in places.items() if "openable" in RECEPTACLES[kind]]
    init: list[NamedAtom] = [
        ("robot-at", rng.choice(rooms)),
        ("hand-empty",),
        *(("path", a, b) for a, b in both_ways([*join_places(rng, rooms, more=len(rooms) // 4), *home.items()])),
        *(("receptacle-kind", place, kind) for place, kind in places.items()),
        *((what, place) for place, kind in places.items() for what in RECEPTACLES[kind]),
        *(("item-kind", item, kind) for item, kind in items.items()),
        *((what, item) for item, kind in items.items() for what in ITEMS[kind]),
        *(("open", place) for place in doors if rng.random() < 0.1),
        *(("within", item, vessel) for item, vessel in filled.items()),
        *(("in", item, rng.choice(list(places))) for item in items if item not in filled),
    ]
    objects: dict[str, Sequence[str]] = {
        "room": rooms,
        "receptacle": list(places),
        "item": list(items),
        "kind": sorted({*places.values(), *items.values()}),
    }
    return write_problem("household", size, objects, init, _draw_goal(rng, places, items))


def _draw_kinds(rng: Random, kinds: Sequence[str], count: int, first: int) -> dict[str, str]:
    """Objects with their kinds: the first kinds in turn, then any of as many kinds as the objects are enough for."""
    known = kinds[: max(first, count // 3)]
    drawn = rng.sample(known[:first], first) + [rng.choice(known) for _ in range(count - first)]
    found: dict[str, str] = {}
    for kind in drawn[:count]:
        found[f"{kind}{1 + sum(other == kind for other in found.values())}"] = kind
    return found


def _draw_goal(rng: Random, places: Mapping[str, str], items: Mapping[str, str]) -> Goal:
    """A goal of one of the types that the home has the objects for."""
    abilities = {what for kind in places.values() for what in RECEPTACLES[kind]}

    def list_kinds(*wanted: str, least: int = 1) -> list[str]:
        counts = {kind: list(items.values()).count(kind) for kind in sorted(set(items.values()))}
        return [k for k, count in counts.items() if count >= least and {"portable", *wanted} <= set(ITEMS[k])]

    types = ["place"]
    types += [state for state, (where, what) in TREATMENTS.items() if where in abilities and list_kinds(what)]
    types += ["two"] * bool(list_kinds(least=2))
    types += ["vessel"] * ("worktop" in abilities and bool(list_kinds("vessel") and list_kinds("small")))
    types += ["look"] * ("lamp" in items.values())
    type_ = rng.choice(types)
    goal = Goal()
    item = goal.add_variable("i", "item")
    able = [TREATMENTS[type_][1]] if type_ in TREATMENTS else ["small"] * (type_ == "vessel")
    kind = rng.choice(list_kinds(*able, least=2 if type_ == "two" else 1))
    goal.add("item-kind", item, kind)
    place = goal.add_variable("r", "receptacle")
    if type_ == "look":
        lamp = goal.add_variable("l", "item")
        for atom in (("item-kind", lamp, "lamp"), ("lit", lamp), ("in", lamp, place), ("robot-at", place)):
            goal.add(*atom)
        goal.add("held", item)
        return goal
    goal.add("receptacle-kind", place, rng.choice(sorted(set(places.values()))))
    if type_ == "vessel":
        vessel = goal.add_variable("v", "item")
        goal.add("item-kind", vessel, rng.choice(list_kinds("vessel")))
        goal.add("within", item, vessel)
        goal.add("in", vessel, place)
    else:
        goal.add("in", item, place)
    if type_ in TREATMENTS:
        goal.add(type_, item)
    if type_ == "two":
        other = goal.add_variable("i", "item")
        goal.add("item-kind", other, kind)
        goal.add("in", other, place)
        goal.differ([item, other])
    can_slice = "worktop" in abilities and "sliceable" in ITEMS[kind] and "knife" in items.values()
    if can_slice and rng.random() < 0.3:
        goal.add("sliced", item)
    goal.demand(CLOSED)
    return goal


DOMAIN = make_domain(
    "household",
    draw,
    range(6, 9),
    (30, 60, 240),
    "Typed, with disjunctive preconditions and a universal condition in most goals; kinds are objects. The size is the"
    " number of rooms, receptacles and items.",
)
