"""What a moderator types in his first week."""

from __future__ import annotations

import re

import pytest

import games
from pbem.cli.console import Exit
from pbem.cli.moderator import _draw, _draw_table
from pbem.dev import synthetic_mail
from pbem.mail.moderator.dashboard import GameOverview, Overview, WaitingSeat
from pbem.save import Session, load
from pbem.save.settings import PACES
from pbem.timestamps import moment
from tests.cli.conftest import hand_over

NOW = "2026-05-01T15:00:00Z"


def test_who_names_no_zone_has_that_of_the_game(pbem):
    seats = ("--seat", "amber=A <a@example.org>", "--seat", "black=B <b@example.org>,Asia/Tokyo")
    pbem("new", "sixteen_thirty", *seats, "--players", "3", "--timezone", "Europe/Berlin", "-o", "a.toml")
    session = Session.open(pbem.folder / "a.toml", games.load)
    assert [seat.zone for seat in session.save.seats] == ["Europe/Berlin", "Asia/Tokyo", "Europe/Berlin"]


def test_a_refused_line_of_a_seat_without_address_is_explained_on_the_spot(pbem):
    pbem("new", "sixteen_thirty", "--players", "3", "-o", "a.toml", "--seat", "amber=A <a@example.org>")
    (pbem.folder / "m.orders").write_text("BEGIN ORDERS a black\n1: atlantis-1 x y\nEND ORDERS\n", "utf-8")
    assert "'atlantis-1' isn't a possible answer" in pbem("ingest", "m.orders").stdout
    (pbem.folder / "n.orders").write_text("BEGIN ORDERS a amber\n1: atlantis-1 x y\nEND ORDERS\n", "utf-8")
    assert "atlantis" not in pbem("ingest", "n.orders").stdout  # he gets it by mail


