"""Deadlines as calendar entries."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from random import Random

from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import games
from pbem.cli import main
from pbem.dev import synthetic_mail
from pbem.mail.inbox.ingest import ingest
from pbem.mail.outbox.calendar import CalendarEvent, calendar, folded
from pbem.save import Session, load

AT = datetime(2026, 5, 1, 12, tzinfo=UTC)


def unfolded(text: str) -> list[str]:
    assert text.endswith("\r\n")
    assert "\n" not in text.replace("\r\n", "")
    return text.replace("\r\n ", "").removesuffix("\r\n").split("\r\n")


def read(text: str) -> dict[str, str]:
    """Properties of the event, text values unescaped."""
    lines = unfolded(text)
    end = "BEGIN:VALARM" if "BEGIN:VALARM" in lines else "END:VEVENT"
    inside = lines[lines.index("BEGIN:VEVENT") + 1 : lines.index(end)]
    found = dict(line.split(":", 1) for line in inside)
    signs = {"n": "\n"}
    return {key: re.sub(r"\\(.)", lambda m: signs.get(m[1], m[1]), value) for key, value in found.items()}


def test_an_event():
    found = read(
        calendar(CalendarEvent(uid="a@b", due=AT, summary="vq-07: answer; please, 57", sequence=2, written=AT))
    )
    assert found["UID"] == "a@b"
    assert found["DTEND"] == "20260501T120000Z"
    assert found["DTSTART"] == "20260501T113000Z"
    assert found["SEQUENCE"] == "2"
    assert found["SUMMARY"] == "vq-07: answer; please, 57"


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])))
def test_any_title_reads_back_and_no_line_is_too_long(title):
    text = calendar(CalendarEvent(uid="a@b", due=AT, summary=title, written=AT))
    assert read(text)["SUMMARY"] == title
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    lines = unfolded(text)
    assert lines[0] == "BEGIN:VCALENDAR"
    assert lines[-1] == "END:VCALENDAR"


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_nothing_written_becomes_a_property(title):
    lines = unfolded(calendar(CalendarEvent(uid="a@b", due=AT, summary=title, written=AT)))
    assert sum(line.startswith("SUMMARY:") for line in lines) == 1
    assert len(lines) == 21  # without an organizer


def test_folding_keeps_characters_whole():
    assert folded("選" * 40).replace("\r\n ", "") == "選" * 40


def _events(desk, method="PUBLISH"):
    """By seat the entry of its last letter that has one."""
    found = {}
    for path in sorted((desk.folder / "outbox" / "new").glob("ballot.*")):
        whole = message_from_bytes(path.read_bytes(), policy=policy.default)
        for part in whole.walk():
            if part.get_content_type() == "text/calendar" and part.get_param("method") == method:
                text = part.get_content().replace("\r\n", "\n").replace("\n", "\r\n")
                assert f"\r\nMETHOD:{method}\r\n" in text
                found[path.name.split(".")[1]] = read(text)
    return found


def _extend(desk, hours):
    now = (desk.now + timedelta(hours=hours)).isoformat()
    words = ["clock", "extend", str(desk.save), "--hours", "24", "--reason", "holidays", "--now", now]
    assert CliRunner().invoke(main, words).exit_code == 0
    return _events(desk)


def test_each_letter_with_a_deadline_has_its_event(desk):
    found = _extend(desk, 1)
    save = load(desk.save)
    assert set(found) == {question.seat for question in save.pending}
    for question in save.pending:
        assert found[question.seat]["DTEND"] == question.due.strftime("%Y%m%dT%H%M%SZ")
    assert len({event["UID"] for event in found.values()}) == len(found)


def test_a_deadline_put_off_is_the_same_event_with_a_higher_sequence(desk):
    before = _extend(desk, 1)
    after = _extend(desk, 2)
    for seat, event in after.items():
        assert event["UID"] == before[seat]["UID"]
        assert int(event["SEQUENCE"]) == int(before[seat]["SEQUENCE"]) + 1
        assert event["DTEND"] > before[seat]["DTEND"]


def _vote(desk, mail, at):
    report = ingest([desk.folder], [desk.box([mail], "vote.mbox")], now=at)
    assert [letter.fate for letter in report.emails] == ["taken"], report


def test_whoever_has_answered_has_his_entry_taken_back_once(desk):
    before = _extend(desk, 1)
    seat, at = min(before), desk.now + timedelta(hours=2)
    session = Session.open(desk.save, games.load)
    later = at + timedelta(hours=1)
    answer = synthetic_mail.answers(session, Random(1))[seat]
    votes = [synthetic_mail.write_email(session, seat, answer, at, number=number) for number in (1, 2)]
    _vote(desk, votes[0], at)
    gone = _events(desk, "CANCEL")
    assert set(gone) == {seat}
    assert gone[seat]["UID"] == before[seat]["UID"]
    assert int(gone[seat]["SEQUENCE"]) == int(before[seat]["SEQUENCE"]) + 1
    assert gone[seat]["STATUS"] == "CANCELLED"
    assert gone[seat]["ORGANIZER"] == "mailto:pbem@games.example"
    letters = len(list((desk.folder / "outbox" / "new").iterdir()))
    _vote(desk, votes[1], later)
    last = max((desk.folder / "outbox" / "new").glob(f"ballot.{seat}.*"))
    assert len(list((desk.folder / "outbox" / "new").iterdir())) == letters + 1
    assert b"METHOD:CANCEL" not in last.read_bytes()


def test_a_question_closed_without_an_answer_takes_its_entry_along(desk):
    before = _extend(desk, 1)
    now = (desk.now + timedelta(hours=2)).isoformat()
    words = ["clock", "expire", str(desk.save), "--reason", "agreed", "--now", now]
    assert CliRunner().invoke(main, words).exit_code == 0
    gone, after = _events(desk, "CANCEL"), _events(desk)
    assert set(gone) == set(before)
    for seat, event in gone.items():
        assert event["UID"] == before[seat]["UID"]
    fresh = {seat for seat in after if after[seat]["UID"] != before.get(seat, {}).get("UID")}
    assert fresh == {question.seat for question in load(desk.save).pending}
