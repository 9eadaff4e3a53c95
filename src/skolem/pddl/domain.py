"""PDDL domains: what they declare, their actions and their axioms."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from skolem.pddl.actions import read_action, read_axiom
from skolem.pddl.declarations import (
    check_requirements,
    read_functions,
    read_objects,
    read_signatures,
    read_spelling,
    read_types,
)
from skolem.pddl.faults import Faults
from skolem.pddl.names import Names
from skolem.pddl.sections import DOMAIN_SECTIONS, OPERATORS, open_definition, split_sections
from skolem.pddl.sexpr import Form
from skolem.support.errors import SkolemError
from skolem.task.actions import Action
from skolem.task.model import Domain, Source
from skolem.task.semantics.axioms import UnlayeredError, layer_axioms

DEEPEST_DOMAIN = 200
"""How deeply a domain's forms may nest: the planners behind this program read them recursively."""

_Operator = TypeVar("_Operator")


@lru_cache(maxsize=16)
def read_domain(source: Source) -> Domain:
    """The domain in a text; an error with all its mistakes."""
    faults = Faults(source)
    whole = faults.parse()
    _check_depth(faults, whole)
    name, forms = open_definition(faults, whole, "domain")
    sections, operators = split_sections(faults, forms, DOMAIN_SECTIONS, OPERATORS)
    if ":requirements" in sections:
        check_requirements(faults, sections[":requirements"])
    types = read_types(faults, sections.get(":types"))
    constants = read_objects(faults, sections.get(":constants"), types, {}, "constant")
    declared = sections.get(":predicates")
    predicates = read_signatures(faults, declared.items[1:] if declared else (), types, "predicate")
    functions = read_functions(faults, sections.get(":functions"), types)
    names = Names(faults, types, predicates, functions, constants, remedy="a declaration in ':constants'")
    axioms = _read_all(names, (form for form in operators if form.head == ":derived"), read_axiom)
    derived = frozenset(axiom.predicate for axiom in axioms)
    names = replace(names, derived=derived)
    actions = _read_all(names, (form for form in operators if form.head == ":action"), read_action)
    _check_action_names(faults, actions, operators)
    faults.finish()
    changed = {effect.atom.predicate for action in actions for effect in action.effects}
    static = frozenset(predicates) - derived - changed
    domain = Domain(
        name=name,
        source=source,
        supertypes=types,
        predicates=predicates,
        static=static,
        derived=derived,
        constants=constants,
        actions=actions,
        axioms=axioms,
        functions=functions,
        spelling=read_spelling(faults, *(sections.get(name) for name in (":types", ":constants", ":predicates"))),
        warnings=tuple(faults.warnings),
    )
    try:
        layer_axioms(domain)
    except UnlayeredError as error:
        place = [form for form in operators if form.head == ":derived"][axioms.index(error.axiom)]
        raise faults.error(error.message, place) from None
    return domain


def _read_all(names: Names, forms: Iterable[Form], read: Callable[[Names, Form], _Operator]) -> tuple[_Operator, ...]:
    found = []
    for form in forms:
        try:
            found.append(read(names, form))
        except SkolemError as error:
            names.faults.add(error)
    return tuple(found)


def _check_action_names(faults: Faults, actions: Iterable[Action], forms: Iterable[Form]) -> None:
    places = {form.start: form for form in forms}
    seen: set[str] = set()
    for action in actions:
        if action.name in seen:
            message = f"the action '{action.name}' is declared twice, expected once"
            faults.add(faults.error(message, places[action.start]))
        seen.add(action.name)


def _check_depth(faults: Faults, whole: Form) -> None:
    level: list[Form] = [whole]
    for _ in range(DEEPEST_DOMAIN):
        level = [item for form in level for item in form.items if isinstance(item, Form)]
        if not level:
            return
    message = f"more than {DEEPEST_DOMAIN} nested lists are not supported in a domain, expected fewer"
    raise faults.unsupported(message, level[0])
