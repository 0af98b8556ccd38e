"""The panels around a question: the selected space, the hand, points and diplomacy, each in a few lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from rich.text import Text

from pbem.kernel.domains import Budget
from pbem.kernel.view import MapSpace
from pbem.lazy_regex import clean, pattern
from pbem.report.messages import Catalogue
from pbem.report.model import CardStack, ReportTable
from pbem.report.text_width import pad, width, wrap
from pbem.tui.model.answer_fields import FormRow
from pbem.tui.model.badges import NOBODY, Badge, badges, flowed
from pbem.tui.model.messages import ScreenMessages, begun
from pbem.tui.model.seat_view import ScreenLine, ScreenQuestion, SeatView
from pbem.tui.widgets.mapview import MapView

FEW = 8  # a question that names fewer spaces is drawn with their neighbours
MOST = 12  # more spaces that a part of an answer offers don't all have to be in sight
ROOMY = 130  # maximum cells of map for each space: a larger map shows more surroundings

_NODES = 1500  # parts of an answer that are searched for cards
ALIKE = 0.75  # share of the spaces of which a column says the same, above which it comes last

Sides = Mapping[str, Badge]
_WORDS = pattern(r"[\w-]+(?![\w-]*=)")
REFERENCE = "reference"  # the group of tables that never change
_BADGE, _NAME, _SHORTEST = 3, 20, 4
"""Cells of a badge with the blank after a name, and the most and the least of the name, which shrinks first."""


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
    desk: SeatView,
    asked: ScreenQuestion | None,
    slots: Sequence[FormRow],
    cells: int = 0,
    offered: Collection[str] = (),
) -> list[MapSpace]:
    """Return the spaces that the question and its answer name, else offers, else those of its words, else the seat's.

    A part that is being written and offers few is in sight; neighbours are, as `cells` allow.
    """
    few = max(FEW, cells // ROOMY)
    spaces = desk.view.map
    found: set[str] = set()
    if asked is not None:
        found = {space.id for space in spaces} & {
            *named(asked.about),
            *(word for slot in slots for word in named(slot.leaf.held)),
            *(offered if len(offered) <= MOST else ()),
        }
        found = found or {space.id for space in spaces} & {key for slot in slots for key in options(slot)}
        found = found or {space.id for space in spaces} & answer_words(asked) or told_places(desk, asked)
    return around(spaces, found or _own(desk, asked), few)


def answer_words(asked: ScreenQuestion) -> set[str]:
    """Return the words of the answers that a decision suggests, ids of places and things among them, no fields."""
    return {word for order, _ in asked.answers("en") for word in _WORDS.findall(order)}


def places_of(desk: SeatView, asked: ScreenQuestion, offered: Collection[str]) -> set[str]:
    """Return what a question names or offers, and what is said in it and in the answers that it suggests."""
    return {*named(asked.about), *offered, *answer_words(asked), *told_places(desk, asked)}


def told_places(desk: SeatView, asked: ScreenQuestion | None) -> set[str]:
    """Return the spaces whose names are in the words of a question or of its facts."""
    if asked is None or asked.talk:
        return set()
    say, text = desk.say("en"), "\n".join((asked.said_in("en"), *asked.facts("en")))
    places = {space.id: clean(say.name(space.id)) for space in desk.view.map}
    others = {clean(say.name(key)) for key in desk.names.names.keys() - places.keys()} - {*places.values()}
    for other in sorted((name for name in others if name in text), key=len, reverse=True):
        if any(name in other for name in places.values()):  # an Earl of Kent isn't in Kent
            text = text.replace(other, "")
    return {key for key, name in places.items() if name in text and re.search(rf"\b{re.escape(name)}(?!\w)", text)}


def around(spaces: Sequence[MapSpace], found: set[str], few: int) -> list[MapSpace]:
    """Add neighbours, then what is nearest, until there are enough spaces; return all if there are none."""
    while found and len(found) < few:
        wider = found.union(*(space.links for space in spaces if space.id in found))
        if wider == found:
            here = [space for space in spaces if space.id in found]
            far = {space.id: min((space.x - o.x) ** 2 + (space.y - o.y) ** 2 for o in here) for space in spaces if here}
            found = {*sorted(far, key=far.__getitem__)[:few]}
            break
        found = wider
    return [space for space in spaces if space.id in found] or list(spaces)


def inside(spaces: Sequence[MapSpace], shown: Sequence[MapSpace]) -> list[MapSpace]:
    """Return the spaces that a map of some of them shows: all in the rectangle around these."""
    xs, ys = [space.x for space in shown], [space.y for space in shown]
    return [space for space in spaces if min(xs) <= space.x <= max(xs) and min(ys) <= space.y <= max(ys)]


def space_text(desk: SeatView, language: str, words: ScreenMessages, key: str, badge: Badge) -> Text:
    """Describe a space: who controls it, the rest of its row, its neighbours."""
    say = desk.say(language)
    text, space = Text(), desk.space(key)
    if space is None:
        return text
    text.append(badge.letter, badge.style)
    text.append(f" {say.name(key)}", "bold")
    text.append(f"  {space.mark}\n" if space.mark else "\n")
    _rows_of(desk, language, key, [*space.links], text)
    near = ", ".join(say.name(link) for link in space.links)
    text.append(f"{words('map.neighbours')} {near}" if near else words("map.no_neighbours"))
    return text


def _rows_of(desk: SeatView, language: str, key: str, links: list[str], text: Text) -> None:
    of_map, others = (desk.sheets(language, of_map=of_map) for of_map in (True, False))
    for sheet in (*of_map, *(other for other in others if other.group != REFERENCE)):
        for raw, row in zip(sheet.raw, sheet.rows, strict=True):
            if raw and str(raw[0]) == key:
                for column, value, cell in list(zip(sheet.columns, raw, row, strict=True))[1:]:
                    if value and value != links and cell.strip() not in ("", "-"):  # "units: no" says nothing
                        text.append(f"{clean(column.label)}: ", "bold").append(f"{clean(cell)}\n")


def thing_text(desk: SeatView, language: str, words: ScreenMessages, key: str) -> Text:
    """Describe a card, a space, a leader or another thing, as far as the reader's view knows it."""
    space, text = desk.space(key), Text()
    if space is not None:
        return space_text(desk, language, words, key, badges(desk, language).get(space.side, NOBODY))
    for hand in desk.hands(language):
        card = next((card for card in hand.cards or () if key in card.ids), None)
        if card is not None:
            _card(desk, language, words, hand.seat, card, text)
            break
    _rows_of(desk, language, key, [], text)
    return text or Text(words("find.nothing"))


