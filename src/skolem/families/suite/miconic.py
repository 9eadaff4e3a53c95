"""Miconic: a child served, an adult whose destination is a garden, the lift at an office."""

from itertools import combinations
from random import Random

from skolem.families.suite.domain import make_domain
from skolem.families.suite.problems import Goal, divide, number_objects, spread, write_problem

USES = ("office", "garden", "cafe")


def draw(size: int, rng: Random) -> str:
    """Floors and passengers; the goal serves described passengers, and may put the lift somewhere."""
    floors, people = divide(rng, size, (3, 2), (max(4, size // 2), size))
    storeys, passengers = number_objects("floor", floors), number_objects("person", people)
    uses, kinds = spread(rng, storeys, USES), spread(rng, passengers, ("adult", "child"))
    trips = {person: rng.sample(storeys, 2) for person in passengers}
    init = [
        *(("above", low, high) for low, high in combinations(storeys, 2)),
        *((use, floor) for floor, use in uses.items()),
        ("lift-at", rng.choice(storeys)),
        *(("origin", person, origin) for person, (origin, _) in trips.items()),
        *(("destin", person, destination) for person, (_, destination) in trips.items()),
    ]
    goal, chosen, variables = Goal(), [], rng.randint(1, 4)
    for witness in rng.sample(passengers, people):
        if len(goal.kinds) >= variables:
            break
        person = goal.add_variable("p", kinds[witness])
        chosen.append(person)
        if len(goal.kinds) < variables and rng.random() < 0.6:
            relation, end = rng.choice((("origin", 0), ("destin", 1)))
            floor = goal.add_variable("f", "floor")
            goal.add(uses[trips[witness][end]], floor)
            goal.add(relation, person, floor)
        goal.add("served", person)
    if rng.random() < 0.6:
        goal.differ(chosen)
    if len(goal.kinds) < 4 and rng.random() < 0.4:
        floor = goal.add_variable("f", "floor")
        goal.add(rng.choice([use for use in USES if use in uses.values()]), floor)
        goal.add("lift-at", floor)
    if rng.random() < 0.15:
        goal.demand("(forall (?p - passenger) (not (boarded ?p)))")
    objects = {kind: [p for p in passengers if kinds[p] == kind] for kind in ("adult", "child")}
    return write_problem("miconic", size, {"floor": storeys, **objects}, init, goal)


DOMAIN = make_domain(
    "miconic",
    draw,
    range(7, 13),
    range(16, 33, 4),
    "Typed, with conditional effects; kinds of passengers are types, uses of floors are predicates, trips are static "
    "relations between variables; one goal in seven says that nobody is left in the lift.",
)
