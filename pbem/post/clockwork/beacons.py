"""The round of the day of a public beacon goes into the dice of the games that name one (`pbem.clock.beacon`)."""

from __future__ import annotations

import msgspec

from pbem.clock.beacon import beacon_of
from pbem.clock.policy import stamp
from pbem.post.clockwork.run import Run
from pbem.save import Save, Session


def due(run: Run, save: Save) -> int:
    """The round that this game is to take in now; 0 if there is none, or it has it."""
    if not save.post.beacon or save.header.over:
        return 0
    named = beacon_of(save.post.beacon).named(run.now.date())
    return named if named > save.dice.beacon else 0


def is_here(run: Run, save: Save) -> bool:
    """Whether that round has been handed in; if it is missing, the moderator is told."""
    wanted = due(run, save)
    if wanted and wanted not in run.rounds:
        day = run.now.date().isoformat()
        run.done.moderator.append(f"{save.header.name}: round {wanted} of the beacon, for {day}, is missing")
    return wanted in run.rounds


def take_in(run: Run, session: Session) -> bool:
    """Enter the round of the day; False if there is none to enter."""
    save = session.save
    wanted = due(run, save)
    if wanted not in run.rounds:
        return False
    value = {"beacon": save.post.beacon, **msgspec.to_builtins(run.rounds[wanted])}
    session.referee.enter_beacon(value, stamp(run.now))
    save.dice.beacon = wanted
    return True
