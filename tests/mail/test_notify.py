"""`notify`: public events to a webhook or a program; failures stop nothing; nothing secret in it."""

from __future__ import annotations

import http.server
import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import games
from pbem.cli.console import Exit
from pbem.mail import webhooks as module
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.save_index import SaveIndex
from pbem.report.build import visible_lines
from pbem.save import SaveError, Session, load, locked, store
from pbem.timestamps import moment
from tests.cli.conftest import new_game, pbem  # noqa: F401

LATER = ("--now", "2026-05-01T13:00:00Z")


@pytest.fixture
def server():
    """A web server on loopback; what it was sent, and how it behaves."""
    got: list[tuple[Any, Any]] = []
    how: dict[str, Any] = {"status": 204, "wait": 0.0}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            got.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
            time.sleep(how["wait"])
            self.send_response(how["status"])
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def do_GET(self):
            got.append(("GET", self.path))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args):
            pass

    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{web.server_port}/hook", got, how
    web.shutdown()
    web.server_close()


@pytest.fixture
def allowed(server, monkeypatch):
    """The same, allowed by the moderator's own environment."""
    monkeypatch.setenv("PBEM_ALLOW", server[0].removesuffix("hook"))
    return server


def set_to(pbem, save, value):  # noqa: F811
    pbem("config", "set", save, f"notify={value}", "--reason", "so", *LATER)


def test_it_is_off_unless_set(pbem, new_game):  # noqa: F811
    assert load(new_game).post.notify == ""
    pbem("tick", new_game, *LATER)
    assert not (new_game.parent / module.STATE).exists()


def test_a_webhook_hears_once_whose_turn_it_is_and_nothing_secret(pbem, new_game, allowed):  # noqa: F811
    address, got, _ = allowed
    set_to(pbem, new_game, address)
    pbem("tick", new_game, *LATER)
    events = [json.loads(body) for _, body in got]
    assert [event["seat"] for event in events] == [question.seat for question in load(new_game).pending]
    assert {event["kind"] for event in events} == {"turn"}
    assert all(event["text"] == event["content"] and event["game"] == "g-01" for event in events)
    whole = b"".join(body for _, body in got).decode()
    for secret in ("anna@example.org", "Anna", "千代", load(new_game).dice.seed):
        assert secret not in whole
    pbem("tick", new_game, *LATER)
    assert len(got) == len(events)


def test_a_sealed_answer_changes_nothing_that_is_told(pbem, new_game):  # noqa: F811
    save = load(new_game)
    told = list(module.events_of(save, module.NotifiedState()))
    save.sealed, save.drafts, save.press = [*save.moves], [], []
    save.seats[0].name, save.seats[0].addresses = "Other", ["other@example.org"]
    assert list(module.events_of(save, module.NotifiedState())) == told


def test_ntfy_gets_plain_text_with_a_title(pbem, new_game, allowed):  # noqa: F811
    address, got, _ = allowed
    set_to(pbem, new_game, f"ntfy+{address}")
    pbem("tick", new_game, *LATER)
    heads, body = got[0]
    assert heads["Title"] == "pbem g-01"
    assert body.startswith(b"g-01: ")


def test_a_save_that_cannot_be_read_repeats_no_event_of_other_games(pbem, new_game, allowed, monkeypatch):  # noqa: F811
    address, got, _ = allowed
    set_to(pbem, new_game, address)
    other = new_game.with_name("g-02.toml")
    other.write_text(new_game.read_text("utf-8").replace('"g-01"', '"g-02"'), "utf-8")

    def unreadable(path, **more):
        if path.name == other.name:
            raise SaveError("can't be read", path=path)
        return load(path, **more)

    monkeypatch.setattr(module, "load", unreadable)
    for _ in range(2):
        (why,) = module.notify(SaveIndex([new_game.parent]), new_game.parent)
        assert "g-02.toml" in why
        assert len(got) == len(load(new_game).pending)


def test_what_fails_is_told_and_stops_nothing(pbem, new_game, allowed, monkeypatch):  # noqa: F811
    address, got, how = allowed
    how["status"] = 500
    set_to(pbem, new_game, address)
    assert "the server answers 500" in pbem("tick", new_game, *LATER).stderr
    assert len(got) == 1  # who does not take the first event is spared the others
    monkeypatch.setattr(module, "SECONDS", 0.2)
    how.update(status=204, wait=1.0)
    (new_game.parent / module.STATE).unlink()
    begun = time.monotonic()
    assert "no answer within 0.2 seconds" in pbem("tick", new_game, *LATER).stderr
    assert time.monotonic() - begun < 5
    monkeypatch.setenv("PBEM_ALLOW", "http://127.0.0.1:1/")
    set_to(pbem, new_game, "http://127.0.0.1:1/hook")
    (new_game.parent / module.STATE).unlink()
    assert "notify: " in pbem("tick", new_game, *LATER).stderr


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_an_error_and_not_followed(pbem, new_game, allowed, status):  # noqa: F811
    address, got, how = allowed
    how["status"] = status
    set_to(pbem, new_game, address)
    assert f"the server answers {status}" in pbem("tick", new_game, *LATER).stderr
    assert len(got) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "2130706433", "0.0.0.0", "[::ffff:127.0.0.1]"])
