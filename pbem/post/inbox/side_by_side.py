"""What workers that take games in side by side are handed and hand back: each game is one worker's at a time.

The run that reads the mailbox keeps quarantine, early letters and report; a worker opens a game, carries its letters
out, writes and delivers what is to be told, and hands back what came of it. So nothing depends on which was faster.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec

from pbem.post.inbox.outcomes import IngestReport
from pbem.post.inbox.values import Letter, Outcome
from pbem.post.inbox.way import Dealt
from pbem.save import Save


class Terms(msgspec.Struct, frozen=True):
    """What the runs of all workers have in common: `sent` is where the letters of before lie.

    `number` tells one round of work from the next; with `receipts` each receipt is put into words.
    """

    saves: tuple[Path, ...]
    now: datetime
    sender: str
    home: Path
    sent: Path
    number: int
    receipts: bool = True


class Share(msgspec.Struct):
    """The letters to one game, for a worker; `early` are those that wait for their question.

    `last`: no more letters will come. `told`: its seats have been written to in this run, `opened`: it was opened.
    """

    terms: Terms
    game: str
    letters: list[Letter]
    early: list[Letter]
    last: bool
    told: bool
    opened: bool
    read: str


class Taken(msgspec.Struct):
    """What came of a share. `dealt` is what the quarantine must hear of; `early` are letters that wait further."""

    game: str
    dealt: list[Dealt]
    outcomes: list[tuple[int, Outcome]]
    early: list[Letter]
    report: IngestReport
    told: bool
    opened: bool
    header: Save
