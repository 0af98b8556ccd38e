"""What a seat asks to read, and how it wants its letters."""

from __future__ import annotations

import tomllib
from datetime import timedelta
from email import message_from_bytes, policy
from random import Random
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

import msgspec
import pytest

from pbem.clock import heartbeat
from pbem.dev import synthetic_mail
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.outbox import release, write
from pbem.mail.outbox.press import news_for
from pbem.mail.outbox.short_email import legal_of, report_of
from pbem.mail.scheduler.tick import tick_games
from pbem.orders.statements import SEND
from pbem.report import viewfile
from pbem.save import EmailPart, load
from tests.mail.desks import opened

HOUR = timedelta(hours=1)


@pytest.fixture
def asked(desk):
    """A game whose first letters are out, and a seat that reads English and is asked."""
    desk.ingest(desk.box([]))
    desk.seat = next(seat for seat in opened(desk).referee.asked() if seat != "green")
    return desk


def send(desk, *lines, number=1):
    """A letter of the seat; the letters that come back for it."""
    before = {path.name for path in (desk.folder / "outbox" / "new").glob("*")}
    mail = synthetic_mail.write_email(opened(desk), desk.seat, list(lines), desk.now, number=number, style=3)
    desk.ingest(desk.box([mail], f"{number}.mbox"))
    new = sorted((desk.folder / "outbox" / "new").glob("*"))
    return [decode_mail(path.read_bytes()) for path in new if path.name not in before]


@pytest.mark.parametrize(
    ("wish", "subject", "holds"),
    [
        ("send state", "The position", "COUNTRIES"),
        ("send log", "What has happened", "calls a vote in"),
        ("send map", "The map", "map.svg is attached: the whole board"),
        ("送信 地図", "The map", "map.svg is attached: the whole board"),
        ("send cards", "Your cards", "WHAT YOUR CARDS DO"),
        ("send rules", "About this game", "HOUSE RULES"),
        ("help", "Help", "BEGIN ORDERS ballot"),
    ],
)
def test_each_wish_is_a_letter_back_and_nothing_else(asked, wish, subject, holds):
    before = load(asked.save)
    (letter,) = send(asked, wish)
    assert letter.subject == f"[ballot] {subject}"
    assert holds.upper() in letter.text.upper()
    q = opened(asked).referee.q
    assert f"\n{q}: ?\n" in letter.text  # it can be answered at once
    after = load(asked.save)
    assert (after.header.n, after.sealed, after.drafts) == (before.header.n, before.sealed, [])
    assert after.seat(asked.seat).seen == before.seat(asked.seat).seen  # the news waits on
    legal = legal_of(opened(asked).referee, asked.seat)
    assert [line for line in letter.text.splitlines() if legal(line)] == []


def test_an_answer_and_a_wish_in_one_letter(asked):
    q = opened(asked).referee.q
    domain = opened(asked).referee.domain(asked.seat)
    answer = domain.text(next(iter(domain.options())))
    receipt, state = send(asked, f"{q}: {answer}", "send state", "send state")
    assert f"Your answer is {answer}." in " ".join(receipt.text.split())
    assert state.subject == "[ballot] The position"
    assert f"Your answer is {answer}." in state.text


def test_settings_are_kept_and_confirmed(asked):
    (told,) = send(asked, "letters full", "attach view")
    assert "letters full" in told.text
    seat = load(asked.save).seat(asked.seat)
    assert (seat.letters, seat.attach) == ("full", "view")
    assert "COUNTRIES" in told.text  # at once
    (told,) = send(asked, "letters short", "attach nothing", number=2)
    seat = load(asked.save).seat(asked.seat)
    assert (seat.letters, seat.attach) == ("", "nothing")
    assert "COUNTRIES" not in told.text


def test_a_test_changes_no_setting(asked):
    send(asked, "test", "letters full")
    assert load(asked.save).seat(asked.seat).letters == ""


def test_a_wish_of_one_is_nobody_elses_letter(asked):
    letters = send(asked, "send state")
    assert [letter.to for letter in letters] == [tuple(load(asked.save).seat(asked.seat).addresses[:1])]


def test_the_whole_board_comes_as_a_picture(asked):
    before = set((asked.folder / "outbox" / "new").glob("*"))
    send(asked, "send map")
    (path,) = set((asked.folder / "outbox" / "new").glob("*")) - before
    whole = message_from_bytes(path.read_bytes(), policy=policy.default)
    (file,) = (attached for attached in whole.iter_attachments() if attached.get_filename() == "map.svg")
    root = ElementTree.fromstring(file.get_content())
    said = " ".join(root.itertext())
    assert root.tag.endswith("svg")
    assert all(country in said for country in ("England", "Sweden", "Poland"))


