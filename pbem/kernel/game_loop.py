"""The running rules: one generator, the question it waits at, the journal of answers, and its replay.

Answers are taken unchecked. Who is asked, and whether an answer is legal, is decided by the referee.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from pbem.kernel.corrections import Steps, apply
from pbem.kernel.dice import Dice, Entropy
from pbem.kernel.domains import Domain
from pbem.kernel.game import Game, Setup
from pbem.kernel.journal import AGREED, BEACON, CheckpointRecord, Move, ReplayError
from pbem.kernel.negotiation import NegotiationLog, OpenNegotiation
from pbem.kernel.pack import Pack, load_pack, merge_pack
from pbem.kernel.questions import MODERATOR, Ask, AskAll, Checkpoint, Negotiate, Replies, Window
from pbem.kernel.rejections import Rejection
from pbem.kernel.table import Table

KEPT = 16
"""The number of corrected packs cached, up to 1 MiB each; least recently used are dropped."""

_BUILT: OrderedDict[tuple[str, Callable[[Pack], Any], bytes], tuple[str, Any]] = OrderedDict()
"""Hashes and components by package, building function and the moderator's corrections, in order of use."""


def pack_of(game: Game, override: Mapping[str, Any]) -> Pack:
    """Return the game's pack with the moderator's corrections. Raises `PackError`."""
    pack = load_pack(game.package)
    if override:
        pack = merge_pack(pack, dict(override), check=game.flaws, effects=game.effects is not None)
    return pack


def components_of(game: Game, override: Mapping[str, Any]) -> tuple[str, Any]:
    """Return hash and typed components of the corrected pack, cached as the same objects. Raises `PackError`."""
    key = (game.package, game.components, msgspec.json.encode(override, order="deterministic"))
    built = _BUILT.get(key)
    if built is None:
        pack = pack_of(game, override)
        built = _BUILT[key] = pack.digest, game.components(pack)
        if len(_BUILT) > KEPT:
            _BUILT.popitem(last=False)
    else:
        _BUILT.move_to_end(key)
    return built


