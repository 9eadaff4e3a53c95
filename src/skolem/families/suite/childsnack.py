"""Childsnack: some children of a class served, different ones, where they wait."""

from random import Random

from skolem.families.suite.domain import make_domain
from skolem.families.suite.problems import Goal, number_objects, spread, write_problem

CLASSES = ("lions", "owls")


def draw(size: int, rng: Random) -> str:
    """That many children at a few tables, with food for some of them."""
    children, portions = number_objects("child", size), min(size, 2 + size // 4)
    breads, contents = number_objects("bread", portions), number_objects("content", portions)
    sandwiches, trays = number_objects("sandwich", portions), number_objects("tray", 1 + (size > 9))
    tables = number_objects("table", 2 + size // 4)
    classes = spread(rng, children, CLASSES)
    allergic = set(rng.sample(children, rng.randint(1, max(1, size // 3))))
    safe = rng.randint(1, portions)
    waiting = {child: rng.choice(tables) for child in children}
    init = [
        *(("member", child, group) for child, group in classes.items()),
        *(("allergic_gluten" if child in allergic else "not_allergic_gluten", child) for child in children),
        *(("waiting", child, table) for child, table in waiting.items()),
        *(("at_kitchen_bread", bread) for bread in breads),
        *(("at_kitchen_content", content) for content in contents),
        *(("no_gluten_bread", bread) for bread in breads[:safe]),
        *(("no_gluten_content", content) for content in contents[:safe]),
        *(("notexist", sandwich) for sandwich in sandwiches),
        *(("at", tray, "kitchen") for tray in trays),
    ]
    # As many witnesses as there is food for.
    order = rng.sample(children, size)
    witnesses = [*[c for c in order if c in allergic][:safe], *(c for c in order if c not in allergic)]
    goal, chosen, variables = Goal(), [], rng.randint(1, min(4, portions))
    for witness in rng.sample(witnesses, min(variables, len(witnesses))):
        child = goal.add_variable("c", "child")
        chosen.append(child)
        goal.add("member", child, classes[witness])
        goal.add("served", child)
        if rng.random() < 0.3:
            goal.add("waiting", child, waiting[witness])
        if rng.random() < 0.3:
            goal.add("allergic_gluten" if witness in allergic else "not_allergic_gluten", child)
    if rng.random() < 0.8:
        goal.differ(chosen)
    if len(goal.kinds) < 4 and rng.random() < 0.2:
        sandwich = goal.add_variable("s", "sandwich")
        goal.add("notexist", sandwich)
    objects = {
        "child": children,
        "bread": breads,
        "content": contents,
        "sandwich": sandwiches,
        "tray": trays,
        "place": tables,
        "class": CLASSES,
    }
    return write_problem("childsnack", size, objects, init, goal)


DOMAIN = make_domain(
    "childsnack",
    draw,
    range(3, 7),
    range(7, 10),
    "Typed; classes of children are objects; food without gluten can be wasted (dead ends). The size is the number of "
    "children.",
)
