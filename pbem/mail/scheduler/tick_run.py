"""One run over a folder of saves: its time, the heartbeat, the games it opens, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import msgspec

from pbem.clock.beacon import BeaconRound
from pbem.clock.heartbeat import Heartbeat
from pbem.mail.bots import set_due
from pbem.mail.inbox.inbox_run import GameBatches
from pbem.mail.inbox.report import IngestReport
from pbem.mail.outbox.mime_message import sender_of
from pbem.mail.scheduler.reaching import Reach
from pbem.save import Save, Session, locked


class TickReport(msgspec.Struct):
    """What came of a run: games looked at and opened, reminders sent, questions whose time was up, outages told of.

    `moderator` are sentences for the moderator, `needs` those that no letter tells, `letters` what was sent besides
    reminders. Nothing here tells who has answered what is sealed.
    """

    games: int = 0
    opened: int = 0
    reminders: int = 0
    time_up: list[str] = []
    outages: list[str] = []
    moderator: list[str] = []
    needs: list[str] = []
    letters: IngestReport = msgspec.field(default_factory=IngestReport)

    def shown(self) -> TickReport:
        """What the moderator may see: where they play, a reminder would tell that somebody has not answered."""
        reminders = 0 if self.letters.discreet else self.reminders
        return msgspec.structs.replace(self, letters=self.letters.shown(), reminders=reminders)


class TickRun:
    """One run. `taking` has the saves, their sessions and the outbox; `heart` is when mail was read and cron ran.

    `rounds` is what was handed in of a public beacon.
    """

    def __init__(self, taking: GameBatches, heart: Heartbeat, rounds: Iterable[BeaconRound] = ()) -> None:
        self.taking = taking
        self.index = taking.index
        self.now = taking.games.now
        self.heart = heart
        self.outbox = taking.outbox
        self.reach = Reach(taking.home)
        self.rounds = {found.round: found for found in rounds}
        self.done = TickReport(games=len(taking.index.paths))

    def games(self) -> list[tuple[Save, Path]]:
        """The header of each game, and its file."""
        return [(self.index.headers[name], path) for name, path in self.index.paths.items()]

    def header(self, path: Path) -> Save:
        """The header of a game as it stands now."""
        return self.index.headers[self.index.name(path)]

    @contextmanager
    def opened(self, path: Path) -> Iterator[Session]:
        """A game, locked. Raises `SaveError`."""
        with locked(path):
            yield self.taking.games.session(path)

    def contained(self, path: Path) -> AbstractContextManager[None]:
        """Work on one game: what goes wrong is reported and costs no other game anything."""
        return self.taking.delivery.faults.contained(path)

    def store(self, session: Session) -> None:
        """Put what was changed on disk; its letters are still to be written."""
        session.save.header.unsent = True
        set_due(session, self.now)
        session.commit(self.now)
        self.index.know(session.save)

    def sender(self, save: Save) -> str:
        """The address that letters about a game come from."""
        return sender_of(save, self.taking.delivery.sender)
