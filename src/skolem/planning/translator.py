"""A process that has Fast Downward's translator loaded: tasks are translated and searched without the driver.

It is forked while this process is still small, and loads the translator while this one does other things; or it is
started as a program of its own, which a process with threads can do too. Every job is done by a process that it forks:
that translates a task, then becomes the search.
"""

import fcntl
import json
import math
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

from skolem.support.errors import ExitCode, SkolemError
from skolem.support.parent_death import end_with_parent
from skolem.support.signals import STOPPING, block_signals

DOMAIN, PROBLEM, SAS, PLAN = "domain.pddl", "problem.pddl", "output.sas", "plan"
OUTPUT, ERRORS = "stdout.txt", "stderr.txt"
"""The files of a job, in its folder."""
SEARCHING = "Running search"
"""What the driver says when the translator is done."""

MEMORY_SHARE = 8
"""A limit on memory is so many times what the process takes, or the job is left to the driver."""


@cache
def find_driver() -> Path:
    """The driver script of the installed Fast Downward."""
    spec = find_spec("up_fast_downward")
    if spec is None or spec.origin is None:
        raise SkolemError("Fast Downward is not installed: pip install up-fast-downward")
    return Path(spec.origin).parent / "downward" / "fast-downward.py"


@dataclass(frozen=True)
class Job:
    """A folder with a domain and a problem, the planner for them, and limits on CPU seconds and megabytes."""

    folder: str
    planner: str
    cpu_seconds: int | None
    megabytes: int | None


class NeedsDriverError(Exception):
    """The planner is not one search (a portfolio, or a name that only the driver can say is none), or the process is
    gone."""


class Translator:
    """The process that does jobs, several at a time, as this one sees it."""

    def __init__(self, pid: int, jobs: int, reports: int) -> None:
        self.alive = True
        self.pid, self._jobs, self._reports = pid, jobs, reports
        self._unread = b""
        self._begun = 0
        self._workers: dict[int, int] = {}
        """The processes of jobs that are under way."""
        self._ends: dict[int, int | None] = {}
        """The exit codes of jobs that have ended, None for those that are the driver's."""

    def start(self, job: Job) -> int:
        """Begins a job; its number."""
        self._begun += 1
        try:
            os.write(self._jobs, json.dumps({"number": self._begun, **vars(job)}).encode() + b"\n")
        except BrokenPipeError:
            self.close()
        return self._begun

    def wait(self, number: int, seconds: float) -> int | None:
        """The exit code of a job, or None if it goes on after so many seconds; a NeedsDriverError if it cannot be."""
        deadline = time.monotonic() + seconds
        while number not in self._ends:
            if not self.alive:
                raise NeedsDriverError
            if not self._hear(max(0.0, deadline - time.monotonic())):
                return None
        code = self._ends.pop(number)
        if code is None:
            raise NeedsDriverError
        return code

    def _hear(self, seconds: float) -> bool:
        """Takes in what the process reports within some seconds; whether there was anything."""
        poll = select.poll()
        poll.register(self._reports, select.POLLIN)
        if not poll.poll(None if seconds == math.inf else 1000 * seconds):
            return False
        part = os.read(self._reports, 1 << 12)
        if not part:
            self.close()
        *lines, self._unread = (self._unread + part).split(b"\n")
        for line in lines:
            word, *values = line.decode().split()
            number, value = map(int, values)
            if word == "started":
                self._workers[number] = value
            else:
                self._workers.pop(number, None)
                self._ends[number] = value if word == "ended" else None
        return True

    def stop(self, number: int) -> None:
        """Ends a job; where it has not begun, there are no others after it."""
        with suppress(NeedsDriverError):
            if self.wait(number, 0.0) is not None:
                return
            if number not in self._workers:
                self.close()
                return
            with suppress(ProcessLookupError):
                os.kill(self._workers[number], signal.SIGKILL)
            self.wait(number, math.inf)

    def check(self) -> bool:
        """Whether the process is there for another job."""
        if self.alive:
            poll = select.poll()
            # Only its end can be heard between two jobs.
            poll.register(self._reports, 0)
            if poll.poll(0):
                self.close()
        return self.alive

    def close(self) -> None:
        """Ends the process, and with it its job."""
        if self.alive:
            self.release()
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(self.pid, 0)

    def release(self) -> None:
        """Lets go of the process, which ends when nobody has a hold on it."""
        if self.alive:
            self.alive = False
            os.close(self._jobs)
            os.close(self._reports)


def fork_translator() -> Translator:
    """A copy of this process, to be made before that has threads."""
    parent = os.getpid()
    jobs, jobs_writer = os.pipe()
    reports_reader, reports = os.pipe()
    with block_signals():
        pid = os.fork()
        if pid == 0:
            try:
                end_with_parent(parent, signal.SIGKILL)
                _prepare_process(jobs, reports)
                _serve(jobs, reports)
            finally:
                os._exit(0)
    os.close(jobs)
    os.close(reports)
    return Translator(pid, jobs_writer, reports_reader)


