"""Random goals of all forms over random small structures: do they mean the same in their normal form?

    python -m tools.goal_meaning --count 20000

Each goal is compared with its alternatives in several states, by trying all objects for all variables. The bounds of
the normal form are drawn anew for each goal, so that residuals of every kind occur.
"""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from skolem.task import alternatives, expansion
from skolem.task.formulas import (
    And,
    Atom,
    Equal,
    Exists,
    Forall,
    Formula,
    Not,
    Or,
    Term,
    Variable,
    list_parts,
    list_terms,
)
from skolem.task.goal_normal_form import list_alternatives
from skolem.task.goals import make_goal
from skolem.task.model import Domain, Goal, Source, Task
from skolem.task.query import Relations
from skolem.task.satisfaction import satisfy
from skolem.task.scopes import find_free, list_shared
from skolem.task.semantics.facts import unite_types

STATIC = {"flag": 0, "red": 1, "near": 2, "link": 3}
CHANGING = {"done": 0, "clear": 1, "on": 2, "handy": 1}
DERIVED = frozenset({"handy"})
TYPES = ("a", "b", "none")
STATES = 6
MOST_TRIED = 5
"""Variables up to which all objects are tried at once, without looking at the literals in between."""

State = Mapping[str, frozenset[tuple[int, ...]]]
"""The tuples of every relation, `type:T` included."""


@dataclass(frozen=True)
class World:
    """A task with a random goal, and states in which to compare it."""

    task: Task
    states: tuple[State, ...]


def draw_world(rng: Random) -> World:
    """A random structure and goal."""
    objects = rng.randint(1, 4)
    statics = {name: draw_relation(rng, arity, objects) for name, arity in STATIC.items()}
    statics |= {f"type:{name}": draw_relation(rng, 1, objects) for name in ("a", "b")}
    statics |= {"type:none": frozenset(), "type:object": frozenset((o,) for o in range(objects))}
    states = []
    for number in range(STATES):
        density = [0.0, 1.0][number] if number < 2 else None
        states.append(statics | {name: draw_relation(rng, arity, objects, density) for name, arity in CHANGING.items()})
    source = Source("random", "")
    arities = {**STATIC, **CHANGING}
    domain = Domain(
        name="random",
        source=source,
        supertypes={},
        predicates={name: (("object",),) * arity for name, arity in arities.items()},
        static=frozenset(STATIC),
        derived=DERIVED,
        constants={},
    )
    names = tuple(f"o{i}" for i in range(objects))
    goal = make_goal(Drawing(rng, names).draw_formula(rng.randint(1, 4)), DERIVED)
    init = make_relations(states[0])
    init = {**init, **unite_types(goal.variables, init)}
    return World(Task(domain, "random", source, names, {}, init, goal, (0, 0)), tuple(states))


def draw_relation(rng: Random, arity: int, objects: int, density: float | None = None) -> frozenset[tuple[int, ...]]:
    """Random tuples, few or many."""
    share = rng.choice([0.2, 0.5, 0.8]) if density is None else density
    return frozenset(row for row in product(range(objects), repeat=arity) if rng.random() < share)


def make_relations(state: State) -> Relations:
    """A state as arrays."""

    def make(name: str, rows: frozenset[tuple[int, ...]]) -> npt.NDArray[np.int32]:
        arity = 1 if name.startswith("type:") else {**STATIC, **CHANGING}[name]
        return np.array(sorted(rows), dtype=np.int32).reshape(len(rows), arity)

    return {name: make(name, rows) for name, rows in state.items()}


class Drawing:
    """Draws formulas; now and then a part stands in two places, and a name in two scopes."""

    def __init__(self, rng: Random, objects: tuple[str, ...]) -> None:
        self.rng = rng
        self.objects = objects
        self.closed: list[Formula] = []

    def draw_formula(self, depth: int, scope: tuple[Variable, ...] = ()) -> Formula:
        """A formula whose free variables are in the scope."""
        rng = self.rng
        if depth == 0 or rng.random() < 0.1:
            return self.draw_literal(scope)
        if self.closed and rng.random() < 0.1:
            return rng.choice(self.closed)
        kind = rng.choice(["and", "or", "not", "imply", "iff", "exists", "exists", "forall", "forall", "guarded"])
        if kind in ("and", "or"):
            parts = tuple(self.draw_formula(depth - 1, scope) for _ in range(rng.randint(0, 3)))
            return And(parts) if kind == "and" else Or(parts)
        if kind == "not":
            return Not(self.draw_formula(depth - 1, scope))
        if kind == "imply":
            return Or((Not(self.draw_formula(depth - 1, scope)), self.draw_formula(depth - 1, scope)))
        if kind == "iff":
            left, right = (self.draw_formula(depth - 1, scope) for _ in range(2))
            return And((Or((Not(left), right)), Or((Not(right), left))))
        names = rng.sample(["?x", "?y", "?z", "?u", "?v", "?w"], rng.randint(1, 2))
        variables = tuple(Variable(name, self.draw_types()) for name in names)
        inner = tuple(v for v in scope if v.name not in names) + variables
        body = self.draw_formula(depth - 1, inner)
        made: Formula
        if kind == "guarded":
            made = Forall(variables, Or((Not(self.draw_literal(inner)), Not(self.draw_literal(inner)), body)))
        else:
            made = Exists(variables, body) if kind == "exists" else Forall(variables, body)
        if not find_free(made)[made]:
            self.closed.append(made)
        return made

    def draw_types(self) -> tuple[str, ...]:
        """The types of a variable: mostly all objects, seldom none."""
        return self.rng.choice([("object",), ("object",), ("a",), ("a",), ("b",), ("a", "b"), ("none", "b"), ("none",)])

    def draw_literal(self, scope: tuple[Variable, ...]) -> Formula:
        """An atom, an equality, or the negation of one."""
        terms: list[Term] = [*scope * 3, *self.objects]
        atom: Atom | Equal
        if self.rng.random() < 0.2:
            atom = Equal(self.rng.choice(terms), self.rng.choice(terms))
        else:
            name, arity = self.rng.choice([*STATIC.items(), *CHANGING.items(), *CHANGING.items()])
            atom = Atom(name, tuple(self.rng.choice(terms) for _ in range(arity)))
        return atom if self.rng.random() < 0.7 else Not(atom)


