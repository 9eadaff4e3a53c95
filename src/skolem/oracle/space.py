"""State spaces as compact arrays, and shortest distances in them."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from skolem.oracle.ground_task import GroundTask, Words
from skolem.support.errors import ExitCode, LimitError
from skolem.task.query import CodedAtom, Relations

Costs = npt.NDArray[np.int32]
"""One cost for every state or binding; -1 stands for unreachable and is never a cost."""
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Graph:
    """Transitions by the state they leave: those of state i are targets[starts[i]:starts[i + 1]]."""

    starts: Indices
    targets: npt.NDArray[np.int32]
    costs: npt.NDArray[np.int32] | None
    """The cost of every transition; None where all are 1."""

    def search(self, sources: Indices) -> Costs:
        """The least cost of a path from any of the sources to every state."""
        return self._search_steps(sources) if self.costs is None else self._search_costs(sources)

    def _search_steps(self, frontier: Indices) -> Costs:
        distance = np.full(len(self.starts) - 1, -1, dtype=np.int32)
        distance[frontier] = 0
        step = 0
        while len(frontier):
            step += 1
            reached = self.targets[self._edges(frontier)]
            reached = reached[distance[reached] < 0]
            distance[reached] = step
            frontier = np.flatnonzero(distance == step) if len(reached) > 1000 else np.unique(reached)
        return distance

    def _search_costs(self, sources: Indices) -> Costs:
        assert self.costs is not None
        far = np.iinfo(np.int32).max
        distance = np.full(len(self.starts) - 1, far, dtype=np.int32)
        distance[sources] = 0
        settled = np.zeros(len(distance), dtype=np.bool_)
        open_states = np.unique(sources)
        while len(open_states):
            least = distance[open_states].min()
            frontier = open_states[distance[open_states] == least]
            settled[frontier] = True
            edges = self._edges(frontier)
            targets, sums = self.targets[edges], least + self.costs[edges]
            better = sums < distance[targets]
            np.minimum.at(distance, targets[better], sums[better])
            # A zero-cost transition may reach a state of the same cost, which stays open for the next round.
            open_states = np.unique(np.concatenate([open_states, targets[better]]))
            open_states = open_states[~settled[open_states]]
        distance[distance == far] = -1
        return distance

    def _edges(self, states: Indices) -> Indices:
        counts = self.starts[states + 1] - self.starts[states]
        first = np.cumsum(counts) - counts
        return np.repeat(self.starts[states] - first, counts) + np.arange(counts.sum())


@dataclass(frozen=True, eq=False)
class Space:
    """The states reachable from a task's initial state, which is state 0."""

    atoms: tuple[CodedAtom, ...]
    """Fluent and derived ground atoms, in canonical order."""
    places: npt.NDArray[np.int64]
    """(atoms, 2): every atom's word and bit in a state."""
    states: Words
    """(words, states): which atoms hold in each state."""
    fluents: int
    """How many words are fluents; they identify a state."""
    sources: npt.NDArray[np.int32]
    targets: npt.NDArray[np.int32]
    costs: npt.NDArray[np.int32] | None
    depth: npt.NDArray[np.int32]
    """The number of steps from the initial state to every state, in the order of the states; in a ball the cost."""
    horizon: int | None
    """None for the whole space; otherwise states further than this are missing."""
    is_ball: bool = False
    """Whether depth and horizon are costs instead of steps (`skolem.oracle.ball`)."""
    is_sample: bool = False
    """Whether states are missing anywhere, so that all costs are upper bounds (`skolem.oracle.exploration`)."""

    def __len__(self) -> int:
        return len(self.depth)

    @cached_property
    def forward(self) -> Graph:
        """Transitions by the state they leave."""
        return index_edges(self.sources, self.targets, self.costs, len(self))

    @cached_property
    def backward(self) -> Graph:
        """Transitions by the state they enter, reversed."""
        return index_edges(self.targets, self.sources, self.costs, len(self))

    @cached_property
    def columns(self) -> dict[str, npt.NDArray[np.int32]]:
        """For every predicate an array that maps its arguments to the atom's place in `atoms`, or -1."""
        size = 1 + max((o for _, args in self.atoms for o in args), default=-1)
        tables: dict[str, npt.NDArray[np.int32]] = {}
        for i, (name, args) in enumerate(self.atoms):
            if name not in tables:
                tables[name] = np.full((size,) * len(args), -1, dtype=np.int32)
            tables[name][args] = i
        return tables

    def holds(self, atom: int, states: Indices | slice = slice(None)) -> npt.NDArray[np.bool_]:
        """In which of the states an atom holds."""
        word, bit = self.places[atom]
        truth: npt.NDArray[np.bool_] = (self.states[word, states] & np.uint64(1 << int(bit))) != 0
        return truth

    def relations(self, state: int, arities: dict[str, int]) -> Relations:
        """The fluent and derived relations of a state."""
        return read_relations(self.atoms, self.places, self.states[:, state], arities)

    def find(self, relations: Relations) -> int | None:
        """The number of the state with these fluent and derived relations, None where it is not in the space."""
        wanted = np.zeros(len(self.states), dtype=np.uint64)
        number = {atom: i for i, atom in enumerate(self.atoms)}
        for name in {name for name, _ in self.atoms} & set(relations):
            for row in relations[name].tolist():
                atom = number.get((name, tuple(row)))
                if atom is None:
                    return None
                word, bit = self.places[atom]
                wanted[word] |= np.uint64(1 << int(bit))
        found = np.flatnonzero((self.states[: self.fluents] == wanted[: self.fluents, None]).all(axis=0))
        return int(found[0]) if len(found) else None


