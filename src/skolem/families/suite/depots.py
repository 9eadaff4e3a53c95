"""Depots: a steel crate on a wooden one, at a depot or a distributor that the goal leaves open."""

from itertools import pairwise
from random import Random

from skolem.families.suite.domain import make_domain
from skolem.families.suite.problems import Goal, divide, number_objects, spread, write_problem

MATERIALS = ("steel", "wood", "plastic")


def draw(size: int, rng: Random) -> str:
    """Places with a pallet and a hoist each, a truck or more, and stacks of crates."""
    number, trucks, boxes = divide(rng, size, (2, 1, 2), (max(2, size // 3), max(1, size // 4), size))
    depots, distributors = number_objects("depot", (number + 1) // 2), number_objects("distributor", number // 2)
    places, crates = [*depots, *distributors], number_objects("crate", boxes)
    vehicles, hoists = number_objects("truck", trucks), number_objects("hoist", number)
    pallets = number_objects("pallet", number)
    materials = spread(rng, crates, MATERIALS[: max(2, boxes // 2)])
    stacks = {pallet: [pallet] for pallet in pallets}
    for crate in rng.sample(crates, boxes):
        stacks[rng.choice(pallets)].append(crate)
    init = [
        *(("made-of", crate, material) for crate, material in materials.items()),
        *(("at", truck, rng.choice(places)) for truck in vehicles),
        *(("at", hoist, place) for hoist, place in zip(hoists, places, strict=True)),
        *(("available", hoist) for hoist in hoists),
    ]
    for stack, place in zip(stacks.values(), places, strict=True):
        init += [("at", thing, place) for thing in stack]
        init += [("on", upper, lower) for lower, upper in pairwise(stack)]
        init.append(("clear", stack[-1]))
    goal, variables = Goal(), rng.randint(1, min(4, boxes))
    names = {crate: goal.add_variable("c", "crate") for crate in rng.sample(crates, variables)}
    for witness, crate in names.items():
        goal.add("made-of", crate, materials[witness])
    tower = list(names.values())
    # The crates form one tower, or stand at places; both can be had with all of them different.
    if variables > 1 and rng.random() < 0.6:
        for upper, lower in pairwise(tower):
            goal.add("on", upper, lower)
    else:
        goal.differ(tower)
        for crate in tower[:-1]:
            goal.add("at", crate, rng.choice(places))
    if variables < 4 and rng.random() < 0.5:
        kind = "depot" if rng.random() < 0.5 else "distributor"
        place = goal.add_variable("p", kind)
        goal.add("at", tower[-1], place)
    else:
        goal.add("at", tower[-1], rng.choice(places))
    if rng.random() < 0.2:
        goal.add("clear", tower[0])
    objects = {
        "depot": depots,
        "distributor": distributors,
        "truck": vehicles,
        "hoist": hoists,
        "pallet": pallets,
        "crate": crates,
        "material": MATERIALS,
    }
    return write_problem("depots", size, objects, init, goal)


DOMAIN = make_domain(
    "depots",
    draw,
    range(6, 9),
    range(10, 15),
    "Typed; materials are objects, kinds of places are types. The size is the number of places, trucks and crates.",
)
