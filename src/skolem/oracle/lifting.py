"""Goals for a domain without a goal generator: atoms of a reachable state with objects lifted into variables."""

from itertools import combinations
from random import Random

from skolem.task.query import Query, Relations

MOST_ATOMS = 4


def lift_goal(rng: Random, statics: Relations, target: Relations, variables: int) -> Query:
    """A goal that the target state satisfies, with at most that many variables.

    Some of the target's fluent atoms are taken, each after the first sharing an object with those before it where
    one does. Some of their objects become variables, described by most of their own static atoms and by
    some of those among the goal's objects; in half of the goals all variables must differ.
    """
    facts = [(name, tuple(row)) for name in sorted(target) for row in target[name].tolist()]
    chosen = _choose_atoms(rng, [fact for fact in facts if fact[1]] or facts)
    used = sorted({o for _, args in chosen for o in args})
    lifted = rng.sample(used, min(len(used), variables))
    code = {obj: ~i for i, obj in enumerate(lifted)}
    atoms = [(name, tuple(code.get(o, o) for o in args)) for name, args in chosen]
    for name in sorted(statics):
        for row in statics[name].tolist():
            described = code.keys() & set(row)
            if described and set(row) <= set(used) and rng.random() < (0.75 if len(row) == 1 else 0.4):
                atoms.append((name, tuple(code.get(o, o) for o in row)))
    unequal = tuple((~i, ~j) for i, j in combinations(range(len(lifted)), 2)) if rng.random() < 0.5 else ()
    return Query(len(lifted), tuple(dict.fromkeys(atoms)), unequal=unequal)


def _choose_atoms(rng: Random, facts: list[tuple[str, tuple[int, ...]]]) -> list[tuple[str, tuple[int, ...]]]:
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
