"""Questions in, answers out, whatever the way they come: parameters are checked, sessions found, workers asked."""

from dataclasses import dataclass, field
from typing import Any

from skolem.integrations.server.catalogue import OPERATIONS
from skolem.integrations.server.fields import ParameterError, check_parameters
from skolem.integrations.server.pool import Answer, Pool, PoolLimits
from skolem.integrations.server.sessions import SessionLimits, Sessions
from skolem.pddl.faults import suggest

_KEPT = ("world", "held")
"""What a worker's answer has for the session alone."""


@dataclass(frozen=True)
class Settings:
    """The limits of a server."""

    limits: PoolLimits = field(default_factory=PoolLimits)
    sessions: SessionLimits = field(default_factory=SessionLimits)


class Service:
    """A pool of workers and the sessions of one server."""

    def __init__(self, settings: Settings) -> None:
        self.pool = Pool(settings.limits)
        self.sessions = Sessions(settings.sessions)
        self._constant: dict[str, Answer] = {}

    async def answer(self, operation: str, given: object, client: str = "") -> Answer:
        """The answer to a question.

        A ParameterError, an UnknownSessionError, a TooManySessionsError or a RefusedError where it cannot be asked.
        """
        known = OPERATIONS.get(operation)
        if known is None:
            hint = suggest(operation, OPERATIONS) or f"one of {', '.join(OPERATIONS)}"
            raise ParameterError(f"unknown operation '{operation[:40]}', expected {hint}")
        parameters = check_parameters(known.fields, given)
        if known.session:
            return await self._answer_session(operation, parameters, client)
        if not known.reads:
            return await self.pool.run(operation, parameters, client)
        if operation not in self._constant:
            self._constant[operation] = await self.pool.run(operation, parameters, client)
        return self._constant[operation]

    async def _answer_session(self, operation: str, parameters: dict[str, Any], client: str) -> Answer:
        if operation == "open":
            answer = await self.pool.run(operation, parameters, client)
            if "world" not in answer:
                return answer
            session = self.sessions.open(answer.pop("world"))
            return {"session": session.name, "expires_after": self.sessions.seconds, **answer}
        session = self.sessions.find(parameters.pop("session"))
        if operation == "close":
            self.sessions.close(session.name)
            return {"status": "closed"}
        async with session.lock:
            question = {**parameters, "world": session.world, "held": session.held}
            answer = await self.pool.run(operation, question, client)
            if "world" in answer:
                self.sessions.update(session, answer["world"], answer.get("held", session.held))
        return {name: value for name, value in answer.items() if name not in _KEPT}
