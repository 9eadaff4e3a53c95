"""A world that is told what changed: objects come and go, atoms become true and false, the goal is another one.

A world is plain data, which any process can make the task of: nothing of it is lost with a process that works on it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from skolem.pddl.declarations import read_objects
from skolem.pddl.faults import Faults, suggest
from skolem.pddl.initial_state import read_init
from skolem.pddl.names import Names
from skolem.pddl.reading import read_domain, read_task_text
from skolem.pddl.sexpr import Form, at, parse_form, write
from skolem.support.errors import InputError, Place, SkolemError
from skolem.task.model import Domain, Source, Task
from skolem.task.types import Types

DOMAIN, PROBLEM = "domain", "problem"
"""What the texts of a task are called in error messages."""


@dataclass(frozen=True)
class World:
    """A domain's text, objects with their types, what is true, the values of functions, and the goal's text."""

    domain: str
    objects: Mapping[str, str]
    atoms: tuple[str, ...]
    values: Mapping[str, int]
    """The value of function terms such as "(distance a b)"."""
    goal: str
    metric: bool


@dataclass(frozen=True)
class Change:
    """What is told about a world, in the order in which it is taken in."""

    gone: tuple[str, ...] = ()
    """Objects that went; what was true of them goes with them."""
    objects: Mapping[str, str] = field(default_factory=dict)
    """Objects that came, with their types."""
    remove: tuple[str, ...] = ()
    """Atoms such as "(on a b)" that are true no longer."""
    add: tuple[str, ...] = ()
    """Atoms that are true now, and values such as "(= (distance a b) 3)"."""
    goal: str | None = None
    """Another goal, as PDDL text."""


def open_world(domain: str, problem: str) -> tuple[World, Task]:
    """The world that a problem describes, and its task."""
    task = read_task_text(Source(DOMAIN, domain), Source(PROBLEM, problem))
    names, constants = task.objects, task.domain.constants
    atoms = [
        f"({' '.join((predicate, *(names[o] for o in row)))})"
        for predicate, rows in task.init.items()
        if predicate in task.domain.predicates and predicate not in task.domain.derived
        for row in rows.tolist()
    ]
    start, end = task.goal_span
    goal = parse_form(Source(PROBLEM, task.source.text[start:end])).items[1]
    world = World(
        domain=domain,
        objects={name: _spell_types(task.types[name]) for name in names if name not in constants},
        atoms=tuple(atoms),
        values={f"({' '.join(term)})": value for term, value in task.values.items()},
        goal=write(goal),
        metric=task.has_metric,
    )
    return world, task


def make_task(world: World) -> Task:
    """The task of a world; a mistake in the goal is reported at its place in the goal's text."""
    before, after = _write_around_goal(world)
    try:
        return read_task_text(Source(DOMAIN, world.domain), Source(PROBLEM, before + world.goal + after))
    except SkolemError as error:
        raise _place_in_goal(error, before.count("\n")) from None


def write_problem(world: World) -> str:
    """The world as the text of a problem."""
    before, after = _write_around_goal(world)
    return before + world.goal + after


def change_world(world: World, change: Change) -> World:
    """The world after a change; an InputError for what it cannot mean."""
    domain = read_domain(Source(DOMAIN, world.domain))
    objects = _change_objects(domain, world.objects, change)
    gone = set(map(str.lower, change.gone))
    atoms = dict.fromkeys(atom for atom in world.atoms if gone.isdisjoint(_list_names(atom)))
    values = {term: value for term, value in world.values.items() if gone.isdisjoint(_list_names(term))}
    for fact in _read_facts(domain, {**world.objects, **objects}, "remove", change.remove):
        atoms.pop(fact, None)
    for fact in _read_facts(domain, objects, "add", change.add):
        if fact.startswith("(="):
            term, _, value = fact[3:-1].rpartition(" ")
            values[term] = int(value)
        else:
            atoms[fact] = None
    goal = world.goal if change.goal is None else change.goal
    named = sorted((gone - objects.keys()) & _find_words(goal, "goal"))
    if named:
        message = f"the goal names {', '.join(named)}, which is gone: expected another goal with this change"
        raise InputError(message, Place("goal", 1, 1, goal))
    return replace(world, objects=objects, atoms=tuple(atoms), values=values, goal=goal)


