"""What each seat is told after a run: what is new to it → a text → a letter → the save's outbox.

A seat gets one letter with its receipts, what is new, and what it must answer. A sealed answer that does not close its
question gives nobody news; when it closes, everybody asked hears of it in the same run, in the order of the seats.
"""

from __future__ import annotations

from datetime import datetime

from pbem.clock.policy import stamp
from pbem.post.outbox.addressing import addressed, copies
from pbem.post.outbox.calendars import attach
from pbem.post.outbox.composing import text_of
from pbem.post.outbox.drafts import is_seat
from pbem.post.outbox.news import News, news_for
from pbem.post.outbox.reader import reader_of
from pbem.report.letter import LetterText
from pbem.save import OutLetter, SeatInfo, Session


def write_letters(session: Session, now: datetime, sender: str = "") -> list[OutLetter]:
    """Turn drafts and news into letters in the save's outbox, at most one for each seat; changes memory only.

    A seat without an address gets none, and what it was to be told waits until it has one.
    """
    save, written = session.save, list[OutLetter]()
    reached = [seat for seat in save.seats if seat.addresses]
    for seat in reached:
        news = news_for(session, seat)
        if news:
            text = text_of(session, reader_of(session, seat), news)
            letter = _letter(session, seat, news, text, now, sender)
            attach(session, seat, letter)
            written += [letter, *copies(session, seat, letter)]
            _mark_told(session, seat, news, letter)
        seat.seen = save.header.lines  # without a letter nothing of it was for this seat
    told = {seat.id for seat in reached}
    save.drafts = [one for one in save.drafts if one.seat not in told and is_seat(save, one.seat)]
    order = {seat.id: at for at, seat in enumerate(save.seats)}
    save.outbox = sorted([*save.outbox, *written], key=lambda one: order.get(one.seat, len(order)))
    return written


def _letter(
    session: Session, seat: SeatInfo, news: News, text: LetterText, now: datetime, sender: str
) -> OutLetter:
    """The text as a letter."""
    letter = addressed(session.save, seat, list(news.drafts), sender)
    letter.subject, letter.body, letter.html, letter.at = text.subject, text.text, text.html, stamp(now)
    letter.news, letter.asks = news.of_play, news.asks
    return letter


def _mark_told(session: Session, seat: SeatInfo, news: News, letter: OutLetter) -> None:
    """Remember what the letter tells, so that it is told once. Its code is that of the open question, asked or not."""
    referee, told = session.referee, seat.told
    seat.told_q = referee.q
    told.letters += 1
    told.first, told.last = told.first or letter.message_id, letter.message_id
    told.press = len(session.save.press)
    told.proposals = news.proposals or told.proposals
    told.newcomer = False
    told.over = told.over or referee.over
    referee.notes[:] = [note for note in referee.notes if note.seat != seat.id]
