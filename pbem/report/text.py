"""A report as plain text: at most 72 cells a line, no box drawing, no colour; suited to reading aloud.

Tables that fit have aligned columns; others are written row by row, `name: value; value`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pbem.kernel.order_words import Names, normalize_word
from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import Referee
from pbem.report.build import build, card_text
from pbem.report.messages import Catalogue, report_messages
from pbem.report.model import CardStack, Choices, Report, ReportQuestion, ReportTable, ReportTrack
from pbem.report.text_width import pad, width, wrap

WIDTH = 72
WHOLE = 10_000
"""Cells of a line that is never broken."""
_GAP = "  "
_MOST_WORDS = 60
_NEAR = 5
"""Names that are suggested for an unknown one."""


def as_text(report: Report, columns: int = WIDTH) -> str:
    """Return the whole report. `columns` is the width in cells."""
    ui = report_messages(report.language)
    blocks = [
        head(report, ui, columns),
        news(report, ui, columns),
        questions(report, ui, columns),
        *state(report, ui, columns),
    ]
    return "\n\n".join("\n".join(lines) for block in blocks if (lines := list(block))) + "\n"


def title_of(report: Report) -> str:
    """Return the title and name of the game: 1630 Something (g-07)."""
    return f"{report.title} ({report.name})" if report.name else report.title


def head(report: Report, ui: Catalogue, columns: int = WIDTH) -> Iterator[str]:
    """Yield the game, the reader, the time in the game, the scores, and the result."""
    yield from wrap(title_of(report), columns)
    yield from wrap(ui.text("report.for", seat=report.seat_name), columns)
    facts = [f"{fact.label} {fact.text}" for fact in report.clock]
    if facts:
        yield from unbroken(facts, ui, columns)
    if report.scores:
        first, *others = (f"{fact.label} {fact.text}" for fact in report.scores)
        yield from unbroken([ui.text("report.scores", scores=first), *others], ui, columns)
    if report.over:
        yield from wrap(ui.text("report.over", result=report.result), columns)


def unbroken(facts: Sequence[str], ui: Catalogue, columns: int = WIDTH) -> Iterator[str]:
    """Yield facts separated by commas; a fact that fits into a line isn't broken."""
    comma = ui.join(["", ""], "comma")
    line = ""
    for at, fact in enumerate(facts, 1):
        piece = fact if at == len(facts) else f"{fact}{comma}"
        if line and width(line) + width(piece.rstrip()) > columns:
            yield from wrap(line, columns)
            line = ""
        line += piece
    yield from wrap(line, columns)


def heading(text: str, columns: int = WIDTH) -> list[str]:
    """Return a heading, in capitals where the script has them."""
    return wrap(text.upper(), columns)


def bullets(lines: Iterable[str], columns: int) -> Iterator[str]:
    """Yield lines as a list."""
    for line in lines:
        yield from wrap(line, columns, "- ")


def news(report: Report, ui: Catalogue, columns: int = WIDTH, most: int | None = None) -> Iterator[str]:
    """Yield the log lines since the last email; only the last `most` if given."""
    said = [entry.text for entry in report.news]
    yield from heading(ui.text("report.news"), columns)
    if not said:
        yield from wrap(ui.text("report.no_news"), columns)
    elif most is not None and len(said) > most:
        yield from wrap(ui.text("report.earlier", count=len(said) - most), columns)
        said = said[-most:]
    yield from bullets(said, columns)


def questions(report: Report, ui: Catalogue, columns: int = WIDTH) -> Iterator[str]:
    """Yield the reader's questions and deadline; without questions, who is asked."""
    yield from heading(ui.text("report.to_do"), columns)
    due = [asked for asked in report.questions if not asked.answered]
    done = [asked for asked in report.questions if asked.answered]
    if not report.questions:
        yield from wrap(no_question_text(report, ui), columns)
    for asked in due:
        yield from question(report, asked, ui, columns)
    for step in done:
        yield from wrap(ui.text("report.answered", q=step.q, prompt=step.prompt, answer=step.answer), columns)
    if report.questions:
        yield from until(report.deadline, ui, columns)


