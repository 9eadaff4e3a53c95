"""The same tasks with attributes that no model was trained on: more colours, other names, kinds as objects or types."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random

from skolem.families.family import (
    COLOURS,
    Colouring,
    Family,
    GoalSpec,
    Layout,
    index_atoms,
    require_distinct,
    write_problem,
)
from skolem.task.satisfaction import find_witness

FURTHER_COLOURS = ("pink", "brown", "grey", "white", "black", "cyan")
OTHER_NAMES = dict(zip(COLOURS, ("ruby", "sapphire", "emerald", "topaz", "amber", "amethyst"), strict=True))
SIZES = ("small", "large", "huge")
JOINT = "+"
"""Between the two attributes of one object."""
KINDS = {
    "blocks": ("block",),
    "visitall": ("cell",),
    "gripper": ("room", "ball", "gripper"),
    "delivery": ("truck", "package", "cell"),
}
"""The types of a typed domain: the unary kinds of its actions, or a type that all objects have."""
COLOURED = {"blocks": "block", "visitall": "cell", "gripper": "ball", "delivery": "cell"}
"""The type of the objects that have a colour."""
CHANGES = ("12 colours", "renamed", "objects", "types", "two attributes")


@dataclass(frozen=True)
class Texts:
    """A task as PDDL."""

    domain: str
    problem: str


@dataclass(frozen=True)
class Described:
    """One layout with a goal, its objects described in some way."""

    layout: Layout
    colours: Colouring
    goal: GoalSpec


@dataclass(frozen=True)
class Changed:
    """A task with a change, and the same one in words that share a state space with all others of the layout."""

    change: str
    texts: Texts
    plain: Texts


def draw_changes(rng: Random, family: Family, layout: Layout, variables: int, neq: bool) -> list[Changed]:
    """A layout with usual colours (the first) and with every change.

    Names, kinds as objects and kinds as types say the same as the usual colours; more colours and second attributes
    come with goals of their own.
    """

    def describe(draw: Callable[[], Colouring]) -> Described:
        while True:
            colours = draw()
            goal = family.sample_goal(rng, layout, colours, variables)
            goal = require_distinct(goal) if neq else goal
            facts = (*layout.atoms, *((label, obj) for obj, label in colours.items()))
            if (
                find_witness(goal.to_query(layout.objects), index_atoms(layout.objects, facts), len(layout.objects))
                is None
            ):
                return Described(layout, colours, goal)

    usual = describe(lambda: family.sample_colours(rng, layout, family.colours.draw(rng)))
    many = describe(lambda: _spread(rng, layout, (*COLOURS, *FURTHER_COLOURS)))
    colours = rng.sample(COLOURS, 3)
    double = describe(lambda: _spread(rng, layout, [f"{c}{JOINT}{s}" for c in colours for s in SIZES]))
    renamed = _write(family, usual, lambda label: (OTHER_NAMES[label],))
    plain = _write(family, usual, lambda label: (label,), declare_all(family))
    changed = [
        Changed("usual", _write(family, usual, lambda label: (label,)), plain),
        Changed("renamed", Texts(declare(family, OTHER_NAMES.values()), renamed.problem), plain),
        Changed("objects", write_brands(family, usual), plain),
        Changed("types", write_types(family, usual), plain),
    ]
    for change, described, names in (
        ("12 colours", many, (*COLOURS, *FURTHER_COLOURS)),
        ("two attributes", double, (*COLOURS, *SIZES)),
    ):
        texts = _write(family, described, lambda label: tuple(label.split(JOINT)), declare(family, names))
        changed.append(Changed(change, texts, Texts(declare_all(family), texts.problem)))
    return changed


def _spread(rng: Random, layout: Layout, labels: Sequence[str]) -> Colouring:
    return {name: rng.choice(labels) for name in layout.coloured}


def declare(family: Family, names: Iterable[str], extra: str = "") -> str:
    """The domain with other attributes than its colours."""
    usual = " ".join(f"({colour} ?x)" for colour in COLOURS)
    assert usual in family.domain_text
    declared = " ".join(f"({name} ?x)" for name in names)
    return family.domain_text.replace(usual, f"{declared}{extra}")


def declare_all(family: Family) -> str:
    """The domain with every unary attribute that a change has."""
    return declare(family, (*COLOURS, *FURTHER_COLOURS, *SIZES))


def _write(
    family: Family, described: Described, spell: Callable[[str], tuple[str, ...]], domain: str | None = None
) -> Texts:
    """The task with every colour spelled as one or several attributes."""
    labels = set(described.colours.values())
    atoms = [
        (name, *terms)
        for label, *terms in described.goal.atoms
        for name in (spell(label) if label in labels else (label,))
    ]
    goal = GoalSpec(described.goal.variables, tuple(atoms), described.goal.unequal)
    init = [(name, obj) for obj, label in described.colours.items() for name in spell(label)]
    layout = described.layout
    problem = write_problem("reach", family.domain, layout.objects, (*layout.atoms, *init), goal)
    return Texts(family.domain_text if domain is None else domain, problem)


def write_brands(family: Family, described: Described) -> Texts:
    """The task with colours that are objects: `(brand ?x b-red)`."""
    labels = sorted(set(described.colours.values()))
    atoms = [
        ("brand", terms[0], f"b-{label}") if label in labels else (label, *terms)
        for label, *terms in described.goal.atoms
    ]
    goal = GoalSpec(described.goal.variables, tuple(atoms), described.goal.unequal)
    layout = described.layout
    objects = (*layout.objects, *(f"b-{label}" for label in labels))
    init = [("brand", obj, f"b-{label}") for obj, label in described.colours.items()]
    problem = write_problem("reach", family.domain, objects, (*layout.atoms, *init), goal)
    return Texts(declare(family, (), "(brand ?x ?b)"), problem)


def write_types(family: Family, described: Described) -> Texts:
    """The task with colours and kinds that are types."""
    kinds = KINDS[family.domain]
    layout, labels = described.layout, set(described.colours.values())
    types = dict.fromkeys(layout.objects, kinds[0]) if len(kinds) == 1 else {}
    types |= {terms[0]: kind for kind, *terms in layout.atoms if kind in kinds}
    types |= described.colours
    atoms = tuple(atom for atom in described.goal.atoms if atom[0] not in labels)
    asked = {terms[0]: label for label, *terms in described.goal.atoms if label in labels}
    variables = tuple(f"{variable} - {asked[variable]}" for variable in described.goal.variables)
    objects = [f"{name} - {types[name]}" for name in layout.objects]
    init = [atom for atom in layout.atoms if atom[0] not in kinds]
    goal = GoalSpec(variables, atoms, described.goal.unequal)
    return Texts(write_typed_domain(family), write_problem("reach", family.domain, objects, init, goal))


def write_typed_domain(family: Family) -> str:
    """The domain with its kinds as types, those of colours below the type of coloured objects."""
    kinds = KINDS[family.domain]
    types = f"(:types {' '.join(kinds)} - object {' '.join(COLOURS)} - {COLOURED[family.domain]})\n  (:predicates"
    text = declare(family, ()).replace("(:predicates", types).replace(":strips", ":strips :typing")
    head, *actions = text.split("(:action")
    for kind in kinds:
        head = head.replace(f"({kind} ?x)", "")
    return "(:action".join([head, *(_type_action(action, kinds) for action in actions)])


def _type_action(text: str, kinds: tuple[str, ...]) -> str:
    kind_atom = re.compile(rf"\(({'|'.join(kinds)}) (\?\w+)\)\s*")
    found = {variable: kind for kind, variable in kind_atom.findall(text)}
    before, parameters, after = re.split(r"\(([^()]*)\)", text, maxsplit=1)
    typed = " ".join(f"{variable} - {found.get(variable, kinds[0])}" for variable in parameters.split())
    return f"{before}({typed}){kind_atom.sub('', after)}"
