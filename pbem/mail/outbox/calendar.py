"""Calendar entries of an email: the seat's own deadline, and the cancellation of its previous one.

The save keeps what a seat was sent (`SeatInfo.told`): an entry that was never sent isn't cancelled, and a renewed
entry has a higher number. Titles name public things only.
"""

from __future__ import annotations

import hashlib
import hmac
from datetime import UTC, datetime, timedelta

import msgspec

from pbem.data_cache import messages
from pbem.mail.headers import parse_address
from pbem.mail.outbox.mime_message import addressed, host_of
from pbem.mail.outbox.recipient import as_text, reader_of
from pbem.mail.save_index import code_key
from pbem.save import Delegate, OutboxEntry, PendingInfo, SeatInfo, SentEntry, Session
from pbem.timestamps import stamp

_LINE = 75
"""Octets of a line, without its end (RFC 5545, 3.1)."""

_SPAN = timedelta(minutes=30)


class CalendarEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One deadline: its permanent `uid`, `due` (aware), title, number of changes, time of writing, the sender."""

    uid: str
    due: datetime
    summary: str
    sequence: int = 0
    written: datetime
    organizer: str = ""
    cancelled: bool = False


def calendar(event: CalendarEvent, *more: CalendarEvent) -> str:
    """Return events, all published or all cancelled, as a calendar with CRLF line ends."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//pbem//deadlines//EN",
        "CALSCALE:GREGORIAN",
        f"METHOD:{'CANCEL' if event.cancelled else 'PUBLISH'}",
        *(line for occurrence in (event, *more) for line in _event_lines(occurrence)),
        "END:VCALENDAR",
    ]
    return "".join(f"{folded(line)}\r\n" for line in lines)


def _event_lines(event: CalendarEvent) -> list[str]:
    alarm = [
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        f"DESCRIPTION:{_text(event.summary)}",
        "TRIGGER;RELATED=END:-PT12H",
        "END:VALARM",
    ]
    return [
        "BEGIN:VEVENT",
        f"UID:{_text(event.uid)}",
        f"DTSTAMP:{_utc(event.written)}",
        *([f"ORGANIZER:mailto:{_text(event.organizer)}"] if event.organizer else []),
        f"DTSTART:{_utc(event.due - _SPAN)}",
        f"DTEND:{_utc(event.due)}",
        f"SEQUENCE:{event.sequence}",
        f"SUMMARY:{_text(event.summary)}",
        f"STATUS:{'CANCELLED' if event.cancelled else 'CONFIRMED'}",
        "TRANSP:TRANSPARENT",
        *([] if event.cancelled else alarm),
        "END:VEVENT",
    ]


def folded(line: str) -> str:
    """Fold a content line into pieces of at most 75 octets, never within a character."""
    pieces, room, current = [], _LINE, ""
    for sign in line:
        size = len(sign.encode("utf-8"))
        if size > room:
            pieces.append(current)
            current, room = "", _LINE - 1  # the blank that marks a continuation counts
        current += sign
        room -= size
    return "\r\n ".join([*pieces, current])


def _text(value: str) -> str:
    """Return a TEXT value (3.3.11)."""
    out = value.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    out = out.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\\n")
    return "".join(sign for sign in out if sign >= " " or sign == "\t")


