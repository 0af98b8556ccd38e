"""The map around what a seat is asked, for its letter: drawn from its own report, so it shows what it may see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pbem.kernel.referee import Referee
from pbem.patterns import pattern
from pbem.report import map_svg
from pbem.report.asking import Asked
from pbem.report.build import build
from pbem.report.catalogue import Catalogue
from pbem.report.model import Report
from pbem.report.places import told_of

MOST = 12
"""Spaces that a map is drawn around: more are the whole board, which nobody can read on a phone."""

_WORD = pattern(r"[a-z][\w-]*")


class LetterMap(NamedTuple):
    """The map as SVG, 375 pixels wide, and in words what it shows."""

    svg: str
    alt: str


def letter_map(referee: Referee, seat: str, asked: Asked, say: Catalogue) -> LetterMap | None:
    """The map around the spaces of a question; None if it names none, or too many."""
    pending = referee.pending_to(seat)
    about = pending.about if pending is not None else {}
    named = {word for value in about.values() for word in _words(value)}
    named |= {word for text in (*asked.likely, asked.example) for word in _words(text)}
    if not named:
        return None
    report = build(referee, seat, say.language, catalogue=say)
    spaces = _spaces(report, named)
    if not 0 < len(spaces) <= MOST:
        return None
    alt = say.text("short.map", spaces=sorted(spaces))
    way = told_of(about, {place.id for place in report.map}).way
    return LetterMap(map_svg.crop(report, spaces, alt, [(way[0], way[1])] if way else []), alt)


def _spaces(report: Report, named: Iterable[str]) -> set[str]:
    """Those of the names that are spaces of the map."""
    return {place.id for place in report.map}.intersection(named)


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from _WORD.findall(value)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _words(part)
