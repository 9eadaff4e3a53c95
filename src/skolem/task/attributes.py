"""What the actions and axioms of a domain look at, and what only describes objects: its attributes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from skolem.task.actions import Effect
from skolem.task.formulas import Atom, Equal, Exists, Forall, Formula, Variable, list_parts, list_terms

if TYPE_CHECKING:
    from skolem.task.model import Domain


def find_attributes(domain: "Domain") -> frozenset[str]:
    """The static predicates that no action and no axiom reads, and as `type:T` the types that none mentions.

    They change nothing about what can be done: they only describe the objects of a goal.
    """
    read = {part.predicate for part in _list_conditions(domain) if isinstance(part, Atom)}
    types = {name for variable in _list_variables(domain) for name in variable.types}
    return frozenset(domain.static - read) | {f"type:{name}" for name in domain.supertypes if name not in types}


def list_named_objects(domain: "Domain") -> tuple[str, ...]:
    """The objects that actions or axioms name, sorted."""
    atoms = [part for part in _list_conditions(domain) if isinstance(part, Atom | Equal)]
    atoms += [effect.atom for effect in _list_effects(domain)]
    return tuple(sorted({term for atom in atoms for term in list_terms(atom) if isinstance(term, str)}))


def _list_effects(domain: "Domain") -> Iterator[Effect]:
    return (effect for action in domain.actions for effect in action.effects)


def _list_formulas(domain: "Domain") -> Iterator[Formula]:
    yield from (action.precondition for action in domain.actions)
    yield from (effect.condition for effect in _list_effects(domain))
    yield from (axiom.body for axiom in domain.axioms)


def _list_conditions(domain: "Domain") -> Iterator[Formula]:
    """All parts of all conditions."""
    return (part for formula in _list_formulas(domain) for part in list_parts(formula))


def _list_variables(domain: "Domain") -> Iterator[Variable]:
    """The parameters and quantified variables of actions and axioms."""
    for action in domain.actions:
        yield from action.parameters
    for axiom in domain.axioms:
        yield from axiom.parameters
    for effect in _list_effects(domain):
        yield from effect.variables
    for part in _list_conditions(domain):
        if isinstance(part, Exists | Forall):
            yield from part.variables
