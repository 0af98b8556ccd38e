"""Games taken in side by side, in several processes: each game by one of them at a time, the mailbox read by one alone.

The run that reads the mailbox keeps quarantine, early letters and report; a worker opens a game, carries its letters
out, writes and delivers what is to be told, and hands back what came of it. So nothing depends on which was faster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pbem.jobs import spread
from pbem.post.inbox.outcomes import IngestReport
from pbem.post.inbox.values import Letter, Outcome
from pbem.post.inbox.way import Dealt
from pbem.save import Save

if TYPE_CHECKING:
    from pbem.post.inbox.intake import Intake


class Terms(msgspec.Struct, frozen=True):
    """What the runs of all workers have in common: `sent` is where the letters of before lie.

    `number` tells one round of work from the next.
    """

    saves: tuple[Path, ...]
    now: datetime
    sender: str
    home: Path
    sent: Path
    number: int


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


def take_in_all(shares: Iterable[Share], jobs: int) -> Iterator[Taken]:
    """Take in the shares, each by some worker; in their order."""
    yield from spread(take_in, shares, jobs=jobs)


def take_in(share: Share) -> Taken:
    """In a worker: take in the letters to one game, and tell its seats if no more will come."""
    run = _run(share.terms)
    path = run.index.path(share.game)
    return run.take_share(share, path)


@lru_cache(1)
def _run(terms: Terms) -> Intake:
    from pbem.post.inbox.intake import Intake

    return Intake(list(terms.saves), now=terms.now, sender=terms.sender, home=terms.home, sent=terms.sent)
