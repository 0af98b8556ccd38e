"""Press sorted by partner."""

from __future__ import annotations

from pbem.kernel.questions import MODERATOR
from pbem.tui.model.seat_desk import Press, SeatDesk

ALL = "all"
"""The partner that stands for everybody."""


def partners(desk: SeatDesk, me: str) -> list[str]:
    """With whom one can talk: everybody, then each other seat, then the moderator if he has written."""
    others = [seat for seat in desk.seats if seat != me]
    wrote = [MODERATOR] if any(one.seat == MODERATOR for one in desk.press) and me != MODERATOR else []
    return [ALL, *others, *wrote]


def thread(desk: SeatDesk, me: str, partner: str) -> list[Press]:
    """What was written between me and a partner, oldest first; the moderator reads all that the partner has part in."""
    if partner == ALL:
        return [one for one in desk.press if not one.to]
    if not me:
        return [one for one in desk.press if one.to and partner in (one.seat, *one.to)]
    return [
        one
        for one in desk.press
        if (one.seat == partner and me in one.to) or (one.seat == me and partner in one.to)
    ]
