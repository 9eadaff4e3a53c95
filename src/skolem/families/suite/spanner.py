"""Spanner: nuts of some kind tightened, all of them on one of the ways that the man may take."""

from random import Random

from skolem.families.suite.domain import make_domain
from skolem.families.suite.problems import Goal, divide, number_objects, spread, write_problem


def draw(size: int, rng: Random) -> str:
    """A tree of one-way paths from the shed, with spanners and nuts on it; the goal takes nuts of one way."""
    count, tools, parts = divide(rng, size, (4, 2, 2), (size, max(2, size // 3), size))
    places, spanners = number_objects("location", count), number_objects("spanner", tools)
    nuts = number_objects("nut", parts)
    # Every place is entered from one that comes shortly before it.
    parent = {place: rng.choice(places[max(0, i - 2) : i]) for i, place in enumerate(places) if i}
    surfaces, sizes = spread(rng, nuts, ("rusty", "shiny")), spread(rng, nuts, ("large", "small"))
    where = {nut: rng.choice(places[1:]) for nut in nuts}
    way = [where[rng.choice(nuts)]]
    while way[-1] in parent:
        way.append(parent[way[-1]])
    # Spanners are found early, so that a second nut is seldom out of reach for the want of one.
    lying = {spanner: rng.choice(places[: max(2, count // 2)]) for spanner in spanners}
    lying[spanners[0]] = places[0]
    init = [
        *(("link", before, place) for place, before in parent.items()),
        ("at", "bob", places[0]),
        *(("at", spanner, place) for spanner, place in lying.items()),
        *(("useable", spanner) for spanner in spanners),
        *(("at", nut, place) for nut, place in where.items()),
        *(("loose", nut) for nut in nuts),
        *((surface, nut) for nut, surface in surfaces.items()),
        *((kind, nut) for nut, kind in sizes.items()),
    ]
    # A place's number grows along the way: with the nut that has the i-th place, i spanners must lie before it.
    on_way = sorted((nut for nut in nuts if where[nut] in way), key=lambda nut: places.index(where[nut]))
    picked = sorted(rng.sample(on_way, min(len(on_way), rng.randint(2, 4))), key=on_way.index)
    witnesses: list[str] = []
    for nut in picked:
        before = [s for s, place in lying.items() if place in way and places.index(place) <= places.index(where[nut])]
        if len(witnesses) < len(before):
            witnesses.append(nut)
    goal, chosen = Goal(), []
    for witness in witnesses:
        nut = goal.add_variable("n", "nut")
        chosen.append(nut)
        for described in rng.choice(((surfaces,), (surfaces, sizes), (surfaces, sizes))):
            goal.add(described[witness], nut)
        goal.add("tightened", nut)
    goal.differ(chosen)
    objects = {"location": places, "man": ["bob"], "spanner": spanners, "nut": nuts}
    return write_problem("spanner", size, objects, init, goal)


DOMAIN = make_domain(
    "spanner",
    draw,
    range(9, 17, 2),
    range(18, 35, 4),
    "Typed; attributes are predicates; no way leads back (dead ends), so that many bindings cannot be reached. The "
    "size leaves out the man.",
)
