"""The initial state: facts and function values of a problem, checked, as relations over numbered objects."""

from collections.abc import Collection, Iterable, Mapping

import numpy as np
import numpy.typing as npt

from skolem.pddl.actions import check_cost, check_function
from skolem.pddl.names import Names, Types, expect_form, suggest
from skolem.pddl.sexpr import Form
from skolem.task.model import empty_relation, type_relation
from skolem.task.query import Relations

_FACT = "a fact such as '(predicate object)'"


def read_init(vocabulary: Names, form: Form) -> tuple[Relations, dict[tuple[str, ...], int]]:
    """The facts of an `(:init ...)` form, a relation for every predicate, and the values of function terms."""
    number = {name: i for i, name in enumerate(vocabulary.objects)}
    facts: dict[str, dict[tuple[int, ...], None]] = {name: {} for name in vocabulary.predicates}
    values: dict[tuple[str, ...], int] = {}
    denied: list[Form] = []
    for node in form.items[1:]:
        fact = expect_form(vocabulary.source, node, _FACT)
        if fact.head == "=":
            _read_value(vocabulary, fact, values)
        elif fact.head == "not":
            denied.append(fact)
        else:
            row = _read_fact(vocabulary, number, fact)
            facts[fact.head][row] = None
    for fact in denied:
        inner = expect_form(vocabulary.source, fact.items[1], _FACT) if len(fact.items) == 2 else fact
        if _read_fact(vocabulary, number, inner) in facts[inner.head]:
            raise vocabulary.error("this fact is both true and false, expected one of the two", fact)
    relations = {name: make_relation(rows, len(vocabulary.predicates[name])) for name, rows in facts.items()}
    return relations, values


def make_relation(rows: Collection[tuple[int, ...]], arity: int) -> npt.NDArray[np.int32]:
    """The relation that holds the rows."""
    return np.array(list(rows), dtype=np.int32).reshape(len(rows), arity) if rows else empty_relation(arity)


def make_type_relations(vocabulary: Names, unions: Iterable[Types]) -> Relations:
    """The objects of every declared type, and of each union of types."""
    members: dict[Types, list[tuple[int, ...]]] = {(name,): [] for name in vocabulary.supertypes}
    members.update({types: [] for types in unions})
    kinds: dict[Types, list[Types]] = {}
    for i, own in enumerate(vocabulary.objects.values()):
        if own not in kinds:
            kinds[own] = [types for types in members if vocabulary.fits(own, types)]
        for types in kinds[own]:
            members[types].append((i,))
    return {type_relation(types): make_relation(rows, 1) for types, rows in members.items()}


def _read_fact(vocabulary: Names, number: Mapping[str, int], fact: Form) -> tuple[int, ...]:
    parameters = vocabulary.predicates.get(fact.head)
    if parameters is None:
        if not fact.head:
            raise vocabulary.error(f"'()' or a list of lists found, expected {_FACT}", fact)
        expected = suggest(fact.head, vocabulary.predicates) or "a declared predicate"
        raise vocabulary.error(f"unknown predicate '{fact.head[:40]}', expected {expected}", fact.items[0])
    if fact.head in vocabulary.derived:
        raise vocabulary.error(f"'{fact.head}' is derived by an axiom, expected no fact about it", fact)
    return tuple(number[name] for name in vocabulary.check_objects(fact, parameters))


def _read_value(vocabulary: Names, fact: Form, values: dict[tuple[str, ...], int]) -> None:
    if len(fact.items) != 3 or not isinstance(fact.items[1], Form):
        raise vocabulary.error("'=' in the initial state, expected '(= (function object ...) NUMBER)'", fact)
    term = check_function(vocabulary, fact.items[1], {})
    key = (term.predicate, *map(str, term.terms))
    value = int(check_cost(vocabulary, fact.items[2]))
    if values.setdefault(key, value) != value:
        raise vocabulary.error("a second value for this function, expected one", fact)
