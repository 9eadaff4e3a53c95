"""How far a long run is: a bar on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

LINE_EVERY = 10.0
"""Seconds between two plain lines."""


class Report(Protocol):
    """Told how much is done so far."""

    def __call__(self, done: int) -> None: ...


@contextmanager
def show_progress(what: str, total: int, unit: str, *, quiet: bool = False) -> Iterator[Report]:
    """A function to call with the amount done so far; it shows the speed and the time left on standard error."""
    if quiet:
        yield lambda done: None
    elif sys.stderr.isatty():
        yield from _show_bar(what, total, unit)
    else:
        yield _Lines(what, total, unit)


def _show_bar(what: str, total: int, unit: str) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(what, total=total, speed="")
        start = time.monotonic()

        def report(done: int) -> None:
            speed = done / max(time.monotonic() - start, 1e-9)
            progress.update(task, completed=done, speed=f"{speed:,.0f} {unit}/s")

        yield report


class _Lines:
    def __init__(self, what: str, total: int, unit: str) -> None:
        self.what = what
        self.total = total
        self.unit = unit
        self.start = self.last = time.monotonic()
        self.first: int | None = None

    def __call__(self, done: int) -> None:
        now = time.monotonic()
        # What an interrupted run had already done says nothing about the speed of this one.
        if self.first is None:
            self.first = done
        if now - self.last < LINE_EVERY and done < self.total:
            return
        self.last = now
        speed = (done - self.first) / max(now - self.start, 1e-9)
        left = f", {(self.total - done) / speed:.0f} s left" if speed and done < self.total else ""
        print(
            f"{self.what}: {done}/{self.total} {self.unit}, {speed:,.0f} {self.unit}/s{left}",
            file=sys.stderr,
            flush=True,
        )
