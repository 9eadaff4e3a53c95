"""The same over standard input and output, one JSON value a line: for a program that starts this one for itself.

A question is `{"id": 1, "do": "plan", "domain": "...", "problem": "..."}`; its answer has the same id. Questions are
answered as soon as they can be, those of one session in their order.
"""

import asyncio
import json
import sys
from typing import Any

from skolem.integrations.server.fields import ParameterError
from skolem.integrations.server.pool import RefusedError
from skolem.integrations.server.service import Service, Settings
from skolem.integrations.server.sessions import TooManySessionsError, UnknownSessionError
from skolem.support.standard_output import write_output

MOST_BYTES = 4 << 20
"""Of a line."""


def run_lines(settings: Settings) -> None:
    """Answers the lines of standard input until its end."""
    asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    service = Service(settings)
    await service.pool.start()
    working: set[asyncio.Task[None]] = set()
    try:
        reader = await _open_input()
        _write({"ready": True})
        while (line := await _read_line(reader)) is not None:
            if line.strip():
                task = asyncio.create_task(_answer(service, line))
                working.add(task)
                task.add_done_callback(working.discard)
        await asyncio.gather(*working)
    finally:
        await service.pool.close()


async def _open_input() -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=MOST_BYTES)
    try:
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    except ValueError:
        # A file, which is there at once.
        reader.feed_data(sys.stdin.buffer.read())
        reader.feed_eof()
    return reader


async def _read_line(reader: asyncio.StreamReader) -> bytes | None:
    """The next line, cut where it is too long; None at the end."""
    try:
        return await reader.readuntil(b"\n")
    except asyncio.IncompleteReadError as end:
        return end.partial or None
    except asyncio.LimitOverrunError as error:
        await _skip_line(reader, error.consumed)
        return b"too long"


async def _skip_line(reader: asyncio.StreamReader, buffered: int) -> None:
    while True:
        await reader.readexactly(buffered)
        try:
            await reader.readuntil(b"\n")
            return
        except asyncio.LimitOverrunError as error:
            buffered = error.consumed
        except asyncio.IncompleteReadError:
            return


async def _answer(service: Service, line: bytes) -> None:
    number: Any = None
    try:
        question = json.loads(line)
        if not isinstance(question, dict) or not isinstance(question.get("do"), str):
            raise ValueError
        number = question.pop("id", None)
        operation = question.pop("do")
    except (ValueError, RecursionError):
        hint = f'expected a line such as {{"id": 1, "do": "plan", ...}} of at most {MOST_BYTES} bytes'
        _write({"id": number, "status": "error", "message": hint})
        return
    try:
        answer = await service.answer(operation, question)
    except (ParameterError, UnknownSessionError, TooManySessionsError, RefusedError) as error:
        answer = {"status": "error", "message": str(error)}
    except (OSError, RuntimeError):
        answer = {"status": "error", "message": "no worker could be started: ask again later"}
    _write({"id": number, **answer})


def _write(content: dict[str, Any]) -> None:
    write_output(json.dumps(content) + "\n")