def no_question_text(report: Report, ui: Catalogue) -> str:
    """Return why the reader has no question: the game is over, or others are asked (that much is public)."""
    if report.over:
        return ui.text("report.no_question_over")
    return ui.text("report.no_question", seats=report.asked, kind=report.asked_kind)


def question(report: Report, one: ReportQuestion, ui: Catalogue, columns: int) -> Iterator[str]:
    """Yield one question: its prompt, the syntax of the answer, the default."""
    whose = f"{dict(report.seats).get(one.seat, one.seat)}, " if report.seat == MODERATOR else ""
    yield from wrap(f"{whose}{one.q}. {one.prompt}", columns)
    for offer in one.offers:
        said = ui.text("report.offer", id=offer.id, by=offer.by, signed=offer.signed, terms=offer.terms)
        yield from wrap(said, columns, "  - ")
    yield from wrap(ui.text("report.syntax", syntax=one.syntax), columns, "  ")
    yield from words(one, ui, columns)
    yield from wrap(_default(one, ui), columns, "  ")


def explained(one: ReportQuestion, ui: Catalogue) -> Iterator[str]:
    """Yield the same, a sentence each: the proposals, the syntax, all words, the default."""
    for offer in one.offers:
        yield ui.text("report.offer", id=offer.id, by=offer.by, signed=offer.signed, terms=offer.terms)
    yield ui.text("report.syntax", syntax=one.syntax)
    for part in one.choices:
        yield _words_of(part, part.words, ui)
    yield _default(one, ui)


def _words_of(part: Choices, words: Sequence[str], ui: Catalogue) -> str:
    key = "report.words_of" if part.field else "report.words"
    return ui.text(key, field=part.place or part.field, words=", ".join(words))


def _default(one: ReportQuestion, ui: Catalogue) -> str:
    return ui.text("report.default" if one.default else "report.no_default", default=one.default)


def words(one: ReportQuestion, ui: Catalogue, columns: int = WIDTH) -> Iterator[str]:
    """Yield the words of an answer, field by field."""
    for part in one.choices:
        some = part.words[:_MOST_WORDS] + (["..."] if len(part.words) > _MOST_WORDS else [])
        yield from wrap(_words_of(part, some, ui), columns, "  ")


def until(times: Sequence[str], ui: Catalogue, columns: int = WIDTH) -> Iterator[str]:
    """Yield the deadline in the game's zone, then in the reader's."""
    match times:
        case []:
            yield from wrap(ui.text("report.no_deadline"), columns)
        case [only]:
            yield from wrap(ui.text("report.due", at=only), columns)
        case [game, own, *_]:
            yield ui.text("report.due", at="").rstrip()
            yield from wrap(ui.text("time.game", at=game), columns, "  ")
            yield from wrap(ui.text("time.yours", at=own), columns, "  ")


def state(report: Report, ui: Catalogue, columns: int = WIDTH) -> Iterator[Iterable[str]]:
    """Yield a block each for what is the reader's own, the tables, the tracks, and the card texts."""
    yield bullets(report.notices, columns)
    yield advance(report, ui, columns)
    yield hands(report, ui, columns)
    groups = [sheet.group for sheet in report.sheets]
    for at, sheet in enumerate(report.sheets):
        if sheet.group and groups.count(sheet.group) > 1 and sheet.group not in groups[:at]:
            yield [f"== {sheet.heading} =="]
        yield table(sheet, ui, columns)
    yield [line for strip in report.strips for line in track(strip, ui, columns)]
    yield card_texts(report, ui, columns)
    if report.head:
        yield wrap(ui.text("report.head", head=report.head, moves=report.moves), columns)
    if report.read:
        yield wrap(ui.text("report.read", at=report.read), columns)


