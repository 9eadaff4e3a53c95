"""What is to be drawn: the state, or the goal, as tokens and the facts between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from skolem.support.errors import InputError
from skolem.task.formulas import And, Exists, Forall, Formula, Not, Or, Term, Variable
from skolem.task.model import Binding, Task, type_relation

SHADES = {
    "red": "#D1362F",
    "blue": "#2F62BC",
    "green": "#3BAA86",
    "yellow": "#FBEA6E",
    "orange": "#EE8F2C",
    "purple": "#C79BE0",
}
"""Shades that stay apart under the common kinds of colour blindness and, mostly, in grey print."""


_EXAMPLES = 3


@dataclass(frozen=True)
class Token:
    """An object or a variable as it is drawn."""

    name: str
    kinds: frozenset[str] = field(default=frozenset(), compare=False)
    """The static unary predicates that it has (object) or must have (variable)."""
    type: str = field(default="object", compare=False)
    variable: bool = False
    note: str = field(default="", compare=False)
    """In the state the variables bound to the object, in the goal the object bound to the variable."""

    @property
    def colour(self) -> str | None:
        """The name of its colour."""
        return next((name for name in SHADES if name in self.kinds), None)


@dataclass(frozen=True)
class Scene:
    """Tokens and facts; of a goal only what it asks for."""

    tokens: tuple[Token, ...]
    facts: Mapping[str, tuple[tuple[Token, ...], ...]]
    is_goal: bool = False

    @cached_property
    def order(self) -> dict[Token, int]:
        """The place of every token."""
        return {token: i for i, token in enumerate(self.tokens)}

    def list_facts(self, predicate: str) -> tuple[tuple[Token, ...], ...]:
        """The tuples of a predicate."""
        return self.facts.get(predicate, ())

    def list_members(self, predicate: str) -> list[Token]:
        """The tokens that have a unary predicate, static or not."""
        asked = {row[0] for row in self.list_facts(predicate)}
        return [token for token in self.tokens if token in asked or predicate in token.kinds]

    def sort(self, tokens: Sequence[Token]) -> list[Token]:
        """The tokens without repetition, in the scene's order."""
        return sorted(set(tokens), key=self.order.__getitem__)


def show_variable(name: str) -> str:
    """A variable's name as it is printed: `x1` for `?x1`."""
    return name.removeprefix("?")


def complete_binding(task: Task, binding: Binding | None) -> dict[str, str]:
    """The binding by the goal's own variable names; an InputError names what the task does not have."""
    names = [v.name for v in list_variables(task)]
    known = {show_variable(name): name for name in names}
    result = {}
    for variable, obj in (binding or {}).items():
        if show_variable(variable) not in known:
            expected = "one of " + ", ".join(names) if names else "none, for the goal has no variables"
            raise InputError(f"binding: unknown variable {variable!r}, expected {expected}")
        if obj not in task.index:
            raise InputError(f"binding: {variable} is bound to {obj!r}, which is no object of {task.name}")
        result[known[show_variable(variable)]] = obj
    return result


def list_variables(task: Task) -> list[Variable]:
    """The variables of the goal, also of one outside the fragment."""
    if task.goal.outside is None:
        return list(task.goal.variables)
    found: list[Variable] = []
    waiting: list[Formula] = [task.goal.formula]
    while waiting:
        match waiting.pop():
            case Exists(variables, body) | Forall(variables, body):
                found.extend(variables)
                waiting.append(body)
            case And(parts) | Or(parts):
                waiting.extend(reversed(parts))
            case Not(body):
                waiting.append(body)
            case _:
                pass
    return found


def make_state_scene(task: Task, binding: Binding) -> Scene:
    """The initial state, with the bound variables noted at their objects."""
    notes: dict[str, list[str]] = {}
    for variable, obj in binding.items():
        notes.setdefault(obj, []).append(show_variable(variable))
    kinds = _collect_kinds(task)
    tokens = tuple(
        Token(name, frozenset(kinds[i]), show_types(task.types.get(name, ())), note=", ".join(notes.get(name, ())))
        for i, name in enumerate(task.objects)
    )
    facts = {
        name: tuple(tuple(tokens[i] for i in row) for row in sorted(map(tuple, rows.tolist())))
        for name, rows in task.init.items()
        if not name.startswith("type:")
    }
    return Scene(tokens, facts)


def make_goal_scene(task: Task, binding: Binding) -> Scene:
    """What the goal's atoms ask for; nothing for a goal outside the fragment."""
    goal, kinds = task.goal, _collect_kinds(task)
    asked: dict[str, set[str]] = {v.name: set() for v in goal.variables}
    for atom in goal.atoms:
        term = atom.terms[0] if len(atom.terms) == 1 else None
        if isinstance(term, Variable) and atom.predicate in task.domain.static:
            asked[term.name].add(atom.predicate)

    def make_token(term: Term) -> Token:
        if isinstance(term, Variable):
            note = binding.get(term.name, "")
            return Token(show_variable(term.name), frozenset(asked[term.name]), show_types(term.types), True, note)
        return Token(term, frozenset(kinds[task.index[term]]), show_types(task.types.get(term, ())))

    facts: dict[str, list[tuple[Token, ...]]] = {}
    for atom in goal.atoms:
        facts.setdefault(atom.predicate, []).append(tuple(make_token(t) for t in atom.terms))
    named = {t for atom in goal.atoms for t in atom.terms if isinstance(t, str)}
    terms: list[Term] = [*goal.variables, *sorted(named, key=task.index.__getitem__)]
    return Scene(tuple(map(make_token, terms)), {name: tuple(rows) for name, rows in facts.items()}, is_goal=True)


def list_relevant(task: Task, binding: Binding) -> list[str]:
    """The objects a partial picture of the state must have: bound ones, named ones, some that variables may take."""
    names = [*binding.values(), *(t for atom in task.goal.atoms for t in atom.terms if isinstance(t, str))]
    kinds, scene = _collect_kinds(task), make_goal_scene(task, binding)
    for token, variable in zip(scene.tokens, task.goal.variables, strict=False):
        typed = task.init.get(type_relation(variable.types))
        fitting = range(len(task.objects)) if typed is None else typed[:, 0].tolist()
        names += [task.objects[i] for i in fitting if token.kinds <= kinds[i]][:_EXAMPLES]
    return names


def show_types(types: tuple[str, ...]) -> str:
    """Types as one word."""
    return "|".join(types) or "object"


def _collect_kinds(task: Task) -> list[set[str]]:
    kinds: list[set[str]] = [set() for _ in task.objects]
    for name in sorted(task.domain.static):
        rows = task.init.get(name)
        if rows is not None and rows.ndim == 2 and rows.shape[1] == 1:
            for obj in rows[:, 0].tolist():
                kinds[obj].add(name)
    return kinds
