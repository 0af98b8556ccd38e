"""Mailbox chaos: letters doubled, out of order, cut off; the game comes out the same, or a letter is clearly refused.

Letters of one seat to one question are the exception that the order decides: here each seat writes once a question.
"""

from __future__ import annotations

from itertools import islice
from random import Random

import msgspec
import pytest

import games
from pbem.dev import synthetic_mail
from pbem.save import Session


def game_of(desk):
    """What must come out the same: the journal but for the names of letters, and what is sealed and told."""
    save = desk.read()
    moves = [(m.q, m.seat, m.kind, *_plain(m)) for m in save.moves]
    sealed = sorted((m.q, m.seat, m.answer) for m in save.sealed)
    told = [(seat.id, seat.seen, seat.told_q) for seat in save.seats]
    checkpoint = msgspec.structs.replace(save.checkpoint, journal="")  # the chain holds the names of letters
    return moves, sealed, sorted(map(str, save.queue)), told, checkpoint


def _plain(move):
    """The answer and its time; of a negotiation who did what, as the order is that of arrival."""
    if isinstance(move.answer, dict) and "acts" in move.answer:
        return sorted(map(str, move.answer["acts"])), ""
    return move.answer, move.at


@pytest.fixture(scope="module")
def orderly(staged, desk_type, tmp_path_factory):
    desk = desk_type(tmp_path_factory.mktemp("orderly"), staged)
    desk.ingest(desk.box(desk.mails))
    return game_of(desk)


def chaos(desk, seed: int, orderly) -> None:
    chance = Random(seed)
    mails = [mail for mail in desk.mails for _ in range(chance.choice((1, 1, 1, 2, 3)))]
    if seed % 4:
        chance.shuffle(mails)
    whole = desk.box(mails)
    if seed % 3 == 0:
        size = whole.stat().st_size
        cut = desk.box(mails, "cut.mbox", cut=chance.randrange(size))
        first = desk.ingest(cut)
        assert not first.incomplete
    report = desk.ingest(whole)
    assert not report.incomplete
    assert game_of(desk)[:3] == orderly[:3], seed
    assert game_of(desk)[4] == orderly[4], seed
    before = desk.everything()
    assert desk.ingest(whole).idle
    assert desk.everything() == before, seed


@pytest.mark.parametrize("block", [0, 1, *(pytest.param(n, marks=pytest.mark.slow) for n in range(2, 6))])
def test_sixty_mailboxes(make_desk, orderly, block):
    for seed in range(block * 10, block * 10 + 10):
        chaos(make_desk(), seed, orderly)


@pytest.mark.slow
def test_a_thousand_mailboxes(make_desk, orderly):
    for seed in range(1000, 2000):
        chaos(make_desk(), seed, orderly)


def two_votes(session, seat):
    return list(islice(session.referee.domain(seat).options(), 2))


def test_of_two_votes_the_later_in_the_source_counts(make_desk):
    for order in ((0, 1), (1, 0)):
        desk = make_desk()
        session = Session.open(desk.save, games.load)
        seat = next(voter for voter in session.referee.asked() if len(two_votes(session, voter)) == 2)
        domain, votes = session.referee.domain(seat), two_votes(session, seat)
        mails = [
            synthetic_mail.write_email(
                session, seat, [f"{session.referee.q}: {domain.text(vote)}"], desk.now, number=number
            )
            for number, vote in enumerate(votes)
        ]
        desk.ingest(desk.box([mails[number] for number in order]))
        (sealed,) = desk.read().sealed
        assert sealed.answer == votes[order[-1]]


def test_a_letter_cut_off_before_its_end_is_refused(desk):
    session = Session.open(desk.save, games.load)
    lines = synthetic_mail.answers(session, Random(1))["ivory"]
    mail = synthetic_mail.write_email(session, "ivory", lines, desk.now)
    box = synthetic_mail.as_mbox([mail])
    cut = desk.folder / "cut.mbox"
    cut.write_bytes(box[: box.index(lines[0].encode()) + len(lines[0])])
    (one,) = desk.ingest(cut).emails
    assert one.fate == "wrong"
    assert "cut off" in one.why
    assert desk.read().sealed == []
    assert [letter.fate for letter in desk.ingest(desk.box([mail])).emails] == ["taken"]


def test_a_bare_reply_cut_off_at_its_last_line_does_not_pass_for_the_whole_one(desk):
    """All that counts is there, the end of the line is not: it may be longer."""
    session = Session.open(desk.save, games.load)
    lines = synthetic_mail.answers(session, Random(1))["ivory"]
    mail = synthetic_mail.write_email(session, "ivory", lines, desk.now, style=synthetic_mail.TAPPED)
    box = synthetic_mail.as_mbox([mail])
    cut = desk.folder / "cut.mbox"
    cut.write_bytes(box[: box.rindex(b"]") + 1])
    assert [letter.fate for letter in desk.ingest(cut).emails] != ["taken"]
    assert desk.read().sealed == []
    assert [letter.fate for letter in desk.ingest(desk.box([mail])).emails] == ["taken"]
