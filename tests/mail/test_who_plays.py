"""Absences, new players, delegates and watchers: who is told, and whose calendar is cleared."""

from __future__ import annotations

import re
from email import message_from_bytes, policy
from random import Random

import msgspec
import pytest

from pbem.cli.console import Exit
from pbem.clock import heartbeat
from pbem.dev import synthetic_mail
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.save_index import SaveIndex, code_of
from pbem.mail.scheduler.due import occasions
from pbem.mail.scheduler.tick import tick_games
from pbem.mail.transport.bounces import returned
from pbem.save import load
from pbem.timestamps import stamp
from tests.mail.desk_actions import HOUR, action, committed, letters, pbem
from tests.mail.desks import opened


def test_an_absence_moves_the_deadline_and_only_the_seat_hears_why(begun):
    seat = opened(begun).referee.asked()[0]
    since, until = (begun.now + 1 * 24 * HOUR).date(), (begun.now + 4 * 24 * HOUR).date()
    words = [seat, "--since", str(since), "--until", str(until)]
    pbem(begun, "clock", "away", str(begun.save), *words, "--reason", "a wedding", "--as", "Miriam")
    save = load(begun.save)
    due = save.pending[0].due
    assert {question.due for question in save.pending} == {due}
    assert due == begun.due + 4 * 24 * HOUR
    assert [(action.what, action.told, action.reason) for action in save.actions] == [("absent", [seat], "a wedding")]
    for reader, letter in letters(begun).items():
        assert ("a wedding" in letter.text) == (reader == seat)
        assert "NEW DEADLINE" in letter.text or "新しい回答期限" in letter.text
        assert (str(since) in letter.text and "absent" in letter.text) <= (reader == seat)
    assert pbem(begun, "clock", "away", str(begun.save), *words, ok=False).exit_code == 1
    pbem(begun, "clock", "back", str(begun.save), seat)
    save = load(begun.save)
    assert save.clock.absences == []
    assert {question.due for question in save.pending} == {due}  # announced: never earlier
    assert pbem(begun, "clock", "back", str(begun.save), seat, ok=False).exit_code == 1


@pytest.mark.parametrize(
    ("days", "status"),
    [
        (("2030-02-02", "2030-02-01"), Exit.USAGE),
        (("soon", "later"), Exit.USAGE),
        (("2001-01-01", "2001-01-02"), Exit.FAILED_CHECK),
    ],
)
def test_absences_that_are_none(begun, days, status):
    before = begun.save.read_bytes()
    seat = opened(begun).referee.asked()[0]
    words = [seat, "--since", days[0], "--until", days[1]]
    assert pbem(begun, "clock", "away", str(begun.save), *words, ok=False).exit_code == status
    assert begun.save.read_bytes() == before


def test_a_new_player_is_briefed_and_the_old_one_is_out(begun):
    seat = opened(begun).referee.asked()[0]
    lines = synthetic_mail.answers(opened(begun), Random(1))[seat]
    late = synthetic_mail.write_email(opened(begun), seat, lines, begun.now)
    old = code_of(load(begun.save), seat)
    action(begun, "seat", "replace", str(begun.save), seat, "new@example.org", "--yes", "--name", "Nora")
    fresh = code_of(load(begun.save), seat)
    assert fresh != old
    briefing = letters(begun)[seat]
    assert briefing.to == ("new@example.org",)
    assert fresh in briefing.text
    assert old not in briefing.text
    assert "WELCOME" in briefing.text or "ようこそ" in briefing.text
    # What everybody's first letter tells of the game.
    assert committed(begun) in "".join(briefing.text.split())
    report = begun.ingest(begun.box([late], "late.mbox"))
    assert [letter.fate for letter in report.emails] == ["quarantined"]
    mine = synthetic_mail.write_email(
        opened(begun), seat, lines, begun.now, code=old, sender="new@example.org", number=2
    )
    assert [letter.fate for letter in begun.ingest(begun.box([mine], "m.mbox")).emails] == ["quarantined"]
    mine = synthetic_mail.write_email(opened(begun), seat, lines, begun.now, number=3)
    assert [letter.fate for letter in begun.ingest(begun.box([mine], "n.mbox")).emails] == ["taken"]


def test_who_leaves_is_told_and_his_calendar_is_cleared(begun):
    session = opened(begun)
    seat = session.referee.asked()[0]
    before = session.save.seat(seat)
    action(begun, "seat", "replace", str(begun.save), seat, "new@example.org", "--yes", "--name", "Nora")
    (path,) = (begun.folder / "outbox" / "new").glob(f"ballot.other-{seat}.*farewell*")
    whole = message_from_bytes(path.read_bytes(), policy=policy.default)
    assert whole["To"] == before.addresses[0]
    (entry,) = [part for part in whole.walk() if part.get_content_type() == "text/calendar"]
    assert entry.get_param("method") == "CANCEL"
    assert before.told.entry.uid in entry.get_content().replace("\r\n ", "").replace("\n ", "")
    assert "new@example.org" not in path.read_text("utf-8")
    # If it bounces, his successor's letters have arrived all the same.
    assert returned(path.read_bytes(), SaveIndex([begun.folder])) is None
    assert not [letter for letter in load(begun.save).outbox if letter.kind != "draft"]


