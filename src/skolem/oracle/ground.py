"""A task's ground actions and axioms as conditions and effects over bits.

First, what could ever be true: actions and axioms as rules that delete nothing, with conditions that deny nothing but
what is static. Then every action and axiom with the objects for which its rule was applied: static conditions are
decided, atoms that can never be true are false, quantifiers go over the objects for which their body could be true.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from skolem.oracle.ground_task import (
    FALSE,
    TRUE,
    Condition,
    GroundAction,
    GroundAxiom,
    GroundEffect,
    GroundTask,
    Words,
    conjoin,
    disjoin,
    negate,
)
from skolem.support.errors import ExitCode, LimitError
from skolem.task.model import Task
from skolem.task.normal_form import Conjunction
from skolem.task.query import CodedAtom
from skolem.task.semantics.dynamics import Dynamics, Operator, Step
from skolem.task.semantics.facts import Facts, Row
from skolem.task.semantics.relaxation import Relaxation, find_possible, is_plain
from skolem.task.semantics.rules import Rule, fill
from skolem.task.semantics.truth import Env, Evaluator

MOST_CONJUNCTIONS = 1_000_000
"""How many conjunctions the conditions of a ground task may consist of."""


def ground(task: Task) -> GroundTask:
    """The ground actions, axioms and atoms of a task."""
    dynamics = Dynamics(task)
    reached = find_possible(dynamics)
    possible, applied, relaxation = reached.tuples, reached.applied, reached.relaxation

    atoms = sorted((name, row) for name, rows in possible.items() for row in rows)
    fluent = [atom for atom in atoms if atom[0] not in task.domain.derived]
    derived = [atom for atom in atoms if atom[0] in task.domain.derived]
    fluents = -(-len(fluent) // 64)
    words = fluents + -(-len(derived) // 64)
    bits = {atom: i for i, atom in enumerate(fluent)} | {atom: 64 * fluents + i for i, atom in enumerate(derived)}
    grounder = _Grounder(Facts(dynamics.statics, possible, dynamics.arities), bits, words, relaxation)

    actions = []
    for operator, rule in zip(dynamics.operators, applied, strict=False):
        for objects in sorted(applied[rule]):
            condition = grounder.ground(operator.precondition, dict(enumerate(objects)))
            step = Step(operator, objects)
            if condition != FALSE and dynamics.has_cost(step):
                effects = grounder.ground_effects(operator, objects)
                actions.append(GroundAction(condition, effects, dynamics.find_cost(step)))
    return GroundTask(
        atoms={atom: divmod(bit, 64) for atom, bit in bits.items()},
        fluents=fluents,
        words=words,
        actions=tuple(actions),
        layers=tuple(
            tuple(axiom for rule in layer for axiom in grounder.ground_axiom(rule, applied[rule]))
            for layer in dynamics.layers
        ),
        initial=_spell(sum(1 << bits[atom] for atom in dynamics.start), words),
        unit_costs=all(action.cost == 1 for action in actions),
    )


class _Grounder:
    """Conditions and effects with objects filled in, given what could ever be true."""

    def __init__(self, possible: Facts, bits: Mapping[CodedAtom, int], words: int, relaxation: Relaxation) -> None:
        self._possible = possible
        self._bits = bits
        self._words = words
        self._relaxation = relaxation
        self._evaluator = Evaluator(possible)
        self._left = MOST_CONJUNCTIONS

    def ground(self, part: Conjunction, env: Env) -> Condition:
        """A part with the objects of its free variables."""
        own = [v for v in part.variables if v not in env]
        if not own:
            return self._conjoin(part, env)
        bindings = self._list(part, own, env)
        return disjoin(self._conjoin(part, env | dict(zip(own, objects, strict=True))) for objects in bindings)

    def _list(self, part: Conjunction, variables: Sequence[int], env: Env) -> list[Row]:
        """The objects of some variables of a part with which it could ever be true."""
        return self._evaluator.list_bindings(self._relaxation.relax(part), variables, env)

    def _conjoin(self, part: Conjunction, env: Env) -> Condition:
        """A part with the objects of all its variables."""
        self._left -= 1
        if self._left < 0:
            message = f"the ground conditions have more than {MOST_CONJUNCTIONS} conjunctions"
            raise LimitError(message, ExitCode.SEARCH_OUT_OF_MEMORY)

        def resolve(argument: int) -> int:
            return argument if argument >= 0 else env[~argument]

        masks = [0, 0]
        for positive, literals in ((True, part.atoms), (False, part.denied)):
            for name, args in literals:
                atom = name, tuple([resolve(a) for a in args])
                bit = self._bits.get(atom)
                if bit is not None:
                    masks[positive] |= 1 << bit
                elif self._possible.contains(*atom) != positive:
                    return FALSE
        if any(resolve(a) != resolve(b) for a, b in part.equal):
            return FALSE
        if any(resolve(a) == resolve(b) for a, b in part.unequal):
            return FALSE
        parts = [Condition(masks[True], masks[False])]
        for choice in part.choices:
            parts.append(disjoin([self.ground(p, env) for p in choice]))
        for exception in part.exceptions:
            parts.append(negate(self.ground(exception, env)))
        return conjoin(parts)

    def ground_effects(self, operator: Operator, objects: Row) -> tuple[GroundEffect, ...]:
        """The effects of an action, those with the same condition together."""
        env = dict(enumerate(objects))
        masks: dict[Condition, list[int]] = {}
        for outcome in operator.outcomes:
            name, args = outcome.atom
            for own in self._list(outcome.condition, outcome.variables, env) if outcome.variables else [()]:
                bit = self._bits.get((name, fill(args, (*objects, *own))))
                # What can never be true cannot be deleted.
                if bit is not None:
                    more = dict(zip(outcome.variables, own, strict=True))
                    condition = TRUE if is_plain(outcome) else self.ground(outcome.condition, env | more)
                    masks.setdefault(condition, [0, 0])[outcome.positive] |= 1 << bit
        return tuple(
            GroundEffect(condition, _spell(added, self._words), _spell(deleted, self._words))
            for condition, (deleted, added) in masks.items()
            if condition != FALSE
        )

    def ground_axiom(self, rule: Rule, bindings: Iterable[Row]) -> Iterator[GroundAxiom]:
        """An axiom for all objects of its parameters for which it could ever be applied."""
        ((name, args),) = rule.heads
        for objects in bindings:
            condition = self.ground(rule.body, dict(enumerate(objects)))
            if condition != FALSE:
                word, bit = divmod(self._bits[name, fill(args, objects)], 64)
                yield GroundAxiom(condition, word, np.uint64(1 << bit))


def _spell(mask: int, words: int) -> Words:
    return np.array([mask >> 64 * i & (1 << 64) - 1 for i in range(words)], dtype=np.uint64)
