"""Joins of the atoms of a goal: arc consistency, and backtracking search that decides what it leaves open."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

import numpy as np

from skolem.support.errors import LimitError
from skolem.task.constraints.all_different import find_cliques, has_matching
from skolem.task.constraints.bitsets import lowest, pack, revise, split, unpack
from skolem.task.constraints.relations_index import Partners, RelationsIndex, Rows
from skolem.task.query import Query, merge_equal

Domains = list[int]
"""The set of objects, as bits, that each slot may still have."""

_MOST_JOINS = 1024


class Effort:
    """A number of search steps that may be spent; a LimitError after that."""

    def __init__(self, steps: int) -> None:
        self.steps = self.left = steps

    def spend(self, steps: int) -> None:
        """Counts some steps."""
        self.left -= steps
        if self.left < 0:
            raise LimitError(f"no decision on the goal's variables within {self.steps} search steps")


class Join:
    """A conjunction of atoms over indexed relations; equal variables share a slot.

    `root` holds the arc-consistent domains of the unbound goal, or None if that already has no solution.
    """

    def __init__(
        self, structure: RelationsIndex, query: Query, negative: tuple[tuple[str, tuple[int, ...]], ...]
    ) -> None:
        merged = merge_equal(Query(query.variables, (*query.atoms, *negative), query.equal, query.unequal))
        size = merged.query.variables
        self.home = merged.home
        self.objects = structure.objects
        # With many objects every search step takes longer, and counts for more.
        self.cost = 1 + structure.objects // 1024
        self.unequal: list[list[int]] = [[] for _ in range(size)]
        self.arcs: list[list[tuple[int, Partners, Partners]]] = [[] for _ in range(size)]
        self.tables: list[list[tuple[tuple[int, ...], Rows]]] = [[] for _ in range(size)]
        domains = [structure.full if obj < 0 else 1 << obj & structure.full for obj in merged.query.binding]
        consistent = all(domains)
        for place, (name, args) in enumerate((*query.atoms, *negative)):
            if name in structure:
                moved = tuple(a if a >= 0 else ~self.home[~a] for a in args)
                consistent &= self._add_atom(structure, domains, name, moved, place < len(query.atoms))
        for a, b in merged.query.unequal:
            consistent &= self._add_inequality(domains, a, b)
        self.cliques = find_cliques(self.unequal)
        consistent = consistent and self.propagate(domains, range(size)) is None
        self.root: Domains | None = domains if consistent else None

    def _add_atom(
        self, structure: RelationsIndex, domains: Domains, name: str, args: tuple[int, ...], positive: bool
    ) -> bool:
        number: dict[int, int] = {}
        pattern = tuple(a if a >= 0 else ~number.setdefault(~a, len(number)) for a in args)
        scope = tuple(number)
        allowed = structure.select(name, pattern, positive)
        if isinstance(allowed, tuple):
            (x, y), (forward, backward) = scope, allowed
            self.arcs[x].append((y, forward, backward))
            self.arcs[y].append((x, backward, forward))
        elif not isinstance(allowed, int):
            for slot in scope:
                self.tables[slot].append((scope, allowed))
        elif scope:
            domains[scope[0]] &= allowed
            return domains[scope[0]] > 0
        else:
            return allowed > 0
        return True

    def _add_inequality(self, domains: Domains, a: int, b: int) -> bool:
        if a == b:
            return False
        if a >= 0 and b >= 0:
            return True
        if a >= 0 or b >= 0:
            slot, obj = ~min(a, b), max(a, b)
            domains[slot] &= ~(1 << obj)
            return domains[slot] > 0
        if ~b not in self.unequal[~a]:
            self.unequal[~a].append(~b)
            self.unequal[~b].append(~a)
        return True

    def restrict(self, binding: Sequence[int]) -> Domains | None:
        """The arc-consistent domains once the bound variables have their objects (-1 is unbound), or None."""
        if self.root is None:
            return None
        domains, changed = self.root.copy(), set()
        for slot, obj in zip(self.home, binding, strict=True):
            if obj >= 0:
                rest = domains[slot] & (1 << obj)
                if not rest:
                    return None
                if rest != domains[slot]:
                    domains[slot] = rest
                    changed.add(slot)
        return domains if self.propagate(domains, changed) is None else None

    def complete(self, domains: Domains) -> tuple[int, ...]:
        """The objects of all variables, given one object for every slot."""
        return tuple([domains[slot].bit_length() - 1 for slot in self.home])

    def propagate(self, domains: Domains, changed: Iterable[int]) -> int | None:
        """Makes the domains arc consistent after those of some slots shrank: the slot left without objects, or None."""
        queue = set(changed)
        while queue:
            x = queue.pop()
            own = domains[x]
            if not own & (own - 1):
                for y in self.unequal[x]:
                    if domains[y] & own:
                        domains[y] ^= own
                        queue.add(y)
                        if not domains[y]:
                            return y
            for y, forward, backward in self.arcs[x]:
                kept = revise(own, domains[y], forward, backward)
                if kept != domains[y]:
                    domains[y] = kept
                    queue.add(y)
                    if not kept:
                        return y
            for scope, rows in self.tables[x]:
                if not self._filter(domains, scope, rows, queue):
                    return x
        return None

    def shrink(self, domains: Domains, slot: int, allowed: int) -> bool:
        """Takes objects that are not allowed from one slot and propagates that; False if some slot has none left."""
        domains[slot] &= allowed
        return domains[slot] > 0 and self.propagate(domains, (slot,)) is None

    def _filter(self, domains: Domains, scope: tuple[int, ...], rows: Rows, queue: set[int]) -> bool:
        inside = unpack([domains[slot] for slot in scope], self.objects)
        kept = rows[inside[np.arange(len(scope)), rows].all(axis=1)]
        for column, slot in enumerate(scope):
            mask = pack(kept[:, column], self.objects)
            if mask != domains[slot]:
                domains[slot] = mask
                queue.add(slot)
        return len(kept) > 0

    def search(self, domains: Domains, effort: Effort, pick: Callable[[int], int] = lowest) -> Domains | None:
        """One object for every slot that solves the join, or None; the domains must be arc consistent.

        Parts of the join that share nothing are solved one after another, so that none is solved twice.
        """
        domains = domains.copy()
        while True:
            loose = self._peel(domains)
            core = {x for x, own in enumerate(domains) if own & (own - 1) and x not in loose}
            if not core:
                for slot in reversed(loose):
                    if domains[slot] & (domains[slot] - 1):
                        domains[slot] = pick(domains[slot])
                        self.propagate(domains, (slot,))
                return domains
            solved = self._solve(domains, self._reach(domains, core), effort, pick)
            if solved is None:
                return None
            domains = solved

    def _peel(self, domains: Domains, keep: int | None = None) -> dict[int, None]:
        """Slots, first to last, each of which some object fits whatever the slots after it and the other ones get."""
        alive = {x for x, own in enumerate(domains) if own & (own - 1)}
        loose: dict[int, None] = {}
        queue = dict.fromkeys(sorted(alive))
        while queue:
            x, _ = queue.popitem()
            if x != keep and self._is_loose(domains, x, alive):
                alive.discard(x)
                loose[x] = None
                queue.update(dict.fromkeys(y for y in self._neighbours(domains, x) if y in alive))
        return loose

    def is_decided(self, domains: Domains, slot: int) -> bool:
        """True if a solution has each of the slot's objects, since all others fit whatever it gets; False: unknown."""
        loose = self._peel(domains, slot)
        return all(x in loose for x, own in enumerate(domains) if own & (own - 1) and x != slot)

    def _is_loose(self, domains: Domains, x: int, alive: set[int]) -> bool:
        own = domains[x]
        joined = [y for y, _, _ in self.arcs[x] if y in alive]
        listed = [y for scope, _ in self.tables[x] for y in scope if y != x and y in alive]
        partners = {*joined, *listed}
        if len(partners) > 1:
            return False
        rivals = sum(1 for y in self.unequal[x] if y in alive and y not in partners and domains[y] & own)
        if not partners:
            return own.bit_count() > rivals
        (partner,) = partners
        differ = partner in self.unequal[x]
        if not rivals and not differ and len(joined) + len(listed) == 1:
            return True  # Arc consistency says so.
        if listed:
            return False
        allowed = [backward for y, _, backward in self.arcs[x] if y == partner]
        for bit in split(domains[partner]):
            rest = own & ~bit if differ else own
            for backward in allowed:
                rest &= backward.get(bit, 0)
            if rest.bit_count() <= rivals:
                return False
        return True

    def _neighbours(self, domains: Domains, x: int) -> Iterator[int]:
        """The slots that share a constraint with this one which objects of both could violate."""
        own = domains[x]
        yield from (y for y in self.unequal[x] if domains[y] & own)
        yield from (y for y, _, _ in self.arcs[x])
        yield from (y for scope, _ in self.tables[x] for y in scope if y != x)

    def _reach(self, domains: Domains, core: set[int]) -> list[int]:
        """The slots of the core that are connected, within it, to the one with the fewest objects."""
        start = min(core, key=lambda x: (domains[x].bit_count(), x))
        reached, queue = {start}, [start]
        while queue:
            for y in self._neighbours(domains, queue.pop()):
                if y in core and y not in reached:
                    reached.add(y)
                    queue.append(y)
        return sorted(reached)

    def _solve(self, domains: Domains, part: list[int], effort: Effort, pick: Callable[[int], int]) -> Domains | None:
        """The domains after backtracking over the slots of one part, each with one object left; None if impossible."""
        if not self._can_differ(domains):
            return None
        weights = dict.fromkeys(part, 1)
        trail: list[tuple[Domains, int, int]] = []
        while True:
            undecided = [x for x in part if domains[x] & (domains[x] - 1)]
            if not undecided:
                return domains
            # Few objects and many failures first: that keeps dead ends short.
            slot = min(undecided, key=lambda x: domains[x].bit_count() / weights[x])
            bit = pick(domains[slot])
            trail.append((domains, slot, bit))
            domains = domains.copy()
            domains[slot] = bit
            while not self._try(domains, slot, weights, effort):
                if not trail:
                    return None
                domains, slot, bit = trail.pop()
                domains[slot] ^= bit

    def _try(self, domains: Domains, slot: int, weights: dict[int, int], effort: Effort) -> bool:
        effort.spend(self.cost)
        empty = self.propagate(domains, (slot,)) if domains[slot] else slot
        if empty is None:
            return self._can_differ(domains)
        if empty in weights:
            weights[empty] += 1
        return False

    def _can_differ(self, domains: Domains) -> bool:
        """False if the slots of some clique have, taken together, too few objects to be all different."""
        for clique in self.cliques:
            sizes = sorted([domains[x].bit_count() for x in clique])
            if any(size <= i for i, size in enumerate(sizes)) and not has_matching([domains[x] for x in clique]):
                return False
        return True

    def iterate(self, domains: Domains, over: Sequence[int], effort: Effort) -> Iterator[Domains]:
        """The domains for every choice of objects for the slots `over` that a solution has, in lexicographic order.

        The domains must be arc consistent, and so are those that are yielded; the other slots stay open.
        """
        stack: list[tuple[Iterator[Domains], int]] = [(iter([domains]), 0)]
        while stack:
            nodes, place = stack[-1]
            node = next(nodes, None)
            if node is None:
                stack.pop()
            elif self.search(node, effort) is not None:
                while place < len(over) and not node[over[place]] & (node[over[place]] - 1):
                    place += 1
                if place == len(over):
                    yield node
                elif self._is_free(node):
                    yield from _combine(node, over[place:])
                else:
                    stack.append((self._branch(node, over[place]), place + 1))

    def _branch(self, domains: Domains, slot: int) -> Iterator[Domains]:
        for bit in split(domains[slot]):
            child = domains.copy()
            child[slot] = bit
            if self.propagate(child, (slot,)) is None:
                yield child

    def _is_free(self, domains: Domains) -> bool:
        """True if no two slots with several objects left depend on each other."""
        alive = {x for x, own in enumerate(domains) if own & (own - 1)}
        return not any(y in alive for x in alive for y in self._neighbours(domains, x))

    def harvest(self, domains: Domains, solution: Domains, found: Domains) -> None:
        """Adds to `found` every object that one slot may take while the others keep those of a solution."""
        for x, own in enumerate(domains):
            for y in self.unequal[x]:
                own &= ~solution[y]
            for y, _, backward in self.arcs[x]:
                own &= backward.get(solution[y], 0)
            if self.tables[x]:
                trial = solution.copy()
                trial[x] = own
                for scope, rows in self.tables[x]:
                    self._filter(trial, scope, rows, set())
                own = trial[x]
            found[x] |= own


def get_join(structure: RelationsIndex, query: Query, negative: tuple[tuple[str, tuple[int, ...]], ...] = ()) -> Join:
    """The join of a query's atoms and some negated ones, whatever the binding; made once per index.

    Atoms of relations that the index does not have are left out.
    """
    key = (query.variables, query.atoms, query.equal, query.unequal, negative)
    join: Join | None = structure.joins.get(key)
    if join is None:
        if len(structure.joins) >= _MOST_JOINS:
            structure.joins.clear()
        join = structure.joins[key] = Join(structure, query, negative)
    return join


def _combine(domains: Domains, slots: Sequence[int]) -> Iterator[Domains]:
    for bits in product(*(split(domains[x]) for x in slots)):
        node = domains.copy()
        for x, bit in zip(slots, bits, strict=True):
            node[x] = bit
        yield node
