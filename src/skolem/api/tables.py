"""Tables and lines as HTML, for notebooks."""

from collections.abc import Iterable, Sequence
from html import escape


def write_table(columns: Sequence[str], rows: Iterable[Sequence[str]], title: str = "") -> str:
    """A table as HTML.

    >>> write_table(("variable", "object"), [("?x", "a<b")])
    '<table><tr><th>variable</th><th>object</th></tr><tr><td>?x</td><td>a&lt;b</td></tr></table>'
    """
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{caption}<tr>{head}</tr>{body}</table>"


def write_lines(lines: Sequence[str]) -> str | None:
    """Lines as HTML; None for none."""
    return f"<pre>{escape(chr(10).join(lines))}</pre>" if lines else None


def join_html(*parts: str | None) -> str:
    """The parts that there are, one below the other."""
    return "".join(f"<div>{part}</div>" for part in parts if part)
