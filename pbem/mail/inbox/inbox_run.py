"""One run of the inbox: emails are collected up to a limit and processed game by game.

Outgoing emails are written at the end. A run that died can be repeated: keys prevent double processing, and a mark in
the save says that emails are still to be written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

import games
from pbem.clock import heartbeat
from pbem.kernel.order_words import normalize_word
from pbem.mail.inbox.authenticate import NOT_OPEN_YET, claims_of
from pbem.mail.inbox.parse import NOWHERE, by_game, parse_message, strangers, with_trusted_sender
from pbem.mail.inbox.pipeline import EmailResult, parse_email, process_email, received_at, sort_claims
from pbem.mail.inbox.stages import AGAIN, Email, IngestReport, Received, RunLog, Unread, rejected_outcome
from pbem.mail.notices import Need
from pbem.mail.open_games import GamePool, Transaction
from pbem.mail.outbox.delivery import Delivery, should_flush_early
from pbem.mail.outbox.mime_message import Outbox, StoredEmails
from pbem.mail.presence import here_and_left, written_to
from pbem.mail.quarantine import Quarantine, QuarantineError, mark_processed, quarantine_email
from pbem.mail.save_index import UNSEEN, Progress, SaveIndex, home_of, own_addresses
from pbem.mail.scheduler.due import has_unsent_news, tell_moderators
from pbem.mail.transport.bounces import Bounce, Bounces, is_failure, reason, returned
from pbem.save import SaveError
from pbem.save.session import Loader

GATHERED = 5000
"""Emails, and bytes of them, that are collected before processing: what a run holds in memory.

The more emails to one game are processed together, the less often it is opened and stored.
"""

GATHERED_BYTES = 16 << 20

EARLY = 200
"""Emails kept for the end of the run because their question isn't open yet; more are quarantined at once."""


class EmailsByGame(msgspec.Struct):
    """Emails by game, in order of arrival, to be processed together."""

    emails: dict[str, list[Email]] = {}
    count: int = 0
    size: int = 0

    @property
    def full(self) -> bool:
        return self.count >= GATHERED or self.size >= GATHERED_BYTES

    def add(self, game: str, email: Email) -> None:
        self.emails.setdefault(game, []).append(email)
        self.count += 1
        self.size += len(email.received.raw)


def game_of(email: Email) -> str:
    """Return the name of the game that an email's first block is for."""
    return normalize_word(email.blocks[0].game)


def final(emails: Sequence[Email]) -> list[Email]:
    """Return the emails marked as having nothing left to wait for."""
    return [msgspec.structs.replace(email, last=True) for email in emails]