def _card(desk: SeatView, language: str, words: ScreenMessages, seat: str, card: CardStack, text: Text) -> None:
    say = desk.say(language)
    text.append(f"{clean(card.name)}\n", "bold")
    for part in (card.text, card.note):
        text.append(f"{clean(part)}\n\n" if part else "")
    if card.uses:
        text.append(f"{words('hand.uses', kinds=', '.join(card.uses))}\n")
    found = [asked for uses in current_card_uses(desk, seat, card.ids[:1]).values() for asked in uses]
    for asked in found:
        text.append(f"{words('hand.now', q=asked.q, kind=say.label(f'kind.{asked.kind}'))}\n", "bold")
    text.append("" if found else f"{words('hand.not_now')}\n")
    text.append(f"{words('hand.word', word=card.word)}\n", "dim")


def hand_rows(desk: SeatView, language: str, sides: Sides) -> list[tuple[str, Text, str]]:
    """Return a row for each card that the reader sees: its id, its name with a star if it can be used now."""
    rows = []
    hands = [hand for hand in desk.hands(language) if hand.cards is not None]
    for hand in hands:
        cards = hand.cards or []
        now = current_card_uses(desk, hand.seat, [key for card in cards for key in card.ids])
        badge = sides.get(hand.seat, NOBODY)
        for card in cards:
            row = Text(no_wrap=True, overflow="ellipsis")
            row.append(USABLE if now.keys() & set(card.ids) else " ", "bold").append(" ")
            if len({other.seat for other in hands}) > 1:
                row.append(f" {badge.letter} ", badge.style).append(" ")
            row.append(clean(card.name) or card.word)
            row.append(f" x{len(card.ids)}" if len(card.ids) > 1 else "")
            rows.append((card.ids[0], row, f"{hand.owner} {card.name} {card.word} {card.text}"))
    return rows


