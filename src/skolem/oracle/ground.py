"""A task's ground actions and axioms as bit masks over its ground atoms, by pymimir's grounder."""

import ctypes
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from pymimir.advanced.search import LiftedGrounder

from skolem.pddl.mimir import load_problem, mimir_name
from skolem.support.errors import UnsupportedError
from skolem.task.model import Task
from skolem.task.query import CodedAtom

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Condition:
    """Atoms that must hold and atoms that must not, as (word, mask) pairs."""

    positive: tuple[tuple[int, np.uint64], ...]
    negative: tuple[tuple[int, np.uint64], ...]

    def holds(self, states: Words) -> npt.NDArray[np.bool_]:
        """Which of the states (columns) satisfy the condition."""
        result = np.ones(states.shape[1], dtype=np.bool_)
        for word, mask in self.positive:
            result &= (states[word] & mask) == mask
        for word, mask in self.negative:
            result &= (states[word] & mask) == 0
        return result


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
    strata: tuple[tuple[GroundAxiom, ...], ...]
    initial: Words
    unit_costs: bool

    def derive(self, states: Words) -> None:
        """Fills in the derived atoms of the states (columns)."""
        states[self.fluents :] = 0
        for axioms in self.strata:
            changed = True
            while changed:
                before = states[self.fluents :].copy()
                for axiom in axioms:
                    states[axiom.word, axiom.condition.holds(states)] |= axiom.bit
                changed = bool((states[self.fluents :] != before).any())