def _change_objects(domain: Domain, before: Mapping[str, str], change: Change) -> dict[str, str]:
    """The objects after a change."""
    objects = dict(before)
    for number, name in enumerate(change.gone):
        place = Place(f"gone[{number}]", 1, 1, name)
        if name.lower() in domain.constants:
            raise InputError(f"'{name}' is a constant of the domain, which cannot go", place)
        if objects.pop(name.lower(), None) is None:
            raise InputError(f"there is no object '{name}', expected {suggest(name, objects) or 'one'}", place)
    for name, kind in change.objects.items():
        faults = Faults(Source(f"objects.{name}", f"(:objects {name} - {kind})"))
        form = faults.parse()
        if len(form.items) != 4:
            raise InputError("expected one name and its type", Place(faults.source.path, 1, 1, f"{name} - {kind}"))
        new = read_objects(faults, form, domain.supertypes, domain.constants, "object")
        faults.finish()
        if new.keys() & objects.keys() or not new:
            place = Place(faults.source.path, 1, 1, name)
            raise InputError(f"there is an object '{name}' already, expected a new name", place)
        objects.update({new_name: _spell_types(types) for new_name, types in new.items()})
    return objects


def _read_facts(domain: Domain, objects: Mapping[str, str], what: str, texts: Sequence[str]) -> list[str]:
    """Facts in the one way in which a world writes them; an InputError at the place of the first mistake."""
    if not texts:
        return []
    facts = []
    for number, text in enumerate(texts):
        source = Source(f"{what}[{number}]", text)
        form = parse_form(source)
        if form.head == "not" or (form.head == "=" and what == "remove"):
            raise InputError(f"expected an atom such as '(on a b)' in '{what}'", at(source, form.start))
        facts.append(write(form))
    faults = Faults(Source(what, "\n".join(("(:init", *facts, ")"))))
    names = Names(
        faults=faults,
        supertypes=domain.supertypes,
        predicates=domain.predicates,
        functions=domain.functions,
        objects={**domain.constants, **{name: _split_types(kind) for name, kind in objects.items()}},
        derived=domain.derived,
        remedy="it under 'objects'",
    )
    try:
        read_init(names, faults.parse())
        faults.finish()
    except SkolemError as error:
        place = error.place or Place(what)
        number = min(max(0, place.line - 2), len(texts) - 1)
        raise InputError(error.message, Place(f"{what}[{number}]", 1, place.column, facts[number])) from None
    return facts


def _write_around_goal(world: World) -> tuple[str, str]:
    """The text of the problem before the goal and after it."""
    _find_words(world.goal, "goal")
    declared = "\n".join(f"{name} - {kind}" for name, kind in world.objects.items())
    values = [f"(= {term} {value})" for term, value in world.values.items()]
    name = read_domain(Source(DOMAIN, world.domain)).name
    lines = ("(define (problem world)", f"(:domain {name})", f"(:objects {declared})", "(:init", *world.atoms, *values)
    return "\n".join((*lines, ")", "(:goal", "")), "\n)" + "\n(:metric minimize (total-cost))" * world.metric + ")\n"


def _place_in_goal(error: SkolemError, lines: int) -> SkolemError:
    """The error at its place in the goal's text, if it is there."""
    if error.place is None or error.place.path != PROBLEM:
        return error
    place = error.place
    moved = type(error)(error.message, Place("goal", max(1, place.line - lines), place.column, place.text))
    moved.others = tuple(_place_in_goal(other, lines) for other in error.others)
    return moved


def _find_words(text: str, what: str) -> set[str]:
    """The words of the one form that a text must be."""
    form = parse_form(Source(what, text))
    words, ahead = set(), [*form.items]
    while ahead:
        node = ahead.pop()
        if isinstance(node, Form):
            ahead.extend(node.items)
        else:
            words.add(node.text)
    return words


def _list_names(term: str) -> list[str]:
    """The objects of an atom or function term."""
    return term[1:-1].split()[1:]


def _spell_types(types: Types) -> str:
    return types[0] if len(types) == 1 else f"(either {' '.join(types)})"


def _split_types(kind: str) -> Types:
    return tuple(kind[1:-1].split()[1:]) if kind.startswith("(") else (kind,)
