"""The heartbeat: when mail was last read and cron last ran, so that our outages cost no player a turn.

It is the file `heartbeat.json` next to the saves, written atomically. A late beat leaves a gap; each game then stops
its clock for the length of the gap, once.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from pbem import atomic_files
from pbem.kernel.order_words import normalize_word
from pbem.save import Pause, Save
from pbem.timestamps import stamp

READ, TICK = "read", "tick"
NAME = "heartbeat.json"
_NOTED = timedelta(hours=2)
"""Shorter gaps are the normal rhythm of cron and aren't recorded."""

_KEPT = 50
_WEEK = timedelta(days=7)
_LEARNT = timedelta(days=2)
_SEVERAL = 2.5
_SLIP = timedelta(days=1)
"""A gap that ends further in the future was recorded by a wrong clock."""

FAR = _WEEK
"""A longer gap moves no deadline by itself: the moderator decides."""


class Gap(msgspec.Struct, frozen=True):
    """A time in which mail wasn't read or cron didn't run."""

    kind: str
    since: datetime
    until: datetime

    @property
    def length(self) -> timedelta:
        return self.until - self.since


class Heartbeat(msgspec.Struct):
    """The last successful reading of mail, the last tick (None: never), and the gaps before them.

    `games` says when all mail of a game was last processed; None: a file of an earlier version, `read` counts for all
    games. `since` is the first beat of all; None: a file of an earlier version, with a long history.
    """

    read: datetime | None = None
    tick: datetime | None = None
    gaps: list[Gap] = []
    games: dict[str, datetime] | None = None
    since: datetime | None = None

    def beat(self, kind: str, now: datetime) -> None:
        """Record that mail was read or cron ran, and the gap before it. Drops beats from the future."""
        self.read, self.tick = (at if at is None or at <= now else None for at in (self.read, self.tick))
        self.gaps = [gap for gap in self.gaps if gap.until <= now + _SLIP]
        last = getattr(self, kind)
        if self.read is self.tick is None:
            self.since = now
        if last and now - last >= _NOTED:
            kept = [gap for gap in self.gaps[:-_KEPT] if gap.length > FAR]
            self.gaps = [*kept, *self.gaps[-_KEPT:], Gap(kind, last, now)]
        setattr(self, kind, now)

    def patience(self, gap: Gap, hours: int) -> timedelta:
        """Return how long an outage must be: `hours`, or several of the usual intervals (a daily cron job)."""
        return max(timedelta(hours=hours), _SEVERAL * self.usual(gap))

    def usual(self, gap: Gap) -> timedelta:
        """Return the longest interval that makes up a quarter of the week before a gap (one alone: half), or none."""
        begin = max(gap.since - _WEEK, self.since or gap.since - _WEEK)
        before = [known for known in self.gaps if known.kind == gap.kind and begin <= known.since < gap.since]
        lengths = sorted((known.length for known in before if known.length <= FAR), reverse=True)
        covered, window = timedelta(), max(gap.since - begin, _LEARNT)
        for count, length in enumerate(lengths, 1):
            covered += length
            if covered * (2 if count == 1 and window > _LEARNT else 4) >= window:
                return length
        return timedelta()

    def down(self, now: datetime, hours: int) -> datetime | None:
        """Return since when mail hasn't been read, if that is an outage of `hours`; else None."""
        if self.read is None:
            return None
        gap = Gap(READ, self.read, now)
        return self.read if gap.length > self.patience(gap, hours) else None

    def silent(self, now: datetime, hours: int) -> int:
        """Return for how many hours nothing has run, if that is an outage of `hours`; else 0."""
        if self.tick is None:
            return 0
        gap = Gap(TICK, self.tick, now)
        return int(gap.length / timedelta(hours=1)) if gap.length > self.patience(gap, hours) else 0

    def read_of(self, game: str) -> datetime | None:
        return self.read if self.games is None else self.games.get(normalize_word(game))

    def read_since(self, at: datetime, game: str) -> bool:
        """Check whether mail of a game was read at or after `at`: else an email in time may still be unread."""
        read = self.read_of(game)
        return read is not None and read >= at

    def read_mail(self, now: datetime, games: Iterable[str]) -> None:
        """Record that mail was read, and for which games all of it was processed."""
        before = self.games if self.games is not None else {}
        self.beat(READ, now)
        kept = {game: at for game, at in before.items() if at <= now}
        self.games = {**kept, **dict.fromkeys(map(normalize_word, games), now)}


