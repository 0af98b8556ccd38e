"""`pbem tui --serve`: the terminal UI in a browser, on this machine alone unless told otherwise."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
import tomllib
import types
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbem.cli import main
from pbem.cli.exits import Exit

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
    module.Server = Server
    monkeypatch.setitem(sys.modules, "textual_serve", package)
    monkeypatch.setitem(sys.modules, "textual_serve.server", module)
    return begun


def test_it_is_bound_to_this_machine_and_shows_the_seat_that_was_named(served):
    result = run("--serve", "--seat", "amber", "--lang", "ja")
    assert result.exit_code == 0, result.output
    assert (served["host"], served["port"], served["served"]) == ("127.0.0.1", 8000, True)
    assert served["command"].endswith("1630-ballot.toml --seat amber --lang ja")
    assert "--serve" not in served["command"]
    assert "password" not in result.stderr


def test_another_address_is_taken_with_a_warning(served):
    result = run("--serve", "--bind", "0.0.0.0:9000")
    assert (served["host"], served["port"]) == ("0.0.0.0", 9000)
    assert "sees what the moderator may see, and there is no password" in result.stderr


@pytest.mark.parametrize("bind", ["nowhere", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:99999", ":80"])
def test_a_bad_address_is_told(served, bind):
    assert run("--serve", "--bind", bind).exit_code == Exit.USAGE
    assert not served


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "textual_serve", None)
    monkeypatch.setitem(sys.modules, "textual_serve.server", None)
    result = run("--serve")
    assert result.exit_code == Exit.USAGE
    assert "pip install 'pbem[serve]'" in result.stderr
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert "textual-serve" in project["optional-dependencies"]["serve"][0]
    assert run("--bind", "127.0.0.1:1").exit_code == Exit.USAGE


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
    words = [sys.executable, "-m", "pbem", "tui", str(SAVE), "--serve", "--bind", "127.0.0.1:8731"]
    server = subprocess.Popen(
        words, cwd=ROOT, env={**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT))}
    )
    try:
        end, page = time.monotonic() + 20, ""
        while not page and time.monotonic() < end:
            try:
                page = urllib.request.urlopen("http://127.0.0.1:8731", timeout=2).read().decode()
            except OSError:
                time.sleep(0.2)
        assert "1630-ballot" in page
        assert "Questions" in asyncio.run(drawn("ws://127.0.0.1:8731/ws?width=120&height=30"))
    finally:
        server.terminate()
        server.wait()
