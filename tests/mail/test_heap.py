"""The quarantine under thousands of forged letters: time and memory are bounded, and a player's own stands on top."""

from __future__ import annotations

import resource
import sys
import time
from datetime import UTC, datetime
from random import Random

import msgspec
import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.dev import synthetic_mail
from pbem.mail import quarantine
from pbem.mail.inbox.inbox_run import InboxRun
from pbem.mail.moderator.dashboard import overview
from pbem.mail.quarantine import Quarantine, QuarantinedEmail, QuarantineFilter, QuarantineView, summary
from pbem.mail.save_index import SaveIndex
from pbem.save import Session
from pbem.timestamps import stamp
from tests.mail.desks import ballots


def forged(number, at, sender=""):
    """An order in a player's name by somebody who has no letter of ours."""
    sender = sender or f"s{number % 7}@evil.example"
    raw = (
        f"From: {sender}\r\nMessage-ID: <{number}.{sender}>\r\nSubject: x\r\n\r\n"
        f"BEGIN ORDERS ballot amber 1234-{number:04d}\r\nred\r\nEND ORDERS\r\n"
    )
    return synthetic_mail.SyntheticEmail(at, sender, raw.encode())


def from_elsewhere(mail):
    """A player's letter with its code, from an address that is on no list."""
    return msgspec.structs.replace(mail, raw=mail.raw.replace(mail.sender.encode(), b"anna@phone.example"))


def run(*words):
    result = CliRunner().invoke(main, [*words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture
def buried(desk):
    """A desk with 60 forged letters, one in a player's name without code, and one of a player on his phone."""
    session = Session.open(desk.save, games.load)
    lines = synthetic_mail.answers(session, Random(1))["amber"]
    own = synthetic_mail.write_email(session, "amber", lines, desk.now)
    half = [forged(number, desk.now) for number in range(60)]
    in_name = forged(60, desk.now, own.sender)
    desk.ingest(desk.box([*half[:30], from_elsewhere(own), in_name, *half[30:]]))
    desk.own = own
    return desk


def listed(desk, *words):
    return run("quarantine", "--saves", str(desk.folder), "list", *words)


def test_what_may_be_a_players_stands_on_top(buried):
    lines = listed(buried).stdout.splitlines()
    assert "anna@phone.example" in lines[1]
    assert buried.own.sender in lines[2]
    assert all("evil.example" in line for line in lines[3:])
    assert len(lines) == 1 + 50
    assert "and 12 more: unknown-sender 12, @evil.example 12" in listed(buried).stderr
    assert len(listed(buried, "--limit", "3").stdout.splitlines()) == 1 + 3


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (("--sender", "S3@evil"), 9),
        (("--reason", "unknown-sender"), 61),
        (("--reason", "no-orders"), 0),
        (("--game", "Ballot", "--seat", "amber"), 62),
        (("--seat", "black"), 0),
        (("--days", "1", "--now", "2026-05-02T00:00:00Z"), 0),
        (("--days", "1", "--now", "2030-01-01T00:00:00Z"), 62),
    ],
)
def test_letters_are_found_by_sender_reason_game_seat_and_age(buried, words, count):
    found = msgspec.json.decode(listed(buried, *words, "--json").stdout)
    assert len(found["emails"]) == count


def test_letters_are_refused_together_but_no_players_letter(buried):
    where = ["quarantine", "--saves", str(buried.folder), "discard"]
    told = run(*where, "--sender", "evil.example", "--dry-run").stderr
    assert "60 emails would be discarded: " in told
    assert len(Quarantine(buried.folder / "quarantine").listed()) == 62
    assert "7 letters" not in run(*where, "--sender", "s5@").stderr
    told = run(*where, "--game", "ballot").stderr
    assert "2 may be a player's: discard them by id" in told
    left = Quarantine(buried.folder / "quarantine").listed()
    assert {held.sender for held in left} == {"anna@phone.example", buried.own.sender}
    # In a player's name, without a code: by the whole address. With a code: by id only.
    run(*where, "--sender", buried.own.sender)
    run(*where, "--sender", "anna@phone.example")
    (phone,) = Quarantine(buried.folder / "quarantine").listed()
    assert phone.sender == "anna@phone.example"
    run(*where, phone.id)
    quarantine = Quarantine(buried.folder / "quarantine")
    assert quarantine.listed() == []
    assert {held.state for held in quarantine.index.values()} == {"refused"}
    assert len(list((buried.folder / "quarantine" / "cur").glob("*,T"))) == 62


@pytest.mark.parametrize("words", [(), ("abc", "--sender", "x"), ("--reason", "because")])
def test_refusing_needs_ids_or_options_that_name_letters(buried, words):
    result = CliRunner().invoke(main, ["quarantine", "--saves", str(buried.folder), "discard", *words])
    assert result.exit_code == 2
    assert len(Quarantine(buried.folder / "quarantine").listed()) == 62


def test_the_desk_tells_how_many_may_be_players(buried):
    found = overview([buried.folder], now=buried.now)
    assert (found.quarantine, found.of_players) == (62, 2)
    assert (
        "quarantine 62 (2 may be players' own)"
        in run("dashboard", str(buried.folder), "--now", stamp(buried.now)).stdout
    )


