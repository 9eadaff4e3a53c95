"""ALFWorld's own domain and goal templates, read from the installed package, on homes that are generated here.

The package `alfworld` is installed without its dependencies, and nothing of it is copied or imported. Its domain file
needs three repairs, which `repair_domain` makes:

1. `checked` is declared for receptacles and used for locations, agents and objects: it is declared for anything.
2. A variable list of the action `examineObject` has a comma.
3. The kinds that actions name (a sink, a microwave, ...) are declared nowhere: they become constants.
"""

import re
import runpy
from collections.abc import Mapping
from importlib.metadata import distribution
from pathlib import Path
from random import Random

CONSTANTS = (
    "(:constants SinkBasinType MicrowaveType FridgeType - rtype KnifeType ButterKnifeType - otype)",
    {"SinkBasinType", "MicrowaveType", "FridgeType", "KnifeType", "ButterKnifeType"},
)
RECEPTACLES = ("SinkBasin", "Microwave", "Fridge", "CounterTop", "Cabinet", "Drawer", "Shelf", "DiningTable", "Desk")
OPENABLE = {"Microwave", "Fridge", "Cabinet", "Drawer"}
FOOD = ("pickupable", "heatable", "coolable", "cleanable", "sliceable")
OBJECTS: Mapping[str, tuple[str, ...]] = {
    "Apple": FOOD,
    "Mug": ("pickupable", "heatable", "coolable", "cleanable"),
    "Knife": ("pickupable", "cleanable"),
    "DeskLamp": ("toggleable",),
    "Bowl": ("pickupable", "cleanable", "isReceptacleObject"),
    "Book": ("pickupable",),
    "Potato": FOOD,
    "Plate": ("pickupable", "heatable", "cleanable", "isReceptacleObject"),
    "Pen": ("pickupable",),
}
WISHES = {"obj": "Apple", "recep": "Cabinet", "mrecep": "Bowl", "toggle": "DeskLamp"}
"""What the templates are filled with: every one of them makes sense of an apple."""


def find_file(name: str) -> Path:
    """A file of the installed package."""
    return Path(str(distribution("alfworld").locate_file(name)))


def repair_domain(text: str) -> str:
    """The package's domain with its three mistakes repaired; nothing else is changed."""
    text = re.sub(r"\(checked \?r - receptacle\)", "(checked ?x)", text)
    text = text.replace("?l - location, ?r - receptacle", "?l - location ?r - receptacle")
    return text.replace("(:predicates", f"{CONSTANTS[0]}\n (:predicates", 1)


def read_domain_text() -> str:
    """The repaired domain."""
    return repair_domain(find_file("alfworld/data/alfred.pddl").read_text(encoding="utf-8"))


def list_templates() -> dict[str, str]:
    """The goal templates of the package by name, each filled with objects of a home and as a `(:goal ...)` form."""
    library = runpy.run_path(str(find_file("alfworld/gen/goal_library.py")))["gdict"]
    # The form that a template ends is the problem's.
    return {name: entry["pddl"].format(**WISHES).replace("#", "-").strip()[:-1] for name, entry in library.items()}


def draw_home(size: int, rng: Random, goal: str) -> str:
    """A problem with about so many receptacles and objects, of which a third are receptacles, each at a location."""
    places = [*RECEPTACLES, *(rng.choice(RECEPTACLES) for _ in range(size // 3 - len(RECEPTACLES)))]
    things = [*OBJECTS, "Apple", "Apple"]
    things += [rng.choice(list(OBJECTS)) for _ in range(size - len(places) - len(things))]
    spots = [f"loc{i}" for i in range(len(places) + 1)]
    rtypes = {f"{kind}Type" for kind in RECEPTACLES}
    otypes = {f"{kind}Type" for kind in OBJECTS}
    init = [f"(atLocation agent1 {spots[-1]})", "(= (total-cost) 0)"]
    for i, kind in enumerate(places):
        init += [f"(receptacleAtLocation recep{i} loc{i})", f"(receptacleType recep{i} {kind}Type)"]
        init += [f"(openable recep{i})"] if kind in OPENABLE else []
        init += [f"(opened recep{i})"] if kind in OPENABLE and rng.random() < 0.1 else []
    for i, kind in enumerate(things):
        # A template that is true at the start would show nothing.
        where = rng.choice([j for j, other in enumerate(places) if other != WISHES["recep"]])
        init += [f"(objectType obj{i} {kind}Type)", f"(inReceptacle obj{i} recep{where})"]
        init += [f"(objectAtLocation obj{i} loc{where})", *(f"({what} obj{i})" for what in OBJECTS[kind])]
    init += [f"(canContain {r} {o})" for r in sorted(rtypes) for o in sorted(otypes)]
    return f"""(define (problem home) (:domain alfred)
  (:objects agent1 - agent {" ".join(spots)} - location {" ".join(f"recep{i}" for i in range(len(places)))} - receptacle
    {" ".join(f"obj{i}" for i in range(len(things)))} - object
    {" ".join(sorted(rtypes - CONSTANTS[1]))} - rtype {" ".join(sorted(otypes - CONSTANTS[1]))} - otype)
  (:init {" ".join(init)})
  {goal}
  (:metric minimize (total-cost)))
"""
