"""Conditions of PDDL files (goals, preconditions, bodies of axioms) as formulas, at any depth and in linear time."""

from collections.abc import Callable
from dataclasses import dataclass, field

from skolem.pddl.counting import SHAPES, Counter
from skolem.pddl.declarations import name_types, split_typed
from skolem.pddl.faults import expect_form, expect_symbol, expect_variable
from skolem.pddl.names import Names
from skolem.pddl.sexpr import Form, Node, Symbol
from skolem.support.errors import SkolemError
from skolem.task.formulas import And, Atom, Equal, Exists, Forall, Formula, Not, Or, Variable
from skolem.task.scopes import VariableNames

_COMPARISONS = frozenset({"<", ">", "<=", ">=", "+", "-", "*", "/"})
_TRAJECTORY = frozenset(
    {"preference", "always", "sometime", "within", "at-most-once", "sometime-after", "sometime-before"}
    | {"always-within", "hold-during", "hold-after", "at", "over"}
)
_CONNECTIVES = ("and", "or", "not", "imply", "exists", "forall")
FAULTY = Atom("", ())
"""What stands for a part with a mistake while the rest is read."""


@dataclass
class Binder:
    """The variables bound at the current point of a walk through nested scopes."""

    names: Names
    unique: VariableNames = field(default_factory=VariableNames)
    scope: dict[str, Variable] = field(default_factory=dict)
    counts: bool = False
    """Whether all objects are known, so that they can be counted."""

    def bind(self, node: Node) -> tuple[tuple[Variable, ...], dict[str, Variable | None]]:
        """Brings the variables of a typed list into scope; also returns what `release` needs to undo that."""
        faults = self.names.faults
        form = expect_form(faults, node, "a list of variables such as '(?x ?y)'")
        variables: list[Variable] = []
        hidden: dict[str, Variable | None] = {}
        for item, written in split_typed(faults, form.items):
            types = name_types(faults, written, self.names.supertypes)
            try:
                symbol = expect_variable(faults, item)
                if symbol.text in hidden:
                    message = f"the variable '{symbol.text}' stands twice in one list, expected once"
                    raise faults.error(message, symbol)
            except SkolemError as error:
                faults.add(error)
                continue
            variable = Variable(self.unique.take(symbol.text), types)
            hidden[symbol.text] = self.scope.get(symbol.text)
            self.scope[symbol.text] = variable
            variables.append(variable)
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
    count: Callable[[Formula], Formula] | None = None
    """What makes a counting formula of its one part."""

    def close(self) -> Formula:
        if self.count is not None:
            return self.count(self.parts[0])
        match self.kind:
            case "and" | "or" if len(self.parts) == 1:
                return self.parts[0]
            case "and":
                return And(tuple(self.parts))
            case "or":
                return Or(tuple(self.parts))
            case "not":
                return negate(self.parts[0])
            case "exists" | "forall" if not self.variables:
                return self.parts[0]
            case "exists":
                return Exists(self.variables, self.parts[0])
            case _:
                return Forall(self.variables, self.parts[0])


def negate(formula: Formula) -> Formula:
    """The negation, without a double one."""
    return formula.body if isinstance(formula, Not) else Not(formula)


def build_condition(binder: Binder, node: Node) -> Formula:
    """The formula of a condition; nested conjunctions and disjunctions are merged, `imply` becomes `or`.

    Mistakes are kept with the other faults of the file.
    """
    whole = _Open("whole")
    opened = [whole]
    # What is still to be read, last first; a connective is opened when its turn comes, None closes the last one.
    ahead: list[Node | _Open | None] = [node]
    while ahead:
        item = ahead.pop()
        if isinstance(item, _Open):
            opened.append(item)
        elif item is None:
            done = opened.pop()
            binder.release(done.hidden)
            opened[-1].parts.append(done.close())
        else:
            try:
                _begin(binder, item, opened, ahead)
            except SkolemError as error:
                binder.names.faults.add(error)
                opened[-1].parts.append(FAULTY)
    return whole.parts[0]


