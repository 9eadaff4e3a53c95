"""The sessions of a server: worlds and last answers as plain data, bounded, and forgotten when unused."""

import asyncio
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


class UnknownSessionError(Exception):
    """There is no session of that name, or no longer."""


class TooManySessionsError(Exception):
    """No further session can be kept; the message says what helps."""


@dataclass(frozen=True)
class SessionLimits:
    """How many sessions are kept, for how long, and how large they may be."""

    count: int = 1_000
    seconds: float = 1_800.0
    """Without a question."""
    megabytes: int = 256
    """All of them together."""


@dataclass(eq=False)
class Session:
    """A world and the last answer about it, both as JSON has them."""

    name: str
    world: dict[str, Any]
    held: dict[str, Any] | None
    used: float
    size: int
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Questions about one world are answered one after another."""


class Sessions:
    """All sessions by their names, which cannot be guessed."""

    def __init__(self, limits: SessionLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self._sessions: dict[str, Session] = {}
        self._size = 0

    def __len__(self) -> int:
        return len(self._sessions)

    @property
    def seconds(self) -> float:
        """How long a session is kept without a question."""
        return self._limits.seconds

    def open(self, world: dict[str, Any]) -> Session:
        """A new session."""
        self.forget_unused()
        if len(self) >= self._limits.count:
            raise TooManySessionsError(f"there are {len(self)} sessions already: close one, or ask again later")
        size = self._check_size(world, None, 0)
        session = Session(secrets.token_urlsafe(18), world, None, self._clock(), size)
        self._sessions[session.name] = session
        self._size += size
        return session

    def find(self, name: str) -> Session:
        """The session of a name, which counts as used now."""
        self.forget_unused()
        session = self._sessions.get(name)
        if session is None:
            raise UnknownSessionError("there is no such session: it was closed, or not used for too long. Open another")
        session.used = self._clock()
        return session

    def update(self, session: Session, world: dict[str, Any], held: dict[str, Any] | None) -> None:
        """Puts another world and answer in place of the last ones."""
        if session.name not in self._sessions:
            return
        size = self._check_size(world, held, session.size)
        self._size += size - session.size
        session.world, session.held, session.size = world, held, size

    def close(self, name: str) -> None:
        """Forgets a session."""
        self._forget(self.find(name))

    def forget_unused(self) -> None:
        """Forgets the sessions that were not used for too long; one that is being answered is in use."""
        oldest = self._clock() - self._limits.seconds
        for session in [s for s in self._sessions.values() if s.used < oldest and not s.lock.locked()]:
            self._forget(session)

    def _forget(self, session: Session) -> None:
        del self._sessions[session.name]
        self._size -= session.size

    def _check_size(self, world: dict[str, Any], held: dict[str, Any] | None, before: int) -> int:
        size = len(json.dumps([world, held]))
        if self._size - before + size > self._limits.megabytes << 20:
            raise TooManySessionsError("the sessions are too large together: close one, or ask again later")
        return size
