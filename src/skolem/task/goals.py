"""Goals: a formula and, inside the learned fragment, its variables, atoms and (in)equalities; goals after a binding."""

from collections.abc import Collection

from skolem.support.errors import InputError
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Term, Variable
from skolem.task.model import Binding, Goal, Task
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


def join_literals(goal: Goal) -> Formula:
    """The goal's literals and what is left beside them, under one quantifier; its formula if nothing is resolved."""
    if goal.outside is not None:
        return goal.formula
    parts: list[Formula] = [*goal.atoms, *map(Not, goal.denied), *(Equal(*pair) for pair in goal.equalities)]
    parts += [Not(Equal(*pair)) for pair in goal.inequalities]
    parts += [] if goal.residual is None else [goal.residual]
    body = parts[0] if len(parts) == 1 else And(tuple(parts))
    return Exists(goal.variables, body) if goal.variables else body


def ground_goal(task: Task, binding: Binding) -> Formula:
    """The goal after a complete binding; one that cannot hold becomes `(not (= o o))` for some object o.

    True (in)equalities are left out: not every planner reads them between objects. A goal without anything to bind
    stays, and so does the residual of another but for the variables that are bound.
    """
    goal = task.goal
    if goal.outside is not None:
        return goal.formula
    for variable in goal.variables:
        chosen = binding.get(variable.name)
        if chosen not in task.index:
            what = "no object" if chosen is None else f"the unknown object '{chosen}'"
            raise InputError(f"the binding has {what} for '{variable.name}', expected one of the task's objects")

    def ground(term: Term) -> str:
        return binding[term.name] if isinstance(term, Variable) else term

    atoms, denied = (
        dict.fromkeys(Atom(a.predicate, tuple(ground(t) for t in a.terms)) for a in literals)
        for literals in (goal.atoms, goal.denied)
    )
    possible = (
        all(task.has_type(binding[v.name], v.types) for v in goal.variables)
        and all(_is_well_typed(task, atom) for atom in atoms)
        and atoms.keys().isdisjoint(denied)
        and all(ground(a) == ground(b) for a, b in goal.equalities)
        and all(ground(a) != ground(b) for a, b in goal.inequalities)
    )
    if not possible:
        return Not(Equal(task.objects[0], task.objects[0]))
    parts: list[Formula] = [*atoms, *(Not(atom) for atom in denied if _is_well_typed(task, atom))]
    if goal.residual is not None:
        parts.append(copy_apart(goal.residual, VariableNames(), binding))
    return And(tuple(parts))


def _is_well_typed(task: Task, atom: Atom) -> bool:
    parameters = task.domain.predicates[atom.predicate]
    return all(task.has_type(str(name), types) for name, types in zip(atom.terms, parameters, strict=True))


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
