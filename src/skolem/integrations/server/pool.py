"""Workers in processes of their own: a queue before them, limits around them, and new ones for those that end.

A question that takes long makes room for others: another worker is started for them, up to a bound. Waiting questions
are taken in turns by client, so that one who asks a lot does not stop the others.
"""

import asyncio
import json
import os
import shutil
import sys
import tempfile
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skolem.integrations.server.worker import LENGTH, MOST_BYTES, describe_failure
from skolem.support.errors import ExitCode
from skolem.support.temporary import make_temporary_folder, remove_abandoned_folders

LATE_SECONDS = 1.0
"""How much later than its limit a worker may still answer."""
LONG_SECONDS = 1.0
"""A question that takes longer makes room for others."""
START_SECONDS = 60.0
"""How long a worker may take to start."""
MOST_QUESTIONS = 5_000
"""So many questions are answered by one worker."""
MOST_GROWTH = 300
"""Megabytes that a worker may grow by."""

Answer = dict[str, Any]


class RefusedError(Exception):
    """A question that is not taken at the moment; the message says why."""


@dataclass(frozen=True)
class PoolLimits:
    """How many workers there are, and what each question may take."""

    workers: int = max(2, os.cpu_count() or 2)
    waiting: int = 64
    """Questions that wait for a worker."""
    wait_seconds: float = 30.0
    """How long a question waits at most."""
    seconds: float = 60.0
    """The most that a question may take, ..."""
    usual_seconds: float = 10.0
    """... and what it may take if it does not say."""
    megabytes: int = 2_000

    @property
    def most_workers(self) -> int:
        """With those for questions that take long."""
        return 2 * self.workers + 1


class Pool:
    """The workers of a server."""

    def __init__(self, limits: PoolLimits) -> None:
        self.limits = limits
        self.stopping = False
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._queue = _Queue(limits.waiting)
        self._room = limits.workers
        """How many more questions may be begun."""
        self._long = 0
        """Questions that made room for others."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._folder = make_temporary_folder()
        self._path = ""
        self.answered = 0

    async def start(self) -> None:
        """Starts the workers; an OSError or a RuntimeError where they cannot be."""
        remove_abandoned_folders()
        self._path = self._folder.__enter__()
        self._idle = list(await asyncio.gather(*(self._start_worker() for _ in range(self.limits.workers))))

    async def close(self) -> None:
        """Ends all workers and what they do."""
        self.stop_taking()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in list(self._all)), return_exceptions=True)
        self._folder.__exit__(None, None, None)

    def stop_taking(self) -> None:
        """Refuses what waits and what comes from now on."""
        self.stopping = True
        self._queue.refuse("the server is stopping")

    def end_all(self) -> None:
        """Kills all workers at once; who waits for their answers is told that the server is stopping."""
        self.stop_taking()
        for worker in self._all:
            worker.kill()

    def describe(self) -> dict[str, int]:
        """How many workers there are and how many questions wait."""
        busy = len(self._all) - len(self._idle)
        return {"workers": len(self._all), "busy": busy, "waiting": len(self._queue), "answered": self.answered}

    async def run(self, operation: str, parameters: Mapping[str, Any], client: str) -> Answer:
        """The answer of a worker; a RefusedError where too many questions wait. Cancelling it ends the work."""
        if self.stopping:
            raise RefusedError("the server is stopping")
        seconds = min(parameters.get("time_limit", self.limits.usual_seconds), self.limits.seconds)
        megabytes = min(parameters.get("memory_limit", self.limits.megabytes), self.limits.megabytes)
        question = {"operation": operation, "parameters": parameters, "seconds": seconds, "megabytes": megabytes}
        await self._enter(client)
        turn = _Turn(self)
        worker = None
        try:
            worker = await self._take_worker()
            answer = await self._ask(worker, question, seconds)
            self.answered += 1
            return answer
        finally:
            turn.end(worker)

    async def _enter(self, client: str) -> None:
        """Waits for room."""
        if self._room > 0:
            self._room -= 1
            return
        place = self._queue.add(client)
        try:
            # Not wait_for, which may lose that it was cancelled.
            async with asyncio.timeout(self.limits.wait_seconds):
                await place
        except TimeoutError:
            raise RefusedError("all workers are busy: ask again later") from None
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.exception() is None:
                self.leave()
            raise
        finally:
            self._queue.remove(client, place)

    def leave(self) -> None:
        """Gives room to the next question."""
        if not self._queue.call_next():
            self._room += 1

    def make_room(self) -> bool:
        """Starts a worker for others beside a question that takes long; False where there are enough already."""
        if self.stopping or self._long >= self.limits.most_workers - self.limits.workers:
            return False
        self._long += 1
        self._begin(self._add_worker())
        return True

    def give_back(self, worker: "_Worker | None", made_room: bool) -> None:
        """Takes back the worker of a question that has ended, or replaces it."""
        if made_room:
            self._long -= 1
            if worker is not None:
                self._begin(worker.end())
        elif worker is not None and worker.is_fit and not self.stopping:
            self._idle.append(worker)
            self.leave()
        else:
            self._begin(self._replace_worker(worker))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _add_worker(self) -> None:
        """Starts a worker and gives room for a question."""
        try:
            if not self.stopping:
                self._idle.append(await self._start_worker())
        except (OSError, RuntimeError) as error:
            # The next question tries again, and is told if that fails.
            print(f"skolem: a worker could not be started: {error}", file=sys.stderr)
        finally:
            self.leave()

    async def _replace_worker(self, worker: "_Worker | None") -> None:
        if worker is not None:
            await worker.end()
        await self._add_worker()

    async def _take_worker(self) -> "_Worker":
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            await worker.end()
        return await self._start_worker()

    async def _ask(self, worker: "_Worker", question: dict[str, Any], seconds: float) -> Answer:
        try:
            async with asyncio.timeout(seconds + LATE_SECONDS):
                return await worker.ask(question)
        except TimeoutError:
            return describe_failure(ExitCode.TRANSLATE_OUT_OF_TIME, "the time limit was reached")
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            if self.stopping:
                raise RefusedError("the server is stopping") from None
            return describe_failure(ExitCode.DRIVER_CRITICAL_ERROR, "the worker ended in the middle: ask again")

    async def _start_worker(self) -> "_Worker":
        folder = tempfile.mkdtemp(dir=self._path)
        worker = await _Worker.start(folder, self.limits.megabytes)
        self._all.add(worker)
        worker.on_end = lambda: self._all.discard(worker)
        try:
            async with asyncio.timeout(START_SECONDS):
                await worker.receive()
        except (asyncio.IncompleteReadError, TimeoutError):
            await worker.end()
            raise RuntimeError("it ended before it was ready") from None
        except BaseException:
            await worker.end()
            raise
        return worker


class _Turn:
    """A question's place among those that are worked on; one that takes long makes room for others."""

    def __init__(self, pool: Pool) -> None:
        self._pool, self._made_room = pool, False
        self._timer = asyncio.get_running_loop().call_later(LONG_SECONDS, self._make_room)

    def _make_room(self) -> None:
        self._made_room = self._pool.make_room()

    def end(self, worker: "_Worker | None") -> None:
        """Gives up the place and the worker."""
        self._timer.cancel()
        self._pool.give_back(worker, self._made_room)


