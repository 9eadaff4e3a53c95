"""Sessions are bounded in number and size, and forgotten when nobody asks."""

import asyncio
from typing import Any

import pytest

from skolem.integrations.server.sessions import SessionLimits, Sessions, TooManySessionsError, UnknownSessionError


class Time:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def make_world(size: int = 1) -> dict[str, Any]:
    return {"domain": "x" * size}


def test_a_session_is_found_by_its_name_until_it_is_closed() -> None:
    sessions = Sessions(SessionLimits())
    session = sessions.open(make_world())
    assert sessions.find(session.name) is session
    sessions.close(session.name)
    with pytest.raises(UnknownSessionError):
        sessions.find(session.name)


def test_names_cannot_be_guessed() -> None:
    sessions = Sessions(SessionLimits())
    names = {sessions.open(make_world()).name for _ in range(100)}
    assert len(names) == 100
    assert min(map(len, names)) >= 24


def test_unused_ones_are_forgotten() -> None:
    time = Time()
    sessions = Sessions(SessionLimits(seconds=10.0), time)
    first, second = sessions.open(make_world()), sessions.open(make_world())
    time.now = 8.0
    sessions.find(second.name)
    time.now = 12.0
    with pytest.raises(UnknownSessionError):
        sessions.find(first.name)
    assert sessions.find(second.name) is second


def test_one_that_is_being_answered_is_in_use() -> None:
    async def hold_lock() -> None:
        time = Time()
        sessions = Sessions(SessionLimits(seconds=10.0), time)
        session = sessions.open(make_world())
        async with session.lock:
            time.now = 100.0
            sessions.forget_unused()
            assert len(sessions) == 1
        sessions.forget_unused()
        assert len(sessions) == 0

    asyncio.run(hold_lock())


def test_not_more_than_there_may_be() -> None:
    time = Time()
    sessions = Sessions(SessionLimits(count=2, seconds=10.0), time)
    sessions.open(make_world())
    sessions.open(make_world())
    with pytest.raises(TooManySessionsError, match="there are 2 sessions already"):
        sessions.open(make_world())
    time.now = 11.0
    sessions.open(make_world())
    assert len(sessions) == 1


def test_not_larger_than_they_may_be_together() -> None:
    sessions = Sessions(SessionLimits(megabytes=1))
    session = sessions.open(make_world(600_000))
    with pytest.raises(TooManySessionsError, match="too large together"):
        sessions.open(make_world(600_000))
    with pytest.raises(TooManySessionsError):
        sessions.update(session, make_world(1_200_000), None)
    sessions.update(session, make_world(10), {"plan": []})
    assert session.world == make_world(10)
    sessions.open(make_world(600_000))


def test_an_answer_for_one_that_was_closed_meanwhile_is_dropped() -> None:
    sessions = Sessions(SessionLimits())
    session = sessions.open(make_world())
    sessions.close(session.name)
    sessions.update(session, make_world(5), None)
    assert len(sessions) == 0
