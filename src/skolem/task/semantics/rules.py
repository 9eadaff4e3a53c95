"""Rules applied until nothing new follows: the axioms of one layer, and what actions could ever make true."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from math import inf

from skolem.support.errors import ExitCode, LimitError
from skolem.task.constraints.relations_index import RelationsIndex
from skolem.task.normal_form import Conjunction
from skolem.task.query import CodedAtom
from skolem.task.semantics.facts import Facts, Row
from skolem.task.semantics.truth import Evaluator


@dataclass(frozen=True, eq=False)
class Rule:
    """Wherever the body is true, with any objects for its first variables, the heads become true.

    More facts must never make the body false: what heads of the same rules add, it does not deny.
    """

    body: Conjunction
    parameters: int
    """How many of the body's variables, 0 to this number, the heads may have."""
    heads: tuple[CodedAtom, ...]


def apply_rules(
    rules: Sequence[Rule],
    tuples: dict[str, set[Row]],
    statics: RelationsIndex,
    arities: Mapping[str, int],
    most: float = inf,
) -> list[list[Row]]:
    """Adds to the tuples all that follows; returns the objects of the parameters with which each rule was applied.

    After the first round a body is looked at only with tuples that the round before added. A LimitError if rules were
    applied more often than `most` times.
    """
    growing = {name for rule in rules for name, _ in rule.heads}
    applied: list[dict[Row, None]] = [{} for _ in rules]
    fresh: dict[str, set[Row]] = {}
    first = True
    while first or fresh:
        known = {**tuples, **{_mark(name): rows for name, rows in fresh.items()}}
        evaluator = Evaluator(Facts(statics, known, {**arities, **{_mark(n): arities[n] for n in fresh}}))
        added: dict[str, set[Row]] = {}
        for rule, before in zip(rules, applied, strict=True):
            for body in _focus(rule.body, growing, fresh.keys()) if not first else [rule.body]:
                listed = evaluator.list_bindings(body, range(rule.parameters), {})
                if sum(map(len, applied)) + len(listed) > most:
                    raise LimitError(f"more than {most:,.0f} ground rules", ExitCode.SEARCH_OUT_OF_MEMORY)
                for objects in listed:
                    if objects in before:
                        continue
                    before[objects] = None
                    for name, args in rule.heads:
                        row = fill(args, objects)
                        if row not in tuples[name]:
                            added.setdefault(name, set()).add(row)
        for name, rows in added.items():
            tuples[name] |= rows
        first, fresh = False, added
    return [list(found) for found in applied]


def fill(args: Sequence[int], objects: Sequence[int]) -> Row:
    """The arguments with every variable ~i replaced by the i-th object.

    >>> fill((~1, 7, ~0), (3, 4))
    (4, 7, 3)
    """
    return tuple([a if a >= 0 else objects[~a] for a in args])


def list_predicates(part: Conjunction) -> Iterator[str]:
    """The names of all relations in a part, at any depth."""
    ahead = [part]
    while ahead:
        part = ahead.pop()
        yield from (name for name, _ in (*part.atoms, *part.denied))
        ahead.extend(p for parts in (*part.choices, part.exceptions) for p in parts)


def _focus(body: Conjunction, growing: AbstractSet[str], fresh: AbstractSet[str]) -> list[Conjunction]:
    """The body once for each of its atoms that has new tuples, demanding one of these."""
    inside = set(list_predicates(replace(body, atoms=[], denied=[])))
    if inside & growing:
        return [body] if not fresh.isdisjoint(list_predicates(body)) else []
    return [
        replace(body, atoms=[*body.atoms[:i], (_mark(name), args), *body.atoms[i + 1 :]])
        for i, (name, args) in enumerate(body.atoms)
        if name in fresh
    ]


def _mark(name: str) -> str:
    # No name in a file has parentheses.
    return f"(new {name})"
