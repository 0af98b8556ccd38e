"""Resample world B of a pair: exchange hidden pieces in its first state, as if they had been dealt so.

Only pieces that the concealed seat could find in each other's place are exchanged: those that `conceal` deals
together, found by trial.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from random import Random
from typing import Any

import msgspec

Swap = tuple[str, str]
"""Two pieces that change places in world B: `(in A, in B)`."""

_DEALS = 6
"""Number of deals used to find which pieces are dealt, and which together. Two are usually enough."""


class Pieces:
    """The hidden pieces of one checkpoint.

    `state` and `hidden` are the first states of both worlds, as JSON; `again` deals what is hidden again. Pieces may
    change places if some deal puts them elsewhere than `hidden` does.
    """

    def __init__(self, state: bytes, hidden: bytes, again: Callable[[], bytes]) -> None:
        # Compare dealt worlds with each other, not with the true one: there a pile may have an order of its own,
        # and a piece that is only elsewhere in its pile isn't dealt.
        self.dealt_worlds = [hidden, *(again() for _ in range(_DEALS))]
        self.moved = {
            piece
            for other in self.dealt_worlds[1:]
            for piece in moved(hidden, other)
            if state.count(_quoted(piece)) == 1
        }
        self._pools: dict[str, str] | None = None

    def movable(self, swaps: Collection[Swap]) -> bool:
        """Check that there are swaps, all of them of pieces that may change places."""
        return bool(swaps) and all(piece in self.moved for swap in swaps for piece in swap)

    def dealt(self, answer: Any, a: Any, b: Any, random: Random) -> list[Swap]:
        """Return the swaps after which B holds the pieces of an answer where A does; [] if there are none."""
        couples = list(_couples(a, b))
        swaps: list[Swap] = []
        for piece in dict.fromkeys(words_of(answer)):
            if piece not in self.moved:
                continue
            mine, yours = next((both for both in couples if piece in both[0]), ([], []))
            if piece in yours:
                continue
            instead = self._instead(piece, mine, yours, [other for _, other in swaps])
            if not instead:
                return []
            swaps.append((piece, random.choice(instead)))
        return swaps

    def otherwise(self, answer: Any, a: Any, b: Any, random: Random) -> Any:
        """Return the answer with other pieces of the same pile in B, or None if there are none."""
        couples = list(_couples(a, b))
        named: list[str] = []
        becomes: dict[str, str] = {}
        for piece in dict.fromkeys(words_of(answer)):
            if piece not in self.moved:
                continue
            yours = next((both[1] for both in couples if piece in both[0]), [])
            free = [other for other in yours if other in self.moved and other not in named]
            if not free:
                return None
            others = [other for other in free if other != piece]
            becomes[piece] = random.choice(others or free)
            named.append(becomes[piece])
        return _renamed(answer, becomes) if any(old != new for old, new in becomes.items()) else None

    def _instead(self, piece: str, mine: list[Any], yours: list[Any], taken: list[str]) -> list[str]:
        """Return the pieces of this pile in B that can be replaced by `piece`: those that A doesn't have there."""
        pools = self._together()
        return [
            other
            for other in yours
            if other in self.moved and other not in mine and other not in taken and pools.get(other) == pools.get(piece)
        ]

    def _together(self) -> dict[str, str]:
        """Return piece → representative of all pieces that are dealt together with it."""
        if self._pools is None:
            self._pools = pools = {piece: piece for piece in self.moved}
            first, *others = map(msgspec.json.decode, self.dealt_worlds)
            for dealt in others:
                for mine, yours in _couples(first, dealt):
                    for part, other in zip(mine, yours, strict=False):
                        if part in pools and other in pools and pools[part] != pools[other]:
                            old, new = pools[other], pools[part]
                            pools.update((piece, new) for piece, pool in pools.items() if pool == old)
        return self._pools


def _renamed(answer: Any, becomes: Mapping[str, str]) -> Any:
    """Return the answer with these words replaced, except in keys."""
    if isinstance(answer, str):
        return becomes.get(answer, answer)
    if isinstance(answer, list):
        return [_renamed(part, becomes) for part in answer]
    if isinstance(answer, dict):
        return {key: _renamed(part, becomes) for key, part in answer.items()}
    return answer


def words_of(value: Any) -> Iterator[str]:
    """Yield the texts in a value, keys included: ids of cards, pieces, spaces."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from words_of(part)


def _couples(a: Any, b: Any) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield the lists of words at the same places of two states."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in a:
            yield from _couples(a[key], b.get(key))
    elif isinstance(a, list) and isinstance(b, list):
        if any(isinstance(value, str) for value in (*a, *b)):
            yield a, b
        for left, other in zip(a, b, strict=False):
            yield from _couples(left, other)


def differences(a: Any, b: Any) -> Iterator[Swap]:
    """Yield the differing pieces at the same places of two private messages; none if their shapes differ."""
    if isinstance(a, str) and isinstance(b, str):
        if a != b:
            yield a, b
    elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b):
        for left, other in zip(a, b, strict=True):
            yield from differences(left, other)
    elif isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        for key in a:
            yield from differences(a[key], b[key])


def moved(state: bytes, hidden: bytes) -> set[str]:
    """Return the pieces that are elsewhere in the other world: words that occur once in each."""
    found: set[str] = set()
    for mine, yours in _couples(msgspec.json.decode(state), msgspec.json.decode(hidden)):
        found.update(part for part in mine if isinstance(part, str) and part not in yours)
        found.update(part for part in yours if isinstance(part, str) and part not in mine)
        found.update(part for part, new in zip(mine, yours, strict=False) if isinstance(part, str) and part != new)
    return {piece for piece in found if state.count(_quoted(piece)) == hidden.count(_quoted(piece)) == 1}


def exchange_pieces(state: bytes, swaps: Collection[Swap]) -> bytes:
    """Return B's state with pieces exchanged (`(in A, in B)`): each still occurs once."""
    becomes = {other: swap for swap, other in swaps}
    driven_out = [target for target in becomes.values() if target not in becomes]
    left_over = [other for other in becomes if other not in becomes.values()]
    becomes |= dict(zip(driven_out, left_over, strict=False))
    # Rename via names that no state has, so that no piece is renamed twice.
    for index, other in enumerate(becomes):
        state = state.replace(_quoted(other), b"\0%d\0" % index)
    for index, target in enumerate(becomes.values()):
        state = state.replace(b"\0%d\0" % index, _quoted(target))
    return state


def _quoted(piece: str) -> bytes:
    return msgspec.json.encode(piece)
