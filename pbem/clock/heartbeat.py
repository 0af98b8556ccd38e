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

from pbem import small_files
from pbem.kernel.words import fold
from pbem.moments import stamp
from pbem.save import Pause, Save

READ, TICK = "read", "tick"
NAME = "heartbeat.json"
_NOTED = timedelta(hours=2)
"""Gaps shorter than this are cron's ordinary rhythm and are not written down."""

_KEPT = 50


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
    """

    read: datetime | None = None
    tick: datetime | None = None
    gaps: list[Gap] = []
    games: dict[str, datetime] | None = None

    def beat(self, kind: str, now: datetime) -> None:
        """Note that mail was read or cron ran, and the gap before it."""
        last = getattr(self, kind)
        if last and last > now:
            return  # a clock that went back proves nothing
        if last and now - last >= _NOTED:
            self.gaps = [*self.gaps, Gap(kind, last, now)][-_KEPT:]
        setattr(self, kind, now)

    def down(self, now: datetime, hours: int) -> datetime | None:
        """Since when mail has not been read for longer than `hours`; None if all is well."""
        if self.read is None or now - self.read <= timedelta(hours=hours):
            return None
        return self.read

    def read_of(self, game: str) -> datetime | None:
        """When all mail to a game was last read."""
        return self.read if self.games is None else self.games.get(fold(game))

    def read_since(self, at: datetime, game: str) -> bool:
        """Whether mail to a game was read at or after `at`: only then can nobody's letter in time have been missed."""
        read = self.read_of(game)
        return read is not None and read >= at

    def read_mail(self, now: datetime, games: Iterable[str]) -> None:
        """Note that mail was read, and of which games all was taken in."""
        before = self.games if self.games is not None else {}
        self.beat(READ, now)
        kept = {game: at for game, at in before.items() if at <= now}
        self.games = {**kept, **dict.fromkeys(map(fold, games), now)}


def load(folder: Path) -> Heartbeat:
    """The heartbeat of a folder of saves; an empty one if there is none. Raises OSError if it cannot be read."""
    raw = small_files.load(folder / NAME, dict[str, Any]) or {}
    # Earlier versions wrote "" for never.
    known = {key: value for key, value in raw.items() if value != ""}
    try:
        return msgspec.convert(known, Heartbeat)
    except msgspec.ValidationError as error:
        raise small_files.damaged(folder / NAME, error) from None


def store(folder: Path, heart: Heartbeat) -> None:
    """Write it, whole or not at all."""
    small_files.store(folder / NAME, heart)


def beat(folder: Path, kind: str, now: datetime) -> Heartbeat:
    """Load, note, store."""
    heart = load(folder)
    heart.beat(kind, now)
    store(folder, heart)
    return heart


# Gaps in the heartbeat, applied to a game: its clock stands for as long as we did. Idempotent.

REASON = "outage"


def unapplied(save: Save, heart: Heartbeat) -> list[Gap]:
    """The gaps that a game has not let its clock stand for: long enough, and while one of its questions was open."""
    if not heart.gaps:
        return []
    known = {pause.id for pause in save.clock.pauses}
    least = timedelta(hours=save.clock.outage)
    asked = min((pending.since for pending in save.pending if pending.since), default=None)
    return [
        gap
        for gap in heart.gaps
        if gap.length > least and pause_id(gap) not in known and asked is not None and gap.until > asked
    ]


def stand_still(save: Save, gaps: list[Gap]) -> None:
    """Let the clock of a game stand for `gaps`; overlapping ones count once, as stretches of time do."""
    for gap in gaps:
        save.clock.pauses.append(Pause(pause_id(gap), gap.since, gap.until, REASON))


def pause_id(gap: Gap) -> str:
    """What makes a gap the same gap."""
    return f"{REASON}-{gap.kind}-{stamp(gap.since)}"
