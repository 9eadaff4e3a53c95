"""Rovers: soil from a sandy waypoint, an image of a round objective."""

from random import Random

from skolem.families.suite.domain import make_domain
from skolem.families.suite.problems import Goal, both_ways, divide, join_places, number_objects, spread, write_problem

TERRAINS = ("sandy", "rocky", "icy")
SHAPES = ("round", "pointed")


def draw(size: int, rng: Random) -> str:
    """Waypoints, objectives and rovers; every rover can do everything, and reach every waypoint."""
    waypoints, targets, vehicles = divide(rng, size, (3, 1, 1), (size, max(1, size // 5), min(3, max(1, size // 4))))
    places, objectives = number_objects("waypoint", waypoints), number_objects("objective", targets)
    rovers, modes = number_objects("rover", vehicles), ["colour", "high_res"][: 1 + (size > 9)]
    terrain, shape = spread(rng, places, TERRAINS), spread(rng, objectives, SHAPES)
    roads = both_ways(join_places(rng, places, more=waypoints // 4))
    samples = rng.sample(places, min(waypoints, max(2, waypoints // 2)))
    soil, rock = samples[: (len(samples) + 1) // 2], samples[len(samples) // 2 :]
    base = rng.choice(places)
    seen = {objective: rng.sample(places, min(2, waypoints)) for objective in objectives}
    init = [
        ("at_lander", "lander1", base),
        *(("visible", a, b) for a, b in [*roads, *((place, place) for place in places)]),
        *(("terrain_of", place, kind) for place, kind in terrain.items()),
        *(("shape_of", objective, kind) for objective, kind in shape.items()),
        *(("at_soil_sample", place) for place in soil),
        *(("at_rock_sample", place) for place in rock),
        *(("visible_from", objective, place) for objective, spots in seen.items() for place in spots),
    ]
    for i, rover in enumerate(rovers, 1):
        init += [
            ("at", rover, rng.choice(places)),
            *(("can_traverse", rover, a, b) for a, b in roads),
            *((f"equipped_for_{task}", rover) for task in ("soil_analysis", "rock_analysis", "imaging")),
            ("store_of", f"store{i}", rover),
            ("empty", f"store{i}"),
            ("on_board", f"camera{i}", rover),
            ("calibration_target", f"camera{i}", rng.choice(objectives)),
            *(("supports", f"camera{i}", mode) for mode in modes),
        ]
    wishes = [
        *(("communicated_soil_data", place) for place in soil),
        *(("communicated_rock_data", place) for place in rock),
        *(("communicated_image_data", objective) for objective in objectives),
    ]
    goal, chosen, variables = Goal(), [], rng.randint(1, 4)
    for what, witness in rng.sample(wishes, min(variables, len(wishes))):
        if witness in shape:
            objective = goal.add_variable("o", "objective")
            goal.add("shape_of", objective, shape[witness])
            goal.add(what, objective, rng.choice(modes))
        else:
            waypoint = goal.add_variable("w", "waypoint")
            goal.add("terrain_of", waypoint, terrain[witness])
            goal.add(what, waypoint)
            chosen.append((what, waypoint))
    for what in ("communicated_soil_data", "communicated_rock_data"):
        goal.differ([waypoint for kind, waypoint in chosen if kind == what])
    if len(goal.kinds) < 4 and rng.random() < 0.3:
        waypoint = goal.add_variable("w", "waypoint")
        goal.add("terrain_of", waypoint, rng.choice(sorted(set(terrain.values()))))
        goal.add("at", rng.choice(rovers), waypoint)
    objects = {
        "waypoint": places,
        "objective": objectives,
        "rover": rovers,
        "store": number_objects("store", vehicles),
        "camera": number_objects("camera", vehicles),
        "mode": modes,
        "lander": ["lander1"],
        "terrain": TERRAINS,
        "shape": SHAPES,
    }
    return write_problem("rovers", size, objects, init, goal)


DOMAIN = make_domain(
    "rovers",
    draw,
    range(5, 9),
    range(12, 25, 3),
    "Typed; attributes are objects. The size is the number of waypoints, objectives and rovers.",
)
