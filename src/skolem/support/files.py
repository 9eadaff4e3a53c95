"""Files that are either written whole or not at all."""

import os
from pathlib import Path

from skolem.support.errors import SkolemError


def write_text(path: Path, text: str) -> None:
    """Writes a text file under a temporary name, then renames it; a SkolemError where that is impossible."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file under a temporary name, then renames it; a SkolemError where that is impossible."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise SkolemError(f"cannot write {path}: {error.strerror}") from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def make_folder(path: Path) -> None:
    """Makes a folder and those above it; a SkolemError where that is impossible."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SkolemError(f"cannot make the folder {path}: {error.strerror}") from error
