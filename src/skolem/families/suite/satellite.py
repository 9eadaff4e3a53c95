"""Satellite: an image of a bright star, in a mode that the goal names or leaves open."""

from random import Random

from skolem.families.suite.domain import make_domain
from skolem.families.suite.problems import Goal, divide, number_objects, spread, write_problem

KINDS = ("star", "planet", "phenomenon")


def draw(size: int, rng: Random) -> str:
    """Directions, instruments and satellites; every mode is supported by an instrument."""
    number, tools, crafts = divide(rng, size, (3, 1, 1), (size, max(2, size // 4), max(1, size // 4)))
    tools = max(tools, crafts)
    directions, instruments = number_objects("direction", number), number_objects("instrument", tools)
    satellites = number_objects("satellite", crafts)
    modes = ["infrared", "thermograph", "spectrograph"][: 1 if size < 10 and number > 3 else 3 - (size < 12)]
    kinds, lights = spread(rng, directions, KINDS), spread(rng, directions, ("bright", "faint"))
    carrier = {tool: satellites[i % crafts] for i, tool in enumerate(instruments)}
    supported = {(instruments[i % tools], mode) for i, mode in enumerate(modes)}
    supported |= {(tool, rng.choice(modes)) for tool in instruments}
    init = [
        *((light, direction) for direction, light in lights.items()),
        *(("on_board", tool, satellite) for tool, satellite in carrier.items()),
        *(("supports", *pair) for pair in sorted(supported)),
        *(("calibration_target", tool, rng.choice(directions)) for tool in instruments),
        *(("power_avail", satellite) for satellite in satellites),
        *(("pointing", satellite, rng.choice(directions)) for satellite in satellites),
    ]
    goal, images, variables = Goal(), [], rng.randint(1, 4)
    for witness in rng.sample(directions, number):
        if len(goal.kinds) >= variables:
            break
        direction = goal.add_variable("d", kinds[witness])
        goal.add(lights[witness], direction)
        mode = rng.choice(modes)
        if len(goal.kinds) < variables and rng.random() < 0.2:
            mode = goal.add_variable("m", "mode")
        goal.add("have_image", direction, mode)
        images.append(direction)
    if rng.random() < 0.6:
        goal.differ(images)
    if len(goal.kinds) < 4 and rng.random() < 0.4:
        direction = goal.add_variable("d", rng.choice(sorted(set(kinds.values()))))
        goal.add("pointing", rng.choice(satellites), direction)
    if rng.random() < 0.2:
        goal.demand("(forall (?i - instrument) (not (power_on ?i)))")
    objects = {kind: [d for d in directions if kinds[d] == kind] for kind in KINDS}
    objects |= {"satellite": satellites, "instrument": instruments, "mode": modes}
    return write_problem("satellite", size, objects, init, goal)


DOMAIN = make_domain(
    "satellite",
    draw,
    range(6, 9),
    range(14, 27, 3),
    "Typed; kinds of directions are types, their light a predicate; one goal in five wants every instrument switched "
    "off. The size leaves out the modes.",
)
