"""The names that a PDDL file may use at some point, and the checks that go with them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from skolem.pddl.faults import Faults, expect_symbol, join, suggest
from skolem.pddl.sexpr import Form, Node
from skolem.task.formulas import Term, Variable
from skolem.task.types import Supertypes, Types, fit, overlap

Scope = Mapping[str, Variable]
"""The variables that are bound at some point, by the name used there."""


@dataclass(frozen=True)
class Names:
    """Declared types, predicates, functions and objects, for checking one file."""

    faults: Faults
    supertypes: Supertypes
    predicates: Mapping[str, tuple[Types, ...]]
    functions: Mapping[str, tuple[Types, ...]]
    objects: Mapping[str, Types]
    derived: Collection[str] = ()
    remedy: str = ""
    """What helps where an object is not declared, for error messages."""
    _overlaps: dict[tuple[Types, Types], bool] = field(default_factory=dict, repr=False)

    def overlap(self, types: Types, allowed: Types) -> bool:
        """Whether some object could be of one of the types and of an allowed type."""
        known = self._overlaps.get((types, allowed))
        if known is None:
            known = self._overlaps[types, allowed] = overlap(self.supertypes, types, allowed)
        return known

    def check_term(self, node: Node, scope: Scope, allowed: Types) -> Term:
        """The variable or the object that a node names."""
        name = expect_symbol(self.faults, node, "the name of an object or a variable").text
        if name[0] == "?":
            variable = scope.get(name)
            if variable is None:
                expected = suggest(name, scope) or "a variable of an enclosing '(exists (...) ...)'"
                raise self.faults.error(f"the variable '{name}' is free, expected {expected}", node)
            if not self.overlap(variable.types, allowed):
                raise self.faults.error(f"'{name}' is of type {join(variable.types)}, expected {join(allowed)}", node)
            return variable
        return self.check_object(node, allowed)

    def check_object(self, node: Node, allowed: Types) -> str:
        """The object that a node names."""
        symbol = expect_symbol(self.faults, node, "the name of an object")
        types = self.objects.get(symbol.text)
        if types is None:
            raise self.faults.unknown("object", symbol.text, node, self.objects, self.remedy)
        if types != allowed and not fit(self.supertypes, types, allowed):
            raise self.faults.error(f"'{symbol.text}' is of type {join(types)}, expected {join(allowed)}", node)
        return symbol.text

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
            message = f"'{form.head}' with {given} argument{'s' * (given != 1)}, expected {wanted}"
            raise self.faults.error(message, where)