def ground(task: Task) -> GroundTask:
    """The ground actions, axioms and atoms of a task."""
    problem = load_problem(task)
    native = problem._advanced_problem
    with _silence():
        grounder = LiftedGrounder(native)
        actions = list(grounder.create_ground_actions())
        axioms = list(grounder.create_ground_axioms())
    repositories = native.get_repositories()
    fluent = _name_atoms(task, repositories.get_fluent_ground_atoms())
    derived = _name_atoms(task, repositories.get_derived_ground_atoms())
    # A predicate that only unreachable effects change is static to pymimir, but not to the task.
    constant = _list_changing(task) - set(fluent.values()) - set(derived.values())
    changing = sorted({*fluent.values(), *constant})
    fluents = -(-len(changing) // 64)
    words = fluents + -(-len(derived) // 64)
    places = {atom: divmod(i, 64) for i, atom in enumerate(changing)}
    places |= {atom: (fluents + i // 64, i % 64) for i, atom in enumerate(sorted(derived.values()))}

    def pack(indices: Iterable[int], names: Mapping[int, CodedAtom]) -> Words:
        row = np.zeros(words, dtype=np.uint64)
        for index in indices:
            word, bit = places[names[index]]
            row[word] |= np.uint64(1 << bit)
        return row

    def read(condition: Any) -> Condition:
        if len(condition.get_numeric_constraints()):
            raise UnsupportedError("exact costs are not computed for tasks with numeric conditions")
        fluent_yes, fluent_no = condition.get_fluent_positive_condition(), condition.get_fluent_negative_condition()
        derived_yes, derived_no = condition.get_derived_positive_condition(), condition.get_derived_negative_condition()
        positive = pack(fluent_yes, fluent) | pack(derived_yes, derived)
        negative = pack(fluent_no, fluent) | pack(derived_no, derived)
        return Condition(_spell(positive), _spell(negative))

    static = {atom.get_index() for atom in native.get_static_initial_atoms()}

    def may_hold(condition: Any) -> bool:
        """Do the condition's static literals hold, which the states do not show."""
        denied = static.isdisjoint(condition.get_static_negative_condition())
        return denied and static.issuperset(condition.get_static_positive_condition())

    costs = _read_costs(problem, actions)
    return GroundTask(
        atoms=places,
        fluents=fluents,
        words=words,
        actions=tuple(
            GroundAction(
                read(action.get_conjunctive_condition()),
                tuple(
                    GroundEffect(
                        read(effect.get_conjunctive_condition()),
                        pack(effect.get_conjunctive_effect().get_positive_effects(), fluent),
                        pack(effect.get_conjunctive_effect().get_negative_effects(), fluent),
                    )
                    for effect in action.get_conditional_effects()
                    if may_hold(effect.get_conjunctive_condition())
                ),
                cost,
            )
            for action, cost in zip(actions, costs, strict=True)
            if may_hold(action.get_conjunctive_condition())
        ),
        strata=_stratify(
            [axiom for axiom in axioms if may_hold(axiom.get_conjunctive_condition())], derived, places, read
        ),
        initial=pack((atom.get_index() for atom in native.get_fluent_initial_atoms()), fluent)
        | pack(range(len(constant)), dict(enumerate(constant))),
        unit_costs=all(cost == 1 for cost in costs),
    )


def _name_atoms(task: Task, atoms: Iterable[Any]) -> dict[int, CodedAtom]:
    """The atoms by pymimir's index; its own axioms' predicates keep the names it gave them."""
    number = {mimir_name(name): i for i, name in enumerate(task.objects)}
    predicate = {mimir_name(name): name for name in task.domain.predicates}
    named = {}
    for atom in atoms:
        name = atom.get_predicate().get_name()
        args = tuple(number[o.get_name()] for o in atom.get_objects())
        named[atom.get_index()] = (predicate.get(name, name), args)
    return named


def _list_changing(task: Task) -> set[CodedAtom]:
    """The initial atoms of the predicates that are not static."""
    names = task.domain.predicates.keys() - task.domain.static - task.domain.derived
    return {(name, tuple(row)) for name in names for row in task.init[name].tolist()}


def _spell(row: Words) -> tuple[tuple[int, np.uint64], ...]:
    return tuple((i, mask) for i, mask in enumerate(row) if mask)


def _read_costs(problem: Any, actions: Sequence[Any]) -> list[int]:
    if problem._advanced_problem.get_optimization_metric() is None:
        return [1] * len(actions)
    # An effect's cost expression cannot be read through pymimir, but the cost of applying the action can.
    repository = problem._search_context.get_state_repository()
    state, _ = repository.get_or_create_initial_state()
    costs = [repository.get_or_create_successor_state(state, action, 0.0)[1] for action in actions]
    if any(cost != int(cost) or cost < 0 for cost in costs):
        raise UnsupportedError("exact costs are computed for actions whose costs are natural numbers")
    return [int(cost) for cost in costs]


def _stratify(
    axioms: Sequence[Any], derived: Mapping[int, CodedAtom], places: Mapping[CodedAtom, tuple[int, int]], read: Any
) -> tuple[tuple[GroundAxiom, ...], ...]:
    """The axioms in layers: a rule may deny only what an earlier layer derives."""
    rules = []
    for axiom in axioms:
        condition = axiom.get_conjunctive_condition()
        head = derived[axiom.get_literal().get_atom().get_index()]
        after = {derived[i][0] for i in condition.get_derived_positive_condition()}
        strictly = {derived[i][0] for i in condition.get_derived_negative_condition()}
        word, bit = places[head]
        rules.append((head[0], after, strictly, GroundAxiom(read(condition), word, np.uint64(1 << bit))))
    level = dict.fromkeys((name for name, _ in derived.values()), 0)
    for _ in level:
        for name, after, strictly, _ in rules:
            level[name] = max([level[name], *(level[q] for q in after), *(level[q] + 1 for q in strictly)])
    layers = sorted(set(level.values()))
    return tuple(tuple(rule for name, _, _, rule in rules if level[name] == layer) for layer in layers)


@contextmanager
def _silence() -> Iterator[None]:
    """Keeps the grounder's messages, which it writes to file descriptor 1, out of our output."""
    libc = ctypes.CDLL(None)
    libc.fflush(None)
    saved, sink = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
    try:
        yield
        libc.fflush(None)
    finally:
        os.dup2(saved, 1)
        os.close(saved)
        os.close(sink)
