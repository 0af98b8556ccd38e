"""Run a game: put questions, accept answers, keep the journal, replay it, and resume from checkpoints.

The referee holds one generator (the rules) and its pending request. A journal of `Move`s rebuilds everything. Sealed
answers and negotiation acts enter it only when their question closes, in seat order, so that it never reveals who
answered first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from copy import copy
from typing import Any

import msgspec

from pbem.kernel import advance_orders
from pbem.kernel.corrections import Correction, Steps
from pbem.kernel.dice import Dice
from pbem.kernel.domains import PASS, Domain, Reply, Value
from pbem.kernel.evidence import Look
from pbem.kernel.game import Game, Setup
from pbem.kernel.game_loop import Loop, components_of, pack_of
from pbem.kernel.journal import (
    AGREED,
    BEACON,
    CHOSEN,
    DECIDED,
    DEFAULT,
    QUEUED,
    SETTINGS,
    STANDING,
    AdvanceNote,
    CheckpointRecord,
    Move,
    PendingQuestion,
    ReplayError,
)
from pbem.kernel.negotiation import OpenNegotiation
from pbem.kernel.questions import MODERATOR, REACTION, Ask, AskAll, LazyDomain, Negotiate, Replies, Window
from pbem.kernel.rejections import Rejection, rejection
from pbem.kernel.standing_orders import (
    ALWAYS,
    MINE,
    AdvanceOrder,
    AskMe,
    StandingRule,
    is_answered_from_sheets,
    wants_to_be_asked,
)
from pbem.kernel.table import Table

__all__ = [
    "CHOSEN",
    "DECIDED",
    "DEFAULT",
    "QUEUED",
    "SETTINGS",
    "STANDING",
    "AdvanceNote",
    "CheckpointRecord",
    "Move",
    "PendingQuestion",
    "Referee",
    "ReplayError",
    "components_of",
    "pack_of",
]


class Referee(Loop):
    """One game in progress. Create it with `Referee.new` or `Referee.resume`."""

    def __init__(
        self,
        game: Game,
        setup: Setup,
        *,
        dice: Dice | None = None,
        ask_me: str = MINE,
        on_mark: Callable[[CheckpointRecord], None] | None = None,
    ) -> None:
        super().__init__(game, setup, dice, on_mark)
        self.ask_me = ask_me
        self.deal = ""
        self.queue: list[AdvanceOrder] = []
        self.standing: list[StandingRule] = []
        self.settings: list[AskMe] = []
        self.notes: list[AdvanceNote] = []

    # -- beginning ---------------------------------------------------------------------------------------------------

    @classmethod
    def new(cls, game: Game, setup: Setup, **keywords: Any) -> Referee:
        """Set up a game and play to the first question."""
        referee = cls(game, setup, **keywords)
        deal = game.setup  # in a local: `said_of` finds the author's line by it if pbem can't use the result
        referee.table.state = deal(referee.table)
        referee.start()
        referee.advance(None)
        advance_orders.apply_advance_orders(referee)
        return referee

    @classmethod
    def resume(
        cls, game: Game, setup: Setup, moves: Sequence[Move], mark: CheckpointRecord | None = None, **keywords: Any
    ) -> Referee:
        """Replay `moves` (those after `mark`, or all) to the open question. Raises `ReplayError`."""
        referee = cls(game, setup, **keywords)
        referee.replay_from_start(moves, mark)
        return referee

    def replay_from_start(self, moves: Sequence[Move], mark: CheckpointRecord | None = None) -> None:
        """Replay from the set-up, or from `mark`, through `moves` to the open question. Raises `ReplayError`."""
        if mark is None:
            self.table.state = self.game.setup(self.table)
        else:
            self.resume_at(mark)
        self.start()
        self.advance(None, live=False)
        self.replay(moves)

    # -- what is open ------------------------------------------------------------------------------------------------

    def asked(self) -> tuple[str, ...]:
        """Return the seats that are asked by public knowledge, whether they have answered or not."""
        now = self.now
        if now is None:
            return ()
        if isinstance(now, Ask):
            return (now.seat,)
        return tuple(now.seats) if isinstance(now, Negotiate) else tuple(self._asked)

    def waiting(self) -> tuple[str, ...]:
        """Return the seats whose answer is missing. Secret: for the referee and the moderator only."""
        now = self.now
        if type(now) is Ask:
            return (now.seat,)
        if now is None:
            return ()
        talk = self.talk
        if talk is not None:
            done = talk.done
            return _without(talk.request.seats, done) if done else talk.request.seats
        sealed = self.sealed
        return _without(self._asked, sealed) if sealed else tuple(self._asked)

    def domain(self, seat: str) -> Domain:
        """Return the domain of the answer that `seat` owes. Raises `Rejection` if it owes none."""
        found = self._domains.get(seat)
        if found is not None:
            return found
        now, talk = self.now, self.talk
        lazy: Domain | Callable[[], Domain]
        if talk is not None and seat in talk.request.seats:
            lazy = talk.domain(seat)
        elif type(now) is Ask and now.seat == seat:
            lazy = now.domain
        elif type(now) is AskAll and seat in now.asks:
            lazy = now.asks[seat].domain
        elif isinstance(now, Window) and seat in now.domains:
            lazy = _reply(now.domains, seat)
        else:
            raise rejection("answer.no_question")
        domain = self._domains[seat] = lazy() if callable(lazy) else lazy
        return domain

    def pending(self) -> list[PendingQuestion]:
        """Return the open questions, one per asked seat."""
        waiting = self.waiting()
        return [self._question_to(seat, answered=seat not in waiting) for seat in self.asked()]

    def pending_to(self, seat: str) -> PendingQuestion | None:
        """Return the open question to one seat, None if it isn't asked."""
        return self._question_to(seat, answered=seat not in self.waiting()) if seat in self.asked() else None

    def look(self, seat: str) -> Look[Any]:
        """Return the open question to `seat` in a world where its secrets are the only truth.

        The dealing follows from the game's secret seed, so that nobody can undo it. Tests set `deal` for another one.
        """
        pending, apart = self.pending_to(seat), self.table.private_copy()
        if pending is None:
            raise rejection("answer.no_question")
        apart.trail.extend(self.table.trail)
        if seat != MODERATOR:
            self._deal_anew(apart, seat)
        return Look(apart, seat, pending.kind, pending.about, pending.secret)

    def _deal_anew(self, table: Table, seat: str) -> None:
        chance = Dice(f"look {self.setup.seed} {self.q} {seat} {self.deal}".encode())
        self.game.conceal(table, seat, chance.below)

    def next_turn(self, seat: str) -> Referee | None:
        """Return a referee that asks `seat` the first question of its next turn, as things stand; None without one.

        Its table is dealt again like that of `look`, so what it asks and accepts follows from what the seat may know.
        It is for reading only.
        """
        asked = self.pending_to(seat)
        foreseen = asked is None or asked.pace == "turn" or (asked.sealed and asked.pace != REACTION)
        if self.over or seat not in self.table.seats or not foreseen:
            return None
        apart = self.table.private_copy()
        self._deal_anew(apart, seat)
        ask = self.game.next_turn(apart, seat, asked is not None)
        if ask is None:
            return None
        other = copy(self)
        other.table, other.now, other.talk, other.sealed, other._domains = apart, ask, None, {}, {}
        return other

    def paces(self) -> list[str]:
        """Return the pace of each open question (`Ask.pace`)."""
        now = self.now
        return [(now.asks[seat] if isinstance(now, AskAll) else now).pace for seat in self.asked()] if now else []

    def _question_to(self, seat: str, *, answered: bool) -> PendingQuestion:
        now = self.now
        ask: Any = now.asks[seat] if isinstance(now, AskAll) else now
        secret = now.secret.get(seat, {}) if isinstance(now, Window) else getattr(ask, "secret", {})
        default = PASS if isinstance(now, Window) else "done" if isinstance(now, Negotiate) else ask.default
        if callable(default):
            default = default()
        prompt = ask.prompt or f"ask.{ask.kind}"
        sealed = isinstance(now, (AskAll, Window))
        return PendingQuestion(
            self.q, seat, ask.kind, ask.rule, ask.pace, dict(ask.about), dict(secret), prompt, default, sealed, answered
        )  # fmt: skip

    # -- answering ---------------------------------------------------------------------------------------------------

    def submit(
        self, seat: str, value: Value, how: str = CHOSEN, at: str = "", via: str = "", settle: bool = True
    ) -> None:
        """Accept the answer of `seat` to the open question. Raises `Rejection`; then nothing has changed.

        A sealed answer may be replaced until the question closes. `settle`: then apply advance orders.
        """
        self.check(seat, value)
        self.table.spared.clear()
        now, talk = self.now, self.talk
        if talk is not None:
            talk.act(seat, value)
            self._domains = {}
            if talk.closed:
                self._close_talk(talk, how, at, via)
        elif type(now) is Ask:
            table = self.table
            table.n = n = table.n + 1
            self.moves.append(Move(n, self.q, seat, now.kind, value, how, at, via))
            self.advance(value)
        else:
            ask: Any = now.asks[seat] if type(now) is AskAll else now
            sealed = self.sealed
            sealed[seat] = Move(0, self.q, seat, ask.kind, value, how, at, via)
            if len(sealed) == len(self._asked):
                self._close_sealed()
        if settle and (self.queue or self.standing or self.table.held):
            advance_orders.apply_advance_orders(self)

    def check(self, seat: str, value: Value) -> None:
        """Raise `Rejection` unless `seat` may answer so now."""
        try:
            self.domain(seat).check(value)
        except Rejection as refused:
            raise Rejection(refused.problem.under(self.rule_for(seat))) from None

    def rule_for(self, seat: str) -> str:
        """Return the rule section that the open question to `seat` cites."""
        now = self.now
        if isinstance(now, AskAll):
            return now.asks[seat].rule if seat in now.asks else ""
        return now.rule if now is not None else ""

    def _record(self, seat: str, kind: str, value: Value, how: str, at: str, via: str) -> None:
        n = self.base + len(self.moves) + 1
        self.moves.append(Move(n, self.q, seat, kind, value, how, at, via))
        self.table.n = n

    def _close_sealed(self) -> None:
        """Open the sealed answers, journal them in the question's own order, and play on."""
        sealed, moves, answers = self.sealed, self.moves, {}
        n = self.n
        for seat in self._asked:
            move = sealed[seat]
            move.n = n = n + 1
            moves.append(move)
            answers[seat] = move.answer
        self.table.n = n
        self.advance(Replies(answers) if type(self.now) is Window else answers)

    def _close_talk(self, talk: OpenNegotiation, how: str, at: str, via: str) -> None:
        self._record("", talk.request.kind, {"acts": talk.acts}, how, at, via)
        for proposal in talk.open.values():
            self.notes += [AdvanceNote(party, "proposal.lapsed", proposal.id) for party in proposal.parties]
        self.advance(talk.deals)

    def time_up(self, at: str = "", seats: Iterable[str] | None = None) -> tuple[str, ...]:
        """Give each missing seat (of `seats`) its default at the deadline. Return those without a legal default."""
        if self.talk is not None:
            self._close_talk(self.talk, DEFAULT, at, "")
            advance_orders.apply_advance_orders(self)
            return ()
        stuck: list[str] = []
        q = self.q
        for pending in self.pending():
            seat, default = pending.seat, pending.default
            if pending.answered or self.q != q or (seats is not None and seat not in seats):
                continue
            if default is None or not self.domain(seat).accepts(default):
                stuck.append(seat)
            else:
                self.submit(seat, default, DEFAULT, at, settle=False)
        advance_orders.apply_advance_orders(self)
        return tuple(stuck)

    def fiat(self, steps: Steps, *, at: str = "", via: str = "") -> None:
        """Correct the state (journaled); answers no longer legal go back. Raises `Rejection`, and changes nothing."""
        Correction(self.table, self.game.invariants).check(steps)
        self._record(MODERATOR, "fiat", steps, DECIDED, at, via)
        self._apply_fiat(steps)
        for seat, move in list(self.sealed.items()):
            try:
                self.domain(seat).check(move.answer)
            except Rejection as refused:
                del self.sealed[seat]
                self.notes.append(AdvanceNote(seat, "sealed.dropped", _as_text(move.answer), refused.problem, move.via))
        for proposal, problem in self.talk.invalid_proposals() if self.talk is not None else ():
            self.notes.append(AdvanceNote(proposal.by, "proposal.dropped", proposal.id, problem))

    def add_beacon_round(self, value: dict[str, Any], at: str = "") -> None:
        """Enter a round of a public beacon into the dice (journaled): `round`, `randomness`, `signature`."""
        self._record(MODERATOR, BEACON, value, DECIDED, at, "")
        self._tell_beacon(value)

    def agree(self, end: str, winners: Sequence[str], at: str = "") -> None:
        """End the game by agreement of the players (journaled): `draw`, `call-off` or `concede`."""
        value: dict[str, Any] = {"end": end, "winners": list(winners)}
        self._record(MODERATOR, AGREED, value, DECIDED, at, "")
        self._agree(value)

    def _unasked(self, window: Window) -> Replies[Any] | None:
        """Pass for seats that don't want to be asked, or answer from sheets; None if somebody is asked."""
        if not self._asked:
            return Replies({})
        if self.ask_me != ALWAYS and is_answered_from_sheets(window, self.table.options):
            return self._from_sheets(window)
        clock = self.game.calendar(self.table.state) if self.settings else {}
        for seat in self._asked:
            if wants_to_be_asked(self.settings, seat, window.kind, window.about, clock, self.ask_me):
                continue
            if not ((self.queue or self.standing) and advance_orders.has_advance_order(self, seat)):
                self.sealed[seat] = Move(0, self.q, seat, window.kind, PASS, SETTINGS)
        if len(self.sealed) < len(self._asked):
            return None
        for seat in self._asked:
            self._record(seat, window.kind, PASS, SETTINGS, "", "")
        self.sealed = {}
        return Replies(dict.fromkeys(self._asked, PASS))

    def _from_sheets(self, window: Window) -> Replies[Any]:
        """Answer for every seat: the first legal line of its reaction sheet, else pass."""
        answers: dict[str, Value] = {}
        for seat in self._asked:
            found = advance_orders.sheet_answer(self, seat) if self.standing or self.queue else None
            answers[seat], how, via = found or (PASS, SETTINGS, "")
            self._record(seat, window.kind, answers[seat], how, "", via)
        self._domains = {}
        return Replies(answers)

    # -- replay ------------------------------------------------------------------------------------------------------

    def replay(self, moves: Sequence[Move]) -> None:
        """Replay `moves` unchecked. Raises `ReplayError`. Then submit sealed answers and acts again."""
        super().replay(moves)
        advance_orders.apply_advance_orders(self)

    def ask_again(self) -> None:
        """Put the open window again: seats whose settings don't want to be asked pass."""
        window = self.now
        if isinstance(window, Window) and not self.sealed:
            replies = self._unasked(window)
            if replies is not None:
                self.advance(replies)
            advance_orders.apply_advance_orders(self)

    # -- answers given in advance ------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Let new standing orders and queued lines answer what is open."""
        advance_orders.apply_advance_orders(self)

    # -- fingerprints ------------------------------------------------------------------------------------------------

    def digest(self) -> str:
        """Return a SHA-256 (hex) over the state, the dice and the open question: equal for equal games."""
        dice = self.table.dice
        head = f"{self.n}:{self.q}:{dice.epoch}:{dice.counter}:{self.now.__class__.__name__}:{','.join(self.asked())}"
        body = msgspec.json.encode(self.table.state, order="deterministic")
        return hashlib.sha256(head.encode() + b"\0" + body).hexdigest()


def _without(seats: Iterable[str], those: Container[str]) -> tuple[str, ...]:
    return tuple([seat for seat in seats if seat not in those])


def _reply(candidates: Mapping[str, LazyDomain], seat: str) -> Reply:
    """Return the reply domain of `seat` in a window: its own answers, with conditions on what others do."""
    lazy = candidates[seat]
    return Reply(lazy() if callable(lazy) else lazy, [other for other in candidates if other != seat])


def _as_text(answer: Value) -> str:
    """Return the text of an answer whose domain no longer exists, for a note to its writer."""
    return answer if isinstance(answer, str) else msgspec.json.encode(answer).decode()
