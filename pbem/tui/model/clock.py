"""Time left, in words. The clock is a parameter, so tests and screenshots can stop it."""

from __future__ import annotations

from datetime import datetime

from pbem.report.messages import Catalogue
from pbem.report.times import when
from pbem.tui.model.messages import ScreenMessages


def countdown(due: datetime | None, now: datetime, words: ScreenMessages) -> str:
    """Return the time left until `due` as `2d 04:05`; "" without a deadline."""
    if due is None:
        return ""
    left = int((due - now).total_seconds())
    if left < 0:
        return words("time.past")
    days, rest = divmod(left, 86400)
    clock = f"{rest // 3600:02d}:{rest % 3600 // 60:02d}"
    return words("time.days", days=days, clock=clock) if days else words("time.left", clock=clock)


def until(due: datetime, now: datetime, zone: str, say: Catalogue, words: ScreenMessages) -> str:
    """Return the deadline in the reader's zone, and the time left."""
    left = countdown(due, now, words)
    key = "questions.late" if due < now else "questions.due"
    return words(key, at=local(due, zone, say), left=left)


def until_or_left(due: datetime, now: datetime, zone: str, say: Catalogue, words: ScreenMessages) -> tuple[str, ...]:
    """Return the text of `until`, then shorter ones for a narrow line."""
    if due < now:
        return until(due, now, zone, say, words), words("time.past")
    left = countdown(due, now, words)
    at = local(due, zone, say).partition(" (")[0]  # without the name of the zone
    return (
        until(due, now, zone, say, words),
        words("questions.due", at=at, left=left),
        words("status.left", left=left),
    )


def local(at: datetime | None, zone: str, say: Catalogue) -> str:
    """Return a time in the reader's zone; "" for none."""
    return when(at, zone, say) if at is not None else ""
