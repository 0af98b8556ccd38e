"""Pairs of worlds that differ in settings alone: standing orders of others must not show to any asked seat."""

from __future__ import annotations

from typing import Any

from pbem.dev.leak_test_pairs import End, Leaked
from pbem.dev.random_game import sampler
from pbem.dev.received import Got, compare
from pbem.dev.take_back_pairs import TakeBackPair
from pbem.kernel.journal import CHOSEN
from pbem.kernel.questions import Ask
from pbem.kernel.referee import Referee
from pbem.save import Session

_CHAIN = 40
"""Maximum number of successive questions that settings may answer."""

_FAILS = 0.3
"""Probability that X has a standing order that never fits: when X is told so may not depend on the others' answers."""

_NONSENSE = "nonsense: 3 = 4"

_SETTINGS = ("ask all: never", "standing all: pass")


class SettingsPair(TakeBackPair):
    """Two worlds with the same state, and a seat that must not notice who has settings."""

    emails = ("",)  # several runs in B correspond to one in A, and X must not get an email in each

    @classmethod
    def fits(cls, referee: Referee, observer: str) -> bool:
        """Check if X is asked together with others: there a setting of theirs could show."""
        asked = referee.asked()
        return referee.talk is None and observer in asked and len(asked) > 1

    def other_state(self) -> bytes:
        return self.mark.state

    given = 0
    """Number of answers that settings have given in A."""

    def run(self) -> None:
        super().run()
        self.result.changed += bool(self.given)

    def _play(self) -> None:
        super()._play()
        self.take_back()

    def hides(self, world: Session, seat: str) -> bool:
        """Check also for settings that would answer at once what is asked again."""
        referee = world.referee
        settled = {order.seat for order in referee.standing} | {ask_me.seat for ask_me in referee.settings}
        return super().hides(world, seat) or (seat in settled and type(referee.now) is Ask)

    def begin(self) -> None:
        """Send the settings of all seats except X in A, and sometimes a standing order of X that fails in both."""
        a = self.a.open()
        kinds = {asked.seat: asked.kind for asked in a.referee.pending()}
        own = (
            [(self.seat, [f"standing {kinds[self.seat]}: {_NONSENSE}"])]
            if self.writing.habits.random() < _FAILS
            else []
        )
        lines = [
            (seat, self.random.choice([*_SETTINGS, *self._standing(a, seat, kinds.get(seat, ""))]).split("\n"))
            for seat in self.setup.seats
            if seat != self.seat
        ]
        self.post((self.mails(a, [*own, *lines], 0), self.mails(self.b.open(), own, 1)))

    def _standing(self, a: Session, seat: str, kind: str) -> list[str]:
        if not kind or a.referee.talk is not None:
            return []
        domain, offered = a.referee.domain(seat), self.game.policies(a.referee.table, seat, kind)
        found = [f"standing {kind}: {domain.text(domain.sample(sampler(self.random)))}" for _ in _SETTINGS]
        return [*found, *(["\n".join(offered)] * 2 * len(found) if offered else ())]

    def play_round(self) -> None:
        """Answer in both worlds at the same time for every seat that is still asked in A."""
        a, b = self.a.open(), self.b.open()
        if a.referee.over:
            raise End("over")
        pending = {asked.seat: asked for asked in a.referee.pending()}
        self.step = f"{next(iter(pending.values())).kind} (question {a.referee.q})"
        lines = [(seat, [self._answer(a, seat)]) for seat in a.referee.waiting()]
        self.post((self.mails(a, lines, 0), self.mails(b, lines, 1)))
        self.result.steps += len(lines)

    def _answer(self, a: Session, seat: str) -> str:
        referee = a.referee
        value = "done" if referee.talk is not None else referee.domain(seat).sample(sampler(self.random))
        return f"{referee.q}: {referee.domain(seat).text(value)}"

    def catch_up(self) -> None:
        """Let the others write in B what their settings have answered in A."""
        for _ in range(_CHAIN):
            b = self.b.open()
            lines = self._earlier_answers(self.a.open(), b)
            if not lines:
                break
            own = b.referee.sealed.get(self.seat)
            if self.seat not in b.referee.asked() or (own is not None and own.how != "chosen"):
                raise End("time tells")  # X sees that a question was answered in the run that put it
            self.given += len(lines)
            self.b.post(self.mails(b, lines, 1), self.now)
        a, b = self.a.open().referee, self.b.open()
        asked = [(referee.q, referee.asked()) for referee in (a, b.referee)]
        if asked[0] != asked[1]:
            if _waits_for_nobody(b, a.q):  # a seat is asked in A whose standing order doesn't fit
                raise End("time tells")
            raise Leaked("the question", str(asked[0]), str(asked[1]))

    def _mail_alike(self, one: list[Got], other: list[Got]) -> None:
        compare(one, other, self.addresses)  # B's outbox has the emails of several runs

    def _earlier_answers(self, a: Session, b: Session) -> list[tuple[str, list[str]]]:
        """Return the answers of others to B's question that A has already."""
        q, found = b.referee.q, dict[str, Any]()
        found |= {move.seat: move.answer for move in a.moves() if move.q == q}
        found |= {seat: move.answer for seat, move in a.referee.sealed.items() if move.q == q}
        return [
            (seat, [f"{q}: {b.referee.domain(seat).text(found[seat])}"])
            for seat in b.referee.waiting()
            if seat != self.seat and seat in found
        ]


def _waits_for_nobody(session: Session, q: int) -> bool:
    """Check if settings alone have closed a question: everybody sees that it was answered in the run that put it."""
    answers = [move.how for move in session.moves() if move.q == q]
    return bool(answers) and CHOSEN not in answers
