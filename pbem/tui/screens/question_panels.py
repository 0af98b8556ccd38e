"""The panels around a question: the selected space, the hand, points and diplomacy, each in a few lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.cells import set_cell_size
from rich.text import Text

from pbem.kernel.view import MapSpace
from pbem.lazy_regex import clean
from pbem.report.text_width import cut, pad, width, wrap
from pbem.tui.model.answer_fields import FormRow
from pbem.tui.model.badges import NOBODY, Badge
from pbem.tui.model.charts import sparkline
from pbem.tui.model.messages import ScreenMessages
from pbem.tui.model.seat_view import ScreenLine, ScreenQuestion, SeatView

FEW = 8
"""A question that names fewer spaces is drawn with their neighbours."""

ROOMY = 130
"""Maximum cells of map for each space: a larger map shows more surroundings."""

Sides = Mapping[str, Badge]


def named(value: Any) -> Iterator[str]:
    """Yield all words in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from named(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from named(inner)


def options(slot: FormRow | None) -> set[str]:
    """Return what a part of an answer may name."""
    leaf = slot.leaf if slot is not None else None
    if leaf is None or getattr(leaf, "acts", False):
        return set()
    return {str(key) for key in (*getattr(leaf, "options", ()), *getattr(leaf, "bounds", ()))}


def focus(
    desk: SeatView, asked: ScreenQuestion | None, slots: Iterable[FormRow], cells: int = 0
) -> list[MapSpace]:
    """Return the spaces that the question names, else offers, else the seat's, and neighbours as `cells` allow."""
    few = max(FEW, cells // ROOMY)
    spaces = desk.view.map
    found: set[str] = set()
    if asked is not None:
        found = {space.id for space in spaces} & {
            *named(asked.about),
            *(word for slot in slots for word in named(slot.leaf.held)),
        }
        found = found or {space.id for space in spaces} & {key for slot in slots for key in options(slot)}
    found = found or {space.id for space in spaces if desk.seat and space.side == desk.seat}
    return around(spaces, found, few)


def around(spaces: Sequence[MapSpace], found: set[str], few: int) -> list[MapSpace]:
    """Add neighbours, twice, until there are enough spaces; return all if there are none."""
    while found and len(found) < few:
        wider = found.union(*(space.links for space in spaces if space.id in found))
        if wider == found:
            break
        found = wider
    return [space for space in spaces if space.id in found] or list(spaces)


def space_text(desk: SeatView, language: str, words: ScreenMessages, key: str, badge: Badge) -> Text:
    """Describe a space: who controls it, the rest of its row, its neighbours."""
    say = desk.say(language)
    space = next((space for space in desk.view.map if space.id == key), None)
    text = Text()
    if space is None:
        return text
    text.append(badge.letter, badge.style)
    text.append(f" {say.name(key)}", "bold")
    text.append(f"  {space.mark}\n" if space.mark else "\n")
    for sheet in desk.sheets(language, of_map=True):
        for raw, row in zip(sheet.raw, sheet.rows, strict=True):
            if raw and str(raw[0]) == key:
                for column, value, cell in list(zip(sheet.columns, raw, row, strict=True))[1:]:
                    if value == [*space.links]:  # its neighbours are below
                        continue
                    if value and cell.strip() not in ("", "-"):  # "units: no" says nothing
                        text.append(f"{clean(column.label)}: ", "bold")
                        text.append(f"{clean(cell)}\n")
    near = ", ".join(say.name(link) for link in space.links)
    text.append(f"{words('map.neighbours')} {near}" if near else words("map.no_neighbours"))
    return text


def hand_text(desk: SeatView, language: str, words: ScreenMessages) -> tuple[Text, int]:
    """Return the seat's cards with what they do, and how many there are."""
    text, count = Text(), 0
    for hand in desk.hands(language):
        # The moderator sees every hand on the hand screen, not next to a question.
        if hand.cards is None or hand.seat != desk.seat:
            continue
        count += hand.count
        for card in hand.cards:
            text.append(clean(card.name) or card.word, "bold")
            text.append(f" x{len(card.ids)}\n" if len(card.ids) > 1 else "\n")
            if card.text:
                text.append(f"  {clean(card.text)}\n")
    if not text:
        text.append(words("hand.none"))
    return text, count


def log_text(lines: Sequence[ScreenLine], language: str, wide: int, high: int) -> Text:
    """Return the last lines of the log that fit, whole ones, with a hanging indent."""
    rows: list[str] = []
    for line in reversed(lines):
        found = wrap(line.of(language), max(wide - 2, 10))
        if len(rows) + len(found) > high:
            break
        rows = [f"· {found[0]}", *(f"  {row}" for row in found[1:]), *rows]
    return Text("\n".join(rows), no_wrap=True)


def points_text(desk: SeatView, language: str, sides: Sides, wide: int) -> Text:
    """Draw points as bars, and their history by turn."""
    say, text = desk.say(language), Text(no_wrap=True, overflow="crop")
    scores = desk.view.scores
    names = {seat: say.name(seat) for seat in scores}
    room = min(max((width(name) for name in names.values()), default=0), 12)
    values = [points for _, by in desk.history for points in by.values()]
    low, high = min([0, *values, *scores.values()]), max([1, *values, *scores.values()])
    course_wide = min((len(desk.history) + 1) // 2, 12)
    long = max(wide - room - course_wide - 9, 4)
    for seat, points in sorted(scores.items(), key=lambda item: -item[1]):
        badge = sides.get(seat, NOBODY)
        text.append(pad(badge.letter, 2), badge.style)
        text.append(f" {pad(cut(names[seat], room), room)} ")
        full = round(long * (points - low) / max(high - low, 1))
        text.append(" " * full, f"on {badge.paper}")
        text.append(" " * (long - full))
        course = [by[seat] for _, by in desk.history if seat in by]
        text.append(f" {points:>3} {sparkline(course, low, high, 12)}\n")
    return text


_BADGE, _NAME, _SHORTEST = 4, 9, 4
"""Cells of a badge with the blanks around a name, and the most and the least of the name, which shrinks first."""


def diplomacy_text(
    desk: SeatView, language: str, sides: Sides
) -> tuple[str, Callable[[int, int], Text]] | None:
    """Return the table of relations between seats, as title and lines for a width, if the game has one."""
    sheet = next((s for s in desk.sheets(language, of_map=False) if s.id == "diplomacy"), None)
    if sheet is None:
        return None
    stand = {
        (str(row[0]), str(row[1])): clean(cells[2]) for row, cells in zip(sheet.raw, sheet.rows, strict=True)
    }
    say = desk.say(language)
    long = max(map(width, stand.values()), default=0)

    def drawn(wide: int, _: int) -> Text:
        text = Text(no_wrap=True, overflow="ellipsis")
        room = max(min((wide - long) // 2 - _BADGE, _NAME), _SHORTEST)
        for pair, status in stand.items():
            for key in pair:
                badge = sides.get(key)
                text.append(pad(badge.letter if badge else "", 2), badge.style if badge else "")
                text.append(f" {set_cell_size(say.name(key), room)} ")
            text.append(f"{status}\n")
        return text

    return clean(sheet.title), drawn
