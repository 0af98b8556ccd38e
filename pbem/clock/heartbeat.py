"""The heartbeat: when mail was last read and cron last ran, so that nobody loses a turn to an outage of ours.

One small file beside the saves, `heartbeat.json`. A beat that comes long after the last one leaves a gap in it; every
game then lets its clock stand for the length of the gap, once. Writing is atomic.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
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
"""Gaps shorter than this are cron's ordinary rhythm and are not written down."""

_KEPT = 50
_WEEK = timedelta(days=7)
_LEARNT = timedelta(days=2)
_SEVERAL = 2.5
_SLIP = timedelta(days=1)
"""A gap that ends further ahead than this was noted by a clock that was wrong."""

FAR = _WEEK
"""A gap longer than this moves no deadline by itself: the moderator is asked."""


class Gap(msgspec.Struct, frozen=True):
    """A time in which mail was not read or cron did not run."""

    kind: str
    since: datetime
    until: datetime

    @property
    def length(self) -> timedelta:
        """How long it lasted."""
        return self.until - self.since


class Heartbeat(msgspec.Struct):
    """The last successful reading of mail, the last tick (None if never), and the gaps before them.

    `games` says when all mail to a game was last taken in: some of it may be left over when mail is read (None: a file
    of earlier versions, `read` holds for all).
    `since` is the first beat of all (None: a file of earlier versions, which had beaten for long).
    """

    read: datetime | None = None
    tick: datetime | None = None
    gaps: list[Gap] = []
    games: dict[str, datetime] | None = None
    since: datetime | None = None

    def beat(self, kind: str, now: datetime) -> None:
        """Note that mail was read or cron ran, and the gap before it. Beats from the future are dropped."""
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
        """How long a gap must be to count as an outage: `hours`, or several of the usual intervals before it.

        Usual are intervals that make up a quarter of the week before, one alone half of it, so that who runs
        pbem once a day has no outage a day, and an outage of two days among runs every ten minutes is none of them.
        """
        least = timedelta(hours=hours)
        begin = max(gap.since - _WEEK, self.since or gap.since - _WEEK)
        before = [known for known in self.gaps if known.kind == gap.kind and begin <= known.since < gap.since]
        lengths = sorted((known.length for known in before if known.length <= FAR), reverse=True)
        covered, window = timedelta(), max(gap.since - begin, _LEARNT)
        for count, length in enumerate(lengths, 1):
            covered += length
            if covered * (2 if count == 1 and window > _LEARNT else 4) >= window:
                return max(least, _SEVERAL * length)
        return least

    def down(self, now: datetime, hours: int) -> datetime | None:
        """Since when mail has not been read for longer than an outage of `hours`; None if all is well."""
        if self.read is None:
            return None
        gap = Gap(READ, self.read, now)
        return self.read if gap.length > self.patience(gap, hours) else None

    def silent(self, now: datetime, hours: int) -> int:
        """For how many hours nothing has run, if that is longer than an outage of `hours`; else 0."""
        if self.tick is None:
            return 0
        gap = Gap(TICK, self.tick, now)
        return int(gap.length / timedelta(hours=1)) if gap.length > self.patience(gap, hours) else 0

    def read_of(self, game: str) -> datetime | None:
        """When all mail to a game was last read."""
        return self.read if self.games is None else self.games.get(normalize_word(game))

    def read_since(self, at: datetime, game: str) -> bool:
        """Whether mail to a game was read at or after `at`: only then can nobody's letter in time have been missed."""
        read = self.read_of(game)
        return read is not None and read >= at

    def read_mail(self, now: datetime, games: Iterable[str]) -> None:
        """Note that mail was read, and of which games all was taken in."""
        before = self.games if self.games is not None else {}
        self.beat(READ, now)
        kept = {game: at for game, at in before.items() if at <= now}
        self.games = {**kept, **dict.fromkeys(map(normalize_word, games), now)}


def load(folder: Path) -> Heartbeat:
    """The heartbeat of a folder of saves; an empty one if there is none. Raises OSError if it cannot be read."""
    raw = atomic_files.load(folder / NAME, dict[str, Any]) or {}
    # Earlier versions wrote "" for never.
    known = {key: value for key, value in raw.items() if value != ""}
    try:
        return msgspec.convert(known, Heartbeat)
    except msgspec.ValidationError as error:
        raise atomic_files.damaged(folder / NAME, error) from None


def store(folder: Path, heart: Heartbeat) -> None:
    """Write it, whole or not at all."""
    atomic_files.store(folder / NAME, heart)


def record_heartbeat(folder: Path, kind: str, now: datetime) -> Heartbeat:
    """Load, note, store."""
    heart = load(folder)
    heart.beat(kind, now)
    store(folder, heart)
    return heart


# Gaps in the heartbeat, applied to a game: its clock stands for as long as we did. Idempotent.

REASON = "outage"


def unapplied(save: Save, heart: Heartbeat) -> list[Gap]:
    """The gaps that a game has not let its clock stand for: long enough, and while one of its questions was open.

    What the moderator's pauses cover of a gap stood still anyhow.
    """
    if not heart.gaps:
        return []
    known = {pause.id for pause in save.clock.pauses}
    asked = min((pending.since for pending in save.pending if pending.since), default=None)
    return [
        gap
        for gap in heart.gaps
        if asked is not None
        and gap.until > asked
        and pause_id(gap) not in known
        and _counted(save, gap) > heart.patience(gap, save.clock.outage)
    ]


def _counted(save: Save, gap: Gap) -> timedelta:
    """How much of a gap the game's clock would have run."""
    left = gap.length
    for pause in save.clock.pauses:
        if pause.reason != REASON:
            left -= max(timedelta(), min(pause.until or gap.until, gap.until) - max(pause.since, gap.since))
    return left


def pause_for_gaps(save: Save, gaps: list[Gap]) -> None:
    """Let the clock of a game stand for `gaps`; overlapping ones count once, as stretches of time do.

    For one of weeks it stands until the moderator lets it go on: it may be that only our own clock was wrong.
    """
    for gap in gaps:
        until = gap.until if gap.length <= FAR else None
        save.clock.pauses.append(Pause(pause_id(gap), gap.since, until, REASON))


def mistaken(save: Save, heart: Heartbeat) -> list[Pause]:
    """Pauses for gaps of weeks that never were: the clock that noted them is right again."""
    known = {pause_id(gap) for gap in heart.gaps}
    return [
        pause
        for pause in save.clock.pauses
        if pause.reason == REASON and pause.until is None and pause.id not in known
    ]


def pause_id(gap: Gap) -> str:
    """What makes a gap the same gap."""
    return f"{REASON}-{gap.kind}-{stamp(gap.since)}"
