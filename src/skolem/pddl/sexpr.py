"""Parenthesised text with positions: PDDL files as nested forms, in linear time and at any depth."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from skolem.support.errors import InputError, Place
from skolem.task.model import Source

# Comment, comma, parenthesis, word (a '?' always begins one), or a character that has no place in PDDL.
_TOKEN = re.compile(r"(;[^\r\n]*)|(,)|([()])|(\??[!-'*+\--:<->@-~]+)|([^ \t\r\n\f\v])")


# Nodes are not frozen: freezing doubles the time that a large file takes.
@dataclass(slots=True, eq=False)
class Symbol:
    """A word, in lower case."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset just after the word."""
        return self.start + len(self.text)


@dataclass(slots=True, eq=False)
class Form:
    """A parenthesised list; `end` is the offset just after its closing parenthesis."""

    items: tuple["Node", ...]
    start: int
    end: int

    @property
    def head(self) -> str:
        """The first word, or an empty string where there is none."""
        first = self.items[0] if self.items else None
        return first.text if isinstance(first, Symbol) else ""


Node = Symbol | Form


def parse_form(source: Source, commas: list[int] | None = None) -> Form:
    """The one form a file consists of; an InputError where parentheses do not match or more text follows.

    Commas separate words, and where they stand is added to `commas`.
    """
    opened: list[tuple[int, list[Node]]] = []
    whole: Form | None = None
    inner_section: int | None = None
    for match in _TOKEN.finditer(source.text):
        kind, start = match.lastindex, match.start()
        if kind == 1:
            continue
        if kind == 2:
            if commas is not None:
                commas.append(start)
            continue
        token = match.group()
        if kind == 5:
            raise InputError(f"{_describe_character(token)}, expected PDDL text", at(source, start))
        if whole is not None:
            what = "an unmatched ')'" if token == ")" else f"'{token[:40]}'"
            raise InputError(f"{what} after the end of the definition, expected the end of the file", at(source, start))
        if token == "(":
            opened.append((start, []))
        elif token == ")":
            if not opened:
                raise InputError("')' without its '(', expected '(define ...'", at(source, start))
            begin, items = opened.pop()
            form = Form(tuple(items), begin, start + 1)
            if opened:
                opened[-1][1].append(form)
            else:
                whole = form
        elif opened:
            begin, items = opened[-1]
            if token[0] == ":" and inner_section is None and not items and len(opened) > 2:
                inner_section = begin
            items.append(Symbol(token.lower(), start))
        else:
            raise InputError(f"'{token[:40]}' outside of any form, expected '(define ...'", at(source, start))
    if opened and inner_section is not None:
        # A section inside of another one shows where the parenthesis is missing: at the end of the outer one.
        message = "a section inside of another one that is never closed, expected ')' before it"
        raise InputError(message, at(source, inner_section))
    if opened:
        line = at(source, opened[-1][0]).line
        message = f"the file ends before the '(' of line {line} is closed, expected ')'"
        raise InputError(message, at(source, len(source.text.rstrip())))
    if whole is None:
        raise InputError("the file holds no definition, expected '(define ...'", at(source, 0))
    return whole


def _describe_character(character: str) -> str:
    if character == "?":
        return "'?' without a variable's name"
    if character.isprintable():
        return f"the character '{character}' outside of a comment"
    return f"the character with code {ord(character)}"


def at(source: Source, offset: int) -> Place:
    """The place of an offset in a text."""
    start = source.text.rfind("\n", 0, offset) + 1
    end = source.text.find("\n", offset)
    text = source.text[start : end if end >= 0 else len(source.text)].rstrip("\r")
    return Place(source.path, source.text.count("\n", 0, offset) + 1, offset - start + 1, text)


def write(node: Node) -> str:
    """The node as text on one line.

    >>> write(parse_form(Source("f", "(and (ON  a b) ; comment\\n (clear ?x))")))
    '(and (on a b) (clear ?x))'
    """
    return "".join(_pieces(node)).replace("( ", "(").replace(" )", ")").strip()


def _pieces(node: Node) -> Iterator[str]:
    stack: list[Node | str] = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            yield top
        elif isinstance(top, Symbol):
            yield " " + top.text
        else:
            yield " ("
            stack.append(" )")
            stack.extend(reversed(top.items))
