"""Barman: something sweet in a crystal glass."""

from itertools import pairwise
from random import Random

from skolem.families.suite.domain import make_domain
from skolem.families.suite.problems import Goal, divide, number_objects, spread, write_problem

LEVELS = ("level0", "level1", "level2")


def draw(size: int, rng: Random) -> str:
    """Shots, ingredients and cocktails of two of them each, with one shaker."""
    glasses, sorts, mixes = divide(rng, size, (2, 2, 1), (size, max(2, size // 3), max(1, size // 2)))
    shots, ingredients = number_objects("shot", glasses), number_objects("ingredient", sorts)
    cocktails = number_objects("cocktail", mixes)
    looks = spread(rng, shots, ("crystal", "coloured"))
    tastes = spread(rng, [*ingredients, *cocktails], ("sweet", "sour"))
    taps = {f"dispenser{i}": ingredient for i, ingredient in enumerate(ingredients, 1)}
    parts = {cocktail: rng.sample(ingredients, 2) for cocktail in cocktails}
    init = [
        *((look, shot) for shot, look in looks.items()),
        *((taste, drink) for drink, taste in tastes.items()),
        *(("dispenses", tap, ingredient) for tap, ingredient in taps.items()),
        *(("cocktail-part1", cocktail, first) for cocktail, (first, _) in parts.items()),
        *(("cocktail-part2", cocktail, second) for cocktail, (_, second) in parts.items()),
        *((fact, thing) for thing in ["shaker1", *shots] for fact in ("ontable", "clean", "empty")),
        *(("handempty", hand) for hand in ("left", "right")),
        ("shaker-empty-level", "shaker1", LEVELS[0]),
        ("shaker-level", "shaker1", LEVELS[0]),
        *(("next", less, more) for less, more in pairwise(LEVELS)),
    ]
    goal, served, variables = Goal(), [], rng.randint(1, 4)
    # One shot stays free: a cocktail is mixed with its help.
    for witness in rng.sample(shots, glasses - 1):
        if len(goal.kinds) >= variables:
            break
        shot = goal.add_variable("s", "shot")
        served.append(shot)
        goal.add(looks[witness], shot)
        drink = rng.choice(cocktails if rng.random() < 0.6 else ingredients)
        if len(goal.kinds) < variables and rng.random() < 0.8:
            beverage = goal.add_variable("b", "cocktail" if drink in cocktails else "ingredient")
            goal.add(tastes[drink], beverage)
            drink = beverage
        goal.add("contains", shot, drink)
    goal.differ(served)
    objects = {
        "shot": shots,
        "ingredient": ingredients,
        "cocktail": cocktails,
        "dispenser": list(taps),
        "shaker": ["shaker1"],
        "hand": ["left", "right"],
        "level": LEVELS,
    }
    return write_problem("barman", size, objects, init, goal, {("total-cost",): 0})


DOMAIN = make_domain(
    "barman",
    draw,
    range(5, 7),
    range(7, 12),
    "Typed, with action costs; attributes are predicates, kinds of drinks are types. The size is the number of shots, "
    "ingredients and cocktails.",
)
