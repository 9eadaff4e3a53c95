"""Files are written whole or not at all."""

from pathlib import Path

import pytest

from skolem.support.errors import SkolemError
from skolem.support.files import make_folder, write_text


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "plan"
    write_text(path, "old")
    write_text(path, "new")
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_is_an_error_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(SkolemError, match="cannot write"):
        write_text(tmp_path / "no folder" / "plan", "text")


def test_a_folder_that_cannot_be_made_is_an_error_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SkolemError, match="cannot make the folder"):
        make_folder(tmp_path / "file" / "folder")
