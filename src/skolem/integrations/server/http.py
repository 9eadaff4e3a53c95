"""The HTTP server as a process: it listens, says where, and stops in an orderly way."""

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from skolem.integrations.server.app import READ_SECONDS, make_app
from skolem.integrations.server.security import LOOPBACK
from skolem.integrations.server.service import Service, Settings
from skolem.support.errors import UsageError

STOP_SECONDS = 5.0
"""How long what is being worked on may go on when the server stops."""
MOST_CONNECTIONS = 500
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Address:
    """Where a server listens, and the further hosts that it answers for."""

    host: str = "127.0.0.1"
    port: int = 8642
    hosts: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        """As browsers take it."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}/"


def run_server(address: Address, settings: Settings, announce: Callable[[str], None]) -> None:
    """Serves until a signal asks for the end; `announce` is told where, once questions can be asked."""
    with _listen(address) as listener:
        bound = Address(address.host, listener.getsockname()[1], address.hosts)
        asyncio.run(_serve(listener, bound, settings, announce))


async def _serve(
    listener: socket.socket, address: Address, settings: Settings, announce: Callable[[str], None]
) -> None:
    service = Service(settings)
    hosts = LOOPBACK | {host.lower() for host in (address.host, *address.hosts)}
    config = uvicorn.Config(
        make_app(service, hosts),
        http=_Protocol,
        ws="none",
        lifespan="on",
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=int(STOP_SECONDS) + 3,
    )
    server = _Server(config, lambda: announce(address.url))
    loop = asyncio.get_running_loop()

    def stop() -> None:
        server.should_exit = True
        service.pool.stop_taking()
        # Whoever is still being answered then is told that the server stops.
        loop.call_later(STOP_SECONDS, service.pool.end_all)

    for number in _STOPPING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, stop)
    await server.serve(sockets=[listener])


class _Server(uvicorn.Server):
    """Tells when it is started; signals are handled by us."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._announce()


class _Protocol(H11Protocol):
    """Ends connections on which a request does not arrive in time."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._end_if_silent_since(self.cycle)

    def data_received(self, data: bytes) -> None:
        before = self.cycle
        super().data_received(data)
        if self.cycle is before and (before is None or before.response_complete):
            # The beginning of a request.
            self._end_if_silent_since(before)

    def _end_if_silent_since(self, cycle: object) -> None:
        def end() -> None:
            if self.cycle is cycle and not self.transport.is_closing():
                self.transport.close()

        self.loop.call_later(READ_SECONDS, end)


def _listen(address: Address) -> socket.socket:
    """A socket that listens at an address; a UsageError if there can be none."""
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, where = found[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise UsageError(f"cannot serve at {address.host}: {error.strerror}") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(where)
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise UsageError(f"cannot serve at {address.host}:{address.port}: {error.strerror}") from error
    return listener
