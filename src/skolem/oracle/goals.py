"""Goals over all states of a space at once, by joins of bit columns, and the costs of reaching them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from skolem.oracle.space import Costs, Indices, Space
from skolem.support.errors import ExitCode, LimitError
from skolem.task.query import Query, Relations

Bits = npt.NDArray[np.uint64]


def find_costs(space: Space, statics: Relations, objects: int, query: Query) -> Costs:
    """V* of the goal from every state of the space, -1 where it is unreachable; by one backward search."""
    return space.backward.search(np.flatnonzero(find_goal_states(space, statics, objects, query)))


def find_cost(space: Space, state: int, statics: Relations, objects: int, query: Query) -> int | None:
    """V* of the goal from one state, None where it is unreachable; nearer states are looked at first."""
    distance = space.forward.search(np.array([state]))
    reached = np.flatnonzero(distance >= 0)
    order = reached[np.argsort(distance[reached], kind="stable")]
    start, size = 0, 64 * 64
    while start < len(order):
        states = order[start : start + size]
        hits = np.flatnonzero(find_goal_states(space, statics, objects, query, states))
        if len(hits):
            return int(distance[states[hits[0]]])
        start, size = start + size, 2 * size
    return None


def find_goal_states(
    space: Space, statics: Relations, objects: int, query: Query, states: Indices | None = None
) -> npt.NDArray[np.bool_]:
    """In which of the states (by default all) the goal holds; variables are eliminated one by one."""
    if states is None:
        states = np.arange(len(space))
    factors = _read_factors(space, statics, objects, query)
    result = np.zeros(len(states), dtype=np.bool_)
    start, step = 0, 64 * 4096
    while start < len(states):
        part = states[start : start + step]
        try:
            truth = _eliminate([f.read(space, part) for f in factors], objects, query, words=-(-len(part) // 64))
        except LimitError:
            # Fewer states at a time leave room for more bindings.
            if step == 64:
                raise
            step //= 8
            continue
        result[start : start + step] = np.unpackbits(truth.view(np.uint8), bitorder="little")[: len(part)] != 0
        start += step
    return result


@dataclass(frozen=True)
class _Factor:
    """Rows over some variables, and for each the states in which it is allowed (None: in all).

    `denied`: a row is allowed where its column does not hold; column -1 holds nowhere.
    """

    variables: tuple[int, ...]
    rows: npt.NDArray[np.int32]
    columns: npt.NDArray[np.int32] | None = None
    bits: Bits | None = None
    denied: bool = False

    def read(self, space: Space, states: Indices) -> "_Factor":
        """The factor with its columns read for a range of states; rows that hold in none are dropped."""
        if self.columns is None:
            return self
        words = -(-len(states) // 64)
        bits = np.zeros((len(self.rows), words), dtype=np.uint64)
        window = space.states[:, states]
        for i, column in enumerate(self.columns):
            truth = np.zeros(len(states), dtype=np.bool_)
            if column >= 0:
                word, bit = space.places[column]
                truth = (window[word] & np.uint64(1 << int(bit))) != 0
            bits[i] = pack_bits(truth != self.denied)
        some = bits.any(axis=1)
        return _Factor(self.variables, self.rows[some], None, bits[some])


def _read_factors(space: Space, statics: Relations, objects: int, query: Query) -> list[_Factor]:
    """One factor per goal literal and (in)equality, with its bound variables filled in."""
    factors = []
    for name, arguments in query.atoms:
        args = [query.resolve(a) for a in arguments]
        if name in statics:
            rows, columns = statics[name], None
        else:
            found = [(i, a) for i, (n, a) in enumerate(space.atoms) if n == name]
            rows = np.array([a for _, a in found], dtype=np.int32).reshape(len(found), len(args))
            columns = np.array([i for i, _ in found], dtype=np.int32)
        factors.append(_select(args, rows, columns))
    for name, arguments in query.denied:
        args = [query.resolve(a) for a in arguments]
        rows = np.indices((objects,) * len(args)).reshape(len(args), objects ** len(args)).T.astype(np.int32)
        if name in statics:
            facts = encode_rows(list(statics[name].T), objects, len(statics[name]))
            rows = rows[~np.isin(encode_rows(list(rows.T), objects, len(rows)), facts)]
            factors.append(_select(args, rows, None))
        else:
            number = {a: i for i, (n, a) in enumerate(space.atoms) if n == name}
            columns = np.array([number.get(tuple(row), -1) for row in rows.tolist()], dtype=np.int32)
            factors.append(replace(_select(args, rows, columns), denied=True))
    pairs = np.indices((objects, objects)).reshape(2, -1).T.astype(np.int32)
    same = pairs[:, 0] == pairs[:, 1]
    for equal, conditions in ((True, query.equal), (False, query.unequal)):
        for a, b in conditions:
            factors.append(_select([query.resolve(a), query.resolve(b)], pairs[same == equal], None))
    return factors


def _select(args: Sequence[int], rows: npt.NDArray[np.int32], columns: npt.NDArray[np.int32] | None) -> _Factor:
    """The rows that agree with the constants and repeated variables of the arguments, one column per variable."""
    keep = np.ones(len(rows), dtype=np.bool_)
    first: dict[int, int] = {}
    for i, a in enumerate(args):
        if a >= 0:
            keep &= rows[:, i] == a
        elif a in first:
            keep &= rows[:, i] == rows[:, first[a]]
        else:
            first[a] = i
    variables = tuple(~a for a in first)
    return _Factor(variables, rows[keep][:, list(first.values())], None if columns is None else columns[keep])


def _eliminate(factors: list[_Factor], objects: int, query: Query, words: int) -> Bits:
    """In which states, as bits in so many words, all factors have a common solution."""
    for variable in query.unbound:
        if not any(variable in f.variables for f in factors):
            factors.append(_Factor((variable,), np.arange(objects, dtype=np.int32)[:, None]))
    remaining = set(query.unbound)
    while remaining:
        scopes = {v: {w for f in factors if v in f.variables for w in f.variables} for v in remaining}
        variable = min(remaining, key=lambda v: (len(scopes[v]), v))
        remaining.remove(variable)
        touched = sorted(
            (f for f in factors if variable in f.variables), key=lambda f: (f.bits is not None, len(f.rows))
        )
        factors = [f for f in factors if variable not in f.variables]
        joined = touched[0]
        for factor in touched[1:]:
            joined = _join(joined, factor, objects)
        factors.append(_project(joined, variable, objects))
    truth = np.full(words, np.iinfo(np.uint64).max, dtype=np.uint64)
    for factor in factors:
        if not len(factor.rows):
            return np.zeros(words, dtype=np.uint64)
        if factor.bits is not None:
            truth = truth & factor.bits[0]
    return truth


def _join(left: _Factor, right: _Factor, objects: int) -> _Factor:
    """The rows that agree on their common variables."""
    shared = [v for v in left.variables if v in right.variables]
    extra = [i for i, v in enumerate(right.variables) if v not in shared]
    keys_left = encode_rows([left.rows[:, left.variables.index(v)] for v in shared], objects, len(left.rows))
    keys_right = encode_rows([right.rows[:, right.variables.index(v)] for v in shared], objects, len(right.rows))
    order = np.argsort(keys_right, kind="stable")
    low = np.searchsorted(keys_right[order], keys_left, side="left")
    counts = np.searchsorted(keys_right[order], keys_left, side="right") - low
    a = np.repeat(np.arange(len(left.rows)), counts)
    b = order[np.repeat(low - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())]
    words = next((f.bits.shape[1] for f in (left, right) if f.bits is not None), 0)
    if len(a) * max(1, words) > 1 << 27:
        raise LimitError("the goal joins too many bindings at once", ExitCode.SEARCH_OUT_OF_MEMORY)
    rows = np.column_stack([left.rows[a], right.rows[b][:, extra]])
    variables = (*left.variables, *(right.variables[i] for i in extra))
    if left.bits is None or right.bits is None:
        bits = left.bits[a] if left.bits is not None else right.bits[b] if right.bits is not None else None
        return _Factor(variables, rows, None, bits)
    bits = left.bits[a] & right.bits[b]
    some = bits.any(axis=1)
    return _Factor(variables, rows[some], None, bits[some])


def _project(factor: _Factor, variable: int, objects: int) -> _Factor:
    """The factor without the variable: a row is allowed where it is with any value."""
    at = [i for i, v in enumerate(factor.variables) if v != variable]
    variables = tuple(factor.variables[i] for i in at)
    keys, first, inverse = np.unique(
        encode_rows([factor.rows[:, i] for i in at], objects, len(factor.rows)), return_index=True, return_inverse=True
    )
    rows = factor.rows[first][:, at]
    if factor.bits is None:
        return _Factor(variables, rows)
    order = np.argsort(inverse, kind="stable")
    starts = np.searchsorted(inverse[order], np.arange(len(keys)))
    bits = np.bitwise_or.reduceat(factor.bits[order], starts, axis=0) if len(keys) else factor.bits
    return _Factor(variables, rows, None, bits)


def encode_rows(columns: Sequence[npt.NDArray[np.int32]], base: int, size: int) -> npt.NDArray[np.int64]:
    """One number for every row of the columns."""
    keys = np.zeros(size, dtype=np.int64)
    for column in columns:
        keys = keys * base + column
    return keys


def pack_bits(truth: npt.NDArray[np.bool_]) -> Bits:
    """Truth values as words of 64 bits, the first value lowest."""
    words = np.zeros(-(-len(truth) // 64), dtype=np.uint64)
    packed = np.packbits(truth, bitorder="little")
    words.view(np.uint8)[: len(packed)] = packed
    return words
