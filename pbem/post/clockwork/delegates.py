"""Delegates, who play for a seat for a while: when their time is over, the seat goes back by itself."""

from __future__ import annotations

from datetime import datetime

from pbem.clock.policy import moment, stamp
from pbem.post.clockwork.run import Run
from pbem.post.outbox.drafts import add_words
from pbem.post.outbox.farewell import farewell_delegate
from pbem.save import Delegate, Save, SeatInfo, Session


def leave(save: Save, now: datetime) -> bool:
    """Whether somebody's time is over."""
    return any(_over(seat, now) for seat in save.seats)


def take_leave(run: Run, session: Session) -> bool:
    """Take leave of those whose time is over, and tell their seats; False if there are none."""
    at, some = stamp(run.now), False
    for seat in session.save.seats:
        over = _over(seat, run.now)
        if over:
            for delegate in over:
                farewell_delegate(session, seat, delegate, at)
            seat.delegates = [delegate for delegate in seat.delegates if delegate not in over]
            add_words(session, seat, "delegate.ended", f"delegate.{over[0].until}", at)
            some = True
    return some


def _over(seat: SeatInfo, now: datetime) -> list[Delegate]:
    return [delegate for delegate in seat.delegates if delegate.until and moment(delegate.until) <= now]
