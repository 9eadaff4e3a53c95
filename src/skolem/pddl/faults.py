"""The mistakes in one file: reading goes on behind each, so that the user hears of all of them at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from skolem.pddl.sexpr import Form, Node, Symbol, at, parse_form
from skolem.support.errors import InputError, SkolemError, UnsupportedError
from skolem.task.model import Source

MOST_ERRORS = 20
"""How many errors of a file are reported."""

_EXAMPLES = {"object": "a declared object or constant", "requirement": "a requirement such as ':typing'"}


class _Repeated(InputError):
    """The same unknown name again, which was reported already."""


@dataclass(eq=False)
class Faults:
    """The errors and warnings found in a file so far."""

    source: Source
    warnings: list[str] = field(default_factory=list)
    _errors: list[SkolemError] = field(default_factory=list)
    _unknown: set[tuple[str, str]] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self._errors)

    def parse(self) -> Form:
        """The form that the file consists of, with a warning where commas are taken for spaces."""
        commas: list[int] = []
        whole = parse_form(self.source, commas)
        if commas:
            more = f" (and {len(commas) - 1} more)" * (len(commas) > 1)
            self._warn(f"',' has no meaning in PDDL, taken for a space{more}", commas[0])
        return whole

    def error(self, message: str, node: Node) -> InputError:
        """The error at a node of the file."""
        return InputError(message, at(self.source, node.start))

    def unsupported(self, message: str, node: Node) -> UnsupportedError:
        """The error for correct PDDL at a node that the classical planner does not take."""
        return UnsupportedError(message, at(self.source, node.start))

    def unknown(self, what: str, name: str, node: Node, known: Iterable[str], remedy: str = "") -> InputError:
        """The error for a name that was not declared, with the one that is meant most likely; reported once."""
        if (what, name) in self._unknown:
            return _Repeated("")
        self._unknown.add((what, name))
        expected = join([word for word in (suggest(name, known), remedy) if word])
        expected = expected or _EXAMPLES.get(what, f"a declared {what}")
        return self.error(f"unknown {what} '{name[:40]}', expected {expected}", node)

    def add(self, error: SkolemError) -> None:
        """Keeps an error for later; raises them all where there are many."""
        if error.others:
            raise error
        if not isinstance(error, _Repeated):
            self._errors.append(error)
        if len(self._errors) == MOST_ERRORS:
            self._raise()

    def finish(self) -> None:
        """Raises the first error, with the others beside it, if there is any."""
        if self._errors:
            self._raise()

    def warn(self, message: str, node: Node) -> None:
        """Keeps a word on something that is wrong but clear."""
        self._warn(message, node.start)

    def _warn(self, message: str, offset: int) -> None:
        place = at(self.source, offset)
        self.warnings.append(f"{place.path}:{place.line}:{place.column}: {message}")

    def _raise(self) -> NoReturn:
        first, *others = self._errors
        first.others = tuple(others)
        raise first


def expect_symbol(faults: Faults, node: Node, expected: str) -> Symbol:
    """The node, which must be a word."""
    if isinstance(node, Form):
        raise faults.error(f"'(' found, expected {expected}", node)
    return node


def expect_form(faults: Faults, node: Node, expected: str) -> Form:
    """The node, which must be a list."""
    if isinstance(node, Symbol):
        raise faults.error(f"'{node.text[:40]}' found, expected {expected}", node)
    return node


def expect_name(faults: Faults, node: Node, what: str) -> Symbol:
    """The node, which must be a word that can name something."""
    symbol = expect_symbol(faults, node, f"the name of {what}")
    if symbol.text[0] in "?:" or symbol.text == "-":
        raise faults.error(f"'{symbol.text[:40]}' found, expected the name of {what}", node)
    return symbol


def expect_variable(faults: Faults, node: Node) -> Symbol:
    """The node, which must be a word that can name a variable."""
    symbol = expect_symbol(faults, node, "a variable such as '?x'")
    if symbol.text[0] != "?":
        raise faults.error(f"'{symbol.text[:40]}' found, expected a variable such as '?x'", node)
    return symbol


def suggest(name: str, known: Iterable[str]) -> str:
    """The known name that is meant most likely, in quotes; or a few known names; or an empty string."""
    from difflib import get_close_matches

    names = list(known)
    close = get_close_matches(name, names, 1) or (names if len(names) <= 4 else [])
    return join([f"'{n}'" for n in close])


def join(names: Sequence[str]) -> str:
    """The names as a choice.

    >>> join(("ball", "room"))
    'ball or room'
    """
    return " or ".join(names)