@pytest.mark.parametrize("many", [500, pytest.param(5_000, marks=pytest.mark.slow)])
def test_forged_letters_by_the_thousand(desk, many):
    """Taken in within bounds; the honest letter among them counts, and the desk answers at once."""
    own = desk.mails[0]
    half = many // 2
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    box = [*(forged(n, desk.now) for n in range(half)), own, *(forged(n, desk.now) for n in range(half, many))]
    report = desk.ingest(desk.box(box))
    took = time.process_time() - start
    assert report.counts == {"quarantined": many, "taken": 1}
    assert took / many < 0.01
    if sys.platform == "linux":
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10  # KiB
    start = time.process_time()
    assert overview([desk.folder], now=desk.now).quarantine == many
    assert len(listed(desk).stdout.splitlines()) == 51
    run("quarantine", "--saves", str(desk.folder), "discard", "--sender", "evil.example")
    assert time.process_time() - start < 5
    assert Quarantine(desk.folder / "quarantine").listed() == []
    assert desk.ingest(desk.box(box, "again.mbox")).counts == {}


def test_letters_that_are_not_shown_are_summed_up():
    letters = [
        QuarantinedEmail(
            id=f"{n:012x}", reason=("no-code", "own")[n % 3 == 0], at=synthetic_mail.START, sender=f"a@h{n % 2}.example"
        )
        for n in range(6)
    ]
    assert summary(letters) == "no-code 4, own 2, @h0.example 3, @h1.example 3"
    heap = QuarantineView(letters, SaveIndex([]))
    assert heap.of_players == 0
    assert heap.refusable(QuarantineFilter(reason="own")) == list(heap.emails)


# ------------------------------------------------------------------ how much is kept


def held(number, day=1, coded=False):
    at = datetime(2026, 5, day, 12, tzinfo=UTC)
    return QuarantinedEmail(id=f"{number:012x}", reason="unknown-sender", at=at, sender="x@evil.example", coded=coded)


def test_what_a_day_puts_aside_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(quarantine, "WHOLE", 10_000)
    monkeypatch.setattr(quarantine, "BEGINNING", 100)
    kept = Quarantine(tmp_path)
    for number in range(400):
        kept.put(held(number), b"a" * 1000)
    sizes = [path.stat().st_size for path in sorted((tmp_path / "new").iterdir())]
    assert sizes == [1000] * 10 + [100] * 100 + [0] * 290
    assert sum(sizes) <= 2 * quarantine.WHOLE + quarantine.BEGINNING
    assert kept.raw(kept.find(f"{10:012x}")) == b"a" * 100
    assert kept.find(f"{9:012x}").sentence().endswith("on no seat's list")
    assert kept.find(f"{10:012x}").sentence().endswith("; only 100 of its 1000 bytes are stored here")
    # Another run knows what was used; a player's code has an allowance of its own, and so has the next day.
    again = Quarantine(tmp_path)
    assert again.put(held(500), b"a" * 1000).kept == 0
    assert again.put(held(501, coded=True), b"a" * 1000).kept == 1000
    assert again.put(held(502, day=2), b"a" * 1000).kept == 1000
    # What the moderator has decided is no new letter.
    again.settle_all([again.find(f"{number:012x}") for number in (0, 1)], "refused")
    assert Quarantine(tmp_path).put(held(503, day=2), b"a" * 9000).kept == 9000


def test_a_letter_of_which_only_the_beginning_is_kept_is_not_released(desk, monkeypatch):
    mail = next(iter(ballots(desk).values()))
    stray = from_elsewhere(mail)
    monkeypatch.setattr(quarantine, "WHOLE", 100)
    monkeypatch.setattr(quarantine, "BEGINNING", 50)
    (ident,) = [letter.held for letter in desk.ingest(desk.box([stray])).emails]
    with pytest.raises(quarantine.QuarantineError, match="only 50 of its"):
        InboxRun([desk.folder], now=desk.now).release(ident)


def test_words_of_a_stranger_do_not_fill_the_index(desk):
    """What an email says of itself stands in the index, and is cut."""
    long = "x" * 100_000
    raw = f"From: {long} <{long}@evil.example>\nSubject: {long}\n\nBEGIN ORDERS {long} {long} {long}\nEND ORDERS\n"
    (desk.folder / "x.eml").write_text(raw)
    desk.ingest(desk.folder / "x.eml")
    assert (desk.folder / "quarantine" / "index.jsonl").stat().st_size < 2000


def test_a_reason_that_an_earlier_version_wrote_is_read_as_todays(tmp_path):
    """Its email is processed once its question is open."""
    kept = QuarantinedEmail(id="1abc", reason="early", at=datetime(2026, 5, 1, tzinfo=UTC), subject='"reason":"ahead"')
    line = msgspec.json.encode(kept).replace(b'"reason":"early"', b'"reason":"ahead"')
    (tmp_path / "index.jsonl").write_bytes(line + b"\n")
    old = Quarantine(tmp_path)
    assert list(old.index.values()) == [kept]
    assert old.waits("1abc")