def test_a_save_alone_reaches_no_service_of_this_machine(pbem, new_game, server, host):  # noqa: F811
    address, got, _ = server
    set_to(pbem, new_game, address.replace("127.0.0.1", host))
    assert "notify: " in pbem("tick", new_game, *LATER).stderr
    assert got == []


def test_a_save_alone_runs_no_program(pbem, new_game):  # noqa: F811
    ran = new_game.parent / "ran"
    for name, make in (("hook", Path.write_text), ("link", Path.symlink_to)):
        program = new_game.parent / name
        make(program, f"#!/bin/sh\ntouch {ran}\n" if name == "hook" else "/bin/sh")
        program.chmod(0o755) if name == "hook" else None
        set_to(pbem, new_game, name)
        (new_game.parent / module.STATE).unlink(missing_ok=True)
        assert f"the program '{name}' isn't in PBEM_ALLOW" in pbem("tick", new_game, *LATER).stderr
    assert not ran.exists()


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_a_program_that_the_moderator_allows_gets_the_event_and_no_password(pbem, new_game, monkeypatch):  # noqa: F811
    monkeypatch.setenv("PBEM_PASSWORD", "hunter2")
    program = new_game.parent / "tell.sh"
    program.write_text("#!/bin/sh\ncat >> told.txt\nenv >> told.txt\n".replace("told.txt", str(program) + ".txt"))
    program.chmod(0o755)
    monkeypatch.setenv("PBEM_ALLOW", str(program))
    set_to(pbem, new_game, "tell.sh")
    pbem("tick", new_game, *LATER)
    told = (new_game.parent / "tell.sh.txt").read_text("utf-8")
    assert '"schema":"pbem/event/1"' in told
    assert "hunter2" not in told
    program.write_text("#!/bin/sh\nexit 3\n")
    (new_game.parent / module.STATE).unlink()
    assert "tell.sh ended with status 3" in pbem("tick", new_game, *LATER).stderr
    program.unlink()
    (new_game.parent / module.STATE).unlink()
    assert "No such file" in pbem("tick", new_game, *LATER).stderr


@pytest.mark.parametrize("value", ["/bin/sh", "../x.sh", ".hidden", "-x", "ftp://x/y", "https://", "https://a b/"])
def test_other_values_are_refused(pbem, new_game, value):  # noqa: F811
    pbem("config", "set", new_game, f"notify={value}", "--reason", "so", *LATER, code=Exit.USAGE)


def test_letters_that_are_held_come_first(pbem, new_game, allowed):  # noqa: F811
    address, got, _ = allowed
    save = load(new_game)
    save.post.notify, save.post.release = address, -1
    store(new_game, save)
    pbem("mail", "broadcast", new_game, "hello", *LATER)
    pbem("tick", new_game, *LATER)
    assert {json.loads(body)["q"] for _, body in got} <= {load(new_game).header.q}


def test_what_happened_in_public_is_told_once_and_nothing_that_lies_back(pbem, new_game, allowed):  # noqa: F811
    address, got, _ = allowed
    set_to(pbem, new_game, address)
    pbem("tick", new_game, *LATER)
    assert {json.loads(body)["kind"] for _, body in got} == {"turn"}
    got.clear()
    with locked(new_game):
        session = Session.open(new_game, games.load)
        referee = session.referee
        while referee.q < 8:
            for seat in referee.waiting():
                referee.submit(seat, next(iter(referee.domain(seat).options())))
        public = [
            text.text for text in visible_lines(reader_of(session, session.save.seats[3]).say, session.lines(0), "")
        ]
        drawn = [line for line in session.lines(0) if line.private]
        session.commit(moment("2026-05-01T13:00:00Z"))
    pbem("tick", new_game, *LATER)
    news = [json.loads(body) for _, body in got if json.loads(body)["kind"] == "news"]
    assert len(news) == 1
    assert news[0]["text"].splitlines()[1:] == public[-len(news[0]["text"].splitlines()) + 1 :]
    assert len(news[0]["text"].splitlines()) > 3
    assert drawn
    got.clear()
    pbem("tick", new_game, *LATER)
    assert got == []
