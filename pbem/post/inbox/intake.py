"""One run of the intake: letters are gathered and taken in game by game; at the end everybody is told.

Letters are gathered up to a limit (`gathering.py`) and taken in game by game (`taking.py`). A run
that died is run again: keys keep anything from being done twice, and a mark in the save says that letters are still to
be written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

import games
from pbem.clock import heartbeat
from pbem.kernel.words import fold
from pbem.post.inbox.claims import AHEAD, claims_of
from pbem.post.inbox.outcomes import AGAIN, IngestReport, Tally, held
from pbem.post.inbox.quarantine import QuarantineError, put_aside, take_out
from pbem.post.inbox.replies import NOWHERE, by_game, letter_of, strangers, vouched
from pbem.post.inbox.taking import Gathered, Taking, final, game_of
from pbem.post.inbox.unread import Unread
from pbem.post.inbox.values import Letter, Received
from pbem.post.inbox.way import Dealt, arrive, judge, received_at
from pbem.post.notices import Need
from pbem.post.save_index import SaveIndex, home_of
from pbem.post.transport.bounces import Bounce, Bounces, is_failure, returned
from pbem.save import Session
from pbem.save.session import Loader

NAMED = 10
"""Messages that cannot be read which a notice names one by one."""


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
    ) -> None:
        self.home = home or home_of(saves)
        self.now = now
        self.sender = sender
        self.unread = Unread(self.home, now)
        # Where emails lie that are looked at again, put aside or not.
        self.waiting: set[str] = set()
        self.index = SaveIndex(saves)
        self.authserv = authserv
        saved = self.index.headers.values()
        self.report = IngestReport(discreet=[save.header.name for save in saved if save.post.plays])
        self.tally = Tally(self.report, progress)
        self.taking = Taking(
            self.index, self.home, self.tally, self._settle, game=game, now=now, sender=sender, sent=sent
        )
        self._gathered = Gathered()
        self._heard: list[tuple[str, str, str]] = []

    @property
    def opened(self) -> set[Path]:
        """The saves that this run has opened."""
        return self.taking.games.ever

    def session(self, path: Path) -> Session:
        """The game of a save. The lock is held."""
        return self.taking.games.session(path)

    def early(self) -> list[str]:
        """Where the letters lie that wait in memory for their question: a source must not take them for done."""
        return [letter.received.where for letter in self.taking.early.letters]

    # -- letters in --------------------------------------------------------------------------------------------------

    def take(self, received: Received, source: str = "") -> None:
        """Deal with one message of a source, or gather it: `flush` and `finish` leave none undone."""
        if self._gathered.full:
            self.flush()
        self.tally.read += 1
        letter = letter_of(received, self.tally.read)
        if received.kind == "missing":
            if self.unread.meet(source, received.key, received.where, received.why):
                why = f"it cannot be read now: {received.why}"
                self.tally.give_up([letter], "postponed", why)
            return
        at = received_at(letter, self.now)
        letter = msgspec.structs.replace(letter, mail=msgspec.structs.replace(letter.mail, at=at))
        into = self.taking
        come = arrive(letter, self.index, into.quarantine, into.own, self.authserv, into.sent)
        if come.known or come.aside is not None:
            if not come.known and not self._note_bounce(come.letter) and self.index.blind:
                come = msgspec.structs.replace(come, aside=None)
                self.tally.give_up(
                    [letter], "postponed", "a save here cannot be read, and it may be of that game"
                )
            self._settle(come)
        else:
            for game, part in by_game(come.letter, self.index):
                self._gather(game, part)
        if not self._gathered.count:
            self.tally.tell(letter.number)

    def _gather(self, game: str, letter: Letter) -> None:
        if game == NOWHERE:
            self._settle(judge(letter, claims_of(letter, self.index, game))[1])
        else:
            self._gathered.add(game, letter)

    def _note_bounce(self, letter: Letter) -> bool:
        """A letter of ours that comes back: the desk shows its reader in red. False if it may be of an unknown game."""
        mail = letter.mail
        raw = letter.received.raw
        if not is_failure(mail, raw):
            return True
        hit = returned(raw, self.index)
        if hit:
            game, seat, address, name = hit
            why = f"{mail.subject[:80]} (from {mail.sender or 'nobody'})"
            Bounces(self.home).note(Bounce(at=self.now, why=why, to=address, name=name, game=game, seat=seat))
        return hit is not None

    def flush(self) -> None:
        """Take in what has been gathered: after it, all but `early` letters are on disk."""
        gathered, self._gathered = self._gathered, Gathered()
        for game, letters in gathered.letters.items():
            self.taking.take_in(game, letters)
        for letter in self.taking.early.beyond():
            self.taking.take_in(game_of(letter), final([letter]))
        self.tally.tell()

    def finish(self) -> IngestReport:
        """Take in the rest, write the letters of every save, deliver them."""
        self._tell_of_unread()
        gathered, self._gathered = self._gathered, Gathered()
        for game in self.index.paths:
            self.taking.finish(game, gathered.letters.get(game, []))
        for path, error in self.index.broken.items():
            self.report.broken.setdefault(str(path), str(error))
        if self._heard:
            Bounces(self.home).speak_for("heard", self._heard, self.now)
        self.tally.tell(self.tally.read)
        return self.report

    def _tell_of_unread(self) -> None:
        saves = list(self.index.headers.values())
        for key, mark, news in self.unread.untold():
            names = "\n".join(f"{message.where}: {message.why}" for message in news[:NAMED])
            more = "\n…" if len(news) > NAMED else ""
            args: dict[str, str | datetime] = {"count": str(len(news)), "names": names + more}
            need = Need(key=mark, words=f"moderator.unread.{key}", args=args)
            with suppress(OSError):  # then they are told by the next run
                self.taking.delivery.faults.tell(need, saves)
                for message in news:
                    message.told = key

    def mail_was_read(self, sources: Iterable[str]) -> None:
        """Note that mail was read, for every game of which none is left over. `sources` were read to their end."""
        left = {fold(outcome.game) for outcome in self.report.letters if outcome.fate == "postponed"}
        for outcome in self.report.letters:
            # A fault of the program may stay: it counts for a day, as what cannot be read.
            if outcome.fate == "failed":
                self.unread.meet("", outcome.where, outcome.where, outcome.why, own=True)
        for source in ("", *sources):
            self.unread.read(source)
        heart = heartbeat.load(self.home)
        heart.read_mail(self.now, () if self.unread.holds else self.index.headers.keys() - left)
        heartbeat.store(self.home, heart)
        self.unread.keep()

    def release(self, beginning: str, *, seat: str = "", add_address: bool = False) -> None:
        """Take in a letter from the quarantine: the moderator vouches for it, so that its code does not matter.

        `seat` says whose it is if its blocks do not. With `add_address` its sender goes on the seat's list. Raises
        `QuarantineError`, also if there is nothing in it to take in.
        """
        quarantine = self.taking.quarantine
        kept = quarantine.find(beginning)
        if kept.cut:
            raise QuarantineError(
                f"'{kept.id}' can't be accepted: only {kept.kept} of its {kept.size} bytes are stored. Read the rest "
                f"in your mailbox ({kept.where}), then enter a move file or discard it"
            )
        received = Received(kept.id, quarantine.raw(kept), f"quarantine {kept.id}")
        letter = vouched(letter_of(received), seat, self.index, self.taking.sent)
        if not letter.blocks:
            raise QuarantineError(
                f"'{kept.id}' has no orders for a game and seat here. Read it with "
                f"pbem quarantine show {kept.id}, then enter a move file or discard it"
            )
        if strange := strangers(letter, self.index):
            raise QuarantineError(
                f"'{kept.id}' is written for {', '.join(strange)}: name its seat with --seat, or discard it"
            )
        for game, part in by_game(letter, self.index):
            self.taking.take_in(game, [part])
            if add_address and letter.mail.sender:
                self._add_address(game, fold(part.blocks[0].seat), letter.mail.sender)
        self.tally.tell()
        if not any(outcome.fate in AGAIN for outcome in self.report.letters):
            quarantine.settle(kept, "released")

    def _add_address(self, game: str, seat: str, address: str) -> None:
        with self.taking.games.transaction(self.index.path(game)) as work:
            mine = work.session.save.seat(seat)
            if address not in mine.addresses:
                mine.addresses.append(address)
                work.changed = True

    # -- what became of them -----------------------------------------------------------------------------------------

    def _settle(self, dealt: Dealt) -> None:
        """Do what follows when a letter is dealt with and on disk: quarantine and report."""
        letter, quarantine = dealt.letter, self.taking.quarantine
        self.report.known += dealt.known
        self.tally.note(letter, dealt.outcomes)
        if dealt.taken and not letter.vouched:
            take_out(quarantine, letter)
        if dealt.aside is not None and dealt.aside.reason == AHEAD:
            self.waiting.add(letter.received.where)
        if dealt.taken and not dealt.known and (sender := letter.mail.sender):
            # A moderator who plays would read from the end of a bounce who has written.
            seats = [(save, seat) for save, seat in self.index.seats_of(sender) if not save.post.plays]
            self._heard += [(save.header.name, seat.id, sender) for save, seat in seats]
        if dealt.aside is not None:
            put = put_aside(quarantine, letter, dealt.aside, self.now)
            if put is None:
                self.report.known += 1
            else:
                self.tally.note(letter, [held(letter, dealt.aside, put)])
