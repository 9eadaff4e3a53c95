"""Ferry: cars of some colour to ports of some kind, one at a time."""

from random import Random

from skolem.families.suite.domain import make_domain
from skolem.families.suite.problems import UNTYPED, Goal, divide, number_objects, spread, write_problem


def draw(size: int, rng: Random) -> str:
    """Ports and cars; the goal brings described cars to described ports, sometimes with the ferry empty."""
    ports, cars = divide(rng, size, (3, 2), (max(4, size // 2), size))
    places, vehicles = number_objects("port", ports), number_objects("car", cars)
    colours = spread(rng, vehicles, ("red", "blue", "white"))
    shores = spread(rng, places, ("sandy", "rocky"))
    init = [
        *(("port", place) for place in places),
        *(("car", car) for car in vehicles),
        *((shore, place) for place, shore in shores.items()),
        *((colour, car) for car, colour in colours.items()),
        ("at-ferry", rng.choice(places)),
        ("empty-ferry",),
        *(("at", car, rng.choice(places)) for car in vehicles),
    ]
    goal, chosen, variables = Goal(), [], rng.randint(1, 4)
    for witness in rng.sample(vehicles, cars):
        if len(goal.kinds) >= variables:
            break
        car = goal.add_variable("c")
        chosen.append(car)
        goal.add(colours[witness], car)
        place = rng.choice(places)
        if len(goal.kinds) < variables and rng.random() < 0.7:
            port = goal.add_variable("p")
            goal.add(shores[place], port)
            place = port
        goal.add("at", car, place)
    if rng.random() < 0.5:
        goal.differ(chosen)
    if rng.random() < 0.2:
        goal.add("empty-ferry")
    return write_problem("ferry", size, {UNTYPED: [*places, *vehicles]}, init, goal)


DOMAIN = make_domain(
    "ferry", draw, range(6, 10), range(14, 31, 4), "Untyped; colours of cars and kinds of ports are predicates."
)
