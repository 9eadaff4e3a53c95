"""Hard limits around a command: work runs in a child process that cannot outlive its time or memory."""

import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

from skolem.support.errors import ExitCode

GRACE_SECONDS = 2.0
"""How long a child may take to stop its planners and remove its files once it is told to."""


FailureReport = Callable[[ExitCode, str], None]
"""How a failure that the child could not report itself is told to the user."""


def run_guarded(work: Callable[[], int], seconds: float | None, memory_mb: int | None, report: FailureReport) -> int:
    """The exit code of `work`, run in a forked child within the limits; a native crash is reported as an error.

    Native code cannot be interrupted from Python, so only another process can hold it to a limit.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    # Ctrl-C reaches the child from the terminal too: this process only waits for it and removes its files.
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    with tempfile.TemporaryDirectory(prefix="skolem-") as folder:
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGINT, interrupt)
            tempfile.tempdir = folder
            _work_as_child(work, memory_mb, report)

        def forward(number: int, frame: FrameType | None) -> None:
            os.kill(child, number)

        previous = {number: signal.signal(number, forward) for number in (signal.SIGTERM, signal.SIGHUP)}
        try:
            status, late = _wait(child, seconds)
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)
    signal.signal(signal.SIGINT, interrupt)
    return _explain(status, late, memory_mb is not None, report)


def _work_as_child(work: Callable[[], int], memory_mb: int | None, report: FailureReport) -> NoReturn:
    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGHUP, stop)
    code = int(ExitCode.DRIVER_CRITICAL_ERROR)
    try:
        if memory_mb is not None:
            limit = memory_mb * 1024 * 1024
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        code = work()
    except MemoryError:
        code = int(ExitCode.TRANSLATE_OUT_OF_MEMORY)
        report(ExitCode.TRANSLATE_OUT_OF_MEMORY, "the memory limit was reached")
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def _wait(child: int, seconds: float | None) -> tuple[int, bool]:
    """The child's wait status, and whether it had to be stopped at its time limit."""
    if seconds is None:
        return os.waitpid(child, 0)[1], False
    deadline = time.monotonic() + seconds
    for stop in (signal.SIGTERM, signal.SIGKILL):
        while time.monotonic() < deadline:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return status, stop is signal.SIGKILL
            time.sleep(0.01)
        os.kill(child, stop)
        deadline = time.monotonic() + GRACE_SECONDS
    return os.waitpid(child, 0)[1], True


def _explain(status: int, late: bool, limited_memory: bool, report: FailureReport) -> int:
    if late:
        code, message = ExitCode.TRANSLATE_OUT_OF_TIME, "the time limit was reached"
    elif limited_memory and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGABRT:
        # How native code ends when it is refused memory.
        code, message = ExitCode.TRANSLATE_OUT_OF_MEMORY, "the memory limit was reached"
    elif os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        code, message = ExitCode.TRANSLATE_CRITICAL_ERROR, f"stopped by {name} while working on the input"
    else:
        return os.WEXITSTATUS(status)
    report(code, message)
    return int(code)