def read_relations(
    atoms: Sequence[CodedAtom], places: npt.NDArray[np.int64], column: Words, arities: Mapping[str, int]
) -> Relations:
    """The relations of a state, given where each of its atoms is in it."""
    bits = (column[places[:, 0]] >> places[:, 1].astype(np.uint64)) & np.uint64(1)
    rows: dict[str, list[tuple[int, ...]]] = {name: [] for name in arities}
    for i in np.flatnonzero(bits).tolist():
        name, args = atoms[i]
        if name in rows:
            rows[name].append(args)
    return {n: np.array(rows[n], dtype=np.int32).reshape(len(rows[n]), arity) for n, arity in arities.items()}


@dataclass(frozen=True)
class SpaceLimits:
    """How far a space may be expanded."""

    states: int = 1_000_000
    seconds: float = 60.0


def expand(task: GroundTask, limits: SpaceLimits, *, partial: bool = False) -> Space:
    """All states reachable from the initial one; a LimitError at the limits, or with `partial` what fits in them."""
    for salt in range(8):
        try:
            return _Expansion(task, limits, partial, salt).run()
        except CollisionError:
            continue
    raise LimitError("states could not be told apart by their hash values")


class CollisionError(Exception):
    """Two different states have the same key."""


class StateTable:
    """The states of a task that were found so far, numbered in that order; the initial state is number 0."""

    def __init__(self, task: GroundTask, salt: int) -> None:
        self.task = task
        self._salt = salt
        rng = np.random.default_rng(salt)
        self._factors = rng.integers(0, 2**63, size=task.fluents, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        initial = task.initial[:, None].copy()
        task.derive(initial)
        self.parts = [initial]
        """The states in the order of their numbers: those that were found at once are one array."""
        self.count = 1
        self._known = self._hash(initial)
        self._numbers = np.zeros(1, dtype=np.int64)

    def number(self, rows: Words, most: int) -> npt.NDArray[np.int32]:
        """The number of every row's state; those that are new become the last part, unless they are too many."""
        keys, index, inverse = np.unique(self._hash(rows), return_index=True, return_inverse=True)
        distinct = rows[:, index]
        if self.task.fluents > 1 and (distinct[:, inverse] != rows).any():
            raise CollisionError
        place = np.searchsorted(self._known, keys)
        known = np.zeros(len(keys), dtype=np.bool_)
        inside = place < len(self._known)
        known[inside] = self._known[place[inside]] == keys[inside]
        numbers = np.empty(len(keys), dtype=np.int64)
        numbers[known] = self._numbers[place[known]]
        if self.task.fluents > 1 and not self._are_states(numbers[known], distinct[:, known]):
            raise CollisionError
        fresh = distinct[:, ~known]
        if self.count + fresh.shape[1] > most:
            raise LimitError(f"the state space has more than {most} states", ExitCode.SEARCH_OUT_OF_MEMORY)
        numbers[~known] = self.count + np.arange(fresh.shape[1])
        self._known = np.insert(self._known, place[~known], keys[~known])
        self._numbers = np.insert(self._numbers, place[~known], numbers[~known])
        states = np.zeros((self.task.words, fresh.shape[1]), dtype=np.uint64)
        states[: self.task.fluents] = fresh
        self.task.derive(states)
        self.parts.append(states)
        self.count += fresh.shape[1]
        return numbers[inverse].astype(np.int32)

    def _are_states(self, numbers: npt.NDArray[np.int64], rows: Words) -> bool:
        """Whether the rows are the states with these numbers."""
        ends = np.cumsum([part.shape[1] for part in self.parts])
        home = np.searchsorted(ends, numbers, side="right")
        for i in np.unique(home):
            inside = home == i
            part = self.parts[i][: self.task.fluents]
            if (part[:, numbers[inside] - ends[i] + part.shape[1]] != rows[:, inside]).any():
                return False
        return True

    def _hash(self, rows: Words) -> Words:
        """One word for every state: the state itself where it has one word only."""
        if self.task.fluents == 1:
            return np.array(rows[0])
        keys = np.zeros(rows.shape[1], dtype=np.uint64)
        for factor, row in zip(self._factors, rows, strict=False):
            # No factor spreads a difference in the highest bit; that of a first attempt is not worth another pass.
            spread = row ^ (row >> np.uint64(32)) if self._salt else row
            keys = (keys ^ spread) * factor
            keys ^= keys >> np.uint64(29)
        return keys


Edges = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]
"""Transitions: the states they leave, the states they enter, and their costs."""


