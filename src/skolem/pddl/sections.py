"""PDDL files as definitions with named sections."""

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from skolem.pddl.names import expect_form, expect_name, suggest
from skolem.pddl.sexpr import Form, at
from skolem.support.errors import InputError, Place, UnsupportedError
from skolem.task.model import Source

DOMAIN_SECTIONS = (":requirements", ":types", ":constants", ":predicates", ":functions")
PROBLEM_SECTIONS = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric")
_UNSUPPORTED_SECTIONS = (
    ":durative-action",
    ":process",
    ":event",
    ":constraints",
    ":method",
    ":task",
    ":htn",
    ":length",
)


def open_definition(source: Source, whole: Form, kind: str) -> tuple[str, list[Form]]:
    """The name and the sections of a `(define (domain NAME) ...)` or `(define (problem NAME) ...)`."""
    shape = f"'(define ({kind} NAME) ...)'"
    if whole.head != "define":
        raise InputError(f"'({whole.head[:40]}' found, expected {shape}", at(source, whole.start))
    if len(whole.items) < 2:
        raise InputError(f"an empty definition, expected {shape}", at(source, whole.start))
    title = expect_form(source, whole.items[1], f"'({kind} NAME)'")
    if title.head != kind:
        swapped = {"domain", "problem"} == {title.head, kind}
        hint = ": are the two files swapped?" if swapped else ""
        raise InputError(f"'({title.head[:40]} ...)' found, expected '({kind} NAME)'{hint}", at(source, title.start))
    if len(title.items) != 2:
        raise InputError(f"'{kind}' without one name, expected '({kind} NAME)'", at(source, title.start))
    forms = [expect_form(source, node, "a section such as '(:init ...)'") for node in whole.items[2:]]
    return expect_name(source, title.items[1], f"the {kind}").text, forms


def split_sections(source: Source, forms: Sequence[Form], known: Sequence[str]) -> tuple[dict[str, Form], list[Form]]:
    """The sections that may stand once, by name, up to the first other form, and the forms from there on."""
    sections: dict[str, Form] = {}
    for i, form in enumerate(forms):
        if form.head not in known:
            return sections, list(forms[i:])
        if form.head in sections:
            raise InputError(f"a second '{form.head}' section, expected one", at(source, form.start))
        sections[form.head] = form
    return sections, []


def refuse_section(source: Source, form: Form, known: Sequence[str]) -> NoReturn:
    place = at(source, form.start)
    if form.head in _UNSUPPORTED_SECTIONS:
        raise UnsupportedError(f"'{form.head}' is not supported, expected classical PDDL", place)
    if form.head in known:
        raise InputError(f"'{form.head}' after the actions, expected it before them", place)
    what = f"'{form.head[:40]}' found" if form.head else "a list without a section's name"
    raise InputError(f"{what}, expected {suggest(form.head, known) or ' or '.join(known)}", place)


def read_source(path: str | Path) -> Source:
    """The text of a file, line ends untouched."""
    try:
        data = Path(path).read_bytes()
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
