"""Pairs of worlds that are set up side by side: what is told while pieces are dealt out.

World B's shuffles come as world A's, with pieces that X may not know in each other's place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableSequence
from random import Random
from typing import Any

import msgspec

from pbem.kernel.dice import Dice
from pbem.kernel.game import Game, Setup
from pbem.kernel.referee import Mark, Referee
from pbem.trial.learnt import may_be_learnt
from pbem.trial.observation import Observer
from pbem.trial.pairing import End, Leaked, Pair, Result
from pbem.trial.script import read


class Piece(str):
    """A piece that remembers from which shuffle it came, and where it lay then."""

    __slots__ = ("lay",)
    lay: tuple[int, int]


class MarkingDice(Dice):
    """The dice of a seed; what is shuffled is marked, so that it can be found again."""

    __slots__ = ("shuffled",)

    def __init__(self, seed: bytes) -> None:
        super().__init__(seed)
        self.shuffled = 0

    def shuffle(self, items: MutableSequence[Any]) -> None:
        super().shuffle(items)
        for at, item in enumerate(items):
            if isinstance(item, str):
                items[at] = piece = Piece(item)
                piece.lay = self.shuffled, at
        self.shuffled += 1


class RenamingDice(Dice):
    """The dice of a seed; what is shuffled comes out with others for some pieces: shuffle and place → piece."""

    __slots__ = ("becomes", "shuffled")

    def __init__(self, seed: bytes, becomes: Mapping[tuple[int, int], str]) -> None:
        super().__init__(seed)
        self.becomes = becomes
        self.shuffled = 0

    def shuffle(self, items: MutableSequence[Any]) -> None:
        super().shuffle(items)
        others = [self.becomes.get((self.shuffled, at), item) for at, item in enumerate(items)]
        if sorted(map(str, others)) == sorted(map(str, items)):  # each is there as often as before
            items[:] = others
        self.shuffled += 1


def found_again(state: Any, other: Any) -> Iterator[tuple[tuple[int, int], str]]:
    """For each marked piece of a state, what lies in its place in another state (as plain values)."""
    if isinstance(state, Piece):
        if isinstance(other, str):
            yield state.lay, other
    elif isinstance(state, msgspec.Struct):
        for key in state.__struct_fields__:
            yield from found_again(getattr(state, key), other.get(key) if isinstance(other, dict) else None)
    elif isinstance(state, dict):
        for key, part in state.items():
            yield from found_again(part, other.get(key) if isinstance(other, dict) else None)
    elif isinstance(state, (list, tuple)) and isinstance(other, list):
        for part, beside in zip(state, other, strict=False):
            yield from found_again(part, beside)


class SetUp(Pair):
    """Two worlds to their first question, and the seat that may not tell them apart."""

    at_end = "set-up"

    def __init__(self, game: Game, setup: Setup, components: Any, random: Random, result: Result) -> None:
        start = Mark(0, 0, 0, 0, 0, b"")
        super().__init__(game, setup, start, random.choice(setup.seats), components, random, result)
        self.step = "the set-up"

    def _play(self) -> None:
        """Set both worlds up, and compare all that X gets."""
        seed = bytes.fromhex(self.setup.seed)
        marked = self._world(MarkingDice(seed)).table.state
        a = self._world(Dice(seed))
        self.mark = msgspec.structs.replace(self.mark, state=msgspec.json.encode(a.table.state))
        hidden = msgspec.json.decode(self.concealed())
        b = self._world(RenamingDice(seed, dict(found_again(marked, hidden))))
        self.result.changed += a.table.state != b.table.state
        self._compare(a, b)

    def _world(self, dice: Dice) -> Referee:
        return Referee.new(self.game, self.setup, components=self.components, dice=dice)

    def _compare(self, a: Referee, b: Referee) -> None:
        told = [
            [(line, args) for line in world.table.lines if (args := read(line, self.seat)) is not None]
            for world in (a, b)
        ]
        if len(told[0]) != len(told[1]):
            raise Leaked("how many lines tell of the set-up", str(len(told[0])), str(len(told[1])))
        for (line, args), (other, others) in zip(*told, strict=True):
            if (line.key, args, line.rule) == (other.key, others, other.rule):
                continue
            if may_be_learnt(self.game, line, other):
                raise End("learnt")
            raise Leaked("a line from which nobody may learn", f"{line.key} {args}", f"{other.key} {others}")
        difference = Observer(self.game, self.seat, self.random).difference(a, b)
        if difference is not None:
            raise Leaked(*difference)
