"""Conditions as alternatives: conjunctions of literals over variables, each with what could not be resolved."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod

from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Variable, list_terms
from skolem.task.scopes import list_shared

MOST_ALTERNATIVES = 16
"""Alternatives that are made of one condition; what would need more of them stays unresolved."""


@dataclass
class Alternative:
    """There are objects for `variables` with which all literals and all unresolved parts are true."""

    variables: dict[Variable, None] = field(default_factory=dict)
    literals: dict[tuple[Atom | Equal, bool], None] = field(default_factory=dict)
    """Atoms and equalities, each with whether it is to be true, in the order in which they stand."""
    unresolved: dict[Formula, None] = field(default_factory=dict)
    choices: dict[Or, int] = field(default_factory=dict)
    """Disjunctions that may still be split, each with a number that those of one `forall` share."""
    added: set[Formula] = field(default_factory=set)
    """The formulas that all this comes from, so that those that stand in many places are added once."""

    def copy(self) -> "Alternative":
        """An alternative that can grow apart from this one."""
        return Alternative(
            variables=self.variables.copy(),
            literals=self.literals.copy(),
            unresolved=self.unresolved.copy(),
            choices=self.choices.copy(),
            added=self.added.copy(),
        )


def split_alternatives(formula: Formula, groups: Mapping[Formula, int] | None = None) -> list[Alternative]:
    """The alternatives that together mean the formula, whose negations stand before atoms and equalities only.

    Quantifiers are pulled out: variables of one name are the same. `groups` has a number for each disjunction that
    is one of many like it: those are all split, or none of them is. Disjunctions without variables that could be
    bound are never split, since the planner does as well with them.
    """
    done: list[Alternative] = []
    waiting: list[tuple[Alternative, Formula]] = [(Alternative(), formula)]
    while waiting:
        alternative, part = waiting.pop()
        if _add(alternative, part, groups or {}):
            branches = _branch(alternative, MOST_ALTERNATIVES - len(done) - len(waiting))
            waiting.extend(reversed(branches))
            if not branches:
                alternative.unresolved |= dict.fromkeys(alternative.choices)
                alternative.choices.clear()
                done.append(alternative)
    return done


def _add(alternative: Alternative, formula: Formula, groups: Mapping[Formula, int]) -> bool:
    """Adds what a formula demands; False if that contradicts what was demanded before."""
    ahead = [formula]
    while ahead:
        part = ahead.pop()
        if part in alternative.added:
            continue
        alternative.added.add(part)
        match part:
            case And(parts):
                ahead.extend(reversed(parts))
            case Exists(variables, body):
                alternative.variables |= dict.fromkeys(variables)
                ahead.append(body)
            case Or(()):
                return False
            case Or() if _can_bind(part):
                alternative.choices[part] = groups.get(part, -1 - len(alternative.added))
            case Or() | Forall():
                alternative.unresolved[part] = None
            case _:
                atom, positive = (part.body, False) if isinstance(part, Not) else (part, True)
                assert isinstance(atom, Atom | Equal), "negations stand before atoms and equalities only"
                if (atom, not positive) in alternative.literals:
                    return False
                alternative.literals[atom, positive] = None
    return True


def _branch(alternative: Alternative, room: int) -> list[tuple[Alternative, Formula]]:
    """The alternatives, each with a part to add, of the choice to split next; none if all choices are to stay."""
    choices = alternative.choices
    sizes = {group: prod(len(c.parts) for c, g in choices.items() if g == group) for group in choices.values()}
    chosen = next((choice for choice, group in choices.items() if sizes[group] <= room), None)
    if chosen is not None:
        del choices[chosen]
        return [(alternative.copy(), part) for part in chosen.parts]
    if len(choices) > 1 or not choices or room < 2:
        return []
    (chosen,) = choices
    del choices[chosen]
    first = [(alternative.copy(), part) for part in chosen.parts[: room - 1]]
    alternative.unresolved[Or(chosen.parts[room - 1 :])] = None
    return [*first, (alternative, And(()))]


def _can_bind(formula: Formula) -> bool:
    """Whether a formula has variables that are not universal."""
    universal: set[str] = set()
    for part in list_shared(formula):
        if isinstance(part, Exists):
            return True
        if isinstance(part, Forall):
            universal.update(v.name for v in part.variables)
        if isinstance(part, Atom | Equal):
            terms = list_terms(part)
            if any(isinstance(term, Variable) and term.name not in universal for term in terms):
                return True
    return False
