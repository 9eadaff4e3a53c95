"""Random ADL tasks as PDDL text, each with its whole state space, from a seed.

A domain and an initial state are drawn until their space is of a useful size. Goals are drawn until one is as wanted:
mostly true only several steps away, now and then true nowhere.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from random import Random

from tests.adl.independent_search import (
    Node,
    Search,
    Space,
    State,
    TooLargeError,
    UnstratifiedError,
    parse,
    read_typed,
)
from tests.adl.random_formulas import (
    Names,
    Scope,
    Types,
    draw_atom,
    draw_formula,
    draw_literal,
    draw_variables,
    write_types,
    write_variables,
)

MOST_STATES = 600
SMALL = 12
"""Spaces with fewer states are mostly left out."""
GOALS = 2
"""How many tasks in a row share a domain and an initial state: most of the work is to find them."""
DEEP = 3
"""The steps from which a plan counts as deep."""


@dataclass(frozen=True)
class RandomTask:
    """A task as text, what its texts use, and its space by the independent search."""

    seed: int
    domain: str
    problem: str
    constructs: tuple[str, ...]
    space: Space
    plan: tuple[str, ...] | None
    """A cheapest plan."""
    cost: int | None


@dataclass(frozen=True)
class _World:
    """A random domain, and a problem that lacks its goal."""

    names: Names
    domain: str
    problem: str
    """With %s where the goal stands."""
    space: Space


def make_task(seed: int) -> RandomTask:
    """The task of a seed."""
    world = _make_world(seed // GOALS)
    names = replace(world.names, rng=Random(f"goal {seed}"), constructs=set())
    goal = _choose_goal(names, world.space)
    search = copy(world.space.search)
    search.goal = parse(goal)
    space = replace(world.space, search=search)
    state = space.find_cheapest(search.goal)
    return RandomTask(
        seed,
        world.domain,
        world.problem % goal,
        tuple(sorted(world.names.constructs | names.constructs)),
        space,
        space.find_plan(state),
        None if state is None else space.cost[state],
    )


@lru_cache(maxsize=1)
def _make_world(seed: int) -> _World:
    rng = Random(f"adl {seed}")
    world = None
    while world is None:
        world = _draw_world(rng)
    return world


def _draw_world(rng: Random) -> _World | None:
    """A domain and an initial state; None where the states are too many, or too few to be of interest."""
    names = Names(rng)
    types = _declare_types(names)
    everything = _declare_objects(names)
    constants = {o: t for o, t in everything.items() if names.chance(0.3)}
    fluents, statics, derived = _declare_predicates(names)
    names.objects = constants
    if constants:
        names.constructs.add("constants")
    costs = names.rng.choice(("none", "none", "fixed", "mixed", "functions"))
    axioms = [rule for i in range(len(derived)) for rule in _write_axioms(names, derived, i, [*fluents, *statics])]
    rng.shuffle(axioms)
    known = [*fluents, *fluents, *statics, *derived]
    actions = [_write_action(names, f"act{i}", fluents, known, costs) for i in range(rng.randint(2, 5))]
    # Without a metric every step costs one, whatever the actions say.
    metric = costs != "none" and names.chance(0.9)
    if costs != "none":
        names.constructs.add("costs without a metric" if not metric else f"costs: {costs}")
    operators = [*axioms, *actions] if names.chance(0.7) else [*actions, *axioms]
    functions = "(total-cost) (toll ?x) (far ?x ?y - object)" if costs == "functions" else "(total-cost)"
    requirements = " :derived-predicates" * bool(derived) + " :action-costs" * (costs != "none")
    domain = "\n  ".join(
        part
        for part in (
            f"(define (domain adl) (:requirements :adl{requirements})",
            f"(:types {types})" if types else "",
            f"(:constants {_write_objects(constants)})" if constants else "",
            f"(:predicates {' '.join(_write_signature(n, a) for n, a in names.predicates.items())})",
            f"(:functions {functions})" if costs != "none" else "",
            *operators,
        )
        if part
    )
    names.objects = everything
    objects = {o: t for o, t in everything.items() if o not in constants}
    facts = _draw_facts(names, fluents, statics)
    if costs != "none":
        facts.append("(= (total-cost) 0)")
    if costs == "functions":
        facts += [f"(= (toll {o}) {rng.choice((0, 0, 1, 2, 5))})" for o in everything]
        facts += [f"(= (far {a} {b}) {rng.choice((0, 1, 1, 3))})" for a, b in product(everything, repeat=2)]
    problem = "\n  ".join(
        part
        for part in (
            "(define (problem random) (:domain adl)",
            f"(:objects {_write_objects(objects)})" if objects else "",
            f"(:init {' '.join(facts)})",
            "(:goal %s)",
            "(:metric minimize (total-cost))" if metric else "",
        )
        if part
    )
    try:
        space = Search(f"{domain})", f"{problem})" % "(and)").explore(MOST_STATES)
    except (TooLargeError, UnstratifiedError):
        return None
    # Some small and shallow spaces are kept.
    if (max(space.steps.values()) < DEEP or len(space.cost) < SMALL) and not names.chance(0.03):
        return None
    return _World(names, f"{domain})\n", f"{problem})\n", space)


def _declare_types(names: Names) -> str:
    """Declares types, some of them below others; the text of the declaration."""
    if names.chance(0.3):
        return ""
    words = []
    for i in range(names.rng.randint(1, 4)):
        known = [name for name in names.supertypes if name != "object"]
        name, above = f"t{i}", {"object"}
        if len(known) > 1 and names.chance(0.12):
            parents = names.rng.sample(known, 2)
            names.constructs.add("several supertypes")
        else:
            parents = [names.rng.choice([*known, "object", "object"])]
            if parents != ["object"]:
                names.constructs.add("subtypes")
        above.update(*[names.supertypes[p] for p in parents])
        names.supertypes[name] = above | {name}
        words.append(f"{name} - {write_types(tuple(parents))}")
    return " ".join(words)


def _declare_objects(names: Names) -> dict[str, Types]:
    """Objects with their types; some types stay empty."""
    types = [name for name in names.supertypes if name != "object"]
    inhabited = [name for name in types if names.chance(0.8)]
    objects: dict[str, Types] = {}
    for i in range(names.rng.choice((2, 3, 3, 3, 4))):
        if len(types) > 1 and names.chance(0.06):
            objects[f"o{i}"] = tuple(names.rng.sample(types, 2))
            names.constructs.add("either in objects")
        else:
            objects[f"o{i}"] = (names.rng.choice([*inhabited, *inhabited, "object"]),)
    if any(not any(names.fits(t, (name,)) for t in objects.values()) for name in types):
        names.constructs.add("empty type")
    return objects


def _declare_predicates(names: Names) -> tuple[list[str], list[str], list[str]]:
    """Declares fluent, static and derived predicates."""
    arities = names.rng.choice(((0, 0, 1), (0, 1, 1), (1, 1), (0, 1, 2), (1, 2), (0, 0, 0, 1), (0, 0, 1, 1)))
    # Names that rewritings of tasks are tempted to use, too.
    pool = names.rng.sample(("p", "q", "r", "on", "free", "bound0", "phase", "running", "candidate0", "check"), 4)
    fluents = pool[: len(arities)]
    statics = ["kind", "near"][: names.rng.choice((0, 1, 1, 2, 2))]
    derived = [f"d{i}" for i in range(names.rng.choice((0, 0, 0, 1, 1, 2, 3)))]
    for name, arity in (*zip(fluents, arities, strict=True), *((s, 1 + (s == "near")) for s in statics)):
        names.predicates[name] = tuple(_draw_argument(names) for _ in range(arity))
    for name in derived:
        names.predicates[name] = tuple(_draw_argument(names) for _ in range(names.rng.choice((0, 1, 1, 2))))
    return fluents, statics, derived


def _draw_argument(names: Names) -> Types:
    return names.draw_types("predicates") if names.chance(0.5) else ("object",)


def _write_signature(name: str, arguments: Sequence[Types]) -> str:
    return f"({' '.join([name, *(f'?a{i} - {write_types(types)}' for i, types in enumerate(arguments))])})"


def _write_objects(objects: dict[str, Types]) -> str:
    return " ".join(f"{name} - {write_types(types)}" for name, types in objects.items())


def _write_axioms(names: Names, derived: Sequence[str], number: int, base: Sequence[str]) -> list[str]:
    """The rules of one derived predicate: over those before it as wanted, over itself without negation."""
    name, place = derived[number], "axiom"
    rules = []
    for _ in range(names.rng.choice((1, 1, 2, 2, 3))):
        scope: Scope = tuple(
            (f"?{letter}", names.draw_types(place) if types == ("object",) else types)
            for letter, types in zip("xy", names.predicates[name], strict=False)
        )
        known = [*base, *derived[:number], *derived[:number]]
        body = draw_formula(names, scope, known, names.rng.choice((0, 1, 1, 2, 3)), place)
        if names.chance(0.25):
            names.constructs.add("recursive axiom")
            # Where a later predicate denies this one, the domain is drawn again.
            again = [name, *[d for d in derived[number + 1 :] if names.chance(0.3)]]
            body = f"(or {body} {_write_recursion(names, scope, again, known)})"
        if any(f"({d}" in body for d in derived[:number]):
            names.constructs.add("axiom over axioms")
        rules.append(f"(:derived ({' '.join([name, write_variables(scope, names.rng)]).strip()}) {body})")
    if len(rules) > 1:
        names.constructs.add("several axioms of one predicate")
    return rules


def _write_recursion(names: Names, scope: Scope, again: Sequence[str], known: Sequence[str]) -> str:
    variables = draw_variables(names, scope, 1, "axiom")
    inner = (*scope, *variables)
    itself = draw_atom(names, inner, again) or "(or)"
    step = draw_literal(names, inner, known, "axiom")
    return f"(exists ({write_variables(variables, names.rng)}) (and {step} {itself}))"


def _write_action(names: Names, name: str, fluents: Sequence[str], known: Sequence[str], costs: str) -> str:
    """An action; most take away what they need, so that they move things and the space stays small."""
    rng = names.rng
    scope: Scope = tuple(
        (v, names.draw_types("parameters")) for v in ("?x", "?y", "?z")[: rng.choice((0, 1, 1, 2, 2, 3))]
    )
    needed = [a for _ in range(rng.choice((0, 1, 1, 1, 2))) if (a := draw_atom(names, scope, fluents, effect=True))]
    conditions = list(needed)
    if names.chance(0.35):
        conditions.append(draw_formula(names, scope, known, rng.choice((1, 1, 2, 2, 3)), "precondition"))
    if len(scope) > 1 and names.chance(0.4):
        conditions.append("(not (= ?x ?y))")
    effects = [f"(not {atom})" for atom in needed if names.chance(0.7)]
    effects += [a for _ in range(rng.choice((0, 1, 1, 2))) if (a := draw_atom(names, scope, fluents, effect=True))]
    if names.chance(0.15) and (atom := draw_atom(names, scope, fluents, effect=True)):
        effects.append(f"(not {atom})")
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
        effects.append(_draw_effect(names, scope, fluents, known, effects, 2))
    effects = [effect for effect in effects if effect]
    for atom in effects:
        if f"(not {atom})" in effects:
            names.constructs.add("the same atom added and deleted")
    rng.shuffle(effects)
    effects += _draw_increases(names, scope, costs)
    condition = conditions[0] if len(conditions) == 1 and names.chance(0.5) else f"(and {' '.join(conditions)})"
    precondition = f":precondition {condition} " if conditions or names.chance(0.5) else ""
    effect = effects[0] if len(effects) == 1 and names.chance(0.5) else f"(and {' '.join(effects)})"
    return f"(:action {name} :parameters ({write_variables(scope, rng)}) {precondition}:effect {effect})"


def _draw_effect(
    names: Names, scope: Scope, fluents: Sequence[str], known: Sequence[str], others: Sequence[str], depth: int
) -> str:
    """A conditional or universal effect, or several in one; an empty text where none can be written."""
    rng = names.rng
    if depth and names.chance(0.1):
        condition = draw_formula(names, scope, known, 1, "effect condition")
        body = _draw_effect(names, scope, fluents, known, others, depth - 1)
        names.constructs.add("an effect inside a conditional one")
        return body and f"(when {condition} {body})"
    if depth and names.chance(0.4):
        variables = draw_variables(names, scope, rng.choice((1, 1, 1, 2)), "universal effect")
        body = _draw_effect(names, (*scope, *variables), fluents, known, others, depth - 1)
        names.constructs.add("universal effect")
        return body and f"(forall ({write_variables(variables, rng)}) {body})"
    atom = draw_atom(names, scope, fluents, effect=True)
    if atom is None:
        return ""
    plain = [effect for effect in others if effect.count("(") == 1]
    if plain and names.chance(0.3):
        # Deletes what the action adds, or adds it once more under a condition.
        other = rng.choice(plain)
        # A variable of its own may hide the other's, and be of another type.
        if _is_well_typed(names, parse(other), dict(scope)):
            atom = other
            names.constructs.add("an effect that meets another")
    literal = atom if names.chance(0.5) else f"(not {atom})"
    if names.chance(0.2):
        return literal
    names.constructs.add("conditional effect")
    if names.chance(0.3):
        condition = atom if names.chance(0.5) else f"(not {atom})"
        names.constructs.add("a condition that its effect changes")
    else:
        condition = draw_formula(names, scope, known, rng.choice((0, 1, 1, 2, 2)), "effect condition")
    if names.chance(0.3) and (second := draw_atom(names, scope, fluents, effect=True)):
        literal = f"(and {literal} {second if names.chance(0.5) else f'(not {second})'})"
    return f"(when {condition} {literal})"


def _draw_increases(names: Names, scope: Scope, costs: str) -> list[str]:
    if costs == "none" or names.chance(0.15):
        return []
    fixed = {"fixed": (1, 2), "mixed": (0, 0, 1, 3), "functions": (0, 1, 2)}[costs]
    count = names.rng.choice((1, 1, 1, 2)) if costs != "fixed" else 1
    amounts = []
    for _ in range(count):
        if costs == "functions" and names.chance(0.7):
            terms = [name for name, _ in scope] + list(names.objects)
            one_or_two = names.rng.choice((1, 2))
            if terms:
                function = "toll" if one_or_two == 1 else "far"
                amounts.append(f"({' '.join([function, *(names.rng.choice(terms) for _ in range(one_or_two))])})")
                names.constructs.add("cost function")
                continue
        amounts.append(str(names.rng.choice(fixed)))
    if len(amounts) > 1:
        names.constructs.add("several increases")
    if "0" in amounts:
        names.constructs.add("zero cost")
    return [f"(increase (total-cost) {amount})" for amount in amounts]


def _draw_facts(names: Names, fluents: Sequence[str], statics: Sequence[str]) -> list[str]:
    facts = []
    for predicate in (*fluents, *statics):
        share = 0.3 if predicate in fluents else 0.45
        ranges = [[o for o, t in names.objects.items() if names.fits(t, a)] for a in names.predicates[predicate]]
        facts += [f"({' '.join([predicate, *args])})" for args in product(*ranges) if names.chance(share)]
    return facts


def _choose_goal(names: Names, space: Space) -> str:
    """A goal of a kind drawn first: deep, reachable, any, or unreachable; or the last of those tried."""
    wanted = names.rng.choices(("deep", "reachable", "any", "unreachable"), (65, 10, 10, 15))[0]
    states = sorted(space.steps, key=lambda s: (space.steps[s], sorted(s)))
    far = [state for state in states if space.steps[state] >= DEEP] or states
    tries = 0
    while True:
        tries += 1
        names.constructs.clear()
        target = names.rng.choice(far)
        goal = _draw_goal(names, space, target)
        if wanted == "deep":
            goal = _deepen(names, space, goal, target)
        found = space.find_cheapest(parse(goal))
        reached = "unreachable" if found is None else "deep" if space.steps[found] >= DEEP else "reachable"
        fitting = wanted in (reached, "any") or (wanted == "reachable" and reached == "deep")
        if (fitting or tries >= 8) and _is_well_typed(names, parse(goal), {}):
            return goal


def _is_well_typed(names: Names, formula: Node, scope: Mapping[str, Types]) -> bool:
    """Whether every atom could be true of some objects of its terms' types.

    Axioms may derive a predicate for more objects than it is declared for: what they make true need not be.
    """
    assert isinstance(formula, list)
    if not formula or formula[0] == "=":
        return True
    head, *parts = formula
    if head in ("and", "or", "not", "imply"):
        return all(_is_well_typed(names, part, scope) for part in parts)
    if head in ("exists", "forall"):
        inner = {name: tuple(types) for name, types in read_typed(list(parts[0]))}
        return _is_well_typed(names, parts[1], {**scope, **inner})
    for term, allowed in zip(map(str, parts), names.predicates[str(head)], strict=True):
        if not (names.overlaps(scope[term], allowed) if term in scope else names.fits(names.objects[term], allowed)):
            return False
    return True


def _deepen(names: Names, space: Space, goal: str, target: State) -> str:
    """The goal, or its negation, with literals of the target that exclude the states of a few steps."""
    if not space.search.make_test(parse(goal))(space.atoms[target]):
        goal = f"(not {goal})"
    parts = [goal]
    depth = space.steps[target] if names.chance(0.6) else DEEP
    left = [space.atoms[s] for s in space.atoms if space.steps[s] < depth]
    while left:
        test = space.search.make_test(parse(parts[-1]))
        left = [atoms for atoms in left if test(atoms)]
        if left:
            new, old = sorted(space.atoms[target] - left[0]), sorted(left[0] - space.atoms[target])
            plain = [atom for atom in new if atom[1:-1].split()[0] not in space.search.derived]
            if new and (not old or names.chance(0.95)):
                atom = names.rng.choice(plain or new)
                lifted = _lift(names, atom)
                parts.append(atom if space.search.make_test(parse(lifted))(left[0]) else lifted)
            elif old:
                parts.append(f"(not {names.rng.choice(old)})")
            else:
                break
    names.rng.shuffle(parts)
    return parts[0] if len(parts) == 1 else f"(and {' '.join(parts)})"


def _lift(names: Names, atom: str) -> str:
    """The atom with another variable for each of its objects."""
    predicate, *objects = atom[1:-1].split()
    variables = tuple((f"?{'xy'[i]}", names.objects[o]) for i, o in enumerate(objects))
    if not variables:
        return atom
    return f"(exists ({write_variables(variables, names.rng)}) ({' '.join([predicate, *(v for v, _ in variables)])}))"


def _draw_goal(names: Names, space: Space, target: State) -> str:
    """A goal of any form; where it describes a state, that is the target."""
    predicates = list(names.predicates)
    changing = [p for p in predicates if p in space.search.changing]
    form = names.rng.choices(("describe", "two", "mixed", "formula"), (55, 15, 12, 18))[0]
    if form == "describe":
        return _describe(names, space, target)
    if form == "two":
        names.constructs.add("two scopes of the same names in goal")
        return f"(and {_describe(names, space, target)} {_describe(names, space, target)})"
    formula = draw_formula(names, (), [*changing, *predicates], names.rng.choice((2, 3, 3)), "goal")
    if form == "mixed":
        return f"(and {_describe(names, space, target)} {formula})"
    if names.chance(0.1) and len(predicates) > len(changing):
        names.constructs.add("static-only goal")
        static = [p for p in predicates if p not in changing]
        return draw_formula(names, (), static, 2, "goal")
    return formula


def _describe(names: Names, space: Space, target: State) -> str:
    """A conjunction of atoms that are true in a state, with some of their objects replaced by variables."""
    rng = names.rng
    derived = space.search.derived
    true = sorted(
        space.atoms[target] | {a for a in space.search.init if a[1:-1].split()[0] not in space.search.changing}
    )
    true = [atom for atom in true if atom[1:-1].split()[0] not in derived or names.chance(0.15)]
    atoms = rng.sample(true, min(len(true), rng.choice((1, 2, 2, 3, 3, 4))))
    replaced: dict[str, str] = {}
    for atom in atoms:
        for obj in atom[1:-1].split()[1:]:
            if obj not in replaced:
                replaced[obj] = obj if names.chance(0.3) else f"?{'xyzuvw'[len(replaced) % 6]}"
    parts = [f"({' '.join([atom[1:-1].split()[0], *(replaced[o] for o in atom[1:-1].split()[1:])])})" for atom in atoms]
    # Objects of one name would be one object.
    bound = {obj: variable for obj, variable in replaced.items() if variable[0] == "?"}
    if len(bound) > 1 and names.chance(0.4):
        names.use("inequality", "goal")
        first, second = rng.sample(sorted(bound.values()), 2)
        parts.append(f"(not (= {first} {second}))")
    if bound and names.chance(0.08):
        obj, variable = rng.choice(sorted(bound.items()))
        names.use("equality", "goal")
        parts.append(f"(= {variable} {obj})")
    if names.chance(0.1) and space.search.changing:
        scope = tuple((variable, ("object",)) for variable in bound.values())
        fluent = sorted(space.search.changing - derived)
        if fluent and (denied := draw_atom(names, scope, fluent)):
            names.use("negated atom", "goal")
            parts.append(f"(not {denied})")
    body = parts[0] if len(parts) == 1 else f"(and {' '.join(parts)})"
    if not bound:
        names.constructs.add("ground goal")
        return body
    typed = tuple((v, names.objects[o] if names.chance(0.5) else ("object",)) for o, v in bound.items())
    names.use("exists", "goal")
    if len(typed) > 1 and names.chance(0.3):
        names.use("nested exists", "goal")
        cut = rng.randrange(1, len(typed))
        outer, inner = typed[:cut], typed[cut:]
        return f"(exists ({write_variables(outer, rng)}) (exists ({write_variables(inner, rng)}) {body}))"
    return f"(exists ({write_variables(typed, rng)}) {body})"