def advance(report: Report, ui: Catalogue, columns: int = WIDTH) -> Iterator[str]:
    """Yield the reader's own advance orders and their results, which no other seat may see."""
    if not (report.advance or report.notes):
        return
    yield from heading(ui.text("report.advance"), columns)
    yield from bullets(report.notes, columns)
    yield from bullets(report.advance, columns)


def hands(report: Report, ui: Catalogue, columns: int = WIDTH) -> Iterator[str]:
    """Yield the reader's cards, then the numbers of the others' cards."""
    for hand in report.hands:
        if hand.cards is not None:
            yield from heading(ui.text("report.hand", seat=hand.owner, hand=hand.label, count=hand.count), columns)
            yield from wrap(ui.join([card_name(card, ui) for card in hand.cards], "comma"), columns)
    if others := unseen(report, ui):
        yield from wrap(others, columns)


def unseen(report: Report, ui: Catalogue) -> str:
    """Return how many cards the others hold; "" if there are no such hands."""
    counts = [f"{hand.owner} {hand.label} {hand.count}" for hand in report.hands if hand.cards is None]
    return ui.text("report.hands", counts=ui.join(counts, "comma")) if counts else ""


def card_name(card: CardStack, ui: Catalogue) -> str:
    """Return a card for a list: its name, count, order word (unless that is its name) and note."""
    count = ui.text("report.copies", count=len(card.ids)) if len(card.ids) > 1 else ""
    more = "; ".join(
        filter(None, ("" if normalize_word(card.name) == normalize_word(card.word) else card.word, card.note))
    )
    return f"{card.name}{count} ({more})" if more else f"{card.name}{count}"


def card_texts(report: Report, ui: Catalogue, columns: int = WIDTH) -> Iterator[str]:
    """Yield the texts of the reader's cards, each once."""
    texts: dict[str, dict[str, None]] = {}
    for hand in report.hands:
        for card in hand.cards or ():
            if card.text:
                texts.setdefault(card.text, {})[card.name] = None
    if texts:
        yield from heading(ui.text("report.card_texts"), columns)
    for text, names in texts.items():
        yield from wrap(f"{ui.join(list(names), 'comma')}: {text}", columns, "- ")


def table(sheet: ReportTable, ui: Catalogue, columns: int = WIDTH) -> Iterator[str]:
    """Yield a table: aligned columns if they fit, else a line for each row; so where lines are `WHOLE`."""
    yield from ui.drawn.same(f"text {columns}", sheet, lambda: [*_table(sheet, ui, columns)])


def _table(sheet: ReportTable, ui: Catalogue, columns: int) -> Iterator[str]:
    yield from heading(sheet.title, columns)
    widths = [
        max(width(cell) for cell in (column.label, *(row[at] for row in sheet.rows)))
        for at, column in enumerate(sheet.columns)
    ]
    if sum(widths) + len(_GAP) * (len(widths) - 1) <= columns < WHOLE:
        yield from _aligned(sheet, widths)
    else:
        yield from _row_texts(sheet, ui, columns)
    if sheet.note:
        yield from wrap(sheet.note, columns)


def _aligned(sheet: ReportTable, widths: Sequence[int]) -> Iterator[str]:
    kinds = [column.kind for column in sheet.columns]
    for row in ([column.label for column in sheet.columns], *sheet.rows):
        cells = (pad(cell, wide, right=kind == "number") for cell, wide, kind in zip(row, widths, kinds, strict=True))
        yield _GAP.join(cells).rstrip()


def _row_texts(sheet: ReportTable, ui: Catalogue, columns: int) -> Iterator[str]:
    """Yield rows as `England: side red; status 3; unrest`, without empty cells and unset flags."""
    for row, raw in zip(sheet.rows, sheet.raw, strict=True):
        parts = []
        for column, cell, value in zip(sheet.columns[1:], row[1:], raw[1:], strict=True):
            if column.kind == "flag":
                parts += [column.label] if value else []
            elif cell:
                parts.append(f"{column.label} {cell}")
        yield from wrap(f"{row[0]}: {'; '.join(parts) or ui.text('word.nothing')}", columns, "", "  ")