def hidden_hands(desk: SeatView, language: str) -> str:
    """Return the hands that the reader doesn't see, as their sizes by owner; "" for none."""
    closed: dict[str, list[str]] = {}
    for hand in desk.hands(language):
        if hand.cards is None:
            closed.setdefault(hand.owner, []).append(f"{hand.label} {hand.count}")
    return clean("; ".join(f"{owner}: {', '.join(counts)}" for owner, counts in closed.items()))


def own_cards(desk: SeatView, language: str) -> list[CardStack]:
    """Return the seat's cards, the same printed twice as one stack; the moderator sees hands on their screen alone."""
    found: dict[tuple[str, str], CardStack] = {}
    for card in (card for hand in desk.hands(language) if hand.seat == desk.seat for card in hand.cards or ()):
        found.setdefault((card.name, card.text), msgspec.structs.replace(card, ids=[])).ids.extend(card.ids)
    return [*found.values()]


def hand_text(cards: Sequence[CardStack], usable: Collection[str], wide: int, high: int) -> Text:
    """Return cards, those that can be used now marked: with what they do where that fits, else their names."""
    blocks, names, room = [], [], max(wide - 2, 4)
    now = [any(key in usable for key in card.ids) for card in cards]
    for card, fits in zip(cards, now, strict=True):
        said = (clean(card.name) or card.word) + (f" x{len(card.ids)}" if len(card.ids) > 1 else "")
        mark = USABLE if fits and not all(now) else " "
        names.append(f"{mark.strip()}{said}")
        blocks.append((mark, wrap(said, room), wrap(clean(card.text), room) if card.text else []))
    text = Text(no_wrap=True)
    if sum(len(name) for _, name, _ in blocks) > high > 0:
        rows = wrap(", ".join(names), wide)
        text.append(
            "\n".join(rows if len(rows) <= high else [*rows[: high - 1], begun(" ".join(rows[high - 1 :]), wide)])
        )
        return text
    full = sum(len(name) + len(rows) for _, name, rows in blocks) <= high
    for mark, name, told in blocks:
        text.append(f"{mark} ").append("\n  ".join(name) + "\n", "bold" if full or mark.strip() else "")
        for row in told if full else ():
            text.append(f"  {row}\n")
    return text


USABLE = "*"  # marks a card that the open question may name
_BADGE_CELLS = 3
_RULE = pattern(r"\s*\[[^\[\]]*\]$")


def log_text(lines: Sequence[ScreenLine], language: str, sides: Sides, since: int, wide: int, high: int) -> Text:
    """Return the last lines of the log that fit, whole ones: badges, headings, and dim what is old."""
    text, left = Text(no_wrap=True), max(high, 1)
    for line in reversed(lines):
        badge = sides.get(line.who) if line.who and not line.head else None
        indent = 0 if line.head else _BADGE_CELLS + 1
        found = wrap(_RULE.sub("", line.of(language)), max(wide - indent, 10))
        if not text and len(found) > left:  # the beginning of the last one at least
            found = [*found[: left - 1], begun(" ".join(found[left - 1 :]), max(wide - indent, 10))]
        left -= len(found)
        if left < 0:
            break
        look = "bold underline" if line.head else "" if line.n >= since else "dim"
        shown = Text(no_wrap=True)
        for at, row in enumerate(found):
            if badge is not None and at == 0:
                shown.append(pad(f" {badge.letter}", _BADGE_CELLS), badge.style).append(" ")
            else:
                shown.append(" " * indent)
            shown.append(f"{row}\n", look)
        text = shown.append_text(text)
    return text


def show_map(view: MapView, desk: SeatView, language: str, sides: Sides, shown: Sequence[MapSpace]) -> None:
    """Draw some spaces of the board, with coasts also what is around them."""
    say, everywhere = desk.say(language), desk.view.map
    marks = {space.id: f"{sides.get(space.side, NOBODY).letter}{space.mark[:3]}" for space in everywhere}
    labels = {key: (mark, say.name(key)) for key, mark in marks.items()}
    coast = desk.coast
    view.load(shown, labels, sides, coast, everywhere if coast else shown, desk.notes(language))


def legend(spaces: Iterable[MapSpace], sides: Sides, say: Catalogue, nobody: str, wide: int) -> Text:
    """Return the letters on a map with what they stand for, in lines of this width."""
    found = dict.fromkeys(space.side for space in spaces)
    return flowed(((sides.get(side, NOBODY), say.value(side) if side else nobody) for side in found), wide)