class GameBatches:
    """Batches of emails to the games of an index; `settle` gets each result once it is on disk.

    `early` are emails that wait for their question, `told` the saves whose seats got their emails. `receipts`: put
    each receipt into words; without, only those that no email brings. `sent` is the outbox with earlier emails.
    """

    def __init__(
        self,
        index: SaveIndex,
        home: Path,
        log: RunLog,
        settle: Callable[[EmailResult], None],
        *,
        game: Loader,
        now: datetime,
        sender: str,
        sent: Path | None = None,
    ) -> None:
        self.index = index
        self.home = home
        self.log = log
        self.settle = settle
        self.own = own_addresses(index, sender)
        self.games = GamePool(index, game, now, home)
        self.quarantine = Quarantine(home / "quarantine")
        self.outbox = Outbox(home / "outbox")
        self.sent = StoredEmails(Outbox(sent) if sent is not None else self.outbox)
        self.delivery = Delivery(self.games, self.outbox, log.report, now=now, sender=sender)
        self.early: list[Email] = []
        self.told: set[Path] = set()
        self.receipts = True

    def process(self, game: str, emails: Sequence[Email], *, rest: bool = False) -> None:
        """Process emails to one game in as few transactions as possible; `rest`: no more will come."""
        left, path = emails, self.index.path(game)
        while left:
            left = left[self._together(path, left, rest=rest) :]
        self.log.count(len(emails))

    def finish(self, game: str, emails: Sequence[Email]) -> None:
        path = self.index.paths[game]
        self._take_in_rest(game, emails)
        here, parting = here_and_left(path)
        news = parting or has_unsent_news(self.index.headers[game], self.games.now, here)
        if (news or path in self.games.ever) and path not in self.told:
            self._together(path, [], rest=True)
        for seat in parting if str(path) not in self.log.report.broken else ():
            written_to(path, seat)
        if path in self.games.ever:
            self.delivery.ask_moderator(self.index.headers[game])

    def _take_in_rest(self, game: str, emails: Sequence[Email]) -> None:
        """Process the last emails to a game, then those that came too early, as often as that helps."""
        early = self._take_early(game)
        self.process(game, emails, rest=not early)
        early += self._take_early(game)
        while early:
            self.process(game, early)
            left = self._take_early(game)
            if len(left) == len(early):
                self.process(game, final(left))
                return
            early = left

    def _take_early(self, game: str) -> list[Email]:
        waiting = [email for email in self.early if game_of(email) == game]
        self.early = [email for email in self.early if game_of(email) != game]
        return waiting

    def _together(self, path: Path, emails: Sequence[Email], *, rest: bool = False) -> int:
        """Process emails to one game in one transaction; return how many are settled.

        If one fails, those before it are processed without it, and it is given up. With `rest` the outgoing emails
        are written, unless an email waits for its question.
        """
        done: list[EmailResult] = []
        tells = False
        try:
            with self.games.transaction(path) as work:
                for email in emails:
                    done.append(self._process(email, work))  # noqa: PERF401 — if one fails, how many are done is read
                ends = rest and not any(dealt.early for dealt in done)
                tells = (ends or should_flush_early(work.session.save)) and path not in self.told
                if tells:
                    self.delivery.write(work)
        except (SaveError, OSError) as error:
            self.delivery.note_refused(path, error)
            self.log.mark_postponed(emails, "postponed", "its save can't be read or written now")
            return len(emails)
        except Exception as error:  # a fault of the rules must not keep other emails from being read
            if os.environ.get("PBEM_DEBUG"):
                raise
            if tells or not emails:
                self.delivery.note_fault(path, error)
                # Processing works without the outbox; the results are written once it can be.
                self.told.add(path)
                return self._together(path, emails) if emails else 0
            return self._without_fault(path, emails, len(done), f"{type(error).__name__}: {error}")
        for dealt in done:
            if dealt.early is not None:
                self.early.append(dealt.early)
            self.settle(dealt)
        if tells:
            self.delivery.deliver(path)
        if ends:
            self.told.add(path)
        return len(emails)

    def _process(self, email: Email, work: Transaction) -> EmailResult:
        return process_email(email, self.index, self.quarantine, work, self.own, self.sent, receipts=self.receipts)

    def _without_fault(self, path: Path, emails: Sequence[Email], good: int, why: str) -> int:
        """Redo the emails before a fault; return how many emails are settled."""
        if good == len(emails) > 1:  # all could be applied, but then not stored
            return sum(self._together(path, [email]) for email in emails)
        if good and len(emails) > 1:
            self._together(path, emails[:good])
        failed = min(good, len(emails) - 1)
        self.log.mark_postponed(emails[failed : failed + 1], "failed", why)
        return failed + 1


NAMED = 10
"""Unreadable messages that a notice names one by one."""


