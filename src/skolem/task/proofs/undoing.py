"""Whether whatever is done can be undone: by one action after each, as far as the actions show it.

Where it can, nothing is lost for ever, and there are no dead ends to look for. No proof depends on it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

from skolem.task.actions import Action
from skolem.task.formulas import Atom, Term, Variable
from skolem.task.model import Domain, Task
from skolem.task.proofs.invariants import split_condition

Turn = tuple[str, tuple[int, ...]]
"""A static predicate, and an order of arguments in which each of its facts must be one, too."""


@dataclass(frozen=True)
class _Change:
    """What an action demands, of static facts and of others, and what it adds and deletes."""

    static: tuple[Atom, ...]
    needed: tuple[Atom, ...]
    added: tuple[Atom, ...]
    deleted: tuple[Atom, ...]


@dataclass(frozen=True)
class _Option:
    """An atom of the undoing action that could be an atom of the other one, given the turn."""

    own: Atom
    other: Atom
    turn: Turn | None = None


def can_be_undone(task: Task) -> bool:
    """Whether every action of a task that takes something away is seen to be undone by another one."""
    ways = _list_ways(task.domain)
    return all(any(all(_holds(task, turn) for turn in way) for way in each) for each in ways)


def _holds(task: Task, turn: Turn) -> bool:
    name, order = turn
    rows = task.init[name]
    return set(map(tuple, rows[:, list(order)].tolist())) <= set(map(tuple, rows.tolist()))


@lru_cache(maxsize=16)
def _list_ways(domain: Domain) -> tuple[tuple[frozenset[Turn], ...], ...]:
    """For each action that takes something away the ways to undo it, each by what it demands of static facts."""
    changes = [_read(domain, action) for action in domain.actions]
    return tuple(
        () if change is None else tuple({way for other in changes if other for way in _undo(change, other)})
        for change in changes
        if change is None or change.deleted
    )


def _read(domain: Domain, action: Action) -> _Change | None:
    """The change that an action makes; None where that depends on more than its objects."""
    literals, whole = split_condition(action.precondition)
    plain = all(not effect.variables and split_condition(effect.condition) == ({}, True) for effect in action.effects)
    if not whole or not plain:
        return None
    atoms = [part for positive, part in literals if positive and isinstance(part, Atom)]
    added = tuple(effect.atom for effect in action.effects if effect.positive)
    return _Change(
        static=tuple(atom for atom in atoms if atom.predicate in domain.static),
        needed=tuple(atom for atom in atoms if atom.predicate not in domain.static),
        added=added,
        deleted=tuple(e.atom for e in action.effects if not e.positive and e.atom not in added),
    )


def _undo(change: _Change, other: _Change) -> Iterator[frozenset[Turn]]:
    """The ways in which another action, taken next, gives back all that an action took away."""
    after = [*(atom for atom in change.needed if atom not in change.deleted), *change.added]
    options = [[_Option(own, gone) for own in other.added] for gone in change.deleted]
    options += [[_Option(own, there) for there in after] for own in other.needed]
    options += [[option for fact in change.static for option in _turn(own, fact)] for own in other.static]
    for turns in _choose(options, {}):
        yield frozenset(turn for turn in turns if turn is not None)


def _turn(own: Atom, fact: Atom) -> Iterator[_Option]:
    for order in permutations(range(len(fact.terms))):
        turned = Atom(fact.predicate, tuple(fact.terms[i] for i in order))
        yield _Option(own, turned, None if order == tuple(sorted(order)) else (fact.predicate, order))


def _choose(options: Sequence[Sequence[_Option]], terms: Mapping[Term, Term]) -> Iterator[tuple[Turn | None, ...]]:
    """One option of each, so that every parameter stands for one term."""
    if not options:
        yield ()
        return
    for option in options[0]:
        extended = _match(option, terms)
        if extended is not None:
            for rest in _choose(options[1:], extended):
                yield (option.turn, *rest)


def _match(option: _Option, terms: Mapping[Term, Term]) -> dict[Term, Term] | None:
    """The terms with those that make the two atoms the same; None where nothing does."""
    own, other = option.own, option.other
    if own.predicate != other.predicate:
        return None
    extended = dict(terms)
    for left, right in zip(own.terms, other.terms, strict=True):
        if (extended.setdefault(left, right) if isinstance(left, Variable) else left) != right:
            return None
    return extended
