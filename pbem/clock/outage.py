"""Gaps in the heartbeat, applied to a game: its clock stands for as long as we did. Idempotent."""

from __future__ import annotations

from datetime import timedelta

from pbem.clock.heartbeat import Gap, Heartbeat
from pbem.moments import stamp
from pbem.save import Pause, Save

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