def test_a_delegate_plays_until_his_time_is_over(begun):
    session = opened(begun)
    seat = session.referee.asked()[0]
    lines = synthetic_mail.answers(session, Random(1))[seat]
    until = stamp(begun.now + 10 * HOUR)
    action(begun, "seat", "delegate", str(begun.save), seat, "del@example.org", "--until", until)
    mail = synthetic_mail.write_email(opened(begun), seat, lines, begun.now, sender="del@example.org")
    assert [letter.fate for letter in begun.ingest(begun.box([mail], "d.mbox")).emails] == ["taken"]
    now = begun.now + 11 * HOUR
    heartbeat.store(begun.folder, heartbeat.Heartbeat(now, now))
    tick_games([begun.folder], now=now)
    assert load(begun.save).seat(seat).delegates == []
    (path,) = (begun.folder / "outbox" / "new").glob(f"ballot.other-{seat}.*farewell*")
    assert message_from_bytes(path.read_bytes(), policy=policy.default)["To"] == "del@example.org"
    assert calendar_of(path) is None  # he has answered: his copy of the receipt has cleared it
    mail = synthetic_mail.write_email(opened(begun), seat, lines, now, sender="del@example.org", number=2)
    assert [letter.fate for letter in begun.ingest(begun.box([mail], "e.mbox")).emails] == ["quarantined"]


@pytest.mark.parametrize(
    ("came", "read", "fate"), [(-1, 1, "taken"), (1, 2, "quarantined"), (None, 1, "quarantined"), (0, 1, "quarantined")]
)
def test_a_delegates_time_ends_with_the_hour_and_not_with_the_next_tick(begun, came, read, fate):
    """What they wrote in time counts whenever it is read; after it they answer nothing and get nothing."""
    session = opened(begun)
    seat = session.referee.asked()[0]
    lines = synthetic_mail.answers(session, Random(1))[seat]
    until = begun.now + 10 * HOUR
    action(begun, "seat", "delegate", str(begun.save), seat, "del@example.org", "--until", stamp(until))
    before = set(begun.letters())
    mail = synthetic_mail.write_email(opened(begun), seat, lines, begun.now, sender="del@example.org")
    raw = re.sub(rb"(?m)^Received:.*(?:\r?\n[ \t].*)*\r?\n", b"", mail.raw)
    if came is not None:
        at = until + came * HOUR
        raw = f"Received: from a by b; {at:%a, %d %b %Y %H:%M:%S} +0000\r\n".encode() + raw
    begun.now = until + read * HOUR
    report = begun.ingest(begun.box([msgspec.structs.replace(mail, raw=raw)], "d.mbox"))
    assert [letter.fate for letter in report.emails] == [fate]
    fresh = [raw for name, raw in begun.letters().items() if name not in before]
    assert fresh
    assert not [raw for raw in fresh if b"del@example.org" in raw]


def test_no_reminder_goes_to_a_delegate_whose_time_is_over(begun):
    seat = load(begun.save).pending[0].seat
    until = begun.due - 3 * HOUR
    action(begun, "seat", "delegate", str(begun.save), seat, "del@example.org", "--until", stamp(until))
    save = load(begun.save)
    told = {
        now: {occasion.to for _, occasion in occasions(save, now) if occasion.seat == seat}
        for now in (until - HOUR, begun.due - HOUR)
    }
    assert "del@example.org" in told[until - HOUR]
    assert told[begun.due - HOUR] == set(save.seat(seat).addresses[:1])


def calendar_of(path):
    """Method, UID and SEQUENCE of the entry that a letter carries."""
    whole = message_from_bytes(path.read_bytes(), policy=policy.default)
    for part in whole.walk():
        if part.get_content_type() == "text/calendar":
            text = re.sub(r"\r?\n ", "", part.get_content())
            found = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
            return part.get_param("method"), found["UID"], int(found["SEQUENCE"])
    return None


def test_seat_and_delegate_read_that_both_of_them_play_it(begun):
    seat = opened(begun).referee.asked()[0]
    until = stamp(begun.now + HOUR)
    action(begun, "seat", "delegate", str(begun.save), seat, "del@example.org", "--until", until)
    told = {key: letter.text for key, letter in letters(begun).items()}
    words = re.compile("Both of you|メールは両方に届き")
    assert [key for key, text in told.items() if words.search(text)] == [seat]
    (copy,) = (begun.folder / "outbox" / "new").glob(f"ballot.{seat}.*-c1.*")
    assert words.search(decode_mail(copy.read_bytes()).text)
    assert not any("del@example.org" in text for text in told.values())


