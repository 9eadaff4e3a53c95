"""Proofs that a goal, or the bound part of one, can never be reached: cheap, sound and incomplete.

A set of atoms that is false at the start is reached by an action that makes the last of them true while all others
are true. Where the invariants show for each of the atoms that no action can do that, the set is a trap: unreachable.
Where there may be dead ends, pairs of atoms are looked at as well.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from skolem.support.errors import LimitError
from skolem.task.formulas import Atom, Term, Variable
from skolem.task.model import Task
from skolem.task.proofs.invariants import AddEvent, Invariant, find_invariants, list_events
from skolem.task.proofs.pairs import Pairs
from skolem.task.proofs.undoing import can_be_undone
from skolem.task.query import CodedAtom, Query


@dataclass(frozen=True)
class Refutation:
    """Why atoms are never true together: an invariant for one key, a trap, or all that could ever be true."""

    atoms: tuple[CodedAtom, ...]
    invariant: Invariant | None = None
    key: tuple[int, ...] = ()
    """The objects of the invariant's key; of the atoms that it covers one is true at the start where there are two
    atoms here, and none where there is one."""
    searched: bool = False
    """Whether all that could ever be true was looked at, two atoms at a time."""


@dataclass(frozen=True, eq=False)
class _Achiever:
    """An event over numbered objects and variables; `added` is all that its action may make true."""

    arguments: tuple[int, ...]
    types: tuple[frozenset[int] | None, ...]
    """The objects that each variable may be, None for all."""
    holds: tuple[CodedAtom, ...]
    static: tuple[CodedAtom, ...]
    denied: tuple[CodedAtom, ...]
    unequal: tuple[tuple[int, int], ...]
    deleted: tuple[CodedAtom, ...]
    added: tuple[CodedAtom, ...]


class Refuter:
    """Proves of goals of one task that no state reachable from its initial state satisfies them."""

    def __init__(self, task: Task) -> None:
        self._task = task
        domain = task.domain
        self._fluents = domain.predicates.keys() - domain.static - domain.derived
        self._initial = {(name, tuple(row)) for name in self._fluents for row in task.init[name].tolist()}
        self._covers: dict[str, list[tuple[int, tuple[int, ...]]]] = {name: [] for name in self._fluents}
        self._weights: list[Counter[tuple[int, ...]]] = []
        self._invariants: list[Invariant] = []
        for invariant in find_invariants(domain):
            weights = Counter(
                tuple(row[i] for i in part.keys)
                for part in invariant.parts
                for row in task.init[part.predicate].tolist()
            )
            if not invariant.parts[0].keys and weights[()] > 1:
                continue
            for part in invariant.parts:
                self._covers[part.predicate].append((len(self._weights), part.keys))
            self._weights.append(weights)
            self._invariants.append(invariant)
        self._achievers: dict[str, list[_Achiever]] = {name: [] for name in self._fluents}
        for events in list_events(domain):
            for event in events:
                self._achievers[event.atom.predicate].append(_number(task, event, events))
        names = {name for known in self._achievers.values() for a in known for name, _ in a.static}
        self._statics = {name: set(map(tuple, task.init[name].tolist())) for name in names}
        self._refuted: dict[frozenset[CodedAtom], Refutation | None] = {}

    def refutes(self, query: Query) -> bool:
        """True only if it is proven that no reachable state satisfies the atoms of the goal that are fully bound."""
        return self.prove(query) is not None

    def prove(self, query: Query) -> Refutation | None:
        """Why no reachable state satisfies the atoms of the goal that are fully bound; None if that is not proven."""
        atoms = self._list_bound(query)
        if atoms not in self._refuted:
            self._refuted[atoms] = self._refute(atoms)
        return self._refuted[atoms]

    def _refute(self, atoms: frozenset[CodedAtom]) -> Refutation | None:
        if atoms <= self._initial:
            return None
        owners: dict[tuple[int, tuple[int, ...]], CodedAtom] = {}
        for atom in sorted(atoms):
            for place, weight in self._list_places(atom):
                number, key = place
                if weight == 0:
                    return Refutation((atom,), self._invariants[number], key)
                if weight == 1 and (other := owners.setdefault(place, atom)) != atom:
                    return Refutation((other, atom), self._invariants[number], key)
        trap = set(atoms)
        shrinking = True
        while shrinking and not trap <= self._initial:
            shrinking = False
            for atom in list(trap):
                if any(self._can_be_last(atom, a, trap, owners) for a in self._achievers[atom[0]]):
                    trap.remove(atom)
                    shrinking = True
        if not trap <= self._initial:
            return Refutation(tuple(sorted(trap)))
        found = None if self._pairs is None else self._pairs.refute(atoms)
        return None if found is None else Refutation(found, searched=True)

    @cached_property
    def _pairs(self) -> Pairs | None:
        """What could be true together; None where nothing is lost for ever, or that would take long."""
        try:
            return None if can_be_undone(self._task) else Pairs(self._task)
        except LimitError:
            return None

    def _list_bound(self, query: Query) -> frozenset[CodedAtom]:
        atoms = set()
        for name, args in query.atoms:
            if name in self._fluents:
                resolved = tuple(map(query.resolve, args))
                if min(resolved, default=0) >= 0:
                    atoms.add((name, resolved))
        return frozenset(atoms)

    def _list_places(self, atom: CodedAtom) -> Iterator[tuple[tuple[int, tuple[int, ...]], int]]:
        """The invariants and keys by which an atom is covered, with the key's weight at the start."""
        name, args = atom
        for number, positions in self._covers.get(name, ()):
            key = tuple(args[i] for i in positions)
            if min(key, default=0) >= 0:
                yield (number, key), self._weights[number][key]

    def _can_be_last(
        self,
        atom: CodedAtom,
        achiever: _Achiever,
        trap: set[CodedAtom],
        owners: dict[tuple[int, tuple[int, ...]], CodedAtom],
    ) -> bool:
        """Whether the achiever could make the atom true while all others of the trap are or become true."""
        binding = [-1] * len(achiever.types)
        if not _match(binding, achiever.arguments, atom[1]):
            return False
        added = [_resolve(binding, pattern) for pattern in achiever.added]

        def must_stay(other: CodedAtom) -> bool:
            return other in trap and not any(_may_equal(pattern, other) for pattern in added)

        settled = False
        while not settled:
            settled = True
            needed: dict[tuple[int, tuple[int, ...]], CodedAtom] = {}
            for pattern in achiever.holds:
                found = _resolve(binding, pattern)
                # An action that demands the atom does not make it true.
                if found == atom:
                    return False
                for place, weight in self._list_places(found):
                    if weight == 0:
                        return False
                    if weight > 1:
                        continue
                    other = owners.get(place)
                    if other is None or not must_stay(other):
                        other = needed.setdefault(place, found)
                    # Both are true in the same state and of one key, so that they must be the same atom.
                    if other == found:
                        continue
                    before = list(binding)
                    if other[0] != found[0]:
                        return False
                    if not (_match(binding, found[1], other[1]) and _match(binding, other[1], found[1])):
                        return False
                    settled = settled and binding == before
        if any(must_stay(_resolve(binding, pattern)) for pattern in (*achiever.deleted, *achiever.denied)):
            return False
        return self._is_possible(achiever, binding)

    def _is_possible(self, achiever: _Achiever, binding: list[int]) -> bool:
        """Whether types, inequalities and static atoms allow what is bound."""
        for value, allowed in zip(binding, achiever.types, strict=True):
            if value >= 0 and allowed is not None and value not in allowed:
                return False
        for left, right in achiever.unequal:
            if _value(binding, left) == _value(binding, right):
                return False
        for pattern in achiever.static:
            name, args = _resolve(binding, pattern)
            if min(args, default=0) >= 0 and args not in self._statics[name]:
                return False
        return True


