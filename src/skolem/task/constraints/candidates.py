"""The objects that the static part of a goal allows its variables (numpy alone).

Everywhere `statics` are the relations that no action changes, types included as `type:T`; atoms of other
relations are left out. Pass a `RelationsIndex` to have the relations prepared only once for all goals of a task.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random

import numpy as np
import numpy.typing as npt

from skolem.support.errors import LimitError
from skolem.task.constraints.bitsets import split, unpack
from skolem.task.constraints.relations_index import index_relations
from skolem.task.constraints.solver import Domains, Effort, Join, get_join
from skolem.task.query import Query, Relations

EFFORT = 20_000
"""Search steps, a few seconds at most: only goals as hard as large graph colourings need more."""

_DRAWS = 1_000
_MOST_LISTED = 10_000


@dataclass(frozen=True)
class Validity:
    """The objects each variable has in some statically valid binding, and one such binding.

    `complete` is False if the effort ran out: then objects may be kept that no valid binding has.
    """

    candidates: npt.NDArray[np.bool_]
    solution: tuple[int, ...] | None
    complete: bool

    @property
    def unsolvable(self) -> bool:
        """True if it is proven that no valid binding exists."""
        return self.complete and self.solution is None


def find_candidates(query: Query, statics: Relations, objects: int) -> npt.NDArray[np.bool_]:
    """The objects that arc consistency leaves each variable, as (variables, objects); all False if one has none.

    >>> statics = {"red": np.array([[0], [1]]), "blue": np.array([[2]])}
    >>> query = Query(2, (("red", (~0,)), ("red", (~1,)), ("on", (~0, ~1))), unequal=((~0, ~1),))
    >>> find_candidates(query.bind(0, 1), statics, 3).astype(int).tolist()
    [[0, 1, 0], [1, 0, 0]]
    """
    join = _join(query, statics, objects)
    domains = join.restrict(query.binding)
    return _tabulate(join, domains, objects)


def find_valid_candidates(query: Query, statics: Relations, objects: int, effort: int = EFFORT) -> Validity:
    """The objects of each variable with which the rest of the static goal still has a solution."""
    join = _join(query, statics, objects)
    domains = join.restrict(query.binding)
    solution: Domains | None = None
    budget, complete = Effort(effort), True
    if domains is not None:
        try:
            solution = join.search(domains, budget)
            if solution is None:
                domains = None
            else:
                _prune(join, domains, solution, budget)
        except LimitError:
            complete = False
    objects_of = None if solution is None else join.complete(solution)
    return Validity(_tabulate(join, domains, objects), objects_of, complete)


def _prune(join: Join, domains: Domains, solution: Domains, effort: Effort) -> None:
    """Takes the objects that no solution has out of the domains."""
    found = [0] * len(domains)
    join.harvest(domains, solution, found)
    for slot in range(len(domains)):
        if domains[slot] & ~found[slot] and join.is_decided(domains, slot):
            continue
        while missing := domains[slot] & ~found[slot]:
            effort.spend(join.cost)
            bit = missing & -missing
            trial = domains.copy()
            trial[slot] = bit
            other = join.search(trial, effort) if join.propagate(trial, (slot,)) is None else None
            if other is None:
                domains[slot] ^= bit
                join.propagate(domains, (slot,))
            else:
                join.harvest(domains, other, found)


def solve_static(query: Query, statics: Relations, objects: int, effort: int = EFFORT) -> tuple[int, ...] | None:
    """A statically valid binding, or None if there is none; a LimitError if the effort does not decide it."""
    join = _join(query, statics, objects)
    domains = join.restrict(query.binding)
    solution = None if domains is None else join.search(domains, Effort(effort))
    return None if solution is None else join.complete(solution)


def iterate_valid(query: Query, statics: Relations, objects: int, effort: int = EFFORT) -> Iterator[tuple[int, ...]]:
    """All statically valid bindings in lexicographic order, found as they are asked for.

    A LimitError if the search between two of them takes more than the effort.
    """
    join = _join(query, statics, objects)
    domains = join.restrict(query.binding)
    if domains is not None:
        budget = Effort(effort)
        for solution in join.iterate(domains, range(len(domains)), budget):
            yield join.complete(solution)
            budget.left = effort


def sample_valid(
    query: Query, statics: Relations, objects: int, rng: Random, effort: int = EFFORT
) -> tuple[int, ...] | None:
    """A random statically valid binding, or None if there is none; a LimitError if the effort does not decide it.

    It is drawn uniformly, unless there are more than 10,000 valid bindings and 1,000 draws all miss them:
    then it comes from a search that tries objects in random order, which may prefer some bindings.
    """
    join = _join(query, statics, objects)
    domains = join.restrict(query.binding)
    budget = Effort(effort)
    if domains is None or join.search(domains, budget) is None:
        return None
    order = _order(join, domains)
    for _ in range(_DRAWS):
        drawn = _draw(join, domains, order, rng)
        if drawn is not None:
            return join.complete(drawn)
    listed = list(islice(join.iterate(domains, range(len(domains)), budget), _MOST_LISTED + 1))
    if len(listed) <= _MOST_LISTED:
        return join.complete(rng.choice(listed))
    found = join.search(domains, budget, pick=lambda mask: rng.choice(split(mask)))
    return None if found is None else join.complete(found)


def _order(join: Join, domains: Domains) -> list[tuple[int, int]]:
    """The open slots, each with a number of objects that it never exceeds once those before it have theirs."""
    most: dict[int, int] = {}
    order: list[tuple[int, int]] = []
    waiting = sorted((x for x, own in enumerate(domains) if own & (own - 1)), key=lambda x: domains[x].bit_count())
    for start in waiting:
        queue = [start] if start not in most else []
        most.setdefault(start, domains[start].bit_count())
        for x in queue:
            order.append((x, most[x]))
            for y, forward, _ in join.arcs[x]:
                if domains[y] & (domains[y] - 1):
                    reach = max((forward.get(bit, 0) & domains[y]).bit_count() for bit in split(domains[x]))
                    if y not in most:
                        most[y] = min(reach, domains[y].bit_count())
                        queue.append(y)
    return order


def _draw(join: Join, domains: Domains, order: list[tuple[int, int]], rng: Random) -> Domains | None:
    """A random solution or None; rejection makes all solutions equally likely.

    A solution is reached with probability 1 / (product of the numbers of objects met) and kept with probability
    (that product) / (product of the largest such numbers), so that its own numbers cancel out.
    """
    domains = domains.copy()
    keep = 1.0
    for slot, most in order:
        bits = split(domains[slot])
        keep *= len(bits) / most
        domains[slot] = rng.choice(bits)
        if join.propagate(domains, (slot,)) is not None:
            return None
    return domains if rng.random() < keep else None


def _join(query: Query, statics: Relations, objects: int) -> Join:
    """The join of the goal's static literals; denied atoms of too many tuples are left out."""
    index = index_relations(statics, objects)
    return get_join(index, query, tuple(atom for atom in query.denied if index.can_deny(atom[1])))


def _tabulate(join: Join, domains: Domains | None, objects: int) -> npt.NDArray[np.bool_]:
    if domains is None:
        return np.zeros((len(join.home), objects), dtype=np.bool_)
    return unpack([domains[slot] for slot in join.home], objects)
