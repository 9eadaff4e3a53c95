"""Tasks in pymimir, for replaying plans and building state spaces.

pymimir gets a text written here from what was read and checked, not the user's own: it demands requirements, an order
of sections and lower case that the planner does not, and some mistakes end its process instead of raising an error.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pymimir

from skolem.pddl.initial_state import make_relation
from skolem.pddl.sexpr import at
from skolem.pddl.writing import Style, format_action, format_axiom, format_formula, format_typed
from skolem.support.errors import InputError, UnsupportedError
from skolem.task.actions import TRUE, Action, Axiom
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, list_parts, list_terms
from skolem.task.model import Domain, Task
from skolem.task.query import Relations
from skolem.task.types import Types

_REQUIREMENTS = (
    ":strips :typing :equality :negative-preconditions :disjunctive-preconditions :existential-preconditions"
    " :universal-preconditions :conditional-effects :derived-predicates :action-costs :numeric-fluents"
)
_EITHER = re.compile(r"\(either [^()]*\)")
# pymimir names its own axioms `axiom_0`, ...
_PLAIN_NAME = re.compile(r"(?!axiom_|escaped-)[a-z][a-z0-9_-]*")


def mimir_name(name: str) -> str:
    """The name in pymimir of a predicate, action, object or variable: another one if it has odd characters.

    >>> mimir_name("on-table"), mimir_name("?x"), mimir_name("a.b")
    ('on-table', '?x', 'escaped-612e62')
    """
    if name[0] == "?":
        return "?" + mimir_name(name[1:])
    return name if _PLAIN_NAME.fullmatch(name) else "escaped-" + name.encode().hex()


def _name_type(name: str) -> str:
    # pymimir makes types predicates, which must not meet the user's predicates of the same name.
    if name == "object" or name[0] == "(":
        return mimir_name(name)
    return "escaped-type-" + mimir_name(name)


_STYLE = Style(mimir_name, _name_type)


def load_problem(task: Task, goal: Formula = TRUE) -> pymimir.Problem:
    """The task in pymimir with another goal, by default none; objects and predicates keep their names."""
    condition = format_formula(goal, _STYLE)
    try:
        domain = pymimir.Domain(_write_domain(task.domain, simplify=bool(task.objects)))
        return pymimir.Problem(domain, _write_problem(task, condition))
    except (RuntimeError, IndexError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        if "stratif" in reason:
            message = "a derived predicate depends on its own negation, expected axioms in layers"
            raise InputError(message, at(task.domain.source, task.domain.axioms[0].start)) from None
        message = f"pymimir, which replays plans, cannot take this task ({reason}), expected another one"
        raise UnsupportedError(message, at(task.source, 0)) from None


def read_initial_state(task: Task) -> Relations:
    """The relations of the initial state, derived predicates evaluated."""
    return state_relations(task, load_problem(task).get_initial_state())


def state_relations(task: Task, state: pymimir.State) -> Relations:
    """The relations of a state: every predicate and every type, over the task's numbered objects."""
    return StateReader(task, state.get_problem()).relations(state)


class StateReader:
    """Turns states of one pymimir problem into relations over the task's numbered objects."""

    def __init__(self, task: Task, problem: pymimir.Problem) -> None:
        advanced = problem._advanced_problem
        self._repositories = advanced.get_repositories()
        number = {mimir_name(name): i for i, name in enumerate(task.objects)}
        objects = advanced.get_problem_and_domain_objects()
        self._number = {obj.get_index(): number[obj.get_name()] for obj in objects}
        domain = problem.get_domain()._advanced_domain
        predicates = (*domain.get_fluent_predicates(), *domain.get_derived_predicates())
        changing = {p.get_name() for p in predicates}
        self._arity = {
            name: len(types) for name, types in task.domain.predicates.items() if mimir_name(name) in changing
        }
        self._name = {mimir_name(name): name for name in self._arity}
        # A predicate that only unreachable effects change is static to pymimir.
        self._constant = {name: rows for name, rows in task.init.items() if name not in self._arity}
        self._known: tuple[dict[int, tuple[str, tuple[int, ...]]], ...] = ({}, {})

    def relations(self, state: pymimir.State) -> Relations:
        """The relations of a state."""
        rows: dict[str, list[tuple[int, ...]]] = {name: [] for name in self._arity}
        advanced = state._advanced_state
        fetch = (self._repositories.get_fluent_ground_atom, self._repositories.get_derived_ground_atom)
        for indices, known, get in zip(
            (advanced.get_fluent_atoms(), advanced.get_derived_atoms()), self._known, fetch, strict=True
        ):
            for index in indices:
                if index not in known:
                    known[index] = self._read_atom(get(index))
                name, objects = known[index]
                if name:
                    rows[name].append(objects)
        return {**self._constant, **{name: make_relation(rows[name], arity) for name, arity in self._arity.items()}}

    def _read_atom(self, atom: Any) -> tuple[str, tuple[int, ...]]:
        name = self._name.get(atom.get_predicate().get_name(), "")
        return name, tuple(self._number[obj.get_index()] for obj in atom.get_objects()) if name else ()


