"""What the tests of every game share: its examples, made again in a folder."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

import games
from pbem.cli.demo import plain_part
from pbem.dev import synthetic_mail
from pbem.kernel.game import Game
from pbem.kernel.referee import Referee
from pbem.mail.inbox.ingest import ingest
from pbem.mail.inbox.stages import IngestReport
from pbem.mail.outbox.press import FULL
from pbem.save import Session
from tests.examples.kit import build_all


class Played(NamedTuple):
    """A save after its mailbox. `letters`: seat → the text of all that it was sent, each run of blanks one blank."""

    session: Session
    report: IngestReport
    letters: dict[str, str]


class Examples:
    """`saves/` and `examples/` of one game, as `pbem examples build` writes them, but the long ones."""

    def __init__(self, game: Game, home: Path) -> None:
        self.game, self.home = game, home
        build_all(home, [game.slug], long=False)

    def session(self, name: str) -> Session:
        """The save of that name."""
        return self._open(self.home / "saves" / f"{name}.toml")

    def referee(self, name: str) -> Referee:
        """The game of that save, at its moment."""
        return self.session(name).referee

    def shipped(self, name: str) -> Referee:
        """The save of that name in the repository, not the one made again."""
        return self._open(Path(__file__).parents[2] / "saves" / f"{name}.toml").referee

    def played(self, name: str, days: int) -> Played:
        """The save and the mailbox of that name, `days` after it was begun; the seats are told everything at once."""
        save, mbox = self.home / "saves" / f"{name}.toml", self.home / "examples" / f"{name}.mbox"
        now = synthetic_mail.START + timedelta(days=days)
        before = self._open(save)
        for seat in before.save.seats:
            seat.letters = FULL
        before.commit()
        report = ingest([save], [mbox], now=now, home=self.home)
        session = self._open(save)
        letters = {seat.id: "" for seat in session.save.seats}
        for file in sorted((self.home / "outbox" / "new").iterdir()):
            letters[file.name.split(".")[1]] += plain_part(file.read_bytes())
        return Played(session, report, {seat: " ".join(text.split()) for seat, text in letters.items()})

    def _open(self, path: Path) -> Session:
        return Session.open(path, self.game)


@pytest.fixture(scope="module")
def examples(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Examples:
    """Those of the game after which the folder of the tests is called."""
    return Examples(games.load(request.path.parent.name), tmp_path_factory.mktemp("examples"))
