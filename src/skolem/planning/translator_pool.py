"""The translators that are at hand: one that was forked early, or as many as are needed at once."""

import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from threading import get_ident

from skolem.planning.translator import Translator, fork_translator, spawn_translator

MOST_IDLE = os.cpu_count() or 1
"""Translators that are kept for later: more of them could not work at the same time."""


class _Pool:
    """The translators of this process; its methods may be called by several threads at once."""

    def __init__(self) -> None:
        self.idle: list[Translator] = []
        self.lent: dict[int, list[Translator]] = {}
        """Those that a thread has, as often as they were lent to it: one translator does several jobs at a time."""
        self.grows = False
        """Whether a translator is started where none is idle."""

    def take(self) -> Translator | None:
        """A translator for one job."""
        own = self.lent.setdefault(get_ident(), [])
        translator = next((t for t in own if t.check()), None) or self._find_idle()
        if translator is None and self.grows:
            translator = spawn_translator()
        if translator is not None:
            own.append(translator)
        return translator

    def _find_idle(self) -> Translator | None:
        while self.idle:
            # One by one, as another thread may be faster.
            try:
                translator = self.idle.pop()
            except IndexError:
                break
            if translator.check():
                return translator
        return None

    def give_back(self, translator: Translator) -> None:
        """Keeps a translator for the next job."""
        own = self.lent[get_ident()]
        own.remove(translator)
        if translator in own or not translator.alive:
            return
        if len(self.idle) < MOST_IDLE:
            self.idle.append(translator)
        else:
            translator.close()

    def close(self) -> None:
        """Ends those that are idle, and starts no others."""
        self.grows = False
        while self.idle:
            self.idle.pop().close()

    def forget(self) -> None:
        """Lets go of all of them: they belong to the process that this one was forked from."""
        for translator in chain(self.idle, *self.lent.values()):
            translator.release()
        self.idle.clear()
        self.lent.clear()


_pool = _Pool()
os.register_at_fork(after_in_child=_pool.forget)


@contextmanager
def keep_translator() -> Iterator[None]:
    """Has a translator at hand for what is planned meanwhile; to be called before the process has threads."""
    _pool.idle.append(fork_translator())
    try:
        yield
    finally:
        _pool.close()


def keep_translators() -> None:
    """From now on starts translators as they are needed, also for several threads at once, and keeps them."""
    if not _pool.grows:
        _pool.grows = True
        atexit.register(_pool.close)


def close_translators() -> None:
    """Ends the translators that are kept."""
    _pool.close()


@contextmanager
def borrow_translator() -> Iterator[Translator | None]:
    """A translator for one job; None where none is at hand."""
    translator = _pool.take()
    if translator is None:
        yield None
        return
    try:
        yield translator
    finally:
        _pool.give_back(translator)
