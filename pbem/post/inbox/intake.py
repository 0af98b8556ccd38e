"""One run of the intake: letters are gathered and taken in game by game; at the end everybody is told.

Letters are gathered up to a limit; those to one game, in their order, are one transaction on its save, so that a game
with many letters is stored once. A letter that fails costs no other. What all seats are told is written at the end of
the run, in the transaction that takes in the last letters. A run that died is simply run again: keys keep anything from
being done twice, and a mark in the save says that letters are still to be written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path

import msgspec

import games
from pbem.clock.policy import stamp
from pbem.jobs import spread
from pbem.kernel.words import fold
from pbem.post.clockwork.due import to_tell
from pbem.post.game_pool import GamePool, Transaction
from pbem.post.inbox.claims import claims_of
from pbem.post.inbox.outcomes import AGAIN, IngestReport, held, not_taken
from pbem.post.inbox.quarantine import Quarantine, QuarantineError
from pbem.post.inbox.quarantining import put_aside, take_out
from pbem.post.inbox.reading import NOWHERE, by_game, letter_of, vouched
from pbem.post.inbox.side_by_side import Share, Taken, Terms
from pbem.post.inbox.values import Fate, Letter, Outcome, Received
from pbem.post.inbox.way import Dealt, arrive, deal, judge
from pbem.post.kept_headers import header_of
from pbem.post.outbox.delivery import Delivery, crowded
from pbem.post.outbox.maildir import Outbox
from pbem.post.outbox.sent import SentLetters
from pbem.post.save_index import SaveIndex, home_of, own_addresses
from pbem.post.transport.bounces import Bounce, Bounces, returned
from pbem.save import SaveError, Session
from pbem.save.session import Loader

GATHERED = 1000
"""Letters gathered before they are dealt with, and the bytes of them: what a run holds of a mailbox at once."""

GATHERED_BYTES = 4 << 20

EARLY = 200
"""Letters kept for the end of the run because their question is not open yet; those beyond are put aside at once."""


class Gathered(msgspec.Struct):
    """Letters by the names of their games, in their order, to be taken in together."""

    letters: dict[str, list[Letter]] = {}
    count: int = 0
    size: int = 0

    @property
    def full(self) -> bool:
        """Whether it is time to take them in."""
        return self.count >= GATHERED or self.size >= GATHERED_BYTES

    def add(self, game: str, letter: Letter) -> None:
        """Put a letter to those for its game."""
        self.letters.setdefault(game, []).append(letter)
        self.count += 1
        self.size += len(letter.received.raw)


class Intake:
    """One run. `take` each message, then `finish`. `progress` hears how many messages are dealt with and read."""

    def __init__(
        self,
        saves: Sequence[Path],
        *,
        now: datetime,
        sender: str = "",
        authserv: str = "",
        home: Path | None = None,
        game: Loader = games.load,
        progress: Callable[[int, int], None] | None = None,
        sent: Path | None = None,
        jobs: int = 1,
    ) -> None:
        self.jobs = jobs
        self.receipts = True
        self._saves = tuple(saves)
        self._rounds = 0
        self._put_off: list[Dealt] | None = None
        self.home = home or home_of(saves)
        self.now = now
        self.sender = sender
        self.progress = progress
        self.index = SaveIndex(saves)
        saved = list(self.index.headers.values())
        self.own = own_addresses(saved, sender)
        self.authserv = authserv or next((save.post.trusted for save in saved if save.post.trusted), "")
        self.report = IngestReport(discreet=[save.header.name for save in saved if save.post.plays])
        self.games = GamePool(self.index, game, now, self.home)
        self.quarantine = Quarantine(self.home / "quarantine")
        self.outbox = Outbox(self.home / "outbox")
        self.sent = SentLetters(Outbox(sent) if sent is not None else self.outbox)
        self.delivery = Delivery(self.games, self.outbox, self.report, now=now, sender=sender)
        self._read, self._dealt = 0, 0
        self._gathered = Gathered()
        self._early: list[Letter] = []
        self._told: set[Path] = set()
        self._outcomes: list[tuple[int, Outcome]] = []

    @property
    def opened(self) -> set[Path]:
        """The saves that this run has opened."""
        return self.games.ever

    def session(self, path: Path) -> Session:
        """The game of a save. The lock is held."""
        return self.games.session(path)

    def early(self) -> list[str]:
        """Where the letters lie that wait in memory for their question: a source must not take them for done."""
        return [letter.received.where for letter in self._early]

    # -- letters in --------------------------------------------------------------------------------------------------

    def take(self, received: Received) -> None:
        """Deal with one message of a source, or gather it: `flush` and `finish` leave none undone."""
        self._read += 1
        come = arrive(received, self._read, self.index, self.quarantine, self.own, self.authserv, self.sent)
        if come.known or come.aside is not None:
            if not come.known:
                self._note_bounce(come.letter)
            self._settle(come)
        else:
            for game, letter in by_game(come.letter, self.index):
                self._gather(game, letter)
        if self._gathered.full:
            self.flush()
        elif not self._gathered.count:
            self._report(self._read)

    def _gather(self, game: str, letter: Letter) -> None:
        if game == NOWHERE:
            self._settle(judge(letter, claims_of(letter, self.index, game))[1])
        else:
            self._gathered.add(game, letter)

    def _note_bounce(self, letter: Letter) -> None:
        """A letter of ours that comes back: the desk shows its reader in red."""
        mail = letter.mail
        if mail.automatic in ("bounce", "report") and (hit := returned(letter.received.raw, self.index)):
            game, seat, address = hit
            why = f"{mail.subject[:80]} (from {mail.sender or 'nobody'})"
            Bounces(self.home).note(Bounce(at=stamp(self.now), why=why, to=address, game=game, seat=seat))

    def flush(self) -> None:
        """Take in what has been gathered: after it, all but `early` letters are on disk."""
        gathered, self._gathered = self._gathered, Gathered()
        if self.jobs > 1:
            self._side_by_side(gathered.letters, last=False)
        else:
            for game, letters in gathered.letters.items():
                self._take_in(game, letters)
        while len(self._early) > EARLY:
            letter = self._early.pop(0)
            self._take_in(_game_of(letter), _last([letter]))
        self._report(self._dealt)

    def finish(self) -> IngestReport:
        """Take in the rest, write the letters of every save, deliver them."""
        gathered, self._gathered = self._gathered, Gathered()
        if self.jobs > 1:
            self._side_by_side(gathered.letters, last=True)
        else:
            for game in self.index.paths:
                self._finish_game(game, gathered.letters.get(game, []))
        for path, error in self.index.broken.items():
            self.report.broken.setdefault(str(path), str(error))
        self._report(self._read)
        return self.report

    def _finish_game(self, game: str, letters: Sequence[Letter]) -> None:
        """Take in the last letters to a game, and tell its seats what is to be told."""
        path = self.index.paths[game]
        self._take_in_rest(game, letters)
        untold = path in self.opened or to_tell(self.index.headers[game], self.now)
        if untold and path not in self._told:
            self._together(path, [], rest=True)
        if path in self.opened:
            self.delivery.ask_moderator(self.index.headers[game])

    # -- side by side ------------------------------------------------------------------------------------------------

    def _side_by_side(self, letters: Mapping[str, list[Letter]], *, last: bool) -> None:
        """Have workers take in letters to several games, and note what came of it, in the order of the games."""
        self._rounds += 1
        sent, receipts = self.sent.outbox.folder, self.receipts
        terms = Terms(self._saves, self.now, self.sender, self.home, sent, self._rounds, receipts)
        for taken in take_in_all(self._shares(terms, letters, last=last), self.jobs):
            path = self.index.paths[taken.game]
            self._told |= {path} if taken.told else set()
            self.games.ever |= {path} if taken.opened else set()
            self.index.know(taken.header)
            for dealt in taken.dealt:
                self._settle(msgspec.structs.replace(dealt, early=None))
            self._early += taken.early
            self._outcomes += taken.outcomes
            self.report.add(taken.report)
            self._progress(self._dealt + len(letters.get(taken.game, ())))

    def _shares(self, terms: Terms, letters: Mapping[str, list[Letter]], *, last: bool) -> Iterator[Share]:
        for game, path in self.index.paths.items():
            mine, early = letters.get(game, []), self._early_of(game) if last else []
            opened, told = path in self.opened, path in self._told
            if mine or early or (last and (opened or to_tell(self.index.headers[game], self.now))):
                yield Share(terms, game, mine, early, last, told, opened, self.delivery.read)

    def take_share(self, share: Share, path: Path) -> Taken:
        """As a worker: take in letters to one game. What concerns the quarantine is left to whoever reads the mail."""
        report = IngestReport()
        self.report = self.delivery.report = self.delivery.faults.report = report
        self.delivery.read = share.read
        self._put_off, self._outcomes, self._early = [], [], list(share.early)
        self._told, self.games.ever = ({path} if share.told else set()), ({path} if share.opened else set())
        if share.last:
            self._finish_game(share.game, share.letters)
        else:
            self._take_in(share.game, share.letters)
        header = header_of(self.index.headers[share.game])
        told, opened = path in self._told, path in self.opened
        return Taken(share.game, self._put_off, self._outcomes, self._early, report, told, opened, header)

    def release(self, beginning: str, *, seat: str = "", add_address: bool = False) -> None:
        """Take in a letter from the quarantine: the moderator vouches for it, so that its code does not matter.

        `seat` says whose it is if its blocks do not. With `add_address` its sender goes on the seat's list. Raises
        `QuarantineError`, also if there is nothing in it to take in.
        """
        held = self.quarantine.find(beginning)
        received = Received(held.id, self.quarantine.raw(held), f"quarantine {held.id}")
        letter = vouched(letter_of(received), seat, self.index, self.sent)
        if not letter.blocks:
            raise QuarantineError(
                f"{held.id} holds no orders for a game and seat that are here: read it with "
                f"pbem quarantine show {held.id}, then send a move file or refuse it"
            )
        for game, part in by_game(letter, self.index):
            self._take_in(game, [part])
            if add_address and letter.mail.sender:
                self._add_address(game, fold(part.blocks[0].seat), letter.mail.sender)
        self._report(self._dealt)
        if not any(outcome.fate in AGAIN for outcome in self.report.letters):
            self.quarantine.settle(held, "released")

    def _add_address(self, game: str, seat: str, address: str) -> None:
        with self.games.transaction(self.index.path(game)) as work:
            mine = work.session.save.seat(seat)
            if address not in mine.addresses:
                mine.addresses.append(address)
                work.changed = True

    # -- one game ----------------------------------------------------------------------------------------------------

    def _take_in(self, game: str, letters: Sequence[Letter], *, rest: bool = False) -> None:
        """Take in letters to one game, in as few transactions as can be. `rest`: no more of them will come."""
        left, path = letters, self.index.path(game)
        while left:
            left = left[self._together(path, left, rest=rest) :]
        self._progress(self._dealt + len(letters))

    def _take_in_rest(self, game: str, letters: Sequence[Letter]) -> None:
        """Take in the last letters to a game, then those that came too early, as often as that helps."""
        early = self._early_of(game)
        self._take_in(game, letters, rest=not early)
        early += self._early_of(game)
        while early:
            self._take_in(game, early)
            left = self._early_of(game)
            if len(left) == len(early):
                self._take_in(game, _last(left))
                return
            early = left

    def _early_of(self, game: str) -> list[Letter]:
        """The letters that came too early to a game; they are taken out of those that wait."""
        found = [letter for letter in self._early if _game_of(letter) == game]
        self._early = [letter for letter in self._early if _game_of(letter) != game]
        return found

    def _together(self, path: Path, letters: Sequence[Letter], *, rest: bool = False) -> int:
        """Take in letters to one game in one transaction; returns how many of them are dealt with.

        If one fails, those before it are taken in without it, and it is given up. With the `rest` of them what the
        seats are to be told is written, unless a letter waits for its question.
        """
        done: list[Dealt] = []
        tells = False
        try:
            with self.games.transaction(path) as work:
                for letter in letters:
                    done.append(self._deal(letter, work))  # noqa: PERF401 — read if one fails
                last = rest and not any(dealt.early for dealt in done)
                tells = (last or crowded(work.session.save)) and path not in self._told
                if tells:
                    self.delivery.write(work)
        except SaveError as error:
            self.report.broken[str(path)] = str(error)
            self._give_up(letters, "postponed", str(error))
            return len(letters)
        except Exception as error:  # a fault of the rules must not keep the other letters from being read
            if os.environ.get("PBEM_DEBUG"):
                raise
            if tells or not letters:
                self.delivery.faults.note(path, error)
                # Letters can be taken in; what they change is told when that can be written.
                self._told.add(path)
                return self._together(path, letters) if letters else 0
            return self._without_fault(path, letters, len(done), f"{type(error).__name__}: {error}")
        for dealt in done:
            self._settle(dealt)
        if tells:
            self.delivery.deliver(path)
        if last:
            self._told.add(path)
        return len(letters)

    def _deal(self, letter: Letter, work: Transaction) -> Dealt:
        return deal(letter, self.index, self.quarantine, work, self.own, self.sent, receipts=self.receipts)

    def _without_fault(self, path: Path, letters: Sequence[Letter], good: int, why: str) -> int:
        """Do again what could be done before a fault; returns how many letters are dealt with."""
        if good == len(letters) > 1:  # all could be applied, and then they could not be stored
            return sum(self._together(path, [letter]) for letter in letters)
        if good and len(letters) > 1:
            self._together(path, letters[:good])
        failed = min(good, len(letters) - 1)
        self._give_up(letters[failed : failed + 1], "failed", why)
        return failed + 1

    # -- what became of them -----------------------------------------------------------------------------------------

    def _settle(self, one: Dealt) -> None:
        """Do what follows when a letter is dealt with and on disk: quarantine, report, or wait for its question."""
        letter = one.letter
        if self._put_off is not None:
            self._put_off.append(one)
            if one.early is not None:
                self._early.append(one.early)
            return
        self.report.known += one.known
        self._outcomes += [(letter.number, outcome) for outcome in one.outcomes]
        if one.taken and not letter.vouched:
            take_out(self.quarantine, letter)
        if one.early is not None:
            self._early.append(one.early)
        if one.aside is not None:
            put = put_aside(self.quarantine, letter, one.aside, self.now)
            if put is None:
                self.report.known += 1
            else:
                self._outcomes.append((letter.number, held(letter, one.aside, put)))

    def _give_up(self, letters: Sequence[Letter], fate: Fate, why: str) -> None:
        self._outcomes += [(letter.number, not_taken(letter, fate, why)) for letter in letters]

    def _report(self, dealt: int) -> None:
        """Tell what became of the letters, in the order of the mailbox."""
        for _, outcome in sorted(self._outcomes, key=lambda one: one[0]):
            self.report.note(outcome)
        self._outcomes.clear()
        self._progress(dealt)

    def _progress(self, dealt: int) -> None:
        self._dealt = min(max(dealt, self._dealt), self._read)
        if self.progress is not None:
            self.progress(self._dealt, self._read)


def _game_of(letter: Letter) -> str:
    return fold(letter.blocks[0].game)


def _last(letters: Sequence[Letter]) -> list[Letter]:
    """The letters, which have nothing to wait for any more."""
    return [msgspec.structs.replace(letter, last=True) for letter in letters]


# -- workers ---------------------------------------------------------------------------------------------------------


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
    run = Intake(list(terms.saves), now=terms.now, sender=terms.sender, home=terms.home, sent=terms.sent)
    run.receipts = terms.receipts
    return run
