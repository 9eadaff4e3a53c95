"""Deletes that an add of the same action cancels, written so that the planner sees it.

An atom that an action deletes and adds is true afterwards. Fast Downward overlooks that where the atom was true before:
of `(not (at ?x))`, `(at ?y)` and, where `?x` is `?y`, `(waits)`, it takes `(waits)` for what comes in place of
`(at ?x)`, and calls goals with both unsolvable. So a delete that could mislead it is made only where no add cancels it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from skolem.task.actions import Action, Effect
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Term, Variable, list_parts
from skolem.task.model import Task
from skolem.task.negation import TRUE, push_negations
from skolem.task.scopes import VariableNames, copy_apart, list_inside


def write_out_cancelled(task: Task, action: Action) -> Action:
    """The action with a condition on each delete that could mislead the planner.

    All others stay as they are: a delete with a condition proves fewer invariants.
    """
    effects: list[Effect] = []
    context: _Context | None = None
    for effect in action.effects:
        adds = [e for e in action.effects if e.positive and e.atom.predicate == effect.atom.predicate]
        if not effect.positive and adds:
            context = context or _read_context(task, action)
            adds = [add for add in adds if context.misleads(effect, add)]
            exceptions = [context.describe_cancelling(effect, add) for add in adds]
            if TRUE in exceptions:
                continue
            if exceptions:
                effect = replace(effect, condition=And((effect.condition, *map(Not, exceptions))))
        effects.append(effect)
    return replace(action, effects=tuple(effects))


@dataclass(frozen=True, eq=False)
class _Context:
    """An action, and what of its conditions the planner reads when it looks for invariants."""

    task: Task
    action: Action
    holds: frozenset[Atom]
    """The atoms that some condition demands."""
    has_equality: bool
    """Whether some condition demands that two terms are equal."""
    unequal: frozenset[frozenset[Term]]
    """Pairs that the precondition demands to be different."""

    def misleads(self, delete: Effect, add: Effect) -> bool:
        """Whether the planner could miss that an add cancels a delete.

        It does so only if it can tell that the added atom was true before, and if it takes a third effect for what
        comes in place of the deleted atom.
        """
        if not all(map(self._can_meet, delete.atom.terms, add.atom.terms)):
            return False
        predicate = add.atom.predicate
        alone = sum(e.atom.predicate == predicate and not e.positive for e in self.action.effects) == 1
        for third in self.action.effects:
            if third.positive and (third is not add or add.variables) and _can_replace(third, delete):
                # Only with another delete that takes the place of this one are the terms of the two adds compared.
                compared = frozenset[Term]() if alone else frozenset(third.atom.terms)
                for atom in self.holds:
                    if atom.predicate == predicate and self._can_equal(atom, add.atom, compared):
                        return True
        return False

    def _can_equal(self, atom: Atom, added: Atom, compared: frozenset[Term]) -> bool:
        pairs = zip(atom.terms, added.terms, strict=True)
        return self.has_equality or all(a == b or (a in compared and self._can_meet(a, b)) for a, b in pairs)

    def _can_meet(self, first: Term, second: Term) -> bool:
        """Whether two terms can be the same object."""
        objects = self._list_objects(first)
        return frozenset((first, second)) not in self.unequal and not objects.isdisjoint(self._list_objects(second))

    def _list_objects(self, term: Term) -> frozenset[str]:
        if isinstance(term, str):
            return frozenset((term,))
        return frozenset(obj for obj in self.task.objects if self.task.has_type(obj, term.types))

    def describe_cancelling(self, delete: Effect, add: Effect) -> Formula:
        """When an add makes the atom of a delete true."""
        # The variables of an effect are its own, also where another one calls its variables the same.
        own: dict[str, Term] = {}
        for wanted, given in zip(delete.atom.terms, add.atom.terms, strict=True):
            free = isinstance(given, Variable) and given in add.variables and given.name not in own
            if isinstance(given, Variable) and free and self._list_objects(wanted) <= self._list_objects(given):
                own[given.name] = wanted
        names = VariableNames(self._list_names())
        left = {v.name: Variable(names.take(v.name), v.types) for v in add.variables if v.name not in own}
        own.update(left)
        added = [own.get(t.name, t) if isinstance(t, Variable) else t for t in add.atom.terms]
        pairs = zip(delete.atom.terms, added, strict=True)
        equal = [Equal(wanted, given) for wanted, given in pairs if wanted != given]
        condition = copy_apart(add.condition, names, own)
        if equal:
            condition = And((*equal, condition))
        if left:
            return Exists(tuple(left.values()), condition)
        return TRUE if isinstance(condition, And) and not condition.parts else condition

    def _list_names(self) -> set[str]:
        variables = {*self.action.parameters, *(v for effect in self.action.effects for v in effect.variables)}
        for condition in (self.action.precondition, *(effect.condition for effect in self.action.effects)):
            for part in list_parts(condition):
                variables.update(part.variables if isinstance(part, Exists | Forall) else ())
        return {variable.name for variable in variables}


def _read_context(task: Task, action: Action) -> _Context:
    first = push_negations(action.precondition)
    literals = list(_list_literals(first))
    for effect in action.effects:
        literals.extend(_list_literals(push_negations(effect.condition)))
    demanded = [part for part in (first.parts if isinstance(first, And) else (first,)) if isinstance(part, Not)]
    return _Context(
        task,
        action,
        frozenset(literal for literal in literals if isinstance(literal, Atom)),
        any(isinstance(literal, Equal) for literal in literals),
        frozenset(frozenset((p.body.left, p.body.right)) for p in demanded if isinstance(p.body, Equal)),
    )


def _list_literals(formula: Formula) -> Iterator[Atom | Equal]:
    """What is not negated in a formula, and does not stand under a `forall`, which the planner makes an atom of."""
    ahead = [formula]
    while ahead:
        part = ahead.pop()
        if isinstance(part, Atom | Equal):
            yield part
        elif not isinstance(part, Not | Forall):
            ahead.extend(list_inside(part))


def _can_replace(add: Effect, delete: Effect) -> bool:
    """Whether an invariant can have both atoms: they share all terms but one, which is counted."""
    own = [term for term in delete.atom.terms if term not in delete.variables and term not in add.atom.terms]
    return len(own) <= 1
