"""The map on terminals of few colours: which of theirs stand for sea, land, tints and badges.

Rich would take the nearest by hue, so that two sides, or sea and land, became one. On 16 colours land has no tint.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from math import dist, hypot
from typing import NamedTuple

from pbem.tui.model.sides import Badge, contrast, ink_on, tint

TRUE, MANY, FEW = "truecolor", "256", "standard"
"""The colours of a terminal, as Rich calls them; `standard` are 16."""

STANDARD = (
    "#000000", "#aa0000", "#00aa00", "#aa5500", "#0000aa", "#aa00aa", "#00aaaa", "#aaaaaa", "#555555", "#ff5555",
    "#55ff55", "#ffff55", "#5555ff", "#ff55ff", "#55ffff", "#ffffff",
)  # fmt: skip
"""What Rich takes the 16 colours for: it writes exactly these as they are."""

_STEPS = (0, 95, 135, 175, 215, 255)
CUBE = (
    *(f"#{r:02x}{g:02x}{b:02x}" for r in _STEPS for g in _STEPS for b in _STEPS),
    *(f"#{grey:02x}{grey:02x}{grey:02x}" for grey in range(8, 248, 10)),
)
"""The colours 16 to 255 of a terminal that has 256."""


_HUE = 0.3
"""How much lightness matters where few colours are to be had: hues tell sides apart."""


class Ground(NamedTuple):
    """Sea, land, letters, and how much of a side's colour its land takes at most."""

    sea: str
    earth: str
    letters: str
    share: float


GROUNDS: Mapping[tuple[str, bool], Ground] = {
    (TRUE, True): Ground("#0f1c26", "#2a2723", "#e0e0e0", 0.42),
    (TRUE, False): Ground("#cfdde6", "#e2dac9", "#1d1b18", 0.48),
    (MANY, True): Ground("#00005f", "#262626", "#ffffff", 0.46),
    (MANY, False): Ground("#afd7ff", "#eeeeee", "#000000", 0.6),
    (FEW, True): Ground("#000000", "#555555", "#ffffff", 0.0),
    (FEW, False): Ground("#ffffff", "#aaaaaa", "#000000", 0.0),
}
"""By colours of the terminal and whether the theme is dark."""


@lru_cache(maxsize=1024)
def oklab(colour: str) -> tuple[float, float, float]:
    """#rrggbb in OKLab (Ottosson 2020), in which distances are as large as they look."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def nearest(colour: str, among: Iterable[str], but: Collection[str] = (), light: float = 1.0) -> str:
    """The colour that looks most like another; `light` is how much it matters that it is as light."""

    def seen(shade: str) -> tuple[float, float, float]:
        lightness, green_red, blue_yellow = oklab(shade)
        return light * lightness, green_red, blue_yellow

    here = seen(colour)
    return min(
        (shade for shade in among if shade not in but),
        key=lambda shade: dist(seen(shade), here),
        default=colour,
    )


def limited(sides: Mapping[str, Badge], depth: str, ground: Ground) -> dict[str, Badge]:
    """The badges in colours that the terminal has, each in its own as long as there are any, the strongest first."""
    if depth not in (MANY, FEW):
        return dict(sides)
    among, light = (CUBE, 1.0) if depth == MANY else (STANDARD, _HUE)
    used = {ground.earth}
    found: dict[str, Badge] = {}
    for side in sorted(sides, key=lambda key: -_chroma(sides[key].paper)):
        badge = sides[side]
        paper = nearest(badge.paper, among, used, light)
        if badge.paper not in {other.paper for key, other in sides.items() if key != side}:
            used.add(paper)
        found[side] = Badge(badge.letter, ink_on(paper), paper)
    return found


def _chroma(colour: str) -> float:
    _, green_red, blue_yellow = oklab(colour)
    return hypot(green_red, blue_yellow)


@lru_cache(maxsize=256)
def tinted(depth: str, ground: Ground, paper: str) -> str:
    """Land in the colour of who controls it, as far as the terminal has such colours and names can be read on them."""
    wanted = tint(ground.earth, paper, ground.letters, ground.share)
    if depth != MANY:
        return wanted
    read = (shade for shade in CUBE if contrast(shade, ground.letters) >= 4.5)
    return nearest(wanted, read, {ground.sea, ground.earth}, _HUE)
