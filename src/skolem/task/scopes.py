"""Variables and where they are bound: free variables of formulas, and names that no two quantifiers share."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from skolem.task.formulas import (
    And,
    Atom,
    Equal,
    Exists,
    Forall,
    Formula,
    Not,
    Or,
    Term,
    Variable,
    list_terms,
)


@dataclass
class VariableNames:
    """Gives every variable a name of its own: the second `?x` becomes `?x@2`."""

    used: set[str] = field(default_factory=set)
    _last: dict[str, int] = field(default_factory=dict)

    def take(self, name: str) -> str:
        """A new name for a variable written as `name`."""
        number = self._last.get(name, 0) + 1
        while (unique := name if number == 1 else f"{name}@{number}") in self.used:
            number += 1
        self._last[name] = number
        self.used.add(unique)
        return unique


def list_inside(formula: Formula) -> tuple[Formula, ...]:
    """The formulas of which a formula is made directly."""
    match formula:
        case And(parts) | Or(parts):
            return parts
        case Not(body) | Exists(_, body) | Forall(_, body):
            return (body,)
        case _:
            return ()


def list_shared(formula: Formula) -> Iterator[Formula]:
    """The formula and all formulas in it, each once even if it stands in several places."""
    seen: set[int] = set()
    ahead = [formula]
    while ahead:
        part = ahead.pop()
        if id(part) not in seen:
            seen.add(id(part))
            yield part
            ahead.extend(reversed(list_inside(part)))


def find_free(formula: Formula) -> dict[Formula, tuple[str, ...]]:
    """The names of the free variables of the formula and of every formula in it, sorted."""
    free: dict[Formula, tuple[str, ...]] = {}
    stack = [formula]
    while stack:
        part = stack[-1]
        inside = list_inside(part)
        waiting = [p for p in inside if p not in free]
        if waiting:
            stack.extend(waiting)
            continue
        stack.pop()
        if isinstance(part, Atom | Equal):
            names = {term.name for term in list_terms(part) if isinstance(term, Variable)}
        else:
            names = set().union(*(free[p] for p in inside))
        if isinstance(part, Exists | Forall):
            names.difference_update(v.name for v in part.variables)
        free[part] = tuple(sorted(names))
    return free


def count_parts(formula: Formula) -> int:
    """The number of formulas in a formula, itself included, each as often as it stands there."""
    count: dict[Formula, int] = {}
    stack = [formula]
    while stack:
        inside = list_inside(stack[-1])
        waiting = [part for part in inside if part not in count]
        if waiting:
            stack.extend(waiting)
        else:
            count[stack.pop()] = 1 + sum(count[part] for part in inside)
    return count[formula]


def copy_apart(formula: Formula, names: VariableNames, env: Mapping[str, Term] | None = None) -> Formula:
    """The formula with new names for the variables of all quantifiers; a part is copied for each place of it.

    `env` has what is to stand for free variables.
    """
    scope: dict[str, list[Term]] = {name: [term] for name, term in (env or {}).items()}
    made: list[list[Formula]] = [[]]
    ahead: list[tuple[Formula, tuple[Variable, ...] | None]] = [(formula, None)]

    def resolve(term: Term) -> Term:
        return scope[term.name][-1] if isinstance(term, Variable) and scope.get(term.name) else term

    while ahead:
        part, own = ahead.pop()
        if own is not None:
            made[-2].append(_rebuild(part, own, tuple(made.pop())))
            for variable in part.variables if isinstance(part, Exists | Forall) else ():
                scope[variable.name].pop()
            continue
        match part:
            case Atom(predicate, terms):
                made[-1].append(Atom(predicate, tuple(map(resolve, terms))))
            case Equal(left, right):
                made[-1].append(Equal(resolve(left), resolve(right)))
            case _:
                own = ()
                if isinstance(part, Exists | Forall):
                    own = tuple(Variable(names.take(v.name), v.types) for v in part.variables)
                    for variable, fresh in zip(part.variables, own, strict=True):
                        scope.setdefault(variable.name, []).append(fresh)
                made.append([])
                ahead.append((part, own))
                ahead.extend((inside, None) for inside in reversed(list_inside(part)))
    return made[0][0]


def _rebuild(formula: Formula, variables: tuple[Variable, ...], parts: tuple[Formula, ...]) -> Formula:
    match formula:
        case And():
            return And(parts)
        case Or():
            return Or(parts)
        case Not():
            return Not(parts[0])
        case Exists():
            return Exists(variables, parts[0])
        case _:
            return Forall(variables, parts[0])
