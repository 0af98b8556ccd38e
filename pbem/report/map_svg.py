"""The map as SVG: coasts, land in its controller's tint, links, badges, and names that cover nothing.

Colour is never the only sign: a badge has the letter of its side, and every space has a title.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import Any, NamedTuple

from pbem.kernel.referee import Referee
from pbem.lazy_regex import escape, pattern
from pbem.report.build import build
from pbem.report.coasts import CoastIndex, Ring, coasts
from pbem.report.messages import Catalogue
from pbem.report.model import Report, ReportSpace
from pbem.report.question_text import EmailQuestion
from pbem.report.scores_svg import colours, ink, letters
from pbem.report.text_width import width
from pbem.report.viewfile import told_of

SEA, LAND, SHORE, LINK = "#cfdde6", "#e2dac9", "#8a8271", "#a39a88"
INK, WATER, RED = "#1d1b18", "#3f6478", "#c1121f"
LETTER = 375
"""Width in pixels of the map in an email: a phone's column."""

_BADGE, _FONT, _ROOM, _MARGIN = 11, 13, 95, 40
_CROWDED, _SPACED, _STEP = 34, 64, 30
"""Pixels between neighbours below which a part is drawn larger; those in its inset; steps to seek its place."""
_BEYOND = 8
"""Pixels outside the viewport from which on a coast is simplified."""
_FEW, _RINGS = 5, 3
"""A map of fewer spaces is drawn wider, up to so many steps away."""
_CHAR, _BOLD = 6.6, 8.2
"""About how wide a character of `_FONT` is, in pixels, and at most if bold."""


Point = tuple[float, float]

_ROUND = [(math.cos(math.tau * step / 24), math.sin(math.tau * step / 24)) for step in range(24)]


class SvgRect(NamedTuple):
    """A rectangle of the drawing, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: SvgRect) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


class SvgViewport:
    """The part of the map that is drawn: `scale` pixels a unit; `key` makes its ids differ from those in its insets."""

    def __init__(self, places: Sequence[ReportSpace], wide: int, key: str = "") -> None:
        self.key = key
        xs, ys = [p.x for p in places], [p.y for p in places]
        span = max(max(xs) - min(xs), (max(ys) - min(ys)) * 0.6) or 1.0
        self.wide = wide
        self.scale = (wide - 2 * _MARGIN) / span
        middle = (min(xs) + max(xs)) / 2
        self.left = middle - wide / 2 / self.scale
        self.top = min(ys) - _MARGIN / self.scale
        self.high = round((max(ys) - min(ys)) * self.scale) + 2 * _MARGIN

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the map is drawn, in pixels."""
        return (x - self.left) * self.scale, (y - self.top) * self.scale

    def shows(self, x: float, y: float, more: float = 0) -> bool:
        """Return whether a point is drawn, or is at most `more` pixels outside."""
        right, down = self.at(x, y)
        return -more <= right <= self.wide + more and -more <= down <= self.high + more


def board(report: Report, title: str) -> str:
    """Return the whole map, as large as its names need."""
    wide = max(900, int(_ROOM * len(report.map) ** 0.5 * 1.8))
    return _svg(report, report.map, SvgViewport(report.map, wide), title)


def crop(report: Report, spaces: Collection[str], title: str, ways: Sequence[tuple[str, str]] = ()) -> str:
    """Return the map around these spaces, wider if they are few, with `ways` as arrows; "" if none is on the map."""
    named = [place for place in report.map if place.id in spaces]
    links = {place.id: place.links for place in report.map}
    near = {place.id for place in named}
    for _ in range(_RINGS):
        near = near.union(*(links.get(key, ()) for key in near))
        if len(near) >= _FEW:
            break
    around = [place for place in report.map if place.id in near]
    if not named:
        return ""
    frame = SvgViewport(around if len(around) > 1 else report.map, LETTER)
    shown = [place for place in report.map if frame.shows(place.x, place.y, -_BADGE)]
    return _svg(report, shown, frame, title, set(spaces), ways)


