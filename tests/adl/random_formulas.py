"""Random conditions of all of ADL as PDDL text, over the names of a random task."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

Types = tuple[str, ...]
Scope = tuple[tuple[str, Types], ...]
"""The variables that may be used, the innermost last."""

XOR: tuple[str, ...] = (
    "(and (or {a} {b}) (or (not {a}) (not {b})))",
    "(and (or {a} {b}) (not (and {a} {b})))",
    "(or (and {a} (not {b})) (and (not {a}) {b}))",
    "(not (and (imply {a} {b}) (imply {b} {a})))",
)
IFF: tuple[str, ...] = (
    "(and (imply {a} {b}) (imply {b} {a}))",
    "(and (or (not {a}) {b}) (or {a} (not {b})))",
    "(or (and {a} {b}) (and (not {a}) (not {b})))",
    "(not (or (and {a} (not {b})) (and {b} (not {a}))))",
)
IF_THEN_ELSE: tuple[str, ...] = (
    "(and (imply {c} {a}) (imply (not {c}) {b}))",
    "(and (or (not {c}) {a}) (or {c} {b}))",
    "(or (and {c} {a}) (and (not {c}) {b}))",
    "(not (or (and {c} (not {a})) (not (or {c} {b}))))",
)
REPEATED: tuple[str, ...] = (
    "(or (and {a} {a}) {a})",
    "(and {a} (or {a} {b}))",
    "(or {a} (and {a} {b}))",
    "(and {a} (and) {b})",
)

VARIABLES = ("?x", "?y", "?z", "?u", "?v", "?w", "?r", "?s", "?t", "?q")


@dataclass
class Names:
    """What a random task declares, and which constructs its texts use."""

    rng: Random
    supertypes: dict[str, set[str]] = field(default_factory=lambda: {"object": {"object"}})
    predicates: dict[str, tuple[Types, ...]] = field(default_factory=dict)
    objects: dict[str, Types] = field(default_factory=dict)
    """The objects that may be named: in a domain its constants only."""
    constructs: set[str] = field(default_factory=set)

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return self.rng.random() < probability

    def use(self, construct: str, place: str) -> None:
        """Notes that a construct stands at a place such as a goal."""
        self.constructs.add(f"{construct} in {place}")

    def draw_types(self, place: str) -> Types:
        """The types of a variable: mostly `object`, seldom several."""
        names = [name for name in self.supertypes if name != "object"]
        if not names or self.chance(0.5):
            return ("object",)
        if len(names) > 1 and self.chance(0.12):
            self.use("either", place)
            return tuple(self.rng.sample(names, 2))
        self.use("type", place)
        return (self.rng.choice(names),)

    def overlaps(self, types: Types, allowed: Types) -> bool:
        """Whether some object could be of one of the types and of one that is allowed."""
        return any(above & set(types) and above & set(allowed) for above in self.supertypes.values())

    def fits(self, types: Types, allowed: Types) -> bool:
        """Whether an object of these types is of one that is allowed."""
        return any(self.supertypes[t] & set(allowed) for t in types)


def write_types(types: Types) -> str:
    """The types behind a name."""
    return types[0] if len(types) == 1 else f"(either {' '.join(types)})"


def write_variables(variables: Scope, rng: Random) -> str:
    """A typed list; `object` is seldom written."""
    words = []
    for name, types in sorted(variables, key=lambda entry: entry[1] == ("object",)):
        words.append(name if types == ("object",) and rng.random() < 0.7 else f"{name} - {write_types(types)}")
    # A name without a type would take the next one's: those stand last, the others have theirs written.
    words.sort(key=lambda word: " - " not in word)
    return " ".join(words)


def draw_variables(names: Names, scope: Scope, count: int, place: str) -> Scope:
    """New variables for a quantifier; seldom with a name that an outer one has, which hides it."""
    free = [
        name
        for name in ("?x", "?y", "?z", "?u", "?v", "?w", "?r", "?s", "?t", "?q")
        if name not in {n for n, _ in scope}
    ]
    if scope and names.chance(0.06):
        names.use("hidden variable", place)
        free[0] = names.rng.choice(scope)[0]
    return tuple((name, names.draw_types(place)) for name in free[:count])


def draw_atom(names: Names, scope: Scope, predicates: Sequence[str], *, effect: bool = False) -> str | None:
    """An atom over the scope and the objects; None where none of some drawn predicates can be used.

    A condition may ask of objects what is declared for some of them only; an effect must fit whatever the objects are.
    """
    # A later variable hides an earlier one of the same name.
    visible = dict(scope)
    for _ in range(8):
        name = names.rng.choice(predicates)
        terms: list[str] = []
        for allowed in names.predicates[name]:
            variables = [
                v
                for v, types in visible.items()
                if (all(names.fits((t,), allowed) for t in types) if effect else names.overlaps(types, allowed))
            ]
            objects = [o for o, types in names.objects.items() if names.fits(types, allowed)]
            pool = variables if variables and (not objects or names.chance(0.8)) else objects
            if not pool:
                break
            terms.append(names.rng.choice(pool))
        else:
            return f"({' '.join([name, *terms])})"
    return None


def draw_literal(names: Names, scope: Scope, predicates: Sequence[str], place: str) -> str:
    """An atom or an equality, negated or not."""
    visible = [*dict(scope), *names.objects]
    if len(visible) > 1 and scope and names.chance(0.12):
        first = names.rng.choice(list(dict(scope)))
        second = names.rng.choice([term for term in visible if term != first])
        equal = f"(= {first} {second})"
        names.use("equality", place)
        return equal if names.chance(0.4) else f"(not {equal})"
    atom = draw_atom(names, scope, predicates)
    if atom is None:
        return names.rng.choice(("(and)", "(or)"))
    if names.chance(0.3):
        names.use("negated atom", place)
        return f"(not {atom})"
    return atom


def draw_formula(names: Names, scope: Scope, predicates: Sequence[str], depth: int, place: str) -> str:
    """A formula that nests connectives at most so deeply."""
    if depth == 0 or names.chance(0.15):
        return draw_literal(names, scope, predicates, place)

    def inner() -> str:
        return draw_formula(names, scope, predicates, depth - 1, place)

    def fill(kind: str, ways: Sequence[str]) -> str:
        names.use(kind, place)
        return names.rng.choice(ways).format(a=inner(), b=inner(), c=inner())

    def connect(word: str) -> str:
        names.use(word, place)
        return f"({word} {' '.join(inner() for _ in range(names.rng.choice((1, 2, 2, 2, 3))))})"

    def negate() -> str:
        names.use("negated formula", place)
        return f"(not {inner()})"

    def imply() -> str:
        names.use("imply", place)
        return f"(imply {inner()} {inner()})"

    def quantify(word: str) -> str:
        variables = draw_variables(names, scope, names.rng.choice((1, 1, 2)), place)
        names.use(f"nested {word}" if any(n[0] == "?" for n, _ in scope) else word, place)
        body = draw_formula(names, (*scope, *variables), predicates, depth - 1, place)
        return f"({word} ({write_variables(variables, names.rng)}) {body})"

    kinds: list[tuple[int, Callable[[], str]]] = [
        (3, lambda: connect("and")),
        (3, lambda: connect("or")),
        (1, negate),
        (1, imply),
        (3, lambda: quantify("exists")),
        (2, lambda: quantify("forall")),
        (2, lambda: fill("xor", XOR)),
        (2, lambda: fill("iff", IFF)),
        (2, lambda: fill("if-then-else", IF_THEN_ELSE)),
        (1, lambda: fill("repetition", REPEATED)),
    ]
    (draw,) = names.rng.choices([kind for _, kind in kinds], [weight for weight, _ in kinds])
    return draw()