def _begin(binder: Binder, node: Node, opened: list[_Open], ahead: list[Node | _Open | None]) -> None:
    """Reads an atom, or opens a connective and puts its parts ahead."""
    form = expect_form(binder.names.faults, node, "a condition such as '(and ...)' or '(predicate ...)'")
    kind = form.head
    parts = form.items[1:]
    if kind in SHAPES and kind not in binder.names.predicates:
        opened.append(_open_count(binder, form))
        ahead += [None, parts[-1]]
    elif kind not in _CONNECTIVES:
        opened[-1].parts.append(_build_atom(binder, form))
    elif kind in ("and", "or") and (len(parts) == 1 or opened[-1].kind == kind):
        ahead.extend(reversed(parts))
    elif kind == "imply":
        _expect_parts(binder.names, form, 2)
        if opened[-1].kind != "or":
            opened.append(_Open("or"))
            ahead.append(None)
        ahead.extend((parts[1], None, parts[0], _Open("not")))
    else:
        variables: tuple[Variable, ...] = ()
        hidden: dict[str, Variable | None] = {}
        if kind in ("exists", "forall"):
            _expect_parts(binder.names, form, 2)
            variables, hidden = binder.bind(parts[0])
            parts = parts[1:]
        elif kind == "not":
            _expect_parts(binder.names, form, 1)
        opened.append(_Open(kind, variables=variables, hidden=hidden))
        ahead.append(None)
        ahead.extend(reversed(parts))


def _open_count(binder: Binder, form: Form) -> _Open:
    if not binder.counts:
        message = f"'{form.head}' outside a goal is not supported, expected it in the ':goal' of a problem"
        raise binder.names.faults.unsupported(message, form)
    bound: list[dict[str, Variable | None]] = []

    def bind(node: Node) -> tuple[Variable, ...]:
        variables, hidden = binder.bind(node)
        bound.append(hidden)
        return variables

    names = binder.names
    count = Counter(names.faults, names.supertypes, names.objects, binder.unique).open(form, bind)
    # A name that stands in two lists is hidden by the first.
    return _Open(form.head, hidden={name: v for hidden in reversed(bound) for name, v in hidden.items()}, count=count)


_SHAPES = {
    "not": "'(not CONDITION)'",
    "imply": "'(imply CONDITION CONDITION)'",
    "exists": "'(exists (?x ...) CONDITION)'",
    "forall": "'(forall (?x ...) CONDITION)'",
}


def _expect_parts(names: Names, form: Form, number: int) -> None:
    given = len(form.items) - 1
    if given != number:
        where = form.items[number + 1] if given > number else form
        message = f"'{form.head}' with {given} part{'s' * (given != 1)}, expected {_SHAPES[form.head]}"
        raise names.faults.error(message, where)


def _build_atom(binder: Binder, form: Form) -> Atom | Equal:
    names, faults = binder.names, binder.names.faults
    if not form.items:
        raise faults.error("'()' found, expected a condition such as '(and ...)' or '(predicate ...)'", form)
    symbol = expect_symbol(faults, form.items[0], "'and', 'exists', ... or a predicate")
    name = symbol.text
    if name == "=":
        return _build_equality(binder, form)
    if name in names.predicates:
        return Atom(name, names.check_arguments(form, binder.scope, names.predicates[name]))
    if name in names.functions:
        raise faults.error(f"'{name}' is a function, expected a predicate", symbol)
    if name in _COMPARISONS:
        raise faults.unsupported("numeric conditions are not supported, expected classical PDDL", form)
    if name in _TRAJECTORY:
        raise faults.unsupported(f"conditions with '{name}' are not supported, expected classical PDDL", form)
    raise faults.unknown("predicate", name, symbol, (*names.predicates, *_CONNECTIVES))


def _build_equality(binder: Binder, form: Form) -> Equal:
    names = binder.names
    for node in form.items[1:]:
        known = isinstance(node, Symbol) and (node.text[0] == "?" or node.text in names.objects)
        if not known and (isinstance(node, Form) or node.text[0].isdigit()):
            what = "numeric conditions"
            if isinstance(node, Form) and node.head in names.functions:
                what = f"conditions on the function '{node.head}'"
            raise names.faults.unsupported(f"{what} are not supported, expected classical PDDL", form)
    left, right = names.check_arguments(form, binder.scope, (("object",), ("object",)))
    return Equal(left, right)