def _svg(
    report: Report,
    places: Sequence[ReportSpace],
    frame: SvgViewport,
    title: str,
    rim: Collection[str] = (),
    ways: Sequence[tuple[str, str]] = (),
) -> str:
    sides = sides_of(report.map)
    look = MapStyle(colours([side for side, _ in sides], report.colours), letters(sides, report.colours), rim)
    insets = list(_insets(report, frame)) if len(places) == len(report.map) else []
    apart = {place.id for inset in insets for place in inset.places}
    boxes = [box for inset in insets for box in (inset.box, inset.plate)]
    main = [place for place in places if place.id not in apart and not _under(place, frame, boxes)]
    parts = [
        (
            f'<svg class="map" role="img" viewBox="0 0 {frame.wide} {frame.high}" xmlns="http://www.w3.org/2000/svg"'
            f' font-family="system-ui, sans-serif" font-size="{_FONT}">'
        ),
        f"<title>{escape(title)}</title>",
        *_ground(report, frame, look.fill),
        *_links(main, frame),
        *_arrows(main, frame, ways),
        *_spaces(main, frame, look, report.seas, boxes),
        *(line for inset in insets for line in _inset(report, inset, look)),
        "</svg>",
    ]
    return "\n".join(parts)


class MapStyle(NamedTuple):
    """How spaces are drawn: the colour and the letter of each side, and which have a red rim."""

    fill: Mapping[str, str]
    letter: Mapping[str, str]
    rim: Collection[str] = ()


class SvgInset(NamedTuple):
    """A crowded part of the map, drawn larger in `box`; an inset label (`plate`) marks its place."""

    name: str
    places: Sequence[ReportSpace]
    frame: SvgViewport
    box: SvgRect
    plate: SvgRect


def _insets(report: Report, frame: SvgViewport) -> Iterator[SvgInset]:
    for number, (name, spaces) in enumerate(report.insets):
        own = [place for place in report.map if place.id in spaces]
        here = [frame.at(place.x, place.y) for place in own]
        apart = _apart(here)
        if len(own) < 2 or apart >= _CROWDED:
            continue
        wide = (max(x for x, _ in here) - min(x for x, _ in here)) * _SPACED / apart + 2 * _MARGIN
        part = SvgViewport(own, round(wide), f"inset{number}")
        others = [frame.at(place.x, place.y) for place in report.map if place.id not in spaces]
        box = _emptiest(frame, part, here, others)
        if box is not None:
            x, y = sum(x for x, _ in here) / len(here), sum(y for _, y in here) / len(here)
            half = width(name) * _BOLD / 2 + 6
            yield SvgInset(name, own, part, box, SvgRect(x - half, y - _FONT, x + half, y + _FONT))


