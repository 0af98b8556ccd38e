"""Verifiable randomness: HMAC-SHA256 (RFC 2104) over epoch, counter and answers, keyed by the secret seed.

Every roll, draw and shuffle is one numbered draw, so anyone who knows the seed can repeat it. The first email quotes
`commitment(seed)`; the seed is published at the end. A rewind starts a new epoch.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator, Mapping, MutableSequence, Sequence
from typing import Any, TypeVar

import msgspec

from pbem.kernel.journal import BEACON, Move

# The mix of nonces and answers that dice depend on besides the seed, so that nobody alone chooses them.


def initial_mix(nonces: Mapping[str, str]) -> str:
    """Return mix_0 (hex) of a game whose players gave these nonces, by seat."""
    return hashlib.sha256(msgspec.json.encode(nonces, order="deterministic")).hexdigest()


class Entropy:
    """The mix of one game during play. `ahead` is the hash of answers to question `ahead_q`, not yet included."""

    __slots__ = ("ahead", "ahead_q", "mix", "taken")

    def __init__(self, mix: str) -> None:
        self.mix = mix
        self.ahead = ""
        self.ahead_q = 0
        self.taken = 0

    def resume_at(self, mix: str, ahead: str, q: int) -> None:
        self.mix, self.ahead, self.ahead_q, self.taken = mix, ahead, q, 0

    def before(self, moves: Sequence[Move], q: int) -> str:
        """Return the mix for draws while answers to question `q` are executed."""
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
        """Include everything before a checkpoint; answers to question `q` wait as a hash."""
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


T = TypeVar("T")

SEED_BYTES = 32

_WORDS = struct.Struct(">16H")
_BLOCK = 64
"""The block size of SHA-256 in bytes."""
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))
"""RFC 2104: the pads mixed with the key, one for each of the two hashes."""


def commitment(seed: bytes) -> str:
    """Return what is published of the seed before the game: its SHA-256, hex."""
    return hashlib.sha256(seed).hexdigest()


class Dice:
    """The dice of one game. `counter` counts draws within `epoch`; both are kept in checkpoints.

    `mixed` returns what the next draw includes besides them (None: nothing, as in version 1 of the dice).
    """

    __slots__ = ("_inner", "_outer", "counter", "epoch", "mixed")

    def __init__(self, seed: bytes, epoch: int = 0, counter: int = 0) -> None:
        # HMAC-SHA256 (RFC 2104), keyed once and copied for each block, because keying costs most.
        key = hashlib.sha256(seed).digest() if len(seed) > _BLOCK else seed
        self._inner = hashlib.sha256(key.ljust(_BLOCK, b"\0").translate(_INNER))
        self._outer = hashlib.sha256(key.ljust(_BLOCK, b"\0").translate(_OUTER))
        self.epoch = epoch
        self.counter = counter
        self.mixed: Callable[[], str] | None = None

    def roll(self, count: int, sides: int = 6) -> tuple[int, ...]:
        """Roll `count` dice from 1 to `sides` (at most 256). Rolling no dice isn't a draw."""
        if not 0 < sides <= 256 or count < 0:
            raise ValueError(f"{count} dice with {sides} sides")
        limit = 256 - 256 % sides
        out: list[int] = []
        if count == 0:
            return ()
        for block in self._blocks():
            for byte in block:
                if byte < limit:
                    out.append(byte % sides + 1)
                    if len(out) == count:
                        return tuple(out)
        raise AssertionError("unreachable: there is always a next block")

    def below(self, n: int) -> int:
        """Draw a number from 0 to n - 1 (n from 1 to 65536)."""
        if not 0 < n <= 65536:
            raise ValueError(f"no number below {n}")
        limit = 65536 - 65536 % n
        for block in self._blocks():
            for word in _WORDS.unpack(block):
                if word < limit:
                    return int(word) % n
        raise AssertionError("unreachable: there is always a next block")

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Shuffle in place by Fisher-Yates, as one draw (at most 65536 items)."""
        if len(items) < 2:
            self.counter += 1  # the next draw number must not reveal how many cards were shuffled
            return
        left = len(items)
        for block in self._blocks():
            for word in _WORDS.unpack(block):
                if word < 65536 - 65536 % left:
                    i, j = left - 1, word % left
                    items[i], items[j] = items[j], items[i]
                    left = i
                    if left == 1:
                        return

    def _blocks(self) -> Iterator[bytes]:
        """Yield the next draw in blocks of 32 bytes, as many as rejection sampling needs."""
        self.counter += 1
        name = f"{self.epoch}:{self.counter}" + (f":{self.mixed()}" if self.mixed is not None else "")
        block = 0
        while True:
            inner, outer = self._inner.copy(), self._outer.copy()
            inner.update(f"{name}:{block}".encode())
            outer.update(inner.digest())
            yield outer.digest()
            block += 1


class Draw(msgspec.Struct, omit_defaults=True):
    """The record of a roll, number or shuffle: after move `n`, draw number `draw` of its epoch.

    `what` is `roll` (`size` dice with `sides` sides), `number` (below `size`) or `shuffle` (of `size` things).
    `out` holds the faces, the number, or for each place the place its thing came from. `mix` is what the draw
    included.
    """

    n: int
    epoch: int
    draw: int
    what: str
    size: int
    out: list[int]
    sides: int = 0
    mix: str = ""


class RecordedDice(Dice):
    """Dice that record all draws, in order. `move` is the number of moves made, for the records."""

    __slots__ = ("drawn", "move")

    def __init__(self, seed: bytes, epoch: int = 0, counter: int = 0) -> None:
        super().__init__(seed, epoch, counter)
        self.drawn: list[Draw] = []
        self.move: Callable[[], int] = int

    def roll(self, count: int, sides: int = 6) -> tuple[int, ...]:
        dice = super().roll(count, sides)
        if count:
            self._keep("roll", count, list(dice), sides)
        return dice

    def below(self, n: int) -> int:
        number = super().below(n)
        self._keep("number", n, [number])
        return number

    def shuffle(self, items: MutableSequence[T]) -> None:
        places = list(range(len(items)))
        super().shuffle(places)
        items[:] = [items[place] for place in places]
        self._keep("shuffle", len(places), places)

    def _keep(self, what: str, size: int, out: list[int], sides: int = 0) -> None:
        mix = self.mixed() if self.mixed is not None else ""
        self.drawn.append(Draw(self.move(), self.epoch, self.counter, what, size, out, sides, mix))


class ScriptedDice(Dice):
    """Dice for rule tests: the given faces in order, then verifiable ones. Shuffles keep the order."""

    __slots__ = ("script",)

    def __init__(self, script: list[int], seed: bytes = b"\0" * SEED_BYTES) -> None:
        super().__init__(seed)
        self.script = script

    def roll(self, count: int, sides: int = 6) -> tuple[int, ...]:
        if not self.script:
            return super().roll(count, sides)
        out, self.script[:count] = tuple(self.script[:count]), []
        if len(out) < count:
            raise ValueError(f"the script ran out of dice: {count} wanted, {len(out)} left")
        self.counter += 1
        return out

    def shuffle(self, items: MutableSequence[Any]) -> None:
        self.counter += 1
