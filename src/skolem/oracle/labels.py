"""Labelled goals from one state: the root, partly bound goals along good and random choices, and their siblings."""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from math import inf
from random import Random

import numpy as np
import numpy.typing as npt

from skolem.oracle.bindings import Bindings, View, find_columns, list_valid
from skolem.oracle.dataset import ShardBuilder
from skolem.oracle.space import Costs
from skolem.task.query import Query, Relations

_UNREACHABLE = np.iinfo(np.int32).max
_UNKNOWN = _UNREACHABLE - 1

BindingChoice = tuple[int, int]
"""A variable and the object it is bound to next."""


@dataclass(frozen=True)
class Mix:
    """What the labelled goals are made of."""

    group: int = 16
    """The most pairs of one sibling group."""
    useless: float = 0.3
    """The share of a group that unreachable siblings may take, statically invalid ones included."""
    good: float = 0.5
    """How often a walk binds the best pair; otherwise it binds a random reachable one."""
    bad: float = 0.1
    """How often a walk binds an unreachable pair, and ends after it."""
    solved: float = 0.1
    """How often a root goal that already holds is kept."""
    colourings: int = 4
    """How many colourings every layout of a family gets."""
    states: int = 4
    """How many states of a layout goals are seen from: the initial one and others."""
    goals: int = 8
    """How many goals are drawn for every colouring."""
    most_bindings: int = 20_000
    """Root goals with more valid bindings are not labelled."""
    unbound: int = 4
    """The most unbound variables of a labelled goal."""
    repeated: bool = False
    """Whether a group of unreachable siblings always has an object of another variable, which must differ."""
    bounds: int = 0
    """The most siblings of a group of which only a lower bound of their cost is known."""
    named: int = 0
    """How many variables more a family's root goals may have, which are bound before a goal is labelled."""
    walks: bool = True
    """Whether walks bind the variables, with siblings of every step; otherwise a goal has one pair, with a random
    number of its variables bound to random objects."""


class BindingCosts:
    """The costs of all valid complete bindings of a root goal from one state."""

    def __init__(self, view: View, statics: Relations, objects: int, query: Query, most_bindings: int) -> None:
        self.objects = objects
        self.statics = statics
        self.query = query
        self.bindings: Bindings = list_valid(statics, objects, query, most_bindings)
        self._look(view)

    def see_from(self, view: View) -> "BindingCosts":
        """The same goal's costs from another view."""
        other = copy(self)
        other._look(view)
        return other

    def _look(self, view: View) -> None:
        self.bound = view.bound
        """What bindings of unknown cost cost at least."""
        columns = find_columns(view.space, self.statics, self.query, self.bindings)
        self.costs: Costs = view.find_costs(columns)
        self._keys = np.where(self.costs >= 0, self.costs, np.where(self.costs == -1, _UNREACHABLE, _UNKNOWN))

    @property
    def best(self) -> int | None:
        """V* of the root goal; None where it is unreachable or not known."""
        least = self._keys.min(initial=_UNREACHABLE)
        return int(least) if least < _UNKNOWN else None

    def list_known(self) -> Iterator[tuple[list[int], int | None]]:
        """The complete bindings of known cost; None is unreachable."""
        for binding, cost in zip(self.bindings.tolist(), self.costs.tolist(), strict=True):
            if cost > -2:
                yield binding, None if cost < 0 else cost

    def tabulate(self, binding: tuple[int, ...]) -> "Siblings":
        """The costs of binding one more variable."""
        bound = [(v, o) for v, o in enumerate(binding) if o >= 0]
        keep = np.ones(len(self.bindings), dtype=np.bool_)
        for variable, obj in bound:
            keep &= self.bindings[:, variable] == obj
        table = np.full((len(binding), self.objects), _UNREACHABLE, dtype=np.int32)
        valid = np.zeros(table.shape, dtype=np.bool_)
        for variable, obj in enumerate(binding):
            if obj < 0:
                values = self.bindings[keep, variable]
                np.minimum.at(table[variable], values, self._keys[keep])
                valid[variable, values] = True
        unbound = np.array([o < 0 for o in binding])[:, None] & np.ones(self.objects, dtype=np.bool_)
        return Siblings(table, valid, unbound)


@dataclass(frozen=True)
class Siblings:
    """Every pair (variable, object) that may be bound next, with its cost and whether it can still be valid."""

    table: npt.NDArray[np.int32]
    valid: npt.NDArray[np.bool_]
    unbound: npt.NDArray[np.bool_]

    def cost(self, choice: BindingChoice) -> int | None:
        """V* after the choice; None where it is unreachable."""
        key = int(self.table[choice])
        return None if key == _UNREACHABLE else key

    def list(self, where: npt.NDArray[np.bool_]) -> list[BindingChoice]:
        """The pairs of unbound variables where the mask holds."""
        return [(int(v), int(o)) for v, o in np.argwhere(where & self.unbound)]

    @property
    def reachable(self) -> npt.NDArray[np.bool_]:
        """The pairs of known cost."""
        return np.less(self.table, _UNKNOWN)

    @property
    def unknown(self) -> npt.NDArray[np.bool_]:
        """The pairs of which only a lower bound of their cost is known."""
        return np.equal(self.table, _UNKNOWN)

    @property
    def unreachable(self) -> npt.NDArray[np.bool_]:
        """The pairs known to be unreachable."""
        return np.equal(self.table, _UNREACHABLE)


