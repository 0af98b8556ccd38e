"""Games taken in side by side: what workers are handed and hand back. Each game is one worker's at a time.

The run that reads the mailbox keeps quarantine, early letters and report; a worker opens a game, carries its letters
out, writes and delivers what is to be told, and hands back what came of it. While workers are at one round of letters
the run reads the next; what came of a round is noted when it is over, in the order of the games. So nothing depends on
which was faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path

import msgspec

import games
from pbem.jobs import Crew
from pbem.post.clockwork.due import to_tell
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

    now: datetime
    sender: str
    home: Path
    sent: Path
    number: int = 0
    receipts: bool = True


class Share(msgspec.Struct):
    """The letters to one game with this header, for a worker; `early` are those that wait for their question.

    `last`: no more letters will come. `told`: its seats have been written to in this run, `opened`: it was opened.
    """

    terms: Terms
    game: str
    header: Save
    letters: list[Letter]
    early: list[Letter]
    last: bool
    told: bool
    opened: bool
    read: datetime | None


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


class SideBySide:
    """Rounds of letters to several games: `begin` hands a round to the workers, `end` notes what came of it."""

    def __init__(self, taking: Taking, terms: Terms, jobs: int) -> None:
        self.crew: Crew[Share, Taken] = Crew(take_in, jobs, partial(_enter, taking.index))
        self._taking = taking
        self._terms = terms
        self._letters: Mapping[str, list[Letter]] = {}

    def expect(self, game: str) -> None:
        """A letter to this game was read: workers begin with its rules while the run reads the rest of the round."""
        header = self._taking.index.headers[game].header
        self.crew.start(partial(_read_rules, header.game))

    def begin(self, letters: Mapping[str, list[Letter]], *, last: bool) -> None:
        """Give out the letters of a round; the `last` also tells the seats of every game."""
        self.end()
        number = self._terms.number + 1
        self._terms = msgspec.structs.replace(self._terms, number=number, receipts=self._taking.receipts)
        self._letters = letters
        for share in self._shares(letters, last=last):
            self.crew.give(share)

    def end(self) -> None:
        """Wait for the round under way, and note what came of it, in the order of the games."""
        into = self._taking
        while len(self.crew):
            taken = self.crew.take()
            path = into.index.paths[taken.game]
            into.told |= {path} if taken.told else set()
            into.games.ever |= {path} if taken.opened else set()
            into.index.know(taken.header)
            for dealt in taken.dealt:
                into.settle(dealt)
            into.early.letters += taken.early
            into.tally.outcomes += taken.outcomes
            into.tally.report.add(taken.report)
            into.tally.count(len(self._letters.get(taken.game, ())))
        self._letters = {}

    def _shares(self, letters: Mapping[str, list[Letter]], *, last: bool) -> Iterator[Share]:
        into = self._taking
        for game, path in into.index.paths.items():
            mine, early = letters.get(game, []), into.early.of(game) if last else []
            opened, told = path in into.games.ever, path in into.told
            untold = last and (opened or to_tell(into.index.headers[game], self._terms.now))
            if mine or early or untold:
                header = header_of(into.index.headers[game])
                yield Share(self._terms, game, header, mine, early, last, told, opened, into.delivery.read)


def take_in(share: Share) -> Taken:
    """In a worker: take in the letters to one game, and tell its seats if no more will come."""
    taking, dealt = _of_round(share.terms), list[Dealt]()
    path = taking.index.path(share.game)
    taking.index.know(share.header)
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


_saves: list[SaveIndex] = []
"""In a worker: which saves there are. Their headers are those of when it began, so a share brings its own."""


def _enter(index: SaveIndex) -> None:
    _saves[:] = [index]


def _read_rules(slug: str) -> None:
    games.load(slug)


@lru_cache(1)
def _of_round(terms: Terms) -> Taking:
    """What a worker keeps from one share of a round to the next."""
    taking = Taking(
        _saves[-1], terms.home, Tally(IngestReport()), list[Dealt]().append,
        game=games.load, now=terms.now, sender=terms.sender, sent=terms.sent,
    )  # fmt: skip
    taking.receipts = terms.receipts
    return taking