def spawn_translator() -> Translator:
    """A program of its own, which a process with threads can start."""
    ends = [*os.pipe(), *os.pipe()]
    # Not the numbers of the standard streams, which this process may have closed.
    jobs, jobs_writer, reports_reader, reports = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3) for end in ends)
    for end in ends:
        os.close(end)
    script = f"import sys; sys.path[:] = sys.argv[1:]; from {__name__} import serve; serve()"
    home = str(Path(__file__).parents[2])
    actions = (
        (os.POSIX_SPAWN_DUP2, jobs, 0),
        (os.POSIX_SPAWN_DUP2, reports, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    )
    try:
        words = [sys.executable, "-c", script, *sys.path, home]
        pid = os.posix_spawn(sys.executable, words, os.environ, file_actions=actions, setsigmask=STOPPING)
    finally:
        os.close(jobs)
        os.close(reports)
    return Translator(pid, jobs_writer, reports_reader)


def serve() -> NoReturn:
    """The program: jobs come in on standard input, what becomes of them goes out on standard output."""
    jobs, reports = os.dup(0), os.dup(1)
    _prepare_process(jobs, reports)
    _serve(jobs, reports)
    os._exit(0)


def _prepare_process(*needed: int) -> None:
    """Lets go of all that a process shares with its parent, which would wait for its end otherwise."""
    os.setsid()
    for number in STOPPING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    for descriptor in {int(name) for name in os.listdir("/dev/fd")}.difference(range(3), needed):
        with suppress(OSError):
            os.close(descriptor)


def _serve(jobs: int, reports: int) -> None:
    """Does jobs as they come until there can be no more."""
    # What cannot be loaded is for the driver, which says why.
    spell = None
    with suppress(Exception):
        spell = _load()
    workers = dict[int, tuple[int, int]]()  # number and process of a job by the pipe that its end closes
    unread = b""
    poll = select.poll()
    poll.register(jobs, select.POLLIN)
    while True:
        for descriptor, _ in poll.poll():
            if descriptor != jobs:
                poll.unregister(descriptor)
                os.close(descriptor)
                number, worker = workers.pop(descriptor)
                code = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
                os.write(reports, b"ended %d %d\n" % (number, code))
                continue
            part = os.read(jobs, 1 << 16)
            if not part:
                # There is nobody left that they are done for.
                for _, worker in workers.values():
                    os.kill(worker, signal.SIGKILL)
                return
            *lines, unread = (unread + part).split(b"\n")
            for line in lines:
                words = json.loads(line)
                number, job = words.pop("number"), Job(**words)
                search = None if spell is None or _is_cramped(job.megabytes) else spell(job.planner)
                if search is None:
                    os.write(reports, b"driver %d 0\n" % number)
                    continue
                ended, worker = _begin(job, search)
                workers[ended] = number, worker
                poll.register(ended, 0)
                os.write(reports, b"started %d %d\n" % (number, worker))


def _begin(job: Job, search: list[str]) -> tuple[int, int]:
    """Starts a job: a pipe that is closed by its end, and its process."""
    server = os.getpid()
    ended, until_end = os.pipe()
    worker = os.fork()
    if worker == 0:
        # Closed by the end of the worker, also after it became the search.
        os.set_inheritable(until_end, True)
        _work(job, server, search)
    os.close(until_end)
    return ended, worker


def _load() -> Callable[[str], list[str] | None]:
    """Loads the translator, and returns how the driver spells the one search that a planner is."""
    folder = find_driver().parent
    binaries = folder / "builds" / "release" / "bin"
    # As the driver has it: the translator of the build comes first.
    sys.path[:0] = [str(binaries), str(folder)]
    import_module("fast_downward.translate.main")
    set_options_for_alias = import_module("driver.aliases").set_options_for_alias

    def spell(planner: str) -> list[str] | None:
        options = SimpleNamespace(search_options=[], portfolio=None)
        if "(" in planner:
            options.search_options = ["--search", planner]
        else:
            with suppress(KeyError):
                set_options_for_alias(planner, options)
        if not options.search_options:
            return None
        return [str(binaries / "downward"), *options.search_options, "--internal-plan-file", PLAN]

    return spell


def _is_cramped(megabytes: int | None) -> bool:
    """Whether what this process takes already matters under a limit on memory: a new one is smaller."""
    if megabytes is None or sys.platform == "darwin":
        return False
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return megabytes << 20 < MEMORY_SHARE * pages * resource.getpagesize()


def _work(job: Job, parent: int, search: list[str]) -> NoReturn:
    code = 1
    try:
        end_with_parent(parent, signal.SIGKILL)
        os.chdir(job.folder)
        for stream, name in ((1, OUTPUT), (2, ERRORS)):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), stream)
        sys.stdout = open(1, "w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
        _limit(resource.RLIMIT_CPU, job.cpu_seconds, 1)
        if job.megabytes is not None and sys.platform != "darwin":
            _limit(resource.RLIMIT_AS, job.megabytes << 20)
        code = _translate()
        if code == 0:
            print(SEARCHING, flush=True)
            os.dup2(os.open(SAS, os.O_RDONLY), 0)
            for number in (signal.SIGPIPE, signal.SIGXFSZ):
                # Python ignores them, and what is ignored stays so.
                signal.signal(number, signal.SIG_DFL)
            os.execv(search[0], search)
    except MemoryError:
        code = int(ExitCode.TRANSLATE_OUT_OF_MEMORY)
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def _limit(kind: int, limit: int | None, grace: int = 0) -> None:
    """Limits this process; where a lower limit holds, that one stays."""
    hard = resource.getrlimit(kind)[1]
    if limit is not None and (hard == resource.RLIM_INFINITY or limit <= hard):
        most = limit + grace
        resource.setrlimit(kind, (limit, most if hard == resource.RLIM_INFINITY else min(most, hard)))


def _translate() -> int:
    """The translator's exit code, as its own main module has it."""
    from runpy import run_module

    sys.argv = ["translate", DOMAIN, PROBLEM, "--sas-file", SAS]
    try:
        run_module("fast_downward.translate", run_name="__main__", alter_sys=True)
    except SystemExit as stop:
        if isinstance(stop.code, str):
            print(stop.code, file=sys.stderr)
            return 1
        return stop.code or 0
    return 0
