"""The live table: who sits there, what counts, what each terminal is told, and who gets emails."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import stat
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.cli.console import Exit
from pbem.kernel.questions import MODERATOR
from pbem.mail import presence
from pbem.mail.inbox.ingest import ingest
from pbem.mail.presence import TableFull, TableSession
from pbem.mail.scheduler import due, tick
from pbem.save import Session, load
from pbem.timestamps import moment
from pbem.tui.key_bindings import GLOBAL
from pbem.tui.live import TableApp, TableSource
from pbem.tui.model.ballots import Ballot, keep
from pbem.tui.model.ballots import load as receipts
from pbem.tui.model.game_source import SaveSource
from pbem.tui.model.order_draft import OrderDraft, code_for
from pbem.tui.model.seat_view import ViewFileError
from tests.toy import playing as toy
from tests.tui.helpers import NOW, go, grid, running, stopped, until

ROOT = Path(__file__).parents[2]
SILENT = presence.SILENCE + 1


@pytest.fixture
def table(save):
    """Seats of the toy that sit down after some answers."""
    return lambda answers, seat, **more: TableSource(save(answers, **more), seat, "test", toy.load)


def beside(source, seat):
    """Another seat at the same table."""
    return TableSource(source.path, seat, "test", toy.load)


def sit(source):
    app = TableApp(source, language="en", now=stopped, env={})
    app.animation_level = "none"
    return app


def answer(source, text):
    """Send an answer to the first question of a seat, as its app does."""
    desk = source.desk()
    asked = desk.asked[0]
    letter = OrderDraft(asked.seat, answers={asked.q: text})
    return source.take(letter.block(desk.name, code_for(desk, asked.seat)), NOW)


def silence(save, seat):
    """Let the sessions of a seat be silent for too long."""
    for file in presence.folder(save).glob(f"{seat}.*.here"):
        past = time.time() - SILENT
        os.utime(file, (past, past))


def emails(save):
    """The seats that emails were written to, in order of their names."""
    new = save.parent / "outbox" / "new"
    return sorted(path.name.split(".")[1] for path in new.iterdir()) if new.is_dir() else []


# -- presence --------------------------------------------------------------------------------------------------------


def test_a_seat_is_there_until_its_last_session_leaves_or_falls_silent(tmp_path):
    save = tmp_path / "vq-07.toml"
    first, second = TableSession(save, "spain"), TableSession(save, "spain")
    first.sit()
    second.sit()
    assert stat.S_IMODE(presence.folder(save).stat().st_mode) == 0o700
    assert presence.at_table(save) == {"spain"}
    with pytest.raises(TableFull, match="spain"):
        TableSession(save, "spain").sit()
    first.rise()
    assert (presence.at_table(save), presence.here_and_left(save)[1], second.others()) == ({"spain"}, [], 0)
    silence(save, "spain")
    assert (presence.at_table(save), presence.here_and_left(save)[1]) == (frozenset(), ["spain"])
    second.beat()  # it was only slow
    assert (presence.at_table(save), presence.here_and_left(save)[1]) == ({"spain"}, [])
    second.rise()
    presence.written_to(save, "spain")
    assert presence.here_and_left(save)[1] == list(presence.folder(save).iterdir()) == []


def test_without_a_table_nobody_is_there(tmp_path):
    assert presence.at_table(tmp_path / "x.toml") == frozenset()
    assert presence.here_and_left(tmp_path / "x.toml")[1] == []


# -- emails ----------------------------------------------------------------------------------------------------------


def test_nobody_at_the_table_gets_an_email_but_the_one_when_they_leave(table):
    red = table(1, "red")
    blue, white = beside(red, "blue"), beside(red, "white")
    for source in (red, blue, white):
        assert answer(source, source.desk().asked[0].default or "red") == ""
    assert load(red.path).header.q > 2
    assert emails(red.path) == []
    for source in (red, blue, white):
        source.leave(NOW)
    assert emails(red.path) == ["blue", "red", "white"]
    assert presence.here_and_left(red.path)[1] == []
    red.leave(NOW)
    ingest([red.path], [], now=NOW, game=toy.load)
    assert emails(red.path) == ["blue", "red", "white"]


def test_who_isnt_there_gets_emails_as_ever(table):
    red = table(1, "red")
    for seat in ("blue", "white"):
        known = SaveSource(red.path, seat, toy.load)
        assert "white" not in answer(known, "red") or seat == "white"
    assert answer(red, "red") == ""
    assert "red" not in emails(red.path)
    assert {"blue", "white"} <= set(emails(red.path))


def test_a_second_session_keeps_the_parting_email_back(table):
    red = table(1, "red")
    again = beside(red, "red")
    answer(red, "red")
    red.leave(NOW)
    assert "red" not in emails(red.path)
    again.leave(NOW)
    assert emails(red.path).count("red") == 1


def test_a_run_writes_to_a_silent_seat_and_to_nobody_else(table):
    red = table(1, "red")
    beside(red, "blue")
    answer(red, "red")
    saves = [red.path.parent]
    tick.tick_games(saves, now=NOW, game=toy.load)
    already = emails(red.path)
    assert "red" not in already
    assert "blue" not in already
    assert due.run_if_idle(saves, NOW) is not None
    silence(red.path, "red")
    assert due.run_if_idle(saves, NOW) is None
    tick.tick_games(saves, now=NOW, game=toy.load)
    assert emails(red.path) == sorted([*already, "red"])
    assert due.run_if_idle(saves, NOW) is not None


def test_no_reminder_reaches_the_table(table):
    red = table(1, "red")
    saved = load(red.path)
    saved.pending = [info for info in saved.pending if info.due]
    late = max(info.due for info in saved.pending if info.due)
    reminded = {key.seat for _, key in due.occasions(saved, late)}
    assert "red" in reminded
    assert {key.seat for _, key in due.occasions(saved, late, presence.at_table(red.path))} == reminded - {"red"}


def test_a_game_without_addresses_is_played_at_the_table(table):
    red = table(1, "red")
    session = Session.open(red.path, toy.load)
    for seat in session.save.seats:
        seat.addresses = []
    session.commit(NOW)
    for source in (red, beside(red, "blue"), beside(red, "white")):
        answer(source, source.desk().asked[0].default or "red")
        source.leave(NOW)
    assert load(red.path).header.q > 2
    assert emails(red.path) == []
    session = Session.open(red.path, toy.load)
    session.save.seat("red").addresses = ["red@example.org"]
    session.commit(NOW)
    tick.tick_games([red.path], now=NOW, game=toy.load)
    assert emails(red.path) == ["red"]


# -- what counts -----------------------------------------------------------------------------------------------------


def test_the_journal_is_that_of_the_same_answers_by_email(table, tmp_path):
    def journal(path):
        return [(m.n, m.q, m.seat, m.kind, m.answer, m.how) for m in Session.open(path, toy.load).moves()]

    red = table(1, "red")
    others = [beside(red, "blue"), beside(red, "white")]
    twin = tmp_path / "by-email" / red.path.name
    twin.parent.mkdir()
    shutil.copy(red.path, twin)
    for source in (red, *others):
        answer(source, "red")
        answer(SaveSource(twin, source.seat, toy.load), "red")
    assert journal(red.path) == journal(twin)
    ways = {move.via for move in Session.open(red.path, toy.load).moves()[-3:]}
    assert all(re.fullmatch(r"table:[0-9a-f]{16}/test", way) for way in ways)


def test_an_answer_can_be_changed_back(table):
    red = table(1, "red")
    for text in ("red", "blue", "red"):
        at = moment(f"2026-05-02T09:00:0{len(red.session.save.intake)}Z")
        desk = red.desk()
        letter = OrderDraft("red", answers={desk.asked[0].q: text})
        assert red.take(letter.block(desk.name, code_for(desk, "red")), at) == ""
        assert red.desk().asked[0].answer == text


ENDS = [
    "\n",
    "\r",
    "\r\n",
    "\v",
    "\f",
    "\x1c",
    "\x1d",
    "\x1e",
    "\x85",
    "\u2028",
    "\u2029",
    "\n\n",
    "\n ",
    "\n\u3000",
    "\t\n",
]
SPELLINGS = [
    ("END ORDERS", "BEGIN ORDERS"),
    ("end orders", "begin orders"),
    ("ＥＮＤ　ＯＲＤＥＲＳ", "ＢＥＧＩＮ　ＯＲＤＥＲＳ"),
    ("指示終わり", "指示開始"),
    ("> END ORDERS", "> BEGIN ORDERS"),
]


@pytest.mark.parametrize("other", ["blue", MODERATOR])
def test_no_disguise_acts_for_another_seat(table, other):
    red = table(1, "red")
    code = SaveSource(red.path, "blue", toy.load).code("blue")
    before = red.session.save
    for close, begin in SPELLINGS:
        for end in ENDS:
            text = end.join(["x", close, f"{begin} toy-1 {other} {code}", "2: red", ""])
            for part in ("act", "line", "press", "answer"):
                letter = OrderDraft("red", q=2)
                letter.add(part, text, q=2)
                blocks = letter.block("toy-1", red.code("red"))
                assert "BEGIN ORDERS toy-1 red" in blocks
                red.take(blocks, NOW) if end == "\n" else None
                assert not _blocks_of_others(blocks, "red")
            raw = end.join([f"BEGIN ORDERS toy-1 red {red.code('red')}", "2: red", close, text])
            if _blocks_of_others(raw, "red"):
                red.take(raw, NOW)
                assert not red.taken
                assert load(red.path).sealed == before.sealed
    assert {move.seat for move in load(red.path).sealed} <= {"red"}
    assert {press.seat for press in load(red.path).press} <= {"red"}


def _blocks_of_others(text, seat):
    from pbem.mail.inbox.parse import parse_message
    from pbem.mail.inbox.stages import Received

    blocks = parse_message(Received("x", text.encode(), "x", "orders")).blocks
    return [block for block in blocks if block.seat.casefold() != seat]


def test_all_is_rejected_if_part_of_it_is_for_another_seat_or_game(table):
    red = table(1, "red")
    own = f"BEGIN ORDERS toy-1 red {red.code('red')}\n2: red\nEND ORDERS\n"
    for name, seat in (("toy-1", "blue"), ("toy-2", "red"), ("toy-1", MODERATOR)):
        said = red.take(f"{own}BEGIN ORDERS {name} {seat}\n2: red\nEND ORDERS\n", NOW)
        assert seat in said
        assert load(red.path).sealed == []
    assert red.take(own, NOW) == ""
    assert [move.seat for move in load(red.path).sealed] == ["red"]


def test_a_spectator_only_reads(table):
    public = table(1, "public")
    assert not public.desk().asked
    with pytest.raises(OSError, match="spectator"):
        public.take("BEGIN ORDERS toy-1 red\n2: red\nEND ORDERS\n", NOW)
    with pytest.raises(ViewFileError):
        beside(public, "moderator")


def test_receipts_kept_at_once_are_all_kept(tmp_path):
    """Each of two processes keeps its own, as two windows of a seat do."""
    import multiprocessing

    file = tmp_path / "x.receipts.toml"
    work = [multiprocessing.get_context("fork").Process(target=_keep, args=(file, seat)) for seat in "ab"]
    for process in work:
        process.start()
    for process in work:
        process.join()
    assert len(receipts(file)) == 20


def _keep(file, seat):
    for q in range(10):
        keep(file, Ballot("g", seat, q, "ballot", 0, "2026-05-02T09:00:00Z", "00", "11"))


# -- what a terminal is told -----------------------------------------------------------------------------------------

SEALED = [("1630-ballot", "black", "red"), ("vq-turns", "ottoman", "done"), ("cor-impulse", "york", None)]


@pytest.mark.parametrize(("name", "writer", "text"), SEALED)
def test_a_sealed_answer_of_another_seat_changes_nothing(tmp_path, name, writer, text):
    path = Path(shutil.copy(ROOT / "saves" / f"{name}.toml", tmp_path))
    writers = SaveSource(path, writer, games.load)
    reader = next(seat.id for seat in writers.session.save.seats if seat.id != writer)
    own = TableSource(path, reader, "test", games.load)
    own.desk()
    before = path.read_bytes()
    answer(writers, text or writers.desk().asked[0].default)
    assert writers.taken
    assert path.read_bytes() != before
    assert not own.changed()


async def test_an_answer_that_nobody_may_know_of_draws_nothing(table):
    red = table(1, "red")
    app = sit(red)
    async with running(app) as pilot:
        before, drawn = app.version, grid(app)
        answer(SaveSource(red.path, "blue", toy.load), "red")
        app.look()
        await pilot.pause()
        assert (app.version, grid(app)) == (before, drawn)
        answer(SaveSource(red.path, "white", toy.load), "red")
        answer(SaveSource(red.path, "red", toy.load), "red")
        app.look()
        await pilot.pause()
        assert app.version != before


async def test_the_status_line_names_who_is_there(table):
    red = table(1, "red")
    app = sit(red)
    async with running(app, (140, 40)) as pilot:
        name = app.present.say("en").name
        assert app.company()[0] == f"at the table: {name('red')}"
        for seat in ("public", "blue"):
            beside(red, seat)
        app.every_second()
        await pilot.pause()
        assert app.company() == [
            f"at the table: all but {name('white')} + spectators",
            "at the table: 2 of 3 + spectators",
        ]
        assert f"at the table: all but {name('white')}" in grid(app)
        beside(red, "white")
        assert app.company()[0] == "all at the table + spectators"
        app.action_language()
        await pilot.pause()
        assert "着席中" in app.company()[0]


async def test_the_status_line_is_drawn_only_if_it_changes(table):
    app = sit(table(1, "red"))
    async with running(app, (140, 40)) as pilot:
        bar = app.room.query_one("#status")
        drawn = []
        bar.refresh = lambda *a, **k: drawn.append(1) or bar
        app.every_second()
        app.every_second()
        assert drawn == []
        beside(app.source, "blue")
        app.every_second()
        assert drawn == [1]
        await pilot.pause()


async def test_drafts_of_a_seat_are_its_own_and_survive_a_cut(table):
    red = table(1, "red")
    app = sit(red)
    async with running(app) as pilot:
        app.draft_of("red").add("press", "A secret", to=("blue",))
        await pilot.pause()
        app.every_second()  # a kill comes after it
    file = presence.folder(red.path) / "red.drafts"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not red.path.with_name(red.path.name + ".drafts").exists()
    blue = sit(beside(red, "blue"))
    async with running(blue):
        assert blue.draft_of("blue").empty
        blue.keep_drafts()
    again = sit(beside(red, "red"))
    async with running(again):
        assert again.draft_of("red").press == [(("blue",), "A secret")]


async def test_an_answer_counts_with_enter_and_nothing_leaves_the_host(table):
    red = table(1, "red")
    app = sit(red)
    async with running(app) as pilot:
        assert app.senders() == []
        app.draft_of("red").add("press", "Hello")
        app.send(app.draft_of("red"))
        await until(pilot, lambda: not app.playing)
    assert [press.text for press in load(red.path).press] == ["Hello"]
    assert sorted(path.name for path in red.path.parent.iterdir() if path.suffix in (".eml", ".orders")) == []


async def test_no_action_leads_out_of_the_app(table):
    app = sit(table(1, "red"))
    async with running(app) as pilot:
        allowed = {act.key for act in GLOBAL if app.check_action(act.key, ())}
        assert allowed == {"help", "find", "language", "theme", "reload", "command_palette", "leave"}
        bound = {b.action.partition("(")[0] for found in app._bindings.key_to_bindings.values() for b in found}
        assert bound - {act.key for act in GLOBAL} <= {"quit", "help_quit", "screen", "command_palette"}
        assert not app.check_action("suspend_process", ())
        assert not await app.run_action("way")
        await go(pilot, "orders")
        assert app.get_driver_class() is not None


# -- the command -----------------------------------------------------------------------------------------------------

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOq3Jq5sM5OA5i2zT5sQm1u0p4f0xWJtW0cQvE0eS6aB ana"


@pytest.fixture
def game(tmp_path):
    return Path(shutil.copy(ROOT / "saves" / "1630-ballot.toml", tmp_path))


def live(*words):
    return CliRunner().invoke(main, ["live", *map(str, words)])


def test_the_ways_in_are_printed_for_each_seat(game):
    key = game.with_name("ana.pub")
    key.write_text(KEY + "\n")
    result = live(game, "--key", f"amber={key}", "--url", "https://games.example.org/")
    assert result.exit_code == 0, result.output
    amber = result.output[result.output.index("# amber") :].split("\n\n")[0].splitlines()
    assert amber[1].startswith('command="exec env -i ')
    assert amber[1].endswith(f'",restrict,pty {KEY}')
    assert f"-I -m pbem live {game} --seat amber" in amber[1]
    assert re.fullmatch(r"https://games\.example\.org/[\w-]{32}/", amber[2])
    assert [line for line in result.output.splitlines() if line.startswith("#")] == [
        f"# {seat.id}" for seat in load(game).seats
    ] + ["# public"]
    links = presence.folder(game) / "links.json"
    assert stat.S_IMODE(links.stat().st_mode) == 0o600
    before = json.loads(links.read_text())
    live(game, "--renew", "amber")
    after = json.loads(links.read_text())
    assert {seat for seat in before if before[seat] != after[seat]} == {"amber"}


@pytest.mark.parametrize(
    "text", ["", f'command="sh" {KEY}', f"{KEY}\n{KEY}", f"no-pty,{KEY}", "ssh-ed25519 !!!", f"{KEY}\x1b[2J"]
)
def test_a_file_that_is_more_than_a_key_is_refused(game, text):
    key = game.with_name("ana.pub")
    key.write_text(text)
    assert live(game, "--key", f"amber={key}").exit_code == Exit.USAGE


@pytest.mark.parametrize(
    "words",
    [
        ("--url", "http://games.example.org"),
        ("--url", "https://games.example.org/a?b"),
        ("--url", "games.example.org"),
        ("--key", "nobody=x"),
        ("--renew", "nobody"),
        ("--serve", "--bind", "0.0.0.0:8000"),
        ("--serve", "--bind", "127.0.0.1:0"),
        ("--serve", "--bind", "nowhere"),
        ("--seat", "nobody"),
    ],
)
def test_what_cannot_be_is_refused(game, words):
    assert live(game, *words).exit_code == Exit.USAGE


def test_without_a_terminal_nobody_sits_down(game):
    assert live(game, "--seat", "amber").exit_code == Exit.USAGE
    assert presence.at_table(game) == frozenset()


def test_a_moderator_who_plays_hands_out_no_seats(game):
    session = Session.open(game, games.load)
    session.save.post.plays = "amber"
    session.commit(NOW)
    for words in ((), ("--serve",), ("--seat", "black")):
        assert live(game, *words).exit_code == Exit.FAILED_CHECK


def test_the_terminal_itself_has_no_server_any_more(game):
    assert CliRunner().invoke(main, ["tui", str(game), "--serve"]).exit_code == Exit.USAGE


# -- the links -------------------------------------------------------------------------------------------------------


async def asked(paths):
    """What the server of the links answers to requests: status and headers and text."""
    pytest.importorskip("textual_serve", reason="textual-serve is not installed")
    from aiohttp.test_utils import TestClient, TestServer

    from pbem.tui.serving import LinkServer, SeatLink

    server = LinkServer({"right": SeatLink("exit 0", "ja")}, ("127.0.0.1", 8000), "https://games.example.org", "<vq>")
    async with TestClient(TestServer(await server._make_app())) as client:
        found = []
        for path, heads in paths:
            answered = await client.get(path, headers={"Host": "games.example.org"} | heads)
            found.append((answered.status, answered.headers, await answered.text()))
        return found


def test_only_a_link_on_its_own_host_is_answered():
    own = {"Origin": "https://games.example.org"}
    rows = [
        ("/right/", {}, 200),
        ("/wrong/", {}, 404),
        ("/", {}, 404),
        ("/right/", {"Host": "evil.example"}, 404),
        ("/right/", {"Host": "games.example.org:8000"}, 404),
        ("/right/ws", {}, 403),
        ("/right/ws", {"Origin": "https://evil.example"}, 403),
        ("/right/ws", {"Origin": "null"}, 403),
        ("/right/ws", {"Origin": "http://games.example.org"}, 403),
        ("/wrong/ws", own, 404),
        ("/right/ws", own | {"Host": "evil.example"}, 404),
        ("/download/x", {}, 404),
        ("/static/", {}, 403),
        ("/static/../server.py", {}, 404),
        ("/live.js", {}, 200),
    ]
    found = asyncio.run(asked([row[:2] for row in rows]))
    assert [(path, status) for (path, *_), (status, *_) in zip(rows, found, strict=True)] == [
        (path, status) for path, _, status in rows
    ]


def test_the_page_is_of_this_host_alone_and_in_the_players_language():
    ((_, heads, page), (_, _, script)) = asyncio.run(asked([("/right/", {}), ("/live.js", {})]))
    assert 'lang="ja"' in page
    assert "席を開いています" in page
    assert "&lt;vq&gt;" in page
    assert set(re.findall(r"(?:https?|wss?)://[^/\"' ]+", page + script)) == {"wss://games.example.org"}
    assert heads["Referrer-Policy"] == "no-referrer"
    assert heads["Cache-Control"] == "no-store"
    policy = heads["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "Server" not in heads


async def test_escape_on_a_question_of_another_screen_leaves_the_keys(tmp_path):
    """A negotiation is answered on its own screen: the line for orders isn't there, so nothing may be typed in it."""
    path = Path(shutil.copy(ROOT / "saves" / "1630-exchange.toml", tmp_path))
    app = sit(TableSource(path, "green", "test", games.load))
    async with running(app) as pilot:
        await go(pilot, "questions")
        await pilot.press("escape", "8")
        assert app.room.query("#pieces")


async def test_a_bot_at_the_table_answers_at_once_and_takes_no_place(table):
    red = table(1, "red")
    blue = beside(red, "blue")
    session = Session.open(red.path, toy.load)
    session.save.seat("white").understudy = "low"
    session.commit(NOW)
    for source in (red, blue):
        assert answer(source, source.desk().asked[0].default or "red") == ""
    found = Session.open(red.path, toy.load)
    assert ("white", "bot") in [(move.seat, move.how) for move in found.moves()]
    assert all(move.how != "bot" for move in found.moves() if move.seat != "white")
    assert "white" not in found.referee.waiting()
    assert red.company()[:2] == (["red", "blue"], [])
