"""docs/architecture.md has every file of the house once, and its walks name functions that exist."""

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HOUSE = ROOT / "src" / "skolem"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SUFFIXES = (".py", ".c", ".h", ".pddl")

LINES = re.findall(r"^- `([^`]+)` (.+)$", PAGE, re.MULTILINE)
ROOMS = re.findall(r"^###+ `([^`]+)/` (.+)$", PAGE, re.MULTILINE)
CALLS = re.findall(r"^ *([a-z_]+(?:\.\w+)+)(?: |$)", "\n".join(PAGE.split("```")[1::2]), re.MULTILINE)


def test_every_file_has_one_line_and_every_line_a_file() -> None:
    # The docstring of a room's `__init__.py` is the room's heading. The server's tasks are the examples, which the
    # source archive has in place of a link to them.
    tasks = HOUSE / "integrations" / "server" / "tasks"
    kept = [p for p in HOUSE.rglob("*") if p.suffix in SUFFIXES and tasks not in p.parents]
    files = [p.relative_to(HOUSE).as_posix() for p in kept]
    assert sorted(name for name, _ in LINES) == sorted(name for name in files if not name.endswith("__init__.py"))


def test_a_line_is_a_sentence() -> None:
    for name, text in LINES:
        assert text[0].isupper() or text[0] in "(`", name
        assert text.endswith((".", "?")), name


def test_a_file_stands_under_its_room() -> None:
    room = ""
    for heading, name in re.findall(r"^###+ `([^`]+)`|^- `([^`]+)` ", PAGE, re.MULTILINE):
        if heading:
            room = heading.removesuffix("/")
        else:
            assert name == room or Path(name).parent.as_posix() == room


def test_every_room_is_there_with_its_question() -> None:
    rooms = {p.parent.relative_to(HOUSE).as_posix(): p for p in HOUSE.rglob("__init__.py")}
    assert sorted(name for name, _ in ROOMS) == sorted(set(rooms) - {"."})
    for name, question in ROOMS:
        docstring = ast.get_docstring(ast.parse(rooms[name].read_text(encoding="utf-8"))) or ""
        assert docstring.startswith(question), name


@pytest.mark.parametrize("call", sorted(set(CALLS)))
def test_every_call_of_the_walks_is_a_function(call: str) -> None:
    parts = call.split(".")
    length = max(n for n in range(1, len(parts)) if (HOUSE / "/".join(parts[:n])).with_suffix(".py").exists())
    value = importlib.import_module(".".join(["skolem", *parts[:length]]))
    for part in parts[length:]:
        value = getattr(value, part)
    assert callable(value)
