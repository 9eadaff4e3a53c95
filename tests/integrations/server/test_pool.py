"""Workers: limits hold, one that ends is replaced, those who wait take turns, and nothing is left behind."""

import asyncio
import os
import signal
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.server.servers import HARD, MUGS, TOWER

from skolem.integrations.server import pool as pool_module
from skolem.integrations.server.pool import Pool, PoolLimits, RefusedError

Test = Callable[[Pool], Awaitable[None]]


def run_with_pool(test: Test, limits: PoolLimits) -> None:
    """Runs a test with a pool, and looks whether anything is left after it."""

    async def run() -> list[int]:
        pool = Pool(limits)
        await pool.start()
        workers: list[int] = []
        try:
            await test(pool)
        finally:
            workers = [worker._process.pid for worker in pool._all]
            folder = pool._path
            await pool.close()
            assert not Path(folder).exists()
        return workers

    for pid in asyncio.run(run()):
        assert not Path("/proc", str(pid)).exists()


def test_answers_one_after_another() -> None:
    async def test(pool: Pool) -> None:
        for _ in range(3):
            assert (await pool.run("plan", MUGS, "a"))["cost"] == 6
        assert pool.describe() == {"workers": 1, "busy": 0, "waiting": 0, "answered": 3}

    run_with_pool(test, PoolLimits(workers=1))


def test_the_time_limit_holds_and_the_next_question_is_answered() -> None:
    async def test(pool: Pool) -> None:
        answer = await pool.run("plan", {**HARD, "time_limit": 1.5}, "a")
        assert answer["status"] == "unsolved"
        assert answer["message"]
        assert (await pool.run("plan", MUGS, "a"))["cost"] == 6

    run_with_pool(test, PoolLimits(workers=1))


def test_the_memory_limit_holds() -> None:
    async def test(pool: Pool) -> None:
        many = " ".join(f"o{i}" for i in range(150_000))
        problem = f"(define (problem many) (:domain d) (:objects {many}) (:init) (:goal (p)))"
        task = {"domain": "(define (domain d) (:predicates (p)))", "problem": problem}
        answer = await pool.run("plan", {**task, "memory_limit": 100, "time_limit": 60}, "a")
        assert (answer["status"], answer["message"]) == ("unsolved", "the memory limit was reached")
        assert (await pool.run("plan", MUGS, "a"))["cost"] == 6

    run_with_pool(test, PoolLimits(workers=1))


def test_a_worker_that_does_not_answer_in_time_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "LATE_SECONDS", 0.0)

    async def test(pool: Pool) -> None:
        (worker,) = pool._all
        asyncio.get_running_loop().call_later(0.05, os.kill, worker._process.pid, signal.SIGSTOP)
        answer = await pool.run("plan", {**HARD, "time_limit": 1}, "a")
        assert (answer["status"], answer["message"]) == ("unsolved", "the time limit was reached")
        assert (await pool.run("plan", MUGS, "a"))["cost"] == 6
        assert worker not in pool._all

    run_with_pool(test, PoolLimits(workers=1))


def test_a_worker_killed_in_the_middle_is_replaced() -> None:
    async def test(pool: Pool) -> None:
        (worker,) = pool._all
        work = asyncio.create_task(pool.run("plan", {**HARD, "time_limit": 50}, "a"))
        await asyncio.sleep(0.3)
        os.kill(worker._process.pid, signal.SIGKILL)
        answer = await work
        assert (answer["status"], answer["message"]) == ("error", "the worker ended in the middle: ask again")
        assert (await pool.run("plan", MUGS, "a"))["cost"] == 6

    run_with_pool(test, PoolLimits(workers=1))


def test_a_worker_killed_while_idle_is_replaced() -> None:
    async def test(pool: Pool) -> None:
        (worker,) = pool._all
        os.kill(worker._process.pid, signal.SIGKILL)
        await worker._process.wait()
        assert (await pool.run("plan", MUGS, "a"))["cost"] == 6

    run_with_pool(test, PoolLimits(workers=1))