def label_root(
    builder: ShardBuilder,
    rng: Random,
    mix: Mix,
    query: Query,
    costs: BindingCosts,
    goal: int,
    state: int,
    most_unbound: float = inf,
) -> int:
    """Adds the root goal's cost and a walk of sibling groups from it; the number of the root node.

    With a limit of unbound variables, only goals within it get their costs added. Without walks there is one pair.
    """
    binding = query.binding
    root = node = builder.add_node(goal, state, binding)
    if not mix.walks:
        chosen = rng.sample(query.unbound, rng.randint(0, len(query.unbound)))
        *before, last = [(variable, rng.randrange(costs.objects)) for variable in chosen] or [(-1, -1)]
        for variable, obj in before:
            binding = (*binding[:variable], obj, *binding[variable + 1 :])
        cost = costs.tabulate(binding).cost(last) if chosen else costs.best
        builder.add_pair(builder.add_node(goal, state, binding) if before else root, *last, cost)
        return root
    if (not (costs.costs == -2).any() or costs.best is not None) and binding.count(-1) <= most_unbound:
        builder.add_pair(node, -1, -1, costs.best)
    while -1 in binding:
        siblings = costs.tabulate(binding)
        # A sibling has one unbound variable less than the node.
        if binding.count(-1) <= most_unbound + 1:
            taken = frozenset(binding) if query.unequal and mix.repeated else frozenset[int]()
            for choice in choose_group(rng, mix, siblings, full=rng.random() < 0.5, taken=taken):
                builder.add_pair(node, *choice, siblings.cost(choice))
            if mix.bounds and costs.bound:
                unknown = siblings.list(siblings.unknown)
                for choice in sorted(rng.sample(unknown, min(len(unknown), mix.bounds))):
                    builder.add_pair(node, *choice, costs.bound, bound=True)
        following = choose_next(rng, mix, siblings, binding)
        if following is None:
            break
        variable, obj = following
        binding = (*binding[:variable], obj, *binding[variable + 1 :])
        if -1 in binding:
            node = builder.add_node(goal, state, binding)
    return root


def choose_group(
    rng: Random, mix: Mix, siblings: Siblings, *, full: bool, taken: frozenset[int] = frozenset()
) -> list[BindingChoice]:
    """Pairs of all unbound variables, or of one of them, always with the best; sorted.

    One of the pairs that are not valid has an object that is taken, if there are such pairs.
    """
    where = siblings.unbound.copy()
    if not full:
        variable = rng.choice(np.flatnonzero(siblings.unbound[:, 0]).tolist())
        where[np.arange(len(where)) != variable] = False
    reachable = siblings.list(where & siblings.reachable)
    useless = siblings.list(where & siblings.unreachable & siblings.valid)
    invalid = siblings.list(where & siblings.unreachable & ~siblings.valid)
    group = []
    if reachable:
        best = min(int(siblings.table[c]) for c in reachable)
        group.append(rng.choice([c for c in reachable if siblings.table[c] == best]))
        reachable.remove(group[0])
    # Unreachable siblings are many and easy: they may not crowd out the ones that the policy has to compare.
    most = max(2, round(mix.useless * min(mix.group, 2 * len(group + reachable))))
    spoiled = rng.sample(useless, min(len(useless), most - most // 2))
    repeated = [choice for choice in invalid if choice[1] in taken]
    if repeated:
        spoiled.append(rng.choice(repeated))
        invalid.remove(spoiled[-1])
    spoiled += rng.sample(invalid, max(0, min(len(invalid), most - len(spoiled))))
    group += rng.sample(reachable, min(len(reachable), mix.group - len(group) - len(spoiled)))
    return sorted(group + spoiled)


def choose_next(rng: Random, mix: Mix, siblings: Siblings, binding: tuple[int, ...]) -> BindingChoice | None:
    """The pair that the walk binds; None where it ends."""
    reachable = siblings.list(siblings.reachable)
    if not reachable:
        return None
    unreachable = siblings.list(siblings.unreachable)
    if unreachable and rng.random() < mix.bad:
        repeated = [c for c in unreachable if c[1] in binding]
        return rng.choice(repeated if repeated and rng.random() < 0.5 else unreachable)
    if rng.random() < mix.good:
        best = min(int(siblings.table[c]) for c in reachable)
        reachable = [c for c in reachable if siblings.table[c] == best]
    return rng.choice(reachable)
