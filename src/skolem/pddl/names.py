"""The names that a PDDL file may use at some point, and the checks and error messages that go with them."""

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from skolem.pddl.sexpr import Form, Node, Symbol, at
from skolem.support.errors import InputError, UnsupportedError
from skolem.task.formulas import Term, Variable
from skolem.task.model import Source

Types = tuple[str, ...]
Scope = Mapping[str, Variable]
"""The variables that are bound at some point, by the name used there."""


@dataclass(frozen=True)
class Names:
    """Declared types, predicates, functions and objects, for checking one file."""

    source: Source
    supertypes: Mapping[str, frozenset[str]]
    predicates: Mapping[str, tuple[Types, ...]]
    functions: Mapping[str, tuple[Types, ...]]
    objects: Mapping[str, Types]
    derived: Collection[str] = ()
    _overlaps: dict[tuple[Types, Types], bool] = field(default_factory=dict, repr=False)

    def fits(self, types: Types, allowed: Types) -> bool:
        """Whether an object of these types is of an allowed type."""
        return any(not self.supertypes[t].isdisjoint(allowed) for t in types)

    def overlaps(self, types: Types, allowed: Types) -> bool:
        """Whether some object could be of one of the types and of an allowed type."""
        known = self._overlaps.get((types, allowed))
        if known is None:
            both = (s for s in self.supertypes.values() if not s.isdisjoint(types))
            known = self._overlaps[types, allowed] = any(not s.isdisjoint(allowed) for s in both)
        return known

    def check_term(self, node: Node, scope: Scope, allowed: Types) -> Term:
        """The variable or the object that a node names."""
        name = expect_symbol(self.source, node, "the name of an object or a variable").text
        if name[0] == "?":
            variable = scope.get(name)
            if variable is None:
                expected = suggest(name, scope) or "a variable of an enclosing '(exists (...) ...)'"
                raise self.error(f"the variable '{name}' is free, expected {expected}", node)
            if not self.overlaps(variable.types, allowed):
                raise self.error(f"'{name}' is of type {join(variable.types)}, expected {join(allowed)}", node)
            return variable
        return self.check_object(node, allowed)

    def check_object(self, node: Node, allowed: Types) -> str:
        """The object that a node names."""
        name = expect_symbol(self.source, node, "the name of an object").text
        types = self.objects.get(name)
        if types is None:
            expected = suggest(name, self.objects) or "a declared object or constant"
            raise self.error(f"unknown object '{name[:40]}', expected {expected}", node)
        if types != allowed and not self.fits(types, allowed):
            raise self.error(f"'{name}' is of type {join(types)}, expected {join(allowed)}", node)
        return name

    def check_arguments(self, form: Form, scope: Scope, parameters: Sequence[Types]) -> tuple[Term, ...]:
        """The arguments of an atom or function term, one for each parameter."""
        self._check_arity(form, parameters)
        return tuple(self.check_term(n, scope, t) for n, t in zip(form.items[1:], parameters, strict=True))

    def check_objects(self, form: Form, parameters: Sequence[Types]) -> list[str]:
        """The arguments of a fact, one object for each parameter."""
        self._check_arity(form, parameters)
        return [self.check_object(n, t) for n, t in zip(form.items[1:], parameters, strict=True)]

    def _check_arity(self, form: Form, parameters: Sequence[Types]) -> None:
        if len(form.items) - 1 != len(parameters):
            given, wanted = len(form.items) - 1, len(parameters)
            where = form.items[wanted + 1] if given > wanted else form
            raise self.error(f"'{form.head}' with {given} argument{'s' * (given != 1)}, expected {wanted}", where)

    def error(self, message: str, node: Node) -> InputError:
        """The error at a node of the file."""
        return InputError(message, at(self.source, node.start))

    def unsupported(self, what: str, node: Node) -> UnsupportedError:
        """The error for correct PDDL that the classical planner does not take."""
        return UnsupportedError(f"{what} not supported, expected classical PDDL", at(self.source, node.start))


def expect_symbol(source: Source, node: Node, expected: str) -> Symbol:
    """The node, which must be a word."""
    if isinstance(node, Form):
        raise InputError(f"'(' found, expected {expected}", at(source, node.start))
    return node


def expect_form(source: Source, node: Node, expected: str) -> Form:
    """The node, which must be a list."""
    if isinstance(node, Symbol):
        raise InputError(f"'{node.text[:40]}' found, expected {expected}", at(source, node.start))
    return node


def expect_name(source: Source, node: Node, what: str) -> Symbol:
    """The node, which must be a word that can name something."""
    symbol = expect_symbol(source, node, f"the name of {what}")
    if symbol.text[0] in "?:" or symbol.text == "-":
        raise InputError(f"'{symbol.text[:40]}' found, expected the name of {what}", at(source, node.start))
    return symbol


def suggest(name: str, known: Iterable[str]) -> str:
    """The known name that is meant most likely, in quotes; or a few known names; or an empty string."""
    names = list(known)
    close = difflib.get_close_matches(name, names, 1) or (names if len(names) <= 4 else [])
    return join([f"'{n}'" for n in close])


def join(names: Sequence[str]) -> str:
    """The names as a choice.

    >>> join(("ball", "room"))
    'ball or room'
    """
    return " or ".join(names)
