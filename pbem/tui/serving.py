"""The browser links of a live table: textual-serve with a page of our own, a secret path for each seat, nothing else.

It listens on this machine; a web server with TLS passes requests on to it. Other hosts, other origins and wrong
secrets are answered alike: with nothing.
"""

from __future__ import annotations

import copy
import hmac
import os
from html import escape
from typing import NamedTuple
from urllib.parse import urlsplit

from aiohttp import web
from textual_serve.server import Server

from pbem.tui.model.messages import ScreenMessages

_PAGE = """<!DOCTYPE html>
<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<link rel="icon" href="data:,"><link rel="stylesheet" href="/static/css/xterm.css">
<style>{style}</style><script src="/live.js"></script><script src="/static/js/textual.js"></script></head>
<body><p id="wait">{wait}</p><p id="ended">{ended} <a href="">{again}</a></p>
<div id="terminal" class="textual-terminal" data-session-websocket-url="{socket}" data-font-size="16"></div>
</body></html>"""

_STYLE = """
@font-face { font-family: 'Roboto Mono'; src: url(/static/fonts/RobotoMono-VariableFont_wght.ttf); }
@font-face { font-family: 'Roboto Mono'; unicode-range: U+2E80-9FFF, U+F900-FAFF, U+FF00-FFEF, U+20000-3FFFF;
  src: local('Noto Sans Mono CJK JP'), local('BIZ UDGothic'), local('BIZ UDゴシック'), local('MS Gothic'),
  local('Osaka-Mono'), local('Hiragino Sans W3'), local('Noto Sans CJK JP'), local('Noto Sans JP'); }
body { background: #0c181f; color: #fff; margin: 0; overflow: hidden; font: 16px 'Roboto Mono', monospace }
p { position: absolute; z-index: 9; margin: 0; padding: 1em; background: #0c181f } a { color: #9cf }
#ended, body.-first-byte #wait, body.-closed #wait { display: none } body.-closed #ended { display: block }
.textual-terminal { height: 100vh; height: 100dvh }
"""

_SCRIPT = r"""
const Plain = window.WebSocket, decoder = new TextDecoder();
window.WebSocket = class extends Plain {
  constructor(url) {
    super(url);
    this.addEventListener("message", event => {
      if (typeof event.data === "string") return;
      const text = decoder.decode(event.data), title = text.match(/\x1b\]2;([^\x07]*)\x07/);
      if (title) document.title = title[1];
      if (text.replace(/\x1b\][^\x07]*\x07/g, "").includes("\x07")) ring();
    });
  }
};
function ring() {
  const audio = new AudioContext(), tone = audio.createOscillator();
  tone.connect(audio.destination);
  tone.onended = () => audio.close();
  tone.start();
  tone.stop(audio.currentTime + 0.15);
}
"""
"""textual-serve's script shows neither the title of the window nor the bell."""

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "font-src 'self'; img-src 'self' data:; connect-src 'self' {socket}; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class SeatLink(NamedTuple):
    """What a link leads to: the command of a session, and the language of its page."""

    command: str
    language: str


class LinkServer(Server):
    """Serves each link's session; all else is not found."""

    def __init__(self, links: dict[str, SeatLink], address: tuple[str, int], url: str, title: str) -> None:
        super().__init__("", host=address[0], port=address[1], title=title, public_url=url)
        self.links = links
        self.origin = url
        self.socket = url.replace("http", "ws", 1)

    async def _make_app(self) -> web.Application:
        app = web.Application(client_max_size=1 << 16)
        app.add_routes(
            [
                web.get("/live.js", self.script),
                web.get("/{link}/", self.page),
                web.get("/{link}/ws", self.session),
                web.static("/static", self.statics_path),
            ]
        )
        app.on_response_prepare.append(self._head)
        return app

    async def _head(self, request: web.Request, response: web.StreamResponse) -> None:
        for name, value in _HEADERS.items():
            response.headers[name] = value.replace("{socket}", self.socket)
        response.headers.pop("Server", None)

    def _link(self, request: web.Request) -> SeatLink:
        given, found = request.match_info["link"].encode(), None
        for secret, link in self.links.items():
            found = link if hmac.compare_digest(secret.encode(), given) else found
        if found is None or request.host != urlsplit(self.origin).netloc:
            raise web.HTTPNotFound
        return found

    async def script(self, request: web.Request) -> web.Response:
        return web.Response(text=_SCRIPT, content_type="text/javascript")

    async def page(self, request: web.Request) -> web.Response:
        link = self._link(request)
        words = ScreenMessages(link.language)
        told = {key: escape(words(f"live.page.{key}")) for key in ("wait", "ended", "again")}
        socket = escape(f"{self.socket}/{request.match_info['link']}/ws")
        text = _PAGE.format(language=words.language, title=escape(self.title), style=_STYLE, socket=socket, **told)
        return web.Response(text=text, content_type="text/html")

    async def session(self, request: web.Request) -> web.WebSocketResponse:
        """Run a session for a page of ours, and for no other."""
        link = self._link(request)
        if request.headers.get("Origin") != self.origin:
            raise web.HTTPForbidden
        own = copy.copy(self)
        own.command = link.command
        found: web.WebSocketResponse = await Server.handle_websocket(own, request)
        return found

    def serve(self, debug: bool = False) -> None:
        """Serve until Ctrl-C. What the server was told by its own variables, sessions aren't."""
        for name in [name for name in os.environ if name.startswith("PBEM_") and name != "PBEM_GAMES"]:
            del os.environ[name]
        super().serve(debug)
