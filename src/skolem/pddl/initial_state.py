"""The initial state: facts and function values of a problem, checked, as relations over numbered objects."""

from collections.abc import Iterable, Mapping

from skolem.pddl.actions import check_cost, check_function
from skolem.pddl.faults import expect_form
from skolem.pddl.names import Names
from skolem.pddl.sexpr import Form
from skolem.support.errors import SkolemError
from skolem.task.model import make_relation, type_relation
from skolem.task.query import Relations
from skolem.task.types import Types, fit

_FACT = "a fact such as '(predicate object)'"


def read_init(names: Names, form: Form) -> tuple[Relations, dict[tuple[str, ...], int]]:
    """The facts of an `(:init ...)` form, a relation for every predicate, and the values of function terms."""
    number = {name: i for i, name in enumerate(names.objects)}
    facts: dict[str, dict[tuple[int, ...], None]] = {name: {} for name in names.predicates}
    values: dict[tuple[str, ...], int] = {}
    denied: list[Form] = []
    for node in form.items[1:]:
        try:
            fact = expect_form(names.faults, node, _FACT)
            if fact.head == "=":
                _read_value(names, fact, values)
            elif fact.head == "not":
                denied.append(fact)
            else:
                row = _read_fact(names, number, fact)
                facts[fact.head][row] = None
        except SkolemError as error:
            names.faults.add(error)
    for fact in denied:
        try:
            inner = expect_form(names.faults, fact.items[1], _FACT) if len(fact.items) == 2 else fact
            if _read_fact(names, number, inner) in facts[inner.head]:
                raise names.faults.error("this fact is both true and false, expected one of the two", fact)
        except SkolemError as error:
            names.faults.add(error)
    relations = {name: make_relation(rows, len(names.predicates[name])) for name, rows in facts.items()}
    return relations, values


def make_type_relations(names: Names, unions: Iterable[Types]) -> Relations:
    """The objects of every declared type, and of each union of types."""
    members: dict[Types, list[tuple[int, ...]]] = {(name,): [] for name in names.supertypes}
    members.update({types: [] for types in unions})
    kinds: dict[Types, list[Types]] = {}
    for i, own in enumerate(names.objects.values()):
        if own not in kinds:
            kinds[own] = [types for types in members if fit(names.supertypes, own, types)]
        for types in kinds[own]:
            members[types].append((i,))
    return {type_relation(types): make_relation(rows, 1) for types, rows in members.items()}


def _read_fact(names: Names, number: Mapping[str, int], fact: Form) -> tuple[int, ...]:
    parameters = names.predicates.get(fact.head)
    if parameters is None:
        if not fact.head:
            raise names.faults.error(f"'()' or a list of lists found, expected {_FACT}", fact)
        raise names.faults.unknown("predicate", fact.head, fact.items[0], names.predicates)
    if fact.head in names.derived:
        raise names.faults.error(f"'{fact.head}' is derived by an axiom, expected no fact about it", fact)
    return tuple(number[name] for name in names.check_objects(fact, parameters))


def _read_value(names: Names, fact: Form, values: dict[tuple[str, ...], int]) -> None:
    if len(fact.items) != 3 or not isinstance(fact.items[1], Form):
        raise names.faults.error("'=' in the initial state, expected '(= (function object ...) NUMBER)'", fact)
    term = check_function(names, fact.items[1], {})
    key = (term.predicate, *map(str, term.terms))
    value = int(check_cost(names, fact.items[2]))
    if values.setdefault(key, value) != value:
        raise names.faults.error("a second value for this function, expected one", fact)
