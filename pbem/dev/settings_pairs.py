"""Pairs of worlds that differ in settings alone, and pairs in which players take back what they did.

Standing orders of others must not show to any asked seat. Whether others are asked about an act that is taken back must
tell nothing hidden.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Any

import msgspec

from pbem.dev.leak_test_mail import MailPair
from pbem.dev.leak_test_pairs import End, Leaked
from pbem.dev.random_game import sampler
from pbem.dev.received import Got, MailWorld, compare
from pbem.dev.synthetic_mail import START, write_email
from pbem.kernel.journal import CHOSEN
from pbem.kernel.questions import Ask
from pbem.kernel.referee import CheckpointRecord, Referee
from pbem.kernel.rejections import Rejection
from pbem.mail.moderator import votes
from pbem.save import Session, checkpoints
from pbem.save.settings import set_setting

_TRIES = 8
"""Number of acts tried until one shows nothing."""


class TakeBackPair(MailPair):
    """Two worlds in which, after each round, the seat that acted last takes it back."""

    _marks: tuple[CheckpointRecord, ...] = ()  # where the journal of each world begins

    @classmethod
    def fits(cls, referee: Referee, observer: str) -> bool:
        """Check if one seat is asked, whose act may show nothing: another act is likely to end the pair."""
        return type(referee.now) is Ask and _shows_nothing(referee, Random(referee.n)) is not None

    def _world(self, name: str, state: bytes) -> MailWorld:
        """Begin the journal of each world at the checkpoint, so that a rewind leads to its own state."""
        world = super()._world(name, state)
        session, mark = world.open(), msgspec.structs.replace(self.mark, state=state)
        session.save.origin = checkpoints.point_of(mark, self.game)
        set_setting(session.save, "players_may.take_back", "own")
        session.save.clock.time_up, session.save.clock.absent_after = {}, 0  # no bot plays
        session.commit(START)
        self._marks = (*self._marks, mark)
        self._epochs, self._sent = [0, 0], 0
        return world

    def play_round(self) -> None:
        """Let one seat that is asked do what shows nothing, if there is such an act; else play as in other pairs."""
        b, chance = self.b.open(), Random(self.random.random())
        tries = (_shows_nothing(self.a.open().referee, chance) for _ in range(_TRIES))
        act = next((act for act in tries if act is not None), None)
        if act is not None and b.referee.asked() == act[:1] and b.referee.domain(act[0]).accepts(act[1]):
            self.step = f"{act[2]} (question {b.referee.q})"
            self._send([(act[0], f"{b.referee.q}: {b.referee.domain(act[0]).text(act[1])}")])
            self.result.steps += 1
        else:
            super().play_round()
        self.take_back()

    def hides(self, world: Session, seat: str) -> bool:
        """Check if `take back` withdraws an answer or lines that no other seat has seen."""
        return seat in world.referee.sealed or any(order.seat == seat for order in world.referee.queue)

    def take_back(self) -> None:
        """Let the seat that acted last take it back, or another one that `hides` nothing take back its last act."""
        a, b = self.a.open(), self.b.open()
        movers = [move.seat for move in reversed(a.moves(self.mark.n)) if move.seat in self.setup.seats]
        seat = next((seat for seat in movers if not any(self.hides(world, seat) for world in (a, b))), "")
        if not seat or a.referee.over:
            return
        self.step = f"{seat} takes back"
        self._send([(seat, "take back")])
        self._vote()

    def _vote(self) -> None:
        """Let all agree, X first; or all but X, and in one world only: nobody learns how anybody votes."""
        vote = next((vote for vote in self.a.open().save.votes if vote.result == votes.OPEN), None)
        if vote is None:
            return
        self.step = f"{vote.seat} asks to take back"
        own, others = (
            [(seat, f"agree {vote.id}") for seat in vote.asked if (seat == self.seat) is x] for x in (True, False)
        )
        if own and vote.id % 2:
            self._send(others, both=False)
            return
        for lines in filter(None, (own, others)):
            self._send(lines)

    def _send(self, lines: list[tuple[str, str]], *, both: bool = True) -> None:
        """Post these lines, at the same time in both worlds: all may know when one asks, and when the last agrees."""
        self._sent += 1
        at = self.now + timedelta(minutes=30)
        worlds = [self.a.open(), self.b.open()] if both else [self.a.open()]
        mails = [
            [write_email(world, seat, [line], at, number=1000 + self._sent) for seat, line in lines] for world in worlds
        ]
        self.post((mails[0], mails[-1] if both else []))

    def _lines_alike(self, a: Session, b: Session) -> None:
        epochs = [session.save.dice.epoch for session in (a, b)]
        if epochs[0] != epochs[1]:
            raise Leaked("whether it is taken back", str(epochs[0]), str(epochs[1]))
        if epochs != self._epochs:  # the lines of the abandoned branch are no longer in the journal
            self._epochs, self._told = epochs, [0, 0]
            self._beside = [
                Referee.resume(self.game, session.setup, [], mark)
                for session, mark in zip((a, b), self._marks, strict=True)
            ]
        super()._lines_alike(a, b)


def _shows_nothing(referee: Referee, chance: Random) -> tuple[str, Any, str] | None:
    """Play a random answer of the one seat that is asked. Return seat, answer and kind, None if it shows something."""
    now, told = referee.now, len(referee.table.lines)
    if type(now) is not Ask:
        return None
    value = referee.domain(now.seat).sample(sampler(chance))
    with suppress(Rejection):
        referee.submit(now.seat, value)
    quiet = type(referee.now) is Ask and not any(line.is_irreversible for line in referee.table.lines[told:])
    return (now.seat, value, now.kind) if quiet else None


_CHAIN = 40
"""Maximum number of successive questions that settings may answer."""

_FAILS = 0.3
"""Probability that X has a standing order that never fits: when X is told so may not depend on the others' answers."""

_NONSENSE = "nonsense: 3 = 4"

_SETTINGS = ("ask all: never", "standing all: pass")


class SettingsPair(TakeBackPair):
    """Two worlds with the same state, and a seat that must not notice who has settings."""

    letters = ("",)  # several runs in B correspond to one in A, and X must not get an email in each

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
