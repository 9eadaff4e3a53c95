"""Counting in goals: `exists-n`, and what BDDL counts with, by `and`, `or`, `not`, `exists` and `forall`.

    (exists-n N (?x - T ...) CONDITION)             the condition is true of at least N objects (or tuples of them)
    (forn (N) (?x - T) CONDITION)                   it is true of exactly N objects
    (fornpairs (N) (?x - T) (?y - U) CONDITION)     at least N objects ?x have some ?y and at least N ?y have some ?x
    (forpairs (?x - T) (?y - U) CONDITION)          the same with N the number of objects of T or of U, the lesser

N may stand in parentheses everywhere. The last three mean what the package `bddl` evaluates, which is not always what
their names suggest: pairs need not be disjoint, and where T and U are the same type of m objects, each ?x has m - 1
others, which are told apart by their place among those others.

"At least N" is N variables that differ from each other. "At most N" of m objects is "at least m - N are not", or
"not at least N + 1" where that takes fewer variables.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from skolem.pddl.faults import Faults
from skolem.pddl.sexpr import Form, Node, Symbol
from skolem.support.errors import SkolemError
from skolem.task.formulas import And, Equal, Exists, Forall, Formula, Not, Or, Term, Variable
from skolem.task.scopes import VariableNames, copy_apart
from skolem.task.types import Supertypes, Types, fit

MOST_COUNTED = 100
"""The largest number of different variables, or of combinations, that a count is written with."""

SHAPES = {
    "exists-n": "'(exists-n N (?x ...) CONDITION)'",
    "forn": "'(forn (N) (?x - TYPE) CONDITION)'",
    "forpairs": "'(forpairs (?x - TYPE) (?y - TYPE) CONDITION)'",
    "fornpairs": "'(fornpairs (N) (?x - TYPE) (?y - TYPE) CONDITION)'",
}
Bind = Callable[[Node], tuple[Variable, ...]]
"""Brings the variables of a typed list into scope."""


@dataclass(frozen=True)
class Counter:
    """Makes formulas that count the objects of a problem."""

    faults: Faults
    supertypes: Supertypes
    objects: Mapping[str, Types]
    names: VariableNames

    def open(self, form: Form, bind: Bind) -> Callable[[Formula], Formula]:
        """What makes the counting formula of the condition that is the form's last part."""
        kind, parts = form.head, list(form.items[1:])
        if len(parts) != (4 if kind == "fornpairs" else 3):
            message = f"'{kind}' with {len(parts)} part{'s' * (len(parts) != 1)}, expected {SHAPES[kind]}"
            raise self.faults.error(message, form)
        number = 0 if kind == "forpairs" else self._read_number(parts.pop(0), kind)
        lists = [bind(part) for part in parts[:-1]]
        if not all(lists) or (kind != "exists-n" and any(len(variables) != 1 for variables in lists)):
            how_many = "several variables in one list" if all(lists) else "no variables"
            raise self.faults.error(f"'{kind}' with {how_many}, expected {SHAPES[kind]}", form)
        if kind == "exists-n":
            return lambda body: self._count(form, number, lists[0], body)
        if kind == "forn":
            return lambda body: self._count_exactly(form, number, lists[0][0], body)
        pair = (lists[0][0], lists[1][0])
        return lambda body: self._count_pairs(form, number if kind == "fornpairs" else None, pair, body)

    def _read_number(self, node: Node, kind: str) -> int:
        inside = node.items[0] if isinstance(node, Form) and len(node.items) == 1 else node
        if not isinstance(inside, Symbol) or not inside.text.isdecimal() or len(inside.text) > 9:
            raise self.faults.error(f"no number after '{kind}', expected {SHAPES[kind]}", node)
        return int(inside.text)

    def _list_objects(self, variable: Variable) -> list[str]:
        return [name for name, types in self.objects.items() if fit(self.supertypes, types, variable.types)]

    def _count(self, form: Form, number: int, variables: tuple[Variable, ...], body: Formula) -> Formula:
        """The body is true of at least so many objects."""
        available = 1
        for variable in variables:
            available *= len(self._list_objects(variable))
        if number > available:
            return Or(())
        if number > MOST_COUNTED:
            raise self._refuse(form)
        return count_at_least(number, variables, body, self.names)

    def _count_exactly(self, form: Form, number: int, variable: Variable, body: Formula) -> Formula:
        rest = len(self._list_objects(variable)) - number
        if rest < 0:
            return Or(())
        least = self._count(form, number, (variable,), body)
        fresh = Variable(self.names.take(variable.name), variable.types)
        copy = copy_apart(body, self.names, {variable.name: fresh})
        most = (
            self._count(form, rest, (fresh,), Not(copy))
            if rest <= number + 1
            else Not(self._count(form, number + 1, (fresh,), copy))
        )
        return And((least, most))

    def _count_pairs(self, form: Form, number: int | None, pair: tuple[Variable, Variable], body: Formula) -> Formula:
        """So many objects on each side have a partner on the other; None: as many as there are on the lesser side."""
        first, second = pair
        rows, columns = self._list_objects(first), self._list_objects(second)
        if rows == columns:
            return self._count_others(form, number, pair, body, rows)
        if not set(rows).isdisjoint(columns):
            message = f"the types of '{first.name}' and '{second.name}' share some objects"
            raise self.faults.unsupported(f"{message}, expected the same type or types that share none", form)
        wanted = min(len(rows), len(columns)) if number is None else number
        fresh = [Variable(self.names.take(v.name), v.types) for v in pair]
        copy = copy_apart(body, self.names, {v.name: own for v, own in zip(pair, fresh, strict=True)})
        sides = (
            (first, Exists((second,), body), len(rows)),
            (fresh[1], Exists((fresh[0],), copy), len(columns)),
        )
        return And(
            tuple(
                Forall((variable,), inner) if wanted == available else self._count(form, wanted, (variable,), inner)
                for variable, inner, available in sides
            )
        )

    def _count_others(
        self, form: Form, number: int | None, pair: tuple[Variable, Variable], body: Formula, objects: Sequence[str]
    ) -> Formula:
        """Pairs of different objects of one type, as the rows and columns of a table without its diagonal."""

        def put(*terms: Term) -> Formula:
            return copy_apart(body, self.names, {v.name: t for v, t in zip(pair, terms, strict=True)})

        wanted = max(len(objects) - 1, 0) if number is None else number
        table = [[put(a, b) for b in objects if b != a] for a in objects]
        rows = [Or(tuple(row)) for row in table]
        columns = [Or(tuple(column)) for column in zip(*table, strict=True)]
        if max(comb(len(lines), wanted) for lines in (rows, columns)) > MOST_COUNTED:
            raise self._refuse(form)
        return And(tuple(Or(tuple(And(some) for some in combinations(lines, wanted))) for lines in (rows, columns)))

    def _refuse(self, form: Form) -> SkolemError:
        return self.faults.unsupported(
            f"'{form.head}' that needs more than {MOST_COUNTED} variables, expected fewer", form
        )


def count_at_least(number: int, variables: tuple[Variable, ...], body: Formula, names: VariableNames) -> Formula:
    """The body is true of at least so many different objects, or tuples of objects, of the variables' types."""
    if number == 0:
        return And(())
    tuples, bodies = [variables], [body]
    for _ in range(number - 1):
        fresh = tuple(Variable(names.take(v.name), v.types) for v in variables)
        tuples.append(fresh)
        bodies.append(copy_apart(body, names, {v.name: own for v, own in zip(variables, fresh, strict=True)}))
    different = [_differ(some, others) for some, others in combinations(tuples, 2)]
    return Exists(tuple(v for some in tuples for v in some), And((*bodies, *different)))


def _differ(some: Sequence[Variable], others: Sequence[Variable]) -> Formula:
    parts = tuple(Not(Equal(a, b)) for a, b in zip(some, others, strict=True))
    return parts[0] if len(parts) == 1 else Or(parts)
