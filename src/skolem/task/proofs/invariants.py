"""Sets of atoms of which at most one can be true: found by looking at the actions alone, without objects.

An invariant is a set of parts such as {clear(k), holding(k), on(_, k)}. The atoms that it covers for one key k are
counted. The proof shows of every action that it raises no count of at most one. So a key with one such atom at the
start has at most one in every reachable state, and a key with none has none for ever.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, permutations

from skolem.task.actions import Action, Effect
from skolem.task.formulas import And, Atom, Equal, Formula, Not, Term, Variable
from skolem.task.model import Domain

MOST_CANDIDATES = 500
MOST_CHECKS = 20_000
"""How many candidates and how many effects or pairs of effects are looked at for one domain."""
LARGEST_ARITY = 5
"""Predicates with more arguments are not covered: there are too many ways to choose the key among them."""

Key = tuple[Term, ...]
Flaw = tuple[Key, list[Atom]]
"""A key whose count may rise, and the atoms one of which must be covered for it to mend that."""
Literal = tuple[bool, Atom | Equal]
"""An atom or equality that must hold, or that must not."""


@dataclass(frozen=True, order=True)
class InvariantPart:
    """The atoms of a predicate that have the key's objects at the positions `keys` and anything elsewhere."""

    predicate: str
    keys: tuple[int, ...]


@dataclass(frozen=True)
class Invariant:
    """Parts with keys of the same length, no two of the same predicate, of whose atoms one key has at most one."""

    parts: tuple[InvariantPart, ...]

    def get_key(self, atom: Atom) -> Key | None:
        """The key for which an atom is covered, None for other atoms."""
        for part in self.parts:
            if part.predicate == atom.predicate:
                return tuple(atom.terms[i] for i in part.keys)
        return None


@dataclass(frozen=True, eq=False)
class AddEvent:
    """An atom that an action makes true, what must hold for that, and what surely becomes false with it.

    `variables` are those of a quantified effect: the atom becomes true for each of their values that `holds` allows.
    An atom in `deleted` that the action makes true as well is true afterwards.
    """

    atom: Atom
    variables: tuple[Variable, ...]
    holds: tuple[Atom, ...]
    denied: tuple[Atom, ...]
    unequal: tuple[tuple[Term, Term], ...]
    deleted: tuple[Atom, ...]


@lru_cache(maxsize=16)
def list_events(domain: Domain) -> tuple[tuple[AddEvent, ...], ...]:
    """For every action the atoms that it can make true."""
    return tuple(tuple(_make_event(action, e) for e in action.effects if e.positive) for action in domain.actions)


def _make_event(action: Action, effect: Effect) -> AddEvent:
    context, _ = split_condition(And((action.precondition, effect.condition)))
    atoms = [(positive, part) for positive, part in context if isinstance(part, Atom)]
    return AddEvent(
        atom=effect.atom,
        variables=effect.variables,
        holds=tuple(atom for positive, atom in atoms if positive),
        denied=tuple(atom for positive, atom in atoms if not positive),
        unequal=tuple((p.left, p.right) for positive, p in context if isinstance(p, Equal) and not positive),
        deleted=tuple(e.atom for e in action.effects if not e.positive and _fires(e, effect, context)),
    )


def _fires(other: Effect, effect: Effect, context: Mapping[Literal, None]) -> bool:
    """Whether one effect happens, for the same values of the variables, whenever another one does."""
    literals, whole = split_condition(other.condition)
    return whole and literals.keys() <= context.keys() and set(other.variables) <= set(effect.variables)


def split_condition(formula: Formula) -> tuple[dict[Literal, None], bool]:
    """The literals that a condition demands, and whether it demands nothing else."""
    literals: dict[Literal, None] = {}
    whole = True
    ahead = [formula]
    while ahead:
        part = ahead.pop()
        body = part.body if isinstance(part, Not) else part
        if isinstance(part, And):
            ahead.extend(reversed(part.parts))
        elif isinstance(body, Atom | Equal):
            literals[body is part, body] = None
        else:
            whole = False
    return literals, whole


@lru_cache(maxsize=16)
def find_invariants(domain: Domain) -> tuple[Invariant, ...]:
    """The invariants that could be proven of a domain."""
    actions = list_events(domain)
    arities = {name: len(types) for name, types in domain.predicates.items() if len(types) <= LARGEST_ARITY}
    changing = sorted(arities.keys() - domain.static - domain.derived)
    queue = deque(
        Invariant((InvariantPart(name, keys),)) for name in changing for keys in _list_key_positions(arities[name])
    )
    seen = set(queue)
    proven: list[Invariant] = []
    checks = 0
    while queue and checks < MOST_CHECKS:
        candidate = queue.popleft()
        relevant = [[e for e in events if candidate.get_key(e.atom) is not None] for events in actions]
        checks += sum(1 + len(events) ** 2 for events in relevant)
        flaw = next((f for events in relevant if (f := _find_flaw(candidate, events))), None)
        if flaw is None:
            proven.append(candidate)
            continue
        key, atoms = flaw
        for refined in _refine(candidate, key, (a for a in atoms if a.predicate in changing)):
            if refined not in seen and len(seen) < MOST_CANDIDATES:
                seen.add(refined)
                queue.append(refined)
    return tuple(proven)


