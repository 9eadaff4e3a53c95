"""Logistics: packages of some kind to places of some kind or in some city."""

from random import Random

from skolem.families.suite.domain import make_domain
from skolem.families.suite.problems import UNTYPED, Goal, number_objects, spread, write_problem

KINDS = ("fragile", "frozen", "bulky")


def draw(size: int, rng: Random) -> str:
    """Cities with an airport, a place and a truck each, more places, an airplane, and packages."""
    cities, more = max(2, size // 8), size // 8
    goods = number_objects("package", max(2, size - 1 - 4 * cities - more))
    towns = number_objects("city", cities)
    airports = {f"airport{i}": town for i, town in enumerate(towns, 1)}
    owners = [*towns, *(rng.choice(towns) for _ in range(more))]
    places = {f"place{i}": town for i, town in enumerate(owners, 1)}
    uses = spread(rng, list(places), ("shop", "warehouse"))
    kinds = spread(rng, goods, KINDS)
    home = places | airports
    everywhere = list(home)
    trucks = {f"truck{i}": town for i, town in enumerate(towns, 1)}
    init = [
        *(("city", town) for town in towns),
        *(("location", place) for place in everywhere),
        *(("airport", airport) for airport in airports),
        *(("in-city", place, town) for place, town in home.items()),
        *((use, place) for place, use in uses.items()),
        *(("truck", truck) for truck in trucks),
        ("airplane", "plane"),
        *(("package", package) for package in goods),
        *((kind, package) for package, kind in kinds.items()),
        *(("at", truck, rng.choice([p for p in everywhere if home[p] == town])) for truck, town in trucks.items()),
        ("at", "plane", rng.choice(list(airports))),
        *(("at", package, rng.choice(everywhere)) for package in goods),
    ]
    goal, chosen, variables = Goal(), [], rng.randint(1, 4)
    for witness in rng.sample(goods, len(goods)):
        if len(goal.kinds) >= variables:
            break
        package = goal.add_variable("p")
        chosen.append(package)
        if rng.random() < 0.2:
            goal.deny(rng.choice([kind for kind in KINDS if kind != kinds[witness]]), package)
        else:
            goal.add(kinds[witness], package)
        place = rng.choice(list(places))
        if len(goal.kinds) < variables and rng.random() < 0.7:
            location = goal.add_variable("l")
            goal.add(uses[place], location)
            if rng.random() < 0.5:
                goal.add("in-city", location, places[place])
            place = location
        goal.add("at", package, place)
    if rng.random() < 0.5:
        goal.differ(chosen)
    objects = [*towns, *everywhere, *trucks, "plane", *goods]
    return write_problem("logistics", size, {UNTYPED: objects}, init, goal)


DOMAIN = make_domain(
    "logistics",
    draw,
    range(12, 15),
    range(20, 41, 5),
    "Untyped; kinds of packages and uses of places are predicates, some of them negated, and cities are "
    "described by a static relation.",
)
