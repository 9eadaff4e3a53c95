"""Axioms of predicates that depend on each other, with each `forall` between them written out over its objects.

Fast Downward takes a `forall` for the negation of a new derived predicate. Between predicates that depend on each other
that makes two negations of none, and it calls axioms unstratifiable that are not.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from skolem.task.actions import Axiom
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Variable, list_terms
from skolem.task.model import Task
from skolem.task.negation import push_negations
from skolem.task.scopes import list_inside
from skolem.task.semantics.axioms import find_peers

MOST_INSTANCES = 50_000
"""Tuples of objects for which the body of one `forall` is derived, ten seconds of the translator's time.

With more of them it stays as it is: the planner takes it where no object depends on itself in the end.
"""

Define = Callable[[str, Sequence[Variable], Formula], Atom]
"""Adds a derived predicate of a name, variables and body, and returns its atom."""


def write_out_recursion(task: Task, define: Define) -> tuple[Axiom, ...]:
    """The axioms of a task, with no `forall` between predicates that depend on each other, unless it is too large.

    The body of such a `forall` becomes a predicate, and the `forall` the conjunction of its atoms: the text grows with
    the objects, but conjunctions of disjunctions, which the planner would multiply out, do not arise.
    """
    peers = find_peers(task.domain)
    return tuple(
        _write_out(task, axiom, own, define) if (own := peers[axiom.predicate]) else axiom
        for axiom in task.domain.axioms
    )


def _write_out(task: Task, axiom: Axiom, peers: frozenset[str], define: Define) -> Axiom:
    formula = push_negations(axiom.body)
    made: dict[Formula, Formula] = {}
    free: dict[Formula, dict[Variable, None]] = {}
    recursive: set[Formula] = set()
    """The parts in which the predicate itself or one that depends on it stands."""
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
        if (isinstance(part, Atom) and part.predicate in peers) or not recursive.isdisjoint(inside):
            recursive.add(part)
        made[part] = _rebuild(part, tuple(made[p] for p in inside))
        if isinstance(part, Forall) and part in recursive:
            made[part] = _instantiate(task, part, made[part.body], tuple(free[part]), define)
    # What stays as it is, is written as the user did.
    return axiom if made[formula] is formula else replace(axiom, body=made[formula])


def _instantiate(task: Task, part: Forall, body: Formula, free: tuple[Variable, ...], define: Define) -> Formula:
    """The conjunction that says what a `forall` does, or the `forall` if there are too many objects."""
    variables = (*free, *part.variables)
    objects = {v: [obj for obj in task.objects if task.has_type(obj, v.types)] for v in variables}
    if prod(len(objects[v]) for v in variables) > MOST_INSTANCES:
        return Forall(part.variables, body)
    holds = define("holds", variables, body)
    return And(tuple(Atom(holds.predicate, (*free, *row)) for row in product(*(objects[v] for v in part.variables))))


def _rebuild(part: Formula, inside: tuple[Formula, ...]) -> Formula:
    """The part with other parts inside, itself where they are the same."""
    if all(new is old for new, old in zip(inside, list_inside(part), strict=True)):
        return part
    match part:
        case And() | Or():
            return replace(part, parts=inside)
        case Not() | Exists() | Forall():
            return replace(part, body=inside[0])
        case _:
            return part
