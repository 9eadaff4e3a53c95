"""Goals for a domain without a goal generator: atoms of a reachable state with objects lifted into variables.

Where the user's problems have goals, more than half of the goals are in their shapes: the same predicates over objects
that are the same or differ as theirs do, quantified or not.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

from skolem.task.goal_normal_form import list_alternatives
from skolem.task.model import Task
from skolem.task.query import CodedAtom, Query, Relations, merge_equal

MOST_ATOMS = 4
_SHAPED = 0.6
"""How many goals are in the shape of one of the user's, where there are some."""
_OWN = 0.7
"""How many of these have the same variables as well; the others have any of the objects as variables."""
_KIND = 0.85
"""How many variables say what kind of object they are."""
_JOIN = 0.3
"""How often a static relation of some of the goal's objects is asked for."""
_PAIRED = 0.12
"""How many goals have variables that are joined by attributes."""
_SHAPES, _STATES = 3, 8
"""How many shapes are tried for one goal, and in how many states each."""
_MOST_DENIED = 30
"""A shape that denies all atoms of a predicate is not used where there are more."""

Rows = Mapping[str, Collection[tuple[int, ...]]]
"""Atoms by their predicates."""


@dataclass(frozen=True)
class Shape:
    """A goal without its objects: literals over numbered terms."""

    atoms: tuple[CodedAtom, ...]
    denied: tuple[CodedAtom, ...]
    variables: frozenset[int]
    """The terms that are variables in the user's goal."""


@dataclass(frozen=True)
class Language:
    """What the goals of a domain are made of."""

    shapes: tuple[Shape, ...] = ()
    kinds: frozenset[str] = frozenset()
    """Static unary relations that actions read: what an object is."""
    joins: frozenset[str] = frozenset()
    """Static relations of several objects that actions read or the user's goals use."""
    variables: int = 4
    """The most variables of a goal."""


def list_shapes(task: Task) -> Iterator[Shape]:
    """The shapes of a task's goal: one for each of its alternatives that has atoms which actions change."""
    for alternative in list_alternatives(task):
        query = merge_equal(alternative.query).query
        number: dict[int, int] = {}

        def code(
            literals: Sequence[CodedAtom], query: Query = query, number: dict[int, int] = number
        ) -> list[CodedAtom]:
            return [
                (name, tuple(number.setdefault(query.resolve(a), len(number)) for a in args))
                for name, args in literals
                if name not in task.statics
            ]

        atoms, denied = code(query.atoms), code(query.denied)
        if atoms:
            yield Shape(tuple(atoms), tuple(denied), frozenset(n for a, n in number.items() if a < 0))


def lift_goal(
    rng: Random,
    language: Language,
    statics: Relations,
    draw_target: Callable[[], Relations],
    possible: Rows,
    attributes: Collection[str],
    pairs: Collection[str] = (),
) -> Query:
    """A goal that one of the drawn target states satisfies; `possible` are all atoms that may become true.

    Some of its objects become variables. Most of them say what kind of object they are, and most are described by one
    or two of the unary attributes; some variables are joined by static relations or by attributes of two objects; in
    half of the goals all variables must differ.
    """
    chosen, denied, favoured = _choose(rng, language, draw_target, possible)
    used = sorted({o for _, args in chosen for o in args})
    if favoured and rng.random() < _OWN:
        lifted = rng.sample(sorted(favoured), min(len(favoured), language.variables))
    else:
        lifted = rng.sample(used, min(len(used), rng.randint(1, language.variables)))
    code = {obj: ~i for i, obj in enumerate(lifted)}

    def write(name: str, args: Sequence[int]) -> CodedAtom:
        return name, tuple(code.get(o, o) for o in args)

    atoms = [write(*atom) for atom in chosen]
    kinds, described = _index(statics, language.kinds, lifted), _index(statics, attributes, lifted)
    for obj in lifted:
        if rng.random() < _KIND:
            atoms += [(name, (code[obj],)) for name in kinds[obj]]
        wanted = rng.choices((0, 1, 2), (25, 55, 20))[0]
        atoms += [(name, (code[obj],)) for name in rng.sample(described[obj], min(wanted, len(described[obj])))]
    for name in sorted(language.joins):
        for row in statics[name].tolist():
            if code.keys() & set(row) and set(row) <= set(used) and rng.random() < _JOIN:
                atoms.append(write(name, row))
    if len(lifted) > 1 and pairs and rng.random() < _PAIRED:
        held = [(name, row) for name in sorted(pairs) for row in statics[name].tolist() if set(row) <= code.keys()]
        atoms += [write(*atom) for atom in rng.sample(held, min(len(held), rng.randint(1, 2)))]
    unequal = tuple((~i, ~j) for i, j in combinations(range(len(lifted)), 2)) if rng.random() < 0.5 else ()
    forbidden = tuple(dict.fromkeys(write(*atom) for atom in denied))
    return Query(len(lifted), tuple(dict.fromkeys(atoms)), unequal=unequal, denied=forbidden)


