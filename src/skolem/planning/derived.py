"""Conditions of any form as conjunctions of literals, some of them of derived predicates.

Fast Downward brings a condition into disjunctive normal form, which can be exponential, and reads nesting recursively.
With one derived predicate for each disjunction and each quantifier the conditions stay as small as they were written.
"""

from collections.abc import Mapping, Sequence

from skolem.planning.rewriting import Rewriter
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Term, Variable, list_terms
from skolem.task.negation import push_negations
from skolem.task.scopes import list_inside

MOST_DENIED = 8
"""Negated atoms that a conjunction has as they are: Fast Downward combines all that can be true instead of them."""


def derive(rewriter: Rewriter, formula: Formula) -> Formula:
    """A conjunction of literals, over the formula's free variables, that is true exactly where the formula is."""
    formula = push_negations(formula)
    made: dict[Formula, Formula] = {}
    free: dict[Formula, dict[Variable, None]] = {}
    stack = [formula]
    while stack:
        part = stack[-1]
        inside = list_inside(part)
        waiting = [p for p in inside if p not in made]
        if waiting:
            stack.extend(waiting)
            continue
        stack.pop()
        if isinstance(part, Atom | Equal):
            free[part] = dict.fromkeys(term for term in list_terms(part) if isinstance(term, Variable))
        else:
            own = part.variables if isinstance(part, Exists | Forall) else ()
            free[part] = {v: None for p in inside for v in free[p] if v not in own}
        made[part] = _define(rewriter, part, tuple(made[p] for p in inside), tuple(free[part]))
    return made[formula]


def _define(rewriter: Rewriter, part: Formula, inside: tuple[Formula, ...], free: tuple[Variable, ...]) -> Formula:
    match part:
        case Atom() | Equal():
            return part
        case Not():
            return Not(*inside)
        case And():
            return And(separate_denied(rewriter, inside))
        case Or():
            return rewriter.add_axiom("one-of", free, Or(inside))
        case Exists(variables):
            return rewriter.add_axiom("witnessed", free, Exists(variables, *inside))
        case Forall(variables):
            # The part is true of all objects if it is false of none.
            (body,) = inside
            if not isinstance(body, Atom | Equal | Not):
                body = rewriter.add_axiom("holds", (*free, *variables), body)
            failed = body.body if isinstance(body, Not) else Not(body)
            return Not(rewriter.add_axiom("fails", free, Exists(variables, failed)))


def separate_denied(
    rewriter: Rewriter, parts: Sequence[Formula], guards: Mapping[Term, Formula] | None = None
) -> tuple[Formula, ...]:
    """The parts of a conjunction, with a derived predicate for each negated atom where there are many of them.

    The derived predicate is about those objects only that satisfy the guards of the atom's variables.
    """
    if count_denied(parts) <= MOST_DENIED:
        return tuple(parts)
    separated: list[Formula] = []
    for part in parts:
        if isinstance(part, Not) and isinstance(part.body, Atom):
            variables = tuple(dict.fromkeys(term for term in part.body.terms if isinstance(term, Variable)))
            allowed = [guards[v] for v in variables] if guards is not None else []
            part = rewriter.add_axiom("denied", variables, And((*allowed, part)))
        separated.append(part)
    return tuple(separated)


def count_denied(parts: Sequence[Formula]) -> int:
    """How many of the parts are negated atoms."""
    return sum(isinstance(part, Not) and isinstance(part.body, Atom) for part in parts)
