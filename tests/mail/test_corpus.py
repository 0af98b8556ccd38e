"""The corpus of hostile letters: none applied, none lost, none crashes, none answered that must not be."""

from __future__ import annotations

from random import Random

import pytest

import games
from pbem.dev import synthetic_mail
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.inbox.sources import MESSAGE_LIMIT
from pbem.mail.quarantine import BEGINNING, Quarantine
from pbem.save import Session, load
from tests.mail import hostile


@pytest.fixture
def aimed(desk):
    session = Session.open(desk.save, games.load)
    seat = session.referee.asked()[0]
    desk.target = hostile.target(session, synthetic_mail.answers(session, Random(1))[seat][0])
    desk.corpus = hostile.corpus(desk.target)
    return desk


def maildir(desk):
    box = desk.folder / "hostile"
    for name in ("new", "cur", "tmp"):
        (box / name).mkdir(parents=True)
    for number, (name, raw) in enumerate(desk.corpus.items()):
        (box / "new" / f"1777650000.{number:04d}.{name}").write_bytes(raw)
    return box


def position(desk):
    save = load(desk.save)
    return save.header.n, save.header.head, save.sealed, save.queue, save.standing, save.press


def test_there_are_sixty_and_more(aimed):
    assert len(aimed.corpus) >= 60


def test_none_is_applied_none_is_lost_none_crashes(aimed):
    before = position(aimed)
    addresses = [seat.addresses for seat in load(aimed.save).seats]
    report = aimed.ingest(maildir(aimed), authserv="mx.trusted.example")
    assert not report.broken
    assert position(aimed) == before
    assert [seat.addresses for seat in load(aimed.save).seats] == addresses
    fates = {letter.fate for letter in report.emails}
    assert "failed" not in fates
    assert not fates & {"taken", "partly", "postponed"}
    # Each one lies in quarantine or has a receipt that says why nothing was done.
    accounted = {
        letter.where.rpartition("hostile/new/")[2].partition(".")[2].partition(".")[2] for letter in report.emails
    }
    assert accounted == set(aimed.corpus)
    held = Quarantine(aimed.folder / "quarantine")
    for letter in report.emails:
        assert letter.fate in ("stale", "wrong", "refused") or letter.held
    for kept in held.listed():
        name = kept.where.rpartition("/")[2].partition(".")[2].partition(".")[2]
        whole = aimed.corpus[name][:MESSAGE_LIMIT]
        assert (kept.size, held.raw(kept)) == (len(whole), whole[: kept.kept])
        assert kept.kept >= min(kept.size, BEGINNING)  # beyond the day's allowance, the beginning of each
    assert not (aimed.folder.parent / "etc").exists()


def test_the_honest_letter_after_them_is_taken(aimed):
    aimed.ingest(maildir(aimed), authserv="mx.trusted.example")
    session = Session.open(aimed.save, games.load)
    mail = synthetic_mail.write_email(session, aimed.target.seat, [aimed.target.answer], aimed.now)
    assert [letter.fate for letter in aimed.ingest(aimed.box([mail])).emails] == ["taken"]


def test_nobody_but_the_players_is_written_to_and_nothing_is_injected(aimed):
    aimed.ingest(maildir(aimed), authserv="mx.trusted.example")
    known = {address for seat in load(aimed.save).seats for address in seat.addresses}
    for path in (aimed.folder / "outbox" / "new").iterdir():
        raw = path.read_bytes()
        assert set(decode_mail(raw).to) <= known
        head = raw.partition(b"\r\n\r\n")[0]
        assert b"bcc" not in head.lower()
        assert b"x-evil" not in head.lower()
        assert b"\x1b" not in raw


def test_each_alone_does_no_more_than_all_together(aimed, make_desk):
    """One by one, so that no letter hides behind another."""
    before, wrong = position(aimed), []
    for number, (name, raw) in enumerate(aimed.corpus.items()):
        path = aimed.folder / f"{number}.eml"
        path.write_bytes(raw)
        report = aimed.ingest(path, authserv="mx.trusted.example")
        if position(aimed) != before or {letter.fate for letter in report.emails} & {"failed", "taken", "partly"}:
            wrong.append(name)
    assert wrong == []


def test_a_trusted_host_that_says_pass_proves_nothing_alone(aimed):
    stamp = ("Authentication-Results", "mx.trusted.example; dmarc=pass")
    raw = hostile.mail("mallory@evil.example", aimed.target.block(), headers=[stamp])
    (aimed.folder / "p.eml").write_bytes(raw)
    assert [letter.fate for letter in aimed.ingest(aimed.folder / "p.eml", authserv="mx.trusted.example").emails] == [
        "quarantined"
    ]


def test_a_stamp_of_another_host_is_not_believed(aimed):
    stamp = ("Authentication-Results", "mx.evil.example; dmarc=fail")
    raw = hostile.mail(aimed.target.address, aimed.target.block(), headers=[stamp])
    (aimed.folder / "p.eml").write_bytes(raw)
    assert [letter.fate for letter in aimed.ingest(aimed.folder / "p.eml", authserv="mx.trusted.example").emails] == [
        "taken"
    ]
