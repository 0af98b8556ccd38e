"""Colours and letters of sides. Colour is never alone: a letter says the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

PALETTE = ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#CC79A7", "#D55E00", "#0072B2", "#999999")
"""Okabe and Ito's colours, which most colour-blind readers can tell apart."""

MINOR = "#a39c90"
"""Who has no colour of his own in a game that gives some: told by the letter."""

_KNOWN = {
    "red": "#D55E00", "blue": "#0072B2", "green": "#009E73", "yellow": "#F0E442", "orange": "#E69F00",
    "purple": "#CC79A7", "violet": "#CC79A7", "white": "#FFFFFF", "black": "#333333", "grey": "#999999",
    "neutral": "#DDDDDD", "": "#FFFFFF",
}  # fmt: skip


def colours(sides: Sequence[str], given: Mapping[str, str] | None = None) -> dict[str, str]:
    """A colour for each side: the game's; else its own if it is named for one, else the next of the palette."""
    if given:
        return {side: given.get(side) or _KNOWN.get(side) or MINOR for side in sides}
    free = iter([c for c in PALETTE if c not in {_KNOWN.get(side) for side in sides}] * 4)
    return {side: _KNOWN.get(side) or next(free, "#999999") for side in sides}


def letters(sides: Sequence[tuple[str, str]], given: Mapping[str, str] | None = None) -> dict[str, str]:
    """A letter or two for each `(side, name)`, different for all; "" for no side.

    Sides to which the game has `given` a colour are the major ones: they choose first, the others have small letters.
    """
    out: dict[str, str] = {}
    for side, name in sorted(sides, key=lambda pair: bool(given) and pair[0] not in (given or {})):
        word = name.replace(" ", "") or side or "-"
        tries = [word[:1].upper(), *(word[0].upper() + char for char in word[1:] + "23456789"), word]
        if given and side not in given:
            tries = [text.lower() for text in tries]
        out[side] = next((t for t in tries if t and t not in out.values()), word) if side else ""
    return out


def ink(colour: str) -> str:
    """Black or white, whichever is read more easily on `colour`."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#000" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#fff"