def test_the_moderator_reads_why_his_correction_is_refused(pbem, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")  # in 80 the cell is broken after the colon
    (pbem.folder / "mine.toml").write_text(
        '[cards.vote]\nmanual = true\ntext = { en = "Two more, then draw.", ja = "二票" }\n', "utf-8"
    )
    (pbem.folder / "seed").write_text("11" * 32)
    pbem("new", "sixteen_thirty", "--players", "3", "-o", "a.toml", "--pack", "mine.toml", "--seed", "seed")
    session = Session.open(pbem.folder / "a.toml", games.load)
    referee = session.referee
    while referee.pending()[0].kind != "manual":
        for asked in [question for question in referee.pending() if not question.answered]:
            plays = asked.kind == "special" and "vote" in referee.domain(asked.seat).syntax()
            referee.submit(asked.seat, referee.domain(asked.seat).parse("vote") if plays else asked.default)
    q = referee.q
    session.commit(moment("2026-05-01T10:00:00Z"))
    text = f"BEGIN ORDERS a moderator\n{q}: countries.england.status=9\nEND ORDERS\n"
    (pbem.folder / "m.orders").write_text(text, "utf-8")
    assert "england: status 9" in pbem("ingest", "m.orders").stdout
    assert "Two more, then draw." in pbem("questions", "a.toml", "--seat", "moderator").stdout
    table = pbem("dashboard", "a.toml").stdout
    assert "moderator: manual" in table
    assert "…" not in table


@pytest.mark.parametrize("bounces", [[], ["amber", "black"]])
@pytest.mark.parametrize("pace", [0.0, 12.5])
def test_the_desk_fits_an_ordinary_terminal(capsys, monkeypatch, bounces, pace):
    monkeypatch.setenv("COLUMNS", "80")
    asked = [
        WaitingSeat(seat, 123, "exchange", 100, "2026-12-02T14:00:00Z", True, False) for seat in ("amber", "ivory")
    ]
    when = "turn 10, phase player, active green, first ivory"
    game = GameOverview("thirty-1", "sixteen_thirty", when, waiting=asked, bounces=bounces, held=4, outbox=9)
    game.days_per_turn, game.next_turn = pace, "2026-12-24" if pace else ""
    _draw_table(Overview([game]), "2026-12-02T13:59:00Z")
    assert "TIME" not in capsys.readouterr().out
    _draw_table(Overview([game]), "2026-12-02T14:00:00Z")
    lines = capsys.readouterr().out.splitlines()
    assert any("TIME" in line for line in lines)
    assert {len(line) for line in lines} <= {len(lines[0])}
    assert len(lines[0]) <= 80
    for word in ("2026-12-02", "2026-12-24", "12.5 d/turn")[: 3 if pace else 1]:
        assert any(word in line for line in lines)
    assert "…" not in "".join(lines)


@pytest.mark.parametrize(("terminal", "columns"), [(False, 200), (True, 40), (True, 79)])
def test_the_desk_is_told_in_lines_in_a_pipe_and_on_a_narrow_terminal(capsys, monkeypatch, terminal, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    asked = [WaitingSeat("amber", 12, "exchange", 100, "2026-12-02T14:00:00Z", True, False)]
    game = GameOverview("thirty-1", "sixteen_thirty", "turn 10", waiting=asked, bounces=["black"], held=4)
    _draw(Overview([game], quarantine=2), "2026-12-02T14:00:00Z")
    assert capsys.readouterr().out.splitlines() == [
        "thirty-1: turn 10",
        "  amber: exchange 12, 100 h, owes",
        "  due 2026-12-02T14:00:00Z",
        "  TIME IS UP, BOUNCES: black, 4 to release",
        "mail read never, cron ran never",
        "outbox 0, quarantine 2",
    ]


def test_with_q_a_run_speaks_only_of_what_needs_the_moderator(pbem, new_game):
    mails = [
        synthetic_mail.write_email(
            Session.open(new_game, games.load), seat, ["1: nonsense"], synthetic_mail.START, number=number
        )
        for number, seat in enumerate(("amber", "black"))
    ]
    (pbem.folder / "box.mbox").write_bytes(synthetic_mail.as_mbox(mails))
    result = pbem("-q", "ingest", "--saves", "saves", "box.mbox", "--now", NOW)
    assert (result.stdout, result.stderr) == ("", "")
    assert "→ g-01 amber" in pbem("mail", "broadcast", new_game, "Hello", "--now", NOW).stdout
    hand_over(new_game.parent)
    assert pbem("-q", "tick", "saves", "--now", NOW).output == ""
    assert pbem("-q", "send", "--saves", "saves", "--now", NOW).output == ""
    forged = (
        b"From: mallory@evil.example\nMessage-ID: <1@x>\n\n" + mails[0].raw.replace(b"\r", b"").partition(b"\n\n")[2]
    )
    (pbem.folder / "forged.eml").write_bytes(forged)
    result = pbem("-q", "ingest", "--saves", "saves", "forged.eml", "--now", NOW)
    assert "quarantined" in result.stdout


def test_the_moderators_report_tells_the_deadline(pbem, new_game):
    due = Session.open(new_game, games.load).save.pending[0].due
    assert due
    text = pbem("view", new_game, "--seat", "moderator").stdout
    assert "There is no deadline" not in text
    assert "Answer by" in text
    assert "Answer by" not in pbem("view", new_game, "--seat", "public").stdout
    text = pbem("repair", "reveal", new_game, "--reason", "a dispute", "--now", NOW).stdout
    assert "1630 Something (g-01)" in text
    assert "There is no deadline" not in text
    pbem("config", "set", new_game, "language=ja", "--reason", "mine", "--now", NOW)
    assert "回答期限" in pbem("view", new_game, "--seat", "moderator").stdout


WHY = ("--reason", "agreed", "--now", NOW)


def test_seat_replace_asks_first(pbem, new_game, monkeypatch):
    before = new_game.read_bytes()
    words = ("seat", "replace", new_game, "black", "eva@example.org", *WHY)
    asked = pbem(*words, code=Exit.USAGE).stderr
    assert "Give black to eva@example.org, for good?" in asked
    assert "--yes" in asked
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: True, raising=False)
    pbem(*words, stdin="n\n")
    assert new_game.read_bytes() == before
    pbem(*words, stdin="y\n")
    assert load(new_game).seat("black").addresses == ["eva@example.org"]


def test_copies_go_to_a_person_until_they_are_stopped(pbem, new_game):
    cc = ("seat", "cc")
    pbem(*cc, "add", new_game, "BLACK", "eva@example.org", *WHY)
    assert pbem(*cc, "list", new_game, "black").stdout == "eva@example.org\n"
    pbem(*cc, "remove", new_game, "black", "eva@example.org", *WHY)
    assert pbem.json(*cc, "list", new_game, "black") == []
    save = load(new_game)
    assert [(action.what, len(action.told)) for action in save.actions] == [("watch", 4), ("unwatch", 4)]
    pbem(*cc, "remove", new_game, "black", "eva@example.org", *WHY, code=Exit.FAILED_CHECK)


def test_a_bot_plays_a_seat_until_it_is_stopped(pbem, new_game):
    pbem("seat", "bot", "on", new_game, "black", "--effort", "low", *WHY)
    assert load(new_game).seat("black").understudy == "low"
    pbem("seat", "bot", "off", new_game, "black", *WHY)
    save = load(new_game)
    assert (save.seat("black").understudy, save.actions[-1].what) == ("", "bot-off")
    pbem("seat", "bot", "off", new_game, "black", *WHY, code=Exit.FAILED_CHECK)


def test_the_settings_are_listed_as_they_can_be_set(pbem, new_game):
    found = pbem.json("config", "list", new_game)["settings"]
    assert found["zone"] == pbem("config", "get", new_game, "zone").stdout.strip() == "UTC"
    assert found["days"] == "mon,tue,wed,thu,fri,sat,sun"
    pbem("config", "set", new_game, f"days={found['days']}", *WHY)
    pbem("config", "set", new_game, *(f"time_up.{pace}=wait" for pace in PACES), *WHY)
    for name, value in pbem.json("config", "list", new_game)["settings"].items():
        pbem("config", "set", new_game, f"{name}={value}", *WHY)  # nothing is changed by it
    assert len(load(new_game).actions) == 2
    shown = pbem("config", "list", new_game).stdout
    assert re.search("^grace +24 +Hours between the deadline and the default answer$", shown, re.MULTILINE)
    assert "'pace' isn't a setting" in pbem("config", "get", new_game, "pace", code=Exit.USAGE).stderr
    assert "upgrade components" in pbem("config", "set", new_game, "pack=x", *WHY, code=Exit.USAGE).stderr


def test_a_dry_run_shows_what_would_happen_and_writes_nothing(pbem, new_game):
    before = new_game.read_bytes(), sorted(pbem.folder.rglob("*"))
    shown = pbem("clock", "extend", new_game, "--hours", "24", "--dry-run", "--now", NOW).stdout
    assert "extend would tell amber, black, green, ivory" in shown
    assert "deadline 2026-" in shown
    for words in (
        ("clock", "expire", new_game),
        ("seat", "replace", new_game, "black", "eva@example.org"),
        ("config", "set", new_game, "grace=3"),
        ("repair", "reveal", new_game),
        ("repair", "rewind", new_game, "0"),
        ("upgrade", "components", new_game, "--published"),
    ):
        assert "dry run: nothing was written" in pbem(*words, "--dry-run", "--now", NOW).stderr
    assert before == (new_game.read_bytes(), sorted(pbem.folder.rglob("*")))
    pbem("upgrade", "components", new_game, *WHY, code=Exit.USAGE)


def test_a_broadcast_is_read_from_standard_input(pbem, new_game):
    pbem("mail", "broadcast", new_game, "-", "--now", NOW, stdin="Back on Monday.\n")
    assert load(new_game).actions[-1].args["text"] == "Back on Monday."