def _number(task: Task, event: AddEvent, events: Sequence[AddEvent]) -> _Achiever:
    """The event over numbered objects; `events` are all of its action."""
    domain = task.domain
    numbers: dict[Variable, int] = {}

    def encode(atom: Atom, others: Sequence[Variable] = ()) -> CodedAtom:
        # A quantified effect happens for other values of its variables, too.
        renamed: dict[Term, Term] = {v: Variable(f"{v.name} again", v.types) for v in others}
        return atom.predicate, tuple(encode_term(renamed.get(term, term)) for term in atom.terms)

    def encode_term(term: Term) -> int:
        return task.index[term] if isinstance(term, str) else ~numbers.setdefault(term, len(numbers))

    changing = [a for a in event.holds if a.predicate not in domain.static | domain.derived]
    _, arguments = encode(event.atom)
    holds = tuple(map(encode, changing))
    static = tuple(encode(a) for a in event.holds if a.predicate in domain.static)
    denied = tuple(map(encode, event.denied))
    unequal = tuple((encode_term(left), encode_term(right)) for left, right in event.unequal)
    deleted = tuple(map(encode, event.deleted))
    added = tuple(encode(e.atom, e.variables) for e in events)
    types = tuple(_list_objects(task, variable) for variable in numbers)
    return _Achiever(arguments, types, holds, static, denied, unequal, deleted, added)


def _list_objects(task: Task, variable: Variable) -> frozenset[int] | None:
    if "object" in variable.types:
        return None
    return frozenset(obj for name in variable.types for obj in task.init[f"type:{name}"][:, 0].tolist())


def _value(binding: Sequence[int], argument: int) -> int:
    return argument if argument >= 0 or binding[~argument] < 0 else binding[~argument]


def _resolve(binding: Sequence[int], pattern: CodedAtom) -> CodedAtom:
    """The pattern with bound variables replaced by their objects."""
    return pattern[0], tuple([_value(binding, a) for a in pattern[1]])


def _match(binding: list[int], arguments: Sequence[int], values: Sequence[int]) -> bool:
    """Binds the variables among the arguments to the objects among the values; False where that is impossible."""
    for argument, value in zip(arguments, values, strict=True):
        known = _value(binding, argument)
        if value >= 0 and known < 0:
            binding[~known] = value
        elif value >= 0 and known != value:
            return False
    return True


def _may_equal(first: CodedAtom, second: CodedAtom) -> bool:
    """Whether two patterns could stand for the same atom."""
    if first[0] != second[0]:
        return False
    return all(a == b or a < 0 or b < 0 for a, b in zip(first[1], second[1], strict=True))
