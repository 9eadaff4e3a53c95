"""Atoms of a goal that nothing can make true, whatever objects are chosen: why a goal is hopeless, in its own words."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from skolem.task.constraints.candidates import find_valid_candidates
from skolem.task.formulas import Atom, Variable
from skolem.task.goal_normal_form import list_alternatives
from skolem.task.model import Task, type_relation
from skolem.task.semantics.dynamics import Dynamics
from skolem.task.semantics.facts import Row
from skolem.task.semantics.relaxation import find_possible


@dataclass(frozen=True)
class ImpossibleAtoms:
    """The atoms of a goal that are false and that no action can make true, for any objects that fit the goal."""

    atoms: tuple[Atom, ...]
    whole: bool
    """Whether each alternative of the goal has one of them, so that the goal is unsolvable."""


MOST_RULES = 50_000
"""Ground actions up to which what they could ever add is computed, in a few seconds at most."""


def find_impossible_atoms(task: Task, *, static_only: bool = False, most_rules: float = MOST_RULES) -> ImpossibleAtoms:
    """The atoms of the goal's alternatives that can never be true, proven by what actions could ever add.

    With `static_only` just those that no action changes, which takes no time. A LimitError where the task has more
    than `most_rules` ground actions.
    """
    possible: dict[str, set[Row]] | None = None
    found: dict[Atom, None] = {}
    alternatives = list_alternatives(task)
    hopeless = 0
    for alternative in alternatives:
        allowed = _list_allowed(alternative)
        changing = [a for a in alternative.goal.atoms if a.predicate not in task.domain.static]
        fixed = [a for a in alternative.goal.atoms if a.predicate in task.domain.static]
        never = [a for a in fixed if not _is_possible(alternative, a, map(tuple, task.init[a.predicate].tolist()), {})]
        if not never and not static_only and changing:
            if possible is None:
                possible = find_possible(Dynamics(task), most_rules).tuples
            never = [a for a in changing if not _is_possible(alternative, a, possible[a.predicate], allowed)]
        hopeless += bool(never)
        found |= dict.fromkeys(never)
    return ImpossibleAtoms(tuple(found), hopeless == len(alternatives))


def _list_allowed(task: Task) -> dict[str, set[int]]:
    """The objects that the static part of the goal allows each variable; nothing where it allows none at all."""
    if not task.goal.variables:
        return {}
    validity = find_valid_candidates(task.query, task.statics, len(task.objects))
    if validity.unsolvable:
        return {}
    rows = zip(task.goal.variables, validity.candidates, strict=True)
    return {variable.name: set(np.flatnonzero(row).tolist()) for variable, row in rows}


def _is_possible(task: Task, atom: Atom, tuples: Iterable[Row], allowed: dict[str, set[int]]) -> bool:
    """Whether one of the tuples could be the atom's."""
    domains = []
    for term in atom.terms:
        if not isinstance(term, Variable):
            domains.append({task.index[term]})
        elif term.name in allowed:
            domains.append(allowed[term.name])
        else:
            name = type_relation(term.types)
            domains.append(set(task.init[name][:, 0].tolist()) if name in task.init else set(range(len(task.objects))))
    return any(all(obj in domain for obj, domain in zip(row, domains, strict=True)) for row in tuples)