def list_successors(
    table: StateTable, states: Words, numbers: Indices, limits: SpaceLimits, deadline: float, most: int
) -> Edges:
    """The transitions of some states of the table, which gets the new ones; at most so many, else a LimitError."""
    task = table.task
    parts, sources, costs = [], [], []
    size = 0
    for action in task.actions:
        applicable = np.flatnonzero(action.condition.holds(states))
        if not len(applicable):
            continue
        parts.append(action.apply(states[:, applicable])[: task.fluents])
        sources.append(numbers[applicable].astype(np.int32))
        costs.append(np.full(len(applicable), action.cost, dtype=np.int32))
        size += len(applicable)
        if time.monotonic() > deadline:
            raise LimitError(f"the state space was not expanded in {limits.seconds:g} s")
        if size > most:
            message = f"the state space of at most {limits.states} states has too many transitions"
            raise LimitError(message, ExitCode.SEARCH_OUT_OF_MEMORY)
    if not parts:
        return NONE, NONE, NONE
    targets = table.number(np.concatenate(parts, axis=1), limits.states)
    return np.concatenate(sources), targets, np.concatenate(costs)


class _Expansion:
    """Breadth-first expansion of whole layers at a time."""

    def __init__(self, task: GroundTask, limits: SpaceLimits, partial: bool, salt: int) -> None:
        self.task = task
        self.limits = limits
        self.partial = partial
        self._table = StateTable(task, salt)
        self._deadline = time.monotonic() + limits.seconds

    def run(self) -> Space:
        table, horizon = self._table, None
        sizes, edges = [1], []
        # Few successors are new states, but memory is bounded only by all of them.
        most = (4 if self.partial else 40) * self.limits.states
        while sizes[-1]:
            before = table.count
            numbers = np.arange(before - sizes[-1], before)
            try:
                edges.append(list_successors(table, table.parts[-1], numbers, self.limits, self._deadline, most))
            except LimitError:
                if not self.partial:
                    raise
                horizon = len(sizes) - 1
                break
            sizes.append(table.count - before)
        sources, targets, costs = (np.concatenate([e[i] for e in edges] or [NONE]) for i in range(3))
        return Space(
            atoms=tuple(self.task.atoms),
            places=list_places(self.task),
            states=np.concatenate(table.parts, axis=1),
            fluents=self.task.fluents,
            sources=sources,
            targets=targets,
            costs=None if self.task.unit_costs else costs,
            depth=np.repeat(np.arange(len(sizes), dtype=np.int32), sizes),
            horizon=horizon,
        )


def list_places(task: GroundTask) -> npt.NDArray[np.int64]:
    """(atoms, 2): the word and bit of every atom of a task in its states."""
    return np.array([task.atoms[a] for a in task.atoms], dtype=np.int64).reshape(-1, 2)


NONE = np.zeros(0, dtype=np.int32)


def find_rows(table: StateTable, numbers: Indices) -> Words:
    """The states of a table with these numbers, which ascend."""
    ends = np.cumsum([part.shape[1] for part in table.parts])
    home = np.searchsorted(ends, numbers, side="right")
    parts = [table.parts[i][:, numbers[home == i] - (ends[i] - table.parts[i].shape[1])] for i in np.unique(home)]
    return np.concatenate(parts, axis=1)


def index_edges(
    sources: npt.NDArray[np.int32],
    targets: npt.NDArray[np.int32],
    costs: npt.NDArray[np.int32] | None,
    size: int,
) -> Graph:
    """Transitions by the state they leave."""
    order = np.argsort(sources, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=size))])
    return Graph(starts, targets[order], None if costs is None else costs[order])