def _index(statics: Relations, names: Collection[str], objects: Sequence[int]) -> dict[int, list[str]]:
    """For each of the objects the unary relations that it is in."""
    found: dict[int, list[str]] = {obj: [] for obj in objects}
    for name in sorted(names):
        for (obj,) in statics[name].tolist():
            if obj in found:
                found[obj].append(name)
    return found


def _choose(
    rng: Random, language: Language, draw_target: Callable[[], Relations], possible: Rows
) -> tuple[list[CodedAtom], list[CodedAtom], frozenset[int]]:
    """Atoms of a target, atoms that are false in it, and the objects that the user would have as variables.

    The shape is drawn first and then a state for it: many states have room for small shapes only.
    """
    if language.shapes and rng.random() < _SHAPED:
        for _ in range(_SHAPES):
            shape = rng.choice(language.shapes)
            for _ in range(_STATES):
                found = _match(rng, shape, _list_facts(draw_target()), possible)
                if found is not None:
                    return found
    listed = [(name, row) for name, rows in _list_facts(draw_target()).items() for row in rows]
    return _choose_atoms(rng, [fact for fact in listed if fact[1]] or listed), [], frozenset()


def _list_facts(target: Relations) -> dict[str, list[tuple[int, ...]]]:
    return {name: [tuple(row) for row in target[name].tolist()] for name in sorted(target)}


def _match(
    rng: Random, shape: Shape, facts: dict[str, list[tuple[int, ...]]], possible: Rows
) -> tuple[list[CodedAtom], list[CodedAtom], frozenset[int]] | None:
    """Facts in the shape, or in some of it where it is large; None where a random attempt finds none."""
    place: dict[int, int] = {}
    chosen: list[CodedAtom] = []
    atoms = rng.sample(shape.atoms, min(len(shape.atoms), rng.choice((MOST_ATOMS, MOST_ATOMS, MOST_ATOMS, 2))))
    for name, terms in atoms:
        fitting = []
        for row in facts.get(name, ()):
            places = dict(zip(terms, row, strict=True))
            # Terms that differ stand for objects that do.
            others = {place[t] for t in place if t not in places}
            apart = len(set(places.values())) == len(places) and others.isdisjoint(places.values())
            repeated = all(places[t] == o for t, o in zip(terms, row, strict=True))
            if apart and repeated and all(place.get(t, o) == o for t, o in places.items()):
                fitting.append(row)
        if not fitting:
            return None
        row = rng.choice(fitting)
        place |= dict(zip(terms, row, strict=True))
        chosen.append((name, row))
    denied: list[CodedAtom] = []
    alone = Counter(name for name, _ in shape.denied)
    left_out = {term for _, terms in shape.atoms for term in terms} - place.keys()
    for name, terms in shape.denied:
        if left_out & set(terms):
            continue
        rows = [row for row in possible.get(name, ()) if all(map(lambda t, o: place.get(t, o) == o, terms, row))]
        false = [(name, row) for row in rows if row not in facts.get(name, ())]
        # An atom of an object that stands nowhere else in the goal is denied of all such objects, or of any one.
        if len(rows) > 1 and alone[name] == 1 and rng.random() < 0.5:
            false = rng.sample(false, min(1, len(false)))
        elif len(rows) > 1 and not len(false) == len(rows) <= _MOST_DENIED:
            return None
        denied += false
    return chosen, denied, frozenset(place[t] for t in shape.variables if t in place)


def _choose_atoms(rng: Random, facts: list[CodedAtom]) -> list[CodedAtom]:
    names = sorted({name for name, _ in facts})
    name = rng.choice(names)
    # The predicate is drawn first, so that one with few atoms is not drowned by one with many.
    chosen = [rng.choice([fact for fact in facts if fact[0] == name])]
    for _ in range(rng.randint(0, MOST_ATOMS - 1)):
        touched = {o for _, args in chosen for o in args}
        rest = [fact for fact in facts if fact not in chosen]
        joined = [fact for fact in rest if touched & set(fact[1])]
        if rest:
            chosen.append(rng.choice(joined if joined and rng.random() < 0.5 else rest))
    return chosen
