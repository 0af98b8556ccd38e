"""Games taken in side by side: what workers are handed and hand back. Each game is one worker's at a time.

The run that reads the mailbox keeps quarantine, early letters and report; a worker opens a game, carries its letters
out, writes and delivers what is to be told, and hands back what came of it. So nothing depends on which was faster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from pathlib import Path

import msgspec

import games
from pbem.jobs import spread
from pbem.post.inbox.gathering import Early
from pbem.post.inbox.outcomes import IngestReport
from pbem.post.inbox.taking import Taking
from pbem.post.inbox.tally import Tally
from pbem.post.inbox.values import Letter, Outcome
from pbem.post.inbox.way import Dealt
from pbem.post.kept_headers import header_of
from pbem.post.save_index import SaveIndex
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
    receipts: bool


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
    taking, dealt = _of_round(share.terms), list[Dealt]()
    path = taking.index.path(share.game)
    taking.tell(Tally(IngestReport()), dealt.append)
    taking.delivery.read = share.read
    taking.early = Early(list(share.early))
    taking.told = {path} if share.told else set()
    taking.games.ever = {path} if share.opened else set()
    if share.last:
        taking.finish(share.game, share.letters)
    else:
        taking.take_in(share.game, share.letters)
    return Taken(
        game=share.game,
        dealt=dealt,
        outcomes=taking.tally.outcomes,
        early=taking.early.letters,
        report=taking.tally.report,
        told=path in taking.told,
        opened=path in taking.games.ever,
        header=header_of(taking.index.headers[share.game]),
    )


@lru_cache(1)
def _of_round(terms: Terms) -> Taking:
    """What a worker keeps from one share of a round to the next."""
    taking = Taking(
        SaveIndex(list(terms.saves)), terms.home, Tally(IngestReport()), list[Dealt]().append,
        game=games.load, now=terms.now, sender=terms.sender, sent=terms.sent,
    )  # fmt: skip
    taking.receipts = terms.receipts
    return taking
