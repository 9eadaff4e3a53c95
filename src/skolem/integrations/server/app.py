"""The HTTP side: routes, what a request may be, and which answer has which status."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from skolem import __version__
from skolem.integrations.server.catalogue import OPERATIONS
from skolem.integrations.server.fields import ParameterError
from skolem.integrations.server.openapi import describe_api
from skolem.integrations.server.pool import RefusedError
from skolem.integrations.server.security import Guard
from skolem.integrations.server.service import Service
from skolem.integrations.server.sessions import TooManySessionsError, UnknownSessionError
from skolem.support.errors import ExitCode

PAGE = Path(__file__).parent / "page"
MOST_BYTES = 4 << 20
"""Of a request's body."""
MOST_ARRIVING = 128 << 20
"""Of all bodies that are arriving at the moment."""
READ_SECONDS = 15.0
"""How long a request may take to arrive."""
_KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


_arriving = Counter[str]()
"""Bytes that were read of bodies that are not complete yet."""


class BodyError(Exception):
    """A body that is not taken, with the HTTP status that says why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def make_app(service: Service, hosts: frozenset[str]) -> Starlette:
    """The application; it answers for the given hosts alone."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await service.pool.start()
        try:
            yield
        finally:
            await service.pool.close()

    async def ask(request: Request) -> Response:
        operation = request.path_params["operation"]
        known = OPERATIONS.get(operation)
        if operation in documents:
            return _fail(405, "expected GET", {"Allow": "GET"})
        if known is None:
            return _fail(404, f"there is no operation '{operation[:40]}': see /api/openapi.json")
        if known.reads != (request.method == "GET"):
            method = "GET" if known.reads else "POST"
            return _fail(405, f"expected {method}", {"Allow": method})
        try:
            given = {} if known.reads else await _read_body(request)
        except BodyError as error:
            # What is left of the body is not read: the connection ends.
            return _fail(error.status, str(error), {"Connection": "close"})
        return await _answer(service, request, operation, given)

    async def health(request: Request) -> Response:
        state = "stopping" if service.pool.stopping else "ok"
        return JSONResponse({"status": state, "sessions": len(service.sessions), **service.pool.describe()})

    async def version(request: Request) -> Response:
        return JSONResponse({"name": "skolem", "version": __version__})

    async def openapi(request: Request) -> Response:
        return JSONResponse(describe_api(__version__))

    async def page(request: Request) -> Response:
        return _send_file(request.path_params.get("name", "index.html"))

    async def fail(request: Request, error: Exception) -> Response:
        return _fail(getattr(error, "status_code", 500), getattr(error, "detail", "internal error"))

    documents = {"health": health, "version": version, "openapi.json": openapi}
    routes = [
        Route("/", page),
        Route("/page/{name}", page),
        *(Route(f"/api/{name}", answer) for name, answer in documents.items()),
        Route("/api/{operation}", ask, methods=["GET", "POST"]),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, hosts=hosts)],
        exception_handlers={404: fail, 405: fail, 500: fail},
        lifespan=lifespan,
    )


async def _answer(service: Service, request: Request, operation: str, given: object) -> Response:
    """The answer with its status; the work ends when the client goes away."""
    client = request.client.host if request.client else ""
    work = asyncio.create_task(service.answer(operation, given, client))
    gone = asyncio.create_task(_wait_until_gone(request))
    try:
        await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            # Nobody hears this.
            return _fail(499, "the client has gone")
        answer = await work
    except ParameterError as error:
        return _fail(400, str(error))
    except UnknownSessionError as error:
        return _fail(404, str(error))
    except TooManySessionsError as error:
        return _fail(429, str(error), {"Retry-After": "60"})
    except RefusedError as error:
        return _fail(503, str(error), {"Retry-After": "1"})
    except (OSError, RuntimeError):
        return _fail(503, "no worker could be started: ask again later", {"Retry-After": "5"})
    finally:
        for task in (work, gone):
            task.cancel()
    return JSONResponse(answer, _choose_status(answer))


def _choose_status(answer: dict[str, Any]) -> int:
    """The HTTP status of an answer; a task without a plan or beyond a limit is an answer like others."""
    if answer.get("status") != "error":
        return 200
    inside = (ExitCode.DRIVER_CRITICAL_ERROR, ExitCode.TRANSLATE_CRITICAL_ERROR, ExitCode.SEARCH_CRITICAL_ERROR)
    return 500 if answer.get("exit_code") in inside else 422


async def _wait_until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _read_body(request: Request) -> object:
    """The JSON value of a body, which is never read further than it may be long."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise BodyError(415, "expected Content-Type: application/json")
    length = request.headers.get("content-length", "0")
    too_large = BodyError(413, f"the request is too large, expected at most {MOST_BYTES} bytes")
    if not length.isdigit() or int(length) > MOST_BYTES:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(READ_SECONDS):
            async for part in request.stream():
                body += part
                _arriving["bytes"] += len(part)
                if len(body) > MOST_BYTES:
                    raise too_large
                if _arriving["bytes"] > MOST_ARRIVING:
                    raise BodyError(503, "too much is arriving at once: ask again later")
    except TimeoutError:
        raise BodyError(408, f"the request did not arrive within {READ_SECONDS:g} seconds") from None
    except ClientDisconnect:
        raise BodyError(400, "the request ended early") from None
    finally:
        _arriving["bytes"] -= len(body)
    return parse_json(bytes(body))


def parse_json(data: bytes) -> object:
    """The value that JSON text stands for; a BodyError for what is none, or has numbers that JSON does not."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise BodyError(400, "the request is not JSON") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _send_file(name: str) -> Response:
    """A file of the page; only names of such files are known."""
    files = {file.name: file for file in PAGE.iterdir() if file.suffix in _KINDS}
    if name not in files:
        return _fail(404, "there is no such page")
    return FileResponse(files[name], media_type=_KINDS[files[name].suffix], headers={"Cache-Control": "no-cache"})


def _fail(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"status": "error", "message": message}, status, headers=headers)
