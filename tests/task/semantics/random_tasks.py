"""Random small tasks with every construct of ADL."""

from random import Random

from skolem.pddl.reading import read_task_text
from skolem.support.errors import InputError
from skolem.task.model import Source, Task

ARITIES = {"flag": 0, "p": 1, "q": 1, "r": 2, "fix": 1, "link": 2, "d": 0, "e": 1, "f": 2}
FLUENTS, STATICS, DERIVED = ("flag", "p", "q", "r"), ("fix", "link"), ("d", "e", "f")
KINDS = ("a", "b", "c", "none", "object", "(either a b)", "(either c none)")


def draw_task(rng: Random) -> Task:
    """A task with subtypes, `either`, an empty type, a constant, axioms, nested conditions and mixed costs."""
    while True:
        try:
            return read_task_text(
                Source("domain.pddl", _write_domain(rng)), Source("problem.pddl", _write_problem(rng))
            )
        except InputError as error:
            # Axioms are drawn without regard to layers.
            if "own negation" not in str(error):
                raise


def _write_domain(rng: Random) -> str:
    axioms = []
    for _ in range(rng.randint(0, 4)):
        name = rng.choice(DERIVED)
        variables = ["?u", "?v"][: ARITIES[name]]
        head = " ".join([name, *(f"{v} - {rng.choice(KINDS)}" for v in variables)])
        axioms.append(f"(:derived ({head}) {write_formula(rng, variables)})")
    actions = []
    for i in range(rng.randint(1, 3)):
        variables = ["?x", "?y"][: rng.randint(0, 2)]
        typed = " ".join(f"{v} - {rng.choice(KINDS[:3] + KINDS[4:])}" for v in variables)
        effects = " ".join(_write_effect(rng, variables) for _ in range(rng.randint(1, 4)))
        costs = " ".join(
            f"(increase (total-cost) {rng.choice([0, 1, 3, f'(far {variables[0]})' if variables else 2])})"
            for _ in range(rng.randint(0, 2))
        )
        actions.append(
            f"(:action act{i} :parameters ({typed}) :precondition {write_formula(rng, variables)}"
            f" :effect (and {effects} {costs}))"
        )
    return f"""(define (domain random) (:types a b none - object c - a) (:constants k - c)
      (:predicates (flag) (p ?x) (q ?x) (r ?x ?y) (fix ?x) (link ?x ?y) (d) (e ?x) (f ?x ?y))
      (:functions (total-cost) - number (far ?x) - number)
      {" ".join(axioms)} {" ".join(actions)})"""


def _write_problem(rng: Random) -> str:
    objects = ["k", "m", "n", "o"]
    facts = {_write_atom(rng, objects, name) for name in rng.choices(FLUENTS + STATICS, k=rng.randint(1, 10))}
    values = " ".join(f"(= (far {o}) {rng.randint(0, 4)})" for o in objects)
    return f"""(define (problem random) (:domain random) (:objects m - {rng.choice("abc")} n - b o - (either a b))
      (:init {" ".join(sorted(facts))} (= (total-cost) 0) {values}) (:goal {write_formula(rng, [])})
      {rng.choice(["", "(:metric minimize (total-cost))"])})"""


def _write_atom(rng: Random, terms: list[str], name: str) -> str:
    return f"({' '.join([name, *(rng.choice(terms) for _ in range(ARITIES[name]))])})"


def write_formula(rng: Random, variables: list[str], depth: int = 3) -> str:
    """A condition over some variables: connectives and quantifiers, and xor, iff and if-then-else written out."""

    def inner() -> str:
        return write_formula(rng, variables, depth - 1)

    terms = [*variables * 3, "k"]
    kind = rng.choice(["atom", "literal", "equal"] if depth == 0 else ["atom", "literal", *_COMPOUND])
    match kind:
        case "atom":
            return _write_atom(rng, terms, rng.choice([*ARITIES]))
        case "literal":
            return f"(not {_write_atom(rng, terms, rng.choice([*ARITIES]))})"
        case "equal":
            return f"(= {rng.choice(terms)} {rng.choice(terms)})"
        case "not":
            return f"(not {inner()})"
        case "and" | "or":
            return f"({kind} {' '.join(inner() for _ in range(rng.randint(0, 3)))})"
        case "imply":
            return f"(imply {inner()} {inner()})"
        case "xor":
            one, two = inner(), inner()
            return f"(and (or {one} {two}) (or (not {one}) (not {two})))"
        case "iff":
            one, two = inner(), inner()
            return f"(and (or (not {one}) {two}) (or {one} (not {two})))"
        case "if":
            test = inner()
            return f"(and (or (not {test}) {inner()}) (or {test} {inner()}))"
        case _:
            # Some names are used again, so that they hide an outer variable.
            names = rng.sample(["?x", "?u", "?w", "?z"], rng.randint(1, 2))
            typed = " ".join(f"{v} - {rng.choice(KINDS)}" for v in names)
            return f"({kind} ({typed}) {write_formula(rng, [*dict.fromkeys((*variables, *names))], depth - 1)})"


_COMPOUND = ("not", "and", "and", "or", "or", "imply", "xor", "iff", "if", "exists", "forall")


def _write_effect(rng: Random, variables: list[str]) -> str:
    own = [*variables]
    wrap = "{}"
    if rng.random() < 0.3:
        own.append("?w")
        wrap = f"(forall (?w - {rng.choice(KINDS)}) {{}})"
    if rng.random() < 0.5:
        wrap = wrap.format(f"(when {write_formula(rng, own, 2)} {{}})")
    atom = _write_atom(rng, [*own * 3, "k"], rng.choice(FLUENTS))
    return wrap.format(atom if rng.random() < 0.6 else f"(not {atom})")
