"""PDDL domains: what they declare, their actions and their axioms."""

from dataclasses import replace
from functools import lru_cache

from skolem.pddl.actions import read_action, read_axiom
from skolem.pddl.declarations import (
    check_requirements,
    read_functions,
    read_objects,
    read_signatures,
    read_spelling,
    read_types,
)
from skolem.pddl.names import Names
from skolem.pddl.sections import DOMAIN_SECTIONS, open_definition, refuse_section, split_sections
from skolem.pddl.sexpr import Form, at, parse_form
from skolem.support.errors import UnsupportedError
from skolem.task.model import Domain, Source

DEEPEST_DOMAIN = 200
"""How deeply a domain's forms may nest: the planners behind this program read them recursively."""


def read_domain(source: Source) -> Domain:
    """The domain in a text."""
    return read_domain_and_names(source)[0]


@lru_cache(maxsize=16)
def read_domain_and_names(source: Source) -> tuple[Domain, Names]:
    """The domain in a text, and the names that a problem for it may use."""
    whole = parse_form(source)
    _check_depth(source, whole)
    name, forms = open_definition(source, whole, "domain")
    sections, rest = split_sections(source, forms, DOMAIN_SECTIONS)
    if ":requirements" in sections:
        check_requirements(source, sections[":requirements"])
    types = read_types(source, sections.get(":types"))
    constants = read_objects(source, sections.get(":constants"), types, {}, "constant")
    declared = sections.get(":predicates")
    predicates = read_signatures(source, declared.items[1:] if declared else (), types, "predicate")
    functions = read_functions(source, sections.get(":functions"), types)
    vocabulary = Names(source, types, predicates, functions, constants)
    for form in rest:
        if form.head not in (":action", ":derived"):
            refuse_section(source, form, (*DOMAIN_SECTIONS, ":action", ":derived"))
    axioms = tuple(read_axiom(vocabulary, form) for form in rest if form.head == ":derived")
    derived = frozenset(axiom.predicate for axiom in axioms)
    vocabulary = replace(vocabulary, derived=derived)
    actions = tuple(read_action(vocabulary, form) for form in rest if form.head == ":action")
    for form, action in zip((f for f in rest if f.head == ":action"), actions, strict=True):
        if next(a for a in actions if a.name == action.name) is not action:
            raise vocabulary.error(f"the action '{action.name}' is declared twice, expected once", form)
    changed = {effect.atom.predicate for action in actions for effect in action.effects}
    static = frozenset(predicates) - derived - changed
    spelling = read_spelling(source, *(sections.get(name) for name in (":types", ":constants", ":predicates")))
    domain = Domain(name, source, types, predicates, static, derived, constants, actions, axioms, functions, spelling)
    return domain, vocabulary


def _check_depth(source: Source, whole: Form) -> None:
    level: list[Form] = [whole]
    for _ in range(DEEPEST_DOMAIN):
        level = [item for form in level for item in form.items if isinstance(item, Form)]
        if not level:
            return
    message = f"more than {DEEPEST_DOMAIN} nested lists are not supported in a domain, expected fewer"
    raise UnsupportedError(message, at(source, level[0].start))