class Loop:
    """A game in progress. `now` is the question it waits at (None: the game is over), number `q` of the game.

    `moves` are the answers since the checkpoint at move `base`; `sealed` and `talk` belong to the open question.
    """

    def __init__(
        self,
        game: Game,
        setup: Setup,
        dice: Dice | None = None,
        on_mark: Callable[[CheckpointRecord], None] | None = None,
    ) -> None:
        self.game = game
        self.setup = setup
        self.components = components_of(game, setup.pack)[1]
        self.names = game.words(self.components)
        self.table = Table(
            self.components,
            setup.seats,
            game.in_force(setup.options),
            setup.scenario,
            dice or Dice(bytes.fromhex(setup.seed)),
        )
        self.now: Ask | AskAll | Window | Negotiate | None = None
        self.q = 0
        self.moves: list[Move] = []
        self.base = 0
        self.line_base = 0
        self.sealed: dict[str, Move] = {}
        self.talk: OpenNegotiation | None = None
        self.result: dict[str, Any] | None = None
        self.on_mark = on_mark
        self.mark: CheckpointRecord | None = None
        self._domains: dict[str, Domain] = {}
        self._asked: Mapping[str, Any] = {}
        self.rules: Any = None
        self._send: Callable[[Any], Any] = _not_started
        self._switches = _live_epochs(setup.epochs)
        self.entropy: Entropy | None = None
        if setup.mix:
            self.entropy = Entropy(setup.mix)
            self.table.dice.mixed = self._mixed

    def _mixed(self) -> str:
        assert self.entropy is not None
        return self.entropy.before(self.moves, self.q)

    def start(self) -> None:
        """Start the rules; `proceed(None)` then leads to the first question."""
        if not isinstance(self.table.state, self.game.state):
            returned = type(self.table.state).__name__
            raise TypeError(f"`setup` returned {returned}: it must return a {self.game.state.__name__}")
        self.rules = self.game.play(self.table)
        self._send = self.rules.send
        self.table.n = self.base
        self._take_mark()

    def resume_at(self, mark: CheckpointRecord) -> None:
        self.table.state = msgspec.json.decode(mark.state, type=self.game.state)
        self.table.dice.epoch, self.table.dice.counter = mark.epoch, mark.counter
        self.base, self.q, self.line_base = mark.n, mark.q, mark.lines
        if self.entropy is not None:
            self.entropy.resume_at(mark.mix, mark.ahead, mark.q)
        # By epoch, not by n: a checkpoint may be at the move of a rewind, before the dice changed.
        self._switches = [(n, e) for n, e in self._switches if e > mark.epoch]

    @property
    def n(self) -> int:
        return self.base + len(self.moves)

    @property
    def over(self) -> bool:
        return self.now is None

    # -- the generator -----------------------------------------------------------------------------------------------

    def advance(self, value: Any, live: bool = True) -> None:
        """Send an answer and play to the next question to be answered; `live`: windows may close unasked."""
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
            except Rejection as refused:  # passed on, it would look as if nothing had changed
                raise RuntimeError(f"a rule refused what its domain accepts: {refused}") from refused
            kind = type(request)
            if kind is Checkpoint:
                if self.entropy is not None:
                    self.entropy.at_checkpoint(self.moves, self.q)
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

    def _put(self, request: object, live: bool) -> Any:
        """Put a question to several seats. Return what the rule gets at once; None if it waits for answers."""
        if isinstance(request, AskAll):
            self._asked = request.asks
            return None if self._asked else {}
        if isinstance(request, Window):
            self._asked = request.domains
            if live:
                return self._unasked(request)
            return None if self._asked else Replies({})
        if not isinstance(request, Negotiate):
            why = f"`play` yielded {type(request).__name__}: it must yield Ask, AskAll, Window, Negotiate or Checkpoint"
            return self.rules.throw(TypeError(why))  # so that the error has the line of the `yield`
        if live:
            self.talk = OpenNegotiation(request)
        return None

    def _unasked(self, window: Window) -> Replies[Any] | None:
        """Return the replies to a window in which nobody is asked; None if somebody is."""
        return None if self._asked else Replies({})

    def refresh(self) -> None:
        """Forget the cached options of the open question after a correction of the state."""
        self._domains = {}
        if self.talk is not None:
            self.talk.refresh()

    def _apply_fiat(self, steps: Steps) -> None:
        apply(self.table.state, steps)
        self._domains = {}
        # A path may name a hidden thing, so only the moderator reads it.
        paths = {MODERATOR: {"paths": [step["path"] for step in steps]}}
        self.table.log("correction.done", count=len(steps), private=paths)

    def _tell_beacon(self, value: Mapping[str, Any]) -> None:
        self.table.log("beacon.entered", round=value["round"], value=value["randomness"][:16])

    def _agree(self, value: Mapping[str, Any]) -> None:
        """End the game as the players have agreed; the rules are not asked."""
        self.now, self._asked, self._domains, self.sealed, self.talk = None, {}, {}, {}, None
        scores = dict(self.game.view(self.table, "").scores)
        turn = str(self.game.calendar(self.table.state).get("turn", ""))
        self.result = {"scores": scores, "winners": list(value["winners"]), AGREED: value["end"], "turn": turn}
        self.table.log(f"agreed.{value['end']}", winners=value["winners"])

    def _switch_epoch(self) -> None:
        while self._switches and self._switches[0][0] <= self.n:
            _, epoch = self._switches.pop(0)
            self.table.dice.epoch, self.table.dice.counter = epoch, 0

    def _take_mark(self) -> None:
        if self.on_mark is None:
            return
        dice, table = self.table.dice, self.table
        self.mark = CheckpointRecord(
            self.n,
            self.q,
            dice.epoch,
            dice.counter,
            self.line_base + len(table.lines),
            msgspec.json.encode(table.state),
            self.entropy.mix if self.entropy is not None else "",
            self.entropy.ahead if self.entropy is not None else "",
        )
        self.on_mark(self.mark)

    # -- replay ------------------------------------------------------------------------------------------------------

    def replay(self, moves: Sequence[Move]) -> None:
        """Replay `moves`, of closed questions only, unchecked and without options. Raises `ReplayError`."""
        at, end = 0, len(moves)
        try:
            while at < end:
                move, now = moves[at], self.now
                if type(now) is Ask and move.kind == now.kind and move.seat == now.seat:  # the usual case
                    self.moves.append(move)
                    self.table.n = self.base + len(self.moves)
                    self.advance(move.answer, False)
                    at += 1
                    continue  # CPython 3.11 makes a loop that runs once faster at such a jump, not at its condition
                at = self._replay_other(moves, at)
        except ReplayError:
            raise
        except Exception as error:  # the rules can't execute the journal
            move = moves[at]
            raise ReplayError(move.n, f"{move.seat} {move.kind}: {type(error).__name__}: {error}") from error
        self._domains, self.sealed, self.talk = {}, {}, None
        self.table.held.clear()
        self.table.came.clear()
        self.table.spared.clear()
        if isinstance(self.now, Negotiate):
            self.talk = OpenNegotiation(self.now)

    def _replay_other(self, moves: Sequence[Move], at: int) -> int:
        """Replay requests other than `Ask`, from `moves[at]`; return where the next answer begins."""
        move, now = moves[at], self.now
        value: Any
        if move.kind in _DECISIONS:
            self.moves.append(move)
            self.table.n = move.n
            _DECISIONS[move.kind](self, move.answer)
            if move.kind != AGREED:  # the game is over: no dice follow
                self._switch_epoch()
            return at + 1
        if type(now) is Window or type(now) is AskAll:
            return self._replay_sealed(now, moves, at)
        if isinstance(now, Ask):
            told = f"{move.seat} answers {move.kind}"
            raise ReplayError(move.n, f"{told}, but {now.kind} is open to {now.seat}")
        if isinstance(now, Negotiate):
            if move.seat or move.kind != now.kind:
                raise ReplayError(move.n, f"{move.kind} instead of {now.kind}")
            value = NegotiationLog.replayed(now, move.answer["acts"])
            self.moves.append(move)
            at += 1
        else:
            raise ReplayError(move.n, "the game was over before this move")
        self.table.n = self.base + len(self.moves)
        self.advance(value, live=False)
        return at

    def _replay_sealed(self, now: AskAll | Window, moves: Sequence[Move], at: int) -> int:
        """Replay the answers of all seats asked, from `moves[at]`; return where the next answer begins."""
        asked, move = self._asked, moves[at]
        batch = moves[at : at + len(asked)]
        answers = {m.seat: m.answer for m in batch}
        if [*answers] != [*asked] or move.kind != (now.kind if isinstance(now, Window) else now.asks[move.seat].kind):
            raise ReplayError(move.n, f"answers of {', '.join(asked)} expected")
        self.moves += batch
        self.table.n = self.base + len(self.moves)
        self.advance(Replies(answers) if type(now) is Window else answers, live=False)
        return at + len(batch)


_DECISIONS: dict[str, Callable[[Loop, Any], None]] = {
    "fiat": Loop._apply_fiat,
    BEACON: Loop._tell_beacon,
    AGREED: Loop._agree,
}
"""What executes the moves that answer no question."""


def _live_epochs(epochs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the switches in order, without those undone by a later rewind (higher epoch, same or earlier move)."""
    live = list[tuple[int, int]]()
    least: int | None = None  # the first move of a later epoch
    here: int | None = None
    last: int | None = None
    for n, epoch in sorted(epochs, key=lambda switch: -switch[1]):
        if epoch != last:
            least, last = here, epoch
        if least is None or n < least:
            live.append((n, epoch))
        here = n if here is None else min(here, n)
    return sorted(live)


def _not_started(_value: Any) -> Any:
    raise RuntimeError("the referee hasn't started")
