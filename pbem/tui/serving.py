"""The terminal UI in a browser, by textual-serve: guarded, because any web page can send requests to this machine.

Clients need the token of the printed URL. Other origins are rejected, and so are other host names, which may lead
here by DNS rebinding.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
import socket
from typing import TYPE_CHECKING, Any

from textual_serve.server import Server

if TYPE_CHECKING:
    from aiohttp import web

_ELSEWHERE = re.compile(r"<link\b[^>]*https?://[^>]*>")
"""Styles and fonts of other hosts, which would learn that somebody plays here."""

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'self' 'unsafe-inline' data:; connect-src 'self' ws: wss:; "
    "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}


class GuardedServer(Server):
    """Serves one app to clients with `token`; all else of textual-serve's is static."""

    def __init__(self, command: str, **options: Any) -> None:
        super().__init__(command, **options)
        self.token = secrets.token_urlsafe(24)
        self.names = {"localhost", socket.gethostname().casefold(), str(options["host"]).casefold()}
        self._cookie = f"pbem-{options['port']}"

    def check(self, request: web.Request) -> None:
        """Raise HTTPForbidden unless the request comes from the page opened with our URL, under one of our hosts."""
        from aiohttp import web

        name = re.sub(r":\d+$", "", request.host).strip("[]").casefold()
        given = request.query.get("token") or request.cookies.get(self._cookie, "")
        origin = request.headers.get("Origin")
        if not (name in self.names or _is_address(name)):
            raise web.HTTPForbidden(text="This isn't a name of this machine.")
        if origin is not None and origin.partition("://")[2] != request.host:
            raise web.HTTPForbidden(text="A page of another site can't play here.")
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            raise web.HTTPForbidden(text="Open the address that pbem tui --serve printed.")

    async def handle_index(self, request: web.Request) -> Any:
        """Return the page. Its cookie opens the socket, whose address textual-serve makes without a token."""
        self.check(request)
        page: Any = await super().handle_index(request)
        page.text = _ELSEWHERE.sub("", page.text or "")
        page.headers.update(_HEADERS)
        page.set_cookie(self._cookie, self.token, httponly=True, samesite="Strict")
        return page

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Exchange the app's output and the user's input."""
        self.check(request)
        socket_: web.WebSocketResponse = await super().handle_websocket(request)
        return socket_

    async def handle_download(self, request: web.Request) -> web.StreamResponse:
        self.check(request)
        found: web.StreamResponse = await super().handle_download(request)
        return found


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
