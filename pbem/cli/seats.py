"""Seats as they are named on the command line."""

from __future__ import annotations

from pbem.cli.console import Stop
from pbem.cli.exits import Exit
from pbem.save import Save


def seat_id(save: Save, name: str, *also: str) -> str:
    """The id of a seat, however it is spelled. `also` are other words that may stand there. Raises `Stop`."""
    from pbem.kernel.words import fold

    known = [*(seat.id for seat in save.seats), *also]
    if fold(name) not in known:
        raise Stop(f"no seat '{name}'", Exit.USAGE, hint=f"seats: {', '.join(known)}")
    return fold(name)
