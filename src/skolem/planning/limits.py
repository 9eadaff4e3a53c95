"""How long and how large a planner may get."""

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Wall-clock seconds and megabytes of memory; None is no limit."""

    seconds: float | None = None
    memory_mb: int | None = None


NO_LIMITS = Limits()


@dataclass(frozen=True)
class Clock:
    """The time that is left of a limit that began when the clock was made."""

    limits: Limits
    start: float

    @staticmethod
    def begin(limits: Limits) -> "Clock":
        """A clock that starts now."""
        return Clock(limits, time.monotonic())

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.start

    def left(self, share: float = 1.0) -> Limits:
        """The given share of the remaining time, with the memory limit as it was."""
        seconds = self.limits.seconds
        if seconds is None:
            return self.limits
        return Limits(max(0.0, seconds - self.elapsed) * share, self.limits.memory_mb)


class Patience:
    """Says when an anytime planner may stop: at a plan that is cheap enough, or when searching on does not pay.

    It pays as long as the next cheaper plan comes within the time that the first one took, and all of them within the
    time that everything before took. To be asked about the cheapest plan from the moment that there is one.
    """

    LEAST_SECONDS = 0.05
    """The least time for the search for a cheaper plan."""

    def __init__(
        self, clock: Clock, enough: float = 0.0, started: float = 0.0, least: float = LEAST_SECONDS, most: float = 1.0
    ) -> None:
        """`started` is when the planner was, on the clock; `most` bounds all of the search by what was before it."""
        self._clock, self._enough, self._started = clock, enough, started
        self._least, self._most = least, most
        self._wait = self._until = self._end = 0.0
        self._cost: int | None = None

    def __call__(self, cost: int) -> bool:
        """Whether to stop at a plan of this cost."""
        now = self._clock.elapsed
        if self._cost is None:
            self._wait = max(now - self._started, self._least)
            self._end = now + max(now * self._most, self._least)
        if self._cost is None or cost < self._cost:
            self._cost, self._until = cost, now + self._wait
        return cost <= self._enough or now >= min(self._until, self._end)