class _Queue:
    """Questions that wait, by client; clients take turns, and none may take more than half of all places."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._clients: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._clients.values()))

    def add(self, client: str) -> "asyncio.Future[None]":
        """A place at the end, done when it is its turn."""
        own = self._clients.setdefault(client, deque())
        if len(self) >= self._most or len(own) >= max(1, self._most // 2 + self._most % 2):
            if not own:
                del self._clients[client]
            raise RefusedError("too many questions wait already: ask again later")
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        own.append(place)
        return place

    def remove(self, client: str, place: "asyncio.Future[None]") -> None:
        """Gives up a place."""
        own = self._clients.get(client, deque())
        with suppress(ValueError):
            own.remove(place)
        if not own:
            self._clients.pop(client, None)

    def call_next(self) -> bool:
        """Lets the next question of the next client begin; False if there is none."""
        for client, own in list(self._clients.items()):
            self._clients.move_to_end(client)
            while own:
                place = own.popleft()
                if not place.done():
                    place.set_result(None)
                    return True
        return False

    def refuse(self, message: str) -> None:
        """Refuses all that wait."""
        for own in self._clients.values():
            for place in own:
                if not place.done():
                    place.set_exception(RefusedError(message))
        self._clients.clear()


class _Worker:
    """A worker's process as the server sees it."""

    def __init__(self, process: asyncio.subprocess.Process, folder: str) -> None:
        self._process, self._folder = process, folder
        self._asked, self._first, self._size = 0, 0, 0
        self._waits = False
        self.on_end: Callable[[], None] = lambda: None

    @staticmethod
    async def start(folder: str, megabytes: int) -> "_Worker":
        """A new process with a folder of its own for what it writes."""
        environment = {**os.environ, "TMPDIR": folder, "OPENBLAS_NUM_THREADS": "1", "SKOLEM_THREADS": "1"}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "skolem.integrations.server.worker", str(os.getpid()), str(megabytes)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        return _Worker(process, folder)

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.returncode is None

    @property
    def is_fit(self) -> bool:
        """Whether the process waits for the next question and is worth keeping."""
        return self.alive and self._waits and self._asked < MOST_QUESTIONS and self._size <= self._first + MOST_GROWTH

    async def ask(self, question: dict[str, Any]) -> Answer:
        """The answer to a question; an error if the process ends before."""
        assert self._process.stdin is not None
        self._waits = False
        self._asked += 1
        data = json.dumps(question).encode()
        self._process.stdin.write(LENGTH.pack(len(data)) + data)
        await self._process.stdin.drain()
        return await self.receive()

    async def receive(self) -> Answer:
        """The next answer; the first one, which is empty, says that the process is ready."""
        assert self._process.stdout is not None
        (length,) = LENGTH.unpack(await self._process.stdout.readexactly(LENGTH.size))
        if length > MOST_BYTES:
            raise ValueError("a message of this length is none")
        content = json.loads(await self._process.stdout.readexactly(length))
        self._size = content["megabytes"]
        self._first = self._first or self._size
        self._waits = True
        answer: Answer = content["answer"]
        return answer

    def kill(self) -> None:
        """Kills the process, and with it what it started."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def end(self) -> None:
        """Kills the process and removes its folder."""
        self.kill()
        await self._process.wait()
        self.on_end()
        await asyncio.to_thread(_remove_folder, self._folder)


def _remove_folder(folder: str) -> None:
    """Removes a folder into which processes that are just being killed may still write."""
    deadline = time.monotonic() + 1.0
    while Path(folder).exists():
        shutil.rmtree(folder, ignore_errors=True)
        if time.monotonic() > deadline:
            return
        time.sleep(0.01)