@pytest.mark.parametrize(
    ("verb", "words"), [("cc add", ("--name", "Nora")), ("delegate", ("--until", "2027-01-01", "--lang", "ja"))]
)
def test_what_only_a_new_player_has_is_not_dropped_silently(begun, verb, words):
    line = ("seat", *verb.split(), str(begun.save), "amber", "new@example.org", *words)
    result = action(begun, *line, ok=False)
    assert result.exit_code == 2
    assert "No such option" in result.output


def test_a_new_player_brings_his_zone_and_language(begun):
    new = ("seat", "replace", str(begun.save), "amber", "new@example.org", "--yes", "--name", "Nora")
    action(begun, *new, "--timezone", "Asia/Tokyo", "--lang", "ja")
    seat = load(begun.save).seat("amber")
    assert (seat.name, seat.zone, seat.language) == ("Nora", "Asia/Tokyo", "ja")
    assert "ようこそ" in letters(begun)["amber"].text
    assert action(begun, *new, "--timezone", "Tokio", ok=False).exit_code == Exit.USAGE
    action(begun, *new)
    assert (load(begun.save).seat("amber").zone, load(begun.save).seat("amber").language) == ("Asia/Tokyo", "ja")


def test_a_briefing_speaks_of_a_secret_only_where_there_is_one(begun):
    action(begun, "seat", "replace", str(begun.save), "amber", "new@example.org", "--yes")
    assert "WELCOME" in letters(begun)["amber"].text
    told = letters(begun)["amber"].text
    assert "secret" not in told.partition("WELCOME")[2].partition("\n\n")[0]


def test_a_delegate_whose_time_is_over_has_his_calendar_cleared(begun):
    seat = opened(begun).referee.asked()[0]
    until = stamp(begun.now + HOUR)
    action(begun, "seat", "delegate", str(begun.save), seat, "del@example.org", "--until", until)
    (copy,) = (begun.folder / "outbox" / "new").glob(f"ballot.{seat}.*-c1.*")
    method, uid, number = calendar_of(copy)
    assert method == "PUBLISH"
    now = begun.now + 2 * HOUR
    heartbeat.store(begun.folder, heartbeat.Heartbeat(now, now))
    tick_games([begun.folder], now=now)
    (path,) = (begun.folder / "outbox" / "new").glob(f"ballot.other-{seat}.*farewell*")
    assert calendar_of(path) == ("CANCEL", uid, number + 1)
    last = max((begun.folder / "outbox" / "new").glob(f"ballot.{seat}.000[1-9].*"))
    assert calendar_of(last) == ("PUBLISH", uid, number + 1)  # the seat still owes its answer


def test_who_played_for_one_who_leaves_is_told_too(begun):
    seat = opened(begun).referee.asked()[0]
    until = stamp(begun.now + 10 * HOUR)
    action(begun, "seat", "delegate", str(begun.save), seat, "del@example.org", "--until", until)
    action(begun, "seat", "replace", str(begun.save), seat, "new@example.org", "--yes", "--name", "Nora")
    paths = sorted((begun.folder / "outbox" / "new").glob(f"ballot.other-{seat}.*farewell*"))
    people = {message_from_bytes(path.read_bytes(), policy=policy.default)["To"] for path in paths}
    assert len(paths) == len(people) == 2
    assert "del@example.org" in people
    assert {calendar_of(path)[0] for path in paths} == {"CANCEL"}


def test_a_watcher_gets_no_entry_in_his_calendar(begun):
    seat = opened(begun).referee.asked()[0]
    action(begun, "seat", "cc", "add", str(begun.save), seat, "watch@example.org")
    (copy,) = (begun.folder / "outbox" / "new").glob("*-c1.*")
    assert calendar_of(copy) is None
    (own,) = (begun.folder / "outbox" / "new").glob(copy.name.partition("-c1")[0] + ".*")
    assert calendar_of(own)[0] == "PUBLISH"


def test_a_watcher_reads_along_without_codes(begun):
    seat = opened(begun).referee.asked()[0]
    action(begun, "seat", "cc", "add", str(begun.save), seat, "watch@example.org")
    copies = [decode_mail(p.read_bytes()) for p in (begun.folder / "outbox" / "new").glob("*-c1.*")]
    assert [copy.to for copy in copies] == [("watch@example.org",)]
    assert code_of(load(begun.save), seat) not in copies[0].text
    assert f"[ballot {seat} ----]" in copies[0].text
