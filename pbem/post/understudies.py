"""Understudies at work: the seats that a bot plays answer as soon as they are asked."""

from __future__ import annotations

from pbem.bot import EFFORTS, Position, choose
from pbem.kernel.journal import BOT
from pbem.save import Session

MOST = 10_000
"""Answers in a row after which something is wrong."""


def answer_for(session: Session, at: str = "") -> int:
    """Answer for the seats that understudies play until only people are asked. Returns how many answers were given.

    Changes the session in memory only. They speak in the order of the seats, so that nobody learns who was quicker.
    """
    efforts = {seat.id: EFFORTS[seat.understudy] for seat in session.save.seats if seat.understudy}
    given = 0
    while efforts and given < MOST:
        referee = session.referee
        seat = next((one for one in referee.waiting() if one in efforts), None)
        if seat is None:
            break
        value = choose(Position.of(referee, session.last_mark()), seat, efforts[seat])
        referee.submit(seat, value, BOT, at)
        given += 1
    return given
