"""What could ever be true: actions and axioms as rules that delete nothing.

Their conditions deny nothing but what is static, so that every atom that some sequence of actions makes true is among
the possible ones; the others can never be true.
"""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from math import inf

from skolem.task.formulas import And
from skolem.task.normal_form import Conjunction
from skolem.task.semantics.dynamics import Dynamics, Operator, Outcome
from skolem.task.semantics.facts import Row
from skolem.task.semantics.rules import Rule, apply_rules, list_predicates


@dataclass(frozen=True, eq=False)
class Possible:
    """What could ever be true in a task."""

    tuples: dict[str, set[Row]]
    """The possible tuples of every relation that changes."""
    applied: dict[Rule, list[Row]]
    """Actions first, then axioms and conditional effects: the objects with which each could ever be applied."""
    relaxation: "Relaxation"


def find_possible(dynamics: Dynamics, most: float = inf) -> Possible:
    """What could ever be true, from the initial state on; a LimitError if that takes more than `most` ground rules."""
    relaxation = Relaxation(dynamics.arities.keys())
    axioms = [rule for layer in dynamics.layers for rule in layer]
    rules = [*map(_make_rule, dynamics.operators), *axioms, *_list_conditional(dynamics)]
    weak = [replace(rule, body=relaxation.relax(rule.body)) for rule in rules]
    possible: dict[str, set[Row]] = {name: set() for name in dynamics.arities}
    for name, row in dynamics.start:
        possible[name].add(row)
    applied = apply_rules(weak, possible, dynamics.statics, dynamics.arities, most)
    return Possible(possible, dict(zip(rules, applied, strict=True)), relaxation)


def _make_rule(operator: Operator) -> Rule:
    """What an action adds in any case, wherever it can be taken."""
    plain = tuple(outcome.atom for outcome in operator.outcomes if outcome.positive and is_plain(outcome))
    return Rule(operator.precondition, len(operator.action.parameters), plain)


def _list_conditional(dynamics: Dynamics) -> Iterator[Rule]:
    """What actions add under conditions or for several objects."""
    for operator in dynamics.operators:
        action = operator.action
        for effect, outcome in zip(action.effects, operator.outcomes, strict=True):
            if outcome.positive and not is_plain(outcome):
                variables = (*action.parameters, *effect.variables)
                body = dynamics.normalize(variables, And((action.precondition, effect.condition)))
                yield Rule(body, len(variables), (outcome.atom,))


def is_plain(outcome: Outcome) -> bool:
    """Whether an effect happens whenever its action is taken, for no objects but the action's."""
    return not outcome.variables and _demands_nothing(outcome.condition)


def _demands_nothing(part: Conjunction) -> bool:
    return not (part.atoms or part.denied or part.equal or part.unequal or part.choices or part.exceptions)


class Relaxation:
    """Weakens conditions so that they stay true when more becomes true; each part is weakened once."""

    def __init__(self, changing: AbstractSet[str]) -> None:
        self._changing = changing
        self._known: dict[Conjunction, Conjunction] = {}

    def relax(self, part: Conjunction) -> Conjunction:
        """The part without negations of what changes."""
        if part not in self._known:
            choices = [[self.relax(p) for p in choice] for choice in part.choices]
            self._known[part] = replace(
                part,
                denied=[(name, args) for name, args in part.denied if name not in self._changing],
                choices=[c for c in choices if not any(_demands_nothing(p) and not p.variables for p in c)],
                exceptions=[e for e in part.exceptions if self._changing.isdisjoint(list_predicates(e))],
            )
        return self._known[part]
