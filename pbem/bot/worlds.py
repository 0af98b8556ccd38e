"""Positions of a game, worlds that a seat may believe in, and random play-outs in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from random import Random
from typing import Any

import msgspec

from pbem.kernel.dice import Dice
from pbem.kernel.domains import Below, Value
from pbem.kernel.game import Evaluation, Game, Setup
from pbem.kernel.journal import CheckpointRecord, Move
from pbem.kernel.negotiation import DONE
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import ALWAYS
from pbem.kernel.table import LogLine

RECENT = 40
"""How many moves back a bot looks for free acts that it has done."""


class Position(msgspec.Struct):
    """A game at its open question: the last checkpoint, the moves since, the acts of an open negotiation.

    Sealed answers, advance orders and standing orders aren't included: they are other seats' secrets, or not needed.
    """

    game: Game
    setup: Setup
    mark: CheckpointRecord
    moves: Sequence[Move]
    acts: Sequence[Mapping[str, Any]] = ()
    q: int = 0
    recent: Sequence[Move] = ()
    """The last moves, also those before the checkpoint: free acts that were done need no second time."""

    @classmethod
    def of(
        cls, referee: Referee, mark: CheckpointRecord | None = None, recent: Sequence[Move] | None = None
    ) -> Position:
        """Take the position of a referee; `mark` and `recent` are its own unless given."""
        mark = mark or referee.mark
        if mark is None:
            raise ValueError("a position needs a checkpoint: give the referee an on_mark, or the mark")
        acts = tuple(referee.talk.acts) if referee.talk is not None else ()
        since = tuple(referee.moves[mark.n - referee.base :])
        recent = tuple(referee.moves[-RECENT:] if recent is None else recent)
        return cls(referee.game, referee.setup, mark, since, acts, referee.q, recent)

    def clone(self) -> Referee:
        """Return the same game at the same question, with nothing answered."""
        referee = Referee.resume(self.game, self.setup, self.moves, self.mark, ask_me=ALWAYS)
        for act in self.acts:
            assert referee.talk is not None  # acts exist only in an open negotiation
            referee.talk.carry_out(act)
            referee.talk.acts.append(dict(act))
        return referee


def sample_world(position: Position, seat: str, random: Random) -> Referee:
    """Copy the game with all that `seat` must not know resampled, future dice included.

    The result depends on what the seat may know and on `random`, never on the hidden truth (`Game.conceal` is
    canonical). Log and HMAC dice are replaced by cheap ones, because nobody sees them.
    """
    referee = position.clone()
    talk = referee.talk
    heard = {key: talk.shown(proposal) for key, proposal in talk.open.items()} if talk is not None else {}
    position.game.conceal(referee.table, seat, below(random))
    if talk is not None:
        talk.imagined(seat, heard)
    referee.table.dice = _Luck(random)
    referee.table.lines = _NullLog()
    referee.refresh()
    return referee


def below(random: Random) -> Below:
    """Return a cheap source of choices; for 100 options its bias is about 1e-7."""
    bits = random.getrandbits
    return lambda n: bits(30) % n


class _NullLog(list[LogLine]):
    """A log that keeps nothing, for sampled worlds."""

    def append(self, line: LogLine) -> None:
        pass

    def extend(self, lines: Iterable[LogLine]) -> None:
        pass


class _Luck(Dice):
    """Dice for sampled worlds, without HMAC, which costs more than the rules."""

    __slots__ = ("random",)

    def __init__(self, random: Random) -> None:
        self.epoch = self.counter = 0
        self.random = random

    def roll(self, count: int, sides: int = 6) -> tuple[int, ...]:
        self.counter += 1 if count else 0
        part = self.random.random
        return tuple([int(part() * sides) + 1 for _ in range(count)])

    def below(self, n: int) -> int:
        self.counter += 1
        return int(self.random.random() * n)

    def shuffle(self, items: MutableSequence[Any]) -> None:
        self.counter += 1
        self.random.shuffle(items)


_ENDLESS = 3000
"""The number of questions after which a play-out stops."""

NEAR = 6
"""How many questions after its own chain a seat is evaluated, if the game's horizon is farther."""

WRONG = (Rejection, RuntimeError, ValueError, LookupError, TypeError, AttributeError, AssertionError)
"""What rules raise when one of their locals doesn't fit the resampled world: that play-out has no result."""


def play_on(
    referee: Referee, draw: Below, enough: Callable[[Referee], bool], first: dict[str, Value] | None = None
) -> None:
    """Answer questions at random, the open one with `first`, until `enough`; make no deals."""
    fixed = first or {}
    for _ in range(_ENDLESS):
        if referee.now is None:
            return
        q = referee.q
        for seat in referee.waiting():
            _answer(referee, seat, fixed, draw)
            if referee.now is None or referee.q != q:
                break
        fixed = {}
        if enough(referee):
            return


def _answer(referee: Referee, seat: str, fixed: dict[str, Value], draw: Below) -> None:
    if seat in fixed:
        value = fixed[seat]
    elif referee.talk is not None:
        value = DONE
    else:
        value = referee.domain(seat).sample(draw)
    referee.submit(seat, value, settle=False)


def near_horizon(referee: Referee, seat: str) -> Callable[[Referee], bool]:
    """Return the end condition of a play-out: the seat's own questions and a few more, or the game's horizon."""
    far, q, kinds = _horizon(referee), referee.q + NEAR, referee.game.turn_kinds

    def enough(later: Referee) -> bool:
        mine = later.pending_to(seat)
        return far(later) or (later.q > q if mine is None else mine.kind in kinds)

    return enough


def settled(referee: Referee) -> Callable[[Referee], bool]:
    """Return the end condition of a test: all that the answer brings has happened; at once without `turn_kinds`."""
    far, kinds = _horizon(referee), referee.game.turn_kinds
    if not kinds:
        return lambda later: True
    return lambda later: far(later) or any(pending.kind in kinds for pending in later.pending())


def _horizon(referee: Referee) -> Callable[[Referee], bool]:
    """Return the end condition of a play-out: the game's `horizon` fact changes, or the next checkpoint."""
    game = referee.game
    if game.terms is None:
        return lambda _: False
    if game.play_out_until:
        before = game.calendar(referee.table.state).get(game.play_out_until)
        return lambda later: game.calendar(later.table.state).get(game.play_out_until) != before
    marks: list[CheckpointRecord] = []
    referee.on_mark = marks.append
    return lambda _: bool(marks)


def standing(referee: Referee, seat: str) -> Evaluation:
    """Evaluate a seat by the game's terms, else by its result: 1 for a win, less if shared, plus a small margin."""
    game, table = referee.game, referee.table
    if game.terms is not None:
        return dict(game.terms(table, seat))
    result: dict[str, Any] = referee.result or {}
    scores: dict[str, float] = result.get("scores", {})
    winners: list[str] = result.get("winners", [])
    won = 1 / len(winners) if seat in winners else 0.0
    others = [score for other, score in scores.items() if other != seat]
    if seat not in scores or not others:
        return {"victory": won}
    mine, best = scores[seat], max(others)
    return {"victory": won, "points": 0.5 * (mine - best) / (1 + abs(mine) + abs(best))}


def worth(referee: Referee, seat: str) -> float:
    """Evaluate a seat by one number."""
    return sum(standing(referee, seat).values())
