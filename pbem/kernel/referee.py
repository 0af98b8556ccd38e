"""Runs a game: puts questions, takes answers, keeps the journal, replays it, and resumes from checkpoints.

The referee holds one generator (the rules) and the request it is waiting at. A journal of `Move`s rebuilds everything;
sealed answers and the acts of an open negotiation enter the journal only when their question closes, in seat order, so
that the journal never tells who answered first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from pbem.kernel import fiat as hand
from pbem.kernel import in_advance as advance
from pbem.kernel import replaying
from pbem.kernel.answers import PASS, Domain, Reply, Value
from pbem.kernel.dice import Dice
from pbem.kernel.game import Game, Setup
from pbem.kernel.journal import (
    CHOSEN,
    DECIDED,
    DEFAULT,
    QUEUED,
    SETTINGS,
    STANDING,
    Mark,
    Move,
    Note,
    Pending,
    ReplayError,
)
from pbem.kernel.negotiation import Talk
from pbem.kernel.pack import Pack, load_pack, merge_pack
from pbem.kernel.problems import Refused, refuse
from pbem.kernel.questions import MODERATOR, Ask, AskAll, Checkpoint, LazyDomain, Negotiate, Replies, Window
from pbem.kernel.standing import MINE, AskMe, Queued, Standing, wants
from pbem.kernel.table import Table

__all__ = [
    "CHOSEN",
    "DECIDED",
    "DEFAULT",
    "QUEUED",
    "SETTINGS",
    "STANDING",
    "Mark",
    "Move",
    "Note",
    "Pending",
    "Referee",
    "ReplayError",
    "components_of",
]


def components_of(game: Game, override: Mapping[str, Any]) -> tuple[Pack, Any]:
    """The game's pack with the moderator's corrections, and its typed components. Raises `PackError`."""
    pack = load_pack(game.package)
    if override:
        pack = merge_pack(pack, dict(override), check=game.constraints)
    return pack, game.components(pack)


class Referee:
    """One game in progress. Build with `Referee.new` or `Referee.resume`."""

    def __init__(
        self,
        game: Game,
        setup: Setup,
        *,
        components: Any = None,
        dice: Dice | None = None,
        ask_me: str = MINE,
        on_mark: Callable[[Mark], None] | None = None,
    ) -> None:
        self.game = game
        self.setup = setup
        self.components = components_of(game, setup.pack)[1] if components is None else components
        self.names = game.names(self.components)
        self.table = Table(
            self.components,
            setup.seats,
            setup.options,
            setup.scenario,
            dice or Dice(bytes.fromhex(setup.seed)),
        )
        self.ask_me = ask_me
        self.now: Ask | AskAll | Window | Negotiate | None = None
        self.q = 0
        self.moves: list[Move] = []
        self.base = 0
        self.line_base = 0
        self.sealed: dict[str, Move] = {}
        self.talk: Talk | None = None
        self.queue: list[Queued] = []
        self.standing: list[Standing] = []
        self.settings: list[AskMe] = []
        self.notes: list[Note] = []
        self.result: dict[str, Any] | None = None
        self.on_mark = on_mark
        self.mark: Mark | None = None
        self._domains: dict[str, Domain] = {}
        self._asked: Mapping[str, Any] = {}
        self._send: Callable[[Any], Any] = _not_started
        self._switches = _live_epochs(setup.epochs)

    # -- beginning ---------------------------------------------------------------------------------------------------

    @classmethod
    def new(cls, game: Game, setup: Setup, **keywords: Any) -> Referee:
        """Set up and play to the first question."""
        referee = cls(game, setup, **keywords)
        referee.table.state = game.setup(referee.table)
        referee._begin()
        return referee

    @classmethod
    def resume(
        cls, game: Game, setup: Setup, moves: Sequence[Move], mark: Mark | None = None, **keywords: Any
    ) -> Referee:
        """Replay `moves` (those after `mark`, or all) to the open question. Raises `ReplayError`."""
        referee = cls(game, setup, **keywords)
        if mark is None:
            referee.table.state = game.setup(referee.table)
        else:
            referee.table.state = msgspec.json.decode(mark.state, type=game.state)
            referee.table.dice.epoch, referee.table.dice.counter = mark.epoch, mark.counter
            referee.base, referee.q, referee.line_base = mark.n, mark.q, mark.lines
            # By epoch, not by n: a mark may stand at the very move of a rewind, before the dice changed.
            referee._switches = [(n, e) for n, e in referee._switches if e > mark.epoch]
        referee._start()
        referee._advance(None, live=False)
        referee.replay(moves)
        return referee

    def _start(self) -> None:
        self._send = self.game.play(self.table).send
        self.table.n = self.base
        self._take_mark()

    def _begin(self) -> None:
        self._start()
        self._advance(None)
        advance.settle(self)

    @property
    def n(self) -> int:
        """How many moves have been made."""
        return self.base + len(self.moves)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.now is None

    # -- what is open ------------------------------------------------------------------------------------------------

    def asked(self) -> tuple[str, ...]:
        """The seats that the open question is put to by public knowledge, whether they have answered or not."""
        now = self.now
        if now is None:
            return ()
        if isinstance(now, Ask):
            return (now.seat,)
        return tuple(now.seats) if isinstance(now, Negotiate) else tuple(self._asked)

    def waiting(self) -> tuple[str, ...]:
        """The seats whose answer is still missing. Secret: for the referee and the moderator only."""
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
        """The domain of the answer that `seat` owes. Raises `Refused` if it owes none."""
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
        elif isinstance(now, Window) and seat in now.candidates:
            lazy = _reply(now.candidates, seat)
        else:
            raise refuse("answer.no_question")
        domain = self._domains[seat] = lazy() if callable(lazy) else lazy
        return domain

    def pending(self) -> list[Pending]:
        """The open questions, one per asked seat."""
        now = self.now
        if now is None:
            return []
        out = []
        waiting = self.waiting()
        for seat in self.asked():
            ask: Any = now.asks[seat] if isinstance(now, AskAll) else now
            secret = now.secret.get(seat, {}) if isinstance(now, Window) else getattr(ask, "secret", {})
            default = (
                PASS if isinstance(now, Window) else "done" if isinstance(now, Negotiate) else ask.default
            )
            if callable(default):
                default = default()
            prompt = ask.prompt or f"ask.{ask.kind}"
            sealed = isinstance(now, (AskAll, Window))
            out.append(
                Pending(
                    self.q, seat, ask.kind, ask.rule, ask.pace, dict(ask.about), dict(secret), prompt, default, sealed,
                    seat not in waiting,
                )
            )  # fmt: skip
        return out

    # -- answering ---------------------------------------------------------------------------------------------------

    def submit(
        self,
        seat: str,
        value: Value,
        how: str = CHOSEN,
        at: str = "",
        via: str = "",
        settle: bool = True,
    ) -> None:
        """Take the answer of `seat` to the open question. Raises `Refused`; then nothing has changed.

        A sealed answer may be replaced until the question closes. `settle`: let what was given in advance play on.
        """
        try:  # as `check` does
            (self._domains.get(seat) or self.domain(seat)).check(value)
        except Refused as refused:
            raise Refused(refused.problem.under(self.rule_for(seat))) from None
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
            self._advance(value)
        else:
            ask: Any = now.asks[seat] if type(now) is AskAll else now
            sealed = self.sealed
            sealed[seat] = Move(0, self.q, seat, ask.kind, value, how, at, via)
            if len(sealed) == len(self._asked):
                self._close_sealed()
        if settle and (self.queue or self.standing or self.table.held):
            advance.settle(self, at)

    def check(self, seat: str, value: Value) -> None:
        """Raise `Refused` unless `seat` may answer so now."""
        try:
            self.domain(seat).check(value)
        except Refused as refused:
            raise Refused(refused.problem.under(self.rule_for(seat))) from None

    def rule_for(self, seat: str) -> str:
        """The rule section that the open question to `seat` cites."""
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
            one = sealed[seat]
            n += 1
            one.n = n
            moves.append(one)
            answers[seat] = one.answer
        self.table.n = n
        self._advance(Replies(answers) if type(self.now) is Window else answers)

    def _close_talk(self, talk: Talk, how: str, at: str, via: str) -> None:
        self._record("", talk.request.kind, {"acts": talk.acts}, how, at, via)
        self._advance(talk.deals)

    def time_up(self, at: str = "", seats: Iterable[str] | None = None) -> tuple[str, ...]:
        """Time ran out: give each missing seat (of `seats`) its default. Returns those that have none that is legal."""
        if self.talk is not None:
            self._close_talk(self.talk, DEFAULT, at, "")
            advance.settle(self, at)
            return ()
        stuck: list[str] = []
        q = self.q
        for one in [p for p in self.pending() if not p.answered]:
            if self.q != q or (seats is not None and one.seat not in seats):
                continue
            if one.default is None or not self.domain(one.seat).accepts(one.default):
                stuck.append(one.seat)
            else:
                self.submit(one.seat, one.default, DEFAULT, at, settle=False)
        advance.settle(self, at)
        return tuple(stuck)

    def fiat(self, steps: hand.Steps, *, at: str = "", via: str = "") -> None:
        """The moderator corrects the state (journaled). Raises `Refused`; then nothing has changed.

        What seats have already sent for the open question and is no longer legal is given back to them, with a note.
        """
        hand.Fiat(self.table, self.game.invariants).check(steps)
        self._record(MODERATOR, "fiat", steps, DECIDED, at, via)
        self._apply_fiat(steps)
        self._give_back()

    def _give_back(self) -> None:
        """Drop sealed answers and open proposals that the state no longer allows."""
        for seat, move in list(self.sealed.items()):
            try:
                self.domain(seat).check(move.answer)
            except Refused as refused:
                del self.sealed[seat]
                self.notes.append(
                    Note(seat, "sealed.dropped", _as_text(move.answer), refused.problem, move.via)
                )
        for proposal, problem in self.talk.outdated() if self.talk is not None else ():
            self.notes.append(Note(proposal.by, "proposal.dropped", proposal.id, problem))

    def _apply_fiat(self, steps: hand.Steps) -> None:
        hand.apply(self.table.state, steps)
        self._domains = {}
        # A path may name a hidden thing, so only the moderator reads it; he tells the table what it should know.
        paths = {MODERATOR: {"paths": [step["path"] for step in steps]}}
        self.table.say("fiat.done", count=len(steps), private=paths)

    def look_anew(self) -> None:
        """Forget the options worked out for the open question: the state was changed from outside."""
        self._domains = {}
        if self.talk is not None:
            self.talk.look_anew()

    # -- the generator -----------------------------------------------------------------------------------------------

    def _advance(self, value: Any, live: bool = True) -> None:
        """Send an answer and play to the next question that somebody has to answer.

        Not `live`: windows that closed unasked are taken from the journal.
        """
        if live:
            self._domains = {}
            if self.sealed:
                self.sealed = {}
            self.talk = None
        send = self._send
        while True:
            try:
                request = send(value)
            except StopIteration:
                self.now = None
                self.result = self.game.result(self.table.state)
                return
            except Refused as refused:  # let through, it would look as if nothing had changed
                raise RuntimeError(f"a rule refused what its domain accepts: {refused}") from refused
            kind = type(request)
            if kind is Checkpoint:
                if self.on_mark is not None:
                    self._take_mark()
                value = None
                continue
            self.q += 1
            self.now = request
            if kind is Ask:
                break
            value = self._put(request, live)
            if value is None:
                break
        if self._switches:
            self._switch_epoch()

    def _put(self, request: AskAll | Window | Negotiate, live: bool) -> Any:
        """Put a question to several seats. None if it waits for them; else what the rule gets at once."""
        if isinstance(request, AskAll):
            self._asked = request.asks
            return None if self._asked else {}
        if isinstance(request, Window):
            self._asked = request.candidates
            waits = self._unasked(request) if live else self._asked
            return None if waits else Replies(dict.fromkeys(self._asked, PASS))
        if live:
            self.talk = Talk(request)
        return None

    def _unasked(self, window: Window) -> bool:
        """Pass for those whose settings do not want to be asked; False if that closes the window."""
        if not self._asked:
            return False
        clock = self.game.clock(self.table.state) if self.settings else {}
        for seat in self._asked:
            if wants(self.settings, seat, window.kind, window.about, clock, self.ask_me):
                continue
            if not ((self.queue or self.standing) and advance.speaks(self, seat)):
                self.sealed[seat] = Move(0, self.q, seat, window.kind, PASS, SETTINGS)
        if len(self.sealed) < len(self._asked):
            return True
        for seat in self._asked:
            self._record(seat, window.kind, PASS, SETTINGS, "", "")
        self.sealed = {}
        return False

    def _switch_epoch(self) -> None:
        while self._switches and self._switches[0][0] <= self.n:
            _, epoch = self._switches.pop(0)
            self.table.dice.epoch, self.table.dice.counter = epoch, 0

    def _take_mark(self) -> None:
        if self.on_mark is None:
            return
        dice, table = self.table.dice, self.table
        self.mark = Mark(
            self.n,
            self.q,
            dice.epoch,
            dice.counter,
            self.line_base + len(table.lines),
            msgspec.json.encode(table.state),
        )
        self.on_mark(self.mark)

    # -- replay ------------------------------------------------------------------------------------------------------

    def replay(self, moves: Sequence[Move]) -> None:
        """Take `moves` as they stand, without checking them or building options. Raises `ReplayError`.

        Sealed answers and acts of a negotiation given to the question that is open then are not among them: hand
        them in again, or, after a rewind, call `reask`.
        """
        replaying.run(self, moves)
        advance.settle(self)

    def reask(self) -> None:
        """Put the open window as if it were new: those whose settings do not want to be asked pass."""
        window = self.now
        if isinstance(window, Window) and not self.sealed:
            if not self._unasked(window):
                self._advance(Replies(dict.fromkeys(self._asked, PASS)))
            advance.settle(self)

    # -- answers given in advance ------------------------------------------------------------------------------------

    def settle(self, at: str = "") -> None:
        """Let standing answers and queued lines that have just come in answer what is open."""
        advance.settle(self, at)

    # -- fingerprints ------------------------------------------------------------------------------------------------

    def digest(self) -> str:
        """SHA-256 (hex) over the state, the dice and the open question: equal for equal games."""
        dice = self.table.dice
        head = f"{self.n}:{self.q}:{dice.epoch}:{dice.counter}:{self.now.__class__.__name__}:{','.join(self.asked())}"
        body = msgspec.json.encode(self.table.state, order="deterministic")
        return hashlib.sha256(head.encode() + b"\0" + body).hexdigest()


def _without(seats: Iterable[str], those: Container[str]) -> tuple[str, ...]:
    return tuple([seat for seat in seats if seat not in those])


def _reply(candidates: Mapping[str, LazyDomain], seat: str) -> Reply:
    """What `seat` may reply to a window: its own answers, on conditions about what the others do."""
    lazy = candidates[seat]
    return Reply(lazy() if callable(lazy) else lazy, [other for other in candidates if other != seat])


def _live_epochs(epochs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The switches in order, without those that a later rewind (a higher epoch) to the same move or before undid."""
    every = list(epochs)
    return sorted((n, e) for n, e in every if not any(later > e and m <= n for m, later in every))


def _as_text(answer: Value) -> str:
    """An answer whose domain is gone, for a note to its writer."""
    return answer if isinstance(answer, str) else msgspec.json.encode(answer).decode()


def _not_started(_value: Any) -> Any:
    raise RuntimeError("the referee has not begun")
