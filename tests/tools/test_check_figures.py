"""Figures in README.md and docs/ are those of the results, and a figure that drifts or that nobody listed is told."""

from pathlib import Path

import pytest
from tools.check_figures import FIGURES, LIST, Page, check, compute, correct, is_rounded
from tools.figure_sources import ROOT, collect_figures

RESULTS = {"a.x": 1.2344, "a.y": 0.5, "b.count": 1500.0}
CLAIM = """
[[claim]]
page = "README.md"
text = "costs {min a.*:.1f} to {max a.*:.3f} times"

[[cited]]
page = "docs/more.md"
text = "It took 3.5 s."
source = "docs/log/diary.md"
lines = ["seconds"]

[[unchecked]]
page = "docs/more.md"
reason = "versions"
lines = ["Python 3\\\\.11"]
"""


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    (tmp_path / "docs" / "log").mkdir(parents=True)
    (tmp_path / LIST).write_text(CLAIM)
    (tmp_path / "README.md").write_text("A plan costs 0.5 to\n1.234 times the best.\n\n```\nskolem 9\n```\n")
    (tmp_path / "docs" / "more.md").write_text("It took 3.5 s. `--width 8`\nPython 3.11 will do.\n")
    (tmp_path / "docs" / "log" / "diary.md").write_text("seconds: 3.48\n")
    return tmp_path


def test_the_pages_of_this_repository_say_what_the_results_say() -> None:
    assert check(ROOT, collect_figures()) == []


def test_pages_that_are_right_are_left_alone(pages: Path) -> None:
    before = (pages / "README.md").read_text()
    assert check(pages, RESULTS) == []
    correct(pages, RESULTS)
    assert (pages / "README.md").read_text() == before


def test_a_figure_that_drifted_is_told_and_can_be_corrected(pages: Path) -> None:
    moved = {**RESULTS, "a.x": 1.3}
    assert check(pages, moved) == ["README.md:2: 1.234 should be 1.300 (max a.*:.3f)"]
    correct(pages, moved)
    assert "costs 0.5 to\n1.300 times" in (pages / "README.md").read_text()
    assert check(pages, moved) == []


def test_a_figure_that_nobody_listed_is_told(pages: Path) -> None:
    (pages / "docs" / "new.md").write_text("# New\n\nTwice as fast: 2.1 times, in 14% of `7` [cases](a-3.md).\n")
    assert check(pages, RESULTS) == [f"docs/new.md:3: {figure} is not in {LIST}" for figure in ("2.1", "14%")]


def test_entries_that_fit_nothing_are_told(pages: Path) -> None:
    (pages / "docs" / "more.md").write_text("It took 3.6 s.\n")
    told = check(pages, RESULTS)
    assert told[0].startswith(f"{LIST}: no such sentence in docs/more.md")
    assert told[1].startswith(f"{LIST}: no line of docs/more.md has")


def test_a_citation_is_wrong_where_its_source_says_something_else(pages: Path) -> None:
    (pages / "docs" / "log" / "diary.md").write_text("seconds: 3.42\nminutes: 3.5\n")
    assert check(pages, RESULTS) == ["docs/more.md:1: 3.5 is not in those lines of docs/log/diary.md"]


def test_figures_are_folded_and_written_as_asked() -> None:
    assert compute("b.count:,", RESULTS) == "1,500"
    assert compute("mean a.*:.2f", RESULTS) == "0.87"
    assert compute("sum a.x|b.*:.0f", RESULTS) == "1501"
    for unclear in ("a.*:.1f", "max c.*:.1f"):
        with pytest.raises(KeyError):
            compute(unclear, RESULTS)


def test_what_counts_as_a_figure() -> None:
    assert FIGURES.findall("1,000 of 1,000, 0.7 to 11.4, 67%; x1, C2, 2^31, 26-30 and v0.1") == [
        *("1,000", "1,000", "0.7", "11.4", "67%"),
        *("2", "26"),
    ]
    assert is_rounded("100%", "100.0%")
    assert Page.read(ROOT, "README.md").shown.count("\n") == Page.read(ROOT, "README.md").text.count("\n")
