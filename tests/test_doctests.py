"""The examples in docstrings and on the pages about Python run as written."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HOUSE = ROOT / "src" / "skolem"
MODULES = sorted(path for path in HOUSE.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8"))
PAGES = sorted(path for path in (ROOT / "docs").glob("*.md") if ">>> " in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(HOUSE).as_posix())
def test_the_examples_of_a_module(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    name = path.relative_to(HOUSE.parent).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    module = importlib.import_module(name)
    examples = doctest.DocTestFinder(exclude_empty=True).find(module, name)
    assert any(example.examples for example in examples)
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_examples_of_a_page(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    text = path.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    # One session for the whole page, as a reader types it.
    code = "\n".join(blocks)
    test = doctest.DocTestParser().get_doctest(code, {}, path.name, str(path), 0)
    results = doctest.DocTestRunner().run(test)
    assert results.attempted > 0
    assert results.failed == 0
