"""The course of a number as a row of braille bars: one cell wide everywhere, two values a cell."""

from __future__ import annotations

from collections.abc import Sequence

_LEFT = (0x00, 0x40, 0x44, 0x46, 0x47)
_RIGHT = (0x00, 0x80, 0xA0, 0xB0, 0xB8)


def spark(values: Sequence[int], low: int, high: int, most: int = 40) -> str:
    """The last `2 * most` values between `low` and `high`, each as a bar of up to four dots (one at the least)."""
    span = max(high - low, 1)
    bars = [1 + round(3 * (min(max(value, low), high) - low) / span) for value in values[-2 * most :]]
    pairs = [(bars[at], bars[at + 1] if at + 1 < len(bars) else 0) for at in range(0, len(bars), 2)]
    return "".join(chr(0x2800 + _LEFT[left] + _RIGHT[right]) for left, right in pairs)