class InboxRun:
    """One run: call `add_message` for each message, then `finish`. `progress` gets the messages settled and read."""

    def __init__(
        self,
        saves: Sequence[Path],
        *,
        now: datetime,
        sender: str = "",
        authserv: str = "",
        home: Path | None = None,
        game: Loader = games.load,
        progress: Progress = UNSEEN,
        sent: Path | None = None,
    ) -> None:
        self.home = home or home_of(saves)
        self.now = now
        self.sender = sender
        self.unread = Unread(self.home, now)
        # Where the emails are that are looked at again, quarantined or not.
        self.waiting: set[str] = set()
        self.index = SaveIndex(saves, progress)
        self.authserv = authserv
        playing = [save.header.name for _, save in self.index.marked("plays") if save.post.plays]
        self.report = IngestReport(discreet=playing)
        self.log = RunLog(self.report, progress)
        self.taking = GameBatches(
            self.index, self.home, self.log, self._settle, game=game, now=now, sender=sender, sent=sent
        )
        self._gathered = EmailsByGame()
        self._heard: dict[str, None] = {}

    def early(self) -> list[str]:
        """Return where the emails are that wait in memory: a source must not count them as processed."""
        return [email.received.where for email in self.taking.early]

    def add_message(self, received: Received, source: str = "") -> None:
        """Process one message of a source, or collect it: `process_batch` and `finish` process the rest."""
        if self._gathered.full:
            self.process_batch()
        self.log.read += 1
        email = parse_message(received, self.log.read)
        if received.kind == "missing":
            if self.unread.meet(source, received.key, received.where, received.why):
                why = f"it can't be read now: {received.why}"
                self.log.mark_postponed([email], "postponed", why)
            return
        at = received_at(email, self.now)
        email = msgspec.structs.replace(email, mail=msgspec.structs.replace(email.mail, at=at))
        into = self.taking
        come = parse_email(email, self.index, into.quarantine, into.own, self.authserv, into.sent)
        if come.known or come.aside is not None:
            if not come.known and not self._note_bounce(come.email) and self.index.blind:
                come = msgspec.structs.replace(come, aside=None)
                self.log.mark_postponed([email], "postponed", "a save here can't be read, and it may be of that game")
            self._settle(come)
        else:
            for game, part in by_game(come.email, self.index):
                if game == NOWHERE:
                    self._settle(sort_claims(part, claims_of(part, self.index, game))[1])
                else:
                    self._gathered.add(game, part)
        if not self._gathered.count:
            self.log.tell(email.number)

    def _note_bounce(self, email: Email) -> bool:
        """Record a bounced email, so that the dashboard shows its reader in red; False if its game may be unknown."""
        mail, raw = email.mail, email.received.raw
        if not is_failure(mail, raw):
            return True
        hit = returned(raw, self.index)
        if hit:
            game, seat, address, name = hit
            why = reason(mail, raw)
            Bounces(self.home).note(Bounce(at=self.now, why=why, to=address, name=name, game=game, seat=seat))
        return hit is not None

    def process_batch(self) -> None:
        """Process the collected emails: after it, all but `early` emails are on disk."""
        gathered, self._gathered = self._gathered, EmailsByGame()
        for game, emails in gathered.emails.items():
            self.taking.process(game, emails)
        while len(self.taking.early) > EARLY:
            email = self.taking.early.pop(0)
            self.taking.process(game_of(email), final([email]))
        self.log.tell()

    def finish(self) -> IngestReport:
        self._tell_of_unread()
        gathered, self._gathered = self._gathered, EmailsByGame()
        for game in self._unfinished(gathered.emails):
            self.taking.finish(game, gathered.emails.get(game, []))
        for path, error in self.index.broken.items():
            self.report.broken.setdefault(str(path), str(error))
        self._note_heard()
        self.log.tell(self.log.read)
        return self.report

    def _unfinished(self, gathered: Collection[str]) -> list[str]:
        news = self.index.select("SELECT file FROM saves WHERE due <= ?", self.now.timestamp())
        early = map(game_of, self.taking.early)
        found = {*gathered, *early, *(name for name, _ in news), *map(self.index.name, self.taking.games.ever)}
        return [game for game in self.index.places if game in found]

    def _tell_of_unread(self) -> None:
        for key, mark, news in self.unread.untold():
            names = "\n".join(f"{message.where}: {message.why}" for message in news[:NAMED])
            more = "\n…" if len(news) > NAMED else ""
            args: dict[str, str | datetime] = {"count": str(len(news)), "names": names + more}
            need = Need(key=mark, words=f"moderator.unread.{key}", args=args)
            with suppress(OSError):  # the next run notifies them
                self.taking.delivery.tell_moderators(need)
                for message in news:
                    message.told = key

    def tell_moderators(self, *, printed: bool = True) -> None:
        """Write to the moderators about what needs them; what no email brings is reported."""
        try:
            told = tell_moderators(self.index, self.taking.outbox, self.now, self.sender, printed=printed)
            self.report.moderator += told
        except OSError as error:  # the next run tells them
            self.report.broken[str(error.filename or self.home)] = str(error)

    def mail_was_read(self, sources: Iterable[str]) -> None:
        """Record that mail was read, for each game without leftovers; `sources` were read to their end."""
        left = {normalize_word(outcome.game) for outcome in self.report.emails if outcome.fate == "postponed"}
        for outcome in self.report.emails:
            # A fault of the program may persist: it counts for a day, like an unreadable message.
            if outcome.fate == "failed":
                self.unread.meet("", outcome.where, outcome.where, outcome.why, own=True)
        for source in ("", *sources):
            self.unread.read(source)
        heart = heartbeat.load(self.home)
        heart.read_mail(self.now, () if self.unread.holds else self.index.places.keys() - left)
        heartbeat.store(self.home, heart)
        self.unread.keep()

    def release(self, beginning: str, *, seat: str = "", add_address: bool = False) -> None:
        """Accept an email from the quarantine: its code doesn't matter, as the moderator vouches for it.

        `seat` says whose it is if its blocks don't. With `add_address` its sender is added to the seat's list. Raises
        `QuarantineError`, also if there is nothing in it to process.
        """
        quarantine = self.taking.quarantine
        kept = quarantine.find(beginning)
        if kept.cut:
            raise QuarantineError(
                f"'{kept.id}' can't be accepted: only {kept.kept} of its {kept.size} bytes are stored. Read the rest "
                f"in your mailbox ({kept.where}), then enter a move file or discard it"
            )
        received = Received(kept.id, quarantine.raw(kept), f"quarantine {kept.id}")
        email = with_trusted_sender(parse_message(received), seat, self.index, self.taking.sent)
        if not email.blocks:
            raise QuarantineError(
                f"'{kept.id}' has no orders for a game and seat here. Read it with "
                f"pbem quarantine show {kept.id}, then enter a move file or discard it"
            )
        if strange := strangers(email, self.index):
            raise QuarantineError(
                f"'{kept.id}' is written for {', '.join(strange)}: name its seat with --seat, or discard it"
            )
        for game, part in by_game(email, self.index):
            self.taking.process(game, [part])
            if add_address and email.mail.sender:
                self._add_address(game, normalize_word(part.blocks[0].seat), email.mail.sender)
        self.log.tell()
        if not any(outcome.fate in AGAIN for outcome in self.report.emails):
            quarantine.settle(kept, "released")

    def _add_address(self, game: str, seat: str, address: str) -> None:
        with self.taking.games.transaction(self.index.path(game)) as work:
            mine = work.session.save.seat(seat)
            if address not in mine.addresses:
                mine.addresses.append(address)
                work.changed = True

    def _settle(self, dealt: EmailResult) -> None:
        email, quarantine = dealt.email, self.taking.quarantine
        self.report.known += dealt.known
        self.log.note(email, dealt.outcomes)
        if dealt.taken and not email.vouched:
            mark_processed(quarantine, email)
        if dealt.aside is not None and dealt.aside.reason == NOT_OPEN_YET:
            self.waiting.add(email.received.where)
        if dealt.taken and not dealt.known and email.mail.sender:
            self._heard[email.mail.sender] = None
        if dealt.aside is not None:
            put = quarantine_email(quarantine, email, dealt.aside, self.now)
            if put is None:
                self.report.known += 1
            else:
                outcome = rejected_outcome(email, "quarantined", put.sentence(), dealt.aside)
                self.log.note(email, [msgspec.structs.replace(outcome, held=put.id)])

    def _note_heard(self) -> None:
        """Record which addresses work. A moderator who plays would learn from it which player has written."""
        bounces = Bounces(self.home)
        heard = []
        for sender in self._heard if bounces.listed() else ():
            seats = [(save.header.name, seat.id) for save, seat in self.index.seats_of(sender) if not save.post.plays]
            heard += [(game, seat, sender) for game, seat in seats]
        bounces.speak_for("heard", sorted(heard), self.now)