def test_who_goes_away_ends_the_work() -> None:
    async def test(pool: Pool) -> None:
        (worker,) = pool._all
        work = asyncio.create_task(pool.run("plan", {**HARD, "time_limit": 50}, "a"))
        await asyncio.sleep(0.3)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert (await pool.run("plan", MUGS, "a"))["cost"] == 6
        assert not worker.alive

    run_with_pool(test, PoolLimits(workers=1))


def test_few_long_questions_do_not_stop_others() -> None:
    async def test(pool: Pool) -> None:
        long = [asyncio.create_task(pool.run("plan", {**HARD, "time_limit": 50}, "a")) for _ in range(2)]
        await asyncio.sleep(0)
        assert (await pool.run("plan", MUGS, "b"))["cost"] == 6
        for task in long:
            assert not task.done()
            task.cancel()
        await asyncio.gather(*long, return_exceptions=True)

    run_with_pool(test, PoolLimits(workers=1))


def test_a_full_queue_says_so() -> None:
    async def test(pool: Pool) -> None:
        tasks = [asyncio.create_task(pool.run("plan", TOWER, str(i))) for i in range(6)]
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        refused = [a for a in answers if isinstance(a, RefusedError)]
        assert len(refused) == 3
        assert str(refused[0]) == "too many questions wait already: ask again later"
        assert [a["cost"] for a in answers if isinstance(a, dict)] == [9, 9, 9]

    run_with_pool(test, PoolLimits(workers=1, waiting=2))


def test_who_waits_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "LONG_SECONDS", 60.0)

    async def test(pool: Pool) -> None:
        long = asyncio.create_task(pool.run("plan", {**HARD, "time_limit": 50}, "a"))
        await asyncio.sleep(0)
        with pytest.raises(RefusedError, match="all workers are busy"):
            await pool.run("plan", MUGS, "b")
        long.cancel()
        await asyncio.gather(long, return_exceptions=True)

    run_with_pool(test, PoolLimits(workers=1, wait_seconds=0.2))


def test_clients_take_turns() -> None:
    async def test(pool: Pool) -> None:
        order: list[str] = []

        async def ask(client: str) -> Any:
            await pool.run("plan", MUGS, client)
            order.append(client)

        many = [asyncio.create_task(ask("many")) for _ in range(6)]
        await asyncio.sleep(0)
        few = asyncio.create_task(ask("few"))
        await asyncio.gather(*many, few)
        assert order.index("few") <= 2

    run_with_pool(test, PoolLimits(workers=1, waiting=20))


def test_a_stopping_pool_refuses_what_waits_and_what_comes() -> None:
    async def test(pool: Pool) -> None:
        busy = asyncio.create_task(pool.run("plan", {**HARD, "time_limit": 50}, "a"))
        await asyncio.sleep(0)
        waiting = asyncio.create_task(pool.run("plan", MUGS, "b"))
        await asyncio.sleep(0.05)
        pool.stop_taking()
        for task in (waiting, asyncio.create_task(pool.run("plan", MUGS, "c"))):
            with pytest.raises(RefusedError, match="the server is stopping"):
                await task
        pool.end_all()
        with pytest.raises(RefusedError, match="the server is stopping"):
            await busy

    run_with_pool(test, PoolLimits(workers=1))


def test_workers_are_replaced_after_many_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "MOST_QUESTIONS", 2)

    async def test(pool: Pool) -> None:
        (first,) = pool._all
        for _ in range(3):
            assert (await pool.run("plan", MUGS, "a"))["cost"] == 6
        (second,) = pool._all
        assert second is not first

    run_with_pool(test, PoolLimits(workers=1))


def test_nothing_is_written_outside_of_the_pools_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    async def test(pool: Pool) -> None:
        await pool.run("plan", TOWER, "a")
        assert [path.name for path in tmp_path.iterdir()] == [Path(pool._path).name]

    run_with_pool(test, PoolLimits(workers=1))
    assert not list(tmp_path.iterdir())
