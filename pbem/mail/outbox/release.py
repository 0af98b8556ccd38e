"""When letters with news go out: at once, some hours later, or when the moderator has looked at them.

A receipt without news is never held: its writer must know that he was heard. Nobody loses time by it: while letters
that put a question wait for the moderator, its time does not run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from pbem.report.times import zone_of
from pbem.save import OutboxEntry, Save, SeatInfo

# The digest: a seat that wants it (`letters digest 7`) is told what is new once a day, at that hour of its own zone.

DIGEST = "digest"
HOUR = 7
"""The hour of a digest if none is said."""


def is_due(seat: SeatInfo, now: datetime) -> bool:
    """Whether the hour of a seat's digest has come since the last one."""
    if not seat.letters.startswith(DIGEST) or not seat.told.digest:
        return False
    return seat.told.digest < last_hour(seat, now)


def settle(seat: SeatInfo, now: datetime) -> None:
    """Note up to which hour a seat's news is settled; for a seat that has just asked for digests, from now on."""
    if not seat.letters.startswith(DIGEST):
        seat.told.digest = None
    elif not seat.told.digest or is_due(seat, now):
        seat.told.digest = last_hour(seat, now)


def last_hour(seat: SeatInfo, now: datetime) -> datetime:
    """When that hour last struck in the seat's zone."""
    word = seat.letters.partition(" ")[2]
    hour = int(word) if word.isdigit() and int(word) < 24 else HOUR
    local = now.astimezone(zone_of(seat.zone))
    struck = local.replace(hour=hour, minute=0, second=0, microsecond=0)
    return struck if struck <= local else struck - timedelta(days=1)


def hold_email(save: Save, letters: Iterable[OutboxEntry], now: datetime) -> None:
    """Hold the letters just written as the game's policy says."""
    hours = save.post.release
    for letter in letters:
        if hours and letter.news:
            letter.held = True
            letter.held_until = now + timedelta(hours=hours) if hours > 0 else None


def held_back(letter: OutboxEntry, now: datetime) -> bool:
    """Whether a letter must not go out yet."""
    return letter.held and (letter.held_until is None or letter.held_until > now)


def is_held(save: Save) -> bool:
    """Whether letters that put the open question, or tell of the end, are held: nobody else is told before them.

    Other letters that are held, relayed press for instance, delay nothing.
    """
    return any(letter.held and (save.header.over or letter.asks == save.header.q) for letter in save.outbox)


def note_release(save: Save, kept: Sequence[OutboxEntry]) -> None:
    """Note in the header when the next held letter is due, and that a question is not put, so that a tick sees it."""
    times = [letter.held_until for letter in kept if letter.held_until is not None]
    save.header.release_at = min(times, default=None)
    save.header.unasked = any(letter.held_until is None and letter.asks == save.header.q for letter in kept)


def held(save: Save) -> list[OutboxEntry]:
    """The letters held in a save."""
    return [letter for letter in save.outbox if letter.held]


def release(save: Save, seat: str = "") -> int:
    """Let the letters that are held go with the next run (of one seat, or all); returns how many."""
    found = [copy for copy in held(save) if seat in ("", copy.seat)]
    for letter in found:
        letter.held, letter.held_until = False, None
    note_release(save, held(save))
    if found:
        save.header.unsent = True
    return len(found)
