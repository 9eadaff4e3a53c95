"""What the pages show is right: commands parse, Python compiles, the quick start runs, and the reference is current."""

import shlex
import sys
from pathlib import Path

import pytest
from tools.command_reference import PAGE, write_page
from tools.run_docs import ROOT, Block, list_blocks, list_pages, main, run_page

from skolem.cli.parser import parse_command

BLOCKS = [block for page in list_pages() for block in list_blocks(page)]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.place)
def test_every_block_of_every_page_can_be_read(block: Block) -> None:
    if block.kind == "python":
        compile(block.program, block.place, "exec")
        return
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.split(line.split(" | ")[0].split(" > ")[0], comments=True)
        if words[:1] == ["skolem"] and not {"--help", "--version"} & set(words):
            parse_command(words[1:])


def test_a_comment_says_what_is_special_about_a_block(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- slow; needs: train; fails: 12 -->\n```sh\nskolem models\n```\n```python\nx = 1\n```\n")
    special, plain = list_blocks(page)
    assert (special.slow, special.extra, special.code, special.text) == (True, "train", 12, "skolem models\n")
    assert (plain.slow, plain.extra, plain.code, plain.line) == (False, "", 0, 7)


def test_the_python_of_a_page_is_one_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.run_docs.ROOT", tmp_path)
    (tmp_path / "examples").mkdir()
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> x = 1\n```\n```sh\ntrue\n```\n```python\n>>> x + 1\n2\n```\n")
    assert run_page(list(list_blocks(page)), Path(sys.executable).parent) == []


def test_the_quick_start_does_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--here", str(ROOT / "docs" / "quick-start.md")]) == 0
    assert "everything did what the pages say" in capsys.readouterr().out


def test_the_reference_is_what_the_parser_knows() -> None:
    assert PAGE.read_text(encoding="utf-8") == write_page()
