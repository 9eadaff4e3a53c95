"""Files that are either written whole or not at all."""

import os
from pathlib import Path

from skolem.errors import ExitCode, SkolemError


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
        failure = SkolemError(f"cannot write {path}: {error.strerror}")
        failure.exit_code = ExitCode.DRIVER_CRITICAL_ERROR
        raise failure from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