@lru_cache(maxsize=16)
def _write_domain(domain: Domain, simplify: bool) -> str:
    axioms, actions = list(domain.axioms), list(domain.actions)
    if simplify:
        axioms = [replace(axiom, body=_drop_unused(axiom.body)) for axiom in axioms]
        actions = [replace(action, precondition=_drop_unused(action.precondition)) for action in actions]
    actions = [_name_conditions(action, axioms) for action in actions]
    operators = [format_axiom(axiom, _STYLE) for axiom in axioms]
    operators += [format_action(action, _STYLE) for action in actions]
    # To pymimir a variable of `(either a b)` is of both types, but a type may have several supertypes.
    unions = {text: mimir_name(text) for text in _EITHER.findall(" ".join(operators))}
    rules = [_EITHER.sub(lambda match: unions[match[0]], operator) for operator in operators]

    sections = [f"(define (domain {mimir_name(domain.name)})", f"(:requirements {_REQUIREMENTS})"]
    if len(domain.supertypes) > 1:
        parents = format_typed(_list_parents(domain, unions), Style(_name_type, _name_type))
        sections.append(f"(:types {' '.join((*unions.values(), '- object')) if unions else ''} {parents})")
    if domain.constants:
        sections.append(f"(:constants {format_typed(domain.constants.items(), _STYLE)})")
    # Arguments of any type: the planner does not compare them with what conditions and axioms say about them.
    named = {axiom.predicate: tuple(v.types for v in axiom.parameters) for axiom in axioms}
    sections.append(f"(:predicates {_write_signatures({**domain.predicates, **named})})")
    if domain.functions:
        sections.append(f"(:functions {_write_signatures(domain.functions)})")
    return "\n".join((*sections, *rules)) + ")"


def _name_conditions(action: Action, axioms: list[Axiom]) -> Action:
    """The action with universal conditions of universal effects, which pymimir does not take, as new axioms."""
    effects = []
    for effect in action.effects:
        parts = list(list_parts(effect.condition))
        if effect.variables and any(
            isinstance(p, Forall) or (isinstance(p, Not) and _is_compound(p.body)) for p in parts
        ):
            terms = {term for part in parts if isinstance(part, Atom | Equal) for term in list_terms(part)}
            free = tuple(v for v in (*action.parameters, *effect.variables) if v in terms)
            # No name in a file has parentheses, so that this one is new.
            name = f"(condition {len(axioms)})"
            axioms.append(Axiom(name, free, effect.condition))
            effect = replace(effect, condition=Atom(name, free))
        effects.append(effect)
    return replace(action, effects=tuple(effects))


def _drop_unused(formula: Formula) -> Formula:
    """The formula without quantified variables that it does not mention; domains are checked not to nest deeply.

    pymimir would go through all their objects. Only plain objects are dropped: there may be none of a type.
    """
    match formula:
        case And(parts) | Or(parts):
            return type(formula)(tuple(map(_drop_unused, parts)))
        case Not(body):
            return Not(_drop_unused(body))
        case Exists(variables, body) | Forall(variables, body):
            body = _drop_unused(body)
            terms = {term for part in list_parts(body) if isinstance(part, Atom | Equal) for term in list_terms(part)}
            kept = tuple(v for v in variables if v in terms or v.types != ("object",))
            return type(formula)(kept, body) if kept else body
    return formula


def _is_compound(formula: Formula) -> bool:
    return not isinstance(formula, Atom | Equal)


def _list_parents(domain: Domain, unions: Mapping[str, str]) -> Iterator[tuple[str, Types]]:
    for name, above in domain.supertypes.items():
        proper = above - {name}
        implied = {upper for middle in proper for upper in domain.supertypes[middle] - {middle}}
        if name != "object":
            joined = {text for text in unions if _name_type(name) in text.strip("()").split()[1:]}
            yield name, tuple(sorted((proper - implied) | joined))


def _write_signatures(signatures: Mapping[str, tuple[Types, ...]]) -> str:
    lines = []
    for name, parameters in signatures.items():
        variables = "".join(f" ?x{i}" for i in range(len(parameters)))
        lines.append(f"({mimir_name(name)}{variables})")
    return " ".join(lines)


def _write_problem(task: Task, condition: str) -> str:
    names = [mimir_name(name) for name in task.objects]
    objects = list(task.types.items())[len(task.domain.constants) :]
    facts: list[str] = []
    for predicate, rows in task.init.items():
        if predicate in task.domain.predicates and predicate not in task.domain.derived:
            head = mimir_name(predicate)
            facts.extend(f"({' '.join((head, *(names[i] for i in row)))})" for row in rows.tolist())
    # pymimir wants the total cost to have a value where there is a metric.
    values = {("total-cost",): 0, **task.values} if task.has_metric else task.values
    facts.extend(f"(= ({' '.join(map(mimir_name, term))}) {value})" for term, value in values.items())
    return "\n".join(
        (
            f"(define (problem {mimir_name(task.name)}) (:domain {mimir_name(task.domain.name)})",
            f"(:objects {format_typed(objects, _STYLE)})" if objects else "",
            f"(:init {' '.join(facts)})",
            f"(:goal {condition})",
            "(:metric minimize (total-cost))" if task.has_metric else "",
            ")",
        )
    )
