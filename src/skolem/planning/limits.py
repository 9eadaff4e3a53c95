"""How long and how large a planner may get."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from skolem.support.errors import ExitCode, LimitError

RESERVE_SECONDS = 0.3
"""Kept back from the planner's time for reading its plan, validating it and writing the answer."""


@dataclass(frozen=True)
class Limits:
    """Wall-clock seconds and megabytes of memory; None is no limit."""

    seconds: float | None = None
    memory_mb: int | None = None


NO_LIMITS = Limits()

Stop = Callable[[float | None], bool]
"""Whether a planner is to stop, asked again and again with the cost of its cheapest plan so far, None before it."""


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


def leave_reserve(clock: Clock) -> Limits:
    """The limits that a planner started now must keep; a LimitError when no time is left."""
    left = clock.left()
    if left.seconds is None:
        return left
    if left.seconds <= RESERVE_SECONDS:
        raise LimitError("the time limit was reached before planning began", ExitCode.TRANSLATE_OUT_OF_TIME)
    return Limits(left.seconds - RESERVE_SECONDS, left.memory_mb)


class Patience:
    """Says when an anytime planner may stop: at a plan that is cheap enough, or when searching on does not pay.

    It pays as long as the next cheaper plan comes within the time that the first one took, and all of them within the
    time that everything before took; while a plan is far too dear, some seconds at least.
    """

    LEAST_SECONDS = 0.05
    """The least time for the search for a cheaper plan."""
    FAR_SECONDS = (1.5, 4.0)
    """The least time for the next cheaper plan, and for all of them, while the plan is far too dear."""
    MOST_TIMES = 4.0
    """How much longer that may be where the plan is several times as dear as one that is just far too dear."""

    def __init__(
        self,
        clock: Clock,
        enough: float = 0.0,
        started: float = 0.0,
        least: float = LEAST_SECONDS,
        most: float = 1.0,
        far: float = math.inf,
    ) -> None:
        """`started` is when the planner was, on the clock; `most` bounds all of the search by what was before it.

        A plan is cheap enough at a cost of `enough`, and far too dear above one of `far`.
        """
        self._clock, self._enough, self._started = clock, enough, started
        self._least, self._most, self._far = least, most, far
        self._wait = self._until = self._end = self._last = 0.0
        self._cost: float | None = None

    def __call__(self, cost: float | None) -> bool:
        """Whether to stop at a plan of this cost."""
        if cost is None:
            return False
        now = self._clock.elapsed
        if self._cost is None:
            whole = max(now * self._most, self._least)
            self._wait = max(now - self._started, self._least)
            self._end, self._last = now + whole, now + max(whole, self._stretch(cost) * self.FAR_SECONDS[1])
        far = cost > self._far
        if self._cost is None or cost < self._cost:
            least = self._stretch(cost) * self.FAR_SECONDS[0] if far else 0.0
            self._cost, self._until = cost, now + max(self._wait, least)
        if far:
            # The plan that is no longer too dear is given its time, however late it comes.
            self._end = max(self._end, min(now + self._wait, self._last))
        return cost <= self._enough or now >= min(self._until, self._last if far else self._end)

    def _stretch(self, cost: float) -> float:
        """How many times as dear a plan is as one that is just far too dear, within bounds."""
        return 1.0 if self._far <= 0 else min(max(1.0, cost / self._far), self.MOST_TIMES)
