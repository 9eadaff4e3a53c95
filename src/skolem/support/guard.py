"""Hard limits around a command: work runs in a child process that cannot outlive its time, memory or parent.

Native code cannot be interrupted from Python, so only another process can hold it to a limit. The child never writes
to standard output itself: it hands what it has to say to its parent, which says either all of it or what went wrong.
"""

import io
import math
import os
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn, TextIO

from skolem.support.errors import ExitCode, Stopped
from skolem.support.parent_death import end_with_parent
from skolem.support.signals import STOPPING, block_signals, check_stopped, handle_signals, raise_stopped
from skolem.support.standard_output import write_output
from skolem.support.temporary import make_temporary_folder, remove_abandoned_folders

LATE_SECONDS = 0.15
"""How much later than its limit a child may still answer."""
GRACE_SECONDS = 0.15
"""How long a child may take to stop its planners and remove its files once it is told to."""
_POLL_SECONDS = 0.05
_LITTLE_MEMORY = 4 << 20
"""Bytes; with less than that left, what goes wrong goes wrong for want of memory, whatever native code calls it."""
_COMPLETE = b"\0"
"""What an answer ends with; without it the child ended before it had said all."""

FailureReport = Callable[[ExitCode, str], None]
"""How a failure that the child could not report itself is told to the user."""


@dataclass(frozen=True)
class _End:
    """How a child ended: its wait status, what it said, and why it was told to stop if it was."""

    status: int
    said: bytes
    late: bool
    signalled: int | None

    @property
    def complete(self) -> bool:
        """Whether the child said all that it had to say."""
        return os.WIFEXITED(self.status) and self.said.endswith(_COMPLETE)


def run_guarded(work: Callable[[], int], seconds: float | None, memory_mb: int | None, report: FailureReport) -> int:
    """The exit code of `work`, run in a forked child within the limits; a Stopped if a signal asked for it.

    What the work prints is printed at its end. To be called before the process has threads: they are not forked.
    """
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    remove_abandoned_folders()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    with make_temporary_folder() as folder:
        end = _run_child(lambda writer, parent: _work_as_child(work, memory_mb, folder, writer, parent), deadline)
    if end.complete:
        write_output(end.said.removesuffix(_COMPLETE).decode("utf-8", "surrogateescape"))
        return os.WEXITSTATUS(end.status)
    return _explain(end, memory_mb is not None, report)


def _run_child(start: Callable[[int, int], NoReturn], deadline: float) -> _End:
    signalled: list[int] = []
    child = 0

    def forward(number: int, frame: FrameType | None) -> None:
        signalled.append(number)
        os.kill(child, signal.SIGTERM)

    reader, writer = os.pipe()
    parent = os.getpid()
    with handle_signals(forward):
        with block_signals():
            child = os.fork()
            if child == 0:
                os.close(reader)
                start(writer, parent)
        os.close(writer)
        said, late = _listen(child, reader, deadline, signalled)
        status = os.waitpid(child, 0)[1]
    os.close(reader)
    return _End(status, said, late, signalled[0] if signalled else None)


def _listen(child: int, reader: int, deadline: float, signalled: list[int]) -> tuple[bytes, bool]:
    """What a child says until its end, and whether it had to be stopped at its time limit."""
    said, late, kill_at = bytearray(), False, math.inf
    poll = select.poll()
    poll.register(reader)
    while True:
        now = time.monotonic()
        if kill_at == math.inf and (signalled or now >= deadline + LATE_SECONDS):
            late = not signalled
            os.kill(child, signal.SIGTERM)
            kill_at = now + GRACE_SECONDS
        elif now >= kill_at:
            os.kill(child, signal.SIGKILL)
        # Until something is due; what is overdue has been done, and its effect is waited for.
        due = min((t for t in (deadline + LATE_SECONDS, kill_at) if t > now), default=math.inf)
        if poll.poll(1000 * min(_POLL_SECONDS, due - now)):
            part = os.read(reader, 1 << 16)
            if not part:
                return bytes(said), late
            said += part


def _work_as_child(work: Callable[[], int], memory_mb: int | None, folder: str, writer: int, parent: int) -> NoReturn:
    code = int(ExitCode.DRIVER_CRITICAL_ERROR)
    try:
        for number in STOPPING:
            # What the user wants to be ignored stays ignored, but this is how the parent says that time is up.
            if number == signal.SIGTERM or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, raise_stopped)
        end_with_parent(parent, signal.SIGKILL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
        tempfile.tempdir = folder
        if memory_mb is not None:
            limit_memory(memory_mb)
        said = _Buffer(sys.stdout)
        sys.stdout = said
        code = work()
        if code == ExitCode.DRIVER_CRITICAL_ERROR:
            check_stopped()
        _send(writer, said.getvalue().encode("utf-8", "surrogateescape") + _COMPLETE)
    except MemoryError:
        code = int(ExitCode.TRANSLATE_OUT_OF_MEMORY)
    except Stopped as stop:
        code = stop.exit_code
    except BaseException:
        if has_memory():
            traceback.print_exc()
    finally:
        try:
            sys.stderr.flush()
        finally:
            os._exit(code)


class _Buffer(io.StringIO):
    """Keeps what is printed, and looks like the stream that it will go to."""

    def __init__(self, target: TextIO) -> None:
        super().__init__()
        self._target = target

    def isatty(self) -> bool:
        return self._target.isatty()

    def fileno(self) -> int:
        return self._target.fileno()


def _send(writer: int, content: bytes) -> None:
    while content:
        content = content[os.write(writer, content) :]


def limit_memory(megabytes: int) -> None:
    """Limits the memory of this process and those it starts; a limit beyond what the system can count is none."""
    limit = megabytes * 1024 * 1024
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    if limit < (1 << 63) and (hard == resource.RLIM_INFINITY or limit < hard):
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def find_age() -> float:
    """Seconds since this process was started; none where the system does not tell."""
    try:
        # The name of the program, in parentheses, may have spaces.
        fields = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK"))
    except (OSError, AttributeError, ValueError, IndexError):
        return 0.0


def has_memory() -> bool:
    """Whether the memory limit leaves anything worth mentioning; without one always."""
    limit = resource.getrlimit(resource.RLIMIT_DATA)[0]
    try:
        return limit == resource.RLIM_INFINITY or bool(bytearray(_LITTLE_MEMORY))
    except MemoryError:
        return False


def _explain(end: _End, limited_memory: bool, report: FailureReport) -> int:
    """Tells why a child did not say all, and returns the exit code for that."""
    code = os.waitstatus_to_exitcode(end.status)
    if end.signalled is not None:
        raise Stopped(end.signalled)
    if end.late:
        return _fail(report, ExitCode.TRANSLATE_OUT_OF_TIME, "the time limit was reached")
    if code > 128:
        raise Stopped(code - 128)
    if code == ExitCode.TRANSLATE_OUT_OF_MEMORY or (limited_memory and code != -signal.SIGKILL):
        # Native code that is refused memory aborts, crashes or just ends.
        return _fail(report, ExitCode.TRANSLATE_OUT_OF_MEMORY, "the memory limit was reached")
    if code < 0:
        name = signal.Signals(-code).name
        return _fail(report, ExitCode.TRANSLATE_CRITICAL_ERROR, f"stopped by {name} while working on the input")
    return _fail(report, ExitCode.DRIVER_CRITICAL_ERROR, f"ended without an answer (exit status {code})")


def _fail(report: FailureReport, code: ExitCode, message: str) -> int:
    report(code, message)
    return int(code)
