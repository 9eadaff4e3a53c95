"""What goes wrong around a server: a clear answer each time, and nothing left behind."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.requests import Request
from starlette.types import Message
from tests.integrations.server.servers import HARD, MUGS, PATIENCE, Running, run_server

from skolem.integrations.server import app


def wait_until(condition: Any) -> None:
    """Returns when a condition holds, which it must before long."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_client_that_goes_away_ends_the_work() -> None:
    with run_server("--workers", "1") as server:
        before = server.list_workers()
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{server.url}api/plan", json={**HARD, "time_limit": 50}, timeout=1.0)
        wait_until(lambda: not set(before) & set(server.list_workers()))
        assert server.ask("plan", **MUGS)["cost"] == 6


def test_a_worker_killed_in_the_middle() -> None:
    with run_server("--workers", "1") as server:
        answers: list[httpx.Response] = []
        asking = threading.Thread(target=lambda: answers.append(server.post("plan", {**HARD, "time_limit": 50})))
        asking.start()
        wait_until(lambda: server.get("api/health").json()["busy"])
        for pid in server.list_workers():
            os.kill(pid, signal.SIGKILL)
        asking.join()
        assert answers[0].status_code == 500
        assert answers[0].json() == {
            "status": "error",
            "message": "the worker ended in the middle: ask again",
            "exit_code": 35,
        }
        assert server.ask("plan", **MUGS)["cost"] == 6


def test_stop_while_busy() -> None:
    with run_server("--workers", "1") as server:
        answers: list[httpx.Response] = []
        asking = threading.Thread(target=lambda: answers.append(server.post("plan", {**HARD, "time_limit": 50})))
        asking.start()
        wait_until(lambda: server.get("api/health").json()["busy"])
        workers = server.list_workers()
        server.process.send_signal(signal.SIGTERM)
        asking.join()
        assert (answers[0].status_code, answers[0].json()["message"]) == (503, "the server is stopping")
        assert server.process.wait(PATIENCE) == 0
        wait_until(lambda: not any(Path("/proc", str(pid)).exists() for pid in workers))


def test_a_killed_server_leaves_no_process() -> None:
    with run_server("--workers", "1") as server:
        workers = server.list_workers()
        assert workers
        server.process.kill()
        server.process.wait(PATIENCE)
        wait_until(lambda: not any(Path("/proc", str(pid), "cmdline").exists() for pid in workers))


def test_a_thousand_sessions(server: Running) -> None:
    small = {
        "domain": "(define (domain d) (:predicates (p)))",
        "problem": "(define (problem q) (:domain d) (:init) (:goal (p)))",
    }
    with httpx.Client(timeout=PATIENCE) as client:

        def ask(operation: str, **parameters: Any) -> httpx.Response:
            return client.post(f"{server.url}api/{operation}", json=parameters)

        opened = [ask("open", **small)]
        while opened[-1].status_code == 200:
            opened.append(ask("open", **small))
        assert opened[-1].status_code == 429
        assert opened[-1].json()["message"].startswith("there are 1000 sessions already")
        assert opened[-1].headers["retry-after"]
        names = [answer.json()["session"] for answer in opened[:-1]]
        assert ask("ask", session=names[500], add=["(p)"]).json()["status"] == "solved"
        for name in names:
            assert ask("close", session=name).json() == {"status": "closed"}
        assert client.get(f"{server.url}api/health").json()["sessions"] == 1_000 - len(names)


def test_a_slow_client_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "READ_SECONDS", 0.05)

    async def never() -> Message:
        await asyncio.sleep(PATIENCE)
        return {"type": "http.disconnect"}

    scope = {"type": "http", "method": "POST", "headers": [(b"content-type", b"application/json")]}
    with pytest.raises(app.BodyError) as caught:
        asyncio.run(app._read_body(Request(scope, never)))
    assert caught.value.status == 408


def test_many_large_requests_at_once_are_not_all_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MOST_ARRIVING", 1_000)
    parts = [b" " * 600, b" " * 600]

    async def receive() -> Message:
        return {"type": "http.request", "body": parts.pop(), "more_body": bool(parts)}

    scope = {"type": "http", "method": "POST", "headers": [(b"content-type", b"application/json")]}
    with pytest.raises(app.BodyError) as caught:
        asyncio.run(app._read_body(Request(scope, receive)))
    assert caught.value.status == 503
    assert app._arriving["bytes"] == 0


def test_slow_clients_do_not_stop_others(server: Running) -> None:
    where = urlsplit(server.url)
    slow = [socket.create_connection((str(where.hostname), where.port or 80)) for _ in range(50)]
    try:
        for number, connection in enumerate(slow):
            body = b"POST /api/plan HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            connection.sendall(body if number % 2 else body + b"Content-Length: 1000\r\n\r\n{")
        assert server.ask("plan", **MUGS)["cost"] == 6
    finally:
        for connection in slow:
            connection.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--host", "nowhere.invalid"), "cannot serve at nowhere.invalid"),
        (("--port", "70000"), "70000 is not a port"),
        (("--stdio", "--mcp"), "not allowed with argument"),
    ],
)
def test_a_server_that_cannot_be_started_says_why(options: tuple[str, ...], message: str) -> None:
    command = [sys.executable, "-m", "skolem.cli", "serve", *options]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ended.returncode == 36
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_port_in_use(server: Running) -> None:
    command = [sys.executable, "-m", "skolem.cli", "serve", "--port", str(urlsplit(server.url).port)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ended.returncode == 36
    assert "Address already in use" in ended.stderr