def load(folder: Path) -> Heartbeat:
    """Read a folder's heartbeat; instead of a damaged file its last change counts as a beat. Raises OSError."""
    path = folder / NAME
    try:
        last = datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
    except FileNotFoundError:
        return Heartbeat()
    raw = atomic_files.load(path, dict[str, Any])
    if raw is not None:
        # Earlier versions wrote "" for never.
        known = {key: value for key, value in raw.items() if value != ""}
        try:
            return msgspec.convert(known, Heartbeat)
        except msgspec.ValidationError:
            atomic_files.put_aside(path)
    heart = Heartbeat(last, last, games={}, since=last)
    store(folder, heart)
    return heart


def store(folder: Path, heart: Heartbeat) -> None:
    """Write the heartbeat atomically."""
    atomic_files.store(folder / NAME, heart)


def record_heartbeat(folder: Path, kind: str, now: datetime) -> Heartbeat:
    """Load the heartbeat, record a beat and store it."""
    heart = load(folder)
    heart.beat(kind, now)
    store(folder, heart)
    return heart


# Apply gaps of the heartbeat to a game: its clock stops for their length. Idempotent.

REASON = "outage"


def unapplied(save: Save, heart: Heartbeat) -> list[Gap]:
    """Return the gaps for which a game hasn't stopped its clock: long enough, and with a question open.

    The moderator's pauses are subtracted: the clock was stopped anyway.
    """
    known = {pause.id for pause in save.clock.pauses}
    asked = min((pending.since for pending in save.pending if pending.since), default=None)
    return [
        gap
        for gap in heart.gaps
        if asked is not None and gap.until > asked and pause_id(gap) not in known and _is_long(save, heart, gap)
    ]


def harmless(save: Save, heart: Heartbeat, since: datetime) -> list[Gap]:
    """Return the outages that have ended after `since` and that stopped no clock: all that was open was answered."""
    stopped = [pause for pause in save.clock.pauses if pause.reason == REASON]
    return [
        gap
        for gap in heart.gaps
        if gap.until > since
        and gap.since >= save.header.created
        and not any(pause.since < gap.until and (pause.until or gap.until) > gap.since for pause in stopped)
        and _is_long(save, heart, gap)
    ]


def _is_long(save: Save, heart: Heartbeat, gap: Gap) -> bool:
    return _counted(save, gap) > heart.patience(gap, save.clock.outage)


def _counted(save: Save, gap: Gap) -> timedelta:
    """Return how much of a gap the game's clock would have run."""
    left = gap.length
    for pause in save.clock.pauses:
        if pause.reason != REASON:
            left -= max(timedelta(), min(pause.until or gap.until, gap.until) - max(pause.since, gap.since))
    return left


def pause_for_gaps(save: Save, gaps: list[Gap]) -> None:
    """Stop the clock of a game for `gaps`; time in overlapping gaps counts once.

    After a gap of weeks the clock stays stopped until the moderator starts it: perhaps only our own clock was wrong.
    """
    for gap in gaps:
        until = gap.until if gap.length <= FAR else None
        save.clock.pauses.append(Pause(pause_id(gap), gap.since, until, REASON))


def mistaken(save: Save, heart: Heartbeat) -> list[Pause]:
    """Return pauses for gaps of weeks that never happened: the clock that recorded them is right again."""
    known = {pause_id(gap) for gap in heart.gaps}
    return [
        pause for pause in save.clock.pauses if pause.reason == REASON and pause.until is None and pause.id not in known
    ]


def pause_id(gap: Gap) -> str:
    """Return an id by which the same gap is recognised."""
    return f"{REASON}-{gap.kind}-{stamp(gap.since)}"
