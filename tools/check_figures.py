"""Checks every figure in README.md and docs/ against the results; fails when one has drifted.

    python -m tools.check_figures            what is wrong, one line each; exit code 1 if anything is
    python -m tools.check_figures --write    the same, after the figures of all claims were set to what the results say

docs/figures.toml lists every sentence that has a figure:

- `claim`: its figures are computed, `{max lama.*.speedup:.1f}`: a fold (min, max, sum or mean; none for a single
  figure), the names of figures (tools/figure_sources.py; `*` for anything, `|` between alternatives), a format.
- `cited`: its figures stand, perhaps with more digits, in the lines of another file, `source`, that have some words.
- `unchecked`: lines, by regular expressions, whose figures are in no result, with the reason.

A figure is a numeral in the text or in a table; code, links, comments and the numbers of versions are left out, and so
is docs/log/, which is a diary.
"""

import argparse
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from statistics import fmean
from typing import Any

from tools.figure_sources import ROOT, Figures, collect_figures

from skolem.support.files import write_text

FIGURE = r"\d+(?:,\d{3})*(?:\.\d+)*%?"
FIGURES = re.compile(rf"(?<![\w.^/-])(?<![Vv]ersion ){FIGURE}(?!\w)")
HIDDEN = re.compile(r"^```.*?^```|<!--.*?-->|`[^`\n]*`|\]\([^)\s]*\)", re.MULTILINE | re.DOTALL)
FOLDS: dict[str, Callable[[Sequence[float]], float]] = {"min": min, "max": max, "sum": sum, "mean": fmean}
LIST = "docs/figures.toml"


@dataclass(frozen=True)
class Span:
    """A part of a page that an entry of the list answers for."""

    start: int
    end: int


@dataclass(frozen=True)
class Page:
    """A page by its name, its text, and the same text with blanks for what has no figures."""

    name: str
    text: str
    shown: str

    @staticmethod
    def read(root: Path, name: str) -> "Page":
        """A page of the repository."""
        text = (root / name).read_text(encoding="utf-8")
        return Page(name, text, HIDDEN.sub(lambda found: re.sub(r"\S", " ", found[0]), text))

    def find(self, sentence: str) -> re.Match[str] | None:
        """A sentence, whatever its line breaks; each `{...}` in it is a group that stands for a figure."""
        parts = re.split(r"\{[^}]*\}", sentence)
        pattern = rf"({FIGURE})".join(r"\s+".join(map(re.escape, re.split(r"\s+", part))) for part in parts)
        return re.search(pattern, self.text)

    def number_line(self, place: int) -> str:
        """The page and the line of a place."""
        return f"{self.name}:{self.text.count(chr(10), 0, place) + 1}"


def compute(expression: str, figures: Figures) -> str:
    """What stands in braces as text.

    >>> compute("max a.*:.1f", {"a.x": 1.0, "a.y": 2.5})
    '2.5'
    """
    source, _, form = expression.partition(":")
    fold, _, names = source.rpartition(" ")
    found = [value for name, value in figures.items() if any(fnmatchcase(name, each) for each in names.split("|"))]
    if not found or (len(found) > 1 and not fold):
        raise KeyError(f"{len(found)} figures are called {names}")
    value = FOLDS[fold](found) if fold else found[0]
    return format(int(value) if form in (",", "d") else value, form)


def check_claim(page: Page, entry: dict[str, Any], figures: Figures) -> Iterator[str | Span]:
    """The figures of a sentence that are not what the results say, and its span."""
    match = page.find(entry["text"])
    if match is None:
        yield f"{LIST}: no such sentence in {page.name}: {entry['text']!r}"
        return
    yield Span(*match.span())
    for group, expression in enumerate(re.findall(r"\{([^}]*)\}", entry["text"]), 1):
        try:
            expected = compute(expression, figures)
        except KeyError as error:
            yield f"{LIST}: {error.args[0]}"
            continue
        if match[group] != expected:
            yield f"{page.number_line(match.start(group))}: {match[group]} should be {expected} ({expression})"


