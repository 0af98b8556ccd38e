"""A game at its open question, copies of it, and the worlds that a seat may believe in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableSequence, Sequence
from random import Random
from typing import Any

import msgspec

from pbem.kernel.answers import Below
from pbem.kernel.dice import Dice
from pbem.kernel.game import Game, Setup
from pbem.kernel.journal import Mark, Move
from pbem.kernel.referee import Referee
from pbem.kernel.standing import ALWAYS
from pbem.kernel.table import Line


class Position(msgspec.Struct):
    """A game at its open question: the last checkpoint, the moves since, the acts of an open negotiation.

    Sealed answers, queued lines and standing answers are not in it: they are others' secrets, or not needed.
    """

    game: Game
    setup: Setup
    components: Any
    mark: Mark
    moves: Sequence[Move]
    acts: Sequence[Mapping[str, Any]] = ()
    q: int = 0

    @classmethod
    def of(cls, referee: Referee, mark: Mark | None = None) -> Position:
        """Where a referee stands. `mark` is its last checkpoint (default: the last that it has taken)."""
        mark = mark or referee.mark
        if mark is None:
            raise ValueError("a position needs a checkpoint: give the referee an on_mark, or the mark")
        acts = tuple(referee.talk.acts) if referee.talk is not None else ()
        since = tuple(referee.moves[mark.n - referee.base :])
        return cls(referee.game, referee.setup, referee.components, mark, since, acts, referee.q)

    def clone(self) -> Referee:
        """The same game at the same question, with nothing answered."""
        referee = Referee.resume(
            self.game, self.setup, self.moves, self.mark, components=self.components, ask_me=ALWAYS
        )
        for act in self.acts:
            assert referee.talk is not None  # acts belong to an open negotiation
            referee.talk.carry_out(act)
            referee.talk.acts.append(dict(act))
        return referee


def world(position: Position, seat: str, random: Random) -> Referee:
    """A copy in which all that `seat` may not know is dealt anew, dice to come included.

    It depends on what the seat may know and on `random`, never on the truth (`Game.conceal` is canonical). Nobody
    reads its narration, and its dice are Python's: neither is ever shown.
    """
    referee = position.clone()
    talk = referee.talk
    heard = {key: talk.shown(proposal) for key, proposal in talk.open.items()} if talk is not None else {}
    position.game.conceal(referee.table, seat, below(random))
    if talk is not None:
        talk.imagined(seat, heard)
    referee.table.dice = _Luck(random)
    referee.table.lines = _Unread()
    referee.look_anew()
    return referee


def below(random: Random) -> Below:
    """A cheap source of choices; for a hundred options even to about one part in ten million."""
    bits = random.getrandbits
    return lambda n: bits(30) % n


class _Unread(list[Line]):
    """Narration that nobody reads, and so is not kept."""

    def append(self, line: Line) -> None:
        pass

    def extend(self, lines: Iterable[Line]) -> None:
        pass


class _Luck(Dice):
    """Dice for worlds that are only imagined: no HMAC, which costs more than the rules."""

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
