"""Delegates, who play for a seat for a while: when their time is over, the seat goes back by itself."""

from __future__ import annotations

from pbem.post.clockwork.due import over
from pbem.post.clockwork.run import Run
from pbem.post.outbox.drafts import add_words
from pbem.post.outbox.farewell import farewell_delegate
from pbem.save import Session


def take_leave(run: Run, session: Session) -> bool:
    """Take leave of those whose time is over, and tell their seats; False if there are none."""
    at, some = run.now, False
    for seat in session.save.seats:
        gone = over(seat, run.now)
        if gone:
            for delegate in gone:
                farewell_delegate(session, seat, delegate, at)
            seat.delegates = [delegate for delegate in seat.delegates if delegate not in gone]
            add_words(session, seat, "delegate.ended", f"delegate.{gone[0].until}", at)
            some = True
    return some
