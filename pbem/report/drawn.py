"""What was put into words or drawn once and stands in several letters: tables and maps that all may see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

MOST = 128
"""How many drawings are kept; the oldest is let go. A table of a large game takes some 10 kB."""


class Drawn:
    """Drawings by the things drawn. Whoever gets one must not change it."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Any, ...], tuple[Any, Any]] = {}

    def alike(self, kind: str, thing: Any, draw: Callable[[], T]) -> T:
        """What `draw` makes of a thing, or made of one with the same content (1 is not true)."""
        try:
            key = (kind, msgspec.msgpack.encode(thing))
        except (TypeError, ValueError, OverflowError):  # another game's cells may hold anything
            return draw()
        return self._found(key, None, draw)

    def same(self, kind: str, thing: Any, draw: Callable[[], T]) -> T:
        """What `draw` makes of a thing, or made of this very thing before."""
        return self._found((kind, id(thing)), thing, draw)

    def _found(self, key: tuple[Any, ...], thing: Any, draw: Callable[[], T]) -> T:
        known = self._kept.get(key)
        if known is None:
            if len(self._kept) >= MOST:
                del self._kept[next(iter(self._kept))]
            known = self._kept[key] = (thing, draw())  # the thing too: else its id could become another's
        return known[1]
