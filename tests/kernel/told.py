"""A game played at random, and all that is needed to see whether a replay of it is the same."""

from __future__ import annotations

from collections.abc import Callable

from pbem.kernel.game import Setup
from pbem.kernel.referee import CheckpointRecord, Referee
from tests.toy import playing as toy
from tests.toy.playing import SEATS, at_random, chance


class Told:
    """A random game, with the digest after each question and every mark."""

    def __init__(self, seed: int, setup: Setup | None = None) -> None:
        self.marks: list[CheckpointRecord] = []
        self.setup = setup or toy.setup()
        self.referee = Referee.new(toy.GAME, self.setup, on_mark=self.marks.append, ask_me="always")
        self.digests = {0: self.referee.digest()}
        self.lines = {0: len(self.referee.table.lines)}
        self.play(chance(seed))

    def play(self, below: Callable[[int], int]) -> None:
        while not self.referee.over:
            if below(9) == 0 or self.referee.n == 5:  # every such game is corrected at least once
                seat = SEATS[below(3)]
                self.referee.fiat([{"path": f"gold.{seat}", "value": below(9)}])
            else:
                at_random(self.referee, below, 1)
            self.digests[self.referee.n] = self.referee.digest()
            self.lines[self.referee.n] = len(self.referee.table.lines)
