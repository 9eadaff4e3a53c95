"""Pairs of atoms that are never true together: what could be true after any number of actions, two atoms at a time.

An action counts as possible as soon as each pair of the literals that it demands could be true; what it makes true
could then be true with whatever could be true with all of these and is not deleted. Derived atoms, alternatives and
quantifiers in conditions count as satisfied, so that every pair that some actions make true is among those found.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from skolem.task.model import Task
from skolem.task.normal_form import Conjunction
from skolem.task.query import CodedAtom
from skolem.task.semantics.dynamics import Dynamics, Operator
from skolem.task.semantics.facts import Row
from skolem.task.semantics.relaxation import find_possible, is_plain
from skolem.task.semantics.rules import Rule, fill

MOST_RULES = 10_000
"""Ground actions up to which pairs are looked at, in some tenths of a second."""

Literal = tuple[bool, CodedAtom]
Bits = int
"""A set of literals, a bit each."""


@dataclass(frozen=True)
class _Event:
    """What an action makes true, what it demands for that, and what is then no longer true."""

    needed: Bits
    added: Bits
    deleted: Bits
    beside: Bits
    """What it may make true as well, with added."""


class Pairs:
    """The pairs of literals that could be true together in a task; a LimitError where it has too many ground actions.

    That an atom is false is a literal of its own where an action demands it.
    """

    def __init__(self, task: Task, most_rules: float = MOST_RULES) -> None:
        dynamics = Dynamics(task)
        possible = find_possible(dynamics, most_rules)
        self._fluents = dynamics.arities.keys() - task.domain.derived
        self._possible = possible.tuples
        self._numbers: dict[Literal, int] = {}
        partly = [(o, e) for o in dynamics.operators for e in o.outcomes if not is_plain(e)]
        # What may become false without being looked at here has no such literal.
        vague = {outcome.atom[0] for _, outcome in partly if not outcome.positive}
        rules = list(possible.applied.items())
        grounded = [
            (operator, objects)
            for operator, (_, rows) in zip(dynamics.operators, rules, strict=False)
            for objects in rows
        ]
        self._denied = {
            atom
            for operator, objects in grounded
            for atom in self._list_atoms(operator.precondition.denied, objects)
            if atom[0] not in vague and atom[1] in self._possible[atom[0]]
        }
        sometimes = [operator for operator, outcome in partly if outcome.positive]
        conditional: dict[tuple[Operator, Row], list[tuple[Rule, Row]]] = {}
        for operator, (rule, rows) in zip(sometimes, rules[len(rules) - len(sometimes) :], strict=True):
            for objects in rows:
                key = operator, objects[: len(operator.action.parameters)]
                conditional.setdefault(key, []).append((rule, objects))
        events = [
            event
            for operator, objects in grounded
            for event in self._list_events(operator, objects, conditional.get((operator, objects), []))
        ]
        start = self._collect(
            [*((True, atom) for atom in dynamics.start), *((False, a) for a in self._denied - dynamics.start)]
        )
        self._beside: list[Bits] = [0] * len(self._numbers)
        """For each literal those that could be true with it, itself among them if it could be true at all."""
        for number in _list_numbers(start):
            self._beside[number] = start
        self._spread(events)

    def refute(self, atoms: Iterable[CodedAtom]) -> tuple[CodedAtom, ...] | None:
        """One of the atoms that is never true, or two that are never true together; None if neither is proven."""
        listed = sorted(atoms)
        numbers = [self._numbers.get((True, atom), -1) for atom in listed]
        for atom, number in zip(listed, numbers, strict=True):
            if number < 0 or not self._beside[number]:
                return (atom,)
        for i, number in enumerate(numbers):
            for j in range(i):
                if not self._beside[number] >> numbers[j] & 1:
                    return listed[j], listed[i]
        return None

    def _list_events(self, operator: Operator, objects: Row, conditional: list[tuple[Rule, Row]]) -> Iterator[_Event]:
        plain = [(o.positive, (o.atom[0], fill(o.atom[1], objects))) for o in operator.outcomes if is_plain(o)]
        true = {atom for positive, atom in plain if positive}
        false = {atom for positive, atom in plain if not positive} - true
        added = self._collect([*((True, atom) for atom in true), *((False, atom) for atom in false & self._denied)])
        deleted = self._collect([*((True, atom) for atom in false), *((False, atom) for atom in true & self._denied)])
        more = [(rule, row, (name, fill(args, row))) for rule, row in conditional for name, args in rule.heads]
        beside = added | self._collect((True, atom) for *_, atom in more)
        yield _Event(self._demand(operator.precondition, objects), added, deleted, added)
        for rule, row, atom in more:
            yield _Event(self._demand(rule.body, row), self._collect([(True, atom)]), deleted, beside)

    def _demand(self, condition: Conjunction, objects: Row) -> Bits:
        true = ((True, atom) for atom in self._list_atoms(condition.atoms, objects))
        false = ((False, atom) for atom in self._list_atoms(condition.denied, objects) if atom in self._denied)
        return self._collect([*true, *false])

    def _list_atoms(self, atoms: Iterable[CodedAtom], objects: Row) -> Iterator[CodedAtom]:
        """The atoms that actions change and that have no variables but those of the objects."""
        for name, args in atoms:
            if name in self._fluents and all(~a < len(objects) for a in args):
                yield name, fill(args, objects)

    def _collect(self, literals: Iterable[Literal]) -> Bits:
        bits = 0
        for literal in literals:
            bits |= 1 << self._numbers.setdefault(literal, len(self._numbers))
        return bits

    def _spread(self, events: list[_Event]) -> None:
        """Takes actions until nothing new could be true."""
        beside, changed = self._beside, -1
        while changed:
            recently, changed = changed, 0
            for event in events:
                if event.needed and not event.needed & (recently | changed):
                    continue
                together = -1 if event.needed else sum(1 << i for i, others in enumerate(beside) if others)
                for number in _list_numbers(event.needed):
                    together &= beside[number]
                if event.needed & ~together:
                    continue
                found = together & ~event.deleted | event.beside
                for number in _list_numbers(event.added):
                    new = found & ~beside[number]
                    if new:
                        beside[number] |= new
                        changed |= new | 1 << number
                        for other in _list_numbers(new):
                            beside[other] |= 1 << number


def _list_numbers(bits: Bits) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
