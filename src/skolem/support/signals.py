"""What happens when somebody asks a process to stop."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from skolem.support.errors import Stopped

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Handler = Callable[[int, FrameType | None], None]


_raised: list[int] = []


def raise_stopped(number: int, frame: FrameType | None) -> NoReturn:
    """Ends the work with a Stopped; what is cleaned up then is not interrupted by further signals."""
    for other in STOPPING:
        signal.signal(other, signal.SIG_IGN)
    _raised.append(number)
    raise Stopped(number)


def check_stopped() -> None:
    """A Stopped where one was raised in this process: native code may have taken it for an error of its own."""
    if _raised:
        raise Stopped(_raised[-1])


def ignore_once(number: int, frame: FrameType | None) -> None:
    """Lets the last words be written; whoever asks twice need not wait for them."""
    signal.signal(number, signal.SIG_DFL)


@contextmanager
def handle_signals(handler: Handler) -> Iterator[None]:
    """Calls the handler for signals that ask to stop; those that are ignored from the start stay ignored."""
    previous = {number: signal.getsignal(number) for number in STOPPING}
    for number, before in previous.items():
        if before is not signal.SIG_IGN:
            signal.signal(number, handler)
    try:
        yield
    finally:
        for number, before in previous.items():
            signal.signal(number, before)


@contextmanager
def block_signals() -> Iterator[None]:
    """Makes signals that ask to stop wait until the end."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
