"""Goals as people write them, as goals that can be bound: alternatives of literals, each with what is left over.

    goal                                                   one alternative
    every plate is in some cabinet                         one variable per plate
    some cabinet holds every plate                         one variable, one atom per plate
    a red block on a blue one, and nothing is held         two variables, and negated atoms without variables
    a clean cup, or a plate on a shelf                     (two alternatives)

Nothing is lost: a state satisfies the goal exactly if it satisfies one of the alternatives. What cannot be resolved
within the bounds (`MOST_INSTANCES`, `MOST_PARTS`, `MOST_ALTERNATIVES`) is an alternative's residual.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from skolem.task.alternatives import Alternative, split_alternatives
from skolem.task.expansion import MOST_PARTS, Expander
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Variable, list_terms
from skolem.task.model import Goal, Task
from skolem.task.negation import push_negations
from skolem.task.scopes import VariableNames, copy_apart, count_parts, find_free, list_shared
from skolem.task.semantics.facts import unite_types


# Binding, choosing a route and rewriting all need them.
@lru_cache(maxsize=4)
def list_alternatives(task: Task) -> tuple[Task, ...]:
    """The task with one alternative after the other as its goal; the task itself if its goal needs no resolving.

    There is none if no state at all satisfies the goal.
    """
    if task.goal.outside is None:
        return (task,)
    # 1. Negations go inward: only atoms and equalities are negated, and of `imply` nothing remains.
    formula = push_negations(task.goal.formula)
    # 2. Each quantifier gets variables of its own, what never changes is decided, each `forall` is written out.
    expander = Expander(task, formula)
    formula = expander.expand()
    # 3. Quantifiers are pulled out and disjunctions taken apart.
    alternatives = split_alternatives(formula, expander.groups)
    # 4. What could not be resolved becomes a residual, with the variables that stand nowhere else.
    goals = [_make_goal(alternative) for alternative in alternatives]
    if any(goal is None for goal in goals):
        goals = [Goal(task.goal.formula, residual=task.goal.formula, outside=task.goal.outside)]
    return tuple(_replace_goal(task, goal) for goal in goals if goal is not None)


def _make_goal(alternative: Alternative) -> Goal | None:
    """The goal of an alternative; None if its residual is too large to be written down."""
    literals = list(alternative.literals)
    bound = {t.name for atom, _ in literals for t in list_terms(atom) if isinstance(t, Variable)}
    variables = tuple(v for v in alternative.variables if v.name in bound)
    residual = collect_residual(alternative.unresolved, [v for v in alternative.variables if v.name not in bound])
    if residual is not None:
        if count_parts(residual) > MOST_PARTS:
            return None
        residual = copy_apart(residual, VariableNames({v.name for v in variables}))
    parts: list[Formula] = [atom if positive else Not(atom) for atom, positive in literals]
    body = And((*parts, residual)) if residual is not None else And(tuple(parts))
    return Goal(
        formula=Exists(variables, body) if variables else body,
        variables=variables,
        atoms=tuple(a for a, positive in literals if isinstance(a, Atom) and positive),
        equalities=tuple((a.left, a.right) for a, positive in literals if isinstance(a, Equal) and positive),
        inequalities=tuple((a.left, a.right) for a, positive in literals if isinstance(a, Equal) and not positive),
        denied=tuple(a for a, positive in literals if isinstance(a, Atom) and not positive),
        residual=residual,
        outside=None if residual is None or variables else _describe(residual),
    )


def collect_residual(unresolved: Iterable[Formula], variables: Iterable[Variable]) -> Formula | None:
    """The unresolved parts together, under a quantifier for the variables that only they mention."""
    free = {part: set(find_free(part)[part]) for part in unresolved}
    own = tuple(v for v in variables if any(v.name in names for names in free.values()))
    inside = [part for part, names in free.items() if any(v.name in names for v in own)]
    outside = [part for part in free if part not in inside]
    parts: list[Formula] = [*outside, Exists(own, And(tuple(inside)))] if own else outside
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _replace_goal(task: Task, goal: Goal) -> Task:
    return replace(task, goal=goal, init={**task.init, **unite_types(_list_quantified(goal.formula), task.init)})


def _list_quantified(formula: Formula) -> Iterable[Variable]:
    return (v for part in list_shared(formula) if isinstance(part, Exists | Forall) for v in part.variables)


def _describe(residual: Formula) -> str | None:
    """Why nothing of a residual could be bound; None if there is nothing to bind."""
    for part in list_shared(residual):
        if isinstance(part, Forall):
            return "a universal quantifier over too many objects"
        if isinstance(part, Exists):
            return "too many alternatives"
    return None
