"""Every page leads where it says, and every benchmark and result has its place."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("benchmarks", "docs", "examples", "results", "src", "tools", "tests")
PAGES = sorted([*ROOT.glob("*.md"), *(page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md"))])
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
BENCHMARKS = sorted((ROOT / "benchmarks").glob("*.py"))


def list_anchors(text: str) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    for link in LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), link
        assert not anchor or anchor in list_anchors(target.read_text(encoding="utf-8")), link


@pytest.mark.parametrize("entry", sorted((ROOT / "docs" / "log").glob("*.md")), ids=lambda entry: entry.name)
def test_a_log_entry_says_that_it_is_one_and_when_it_was_written(entry: Path) -> None:
    assert re.match(r"\d{4}-\d{2}-[\w-]+\.md", entry.name)
    assert re.match(rf"# Log, [\w ]* {entry.name[:4]}: ", entry.read_text(encoding="utf-8"))
    assert f"(log/{entry.name})" in (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("script", BENCHMARKS, ids=lambda script: script.stem)
def test_a_benchmark_says_how_it_is_run_and_its_result_is_listed(script: Path) -> None:
    module = ast.parse(script.read_text(encoding="utf-8"))
    command = f"python -m benchmarks.{script.stem}"
    if any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in module.body):
        assert command in (ast.get_docstring(module) or "")
        assert command in (ROOT / "results" / "README.md").read_text(encoding="utf-8")
    else:
        others = (other.read_text(encoding="utf-8") for other in BENCHMARKS if other != script)
        assert any(f"from benchmarks.{script.stem} import" in text for text in others)


def test_every_file_of_results_is_listed() -> None:
    results = ROOT / "results"
    page = (results / "README.md").read_text(encoding="utf-8")
    for path in results.rglob("*"):
        if path.is_file() and path.name != "README.md":
            assert f"({path.relative_to(results).as_posix()})" in page, path.name


@pytest.mark.parametrize("folder", ["benchmarks", "docs", "examples", "results", "tests", "tools"])
def test_the_source_archive_has_what_pages_lead_to(folder: str) -> None:
    assert f"graft {folder}" in (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()
