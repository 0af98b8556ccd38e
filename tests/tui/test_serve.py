"""`pbem tui --serve`: the terminal UI in a browser, on this machine alone unless told otherwise."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import time
import tomllib
import types
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbem.cli import main
from pbem.cli.exit_codes import Exit

ROOT = Path(__file__).parents[2]
SAVE = ROOT / "saves" / "1630-ballot.toml"


def run(*words):
    return CliRunner().invoke(main, ["tui", str(SAVE), *words])


@pytest.fixture
def served(monkeypatch):
    """Stands in for textual-serve; what it was begun with."""
    begun = {}

    class Server:
        def __init__(self, command, **others):
            begun.update(others, command=command)

        def serve(self):
            begun["served"] = True

    package, module = types.ModuleType("textual_serve"), types.ModuleType("textual_serve.server")
    vars(module)["Server"] = Server
    monkeypatch.setitem(sys.modules, "textual_serve", package)
    monkeypatch.setitem(sys.modules, "textual_serve.server", module)
    monkeypatch.delitem(sys.modules, "pbem.tui.serving", raising=False)
    yield begun
    sys.modules.pop("pbem.tui.serving", None)


def test_it_is_bound_to_this_machine_and_shows_the_seat_that_was_named(served):
    result = run("--serve", "--seat", "amber", "--lang", "ja")
    assert result.exit_code == 0, result.output
    assert (served["host"], served["port"], served["served"]) == ("127.0.0.1", 8000, True)
    assert served["command"].endswith("1630-ballot.toml --seat amber --lang ja")
    assert "--serve" not in served["command"]
    assert re.search(r"http://127\.0\.0\.1:8000/\?token=[\w-]{32}\b", result.stderr)
    assert "not encrypted" not in result.stderr


def test_another_address_is_taken_with_a_warning(served):
    result = run("--serve", "--seat", "public", "--bind", "0.0.0.0:9000")
    assert (served["host"], served["port"]) == ("0.0.0.0", 9000)
    assert "not encrypted" in result.stderr
    assert "plays as public" in result.stderr


def test_it_must_be_said_whose_eyes_a_save_is_shown_with(served):
    result = run("--serve")
    assert result.exit_code == Exit.USAGE
    assert "--seat" in result.stderr
    assert not served
    assert run("--serve", "--seat", "moderator").exit_code == 0


@pytest.mark.parametrize("bind", ["nowhere", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:99999", ":80"])
def test_a_bad_address_is_told(served, bind):
    assert run("--serve", "--seat", "amber", "--bind", bind).exit_code == Exit.USAGE
    assert not served


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "textual_serve", None)
    monkeypatch.setitem(sys.modules, "textual_serve.server", None)
    monkeypatch.delitem(sys.modules, "pbem.tui.serving", raising=False)
    result = run("--serve", "--seat", "amber")
    assert result.exit_code == Exit.USAGE
    assert "pbem docs install" in result.stderr
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert "textual-serve" in project["optional-dependencies"]["serve"][0]
    assert run("--bind", "127.0.0.1:1").exit_code == Exit.USAGE


async def asked(server, path, **heads):
    """What a server answers to one request: its status, its page."""
    from aiohttp import web
    from aiohttp.test_utils import TestClient, TestServer

    async def page(request):
        server.check(request)
        return web.Response(text="in")

    app = web.Application()
    app.router.add_get("/", page)
    async with TestClient(TestServer(app)) as client:
        heads = {name: value.replace("HERE", f"127.0.0.1:{client.port}") for name, value in heads.items()}
        return (await client.get(path, headers=heads)).status


@pytest.mark.parametrize(
    ("token", "heads", "status"),
    [
        ("right", {}, 200),
        ("right", {"Host": "localhost:1"}, 200),
        ("right", {"Host": "[::1]:1"}, 200),
        ("right", {"Origin": "http://HERE"}, 200),
        ("", {"Cookie": "pbem-8000=TOKEN"}, 200),
        ("", {}, 403),
        ("wrong", {}, 403),
        ("", {"Cookie": "pbem-8001=TOKEN"}, 403),
        ("right", {"Host": "evil.example"}, 403),
        ("right", {"Host": "evil.example:8000", "Origin": "http://evil.example:8000"}, 403),
        ("right", {"Host": "127.0.0.1.evil.example"}, 403),
        ("right", {"Origin": "http://evil.example"}, 403),
        ("right", {"Origin": "null"}, 403),
        ("right", {"Origin": "http://HERE.evil.example"}, 403),
        ("", {"Origin": "http://evil.example", "Cookie": "pbem-8000=TOKEN"}, 403),
    ],
)
def test_only_the_page_with_the_token_is_answered(served, token, heads, status):
    pytest.importorskip("aiohttp", reason="textual-serve is not installed")
    from pbem.tui.serving import GuardedServer

    server = GuardedServer("x", host="127.0.0.1", port=8000)
    heads = {name: value.replace("TOKEN", server.token) for name, value in heads.items()}
    path = f"/?token={server.token if token == 'right' else token}" if token else "/"
    assert asyncio.run(asked(server, path, **heads)) == status


async def drawn(address):
    """What the page is sent first, as a browser asks for it."""
    import aiohttp

    seen = ""
    async with aiohttp.ClientSession() as client, client.ws_connect(address) as socket:
        await socket.send_json(["resize", {"width": 120, "height": 30}])
        while "Questions" not in seen:
            message = await socket.receive(timeout=20)
            seen += (
                message.data.decode(errors="replace")
                if isinstance(message.data, bytes)
                else str(message.data)
            )
    return seen


@pytest.mark.slow
def test_a_browser_is_answered(tmp_path):
    pytest.importorskip("textual_serve", reason="textual-serve is not installed")
    import aiohttp

    words = [sys.executable, "-m", "pbem", "tui", str(SAVE), "--serve", "--bind", "127.0.0.1:8731"]
    server = subprocess.Popen(
        [*words, "--seat", "amber"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT))},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        home, _, token = re.search(r"(http://\S+?)(/\?token=)(\S+)", server.stderr.readline()).groups()
        end, page = time.monotonic() + 20, ""
        while not page and time.monotonic() < end:
            try:
                page = urllib.request.urlopen(f"{home}/?token={token}", timeout=2).read().decode()
            except OSError:
                time.sleep(0.2)
        assert "1630-ballot" in page
        assert "https://" not in page
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(home, timeout=2)
        address = f"{home.replace('http', 'ws')}/ws?width=120&height=30"
        with pytest.raises(aiohttp.WSServerHandshakeError):
            asyncio.run(drawn(address))
        assert "Questions" in asyncio.run(drawn(f"{address}&token={token}"))
    finally:
        server.terminate()
        server.wait()
