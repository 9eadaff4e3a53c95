"""What every request must be and every answer must say, whatever is asked."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Nothing is loaded from elsewhere, nothing may show the page inside of another, and no script stands in a page."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Guard:
    """Refuses requests for other hosts, which a rebound DNS name would send, and those that other pages send."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        fault = self._find_fault(Headers(scope=scope))
        if fault is None:
            await self._app(scope, receive, send_with_headers)
        else:
            await JSONResponse({"status": "error", "message": fault}, 403)(scope, receive, send_with_headers)

    def _find_fault(self, headers: Headers) -> str | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or _read_host(hosts[0]) not in self._hosts:
            return "this server answers for another host: see --allow-host"
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != hosts[0].lower():
            return "requests from other pages are refused"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return "requests from other pages are refused"
        return None


def _read_host(header: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return (urlsplit(f"//{header}").hostname or "").lower()
    except ValueError:
        return ""
