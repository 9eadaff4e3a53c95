"""Formulas and grounded goals as PDDL text: only the `(:goal ...)` form of the user's problem is replaced."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from skolem.support.errors import InputError
from skolem.task.formulas import And, Atom, Equal, Exists, Formula, Not, Or, Term, Variable
from skolem.task.model import Binding, Task

Spell = Callable[[str], str]
"""How a name is written: of a predicate, an object, a type or a variable."""


def replace_goal(task: Task, goal_text: str) -> str:
    """The user's problem text with another goal."""
    start, end = task.goal_span
    text = task.source.text
    return f"{text[:start]}(:goal {goal_text}){text[end:]}"


def write_grounded(task: Task, binding: Binding) -> str:
    """The user's problem text with the goal bound to objects."""
    return replace_goal(task, ground_goal(task, binding))


def ground_goal(task: Task, binding: Binding) -> str:
    """The goal after a complete binding; one that cannot hold becomes `(not (= o o))` for some object o.

    True (in)equalities are left out: not every planner reads them between objects.
    """
    goal = task.goal
    if goal.outside is not None:
        return format_formula(goal.formula, spell(task))

    for variable in goal.variables:
        chosen = binding.get(variable.name)
        if chosen not in task.index:
            what = "no object" if chosen is None else f"the unknown object '{chosen}'"
            raise InputError(f"the binding has {what} for '{variable.name}', expected one of the task's objects")

    def ground(term: Term) -> str:
        return binding[term.name] if isinstance(term, Variable) else term

    atoms = dict.fromkeys(Atom(a.predicate, tuple(ground(t) for t in a.terms)) for a in goal.atoms)
    possible = (
        all(_has_type(task, binding[v.name], v.types) for v in goal.variables)
        and all(_is_well_typed(task, atom) for atom in atoms)
        and all(ground(a) == ground(b) for a, b in goal.equalities)
        and all(ground(a) != ground(b) for a, b in goal.inequalities)
    )
    if not possible:
        impossible = task.objects[0]
        return format_formula(Not(Equal(impossible, impossible)), spell(task))
    return format_formula(And(tuple(atoms)), spell(task))


def _has_type(task: Task, name: str, allowed: tuple[str, ...]) -> bool:
    return any(not task.domain.supertypes[own].isdisjoint(allowed) for own in task.types[name])


def _is_well_typed(task: Task, atom: Atom) -> bool:
    parameters = task.domain.predicates[atom.predicate]
    return all(_has_type(task, str(name), types) for name, types in zip(atom.terms, parameters, strict=True))


def spell(task: Task) -> Spell:
    """Spells names as the user does: not every reader takes lower case for upper case."""
    names = {**task.domain.spelling, **task.spelling}
    return lambda name: names.get(name, name)


def format_formula(formula: Formula, spell: Spell = str, spell_type: Spell | None = None) -> str:
    """The formula as PDDL text on one line, types spelled like other names unless `spell_type` is given.

    >>> x = Variable("?x", ("ball",))
    >>> format_formula(Exists((x,), And((Atom("red", (x,)), Not(Equal(x, "b1"))))))
    '(exists (?x - ball) (and (red ?x) (not (= ?x b1))))'
    """
    return "".join(_write(formula, spell, spell_type or spell))


def format_variables(variables: Sequence[Variable], spell: Spell = str, spell_type: Spell | None = None) -> str:
    """The typed list that declares the variables.

    >>> format_variables((Variable("?x"), Variable("?y", ("ball", "room"))))
    '(?x - object ?y - (either ball room))'
    """
    return f"({format_typed([(v.name, v.types) for v in variables], spell, spell_type)})"


def format_typed(
    names: Iterable[tuple[str, tuple[str, ...]]], spell: Spell = str, spell_type: Spell | None = None
) -> str:
    """A typed list without its parentheses; types are left out where there are only plain objects."""
    names = list(names)
    if all(types == ("object",) for _, types in names):
        return " ".join(spell(name) for name, _ in names)
    return " ".join(f"{spell(name)} - {_format_types(types, spell_type or spell)}" for name, types in names)


def _format_types(types: tuple[str, ...], spell: Spell) -> str:
    return spell(types[0]) if len(types) == 1 else f"(either {' '.join(map(spell, types))})"


def _write(formula: Formula, spell: Spell, spell_type: Spell) -> Iterator[str]:
    ahead: list[Formula | str] = [formula]
    while ahead:
        part = ahead.pop()
        match part:
            case str():
                yield part
            case Atom(predicate, terms):
                yield f"({' '.join((spell(predicate), *_name_terms(terms, spell)))})"
            case Equal(left, right):
                yield f"(= {' '.join(_name_terms((left, right), spell))})"
            case Not(body):
                ahead.extend((")", body, "(not "))
            case And(parts) | Or(parts):
                ahead.append(")")
                for inner in reversed(parts):
                    ahead.extend((inner, " "))
                ahead.append("(and" if isinstance(part, And) else "(or")
            case _:
                kind = "exists" if isinstance(part, Exists) else "forall"
                ahead.extend((")", part.body, f"({kind} {format_variables(part.variables, spell, spell_type)} "))


def _name_terms(terms: Iterable[Term], spell: Spell) -> list[str]:
    return [spell(t.name if isinstance(t, Variable) else t) for t in terms]
