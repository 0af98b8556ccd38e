"""The end of a run: write each seat's news as emails and put them into the outbox."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from pbem.atomic_files import FULL
from pbem.kernel.questions import MODERATOR
from pbem.mail import rollback_guard
from pbem.mail.bots import set_due
from pbem.mail.inbox.stages import IngestReport, SentEmail
from pbem.mail.notices import Need, Notices
from pbem.mail.open_games import GamePool, Transaction
from pbem.mail.outbox.mime_message import Outbox, file_name
from pbem.mail.outbox.release import held_back, hold_email, note_release
from pbem.mail.outbox.write import write_emails
from pbem.save import Save, SaveError, Session, Unwritable

WAITING = 500
"""Receipts that wait in a save; with more, its emails are written before the end of the run.

It is far more than a game gets in any run: a second email reveals that others sent many.
"""

INCOMPLETE = "+"
"""The end of the mark of an action whose command has ended, but without all of its emails: any run completes them."""


class Delivery:
    """The outgoing emails of a run. `read` is when mail was read, `show`: the report holds their texts.

    `report.broken` holds the errors of the run for the command, the outbox for the moderators.
    """

    def __init__(self, games: GamePool, outbox: Outbox, report: IngestReport, *, now: datetime, sender: str) -> None:
        self.games = games
        self.outbox = outbox
        self.report = report
        self.now = now
        self.sender = sender
        self.read: datetime | None = None
        self.show = False

    @contextmanager
    def contained(self, path: Path) -> Iterator[None]:
        """Drop a failed game from memory and let the run continue; raise `OSError`, a fault of the machine."""
        try:
            yield
        except SaveError as error:
            self.games.forget(path)
            self.note_refused(path, error)
        except OSError:
            raise
        except Exception as error:
            if os.environ.get("PBEM_DEBUG"):
                raise
            self.note_fault(path, error)

    def note_fault(self, path: Path, error: Exception) -> None:
        """Drop the data in memory of a game that failed; report it, and notify its moderators."""
        self.games.forget(path)
        save = self.games.index.headers[self.games.index.name(path)]
        # A moderator who plays must not learn from it what others hold.
        reason = type(error).__name__ if save.post.plays else f"{type(error).__name__}: {error}"
        self.report.broken[str(path)] = f"a fault of the program, nothing was changed: {reason}"
        key = f"fault {save.header.name} {save.header.head} {reason[:200]}"
        args: dict[str, str | datetime] = {"game": save.header.name, "error": reason[:200], "file": path.name}
        with suppress(OSError):  # the next run meets it again
            self.tell_moderators(Need(key=key, words="moderator.fault", args=args, save=save))

    def note_refused(self, path: Path, error: Exception) -> None:
        """Report a save that can't be read or written, and notify its moderators if nothing can be written into it."""
        self.report.broken[str(path)] = str(error)
        save = self.games.index.headers.get(self.games.index.name(path))
        full = getattr(error.__context__, "errno", 0) in FULL
        words = "moderator.full" if full else "moderator.unwritable"
        if isinstance(error, Unwritable) and save is not None:
            args: dict[str, str | datetime] = {"what": f"{path.name}: {error.why}"}
            with suppress(OSError):  # the next run meets it again
                key = f"unwritable {save.header.name} {save.header.head}"
                self.tell_moderators(Need(key=key, words=words, args=args, save=save))

    def tell_moderators(self, event: Need) -> None:
        """Tell the moderators in the next digest, however often it happens."""
        Notices(self.outbox.folder.parent, self.now).tell(event)

    def write(self, work: Transaction) -> None:
        session = work.session
        save = session.save
        save.header.read = self.read or save.header.read
        set_due(session, self.now)
        waits = bool(save.drafts) or save.header.unsent or save.header.release_at is not None
        written = write_emails(session, self.now, self.sender)
        if waits or written:
            hold_email(save, written, self.now)
            save.header.unsent = work.changed = True

    def deliver(self, path: Path) -> None:
        with self.contained(path), self.games.transaction(path) as work:
            if work.session.save.header.unsent:
                self._deliver(work.session)
                work.changed = True

    def _deliver(self, session: Session) -> None:
        save, failed = session.save, []
        kept = [copy for copy in save.outbox if held_back(copy, self.now)]
        for email in save.outbox:
            if email in kept:
                continue
            try:
                file = str(self.outbox.deliver(save, email))
            except (ValueError, OSError) as error:
                failed.append(email)
                place = f"{save.header.name}, email to {email.seat}"
                self.report.broken[place] = f"can't be delivered: {error}"
                continue
            for asked in save.pending:  # the time of the open question runs once that file has been sent
                asks = (asked.q, asked.seat) == (email.asks, email.seat)
                if asks and email.to in save.seat(email.seat).addresses:
                    asked.letter, asked.put = file_name(save, email), self.now
            text, name = email.body if self.show else "", save.header.name
            sent = SentEmail(game=name, seat=email.seat, kind=email.kind, subject=email.subject, file=file, text=text)
            self.report.note_sent(sent)
        if self.games.home is not None and any(copy not in failed and copy not in kept for copy in save.outbox):
            rollback_guard.note(self.games.home, save)
        save.outbox = [copy for copy in save.outbox if copy in failed or copy in kept]
        note_release(save, kept)
        if not failed:
            save.header.unsent = False
            for action in save.actions:
                action.mark = "" if action.mark.endswith(INCOMPLETE) else action.mark

    def ask_moderator(self, save: Save) -> None:
        """Remind the moderator of questions that only they can answer. Reads the header only."""
        name = save.header.name
        for pending in save.pending:
            if pending.seat == MODERATOR:
                how = f"BEGIN ORDERS {name} {MODERATOR} in a move file (pbem questions shows its form)"
                self.report.moderator.append(f"{name}: question {pending.q} ({pending.kind}) is yours to answer: {how}")


def should_flush_early(save: Save) -> bool:
    """Return whether so much news waits that it is written before the end of the run."""
    reached = {seat.id for seat in save.seats if seat.addresses}
    return sum(draft.seat in reached for draft in save.drafts) >= WAITING
