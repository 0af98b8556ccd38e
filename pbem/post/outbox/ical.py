"""A deadline as an iCalendar event, for the player's own calendar.

The same deadline is the same event (`UID`); when it is put off, its `SEQUENCE` grows and the calendar moves it; when
nothing is owed any more it is cancelled. Sources: RFC 5545 (format), 5546 (PUBLISH, CANCEL).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

_LINE = 75
"""Octets of a line, without its end (RFC 5545, 3.1)."""

_SPAN = timedelta(minutes=30)


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One deadline: `uid` for good, `due` (aware), its title, how often it was changed, when this was written.

    `organizer` is the address it comes from; `cancelled`: it is no more.
    """

    uid: str
    due: datetime
    summary: str
    description: str = ""
    sequence: int = 0
    written: datetime
    organizer: str = ""
    cancelled: bool = False


def calendar(event: Event, *more: Event) -> str:
    """The events, all to be published or all cancelled, as a calendar; lines end in CRLF, events at their deadlines."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//pbem//deadlines//EN",
        "CALSCALE:GREGORIAN",
        f"METHOD:{method(event)}",
        *(line for occurrence in (event, *more) for line in _event(occurrence)),
        "END:VCALENDAR",
    ]
    return "".join(f"{folded(line)}\r\n" for line in lines)


def _event(event: Event) -> list[str]:
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
        *([f"DESCRIPTION:{_text(event.description)}"] if event.description else []),
        f"STATUS:{'CANCELLED' if event.cancelled else 'CONFIRMED'}",
        "TRANSP:TRANSPARENT",
        *([] if event.cancelled else alarm),
        "END:VEVENT",
    ]


def method(event: Event) -> str:
    """What a calendar is to do with it."""
    return "CANCEL" if event.cancelled else "PUBLISH"


def folded(line: str) -> str:
    """A content line in pieces of at most 75 octets, never cut within a character."""
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
    """A TEXT value (3.3.11)."""
    out = value.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    out = out.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\\n")
    return "".join(sign for sign in out if sign >= " " or sign == "\t")


def _utc(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
