"""How far learning is: a bar with stage, loss, quality and time left on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

LINE_EVERY = 10.0
"""Seconds between two plain lines of one stage."""


class Display(Protocol):
    """Told what is being done, and how it goes."""

    def show(self, stage: str, done: float, left: float | None, facts: str = "") -> None:
        """The stage, the share of all that is done, the seconds left (None: unknown), and figures as text."""


@contextmanager
def open_display(quiet: bool = False) -> Iterator[Display]:
    """A display on standard error."""
    if quiet:
        yield _Silent()
    elif sys.stderr.isatty() and _has_rich():
        yield from _open_bar()
    else:
        yield _Lines()


def _has_rich() -> bool:
    """Machines for training often lack it."""
    try:
        import rich.progress  # noqa: F401
    except ImportError:
        return False
    return True


class _Silent:
    def show(self, stage: str, done: float, left: float | None, facts: str = "") -> None:
        pass


class _Lines:
    def __init__(self) -> None:
        self._stage, self._last = "", 0.0

    def show(self, stage: str, done: float, left: float | None, facts: str = "") -> None:
        now = time.monotonic()
        if stage == self._stage and now - self._last < LINE_EVERY:
            return
        self._stage, self._last = stage, now
        parts = [f"{stage} ({min(done, 1.0):.0%})", facts, "" if left is None else f"{_write_time(left)} left"]
        print(", ".join(part for part in parts if part), file=sys.stderr, flush=True)


def _open_bar() -> Iterator[Display]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[facts]}"),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task("learning", total=1.0, facts="", left="")

        class Bar:
            def show(self, stage: str, done: float, left: float | None, facts: str = "") -> None:
                text = "" if left is None else f"{_write_time(left)} left"
                progress.update(bar, description=stage, completed=min(done, 1.0), facts=facts, left=text)

        yield Bar()


def _write_time(seconds: float) -> str:
    minutes, rest = divmod(max(0, round(seconds)), 60)
    return f"{minutes}:{rest:02d}"
