"""Temporary folders: each is locked while it is used, and the next run removes what dead ones left."""

import fcntl
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "skolem-run-"
LOCK = ".skolem-lock"
"""The file in every folder of ours that is locked as long as the folder is in use."""
_NAME = re.compile(rf"{PREFIX}[a-z0-9_]{{8}}")
_PATIENCE_SECONDS = 0.3
"""How long a process that was just killed may still write into the folder that is removed."""


@contextmanager
def make_temporary_folder() -> Iterator[str]:
    """A new folder, locked, and removed at the end."""
    folder, lock = _make_locked()
    try:
        yield folder
    finally:
        with suppress(OSError):
            _remove(folder)
        os.close(lock)


def remove_abandoned_folders() -> None:
    """Removes the folders of this user's runs that ended without removing them; no link is followed."""
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                with suppress(OSError):
                    _remove_abandoned(entry.path)


def _make_locked() -> tuple[str, int]:
    """A new folder and the descriptor of its lock; made again if another run took it for an abandoned one."""
    while True:
        folder = tempfile.mkdtemp(prefix=PREFIX)
        try:
            lock = os.open(Path(folder, LOCK), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        except FileNotFoundError:
            continue
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(lock).st_nlink:
                return folder, lock
        os.close(lock)


def _remove_abandoned(folder: str) -> None:
    if os.lstat(folder).st_uid != os.geteuid():
        return
    try:
        lock = os.open(Path(folder, LOCK), os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        # Left between two steps of its making, if it is one of ours; one that is not empty is not removed.
        os.rmdir(folder)
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove(folder)
    finally:
        os.close(lock)


def _remove(folder: str) -> None:
    """Removes a folder, the lock last: as long as anything is left, the next run knows it for one of ours."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        for entry in os.listdir(folder):
            path = os.path.join(folder, entry)
            if stat.S_ISDIR(os.lstat(path).st_mode):
                shutil.rmtree(path, ignore_errors=True)
            elif entry != LOCK:
                with suppress(FileNotFoundError):
                    os.unlink(path)
        if os.listdir(folder) == [LOCK] or time.monotonic() > deadline:
            break
        time.sleep(0.01)
    if os.listdir(folder) == [LOCK]:
        os.unlink(os.path.join(folder, LOCK))
        os.rmdir(folder)
