"""Transport: packages of some kind to places of some kind, at the least cost."""

from itertools import pairwise
from random import Random

from skolem.families.family import NamedAtom
from skolem.families.suite.domain import make_domain
from skolem.families.suite.problems import Goal, both_ways, divide, join_places, number_objects, spread, write_problem

KINDS = ("urgent", "medical", "standard")
USES = ("harbour", "market", "hospital")
CAPACITIES = ("capacity-0", "capacity-1", "capacity-2")


def draw(size: int, rng: Random) -> str:
    """Places on roads, vehicles that hold one or two packages, and packages."""
    number, trucks, goods = divide(rng, size, (3, 1, 2), (size, max(1, size // 4), max(3, size // 2)))
    places, vehicles = number_objects("place", number), number_objects("truck", trucks)
    packages = number_objects("package", goods)
    roads = join_places(rng, places, more=number // 3)
    lengths = [1 + rng.randrange(9) for _ in roads]
    uses, kinds = spread(rng, places, USES), spread(rng, packages, KINDS)
    init = [
        *(("road", a, b) for a, b in both_ways(roads)),
        *(("capacity-predecessor", a, b) for a, b in pairwise(CAPACITIES)),
        *((use, place) for place, use in uses.items()),
        *((kind, package) for package, kind in kinds.items()),
        *(("at", vehicle, rng.choice(places)) for vehicle in vehicles),
        *(("capacity", vehicle, rng.choice(CAPACITIES[1:])) for vehicle in vehicles),
        *(("at", package, rng.choice(places)) for package in packages),
    ]
    goal, chosen, variables = Goal(), [], rng.randint(1, 4)
    for witness in rng.sample(packages, goods):
        if len(goal.kinds) >= variables:
            break
        package = goal.add_variable("p", "package")
        chosen.append(package)
        goal.add(kinds[witness], package)
        place = rng.choice(places)
        if len(goal.kinds) < variables and rng.random() < 0.7:
            location = goal.add_variable("l", "location")
            goal.add(uses[place], location)
            place = location
        goal.add("at", package, place)
    if rng.random() < 0.5:
        goal.differ(chosen)
    if len(goal.kinds) < 4 and rng.random() < 0.2:
        location = goal.add_variable("l", "location")
        goal.add(rng.choice(sorted(set(uses.values()))), location)
        goal.add("at", rng.choice(vehicles), location)
    values: dict[NamedAtom, int] = {
        ("road-length", *way): n for pair, n in zip(roads, lengths, strict=True) for way in both_ways([pair])
    }
    objects = {"location": places, "vehicle": vehicles, "package": packages, "capacity-number": CAPACITIES}
    return write_problem("transport", size, objects, init, goal, {("total-cost",): 0, **values})


DOMAIN = make_domain(
    "transport",
    draw,
    range(7, 11),
    range(13, 26, 3),
    "Typed, with action costs; attributes are predicates. The size leaves out the capacities.",
)
