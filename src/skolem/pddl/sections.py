"""PDDL files as definitions with named sections."""

import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from skolem.pddl.faults import Faults, expect_form, expect_name, suggest
from skolem.pddl.sexpr import Form, at
from skolem.support.errors import InputError, Place, SkolemError
from skolem.task.model import Source

DOMAIN_SECTIONS = (":requirements", ":types", ":constants", ":predicates", ":functions")
OPERATORS = (":action", ":derived")
PROBLEM_SECTIONS = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric")
_UNSUPPORTED_SECTIONS = (
    ":durative-action",
    ":process",
    ":event",
    ":constraints",
    ":method",
    ":task",
    ":htn",
)
# A hint for planners, and the ranges of numeric variables, which no task has that can be read here.
_IDLE_SECTIONS = (":length", ":bounds")


def open_definition(faults: Faults, whole: Form, kind: str) -> tuple[str, list[Form]]:
    """The name and the sections of a `(define (domain NAME) ...)` or `(define (problem NAME) ...)`."""
    shape = f"'(define ({kind} NAME) ...)'"
    if whole.head != "define":
        raise faults.error(f"'({whole.head[:40]}' found, expected {shape}", whole)
    if len(whole.items) < 2:
        raise faults.error(f"an empty definition, expected {shape}", whole)
    title = expect_form(faults, whole.items[1], f"'({kind} NAME)'")
    if title.head != kind:
        swapped = {"domain", "problem"} == {title.head, kind}
        hint = ": are the two files swapped?" if swapped else ""
        raise faults.error(f"'({title.head[:40]} ...)' found, expected '({kind} NAME)'{hint}", title)
    if len(title.items) != 2:
        raise faults.error(f"'{kind}' without one name, expected '({kind} NAME)'", title)
    name = expect_name(faults, title.items[1], f"the {kind}").text
    forms = []
    for node in whole.items[2:]:
        try:
            forms.append(expect_form(faults, node, "a section such as '(:init ...)'"))
        except SkolemError as error:
            faults.add(error)
    return name, forms


def split_sections(
    faults: Faults, forms: Sequence[Form], known: Sequence[str], operators: Sequence[str] = ()
) -> tuple[dict[str, Form], list[Form]]:
    """The sections that may stand once, by name, and the operators behind them."""
    sections: dict[str, Form] = {}
    found: list[Form] = []
    misspelled = False
    for form in forms:
        name = form.head
        if name in operators:
            found.append(form)
        elif name in known and name not in sections and not found:
            sections[name] = form
        elif name in _IDLE_SECTIONS:
            faults.warn(f"'{name}' has no meaning for a classical planner, left out", form)
        else:
            faults.add(_refuse_section(faults, form, (*known, *operators), again=name in sections and not found))
            misspelled |= name not in known and name not in _UNSUPPORTED_SECTIONS
    if misspelled:
        # What such a section declares would be unknown everywhere.
        faults.finish()
    return sections, found


def _refuse_section(faults: Faults, form: Form, known: Sequence[str], again: bool) -> SkolemError:
    name = form.head
    if name in _UNSUPPORTED_SECTIONS:
        return faults.unsupported(f"'{name}' is not supported, expected classical PDDL", form)
    if again:
        return faults.error(f"a second '{name}' section, expected one", form)
    if name in known:
        return faults.error(f"'{name}' after the actions, expected it before them", form)
    what = f"'{name[:40]}' found" if name else "a list without a section's name"
    return faults.error(f"{what}, expected {suggest(name, known) or ' or '.join(known)}", form)


STANDARD_INPUT = "-"
"""The name of a file that is none: its text comes through standard input."""


@cache
def _read_standard_input() -> bytes:
    """What comes through standard input, which can be read only once."""
    return sys.stdin.buffer.read()


def read_source(path: str | Path) -> Source:
    """The text of a file, line ends untouched."""
    try:
        data = _read_standard_input() if path == STANDARD_INPUT else Path(path).read_bytes()
    except IsADirectoryError:
        raise InputError("this is a directory, expected a PDDL file", Place(str(path))) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot be read ({reason}), expected a PDDL file", Place(str(path))) from None
    try:
        return Source(str(path), data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        good = Source(str(path), data[: error.start].decode("utf-8-sig"))
        raise InputError("not UTF-8, expected PDDL text", at(good, len(good.text))) from None
