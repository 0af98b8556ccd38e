"""The history of the scores as SVG. Colour is never the only sign: lines also differ in dash and name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.lazy_regex import escape
from pbem.report.model import Report

# Colours and letters of sides. Colour is never the only sign: sides also differ in their letter.

PALETTE = ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#CC79A7", "#D55E00", "#0072B2", "#999999")
"""Okabe and Ito's colours, which most colour-blind readers can tell apart."""

MINOR = "#a39c90"
"""For sides without a colour in a game that gives some: the letter tells them apart."""

_KNOWN = {
    "red": "#D55E00", "blue": "#0072B2", "green": "#009E73", "yellow": "#F0E442", "orange": "#E69F00",
    "purple": "#CC79A7", "violet": "#CC79A7", "white": "#FFFFFF", "black": "#333333", "grey": "#999999",
    "neutral": "#DDDDDD", "": "#FFFFFF",
}  # fmt: skip


def colours(sides: Sequence[str], given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return a colour for each side: the game's; else its own if it is named for one, else the next of the palette."""
    if given:
        return {side: given.get(side) or _KNOWN.get(side) or MINOR for side in sides}
    free = iter([c for c in PALETTE if c not in {_KNOWN.get(side) for side in sides}] * 4)
    return {side: _KNOWN.get(side) or next(free, "#999999") for side in sides}


def letters(sides: Sequence[tuple[str, str]], given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return one or two letters for each `(side, name)`; those with a `given` colour first, others small."""
    out: dict[str, str] = {}
    for side, name in sorted(sides, key=lambda pair: bool(given) and pair[0] not in (given or {})):
        word = name.replace(" ", "") or side or "-"
        tries = [word[:1].upper(), *(word[0].upper() + char for char in word[1:] + "23456789"), word]
        if given and side not in given:
            tries = [text.lower() for text in tries]
        out[side] = next((t for t in tries if t and t not in out.values()), word) if side else ""
    return out


def ink(colour: str) -> str:
    """Return black or white, whichever is more legible on `colour`."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#000" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#fff"


_DASHES = ("", "8 4", "2 3", "10 3 2 3", "5 5", "1 4")
_SIZE = 900
_HIGH = 260
_FONT = 'font-family="system-ui, sans-serif" font-size="14"'  # attributes, because mail programs drop style sheets


def scores_svg(report: Report, title: str) -> str:
    """Return the scores so far as lines, each with its own dash and its name at the end."""
    history = report.history
    top = max((max(points.values(), default=0) for _, points in history), default=0) or 1
    step = (_SIZE - 260) / max(len(history) - 1, 1)
    parts = [*_axis(title, top), *_labels([label for label, _ in history], step)]
    colour = colours([seat for seat, _ in report.seats], report.colours)
    ends: list[float] = []
    for at, (seat, name) in enumerate(report.seats):
        line = [
            (60 + index * step, _HIGH - (_HIGH - 30) * points[seat] / top)
            for index, (_, points) in enumerate(history)
            if seat in points
        ]
        if not line:
            continue
        x, y = line[-1]
        while any(abs(y - other) < 15 for other in ends):
            y += 15
        ends.append(y)
        said = f"{name} {history[-1][1].get(seat, '')}"
        parts.append(
            _course(line, _dark(colour[seat]), _DASHES[at % len(_DASHES)])
            + f'<text x="{x + 10:.1f}" y="{y + 4:.1f}">{escape(said)}</text>'
        )
    return "\n".join([*parts, "</svg>"])


def _axis(title: str, top: int) -> list[str]:
    return [
        (
            f'<svg class="chart" role="img" viewBox="0 0 {_SIZE} {_HIGH + 50}" xmlns="http://www.w3.org/2000/svg"'
            f' {_FONT} fill="currentColor">'
        ),
        f"<title>{escape(title)}</title>",
        f'<line stroke="#888888" x1="50" y1="{_HIGH}" x2="{_SIZE - 200}" y2="{_HIGH}"/>',
        f'<text text-anchor="end" x="42" y="34">{top}</text><text text-anchor="end" x="42" y="{_HIGH}">0</text>',
    ]


def _labels(labels: list[str], step: float) -> list[str]:
    return [
        f'<text text-anchor="middle" x="{60 + index * step:.0f}" y="{_HIGH + 22}">{escape(label)}</text>'
        for index, label in enumerate(labels)
    ]


def _course(line: list[tuple[float, float]], stroke: str, dash: str) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in line)
    return f'<polyline points="{path}" fill="none" stroke="{stroke}" stroke-width="2.5" stroke-dasharray="{dash}"/>'


def _dark(colour: str) -> str:
    """Darken white and light colours, which aren't visible on paper."""
    return {"#FFFFFF": "#777777", "#F0E442": "#B8A900", "#DDDDDD": "#777777"}.get(colour, colour)
