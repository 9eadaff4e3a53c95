"""Conditions of PDDL files (goals, preconditions, bodies of axioms) as formulas, at any depth and in linear time."""

from dataclasses import dataclass, field

from skolem.pddl.declarations import name_types, split_typed
from skolem.pddl.names import Names, expect_form, expect_symbol, suggest
from skolem.pddl.sexpr import Form, Node, Symbol
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Variable

_COMPARISONS = frozenset({"<", ">", "<=", ">=", "+", "-", "*", "/"})
_TRAJECTORY = frozenset(
    {"preference", "always", "sometime", "within", "at-most-once", "sometime-after", "sometime-before"}
    | {"always-within", "hold-during", "hold-after", "at", "over"}
)
_CONNECTIVES = ("and", "or", "not", "imply", "exists", "forall")


@dataclass
class VariableNames:
    """Gives every variable of a formula a name of its own: the second `?x` becomes `?x@2`."""

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


@dataclass
class Binder:
    """The variables bound at the current point of a walk through nested scopes."""

    vocabulary: Names
    names: VariableNames = field(default_factory=VariableNames)
    scope: dict[str, Variable] = field(default_factory=dict)

    def bind(self, node: Node, *, empty: bool = False) -> tuple[tuple[Variable, ...], dict[str, Variable | None]]:
        """Brings the variables of a typed list into scope; also returns what `release` needs to undo that."""
        source = self.vocabulary.source
        form = expect_form(source, node, "a list of variables such as '(?x ?y)'")
        variables: list[Variable] = []
        hidden: dict[str, Variable | None] = {}
        for item, written in split_typed(source, form.items):
            symbol = expect_symbol(source, item, "a variable such as '?x'")
            if symbol.text[0] != "?":
                raise self.vocabulary.error(f"'{symbol.text[:40]}' found, expected a variable such as '?x'", symbol)
            if symbol.text in hidden:
                raise self.vocabulary.error(
                    f"the variable '{symbol.text}' stands twice in one list, expected once", symbol
                )
            types = name_types(source, written, self.vocabulary.supertypes)
            variable = Variable(self.names.take(symbol.text), types)
            hidden[symbol.text] = self.scope.get(symbol.text)
            self.scope[symbol.text] = variable
            variables.append(variable)
        if not variables and not empty:
            raise self.vocabulary.error("'()' found, expected a list of variables such as '(?x ?y)'", form)
        return tuple(variables), hidden

    def release(self, hidden: dict[str, Variable | None]) -> None:
        """Takes the variables of a `bind` out of scope again."""
        for name, before in hidden.items():
            if before is None:
                del self.scope[name]
            else:
                self.scope[name] = before


@dataclass
class _Open:
    """A connective whose parts are still being read."""

    kind: str
    parts: list[Formula] = field(default_factory=list)
    variables: tuple[Variable, ...] = ()
    hidden: dict[str, Variable | None] = field(default_factory=dict)

    def close(self) -> Formula:
        match self.kind:
            case "and" | "or" if len(self.parts) == 1:
                return self.parts[0]
            case "and":
                return And(tuple(self.parts))
            case "or":
                return Or(tuple(self.parts))
            case "not":
                return negate(self.parts[0])
            case "exists":
                return Exists(self.variables, self.parts[0])
            case _:
                return Forall(self.variables, self.parts[0])


def negate(formula: Formula) -> Formula:
    """The negation, without a double one."""
    return formula.body if isinstance(formula, Not) else Not(formula)


def build_condition(binder: Binder, node: Node) -> Formula:
    """The formula of a condition; nested conjunctions and disjunctions are merged, `imply` becomes `or`."""
    whole = _Open("whole")
    opened = [whole]
    # What is still to be read, last first; a connective is opened when its turn comes, None closes the last one.
    ahead: list[Node | _Open | None] = [node]
    while ahead:
        item = ahead.pop()
        if isinstance(item, _Open):
            opened.append(item)
            continue
        if item is None:
            done = opened.pop()
            binder.release(done.hidden)
            opened[-1].parts.append(done.close())
            continue
        form = expect_form(binder.vocabulary.source, item, "a condition such as '(and ...)' or '(predicate ...)'")
        kind = form.head
        parts = form.items[1:]
        if kind not in _CONNECTIVES:
            opened[-1].parts.append(_build_atom(binder, form))
        elif kind in ("and", "or") and (len(parts) == 1 or opened[-1].kind == kind):
            ahead.extend(reversed(parts))
        elif kind == "imply":
            _expect_parts(binder.vocabulary, form, 2)
            if opened[-1].kind != "or":
                opened.append(_Open("or"))
                ahead.append(None)
            ahead.extend((parts[1], None, parts[0], _Open("not")))
        else:
            variables: tuple[Variable, ...] = ()
            hidden: dict[str, Variable | None] = {}
            if kind in ("exists", "forall"):
                _expect_parts(binder.vocabulary, form, 2)
                variables, hidden = binder.bind(parts[0])
                parts = parts[1:]
            elif kind == "not":
                _expect_parts(binder.vocabulary, form, 1)
            opened.append(_Open(kind, variables=variables, hidden=hidden))
            ahead.append(None)
            ahead.extend(reversed(parts))
    return whole.parts[0]


_SHAPES = {
    "not": "'(not CONDITION)'",
    "imply": "'(imply CONDITION CONDITION)'",
    "exists": "'(exists (?x ...) CONDITION)'",
    "forall": "'(forall (?x ...) CONDITION)'",
}


def _expect_parts(vocabulary: Names, form: Form, number: int) -> None:
    given = len(form.items) - 1
    if given != number:
        where = form.items[number + 1] if given > number else form
        raise vocabulary.error(
            f"'{form.head}' with {given} part{'s' * (given != 1)}, expected {_SHAPES[form.head]}", where
        )


def _build_atom(binder: Binder, form: Form) -> Atom | Equal:
    vocabulary = binder.vocabulary
    if not form.items:
        raise vocabulary.error("'()' found, expected a condition such as '(and ...)' or '(predicate ...)'", form)
    name = expect_symbol(vocabulary.source, form.items[0], "'and', 'exists', ... or a predicate").text
    if name == "=":
        return _build_equality(binder, form)
    if name in vocabulary.predicates:
        terms = vocabulary.check_arguments(form, binder.scope, vocabulary.predicates[name])
        return Atom(name, terms)
    if name in _COMPARISONS:
        raise vocabulary.unsupported("numeric conditions are", form)
    if name in _TRAJECTORY:
        raise vocabulary.unsupported(f"conditions with '{name}' are", form)
    expected = suggest(name, (*vocabulary.predicates, *_CONNECTIVES)) or "a declared predicate"
    raise vocabulary.error(f"unknown predicate '{name[:40]}', expected {expected}", form.items[0])


def _build_equality(binder: Binder, form: Form) -> Equal:
    for node in form.items[1:]:
        known = isinstance(node, Symbol) and (node.text[0] == "?" or node.text in binder.vocabulary.objects)
        if not known and (isinstance(node, Form) or node.text[0].isdigit()):
            raise binder.vocabulary.unsupported("numeric conditions are", form)
    left, right = binder.vocabulary.check_arguments(form, binder.scope, (("object",), ("object",)))
    return Equal(left, right)