def check_cited(page: Page, entry: dict[str, Any], root: Path) -> Iterator[str | Span]:
    """The figures of a sentence that its source does not have in the lines it names, and its span."""
    match = page.find(entry["text"])
    if match is None:
        yield f"{LIST}: no such sentence in {page.name}: {entry['text']!r}"
        return
    yield Span(*match.span())
    lines = (root / entry["source"]).read_text(encoding="utf-8").splitlines()
    known = [
        figure for line in lines if any(words in line for words in entry["lines"]) for figure in list_figures(line)
    ]
    for figure in list_figures(page.shown[match.start() : match.end()]):
        if not any(is_rounded(figure, each) for each in known):
            yield f"{page.number_line(match.start())}: {figure} is not in those lines of {entry['source']}"


def list_figures(text: str) -> list[str]:
    """The figures of a text."""
    return FIGURES.findall(text)


def is_rounded(figure: str, exact: str) -> bool:
    """Whether a figure is another one, or that one with fewer digits.

    >>> is_rounded("1.05", "1.0492"), is_rounded("1.04", "1.0492"), is_rounded("93", "93%")
    (True, False, False)
    """
    values = [each.rstrip("%").replace(",", "") for each in (figure, exact)]
    if figure.endswith("%") != exact.endswith("%") or any(value.count(".") > 1 for value in values):
        return figure == exact
    digits = len(values[0].partition(".")[2])
    return abs(float(values[0]) - float(values[1])) <= 0.5 * 10.0**-digits + 1e-9


def check_unchecked(page: Page, entry: dict[str, Any]) -> Iterator[str | Span]:
    """The spans of the lines that are in no result; a pattern that no line has is told."""
    for pattern in entry["lines"]:
        found = list(re.finditer(rf"^.*(?:{pattern}).*$", page.text, re.MULTILINE))
        if not found:
            yield f"{LIST}: no line of {page.name} has {pattern!r}"
        yield from (Span(*match.span()) for match in found)


def check(root: Path, figures: Figures) -> list[str]:
    """All that is wrong, one line each."""
    listed = tomllib.loads((root / LIST).read_text(encoding="utf-8"))
    names = ["README.md", *(f"docs/{path.name}" for path in sorted((root / "docs").glob("*.md")))]
    pages = {name: Page.read(root, name) for name in names}
    covered: dict[str, list[Span]] = {name: [] for name in names}
    wrong: list[str] = []
    checks: dict[str, Callable[[Page, dict[str, Any]], Iterator[str | Span]]] = {
        "claim": lambda page, entry: check_claim(page, entry, figures),
        "cited": lambda page, entry: check_cited(page, entry, root),
        "unchecked": check_unchecked,
    }
    for kind, check_entry in checks.items():
        for entry in listed[kind]:
            for found in check_entry(pages[entry["page"]], entry):
                if isinstance(found, Span):
                    covered[entry["page"]].append(found)
                else:
                    wrong.append(found)
    for page in pages.values():
        for match in FIGURES.finditer(page.shown):
            if not any(span.start <= match.start() and match.end() <= span.end for span in covered[page.name]):
                wrong.append(f"{page.number_line(match.start())}: {match[0]} is not in {LIST}")
    return wrong


def correct(root: Path, figures: Figures) -> None:
    """Sets the figures of all claims to what the results say; a claim on what there is no figure for stays."""
    for entry in tomllib.loads((root / LIST).read_text(encoding="utf-8"))["claim"]:
        page = Page.read(root, entry["page"])
        match = page.find(entry["text"])
        if match is None:
            continue
        with suppress(KeyError):
            known = [compute(expression, figures) for expression in re.findall(r"\{([^}]*)\}", entry["text"])]
            text = page.text
            # From the end, so that the places of the others stay what they are.
            for group in range(len(known), 0, -1):
                text = text[: match.start(group)] + known[group - 1] + text[match.end(group) :]
            if text != page.text:
                write_text(root / entry["page"], text)


def main() -> int:
    """Tells what is wrong; 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="correct the figures of claims first")
    given = parser.parse_args()
    figures = collect_figures()
    if given.write:
        correct(ROOT, figures)
    wrong = check(ROOT, figures)
    print("\n".join(wrong) or "every figure of README.md and docs/ is checked")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
