"""Runs a game: puts questions, takes answers, keeps the journal, replays it, and resumes from checkpoints.

The referee holds one generator (the rules) and the request it is waiting at. A journal of `Move`s rebuilds everything;
sealed answers and the acts of an open negotiation enter the journal only when their question closes, in seat order, so
that the journal never tells who answered first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from pbem.kernel import fiat
from pbem.kernel.answers import PASS, Domain, Reply, Value
from pbem.kernel.dice import Dice
from pbem.kernel.game import Game, Setup
from pbem.kernel.negotiation import DONE, Talk
from pbem.kernel.pack import Pack, load_pack, merge_pack
from pbem.kernel.problems import Problem, Refused, refuse
from pbem.kernel.questions import MODERATOR, Ask, AskAll, Checkpoint, Negotiate, Replies, Window
from pbem.kernel.standing import MINE, AskMe, Queued, Standing, wants
from pbem.kernel.table import Table

CHOSEN, QUEUED, STANDING, SETTINGS, DEFAULT, DECIDED = (
    "chosen",
    "queue",
    "standing",
    "settings",
    "time",
    "moderator",
)
"""How an answer came about; `time` means that time ran out, which is never the same as a chosen answer."""


class Move(msgspec.Struct):
    """One entry of the journal. `q` is the question's number, `how` one of the constants above, `via` the letter."""

    n: int
    q: int
    seat: str
    kind: str
    answer: Value
    how: str = CHOSEN
    at: str = ""
    via: str = ""


class Mark(msgspec.Struct):
    """A checkpoint: how far the journal had come, the dice, how many lines were told, and the state as JSON bytes."""

    n: int
    q: int
    epoch: int
    counter: int
    lines: int
    state: bytes


class Pending(msgspec.Struct):
    """A question open to one seat. `answered` is for that seat and the moderator only."""

    q: int
    seat: str
    kind: str
    rule: str
    pace: str
    about: dict[str, Any]
    secret: dict[str, Any]
    prompt: str
    default: Value | None
    sealed: bool
    answered: bool


class Note(msgspec.Struct):
    """Something a seat must be told about its own lines sent in advance; `key` is a message key."""

    seat: str
    key: str
    text: str = ""
    problem: Problem | None = None
    letter: str = ""
    line: int = 0