def track(strip: ReportTrack, ui: Catalogue, columns: int = WIDTH) -> Iterator[str]:
    """Yield a track from its top: `Status 0 to 7: 5 Spain, Poland; 3 France`."""
    if [mark for mark, _, _ in strip.marks] == [strip.id]:
        yield ui.text("report.counter", track=strip.label, at=strip.marks[0][2], high=strip.high)
        return
    places: dict[int, list[str]] = {}
    for _, name, at in strip.marks:
        places.setdefault(at, []).append(name)
    told = [f"{at} {ui.join(names, 'comma')}" for at, names in sorted(places.items(), reverse=True)]
    span = ui.text("report.track", track=strip.label, low=strip.low, high=strip.high)
    yield from wrap(f"{span}: {'; '.join(told)}", columns, "", "  ")


def about(referee: Referee, seat: str, word: str, say: Catalogue) -> list[str]:
    """Return what a seat's report tells of everything that `word` names, a paragraph for each thing.

    A card that the reader doesn't see is told by its printed text alone, wherever it lies.
    """
    report = build(referee, seat, say.language, catalogue=say)
    found = things(word, say.names)
    if not found:
        near = [say.name(key) for key in _beginning(word, say.names)]
        key = "about.near" if near else "about.unknown"
        return [say.text(key, word=word, near=near)]
    told = [" ".join(parts) for parts in (list(_about(report, key, say)) for key in found) if len(parts) > 1]
    return told or [say.text("about.nothing", name=say.name(found[0]))]


def things(word: str, names: Names) -> list[str]:
    """Return the ids that a word names, as an id, a name in any language, an alias, or the face of a card."""
    said = normalize_word(word)
    faces = [key for key, face in names.faces.items() if face == said][:1]
    ids = [key for key in names.names if normalize_word(key) == said]
    named = [
        key
        for key, by_language in names.names.items()
        if said in map(normalize_word, (*by_language.values(), *names.aliases.get(key, ())))
    ]
    unlike: dict[str, str] = {}
    for key in (*faces, *ids, *named):
        unlike.setdefault(names.printed.get(key, key), key)
    return list(unlike.values())


def _beginning(word: str, names: Names) -> list[str]:
    said = normalize_word(word)
    found = (
        key
        for key, by_language in names.names.items()
        if said and any(said in normalize_word(name) for name in (key, *by_language.values()))
    )
    return list(dict.fromkeys(names.printed.get(key, key) for key in found))[:_NEAR]


def _about(report: Report, key: str, say: Catalogue) -> Iterator[str]:
    """Yield the name of a thing, then its text, and a sentence for each place in the report that tells of it."""
    yield f"{say.name(key)}{say.text('list.stop')}"
    if text := card_text(say, key):
        yield text
    rows: list[str] = []
    for sheet in report.sheets:
        for row, raw in zip(sheet.rows, sheet.raw, strict=True):
            if raw and key in (raw[0], say.names.printed.get(str(raw[0]))):
                rows += _about_row(sheet, row, say)
    yield from rows
    for space in report.map:
        links = say.value(space.links)
        if space.id == key and space.links and not any(links in told for told in rows):
            yield say.text("about.links", places=space.links)
    face = say.names.printed.get(key, key)
    for hand in report.hands:
        for stack in hand.cards or ():
            if face == stack.word or key in stack.ids:
                yield say.text("about.hand", hand=hand.label, seat=hand.owner, count=len(stack.ids))
                yield from [say.text("about.uses", uses=stack.uses)] if stack.uses else []


def _about_row(sheet: ReportTable, row: Sequence[str], say: Catalogue) -> Iterator[str]:
    cells = [f"{column.label} {cell}" for column, cell in zip(sheet.columns[1:], row[1:], strict=True) if cell]
    if cells:
        yield say.text("about.row", table=sheet.title, cells=say.join(cells, "comma"))
