"""Files that are either written whole or not at all."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skolem.support.errors import SkolemError

_UNFINISHED = ".part"


def write_text(path: Path, text: str) -> None:
    """Writes a text file under a temporary name, then renames it; a SkolemError where that is impossible."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file under a temporary name, then renames it; a SkolemError where that is impossible."""
    try:
        if _is_special(path):
            path.write_bytes(content)
        else:
            # A link stays one: it is what it points to that is written.
            with replacing(Path(os.path.realpath(path))) as temporary:
                temporary.write_bytes(content)
    except OSError as error:
        raise SkolemError(f"cannot write {path}: {error.strerror}") from error


def _is_special(path: Path) -> bool:
    """Whether a path is a device, a pipe or a folder, which must not be replaced by a file."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to, which takes the place of the given one at the end; no other writer has the same."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{_UNFINISHED}")
    try:
        yield temporary
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def remove_unfinished(folder: Path) -> None:
    """Removes what writers that were killed left in a folder that nobody writes to now."""
    for path in folder.glob(f".*{_UNFINISHED}"):
        path.unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """Makes a folder and those above it; a SkolemError where that is impossible."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SkolemError(f"cannot make the folder {path}: {error.strerror}") from error
