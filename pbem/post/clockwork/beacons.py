"""The round of the day of a public beacon goes into the dice of the games that name one (`pbem.clock.beacon`)."""

from __future__ import annotations

import msgspec

from pbem.moments import stamp
from pbem.post.clockwork.due import beacon_round
from pbem.post.clockwork.run import Run
from pbem.save import Save, Session


def is_here(run: Run, save: Save) -> bool:
    """Whether that round has been handed in; if it is missing, the moderator is told."""
    wanted = beacon_round(save, run.now)
    if wanted and wanted not in run.rounds:
        day = run.now.date().isoformat()
        run.done.moderator.append(f"{save.header.name}: round {wanted} of the beacon, for {day}, is missing")
    return wanted in run.rounds


def take_in(run: Run, session: Session) -> bool:
    """Enter the round of the day; False if there is none to enter."""
    save = session.save
    wanted = beacon_round(save, run.now)
    if wanted not in run.rounds:
        return False
    value = {"beacon": save.post.beacon, **msgspec.to_builtins(run.rounds[wanted])}
    session.referee.enter_beacon(value, stamp(run.now))
    save.dice.beacon = wanted
    return True