def table_for(
    desk: SeatView, language: str, asked: ScreenQuestion | None, here: str, offered: Collection[str]
) -> ReportTable | None:
    """Return the table of the question's region, or with a row for each answer; else where the seat holds most."""
    regions = desk.sheets(language, of_map=True) or desk.sheets(language)
    about = set(named(asked.about)) if asked is not None else set()
    sheet = region_of(regions, desk, {here, *about}, offered)
    others = _others(desk, language)
    if asked is None or asked.talk or sheet is None or rows_named(sheet, {*about, *offered}):
        return sheet
    keys = {*about, *offered, *answer_words(asked)}
    other = max(others, key=lambda table: rows_named(table, keys), default=sheet)
    places, told = sum(rows_named(region, keys) for region in regions), {here, *told_places(desk, asked)}
    if rows_named(other, keys) > max(1, places, len(asked.answers(language)) / 2):
        return other
    sides = {"", *desk.seats, *(space.side for space in desk.view.map)}
    thing = max(others, key=lambda table: rows_named(table, keys - sides), default=sheet)
    if not places and told <= {here} and rows_named(thing, keys - sides):
        return thing
    found = region_of(regions, desk, {*told, *keys}, (), asked)
    if found is None or rows_named(found, {*keys, *told, *_own(desk, asked)}):
        return found
    return _stand(others, desk, found)


def talked_over(desk: SeatView, language: str) -> ReportTable | None:
    """Return the table beside a negotiation: the whole board if it is a single one, else how the players stand."""
    board = desk.sheets(language, of_map=True)
    return board[0] if len(board) == 1 else _stand(_others(desk, language), desk, None)


def _others(desk: SeatView, language: str) -> list[ReportTable]:
    """Return the tables that are none of the map and say anything."""
    found = [sheet for sheet in desk.sheets(language, of_map=False) if sheet.group != REFERENCE]
    return [sheet for sheet in found if any(cell.strip() not in ("", "-") for row in sheet.rows for cell in row[1:])]


def _stand(others: Sequence[ReportTable], desk: SeatView, default: ReportTable | None) -> ReportTable | None:
    """Return the table that tells most of how the players stand."""
    return max(others, key=lambda table: (rows_named(table, desk.seats), len(table.columns)), default=default)


def rows_named(sheet: ReportTable, keys: Collection[str]) -> int:
    """Return how many rows of a table these words name; the region itself counts, too."""
    return len({str(row[0]) for row in sheet.raw}.intersection(keys)) + (sheet.id.rpartition("_")[2] in keys)


def _own(desk: SeatView, asked: ScreenQuestion | None = None) -> set[str]:
    """Return the spaces of the power that a question is about, else of the seat: a player may act for others, too."""
    spaces, sides = desk.view.map, {space.side for space in desk.view.map if space.side}
    acting = next((key for key in named(asked.about) if key in sides), "") if asked is not None else ""
    return {space.id for space in spaces if space.side and space.side == (acting or desk.seat)}


def region_of(
    sheets: Sequence[ReportTable],
    desk: SeatView,
    named: Collection[str],
    offered: Collection[str] = (),
    asked: ScreenQuestion | None = None,
) -> ReportTable | None:
    """Return the table of the region of which most is named and offered, else named, else where most is held."""
    own = _own(desk, asked)

    def weight(sheet: ReportTable) -> tuple[int, ...]:
        counts = (rows_named(sheet, keys) for keys in ({*named, *offered}, named))
        return (*counts, len(own.intersection(str(row[0]) for row in sheet.raw)))

    return max(sheets, key=weight, default=None)


def with_named_first(sheet: ReportTable, keys: Collection[str]) -> ReportTable:
    """Move the rows that a question is about to the top."""
    order = sorted(range(len(sheet.raw)), key=lambda at: str(sheet.raw[at][0]) not in keys)
    rows = {name: [getattr(sheet, name)[at] for at in order] for name in ("raw", "rows")}
    return msgspec.structs.replace(sheet, **rows)


