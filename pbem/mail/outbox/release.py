"""Release of emails with news: at once, some hours later, or after the moderator has looked at them.

A receipt without news is never held back: its writer needs to know that the email arrived. Nobody loses time: while
emails with a question wait for the moderator, the time of the question doesn't run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from pbem.report.times import zone_of
from pbem.save import OutboxEntry, Save, SeatInfo

DIGEST = "digest"
HOUR = 7
"""The default hour of a digest."""


def is_due(seat: SeatInfo, now: datetime) -> bool:
    """Return whether the hour of a seat's digest has come since the last one."""
    if not seat.letters.startswith(DIGEST) or not seat.told.digest:
        return False
    return seat.told.digest < last_hour(seat, now)


def settle(seat: SeatInfo, now: datetime, *, told: bool) -> None:
    """Record up to which hour a seat's news is sent; a seat that has just asked for digests begins now.

    A run in which it is not `told` any news changes nothing: the run may be due to another seat's secret email.
    """
    if not seat.letters.startswith(DIGEST):
        seat.told.digest = None
    elif not seat.told.digest or (told and is_due(seat, now)):
        seat.told.digest = last_hour(seat, now)


def last_hour(seat: SeatInfo, now: datetime) -> datetime:
    """Return the last time of that hour in the seat's zone."""
    word = seat.letters.partition(" ")[2]
    hour = int(word) if word.isdigit() and int(word) < 24 else HOUR
    local = now.astimezone(zone_of(seat.zone))
    struck = local.replace(hour=hour, minute=0, second=0, microsecond=0)
    return struck if struck <= local else struck - timedelta(days=1)


def hold_email(save: Save, emails: Iterable[OutboxEntry], now: datetime) -> None:
    """Hold back new emails as the game's settings say."""
    hours = save.post.release
    for email in emails:
        if hours and email.news:
            email.held = True
            email.held_until = now + timedelta(hours=hours) if hours > 0 else None


def held_back(email: OutboxEntry, now: datetime) -> bool:
    """Return whether an email must not be sent yet."""
    return email.held and (email.held_until is None or email.held_until > now)


def is_held(save: Save) -> bool:
    """Return whether emails with the open question, or with the end, are held back: all other notices wait for them.

    Other emails that are held back, such as relayed press, delay nothing.
    """
    return any(email.held and (save.header.over or email.asks == save.header.q) for email in save.outbox)


def note_release(save: Save, kept: Sequence[OutboxEntry]) -> None:
    """Record in the header when the next held email is due, and that a question isn't asked, for the tick."""
    times = [email.held_until for email in kept if email.held_until is not None]
    save.header.release_at = min(times, default=None)
    save.header.unasked = any(email.held_until is None and email.asks == save.header.q for email in kept)


def held(save: Save) -> list[OutboxEntry]:
    """Return the emails that are held back in a save."""
    return [email for email in save.outbox if email.held]


def release(save: Save, seat: str = "") -> int:
    """Release the emails that are held back (of one seat, or all) for the next run; return how many."""
    copies = [copy for copy in held(save) if seat in ("", copy.seat)]
    for email in copies:
        email.held, email.held_until = False, None
    note_release(save, held(save))
    if copies:
        save.header.unsent = True
    return len(copies)
