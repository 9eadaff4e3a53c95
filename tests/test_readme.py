"""README.md shows what is there: the demo's output, the commands, the stored results, code that runs."""

import re
from pathlib import Path

import pytest

from skolem.cli import main
from skolem.cli.parser import build_parser

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"\d+(\.\d+)?")
Capture = pytest.CaptureFixture[str]


def read_block(name: str) -> list[str]:
    """The lines between `<!-- name -->` and `<!-- /name -->`, fences left out."""
    text = README.split(f"<!-- {name} -->\n")[1].split(f"<!-- /{name} -->")[0]
    return [line.rstrip() for line in text.splitlines() if not line.startswith("```")]


def list_keys(lines: list[str]) -> list[str]:
    """What stays the same whichever objects and plan are found: variables, and the words around figures."""
    kept = [line for line in lines if re.match(r"variable |\?|cost |read ", line)]
    return [NUMBER.sub("N", line.split(", by route")[0]) if "," in line else line.split()[0] for line in kept]


def test_the_demo_prints_what_the_page_shows(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command, *shown = read_block("demo")
    assert command == "$ make demo"
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^demo:.*\n\t\$\(BIN\)/skolem (.*)$", makefile, re.MULTILINE)
    assert recipe is not None
    assert main(recipe[1].split()) == 0
    assert list_keys(shown) == list_keys(capsys.readouterr().out.splitlines())


def test_every_command_is_shown_once() -> None:
    usage = re.search(r"^## Use\n\n```\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert usage is not None
    shown = re.findall(r"^skolem (\w+)", usage[1], re.MULTILINE)
    there = re.findall(r"^    (\w+)\b", build_parser().format_help(), re.MULTILINE)
    assert sorted(shown) == sorted(there)


def test_the_python_code_runs(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (code,) = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out.startswith("9 {'?x1':")


def test_the_results_are_those_of_the_store() -> None:
    page = (ROOT / "results" / "optimal.md").read_text(encoding="utf-8")
    table = page.split("## optimal sets, grounder learned\n")[1].split("\n## ")[0]
    figures: dict[str, list[str]] = {}
    for line in table.splitlines():
        cells = [cell.split(" [")[0].strip() for cell in line.strip("|").split("|")]
        if cells[1:2] in (["no"], ["yes"]):
            # Coverage, the paper's, V/V* as a mean of ratios, the paper's.
            figures.setdefault(cells[0], []).extend((cells[3], cells[4], cells[8], cells[10]))
    assert read_block("optimal")[2:] == [f"| {' | '.join((name, *row))} |" for name, row in figures.items()]
