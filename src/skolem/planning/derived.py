"""Conditions of any form as conjunctions of literals, some of them of derived predicates.

Fast Downward brings a condition into disjunctive normal form, which can be exponential, and reads nesting recursively.
With one derived predicate for each disjunction and each quantifier the conditions stay as small as they were written.
"""

from skolem.planning.rewriting import Rewriter
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Variable, list_terms
from skolem.task.negation import push_negations
from skolem.task.scopes import list_inside


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
            return And(inside)
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
