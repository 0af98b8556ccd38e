"""Which calendar entries go with a letter: the seat's own deadline, and the end of the one that it had before.

What a seat was sent is kept in the save (`SeatInfo.told`), so that an entry that it never got is not cancelled,
and one that is taken up again has a higher number. Titles name public things only.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from pbem.post.headers import parse_address
from pbem.post.outbox.ical import Event, calendar
from pbem.post.outbox.message import host_of
from pbem.report.catalogue import messages
from pbem.save import OutLetter, PendingInfo, SeatInfo, SentEntry, Session


def attach(session: Session, seat: SeatInfo, letter: OutLetter) -> None:
    """Put into the letter what the seat owes by when (`calendar`), and an entry that holds no longer (`cancelled`)."""
    told, asked = seat.told.entry, _owed(session, seat)
    uid = _uid(session, seat, asked.q, letter.sender) if asked is not None else ""
    if told is not None and told.on and told.uid != uid:
        told = _off(told)
        letter.cancelled = _entry(session, seat, told, letter)
    if asked is not None and asked.due is not None:
        sequence, due = asked.moved, asked.due
        if told is not None and told.uid == uid:
            sequence = told.sequence + (told.due != due or not told.on)
        told = SentEntry(uid, due, asked.q, sequence, on=True)
        letter.calendar = _entry(session, seat, told, letter)
    seat.told.entry = told


def take_back(session: Session, seat: SeatInfo, letter: OutLetter) -> None:
    """Cancel in `letter` the entry that the seat has, whatever is asked: it is no longer its player's."""
    told, seat.told.entry = seat.told.entry, None
    if told is not None and told.on:
        letter.cancelled = _entry(session, seat, _off(told), letter)


def take_back_copy(session: Session, seat: SeatInfo, letter: OutLetter) -> None:
    """Cancel the seat's entry in `letter` to somebody who played for it until now; the seat keeps its own.

    The number is counted on, so that what the seat is sent of it later is newer for whoever plays for it again.
    """
    told = seat.told.entry
    if told is not None and told.on:
        off = _off(told)
        seat.told.entry = msgspec.structs.replace(off, on=True)
        letter.cancelled = _entry(session, seat, off, letter)


def _off(told: SentEntry) -> SentEntry:
    """The entry as it is cancelled: one number higher, so that calendars take notice."""
    return msgspec.structs.replace(told, on=False, sequence=told.sequence + 1)


def again(session: Session, seat: SeatInfo, home: str, at: datetime) -> Event | None:
    """The entry that the seat was sent for what it owes, for a reminder from `home`; None if it was sent none.

    The same entry under the same number, so that a calendar which has it changes nothing; if the deadline has moved
    since, it has the number that the next letter will give it. Changes nothing.
    """
    told, asked = seat.told.entry, _owed(session, seat)
    if told is None or asked is None or not told.on or told.uid != _uid(session, seat, asked.q, home):
        return None
    due = asked.due
    if told.due != due:
        told = msgspec.structs.replace(told, due=due, sequence=told.sequence + 1)
    return _event(session, seat, told, home, at)


def _owed(session: Session, seat: SeatInfo) -> PendingInfo | None:
    """The seat's open question if it owes an answer by a time."""
    if seat.id not in session.referee.waiting():
        return None
    q = session.referee.q
    return next(
        (
            pending
            for pending in session.save.pending
            if pending.seat == seat.id and pending.q == q and pending.due
        ),
        None,
    )


def _uid(session: Session, seat: SeatInfo, q: int, home: str) -> str:
    save = session.save
    return f"{save.header.name}-{save.dice.epoch}-{q}-{seat.id}@{host_of(home)}"


def _entry(session: Session, seat: SeatInfo, told: SentEntry, letter: OutLetter) -> str:
    assert letter.at is not None  # set when it was written
    return calendar(_event(session, seat, told, letter.sender, letter.at))


def _event(session: Session, seat: SeatInfo, told: SentEntry, home: str, at: datetime) -> Event:
    title = session.game.title.get(seat.language, session.game.title["en"])
    texts = messages("pbem.post", seat.language) or messages("pbem.post", "en")
    summary = texts["ical.summary"]
    for key, value in (("game", session.save.header.name), ("title", title), ("q", str(told.q))):
        summary = summary.replace(f"{{{key}:raw}}", value)
    return Event(
        uid=told.uid,
        due=told.due,
        summary=summary,
        sequence=told.sequence,
        written=at,
        organizer=parse_address(home) or "",
        cancelled=not told.on,
    )