def _emptiest(frame: SvgViewport, part: SvgViewport, own: Sequence[Point], others: Sequence[Point]) -> SvgRect | None:
    """Return where an inset covers the fewest spaces, and none of its own; None if it would cover many."""
    lies = SvgRect(min(x for x, _ in own), min(y for _, y in own), max(x for x, _ in own), max(y for _, y in own))
    best, least = None, max(1, len(others) // 50) + 1
    for top in range(0, frame.high - part.high + 1, _STEP):
        for left in range(0, frame.wide - part.wide + 1, _STEP):
            box = SvgRect(left, top, left + part.wide, top + part.high)
            if not box.meets(lies):
                covered = sum(
                    box.left - _MARGIN < x < box.right + _MARGIN and box.top < y < box.bottom for x, y in others
                )
                if covered < least:
                    best, least = box, covered
    return best


def _inset(report: Report, inset: SvgInset, look: MapStyle) -> Iterator[str]:
    box, plate, part = inset.box, inset.plate, inset.frame
    shown = [place for place in report.map if part.shows(place.x, place.y, -_BADGE)]
    yield (
        f'<svg x="{box.left:.0f}" y="{box.top:.0f}" width="{part.wide}" height="{part.high}"'
        f' viewBox="0 0 {part.wide} {part.high}">'
    )
    yield from _ground(report, part, look.fill)
    yield from _links(shown, part)
    title = SvgRect(0, 0, width(inset.name) * _BOLD + 16, _FONT + 8)
    yield from _spaces(shown, part, look, (), [title])
    yield _plate(title, inset.name)
    yield f'<rect width="{part.wide}" height="{part.high}" fill="none" stroke="{INK}" stroke-width="4"/></svg>'
    yield _plate(plate, inset.name)


def _plate(box: SvgRect, name: str) -> str:
    wide, high, middle = box.right - box.left, box.bottom - box.top, (box.left + box.right) / 2
    return (
        f'<g text-anchor="middle"><rect x="{box.left:.0f}" y="{box.top:.0f}" width="{wide:.0f}" height="{high:.0f}"'
        f' rx="4" fill="{INK}"/><text x="{middle:.0f}" y="{box.bottom - high / 2 + 5:.0f}" font-weight="bold"'
        f' fill="#fff">{escape(name)}</text></g>'
    )


def _under(place: ReportSpace, frame: SvgViewport, boxes: Sequence[SvgRect]) -> bool:
    x, y = frame.at(place.x, place.y)
    return any(SvgRect(x - 1, y - 1, x + 1, y + 1).meets(box) for box in boxes)


def sides_of(places: Sequence[ReportSpace]) -> list[tuple[str, str]]:
    """Return the sides on the map with their names, in alphabetical order of their ids."""
    return sorted({(place.side, place.side_name) for place in places})


def _ground(report: Report, frame: SvgViewport, fill: Mapping[str, str]) -> Iterator[str]:
    """Yield sea, land and the tint of its controller; a plain background if the map has no coasts."""
    rings = coasts(report.chart) if report.chart else ()
    coast = path(rings, frame)
    yield f'<rect width="{frame.wide}" height="{frame.high}" fill="{SEA if coast else LAND}"/>'
    if not coast:
        return
    places = [*report.map, *_more(report)]
    reach = _reach([frame.at(place.x, place.y) for place in places])
    main = max(range(len(rings)), key=lambda number: len(rings[number]))
    shores = CoastIndex(rings)
    home = [shores.nearest((place.x, place.y)) for place in places]
    # An island with spaces of its own is tinted separately: its colour stays on it, and no other spreads to it.
    own = {ring for place, ring in zip(places, home, strict=True) if place.id} - {main}
    rest = path((ring for number, ring in enumerate(rings) if number not in own), frame)
    yield f'<path fill="{LAND}" fill-rule="evenodd" d="{coast}"/>'
    for number in (main, *sorted(own)):
        shore = rest if number == main else path([rings[number]], frame)
        here = [place for place, ring in zip(places, home, strict=True) if (ring if ring in own else main) == number]
        if shore:
            yield from _tinted(f"{frame.key}land{number}", shore, list(areas(here, frame, reach)), fill, frame.at)
    yield f'<path fill="none" stroke="{SHORE}" stroke-width="1.2" d="{coast}"/>'


def _tinted(
    name: str,
    shore: str,
    cells: Sequence[tuple[ReportSpace, list[Point]]],
    fill: Mapping[str, str],
    at: Callable[[float, float], Point],
) -> Iterator[str]:
    """Yield the land within a shore in its controller's tint, with borders between spaces."""
    yield f'<clipPath id="{name}"><path clip-rule="evenodd" d="{shore}"/></clipPath><g clip-path="url(#{name})">'
    several = {key for key, count in Counter(place.id for place, _ in cells).items() if key and count > 1}
    for place, cell in cells:
        points = " ".join(f"{x:.0f},{y:.0f}" for x, y in cell)
        if place.side:
            line = "" if place.id in several else f' stroke="{LAND}" stroke-width="1.5"'
            tone = fill.get(place.side, LAND)
            yield f'<polygon points="{points}" fill="{tone}" fill-opacity=".38"{line}/>'
    if several:
        lines = "".join(_borders(cells, several, at))
        yield f'<path fill="none" stroke="{SHORE}" stroke-width="1.2" d="{lines}"/>'
    yield "</g>"


def _borders(
    cells: Sequence[tuple[ReportSpace, list[Point]]], several: Collection[str], at: Callable[[float, float], Point]
) -> Iterator[str]:
    """Yield the edges of spaces that have several cells, except between two cells of the same space."""
    middles = [(at(place.x, place.y), place.id) for place, _ in cells]
    for place, cell in cells:
        if place.id not in several:
            continue
        for number, (x2, y2) in enumerate(cell):
            x1, y1 = cell[number - 1]
            edge = ((x1 + x2) / 2, (y1 + y2) / 2)
            beside = nsmallest(2, ((math.dist(edge, middle), key) for middle, key in middles))
            if len({key for _, key in beside}) > 1:
                yield f"M{x1:.0f} {y1:.0f}L{x2:.0f} {y2:.0f}"


def _more(report: Report) -> list[ReportSpace]:
    """Return further land of spaces and sides, and neutral land, as additional places."""
    sides = {place.id: place.side for place in report.map}
    return [
        ReportSpace(key if key in sides else "", "", x, y, sides.get(key, key), "", "", [], "")
        for key, x, y in report.lands
    ]


def areas(
    places: Sequence[ReportSpace], frame: SvgViewport, reach: float = 0.0
) -> Iterator[tuple[ReportSpace, list[Point]]]:
    """Yield the area of each space in the viewport: all points nearer to it than to another, within `reach`."""
    at = [frame.at(place.x, place.y) for place in places]
    reach = reach or _reach(at)
    for place, here in zip(places, at, strict=True):
        if not frame.shows(place.x, place.y, reach):
            continue
        cell = [(here[0] + reach * x, here[1] + reach * y) for x, y in _ROUND]
        for other in at:
            if other != here and math.dist(here, other) < 2 * reach:
                cell = _nearer(cell, here, other)
        yield place, cell


def _nearer(cell: list[Point], here: Point, other: Point) -> list[Point]:
    """Return the part of a cell that is nearer to `here` than to `other`."""
    (x1, y1), (x2, y2) = here, other
    wide, high = x2 - x1, y2 - y1
    bound = (x2 * x2 - x1 * x1 + y2 * y2 - y1 * y1) / 2
    found: list[Point] = []
    beyond = [x * wide + y * high - bound for x, y in cell]
    for at, point in enumerate(cell):
        before = cell[at - 1]
        if (beyond[at] > 0) != (beyond[at - 1] > 0):
            part = beyond[at - 1] / (beyond[at - 1] - beyond[at])
            found.append((before[0] + (point[0] - before[0]) * part, before[1] + (point[1] - before[1]) * part))
        if beyond[at] <= 0:
            found.append(point)
    return found


def _reach(at: Sequence[Point]) -> float:
    """Return how far the area of a space extends: twice the median distance between neighbours, in pixels."""
    return max(20.0, 2 * _apart(at))


def _apart(at: Sequence[Point]) -> float:
    """Return the median distance to the nearest other point."""
    near = sorted(min((math.dist(p, q) for q in at if q != p), default=40.0) for p in at)
    return near[len(near) // 2]


def path(coast: Iterable[Ring], frame: SvgViewport) -> str:
    """Return the coasts in the viewport as the data of a path, in whole pixels."""
    parts = []
    for ring in coast:
        xs, ys = [x for x, _ in ring], [y for _, y in ring]
        (left, top), (right, bottom) = frame.at(min(xs), min(ys)), frame.at(max(xs), max(ys))
        if right < 0 or bottom < 0 or left > frame.wide or top > frame.high:
            continue
        points = list(_seen([frame.at(x, y) for x, y in ring], frame))
        rounded = [f"{x:.0f} {y:.0f}" for x, y in points]
        kept = [text for at, text in enumerate(rounded) if text != rounded[at - 1]]
        if len(kept) > 2:
            parts.append(f"M{'L'.join(kept)}Z")
    return "".join(parts)


def _seen(points: Sequence[Point], frame: SvgViewport) -> Iterator[Point]:
    """Yield a ring without points that are outside between two others beyond the same edge: they aren't visible."""
    beyond = [(x < -_BEYOND, x > frame.wide + _BEYOND, y < -_BEYOND, y > frame.high + _BEYOND) for x, y in points]
    before: tuple[bool, ...] = ()
    for point, here, after in zip(points, beyond, [*beyond[1:], beyond[0]], strict=True):
        if not any(map(all, zip(before, here, after, strict=False))):
            yield point
            before = here


def _links(places: Sequence[ReportSpace], frame: SvgViewport) -> Iterator[str]:
    at = {place.id: frame.at(place.x, place.y) for place in places}
    pairs = sorted({tuple(sorted((p.id, q))) for p in places for q in p.links if q in at})
    lines = "".join(f"M{at[a][0]:.0f} {at[a][1]:.0f}L{at[b][0]:.0f} {at[b][1]:.0f}" for a, b in pairs)
    yield f'<path fill="none" stroke="{LINK}" stroke-dasharray="3 3" d="{lines}"/>'


def _arrows(places: Sequence[ReportSpace], frame: SvgViewport, ways: Sequence[tuple[str, str]]) -> Iterator[str]:
    at = {place.id: frame.at(place.x, place.y) for place in places}
    for start, end in ways:
        if start not in at or end not in at or (long := math.dist(at[start], at[end])) < 3 * _BADGE:
            continue
        (x1, y1), (x2, y2) = at[start], at[end]
        right, down = (x2 - x1) / long, (y2 - y1) / long
        x, y = x2 - right * 1.6 * _BADGE, y2 - down * 1.6 * _BADGE
        back, side = (x - right * _BADGE, y - down * _BADGE), (-down * 0.6 * _BADGE, right * 0.6 * _BADGE)
        yield (
            f'<path fill="none" stroke="{RED}" stroke-width="4" d="M{x1:.0f} {y1:.0f}L{back[0]:.0f} {back[1]:.0f}"/>'
            f'<polygon fill="{RED}" points="{x:.0f},{y:.0f} {back[0] + side[0]:.0f},{back[1] + side[1]:.0f}'
            f' {back[0] - side[0]:.0f},{back[1] - side[1]:.0f}"/>'
        )


def _spaces(
    places: Sequence[ReportSpace],
    frame: SvgViewport,
    look: MapStyle,
    seas: Sequence[tuple[str, float, float]] = (),
    covered: Sequence[SvgRect] = (),
) -> Iterator[str]:
    """Yield badges, then names by weight, with more links first; seas last."""
    taken: list[SvgRect] = []
    for place in places:
        x, y = frame.at(place.x, place.y)
        inside = " ".join(filter(None, (look.letter[place.side], place.mark)))
        half = max(_BADGE, width(inside) * 4.2 + 4)
        taken.append(SvgRect(x - half, y - _BADGE, x + half, y + _BADGE))
        colour = look.fill[place.side]
        told = ", ".join(filter(None, (place.name, place.side_name, place.mark)))
        edge = f'stroke="{RED}" stroke-width="3"' if place.id in look.rim else f'stroke="{INK}"'
        yield (
            f'<g text-anchor="middle"><title>{escape(told)}</title><rect x="{x - half:.0f}" y="{y - _BADGE:.0f}"'
            f' width="{2 * half:.0f}" height="{2 * _BADGE}" rx="5" fill="{colour}" {edge}/>'
            f'<text x="{x:.0f}" y="{y + 5:.0f}" font-weight="bold" fill="{ink(colour)}">{escape(inside)}</text></g>'
        )
    order = sorted(
        range(len(places)), key=lambda at: (places[at].id not in look.rim, -places[at].weight, -len(places[at].links))
    )
    badges, taken = taken, [*taken, *covered]
    for at in order:
        yield from _name(places[at], badges[at], taken, frame)
    for name, x, y in seas:
        yield from _sea(name, frame.at(x, y), taken, frame)


def _sea(name: str, middle: Point, taken: list[SvgRect], frame: SvgViewport) -> Iterator[str]:
    half = width(name) * _CHAR / 2
    box = SvgRect(middle[0] - half, middle[1] - _FONT, middle[0] + half, middle[1] + 4)
    if _free(box, taken, frame):
        taken.append(box)
        yield (
            f'<text x="{middle[0]:.0f}" y="{middle[1]:.0f}" text-anchor="middle" font-style="italic"'
            f' fill="{WATER}">{escape(name)}</text>'
        )


def _free(box: SvgRect, taken: Sequence[SvgRect], frame: SvgViewport) -> bool:
    inside = box.left >= 0 and box.right <= frame.wide and box.top >= 0 and box.bottom <= frame.high
    return inside and not any(box.meets(other) for other in taken)


def _name(place: ReportSpace, badge: SvgRect, taken: list[SvgRect], frame: SvgViewport) -> Iterator[str]:
    """Yield the name right, left, below or above its badge, where it covers nothing; else only its title shows it."""
    for label in dict.fromkeys(filter(None, (place.name, place.name.partition(" (")[0], place.short))):
        long = width(label) * _CHAR
        middle = (badge.left + badge.right) / 2
        for anchor, at, left, top in (
            ("start", badge.right + 2, badge.right + 2, badge.top + 3),
            ("end", badge.left - 2, badge.left - 2 - long, badge.top + 3),
            ("middle", middle, middle - long / 2, badge.bottom),
            ("middle", middle, middle - long / 2, badge.top - _FONT - 3),
        ):
            box = SvgRect(left, top, left + long, top + _FONT + 3)
            if _free(box, taken, frame):
                taken.append(box)
                yield (
                    f'<text x="{at:.0f}" y="{top + _FONT - 1:.0f}" text-anchor="{anchor}" fill="{INK}" stroke="#fff"'
                    f' stroke-width="3" stroke-opacity=".75" paint-order="stroke">{escape(label)}</text>'
                )
                return


# The map around a seat's question, for its email: drawn from its own report, so it shows only what it may see.

MOST = 12
"""Spaces that a map is drawn around: more are the whole board, which isn't legible on a phone."""

_WORD = pattern(r"[a-z][\w-]*")


class EmailMap(NamedTuple):
    """The map as SVG, 375 pixels wide, and a text alternative."""

    svg: str
    alt: str


def email_map(referee: Referee, seat: str, asked: EmailQuestion, say: Catalogue) -> EmailMap | None:
    """Return the map around the spaces of a question; None if it names none, or too many."""
    pending = referee.pending_to(seat)
    about = pending.about if pending is not None else {}
    named = {word for value in (*about.values(), asked.decision.spaces) for word in _words(value)}
    answers = [*asked.decision.options, *filter(None, (asked.decision.example,))]
    named |= {word for option in answers for word in _words(option.order)}
    if not named:
        return None
    report = build(referee, seat, say.language, catalogue=say)
    spaces = named.intersection(place.id for place in report.map)
    if not 0 < len(spaces) <= MOST:
        return None
    shown = sorted((place for place in report.map if place.id in spaces), key=lambda place: place.id)
    held = [" ".join(filter(None, (place.side_name, place.mark))) for place in shown]
    told = [": ".join(filter(None, (place.name, by))) for place, by in zip(shown, held, strict=True)]
    alt = say.text("email.map", spaces=say.join(told, "comma"))
    way = told_of(about, {place.id for place in report.map}).way
    return EmailMap(crop(report, spaces, alt, [(way[0], way[1])] if way else []), alt)


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from _WORD.findall(value)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _words(part)
