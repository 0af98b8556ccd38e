"""Badges of sides and seats: always a letter and a colour, never a colour alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from rich.text import Text

from pbem.report.scores_svg import colours, letters
from pbem.tui.model.seat_view import SeatView


@dataclass(frozen=True)
class Badge:
    """A side's mark: `letter` in `ink` on `paper` (#rrggbb); "" is nobody."""

    letter: str
    ink: str
    paper: str

    @property
    def style(self) -> str:
        return f"bold {self.ink} on {self.paper}"


NOBODY = Badge("-", "#000000", "#BBBBBB")


def badges(desk: SeatView, language: str) -> Mapping[str, Badge]:
    """Return a badge for each side on the map and each seat. Letters differ, whatever the colours."""
    say = desk.say(language)
    on_map = sorted({space.side for space in desk.view.map if space.side})
    named = [(side, say.value(side)) for side in dict.fromkeys([*on_map, *desk.seats])]
    given = desk.game.colours if desk.game is not None else None
    paper, sign = colours([side for side, _ in named], given), letters(named, given)
    found = {side: Badge(sign[side], ink_on(paper[side]), paper[side]) for side, _ in named}
    return {**found, "": NOBODY}


def mixed(one: str, other: str, share: float) -> str:
    """Return a colour between two, with this `share` of the other."""
    pairs = ((int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


@lru_cache(maxsize=256)
def tint(earth: str, paper: str, letters: str, share: float) -> str:
    """Return the land colour of a side, as strong as names in `letters` allow (4.5 to 1, WCAG 2.2)."""
    while share > 0 and contrast(mixed(earth, paper, share), letters) < 4.5:
        share -= 0.02
    return mixed(earth, paper, max(share, 0.0))


def luminance(colour: str) -> float:
    """Return the relative luminance of #rrggbb (WCAG 2.2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def ink_on(paper: str) -> str:
    """Return black or white, whichever is easier to read on `paper`."""
    return max(("#000000", "#FFFFFF"), key=lambda ink: contrast(ink, paper))


def flowed(entries: Iterable[tuple[Badge, str]], wide: int) -> Text:
    """Return badges with their names in lines of this width; no entry is broken."""
    text, used = Text(no_wrap=True, overflow="ellipsis", end=""), 0
    for badge, name in entries:
        entry = Text.assemble(" ", (badge.letter, badge.style), f" {name} ")
        if used and used + entry.cell_len > wide:
            text.append("\n")
            used = 0
        text.append_text(entry)
        used += entry.cell_len
    return text
