"""Actions and axioms as canonical text, so that two domains can be told to mean the same."""

from collections.abc import Collection, Mapping, Sequence

from skolem.task.actions import Action, Axiom
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Term, Variable
from skolem.task.model import Domain, Task


def describe_actions(task: Task) -> tuple[str, ...]:
    """The canonical text of a task's actions and axioms, sorted; equal texts mean equal plans.

    Parameters are numbered, types are conditions like unary predicates, and a type that all objects have is none.
    Names of actions do not matter, costs only if plans are compared by them.
    """
    universal = {name for name in task.domain.supertypes if len(task.init[f"type:{name}"]) == len(task.objects)}
    return describe_domain(task.domain, universal, metric=uses_metric(task))


def uses_metric(task: Task) -> bool:
    """Whether plans are compared by something else than their length."""
    return task.has_metric and any(action.costs != ("1",) for action in task.domain.actions)


def describe_domain(domain: Domain, universal: Collection[str], *, metric: bool) -> tuple[str, ...]:
    """The canonical text of a domain's actions and axioms, given the types that all objects have."""
    writer = _Writer({"object", *universal})
    actions = [writer.write_action(action, metric) for action in domain.actions]
    return (*sorted(actions), *sorted(writer.write_axiom(axiom) for axiom in domain.axioms))


Names = Mapping[str, str]
"""What each variable is called in the text."""


class _Writer:
    def __init__(self, universal: Collection[str]) -> None:
        self.universal = frozenset(universal)

    def write_action(self, action: Action, metric: bool) -> str:
        names = _number(action.parameters, {})
        condition = self._join("and", [*self._kinds(action.parameters, names), self.write(action.precondition, names)])
        effects = []
        for effect in action.effects:
            inner = _number(effect.variables, names)
            when = self._join("and", [*self._kinds(effect.variables, inner), self.write(effect.condition, inner)])
            atom = _write_atom(effect.atom.predicate, effect.atom.terms, inner)
            atom = atom if effect.positive else f"(not {atom})"
            effects.append(atom if when == "(and)" else f"{when} -> {atom}")
        costs = [c if isinstance(c, str) else _write_atom(c.predicate, c.terms, names) for c in action.costs]
        cost = f" cost {' + '.join(sorted(costs)) or '0'}" if metric else ""
        return f"{condition} => {'; '.join(sorted(effects))}{cost}"

    def write_axiom(self, axiom: Axiom) -> str:
        names = _number(axiom.parameters, {})
        body = self._join("and", [*self._kinds(axiom.parameters, names), self.write(axiom.body, names)])
        return f"{_write_atom(axiom.predicate, axiom.parameters, names)} <= {body}"

    def write(self, formula: Formula, names: Names) -> str:
        """A condition; the order of its parts does not matter."""
        match formula:
            case Atom(predicate, terms):
                return _write_atom(predicate, terms, names)
            case Equal(left, right):
                return f"(= {' '.join(sorted([_write_term(left, names), _write_term(right, names)]))})"
            case Not(body):
                return f"(not {self.write(body, names)})"
            case And(parts):
                return self._join("and", [self.write(part, names) for part in parts])
            case Or(parts):
                return self._join("or", [self.write(part, names) for part in parts])
            case Exists(variables, body):
                inner = _number(variables, names)
                inside = self._join("and", [*self._kinds(variables, inner), self.write(body, inner)])
                return f"(exists {len(variables)} {inside})"
            case Forall(variables, body):
                inner = _number(variables, names)
                kinds = [f"(not {kind})" for kind in self._kinds(variables, inner)]
                return f"(forall {len(variables)} {self._join('or', [*kinds, self.write(body, inner)])})"

    def _kinds(self, variables: Sequence[Variable], names: Names) -> list[str]:
        """The types of some variables as conditions."""
        return [
            self._join("or", [_write_atom(name, (variable,), names) for name in variable.types])
            for variable in variables
            if not self.universal & set(variable.types)
        ]

    @staticmethod
    def _join(word: str, parts: Sequence[str]) -> str:
        """The parts sorted under one word; parts of the same kind are taken apart first."""
        flat: set[str] = set()
        for part in parts:
            flat |= set(_split(part, word)) if part.startswith(f"({word} ") or part == f"({word})" else {part}
        return next(iter(flat)) if len(flat) == 1 else f"({' '.join([word, *sorted(flat)])})"


def _split(text: str, word: str) -> list[str]:
    """The parts of a conjunction or disjunction in canonical text."""
    parts, depth, start = [], 0, 0
    inside = text[len(word) + 1 : -1]
    for place, letter in enumerate(inside):
        depth += (letter == "(") - (letter == ")")
        if letter == "(" and depth == 1:
            start = place
        if letter == ")" and depth == 0:
            parts.append(inside[start : place + 1])
    return parts


def _number(variables: Sequence[Variable], outer: Names) -> Names:
    return {**outer, **{variable.name: f"?{len(outer) + i}" for i, variable in enumerate(variables)}}


def _write_atom(predicate: str, terms: Sequence[Term], names: Names) -> str:
    return f"({' '.join([predicate, *(_write_term(term, names) for term in terms)])})"


def _write_term(term: Term, names: Names) -> str:
    return names[term.name] if isinstance(term, Variable) else term
