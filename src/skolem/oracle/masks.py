"""Made-up attributes for training goals: masks that describe objects, pairs that join variables, kinds as objects.

A network that never sees attributes must know every set of candidates they can leave: masks overlap, are of all sizes,
and some follow the structure of the task, as names such as `upper-floor` do.
"""

from collections.abc import Sequence
from random import Random

import numpy as np
import numpy.typing as npt

from skolem.task.query import CodedAtom, Query, Relations

MASKS = tuple(f"mask:{i}" for i in range(1, 7))
"""Unary attributes over random sets of objects."""
PAIRS = tuple(f"join:{i}" for i in range(1, 4))
"""Binary attributes: the last one says of what kind an object is, the others join objects at random."""

_JOINED = 0.12
"""How many goals have variables that are joined by attributes."""
_NARROWED = 0.15
"""How many variables are described by one more mask."""


def draw_masks(rng: Random, described: Sequence[int], facts: Relations, objects: int) -> Relations:
    """Masks over some objects, each of which has one at least: random, tiny, near or far from one, or facts."""
    kinds = [np.unique(rows[:, 0]) for _, rows in sorted(facts.items()) if rows.shape[1] == 1]
    own = set(described)
    members: list[set[int]] = []
    for _ in range(rng.randint(1, len(MASKS))):
        way = rng.choices(("random", "few", "near", "far", "fact"), (3, 3, 2, 3, 1))[0]
        if way == "few":
            members.append(set(rng.sample(described, min(len(described), rng.randint(1, 2)))))
        elif way in ("near", "far"):
            distance = measure_distances(facts, objects, rng.choice(described))
            order = sorted(rng.sample(described, len(described)), key=lambda o: int(distance[o]))
            size = rng.randint(1, max(1, len(order) // 3))
            members.append(set(order[:size] if way == "near" else order[-size:]))
        elif way == "fact" and kinds:
            members.append(own & set(rng.choice(kinds).tolist()))
        else:
            share = rng.choice((0.15, 0.3, 0.5, 0.7))
            members.append({o for o in described if rng.random() < share})
    for obj in sorted(own.difference(*members)):
        rng.choice(members).add(obj)
    members += [set()] * (len(MASKS) - len(members))
    return {name: make_rows([(o,) for o in sorted(m)], 1) for name, m in zip(MASKS, members, strict=True)}


def draw_pairs(
    rng: Random, described: Sequence[int], facts: Relations, objects: int, kinds: Sequence[int]
) -> Relations:
    """Pairs of objects at random, alike or near each other; and each object with one of the kinds, if there are any."""
    relations = {}
    for name in PAIRS[:-1]:
        way = rng.choice(("random", "alike", "near"))
        if way == "alike":
            groups = {o: rng.randrange(3) for o in described}
            pairs = [(a, b) for a in described for b in described if groups[a] == groups[b]]
        elif way == "near":
            reach = rng.randint(1, 3)
            near = {a: measure_distances(facts, objects, a) for a in described}
            pairs = [(a, b) for a in described for b in described if a != b and 0 <= near[a][b] <= reach]
        else:
            share = rng.choice((0.1, 0.3, 0.6))
            pairs = [(a, b) for a in described for b in described if rng.random() < share]
        relations[name] = make_rows(pairs, 2)
    relations[PAIRS[-1]] = make_rows([(o, rng.choice(kinds)) for o in described] if kinds else [], 2)
    return relations


def describe_further(rng: Random, query: Query, attributes: Relations, kinds: Sequence[int]) -> Query:
    """A goal with some of its variables described by one more mask, and some joined by pairs or of one kind."""
    atoms = list(query.atoms)
    used = [name for name in MASKS if len(attributes[name])]
    atoms += [(rng.choice(used), (~v,)) for v in range(query.variables) if rng.random() < _NARROWED]
    variables = query.variables
    if kinds and rng.random() < 0.5:
        # Of a named kind, or two of one kind, whichever that is.
        if query.variables == 1 or query.variables > 3 or rng.random() < 0.5:
            atoms.append((PAIRS[-1], (~rng.randrange(variables), rng.choice(kinds))))
        else:
            atoms += [(PAIRS[-1], (~v, ~variables)) for v in rng.sample(range(variables), 2)]
            variables += 1
    elif query.variables > 1 and rng.random() < _JOINED:
        for name in rng.sample(PAIRS[:-1], rng.randint(1, 2)):
            first, second = rng.sample(range(query.variables), 2)
            atoms.append((name, (~first, ~second)))
    return Query(variables, tuple(dict.fromkeys(atoms)), unequal=query.unequal, denied=query.denied)


def deny_atoms(
    rng: Random, query: Query, state: Relations, atoms: Sequence[CodedAtom], allowed: npt.NDArray[np.bool_]
) -> Query:
    """A goal with one or two atoms that must be false beside its own, of the state or of any reachable one.

    Most of their objects are replaced by variables that may take them.
    """
    names = sorted(name for name, rows in state.items() if len(rows))
    denied = []
    for _ in range(rng.choice((1, 1, 2))):
        name, args = rng.choice(atoms)
        if names and rng.random() < 0.5:
            name = rng.choice(names)
            args = tuple(rng.choice(state[name].tolist()))
        lifted = []
        for obj in args:
            takers = np.flatnonzero(allowed[:, obj]).tolist() if query.variables else []
            lifted.append(~rng.choice(takers) if takers and rng.random() < 0.7 else obj)
        denied.append((name, tuple(lifted)))
    kept = tuple(dict.fromkeys(atom for atom in (*query.denied, *denied) if atom not in query.atoms))
    return Query(query.variables, query.atoms, unequal=query.unequal, denied=kept)


def measure_distances(facts: Relations, objects: int, start: int) -> npt.NDArray[np.int64]:
    """How many facts of two objects lead from one object to each other one; very many where none do."""
    links = [rows for rows in facts.values() if rows.shape[1] == 2 and len(rows)]
    distance = np.full(objects, objects + 1, dtype=np.int64)
    distance[start] = 0
    if links:
        both = np.concatenate([*links, *(rows[:, ::-1] for rows in links)])
        for step in range(objects):
            reached = both[distance[both[:, 0]] == step, 1]
            reached = reached[distance[reached] > objects]
            if not len(reached):
                break
            distance[reached] = step + 1
    return distance


def make_rows(rows: Sequence[tuple[int, ...]], arity: int) -> npt.NDArray[np.int32]:
    """The tuples as a relation."""
    return np.array(rows, dtype=np.int32).reshape(len(rows), arity)
