"""One run over a folder of saves: its time, the heartbeat, the open games, and the results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import msgspec

from pbem.clock.beacon import BeaconRound
from pbem.clock.heartbeat import Heartbeat
from pbem.mail.bots import set_due
from pbem.mail.inbox.inbox_run import GameBatches
from pbem.mail.inbox.stages import IngestReport
from pbem.mail.outbox.mime_message import sender_of
from pbem.mail.scheduler.needs import may_be_due
from pbem.mail.scheduler.reaching import Reach
from pbem.save import Save, Session, locked

_PUBLISHED = {"opened": "games_opened", "time_up": "expired_questions", "moderator": "moderator_messages"}


class TickReport(msgspec.Struct, rename=_PUBLISHED):
    """The results of a run: games looked at and opened, reminders, expired questions, announced outages.

    `moderator` are sentences for the moderator, `needs` those that no email brings, `emails` what was sent besides
    reminders. Nothing here reveals who has answered a sealed question.
    """

    games: int = 0
    opened: int = 0
    reminders: int = 0
    time_up: list[str] = []
    outages: list[str] = []
    moderator: list[str] = []
    needs: list[str] = []
    emails: IngestReport = msgspec.field(default_factory=IngestReport)

    def shown(self) -> TickReport:
        """Return the report for the moderator: where they play, a reminder reveals that a seat hasn't answered."""
        reminders = 0 if self.emails.discreet else self.reminders
        return msgspec.structs.replace(self, emails=self.emails.published(), reminders=reminders)


class TickRun:
    """One run with its sessions and outbox (`taking`), the heartbeat, and the `rounds` of a public beacon."""

    def __init__(self, taking: GameBatches, heart: Heartbeat, rounds: Iterable[BeaconRound] = ()) -> None:
        self.taking = taking
        self.index = taking.index
        self.now = taking.games.now
        self.heart = heart
        self.outbox = taking.outbox
        self.reach = Reach(taking.home)
        self.rounds = {found.round: found for found in rounds}
        self.done = TickReport(games=len(taking.index.paths))

    def games(self) -> Iterator[tuple[Save, Path]]:
        """Yield the games in which something may be due."""
        for name, save in may_be_due(self.index, self.heart, self.reach, self.now):
            yield save, self.index.paths[name]

    def header(self, path: Path) -> Save:
        return self.index.headers[self.index.name(path)]

    @contextmanager
    def opened(self, path: Path) -> Iterator[Session]:
        """Open a game, locked. Raises `SaveError`."""
        with locked(path):
            yield self.taking.games.session(path)

    def contained(self, path: Path) -> AbstractContextManager[None]:
        """Contain errors of one game: they are reported and don't affect other games."""
        return self.taking.delivery.contained(path)

    def store(self, session: Session) -> None:
        """Store the changes; the emails are still to be written."""
        session.save.header.unsent = True
        set_due(session, self.now)
        session.commit(self.now)
        self.index.know(session.save)

    def sender(self, save: Save) -> str:
        return sender_of(save, self.taking.delivery.sender)
