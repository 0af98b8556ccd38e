"""The moderator puts an understudy into a seat: at once, and told to everybody."""

from __future__ import annotations

from pbem.bot import EFFORTS
from pbem.post.moderator.actions import Author, DeedError, everybody, journal, tell
from pbem.post.outbox.reader import reader_of
from pbem.save import Deed, Session


def understudy(session: Session, author: Author, seat: str, effort: str) -> Deed:
    """An understudy plays the seat until its player writes again. Raises `DeedError`, KeyError for an unknown seat."""
    info = session.save.seat(seat)
    if effort not in EFFORTS:
        raise DeedError(f"no effort '{effort}'; efforts: {', '.join(EFFORTS)}")
    if info.understudy == effort:
        raise DeedError(f"an understudy plays {seat} already")
    info.understudy = effort
    deed = journal(session, author, "understudy", everybody(session), seat=seat, effort=effort)
    for one in session.save.seats:
        tell(session, deed, "understudy.takes", [one.id], who=reader_of(session, one).say.name(seat))
    return deed
