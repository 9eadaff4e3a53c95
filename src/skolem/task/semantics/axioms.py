"""Axioms in layers: a rule may deny only what rules of earlier layers derive."""

from collections.abc import Iterator
from functools import lru_cache

from skolem.support.errors import InputError
from skolem.task.actions import Axiom
from skolem.task.formulas import And, Atom, Equal, Formula, Not, Or
from skolem.task.model import Domain


class UnlayeredError(InputError):
    """A derived predicate depends on its own negation, by way of `axiom`."""

    def __init__(self, axiom: Axiom) -> None:
        super().__init__("a derived predicate depends on its own negation, expected axioms in layers")
        self.axiom = axiom


@lru_cache(maxsize=16)
def layer_axioms(domain: Domain) -> tuple[tuple[Axiom, ...], ...]:
    """The axioms in the order in which they are to be applied, those of each layer until nothing new follows.

    A predicate is in the layer of what it depends on, or in a later one if it depends on a negation.
    """
    uses = _list_uses(domain)
    below = _find_below(domain)
    layer = dict.fromkeys(domain.derived, 0)
    for axiom, used in uses:
        if any(not positive and axiom.predicate in below[name] | {name} for name, positive in used):
            raise UnlayeredError(axiom)
    for _ in domain.derived:
        for axiom, used in uses:
            least = [layer[name] + (not positive) for name, positive in used]
            layer[axiom.predicate] = max(layer[axiom.predicate], *least, 0)
    return tuple(
        tuple(axiom for axiom in domain.axioms if layer[axiom.predicate] == number)
        for number in sorted(set(layer.values()))
    )


@lru_cache(maxsize=16)
def find_peers(domain: Domain) -> dict[str, frozenset[str]]:
    """For each derived predicate those that it depends on and that depend on it, itself among them if it is one."""
    below = _find_below(domain)
    return {name: frozenset(other for other in below[name] if name in below[other]) for name in domain.derived}


def _list_uses(domain: Domain) -> list[tuple[Axiom, list[tuple[str, bool]]]]:
    """The axioms, each with the derived predicates of its body and their signs."""
    return [
        (axiom, [(name, positive) for name, positive in _list_signed(axiom.body) if name in domain.derived])
        for axiom in domain.axioms
    ]


def _find_below(domain: Domain) -> dict[str, set[str]]:
    """The derived predicates that each of them depends on, directly or by way of others."""
    uses = _list_uses(domain)
    below: dict[str, set[str]] = {name: set() for name in domain.derived}
    for _ in domain.derived:
        for axiom, used in uses:
            below[axiom.predicate].update(*(below[name] | {name} for name, _ in used))
    return below


def _list_signed(formula: Formula) -> Iterator[tuple[str, bool]]:
    """The predicates of a formula, each with True where it stands under an even number of negations."""
    ahead = [(formula, True)]
    while ahead:
        part, positive = ahead.pop()
        match part:
            case Atom(predicate):
                yield predicate, positive
            case Equal():
                pass
            case Not(body):
                ahead.append((body, not positive))
            case And(parts) | Or(parts):
                ahead.extend((p, positive) for p in parts)
            case _:
                ahead.append((part.body, positive))