def _list_key_positions(arity: int) -> Iterator[tuple[int, ...]]:
    """The choices of key arguments that leave at most two arguments free."""
    for free in range(min(arity, 2) + 1):
        yield from combinations(range(arity), arity - free)


def _find_flaw(candidate: Invariant, events: Sequence[AddEvent]) -> Flaw | None:
    """Why an action with these events may raise the count of a key."""
    for first, second in combinations_with_replacement(events, 2):
        if (heavy := _find_weight(candidate, first, second)) is not None:
            return heavy
    for event in events:
        if not _is_balanced(candidate, event):
            return candidate.get_key(event.atom) or (), [atom for atom in event.deleted if atom in event.holds]
    return None


def _find_weight(candidate: Invariant, first: AddEvent, second: AddEvent) -> Flaw | None:
    """A flaw if one application of an action may make two different atoms of one key true."""
    if first is second and not first.variables:
        return None
    second = _rename(second)
    key = candidate.get_key(first.atom) or ()
    leader = _unify(zip(key, candidate.get_key(second.atom) or (), strict=True))
    if leader is None or _replace(leader, first.atom) == _replace(leader, second.atom):
        return None
    holds = [_replace(leader, atom) for atom in (*first.holds, *second.holds)]
    unequal = [(_find(leader, a), _find(leader, b)) for a, b in (*first.unequal, *second.unequal)]
    key = tuple(_find(leader, term) for term in key)
    if _contradict(candidate, key, holds, unequal):
        return None
    # Where parameters coincide, the action may turn out to be impossible; in general it is not.
    return key, holds if leader else []


def _is_balanced(candidate: Invariant, event: AddEvent) -> bool:
    """Whether the new atom takes the place of another one of its key, which was true and becomes false."""
    key = candidate.get_key(event.atom) or ()
    gone = (a for a in event.holds if a in event.deleted or a == event.atom)
    return any(candidate.get_key(a) == key for a in gone) or _contradict(candidate, key, event.holds, event.unequal)


def _contradict(candidate: Invariant, key: Key, holds: Iterable[Atom], unequal: Iterable[tuple[Term, Term]]) -> bool:
    """Whether what must hold is impossible, or has two different atoms of the key, which is not at most one."""
    pairs = {frozenset(pair) for pair in unequal}

    def differ(first: Term, second: Term) -> bool:
        constants = isinstance(first, str) and isinstance(second, str)
        return (constants and first != second) or frozenset((first, second)) in pairs

    # Other keys prove nothing: they may have had more than one atom at the start.
    covered = [atom for atom in holds if candidate.get_key(atom) == key]
    return any(len(pair) == 1 for pair in pairs) or any(
        a.predicate != b.predicate or any(map(differ, a.terms, b.terms)) for a, b in combinations(covered, 2)
    )


def _refine(candidate: Invariant, key: Key, atoms: Iterable[Atom]) -> Iterator[Invariant]:
    """The candidate with one more part, which covers one of the atoms for the key."""
    for atom in atoms:
        if candidate.get_key(atom) is None:
            for keys in permutations(range(len(atom.terms)), len(key)):
                if tuple(atom.terms[i] for i in keys) == key:
                    yield _normalise((*candidate.parts, InvariantPart(atom.predicate, keys)))


def _normalise(parts: Iterable[InvariantPart]) -> Invariant:
    """The invariant of these parts, the same for every order of parts and of the key's objects."""
    first, *rest = sorted(parts)
    order = sorted(range(len(first.keys)), key=first.keys.__getitem__)
    return Invariant(tuple(InvariantPart(p.predicate, tuple(p.keys[i] for i in order)) for p in (first, *rest)))


def _rename(event: AddEvent) -> AddEvent:
    """The event with other names for the variables of its effect, which may have other values."""
    renamed: dict[Term, Term] = {v: Variable(f"{v.name} again", v.types) for v in event.variables}
    return replace(
        event,
        atom=_replace(renamed, event.atom),
        holds=tuple(_replace(renamed, atom) for atom in event.holds),
        unequal=tuple((_find(renamed, a), _find(renamed, b)) for a, b in event.unequal),
    )


def _unify(pairs: Iterable[tuple[Term, Term]]) -> dict[Term, Term] | None:
    """What every term is replaced by so that those of each pair are the same; None if they cannot be."""
    leader: dict[Term, Term] = {}
    for left, right in pairs:
        one, two = _find(leader, left), _find(leader, right)
        if one == two:
            continue
        if isinstance(one, str):
            one, two = two, one
        if isinstance(one, str):
            return None
        leader[one] = two
    return leader


def _find(leader: Mapping[Term, Term], term: Term) -> Term:
    while term in leader:
        term = leader[term]
    return term


def _replace(leader: Mapping[Term, Term], atom: Atom) -> Atom:
    return Atom(atom.predicate, tuple(_find(leader, term) for term in atom.terms))