def test_a_view_file_goes_with_letters_that_want_it(asked):
    session = opened(asked)
    session.save.seat(asked.seat).attach = "view"
    session.commit()
    before = set((asked.folder / "outbox" / "new").glob("*"))
    send(asked, "nonsense: 1")
    (path,) = set((asked.folder / "outbox" / "new").glob("*")) - before
    whole = message_from_bytes(path.read_bytes(), policy=policy.default)
    (file,) = (attached for attached in whole.iter_attachments() if attached.get_filename() == "view.toml")
    document = tomllib.loads(file.get_content().decode())
    assert (document["game"], document["seat"]) == ("ballot", asked.seat)
    assert document["questions"][0]["q"] == opened(asked).referee.q
    assert decode_mail(path.read_bytes()).text.startswith("Rejected.")  # and is no order


# -- digests --------------------------------------------------------------------------------------------------


def test_mere_news_waits_for_the_hour_of_the_seats_own_zone(asked):
    """For a seat that is not asked next. What it is asked comes at once; the day after without news brings nothing."""
    session = opened(asked)
    for seat in session.save.seats:
        seat.letters = "digest 7"
    session.commit()
    synthetic_mail_round(asked)
    asked_now = opened(asked).referee.asked()
    quiet = next(seat for seat in load(asked.save).seats if seat.id not in asked_now)
    struck = release.last_hour(quiet, asked.now + timedelta(days=1))
    assert struck.astimezone(ZoneInfo(quiet.zone)).hour == 7
    for at, count in ((struck - HOUR, 0), (struck, 1), (struck + HOUR, 0), (struck + 24 * HOUR, 0)):
        heartbeat.store(asked.folder, heartbeat.Heartbeat(at, at))
        sent = tick_games([asked.folder], now=at).done.emails.sent
        assert [letter.seat for letter in sent].count(quiet.id) == count, at
    seat = load(asked.save).seat(quiet.id)
    assert seat.seen == load(asked.save).header.lines


def test_runs_due_to_others_change_neither_the_digest_nor_the_receipt_of_a_seat(asked):
    """The hour of a digest without news is no news: a run in which another seat writes in secret must not use it up."""
    session, now = opened(asked), asked.now + timedelta(days=2)
    seat = session.save.seat(asked.seat)
    seat.letters, seat.told.digest = "digest 7", release.last_hour(seat, asked.now)
    assert release.is_due(seat, now)
    write.write_emails(session, now)
    assert release.is_due(seat, now)
    alone, (line,) = news_for(session, seat, daily=True), session.lines(0)[-1:]
    receipt = msgspec.structs.replace(alone, drafts=[EmailPart("1", seat.id, "done")])
    assert receipt.aside  # as on any other hour
    assert not msgspec.structs.replace(receipt, lines=[line]).aside


def synthetic_mail_round(desk):
    """Everybody votes: the ballot closes."""
    session = opened(desk)
    lines = synthetic_mail.answers(session, Random(1))
    mails = [synthetic_mail.write_email(session, seat, said, desk.now) for seat, said in lines.items()]
    desk.ingest(desk.box(mails, "round.mbox"))


def test_a_digest_that_was_not_asked_for_does_not_come(asked):
    synthetic_mail_round(asked)
    for days in range(1, 3):
        at = asked.now + timedelta(days=days, hours=1)
        heartbeat.store(asked.folder, heartbeat.Heartbeat(at, at))
        assert tick_games([asked.folder], now=at).done.emails.sent == []


@pytest.mark.parametrize("wish", ["help", *(f"send {word}" for word in SEND), "send about riga"])
def test_a_wish_that_cannot_be_met_fails_alone_with_a_sentence(asked, monkeypatch, wish):
    """Whatever breaks off in a game's own code: the others are answered, and the next run finds nothing left over."""

    def broken(*_):
        raise ZeroDivisionError("max() of nothing")

    monkeypatch.setitem(write._TEXTS, wish.rpartition(" ")[2], broken)
    monkeypatch.setattr(write, "about", broken)
    q = opened(asked).referee.q
    domain = opened(asked).referee.domain(asked.seat)
    receipt, told = send(asked, f"{q}: {domain.text(next(iter(domain.options())))}", wish)
    assert "Your answer is" in receipt.text
    assert wish in told.text
    assert "can't be made" in " ".join(told.text.split())
    assert f"\n{q}: " in told.text
    after = load(asked.save)
    assert (after.drafts, after.header.unsent) == ([], False)
    assert not asked.ingest(asked.box([], "next.mbox")).broken


def test_a_game_without_a_map_says_so(asked, monkeypatch):
    """`max()` of no spaces ended the run, and every run after it."""
    whole = report_of

    def without(*args):
        report = whole(*args)
        report.map = []
        return report

    monkeypatch.setattr(write, "report_of", without)
    (told,) = send(asked, "send map")
    assert "This game has no map." in told.text
    assert "map.svg" not in told.text


def test_a_view_file_that_cannot_be_made_holds_no_email_back(asked, monkeypatch):
    send(asked, "attach view")
    monkeypatch.setattr(viewfile, "dumps", lambda document: 1 / 0)
    (told,) = send(asked, "letters full", number=2)
    assert "letters full" in told.text
    assert not load(asked.save).header.unsent
