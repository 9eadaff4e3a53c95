"""Formulas, actions and axioms as PDDL text, and problems with another goal."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from skolem.task.actions import Action, Axiom, Effect
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Term, Variable
from skolem.task.goals import ground_goal
from skolem.task.model import Binding, Task
from skolem.task.types import Types

Spell = Callable[[str], str]
"""How a name is written."""


@dataclass(frozen=True)
class Style:
    """How a reader of PDDL wants names and types written."""

    spell: Spell = str
    """How names of predicates, objects and variables are written."""
    spell_type: Spell = str
    find_union: Callable[[Types], str] | None = None
    """The static predicate of the objects of several types, for a reader that takes no `either`."""

    def declare(self, variables: Sequence[Variable]) -> tuple[str, list[Formula]]:
        """The typed list of the variables without its parentheses, and the conditions that stand for unions."""
        if self.find_union is None:
            return format_typed([(v.name, v.types) for v in variables], self), []
        typed = [(v.name, v.types if len(v.types) == 1 else ("object",)) for v in variables]
        guards: list[Formula] = [Atom(self.find_union(v.types), (v,)) for v in variables if len(v.types) > 1]
        return format_typed(typed, self), guards


PLAIN = Style()


def write_grounded(task: Task, binding: Binding) -> str:
    """The user's problem text with the goal bound to objects."""
    return replace_goal(task, ground_goal(task, binding))


def replace_goal(task: Task, goal: Formula) -> str:
    """The user's problem text with another goal: nothing but the `(:goal ...)` form changes."""
    start, end = task.goal_span
    text = task.source.text
    return f"{text[:start]}(:goal {format_formula(goal, spell_as_written(task))}){text[end:]}"


def spell_as_written(task: Task) -> Style:
    """Spells names as the user does: not every reader takes lower case for upper case."""
    names = {**task.domain.spelling, **task.spelling}

    def spell(name: str) -> str:
        return names.get(name, name)

    return Style(spell, spell)


def format_formula(formula: Formula, style: Style = PLAIN) -> str:
    """The formula as PDDL text on one line.

    >>> x = Variable("?x", ("ball",))
    >>> format_formula(Exists((x,), And((Atom("red", (x,)), Not(Equal(x, "b1"))))))
    '(exists (?x - ball) (and (red ?x) (not (= ?x b1))))'
    """
    return "".join(_write(formula, style))


def format_atom(atom: Atom, style: Style = PLAIN) -> str:
    """The atom as PDDL text, also for atoms of functions and for the heads of axioms."""
    return f"({' '.join((style.spell(atom.predicate), *_name_terms(atom.terms, style)))})"


def format_typed(names: Iterable[tuple[str, Types]], style: Style = PLAIN) -> str:
    """A typed list without its parentheses; types are left out where there are only plain objects.

    >>> format_typed([("?x", ("object",)), ("?y", ("ball", "room"))])
    '?x - object ?y - (either ball room)'
    """
    names = list(names)
    if all(types == ("object",) for _, types in names):
        return " ".join(style.spell(name) for name, _ in names)
    return " ".join(f"{style.spell(name)} - {_format_types(types, style.spell_type)}" for name, types in names)


def format_action(action: Action, style: Style = PLAIN) -> str:
    """The `(:action ...)` form."""
    variables, guards = style.declare(action.parameters)
    condition = And((*guards, action.precondition)) if guards else action.precondition
    effects = [_format_effect(effect, style) for effect in action.effects]
    for cost in action.costs:
        amount = cost if isinstance(cost, str) else format_atom(cost, style)
        effects.append(f"(increase (total-cost) {amount})")
    return (
        f"(:action {style.spell(action.name)} :parameters ({variables})"
        f" :precondition {format_formula(condition, style)} :effect (and {' '.join(effects)}))"
    )


def format_axiom(axiom: Axiom, style: Style = PLAIN) -> str:
    """The `(:derived ...)` form."""
    variables, guards = style.declare(axiom.parameters)
    head = f"{style.spell(axiom.predicate)} {variables}".strip()
    body = And((*guards, axiom.body)) if guards else axiom.body
    return f"(:derived ({head}) {format_formula(body, style)})"


def _format_effect(effect: Effect, style: Style) -> str:
    variables, guards = style.declare(effect.variables)
    condition = And((*guards, effect.condition)) if guards else effect.condition
    text = format_formula(effect.atom if effect.positive else Not(effect.atom), style)
    if not isinstance(condition, And) or condition.parts:
        text = f"(when {format_formula(condition, style)} {text})"
    return f"(forall ({variables}) {text})" if variables else text


def _format_types(types: Types, spell: Spell) -> str:
    return spell(types[0]) if len(types) == 1 else f"(either {' '.join(map(spell, types))})"


def _write(formula: Formula, style: Style) -> Iterator[str]:
    """The pieces of the text, without recursion because goals may be nested to any depth."""
    ahead: list[Formula | str] = [formula]
    while ahead:
        part = ahead.pop()
        match part:
            case str():
                yield part
            case Atom():
                yield format_atom(part, style)
            case Equal(left, right):
                yield f"(= {' '.join(_name_terms((left, right), style))})"
            case Not(body):
                ahead.extend((")", body, "(not "))
            case And(parts) | Or(parts):
                ahead.append(")")
                for inner in reversed(parts):
                    ahead.extend((inner, " "))
                ahead.append("(and" if isinstance(part, And) else "(or")
            case Exists(variables, body):
                text, guards = style.declare(variables)
                ahead.extend((")", And((*guards, body)) if guards else body, f"(exists ({text}) "))
            case Forall(variables, body):
                text, guards = style.declare(variables)
                ahead.extend((")", Or((*map(Not, guards), body)) if guards else body, f"(forall ({text}) "))


def _name_terms(terms: Iterable[Term], style: Style) -> list[str]:
    return [style.spell(t.name if isinstance(t, Variable) else t) for t in terms]