def with_telling_first(sheet: ReportTable, desk: SeatView) -> ReportTable:
    """Move the columns to the end that the badges before the spaces say, or that say the same of most spaces."""
    sides = [space.side if (space := desk.space(str(row[0]))) is not None else None for row in sheet.raw]

    def tells(at: int) -> bool:
        values, texts = [str(row[at]) for row in sheet.raw], [row[at].strip() for row in sheet.rows]
        said = max(map(texts.count, filter(None, texts)), default=len(texts))  # a column without a word says nothing
        same = len(texts) >= FEW and sheet.columns[at].kind != "number" and said > len(texts) * ALIKE
        return not at or not (same or (any(sides) and values == sides))

    return moved(sheet, sorted(range(len(sheet.columns)), key=lambda at: not tells(at)))


def moved(sheet: ReportTable, order: Sequence[int]) -> ReportTable:
    """Return a table with its columns in another order."""
    found = [[row[at] for at in order] for row in (sheet.columns, *sheet.raw, *sheet.rows)]
    count = len(sheet.raw) + 1
    return msgspec.structs.replace(sheet, columns=found[0], raw=found[1:count], rows=found[count:])


def with_further(sheet: ReportTable, others: Sequence[ReportTable], short: Mapping[str, str]) -> ReportTable:
    """Add the columns of tables with a row for each space, such as votes; `short` has players' letters for headings."""
    keys, found = [str(row[0]) for row in sheet.raw], msgspec.structs.replace(sheet)
    at = min(2, len(found.columns))  # after the name and what is told first of it
    for other in others:
        rows = {str(raw[0]): (raw, row) for raw, row in zip(other.raw, other.rows, strict=True) if raw}
        if other.group == REFERENCE or not rows or (rows.keys() - keys and set(keys) - rows.keys()):
            continue
        several = sum(table.id == other.id for table in others) > 1  # the same of each player
        whose = next((f" {letter}" for name, letter in short.items() if several and name in other.title), "")
        labels = ((column, short.get(column.label, column.label)) for column in other.columns[1:])
        more = [msgspec.structs.replace(column, label=f"{label}{whose}") for column, label in labels]
        found.columns = [*found.columns[:at], *more, *found.columns[at:]]
        empty: list[Any] = [""] * len(other.columns)
        cells = [rows.get(key, (empty, empty)) for key in keys]
        found.raw, found.rows = (
            [[*mine[:at], *told[side][1:], *mine[at:]] for told, mine in zip(cells, old, strict=True)]
            for side, old in enumerate((found.raw, found.rows))
        )
        at += len(more)
    return found


def standings(desk: SeatView, language: str) -> tuple[str, dict[tuple[str, str], str]]:
    """Return the title of the table of relations, and how each two seats stand; none if the game has no such table."""
    sheet = next((s for s in desk.sheets(language, of_map=False) if s.id == "diplomacy"), None)
    if sheet is None:
        return "", {}
    pairs = zip(sheet.raw, sheet.rows, strict=True)
    return clean(sheet.title), {(str(row[0]), str(row[1])): clean(cells[2]) for row, cells in pairs}


def diplomacy_text(desk: SeatView, language: str, sides: Sides) -> tuple[str, Callable[[int, int], Text]] | None:
    """Return the table of relations between seats, as title and lines for a width, if the game has one."""
    title, stand = standings(desk, language)
    if not title:
        return None
    say = desk.say(language)
    long = max(map(width, stand.values()), default=0)

    def drawn(wide: int, _: int) -> Text:
        text = Text(no_wrap=True, overflow="ellipsis")
        room = max(min((wide - long) // 2 - _BADGE, _NAME), _SHORTEST)
        for pair, status in stand.items():
            for key in pair:
                badge = sides.get(key)
                text.append(pad(badge.letter if badge else "", 2), badge.style if badge else "")
                text.append(f"{pad(wrap(say.name(key), room)[0], room)} ")
            text.append(f"{status}\n")
        return text

    return title, drawn


def current_card_uses(desk: SeatView, seat: str, cards: Collection[str]) -> dict[str, list[ScreenQuestion]]:
    """Return the open questions of `seat` whose answers may name these cards; a treaty's clauses are too many."""
    found: dict[str, list[ScreenQuestion]] = {}
    for asked in desk.asked if cards else ():
        if asked.seat == seat:
            for card in {*named(asked.domain.describe(Budget(_NODES)))}.intersection(cards):
                found.setdefault(card, []).append(asked)
    return found
