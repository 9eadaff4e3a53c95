"""Runs every command and every line of Python that README and docs show, as written, in an empty environment.

python -m tools.run_docs                      installs the repository into a new environment and runs every page
python -m tools.run_docs --here docs/quick-start.md     some pages with the environment that is there
python -m tools.run_docs --slow               also what takes minutes

The blocks of a page, fenced as `sh` or `python`, run one after another in a folder of its own with the examples in it;
the Python of a page is one session, so that a block knows what earlier ones have defined.
A comment before a block says what is special: `<!-- slow -->` for minutes, `<!-- fails: CODE -->` for the exit code
that is expected, `<!-- needs: EXTRA -->` for an extra of the installation, `<!-- not run: WHY -->` for what cannot be.
"""

import argparse
import doctest
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(
    r"(?:^<!-- (?P<notes>[^\n]*) -->\n)?^```(?P<kind>sh|python)\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL
)
NOTE = re.compile(r"(slow|fails|needs|not run)(?:: ([^;]*))?")


@dataclass(frozen=True)
class Block:
    """Code on a page."""

    page: Path
    line: int
    kind: str
    text: str
    slow: bool
    code: int
    extra: str
    skipped: str
    """Why it is not run."""

    @property
    def program(self) -> str:
        """Python code without what it is shown to print."""
        return doctest.script_from_examples(self.text) if ">>> " in self.text else self.text

    @property
    def place(self) -> str:
        """Where it stands."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def list_pages() -> list[Path]:
    """README and the pages of docs, without the log."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def list_blocks(page: Path) -> Iterator[Block]:
    """The code of a page from top to bottom."""
    text = page.read_text(encoding="utf-8")
    for found in BLOCK.finditer(text):
        notes = dict(NOTE.findall(found["notes"] or ""))
        yield Block(
            page=page,
            line=text.count("\n", 0, found.start("text")) + 1,
            kind=found["kind"],
            text=found["text"],
            slow="slow" in notes,
            code=int(notes.get("fails", 0)),
            extra=notes.get("needs", ""),
            skipped=notes.get("not run", ""),
        )


def install(folder: Path, extras: Sequence[str]) -> Path:
    """A new environment with the repository installed in it; its folder of programs."""
    venv.create(folder, with_pip=True)
    wanted = f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT)
    command = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if "train" in extras:
        # By itself first, so that its pin is taken.
        subprocess.run([*command, "--constraint", str(ROOT / "constraints.txt"), "torch"], check=True)
    subprocess.run([*command, "--constraint", str(ROOT / "constraints.txt"), wanted], check=True)
    return folder / "bin"


def run_page(blocks: Sequence[Block], programs: Path) -> list[str]:
    """What went wrong on a page."""
    wrong = []
    with tempfile.TemporaryDirectory(prefix="docs-") as name:
        shutil.copytree(ROOT / "examples", Path(name) / "examples")
        environment = {
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "SKOLEM_DATA": f"{name}/data",
        }
        environment.pop("PYTHONPATH", None)
        session = ""
        for block in blocks:
            command = ["bash", "-euo", "pipefail", "-c", block.text]
            if block.kind == "python":
                session += block.program
                command = [str(programs / "python"), "-c", session]
            done = subprocess.run(command, cwd=name, env=environment, capture_output=True, text=True, check=False)
            outcome = "ok" if done.returncode == block.code else f"exit {done.returncode}, expected {block.code}"
            print(f"{block.place}: {outcome}", flush=True)
            if done.returncode != block.code:
                wrong.append(f"{block.place}\n{block.text}\n{done.stdout[-1000:]}{done.stderr[-2000:]}")
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the pages; 1 if anything did not do what the page says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path, help="default: README and all of docs")
    parser.add_argument("--here", action="store_true", help="in the environment that this program runs in")
    parser.add_argument("--slow", action="store_true", help="also what takes minutes")
    given = parser.parse_args(arguments)
    pages = [page.resolve() for page in given.pages] or list_pages()
    blocks = {page: [b for b in list_blocks(page) if not b.skipped and (given.slow or not b.slow)] for page in pages}
    extras = sorted(
        {extra for found in blocks.values() for block in found for extra in block.extra.split(",") if extra}
    )
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="environment-") as folder:
        programs = Path(sys.executable).parent if given.here else install(Path(folder), extras)
        for found in blocks.values():
            wrong += run_page(found, programs)
    print("\n\n".join(wrong) or "everything did what the pages say")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
