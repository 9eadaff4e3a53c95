"""Results that survive an interrupted evaluation: one JSON line per record, appended as it is found."""

import fcntl
import gzip
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from skolem.support.errors import InputError, Place, SkolemError
from skolem.support.files import make_folder, write_bytes
from skolem.support.parallel import run_jobs

Item = TypeVar("Item")
Record = dict[str, Any]
"""What was found on one instance by one route: a flat dictionary of properties."""
Warn = Callable[[str], None]
Report = Callable[[int], None]
"""Told how much is done so far."""
Progress = Callable[[str, int, str], AbstractContextManager[Report]]
"""Shows how far a run is, given its title, its total and the unit of both."""


def ignore(done: int) -> None:
    """Tells nobody."""


class Store:
    """Records by their keys in a file of JSON lines, which one process at a time appends to; `.gz` is read only.

    A last line that an interrupted process did not finish is not read, and cut off before the next one is written.
    Damaged lines are an InputError; where `warn` is to be told of them, what they held is as if it were not there, and
    they are removed before the next one is written. Without a path nothing outlives the store.
    """

    def __init__(self, path: Path | None = None, warn: Warn | None = None) -> None:
        self.path = path
        self._file: BinaryIO | None = None
        content = self._read()
        self._size = content.rfind(b"\n") + 1
        self._length = len(content)
        self._records: dict[str, Record] = {}
        self._mended: bytes | None = None
        """What the file should be, where it has damaged lines."""
        damaged: list[InputError] = []
        sound = []
        for number, line in enumerate(content[: self._size].split(b"\n")[:-1], 1):
            try:
                key, record = self._parse(line, number)
            except InputError as error:
                damaged.append(error)
            else:
                self._records[key] = record
                sound.append(line + b"\n")
        # A file without any record is hardly a store: nothing is taken from it.
        if damaged and (warn is None or not sound):
            raise damaged[0]
        if damaged and warn is not None:
            self._mended = b"".join(sound)
            for fault in damaged:
                warn(f"{fault}\nwhat it held is found again where it is needed")

    def get(self, key: str) -> Record | None:
        """The record of a key, None if there is none yet."""
        return self._records.get(key)

    def fetch(self, key: str) -> Record:
        """The record of a key that there is one for."""
        return self._records[key]

    def add(self, key: str, record: Record) -> None:
        """Appends a record; it is in the file when this returns."""
        line = json.dumps({"key": key, "record": record}, ensure_ascii=False)
        if self.path is not None:
            self._append(self.path, line)
        # As it will be read again: a run that was interrupted sees the same values as one that was not.
        self._records[key] = json.loads(line)["record"]

    def records(self) -> Iterator[tuple[str, Record]]:
        """All keys and their records."""
        yield from self._records.items()

    def close(self) -> None:
        """Lets another process write."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _append(self, path: Path, line: str) -> None:
        if self._file is None:
            self._file = self._open(path)
        try:
            self._file.write(f"{line}\n".encode())
            self._file.flush()
        except OSError as error:
            # What could not be written would be tried again, and fail again, when the file is closed.
            with suppress(OSError):
                self.close()
            raise SkolemError(f"cannot write {path}: {error.strerror}") from error

    def _read(self) -> bytes:
        if self.path is None:
            return b""
        try:
            if self.path.suffix == ".gz":
                with gzip.open(self.path) as file:
                    return file.read()
            return self.path.read_bytes()
        except FileNotFoundError:
            return b""
        except (OSError, EOFError) as error:
            raise InputError(f"cannot read the store ({error})", Place(str(self.path))) from error

    def _parse(self, line: bytes, number: int) -> tuple[str, Record]:
        try:
            entry = json.loads(line)
            key, record = entry["key"], entry["record"]
            if isinstance(key, str) and isinstance(record, dict):
                return key, record
        except (ValueError, KeyError, TypeError):
            pass
        text = line.decode("utf-8", "replace")
        raise InputError(
            "not a result: expected an object with a key and a record", Place(str(self.path), number, 1, text)
        )

    def _open(self, path: Path) -> BinaryIO:
        if path.suffix == ".gz":
            raise SkolemError(f"cannot write {path}: compressed stores are only read")
        make_folder(path.parent)
        try:
            file = path.open("ab")
        except OSError as error:
            raise SkolemError(f"cannot write {path}: {error.strerror}") from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if file.tell() != self._length or not os.path.samestat(os.fstat(file.fileno()), path.stat()):
                raise BlockingIOError
        except BlockingIOError:
            file.close()
            raise SkolemError(f"cannot write {path}: another process writes it") from None
        if self._mended is not None:
            mended, self._mended = self._mended, None
            write_bytes(path, mended)
            self._size = self._length = len(mended)
            file.close()
            return self._open(path)
        file.truncate(self._size)
        self._length = self._size
        return file


@dataclass(frozen=True)
class Runner:
    """How work is done: what is known already, by how many processes the rest is found, and who is told."""

    store: Store = field(default_factory=Store)
    jobs: int = 1
    backend: str = "loky"
    progress: Progress = lambda title, total, unit: nullcontext(ignore)

    def run(
        self, function: Callable[[Item], Record], work: Sequence[tuple[str, Item]], report: Report = ignore
    ) -> list[Record]:
        """The function's records in the order of the work, which is (key, item); only what the store lacks is run.

        `report` is told how many are done.
        """
        missing = {key: item for key, item in work if self.store.get(key) is None}
        open_keys = set(missing)
        report(len(work) - len(missing))
        for key, record in run_jobs(_apply, [(function, *entry) for entry in missing.items()], self.jobs, self.backend):
            self.store.add(key, record)
            open_keys.remove(key)
            report(len(work) - len(open_keys))
        return [self.store.fetch(key) for key, _ in work]


def _apply(function: Callable[[Item], Record], key: str, item: Item) -> tuple[str, Record]:
    return key, function(item)
