"""Ground tasks over bits: states as columns of words, conditions and effects evaluated for many states at once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from skolem.task.query import CodedAtom

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Condition:
    """Bits that must be set and bits that must not, choices of which one must hold, and what must not hold."""

    positive: int = 0
    negative: int = 0
    choices: tuple[tuple["Condition", ...], ...] = ()
    exceptions: tuple["Condition", ...] = ()

    @cached_property
    def _words(self) -> tuple[tuple[int, np.uint64, np.uint64], ...]:
        """Every word that matters, the bits of it that do, and what they must be."""
        words = []
        for i in range(-(-(self.positive | self.negative).bit_length() // 64)):
            positive, negative = (mask >> 64 * i & (1 << 64) - 1 for mask in (self.positive, self.negative))
            if positive | negative:
                words.append((i, np.uint64(positive | negative), np.uint64(positive)))
        return tuple(words)

    def holds(self, states: Words) -> npt.NDArray[np.bool_]:
        """Which of the states (columns) satisfy the condition."""
        result = np.ones(states.shape[1], dtype=np.bool_)
        for word, mask, wanted in self._words:
            result &= (states[word] & mask) == wanted
        for choice in self.choices:
            some = np.zeros(states.shape[1], dtype=np.bool_)
            for part in choice:
                some |= part.holds(states)
            result &= some
        for part in self.exceptions:
            result &= ~part.holds(states)
        return result


TRUE = Condition()
FALSE = Condition(choices=((),))


def conjoin(conditions: Iterable[Condition]) -> Condition:
    """All of some conditions."""
    positive = negative = 0
    choices: dict[tuple[Condition, ...], None] = {}
    exceptions: dict[Condition, None] = {}
    for condition in conditions:
        positive |= condition.positive
        negative |= condition.negative
        choices.update(dict.fromkeys(condition.choices))
        exceptions.update(dict.fromkeys(condition.exceptions))
        if positive & negative or () in choices:
            return FALSE
    return Condition(positive, negative, tuple(choices), tuple(exceptions))


def disjoin(conditions: Iterable[Condition]) -> Condition:
    """One of some conditions."""
    parts: dict[Condition, None] = {}
    for condition in conditions:
        if condition == TRUE:
            return TRUE
        if condition != FALSE:
            parts[condition] = None
    return next(iter(parts)) if len(parts) == 1 else Condition(choices=(tuple(parts),))


def negate(condition: Condition) -> Condition:
    """What holds where a condition does not; literals stay literals."""
    mask = condition.positive | condition.negative
    if mask.bit_count() == 1 and not (condition.choices or condition.exceptions):
        return Condition(condition.negative, condition.positive)
    if len(condition.choices) == 1 and not (mask or condition.exceptions):
        return conjoin(map(negate, condition.choices[0]))
    return FALSE if condition == TRUE else Condition(exceptions=(condition,))


@dataclass(frozen=True)
class GroundEffect:
    """A conditional effect: where its condition holds, atoms are deleted, then atoms are added."""

    condition: Condition
    add: Words
    delete: Words


@dataclass(frozen=True)
class GroundAction:
    """An action with its objects filled in."""

    condition: Condition
    effects: tuple[GroundEffect, ...]
    cost: int

    def apply(self, states: Words) -> Words:
        """The states (columns) after the action, which must be applicable; all conditions are read before."""
        after = states.copy()
        fired = [(e, None if e.condition == TRUE else e.condition.holds(states)) for e in self.effects]
        for effect, where in fired:
            for word in np.flatnonzero(effect.delete):
                gone = effect.delete[word]
                after[word] &= ~(gone if where is None else where * gone)
        for effect, where in fired:
            for word in np.flatnonzero(effect.add):
                new = effect.add[word]
                after[word] |= new if where is None else where * new
        return after


@dataclass(frozen=True)
class GroundAxiom:
    """A rule that makes a derived atom, given by word and bit, true."""

    condition: Condition
    word: int
    bit: np.uint64


@dataclass(frozen=True)
class GroundTask:
    """Atoms in a canonical order, the first `fluents` words for fluents and the rest for derived atoms."""

    atoms: Mapping[CodedAtom, tuple[int, int]]
    """Every ground atom's word and bit."""
    fluents: int
    words: int
    actions: tuple[GroundAction, ...]
    layers: tuple[tuple[GroundAxiom, ...], ...]
    initial: Words
    unit_costs: bool

    def derive(self, states: Words) -> None:
        """Fills in the derived atoms of the states (columns)."""
        states[self.fluents :] = 0
        for axioms in self.layers:
            changed = True
            while changed:
                before = states[self.fluents :].copy()
                for axiom in axioms:
                    states[axiom.word, axiom.condition.holds(states)] |= axiom.bit
                changed = bool((states[self.fluents :] != before).any())
