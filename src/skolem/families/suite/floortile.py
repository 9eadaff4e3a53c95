"""Floortile: a marble tile painted in a warm colour."""

from itertools import pairwise
from random import Random

from skolem.families.suite.domain import make_domain
from skolem.families.suite.problems import Goal, spread, write_problem


def draw(size: int, rng: Random) -> str:
    """A grid of at most that many tiles, one robot (two on large floors) and two colours (three)."""
    rows = rng.choice([n for n in range(2, size) if n * n <= 2 * size and size // n >= 2])
    columns = size // rows
    grid = [[f"tile{row}-{column}" for column in range(columns)] for row in range(rows)]
    tiles = [tile for row in grid for tile in row]
    large = size > 9
    colours, robots = ["red", "blue", "orange"][: 2 + large], ["robot1", "robot2"][: 1 + large]
    floors = spread(rng, tiles, ("marble", "oak", "slate"))
    moods = {"red": "warm", "blue": "cold", "orange": "warm"}
    standing = rng.sample(tiles, len(robots))
    init = [
        *(("up", above, below) for upper, lower in pairwise(grid) for above, below in zip(upper, lower, strict=True)),
        *(("right", right, left) for row in grid for left, right in pairwise(row)),
        *((floor, tile) for tile, floor in floors.items()),
        *((moods[colour], colour) for colour in colours),
        *(("available-colour", colour) for colour in colours),
        *(("robot-at", robot, tile) for robot, tile in zip(robots, standing, strict=True)),
        *(("robot-has", robot, rng.choice(colours)) for robot in robots),
        *(("clear", tile) for tile in tiles if tile not in standing),
    ]
    goal, painted, variables = Goal(), [], rng.randint(2, 4)
    # From the top down every tile above the last row can be painted, whatever the others are to be.
    for witness in rng.sample(tiles[:-columns], len(tiles) - columns):
        if len(goal.kinds) >= variables:
            break
        tile = goal.add_variable("t", "tile")
        painted.append(tile)
        goal.add(floors[witness], tile)
        colour = rng.choice(colours)
        if len(goal.kinds) < variables and rng.random() < 0.4:
            open_colour = goal.add_variable("c", "colour")
            goal.add(moods[colour], open_colour)
            colour = open_colour
        goal.add("painted", tile, colour)
    if rng.random() < 0.7:
        goal.differ(painted)
    if len(goal.kinds) < 4 and rng.random() < 0.2:
        tile = goal.add_variable("t", "tile")
        goal.add(floors[grid[-1][0]], tile)
        goal.add("robot-at", robots[0], tile)
    objects = {"tile": tiles, "robot": robots, "colour": colours}
    return write_problem("floortile", size, objects, init, goal, {("total-cost",): 0})


DOMAIN = make_domain(
    "floortile",
    draw,
    (4, 6, 8),
    (9, 12, 15, 16, 20),
    "Typed, with action costs; attributes are predicates; a painted tile is in the way for ever (dead ends). The size "
    "is the number of tiles.",
)