def _utc(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def attach(session: Session, seat: SeatInfo, email: OutboxEntry) -> None:
    """Add the seat's deadline to the email (`calendar`), and an entry that is void (`cancelled`)."""
    told, asked = seat.told.entry, _owed(session, seat)
    uid = _uid(session, seat, asked.q, email.sender) if asked is not None else ""
    if told is not None and told.on and told.uid != uid:
        told = _off(told)
        email.cancelled = _entry(session, seat, told, email)
    if asked is not None and asked.due is not None:
        sequence, due = asked.moved, asked.due
        if told is not None and told.uid == uid:
            sequence = told.sequence + (told.due != due or not told.on)
        told = SentEntry(uid, due, asked.q, sequence, on=True)
        email.calendar = _entry(session, seat, told, email)
    seat.told.entry = told


def take_back(session: Session, seat: SeatInfo, email: OutboxEntry) -> None:
    """Cancel the seat's entry in `email`, even if a question is open: its player leaves."""
    told, seat.told.entry = seat.told.entry, None
    if told is not None and told.on:
        email.cancelled = _entry(session, seat, _off(told), email)


def take_back_copy(session: Session, seat: SeatInfo, email: OutboxEntry) -> None:
    """Cancel the seat's entry in `email` to a former delegate; the seat keeps its own.

    The number is incremented, so that a later email is newer for the next delegate.
    """
    told = seat.told.entry
    if told is not None and told.on:
        off = _off(told)
        seat.told.entry = msgspec.structs.replace(off, on=True)
        email.cancelled = _entry(session, seat, off, email)


def _off(told: SentEntry) -> SentEntry:
    """Return the entry as cancelled: one number higher, so that calendars update it."""
    return msgspec.structs.replace(told, on=False, sequence=told.sequence + 1)


def again(session: Session, seat: SeatInfo, home: str, at: datetime) -> CalendarEvent | None:
    """Return the seat's entry for a reminder from `home`; None if it was never sent one.

    It has the same number, so that calendars change nothing; if the deadline has moved since, it has the number that
    the next email will give it. Changes nothing.
    """
    told, asked = seat.told.entry, _owed(session, seat)
    if told is None or asked is None or not told.on or told.uid != _uid(session, seat, asked.q, home):
        return None
    due = asked.due
    if told.due != due:
        told = msgspec.structs.replace(told, due=due, sequence=told.sequence + 1)
    return _event(session, seat, told, home, at)


def _owed(session: Session, seat: SeatInfo) -> PendingInfo | None:
    if seat.id not in session.referee.waiting():
        return None
    q = session.referee.q
    return next(
        (pending for pending in session.save.pending if pending.seat == seat.id and pending.q == q and pending.due),
        None,
    )


def _uid(session: Session, seat: SeatInfo, q: int, home: str) -> str:
    save = session.save
    return f"{save.header.name}-{save.dice.epoch}-{q}-{seat.id}@{host_of(home)}"


def _entry(session: Session, seat: SeatInfo, told: SentEntry, email: OutboxEntry) -> str:
    assert email.at is not None  # set when it was written
    return calendar(_event(session, seat, told, email.sender, email.at))


def _event(session: Session, seat: SeatInfo, told: SentEntry, home: str, at: datetime) -> CalendarEvent:
    title = session.game.title.get(seat.language, session.game.title["en"])
    texts = messages("pbem.mail", seat.language) or messages("pbem.mail", "en")
    summary = texts["ical.summary"]
    for key, value in (("game", session.save.header.name), ("title", title), ("q", str(told.q))):
        summary = summary.replace(f"{{{key}:raw}}", value)
    return CalendarEvent(
        uid=told.uid,
        due=told.due,
        summary=summary,
        sequence=told.sequence,
        written=at,
        organizer=parse_address(home) or "",
        cancelled=not told.on,
    )


def write_departure_email(session: Session, seat: SeatInfo, at: datetime) -> None:
    """Put a last email to the player and the delegates of a seat into the outbox."""
    if not seat.addresses or not seat.told.letters:
        return
    for delegate in seat.delegates:
        email = _parting_email(session, seat, delegate.address, at, "departure", f"-{_mark(delegate.address, at)}")
        take_back_copy(session, seat, email)
    email = _parting_email(session, seat, seat.addresses[0], at, "departure")
    take_back(session, seat, email)


def write_delegation_end_email(session: Session, seat: SeatInfo, delegate: Delegate, at: datetime) -> None:
    """Put a last email to a delegate whose time is over into the outbox."""
    if not seat.addresses:
        return  # there were no emails
    mark = f"-{_mark(delegate.address, at)}"
    email = _parting_email(session, seat, delegate.address, at, "delegate.over", mark)
    take_back_copy(session, seat, email)


def _mark(to: str, at: datetime) -> str:
    return hashlib.sha256(f"{to} {stamp(at)}".encode()).hexdigest()[:8]


def _parting_email(session: Session, seat: SeatInfo, to: str, at: datetime, words: str, mark: str = "") -> OutboxEntry:
    """Put an email with the text `words` into the outbox. It belongs to no thread."""
    return separate_email(session, seat, to, at, words, f"farewell{seat.tenure}{mark}", "departure.subject")


def separate_email(
    session: Session, seat: SeatInfo, to: str, at: datetime, words: str, mark: str, subject: str, **args: str
) -> OutboxEntry:
    """Put an email that belongs to no thread into the outbox; `mark` identifies it among those about the seat."""
    save, reads = session.save, reader_of(session, seat)
    email = addressed(save, seat, [], "")
    # It doesn't go to the seat's player: whether it arrives says nothing about their address.
    email.id, email.of_play = f"other-{seat.id}.0000-{mark}", False
    email.at, email.to, email.thread = at, to, []
    secret = hmac.digest(code_key(save), f"farewell {email.id}".encode(), "sha256").hex()[:16]
    email.message_id = f"<{save.header.name}.{email.id}.{secret}@{host_of(email.sender)}>"
    text = reads.words(words, seat=reads.say.name(seat.id), game=save.header.name, **args)
    email.subject = reads.words(subject, game=save.header.name)
    email.body = as_text(text) + "\n"
    save.outbox.append(email)
    return email
