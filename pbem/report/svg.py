"""Drawings for HTML: the map and the course of the scores. Colour is never alone: a letter or a dash says the same."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from pbem.report.cells import width
from pbem.report.model import Place, Report

PALETTE = ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#CC79A7", "#D55E00", "#0072B2", "#999999")
"""Okabe and Ito's colours, which most colour-blind readers can tell apart."""

_KNOWN = {
    "red": "#D55E00", "blue": "#0072B2", "green": "#009E73", "yellow": "#F0E442", "orange": "#E69F00",
    "purple": "#CC79A7", "violet": "#CC79A7", "white": "#FFFFFF", "black": "#333333", "grey": "#999999",
    "neutral": "#DDDDDD", "": "#FFFFFF",
}  # fmt: skip
_DASHES = ("", "8 4", "2 3", "10 3 2 3", "5 5", "1 4")
_SIZE, _MARGIN, _DOT, _ROOM, _CROWD = 900, 60, 15, 170, 40
_FONT = (
    'font-family="system-ui, sans-serif" font-size="14"'  # attributes, for mail programs drop style sheets
)


def colours(sides: Sequence[str]) -> dict[str, str]:
    """A colour for each side: its own if it is named for one, else the next of the palette."""
    free = iter([c for c in PALETTE if c not in {_KNOWN.get(side) for side in sides}] * 4)
    return {side: _KNOWN.get(side) or next(free, "#999999") for side in sides}


def letters(sides: Sequence[tuple[str, str]]) -> dict[str, str]:
    """A letter or two for each `(side, name)`, different for all; "" for no side."""
    out: dict[str, str] = {}
    for side, name in sides:
        word = name.replace(" ", "") or side or "-"
        tries = [word[:1].upper(), *(word[0].upper() + char for char in word[1:] + "23456789"), word]
        out[side] = next((t for t in tries if t and t not in out.values()), word) if side else ""
    return out


def _ink(colour: str) -> str:
    """Black or white, whichever is read more easily on `colour`."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#000" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#fff"


def sides_of(places: Sequence[Place]) -> list[tuple[str, str]]:
    """The sides on the map with their names, in alphabetical order of their ids."""
    return sorted({(place.side, place.side_name) for place in places})


def map_svg(report: Report, title: str) -> str:
    """The map: a circle for each space in the colour and with the letter of its side, its mark and its name."""
    places = report.map
    sides = sides_of(places)
    fill, letter = colours([side for side, _ in sides]), letters(sides)
    size = max(_SIZE, int(_ROOM * len(places) ** 0.5))
    left, top = min(p.x for p in places), min(p.y for p in places)
    wide = max(p.x for p in places) - left or 1
    scale = (size - 2 * _MARGIN) / wide
    high = (max(p.y for p in places) - top) * scale + 2 * _MARGIN
    at = {p.id: (_MARGIN + (p.x - left) * scale, _MARGIN + (p.y - top) * scale) for p in places}
    parts = [
        f'<svg class="map" role="img" viewBox="0 0 {size} {high:.0f}" xmlns="http://www.w3.org/2000/svg" {_FONT}>',
        f"<title>{escape(title)}</title>",
        '<g stroke="#888888">',
    ]
    for a, b in sorted({tuple(sorted((p.id, q))) for p in places for q in p.links if q in at}):
        (x1, y1), (x2, y2) = at[a], at[b]
        parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')
    parts.append('</g><g text-anchor="middle">')
    for place in places:
        # On a crowded map what stands in brackets is left to the title, which shows under the pointer.
        label = place.name.partition(" (")[0] if len(places) > _CROWD else place.name
        parts += _space(place, label, at[place.id], fill[place.side], letter[place.side])
    return "\n".join([*parts, "</g></svg>"])


def _space(place: Place, label: str, at: tuple[float, float], fill: str, letter: str) -> list[str]:
    x, y = at
    inside = " ".join(filter(None, (letter, place.mark)))
    # Wide marks get a wider lozenge, so that nothing written in it is cut.
    half = max(_DOT, width(inside) * 4.5 + 4)
    told = ", ".join(filter(None, (place.name, place.side_name, place.mark)))
    return [
        f"<g><title>{escape(told)}</title>",
        (
            f'<rect x="{x - half:.1f}" y="{y - _DOT:.1f}" width="{2 * half:.1f}" height="{2 * _DOT}" rx="{_DOT}"'
            f' fill="{fill}" stroke="currentColor" stroke-width="1.5"/>'
        ),
        f'<text x="{x:.1f}" y="{y + 5:.1f}" font-weight="bold" fill="{_ink(fill)}">{escape(inside)}</text>',
        f'<text x="{x:.1f}" y="{y + _DOT + 14:.1f}" fill="currentColor">{escape(label)}</text></g>',
    ]


def scores_svg(report: Report, title: str) -> str:
    """The scores so far as lines, each with its own dash and its name at the end."""
    history = report.history
    top = max((max(points.values(), default=0) for _, points in history), default=0) or 1
    step = (_SIZE - 260) / max(len(history) - 1, 1)
    high = 260
    colour = colours([seat for seat, _ in report.seats])
    parts = [
        (
            f'<svg class="chart" role="img" viewBox="0 0 {_SIZE} {high + 50}" xmlns="http://www.w3.org/2000/svg"'
            f' {_FONT} fill="currentColor">'
        ),
        f"<title>{escape(title)}</title>",
        f'<line stroke="#888888" x1="50" y1="{high}" x2="{_SIZE - 200}" y2="{high}"/>',
        f'<text text-anchor="end" x="42" y="34">{top}</text><text text-anchor="end" x="42" y="{high}">0</text>',
    ]
    for index, (label, _) in enumerate(history):
        parts.append(
            f'<text text-anchor="middle" x="{60 + index * step:.0f}" y="{high + 22}">{escape(label)}</text>'
        )
    ends: list[float] = []
    for at, (seat, name) in enumerate(report.seats):
        ends.append(0.0)
        line = [
            (60 + index * step, high - (high - 30) * points[seat] / top)
            for index, (_, points) in enumerate(history)
            if seat in points
        ]
        if not line:
            continue
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in line)
        stroke = _dark(colour[seat])
        x, y = line[-1]
        while any(abs(y - other) < 15 for other in ends if other):
            y += 15
        ends[-1] = y
        said = f"{name} {history[-1][1].get(seat, '')}"
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{stroke}" stroke-width="2.5"'
            f' stroke-dasharray="{_DASHES[at % len(_DASHES)]}"/>'
            f'<text x="{x + 10:.1f}" y="{y + 4:.1f}">{escape(said)}</text>'
        )
    return "\n".join([*parts, "</svg>"])


def _dark(colour: str) -> str:
    """White and yellow lines would not be seen on paper."""
    return {"#FFFFFF": "#777777", "#F0E442": "#B8A900", "#DDDDDD": "#777777"}.get(colour, colour)
