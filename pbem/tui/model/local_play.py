"""A game at one keyboard: solo against bots, or several players who take turns at the screen."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import isfinite
from pathlib import Path

from pbem.tui.model.game_source import Hint, Loader, SaveSource

_HINTS = 3
"""Answers that a hint shows."""


class LocalGame(SaveSource):
    """A save that is played here. The screen is that of the seat to move; `people` are the seats without bots."""

    direct = True

    def __init__(
        self, path: Path, people: Sequence[str], loader: Loader | None = None, *, guided: bool = False
    ) -> None:
        self.people = tuple(people)
        self.guided = guided
        super().__init__(path, self.people[0], loader)
        self.seat = self.turn()

    def turn(self) -> str:
        """Return the player who is asked next, from the current one on; the current one if nobody is asked."""
        waiting = self.session.referee.waiting()
        at = self.people.index(self.seat) if self.seat in self.people else 0
        order = (*self.people[at:], *self.people[:at])
        return next((seat for seat in order if seat in waiting), order[0])

    def sit(self, seat: str) -> None:
        """Show the game to another player."""
        self.seat = seat

    def take(self, text: str, now: datetime) -> str:
        """Put orders into the game; bots answer at once. Return rejections in words."""
        said = super().take(text, now)
        return "" if self.taken else said

    def hints(self, seat: str) -> list[Hint]:
        """Return a bot's best answers for this seat, best first."""
        from pbem.bot import EFFORTS, best
        from pbem.mail.bots import position_of

        domain = self.session.referee.domain(seat)
        rated = best(position_of(self.session), seat, EFFORTS["normal"])
        shown = [found for found in rated[:_HINTS] if isfinite(found.worth)] or rated[:1]
        return [Hint(domain.text(found.answer), found.worth, found.gains) for found in shown]

    def take_back(self, now: datetime) -> bool:
        """Undo the last answer at the keyboard, False if there is none. Later dice are new; the log says so."""
        from pbem.kernel.journal import BOT
        from pbem.mail.moderator.journal import Actor, everybody, journal
        from pbem.mail.outbox.email_parts import groups_of
        from pbem.save import take_back

        groups = groups_of(self.session.moves())
        mine = [group for group in groups if any(m.seat == self.seat and m.how != BOT for m in group)]
        if not mine:
            return False
        plan = take_back(self.session, mine[-1][0].n - 1, now)
        author = Actor(self.seat, "taken back at the screen", now)
        journal(self.session, author, "rewind", everybody(self.session), n=plan.n, was=plan.was_n)
        self.session.commit(now)
        self._open()
        self.seat = self.turn()
        return True
