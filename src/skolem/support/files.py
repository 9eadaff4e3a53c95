"""Files that are either written whole or not at all."""

import os
import stat
from pathlib import Path

from skolem.support.errors import SkolemError


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
            _replace(Path(os.path.realpath(path)), content)
    except OSError as error:
        raise SkolemError(f"cannot write {path}: {error.strerror}") from error


def _is_special(path: Path) -> bool:
    """Whether a path is a device, a pipe or a folder, which must not be replaced by a file."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False


def _replace(path: Path, content: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def make_folder(path: Path) -> None:
    """Makes a folder and those above it; a SkolemError where that is impossible."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SkolemError(f"cannot make the folder {path}: {error.strerror}") from error
