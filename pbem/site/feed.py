"""The Atom feed of a game (RFC 4287), and its deadline as a calendar.

An entry holds what was new when it was published; its time is that of the publication, since no other time is
public.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from pbem.lazy_regex import escape
from pbem.mail.outbox.calendar import CalendarEvent, calendar
from pbem.report.html import listed
from pbem.site.html_parts import PageMessages

ENTRIES = 30
"""How many entries a feed keeps."""

EMPTY = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//pbem//deadlines//EN\r\nEND:VCALENDAR\r\n"
"""A calendar without a deadline."""


class FeedEntry(msgspec.Struct):
    """News by language: `key` identifies the state of the game, `at` is the time of publication."""

    key: str
    at: str
    title: dict[str, str]
    lines: dict[str, list[str]]


def atom(name: str, title: str, entries: Sequence[FeedEntry], words: PageMessages) -> str:
    """Return a feed, newest entry first. Ids don't depend on the address of the site."""
    language = words.language
    shown = "".join(
        f"<entry><id>urn:pbem:{name}:{language}:{entry.key}</id><title>{escape(entry.title[language])}</title>"
        f'<updated>{entry.at}</updated><link rel="alternate" href="index.html"/>'
        f'<content type="html">{escape(listed(entry.lines[language]))}</content></entry>\n'
        for entry in reversed(entries)
    )
    updated = entries[-1].at if entries else "1970-01-01T00:00:00Z"
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{language}">\n'
        f"<id>urn:pbem:{name}:{language}</id><title>{escape(title)}</title><updated>{updated}</updated>"
        f"<author><name>pbem</name></author>"
        f'<link rel="self" href="feed.xml"/><link rel="alternate" href="index.html"/>\n{shown}</feed>\n'
    )


def deadlines(dues: Sequence[tuple[str, str, str]], first: datetime) -> str:
    """Return a calendar of deadlines `(name, title, due)`, all dated `first`; "" if there are none."""
    events = [
        CalendarEvent(
            uid=f"{name}-{due}@pbem", due=datetime.fromisoformat(due), summary=f"{title} ({name})", written=first
        )
        for name, title, due in dues
        if due
    ]
    return calendar(events[0], *events[1:]) if events else ""
