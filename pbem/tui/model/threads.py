"""Press sorted by partner."""

from __future__ import annotations

from pbem.kernel.questions import MODERATOR
from pbem.tui.model.seat_desk import Press, SeatDesk

ALL = "all"
"""The partner that stands for everybody."""


def partners(desk: SeatDesk, me: str) -> list[str]:
    """With whom one can talk: everybody, then each other seat, then the moderator if he has written."""
    others = [seat for seat in desk.seats if seat != me]
    wrote = [MODERATOR] if any(press.seat == MODERATOR for press in desk.press) and me != MODERATOR else []
    return [ALL, *others, *wrote]


def thread(desk: SeatDesk, me: str, partner: str) -> list[Press]:
    """What was written between me and a partner, oldest first; the moderator reads all that the partner has part in."""
    if partner == ALL:
        return [press for press in desk.press if not press.to]
    if not me:
        return [press for press in desk.press if press.to and partner in (press.seat, *press.to)]
    return [
        press
        for press in desk.press
        if (press.seat == partner and me in press.to) or (press.seat == me and partner in press.to)
    ]
