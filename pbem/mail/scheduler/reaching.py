"""Whether a question has reached all its seats: emails may still be in the outbox, or have bounced.

Until it has, its time doesn't run for any of them; who has answered plays no part in it. A bounced email is sent
again after a day, then after longer, and counts as arrived when a day has passed without another bounce.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.clock.policy import announce
from pbem.mail.transport.bounces import Bounce, Bounces, attempts
from pbem.save import PendingInfo, Save
from pbem.timestamps import stamp

if TYPE_CHECKING:
    from pbem.save import Session

AGAIN, _LONGEST = timedelta(days=1), timedelta(days=7)
_NOTED = timedelta(hours=1)
"""Shorter delays aren't announced."""

UNASKED = -1
"""`told_q` of a seat that is to be asked again."""


class Reach:
    """The outbox of a folder, and which of its emails have bounced or were put off. Raises `OSError`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.lying: frozenset[str] = frozenset()
        with suppress(FileNotFoundError):
            self.lying = frozenset(path.name for path in (home / "outbox" / "new").iterdir())
        self.bounces = Bounces(home)
        self.rows = self.bounces.listed()
        self.tries = {name: tried for name, tried in attempts(home).items() if name in self.lying}
        self.back = {row.name: row for row in self.rows if row.did == "back" and row.name}

    def missing(self, save: Save, now: datetime) -> dict[str, str]:
        """Return the seats that the open question hasn't reached, with the reason ("": its email wasn't sent yet)."""
        if save.header.over:
            return {}
        reached = {seat.id for seat in save.seats if seat.addresses}
        found = {}
        for asked in save.pending:
            put = asked.put or asked.since
            # Files put there in this run are still to be sent by it.
            fresh = put is None or put >= now
            if asked.letter in self.back:
                found[asked.seat] = self.back[asked.letter].why
            elif (asked.letter in self.lying and not fresh) or (
                not asked.letter and save.header.unsent and asked.seat in reached and not fresh
            ):
                found[asked.seat] = ""
            elif asked.again is not None and now < asked.again + AGAIN:
                found[asked.seat] = next((row.why for row in reversed(self.rows) if _of(row, asked, save)), "")
        return found

    def due_again(self, save: Save, now: datetime) -> list[PendingInfo]:
        return [asked for asked in save.pending if asked.letter in self.back and self._again(save, asked) <= now]

    def _again(self, save: Save, asked: PendingInfo) -> datetime:
        since = asked.undelivered or asked.since
        tried = sum(
            row.did == "back" and _of(row, asked, save) and (since is None or row.at >= since) for row in self.rows
        )
        return self.back[asked.letter].at + min(AGAIN * (1 << min(max(tried - 1, 0), 5)), _LONGEST)

    def changes(self, save: Save, now: datetime) -> bool:
        """Return whether the time of the open question is to stop or start, or an email to be sent again."""
        missing, stands = self.missing(save, now), standing(save) is not None
        if missing and not stands:
            # An email that waits for the next run has a while; until then `missing` keeps the deadline from expiring.
            puts = [asked.put or asked.since or now for asked in save.pending if asked.seat in missing]
            return any(missing.values()) or now - min(puts) >= _NOTED
        return bool(missing) != stands or bool(self.due_again(save, now))


def _of(row: Bounce, asked: PendingInfo, save: Save) -> bool:
    return (row.game, row.seat) == (save.header.name, asked.seat)


def standing(save: Save) -> datetime | None:
    """Return since when the time of the open question is stopped because it hasn't reached all; None if it runs."""
    return min((asked.undelivered for asked in save.pending if asked.undelivered), default=None)


def settle(session: Session, reach: Reach, now: datetime) -> bool:
    """Stop or start the time of the open question; return False if nothing changes."""
    save = session.save
    if not reach.changes(save, now):
        return False
    if not reach.missing(save, now):
        _run_again(session, now)
        return True
    for asked in save.pending:
        asked.undelivered = asked.undelivered or asked.since or now
    for asked in reach.due_again(save, now):
        save.seat(asked.seat).told_q = UNASKED
        asked.letter, asked.again = "", now
    return True


def _run_again(session: Session, now: datetime) -> None:
    from pbem.mail.outbox.email_parts import add_message
    from pbem.mail.outbox.recipient import reader_of

    save, since = session.save, standing(session.save)
    before = {asked.q: asked.due for asked in save.pending}
    for asked in save.pending:
        asked.undelivered = asked.again = None
        asked.since = max(asked.since or now, now)
    announce(save)
    if since is None or now - since < _NOTED:
        return
    moved = [(asked.q, asked.due) for asked in save.pending if asked.due and asked.due != before[asked.q]]
    for seat in save.seats:
        when = reader_of(session, seat).when
        for q, due in dict.fromkeys(moved):
            args = {"q": str(q), "since": when(since), "until": when(now), "due": when(due)}
            add_message(session, seat, "undelivered", f"undelivered.{q}.{stamp(now)}", now, **args)
