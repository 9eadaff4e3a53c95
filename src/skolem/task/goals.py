"""Goals: a formula and, inside the learned fragment, its variables, atoms and (in)equalities."""

from collections.abc import Collection

from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Term, Variable
from skolem.task.model import Goal
from skolem.task.scopes import VariableNames, copy_apart


def make_goal(formula: Formula, derived: Collection[str] = ()) -> Goal:
    """The goal of a formula; outside the fragment it says why."""
    variables: list[Variable] = []
    atoms: list[Atom] = []
    equalities: list[tuple[Term, Term]] = []
    inequalities: list[tuple[Term, Term]] = []
    ahead: list[Formula] = [formula]
    while ahead:
        part = ahead.pop()
        match part:
            case Atom(predicate) if predicate not in derived:
                atoms.append(part)
            case Equal(left, right):
                equalities.append((left, right))
            case Not(Equal(left, right)):
                inequalities.append((left, right))
            case And(parts):
                ahead.extend(reversed(parts))
            case Exists(bound, body):
                variables.extend(bound)
                ahead.append(body)
            case _:
                return Goal(formula, outside=_describe(part))
    if len({v.name for v in variables}) < len(variables):
        return make_goal(copy_apart(formula, VariableNames()), derived)
    return Goal(formula, tuple(variables), tuple(atoms), tuple(equalities), tuple(inequalities))


def _describe(formula: Formula) -> str:
    match formula:
        case Atom(predicate):
            return f"the derived predicate '{predicate}'"
        case Or():
            return "a disjunction"
        case Forall():
            return "a universal quantifier"
        case Not(Atom(predicate)):
            return f"the negated atom '(not ({predicate} ...))'"
        case _:
            return "a negated formula"