def holds(formula: Formula, state: State, env: Mapping[str, int]) -> bool:
    """The textbook definition of truth."""
    match formula:
        case Atom(predicate, terms):
            return tuple(_value(t, env) for t in terms) in state[predicate]
        case Equal(left, right):
            return _value(left, env) == _value(right, env)
        case Not(body):
            return not holds(body, state, env)
        case And(parts):
            return all(holds(part, state, env) for part in parts)
        case Or(parts):
            return any(holds(part, state, env) for part in parts)
        case Exists(variables, body):
            return any(holds(body, state, {**env, **own}) for own in _list_objects(variables, state))
        case Forall(variables, body):
            return all(holds(body, state, {**env, **own}) for own in _list_objects(variables, state))


def _value(term: Term, env: Mapping[str, int]) -> int:
    return env[term.name] if isinstance(term, Variable) else int(term[1:])


def _list_objects(variables: tuple[Variable, ...], state: State) -> Iterator[dict[str, int]]:
    ranges = [sorted({o for name in v.types for (o,) in state[f"type:{name}"]}) for v in variables]
    return (dict(zip([v.name for v in variables], row, strict=True)) for row in product(*ranges))


def list_bindings(goal: Goal, state: State, env: Mapping[str, int] | None = None) -> Iterator[Mapping[str, int]]:
    """The bindings of a goal's variables with which its literals and its residual are true, one after the other."""
    env = env or {}
    literals: list[tuple[Atom | Equal, bool]] = [(a, True) for a in goal.atoms]
    literals += [(a, False) for a in goal.denied]
    literals += [(Equal(*p), True) for p in goal.equalities] + [(Equal(*p), False) for p in goal.inequalities]
    for literal, positive in literals:
        known = all(isinstance(t, str) or t.name in env for t in list_terms(literal))
        if known and holds(literal, state, env) != positive:
            return
    if len(env) == len(goal.variables):
        if goal.residual is None or holds(goal.residual, state, env):
            yield env
        return
    for own in _list_objects((goal.variables[len(env)],), state):
        yield from list_bindings(goal, state, {**env, **own})


def compare(world: World) -> str | None:
    """What is wrong with the alternatives of a world's goal, or None."""
    found = list_alternatives(world.task)
    for task in found:
        quantified = [v.name for part in list_parts(task.goal.formula) for v in _list_own(part)]
        if len(set(quantified)) < len(quantified):
            return "two quantifiers share a name"
        if any(isinstance(p, Forall) for p in list_shared(task.goal.formula)) and task.goal.residual is None:
            return "a universal quantifier that is not in the residual"
    for state in world.states:
        expected = holds(world.task.goal.formula, state, {})
        bound = any(next(list_bindings(task.goal, state), None) is not None for task in found)
        if bound != expected:
            return f"the goal is {expected} and its alternatives are {bound}"
        witnesses = [satisfy(task, make_relations(state)) for task in found]
        if any(witness is not None for witness in witnesses) != expected:
            return f"the goal is {expected}, and not so the alternatives to the evaluator"
        if max((len(task.goal.variables) for task in found), default=0) <= MOST_TRIED:
            written = any(holds(task.goal.formula, state, {}) for task in found)
            if written != expected:
                return f"the goal is {expected} and the formulas of its alternatives are {written}"
    return None


def _list_own(formula: Formula) -> tuple[Variable, ...]:
    return formula.variables if isinstance(formula, Exists | Forall) else ()


def check(seed: int) -> str | None:
    """What is wrong with the normal form of the goal drawn with a seed, or None."""
    rng = Random(seed)
    world = draw_world(rng)
    instances, parts, most = rng.choice([0, 2, 1_000]), rng.choice([20, 50_000]), rng.choice([1, 2, 4, 16])
    with (
        patch.object(expansion, "MOST_INSTANCES", instances),
        patch.object(expansion, "MOST_PARTS", parts),
        patch.object(alternatives, "MOST_ALTERNATIVES", most),
    ):
        if len(list_alternatives(world.task)) > most:
            return f"more than {most} alternatives"
        return compare(world)


def main() -> None:
    """Checks as many goals as are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    wrong = 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        fault = check(seed)
        if fault is not None:
            wrong += 1
            print(f"seed {seed}: {fault}", flush=True)
    print(f"{arguments.count} goals, {wrong} wrong")
    raise SystemExit(wrong > 0)


if __name__ == "__main__":
    main()