class ReplayError(Exception):
    """The journal does not fit the rules: `n` is the first move that differs."""

    def __init__(self, n: int, why: str) -> None:
        super().__init__(f"move {n}: {why}")
        self.n = n


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
        self._switches = sorted(setup.epochs)

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
        # Not `_advance`: what closed unasked stands in the journal and must not be journaled again.
        referee._replay_step(None)
        referee.replay(moves)
        return referee

    def _start(self) -> None:
        self._send = self.game.play(self.table).send
        self.table.n = self.base
        self._take_mark()

    def _begin(self) -> None:
        self._start()
        self._advance(None)
        self._settle()

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
        if now.__class__ is Ask:
            return (now.seat,)  # type: ignore[union-attr]
        if isinstance(now, Negotiate) and self.talk is not None:
            done = self.talk.done
            return tuple(seat for seat in now.seats if seat not in done)
        sealed = self.sealed
        return tuple([seat for seat in self.asked() if seat not in sealed])

    def domain(self, seat: str) -> Domain:
        """The domain of the answer that `seat` owes. Raises `Refused` if it owes none."""
        found = self._domains.get(seat)
        if found is not None:
            return found
        now = self.now
        if self.talk is not None and seat in self.asked():
            menu = self._domains[seat] = self.talk.domain(seat)
            return menu
        if isinstance(now, Ask) and now.seat == seat:
            lazy = now.domain
        elif isinstance(now, AskAll) and seat in now.asks:
            lazy = now.asks[seat].domain
        elif isinstance(now, Window) and seat in now.candidates:
            lazy = now.candidates[seat]
        else:
            raise refuse("answer.no_question")
        domain = lazy if isinstance(lazy, Domain) else lazy()
        if isinstance(now, Window):
            domain = Reply(domain, [s for s in now.candidates if s != seat])
        self._domains[seat] = domain
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

    def submit(self, seat: str, value: Value, *, how: str = CHOSEN, at: str = "", via: str = "") -> None:
        """Take the answer of `seat` to the open question. Raises `Refused`; then nothing has changed.

        A sealed answer may be replaced until the question closes.
        """
        self._answer(seat, value, how, at, via)
        if self.queue or self.standing or self.table.held:
            self._settle(at)

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

    def _answer(self, seat: str, value: Value, how: str, at: str, via: str) -> None:
        now = self.now
        if now.__class__ is Ask:
            self.check(seat, value)
            self._record(seat, now.kind, value, how, at, via)  # type: ignore[union-attr]
            self._advance(value)
            return
        if seat not in self.asked():
            raise refuse("answer.no_question")
        self.check(seat, value)
        if self.talk is not None:
            self.talk.act(seat, value)
            self._domains = {}
            if self.talk.closed:
                self._close_talk(how, at, via)
            return
        kind = self._asked[seat].kind if now.__class__ is AskAll else now.kind  # type: ignore[union-attr]
        self.sealed[seat] = Move(0, self.q, seat, kind, value, how, at, via)
        if len(self.sealed) == len(self._asked):
            self._close_sealed()

    def _record(self, seat: str, kind: str, value: Value, how: str, at: str, via: str) -> None:
        n = self.base + len(self.moves) + 1
        self.moves.append(Move(n, self.q, seat, kind, value, how, at, via))
        self.table.n = n

    def _close_sealed(self) -> None:
        """Open the sealed answers, journal them in the question's own order, and play on."""
        sealed, answers = self.sealed, {}
        for seat in self._asked:
            one = sealed[seat]
            self._record(seat, one.kind, one.answer, one.how, one.at, one.via)
            answers[seat] = one.answer
        self._advance(Replies(answers) if self.now.__class__ is Window else answers)

    def _close_talk(self, how: str, at: str, via: str) -> None:
        talk, now = self.talk, self.now
        assert talk is not None and isinstance(now, Negotiate)
        self._record("", now.kind, {"acts": talk.acts}, how, at, via)
        self._advance(talk.deals)

    def time_up(self, at: str = "", seats: Iterable[str] | None = None) -> tuple[str, ...]:
        """Time ran out: give each missing seat (of `seats`) its default. Returns those that have none."""
        if self.talk is not None:
            self._close_talk(DEFAULT, at, "")
            self._settle(at)
            return ()
        stuck = []
        q = self.q
        for one in [p for p in self.pending() if not p.answered]:
            if self.q != q or (seats is not None and one.seat not in seats):
                continue
            if one.default is None:
                stuck.append(one.seat)
            else:
                self._answer(one.seat, one.default, DEFAULT, at, "")
        self._settle(at)
        return tuple(stuck)

    def fiat(self, steps: fiat.Steps, *, at: str = "", via: str = "") -> None:
        """The moderator corrects the state (journaled). Raises `Refused`; then nothing has changed."""
        fiat.Fiat(self.table, self.game.invariants).check(steps)
        self._record(MODERATOR, "fiat", steps, DECIDED, at, via)
        self._apply_fiat(steps)

    def _apply_fiat(self, steps: fiat.Steps) -> None:
        fiat.apply(self.table.state, steps)
        self._domains = {}
        self.table.say("fiat.done", count=len(steps), paths=[step["path"] for step in steps])

    # -- the generator -----------------------------------------------------------------------------------------------

    def _advance(self, value: Any) -> None:
        """Send an answer and play to the next question that somebody has to answer."""
        self._domains = {}
        self.sealed = {}
        self.talk = None
        while True:
            try:
                request = self._send(value)
            except StopIteration:
                self.now = None
                self.result = self.game.result(self.table.state)
                return
            kind = request.__class__
            if kind is Checkpoint:
                self._take_mark()
                value = None
                continue
            self.q += 1
            self.now = request
            if kind is Ask:
                break
            if kind is AskAll:
                self._asked = request.asks
                if self._asked:
                    break
                value = {}
            elif kind is Window:
                self._asked = request.candidates
                if self._unasked(request):
                    break
                value = Replies(dict.fromkeys(self._asked, PASS))
            else:
                self.talk = Talk(request)
                break
        self._switch_epoch()

    def _unasked(self, window: Window) -> bool:
        """Pass for those whose settings do not want to be asked; False if that closes the window."""
        if not self._asked:
            return False
        clock = self.game.clock(self.table.state) if self.settings else {}
        for seat in self._asked:
            if not wants(self.settings, seat, window.kind, window.about, clock, self.ask_me):
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
        at, end, table = 0, len(moves), self.table
        while at < end:
            move = moves[at]
            now = self.now
            kind = now.__class__
            value: Any
            if move.kind == "fiat":
                self.moves.append(move)
                table.n = move.n
                self._apply_fiat(move.answer)
                self._switch_epoch()
                at += 1
                continue
            if kind is Ask:
                if move.seat != now.seat or move.kind != now.kind:  # type: ignore[union-attr]
                    raise ReplayError(
                        move.n, f"{move.seat} answers {move.kind}, but {now.kind} is open to {now.seat}"
                    )  # type: ignore[union-attr]
                value = move.answer
                self.moves.append(move)
                at += 1
            elif kind is AskAll or kind is Window:
                batch = moves[at : at + len(self._asked)]
                if [m.seat for m in batch] != list(self._asked):
                    raise ReplayError(move.n, f"answers of {', '.join(self._asked)} expected")
                value = {m.seat: m.answer for m in batch}
                if kind is Window:
                    value = Replies(value)
                self.moves.extend(batch)
                at += len(batch)
            elif kind is Negotiate:
                if move.seat or move.kind != now.kind:  # type: ignore[union-attr]
                    raise ReplayError(move.n, f"{move.kind} instead of {now.kind}")  # type: ignore[union-attr]
                value = Talk.replayed(now, move.answer["acts"])  # type: ignore[arg-type]
                self.moves.append(move)
                at += 1
            else:
                raise ReplayError(move.n, "the game was over before this move")
            table.n = self.base + len(self.moves)
            self._replay_step(value)
        self._reopen()
        self._settle()

    def reask(self) -> None:
        """Put the open window as if it were new: those whose settings do not want to be asked pass."""
        window = self.now
        if isinstance(window, Window) and not self.sealed and not self._unasked(window):
            self._advance(Replies(dict.fromkeys(self._asked, PASS)))
            self._settle()

    def _replay_step(self, value: Any) -> None:
        """As `_advance`, but windows that closed unasked are taken from the journal."""
        while True:
            try:
                request = self._send(value)
            except StopIteration:
                self.now = None
                self.result = self.game.result(self.table.state)
                return
            kind = request.__class__
            if kind is Checkpoint:
                if self.on_mark is not None:
                    self._take_mark()
                value = None
                continue
            self.q += 1
            self.now = request
            if kind is Ask:
                break
            if kind is AskAll:
                self._asked = request.asks
                if self._asked:
                    break
                value = {}
            elif kind is Window:
                self._asked = request.candidates
                if self._asked:
                    break
                value = Replies({})
            else:
                break
        self._switch_epoch()

    def _reopen(self) -> None:
        """After the last replayed move: set up the live side of the open question."""
        self._domains, self.sealed, self.talk = {}, {}, None
        self.table.held.clear()
        if isinstance(self.now, Negotiate):
            self.talk = Talk(self.now)

    # -- answers given in advance ------------------------------------------------------------------------------------

    def settle(self, at: str = "") -> None:
        """Let standing answers and queued lines that have just come in answer what is open."""
        self._settle(at)

    def _settle(self, at: str = "") -> None:
        """Use standing answers and queued lines as long as they fit."""
        while self.now is not None:
            self._hold()
            if not (self.queue or self.standing):
                return
            if not any(self._from_advance(seat, at) for seat in self.waiting()):
                return

    def _hold(self) -> None:
        held = self.table.held
        if not held:
            return
        for entry in self.queue:
            if entry.seat in held and not entry.bold and not entry.held:
                entry.held = True
                self.notes.append(Note(entry.seat, "queue.held", entry.text, None, entry.letter, entry.line))
        held.clear()

    def _from_advance(self, seat: str, at: str) -> bool:
        """Try the seat's queue, then its standing answers; True if one was taken."""
        now = self.now
        assert now is not None
        ask: Any = now.asks[seat] if isinstance(now, AskAll) else now
        clock = self.game.clock(self.table.state)
        entry = self._next_queued(seat, ask.kind)
        if entry is not None:
            return self._use_queued(entry, {**clock, **ask.about}, at)
        q = self.q
        for standing in self.standing:
            if standing.seat != seat or not standing.matches(ask.kind, ask.about, clock):
                continue
            # "Any window" is no answer to a turn; and an act of a negotiation would be made over and over.
            if standing.kind == "*" and not isinstance(now, Window):
                continue
            if self.talk is not None and standing.text != DONE:
                continue
            note = Note(seat, "standing.failed", standing.text)
            if not self._try(seat, standing.text, STANDING, at, note):
                return False
            return self.q != q or seat not in self.waiting()
        return False

    def _next_queued(self, seat: str, kind: str) -> Queued | None:
        head = True
        for entry in self.queue:
            if entry.seat != seat:
                continue
            addressed = bool(entry.q or entry.kind)
            if entry.q == self.q or (entry.kind and entry.kind == kind and not entry.q):
                return None if entry.held else entry
            if not addressed:
                return entry if head and not entry.held else None
            if entry.q > self.q or entry.kind:
                head = False
        return None

    def _use_queued(self, entry: Queued, facts: Mapping[str, Any], at: str) -> bool:
        if any(stop.holds(facts) for stop in entry.stops):
            entry.held = True
            self.notes.append(Note(entry.seat, "queue.stopped", entry.text, None, entry.letter, entry.line))
            return False
        note = Note(entry.seat, "queue.failed", entry.text, None, entry.letter, entry.line)
        if self._try(entry.seat, entry.text, QUEUED, at, note, entry.letter):
            self.queue[:] = [other for other in self.queue if other is not entry]
            return True
        for other in self.queue:
            other.held = other.held or other.seat == entry.seat
        return False

    def _try(self, seat: str, text: str, how: str, at: str, failed: Note, via: str = "") -> bool:
        """Answer with `text`; False, and a note to the seat, if it is refused."""
        try:
            value = self.domain(seat).parse(text, self.names)
            self._answer(seat, value, how, at, via)
        except Refused as refused:
            failed.problem = refused.problem.under(self.rule_for(seat))
            if not any(_same_note(note, failed) for note in self.notes):
                self.notes.append(failed)
            return False
        self.notes.append(Note(seat, f"{how}.used", text, None, failed.letter, failed.line))
        return True

    # -- fingerprints ------------------------------------------------------------------------------------------------

    def digest(self) -> str:
        """SHA-256 (hex) over the state, the dice and the open question: equal for equal games."""
        dice = self.table.dice
        head = f"{self.n}:{self.q}:{dice.epoch}:{dice.counter}:{self.now.__class__.__name__}:{','.join(self.asked())}"
        body = msgspec.json.encode(self.table.state, order="deterministic")
        return hashlib.sha256(head.encode() + b"\0" + body).hexdigest()


def _same_note(one: Note, other: Note) -> bool:
    return (one.seat, one.key, one.text, one.letter, one.line) == (
        other.seat,
        other.key,
        other.text,
        other.letter,
        other.line,
    )


def _not_started(value: Any) -> Any:
    raise RuntimeError("the referee has not begun")
