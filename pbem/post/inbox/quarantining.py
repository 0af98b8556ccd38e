"""Letters that cannot be trusted or read: put into quarantine, with a word to the address on file where it helps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from pbem.clock.policy import stamp
from pbem.orders import Block
from pbem.post.game_pool import GamePool
from pbem.post.inbox.identify import Verdict
from pbem.post.inbox.keys import held_id
from pbem.post.inbox.mime import Letter
from pbem.post.inbox.outcomes import IngestReport
from pbem.post.inbox.quarantine import Held, Quarantine
from pbem.post.inbox.sources import Received
from pbem.post.outbox.drafts import add_notice
from pbem.report.cells import cut
from pbem.save import Intake, SaveError


class Aside:
    """Puts letters aside in a run; what it does waits for the end of the transaction that is going on."""

    def __init__(self, quarantine: Quarantine, games: GamePool, report: IngestReport, now: datetime) -> None:
        self.quarantine = quarantine
        self.games = games
        self.report = report
        self.now = now

    def known(self, received: Received, letter: Letter | None) -> bool:
        """Whether the letter lies here and need not be looked at again."""
        ident = held_id(received, letter)
        return self.quarantine.has(ident) and not self.quarantine.waits(ident)

    def settle(self, received: Received, letter: Letter) -> None:
        """A letter that came too early has been taken in after all."""
        ident = held_id(received, letter)
        if self.quarantine.waits(ident):
            self.quarantine.settle(self.quarantine.find(ident), "released")

    def put(
        self,
        received: Received,
        letter: Letter | None,
        verdict: Verdict,
        block: Block | None,
        told: Callable[[Held], None],
    ) -> None:
        """Tell the seats that should hear of it, then put the letter aside; `told` hears of it if it is a new one."""
        ident = held_id(received, letter)
        if not self.quarantine.has(ident):
            for name, seat in verdict.tell:
                self._notify(name, seat, verdict, ident, letter)
        held = Held(
            id=ident,
            reason=verdict.reason,
            at=stamp(self.now),
            sender=(letter.sender or letter.sender_name) if letter else "",
            subject=letter.subject[:120] if letter else "",
            game=block.game[:60] if block else "",
            seat=block.seat[:60] if block else "",
            detail=verdict.detail,
            where=received.where,
        )
        self.games.afterwards(lambda: self._put(held, received.raw, told))

    def _put(self, held: Held, raw: bytes, told: Callable[[Held], None]) -> None:
        if self.quarantine.put(held, raw):
            told(held)
        else:
            self.report.known += 1

    def _notify(self, name: str, seat: str, verdict: Verdict, ident: str, letter: Letter | None) -> None:
        """Draft a notice to the address on file; noted in the intake, so that a crash does not send it twice."""
        path, key = self.games.index.path(name), f"held:{ident}:{seat}"
        subject = cut(letter.subject, 60) if letter else ""
        known = verdict.reason not in ("unknown-sender", "unproven")  # a stranger's subject is not passed on
        more = {"subject": subject if known else "", "detail": verdict.detail}
        try:
            with self.games.transaction(path) as session:
                if self.games.knows(path, key):
                    return
                at, info = stamp(self.now), session.save.seat(seat)
                if add_notice(session, info, verdict.reason, ident, at, **more):
                    entry = Intake(key, "", "", seat, at, f"held:{verdict.reason}")
                    self.games.note(session, entry)
        except SaveError as error:
            if self.games.at_work(path):
                raise
            self.report.broken[str(path)] = str(error)
