"""Formulas over objects and variables: the conditions of goals, actions and axioms."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Variable:
    """A quantified variable; `name` is unique in its goal (a second scope's `?x` is named `?x@2`)."""

    name: str
    types: tuple[str, ...] = ("object",)


Term = Variable | str
"""A variable, or the name of an object."""


@dataclass(frozen=True)
class Atom:
    """A predicate applied to terms."""

    predicate: str
    terms: tuple[Term, ...]


@dataclass(frozen=True)
class Equal:
    """Two terms that denote the same object."""

    left: Term
    right: Term


# Compound formulas compare by identity: comparing deep trees by value would recurse.
@dataclass(frozen=True, eq=False)
class Not:
    """The negation of a formula."""

    body: "Formula"


@dataclass(frozen=True, eq=False)
class And:
    """The conjunction of formulas."""

    parts: tuple["Formula", ...]


@dataclass(frozen=True, eq=False)
class Or:
    """The disjunction of formulas."""

    parts: tuple["Formula", ...]


@dataclass(frozen=True, eq=False)
class Exists:
    """A formula that holds for some values of the variables."""

    variables: tuple[Variable, ...]
    body: "Formula"


@dataclass(frozen=True, eq=False)
class Forall:
    """A formula that holds for all values of the variables."""

    variables: tuple[Variable, ...]
    body: "Formula"


Formula = Atom | Equal | Not | And | Or | Exists | Forall
"""A goal's condition; `imply` is read as a disjunction."""


def list_parts(formula: Formula) -> Iterator[Formula]:
    """The formula and all formulas in it, at any depth."""
    ahead: list[Formula] = [formula]
    while ahead:
        part = ahead.pop()
        yield part
        if isinstance(part, And | Or):
            ahead.extend(reversed(part.parts))
        elif not isinstance(part, Atom | Equal):
            ahead.append(part.body)


def list_terms(formula: Atom | Equal) -> tuple[Term, ...]:
    """The terms of an atom or an equality."""
    return formula.terms if isinstance(formula, Atom) else (formula.left, formula.right)
