"""Temporary folders: gone with their run, or with the next one."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from skolem.support.temporary import LOCK, PREFIX, make_temporary_folder, remove_abandoned_folders

DIE = """
import os
from skolem.support.temporary import make_temporary_folder
with make_temporary_folder():
    os._exit(1)
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def leave_folder(temporary: Path) -> Path:
    """A folder whose process died."""
    before = set(temporary.iterdir())
    subprocess.run([sys.executable, "-c", DIE], env={**os.environ, "TMPDIR": str(temporary)}, check=False)
    (folder,) = set(temporary.iterdir()) - before
    return folder


def test_a_folder_is_removed_with_all_that_is_in_it(temporary: Path) -> None:
    with make_temporary_folder() as folder:
        Path(folder, "inner").mkdir()
        Path(folder, "inner", "file").touch()
    assert list(temporary.iterdir()) == []


def test_what_a_dead_run_left_is_removed(temporary: Path) -> None:
    folder = leave_folder(temporary)
    (folder / "output.sas").touch()
    remove_abandoned_folders()
    assert not folder.exists()


def test_a_folder_in_use_is_left_alone(temporary: Path) -> None:
    with make_temporary_folder() as folder:
        remove_abandoned_folders()
        assert Path(folder, LOCK).exists()


def test_a_folder_that_was_never_finished_is_removed(temporary: Path) -> None:
    (temporary / f"{PREFIX}abcdefgh").mkdir()
    remove_abandoned_folders()
    assert list(temporary.iterdir()) == []


def test_what_is_not_ours_is_left_alone(temporary: Path) -> None:
    (temporary / "skolem-notes").mkdir()
    own = temporary / f"{PREFIX}12345678"
    own.mkdir()
    (own / "a file of the user").touch()
    remove_abandoned_folders()
    assert {path.name for path in temporary.iterdir()} == {"skolem-notes", own.name}


def test_links_are_not_followed(temporary: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    precious = tmp_path_factory.mktemp("precious")
    (precious / "file").touch()
    (precious / LOCK).touch()
    (temporary / f"{PREFIX}linktodr").symlink_to(precious)
    folder = leave_folder(temporary)
    (folder / "link").symlink_to(precious)
    remove_abandoned_folders()
    assert not folder.exists()
    assert sorted(path.name for path in precious.iterdir()) == [LOCK, "file"]
