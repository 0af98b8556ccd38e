"""What the dice take in beside the seed, so that nobody chooses them alone: the players' nonces, and what was answered.

    mix_0 = SHA-256(JSON of the nonces)
    mix   = SHA-256(mix before ‖ SHA-256(JSON of the answers since))

A draw made after question q takes in every answer up to question q - 1, and every value of a public beacon. Who knows
the seed can weigh his own answer, but for the dice of a later question he would have to know everybody's.
`mix` moves on when something is drawn and at checkpoints, so that answers alone cost nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import msgspec

from pbem.kernel.journal import BEACON, Move


def first_mix(nonces: Mapping[str, str]) -> str:
    """mix_0 (hex) of a game whose players gave these nonces, by seat."""
    return hashlib.sha256(msgspec.json.encode(nonces, order="deterministic")).hexdigest()


class Entropy:
    """The mix of one game as it is played. `ahead` is the digest of answers to question `ahead_q`, not yet taken in."""

    __slots__ = ("ahead", "ahead_q", "mix", "taken")

    def __init__(self, mix: str) -> None:
        self.mix = mix
        self.ahead = ""
        self.ahead_q = 0
        self.taken = 0

    def stand_at(self, mix: str, ahead: str, q: int) -> None:
        """Stand where the game stood at a checkpoint after question `q`."""
        self.mix, self.ahead, self.ahead_q, self.taken = mix, ahead, q, 0

    def before(self, moves: Sequence[Move], q: int) -> str:
        """The mix of what is drawn now, while answers to question `q` are carried out."""
        if self.ahead and self.ahead_q < q:
            self._take(self.ahead)
            self.ahead = ""
        at = end = self.taken
        while end < len(moves) and (moves[end].q < q or moves[end].kind == BEACON):
            end += 1
        if end > at:
            self._take(_digest(moves[at:end]))
            self.taken = end
        return self.mix

    def at_checkpoint(self, moves: Sequence[Move], q: int) -> None:
        """Take in all that a checkpoint leaves behind; answers to question `q` wait as a digest."""
        self.before(moves, q)
        rest = moves[self.taken :]
        if rest:
            ahead = _digest(rest)
            self.ahead = hashlib.sha256(f"{self.ahead}{ahead}".encode()).hexdigest() if self.ahead else ahead
            self.ahead_q, self.taken = q, len(moves)

    def _take(self, digest: str) -> None:
        self.mix = hashlib.sha256(f"{self.mix}{digest}".encode()).hexdigest()


def _digest(moves: Sequence[Move]) -> str:
    answers = [[move.seat, move.kind, move.answer] for move in moves]
    return hashlib.sha256(msgspec.json.encode(answers, order="deterministic")).hexdigest()
