"""What is this? The name of a thing, its printed text, and what the reader's own view says of it.

Everything comes from the seat's report: the row that begins with the thing in each table, the hand that holds it,
and its place on the map. So it can't tell more than the position does. A card that the reader doesn't see is told by
its printed text alone, wherever it lies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.kernel.order_words import Names, normalize_word
from pbem.kernel.referee import Referee
from pbem.report.build import build, card_text
from pbem.report.messages import Catalogue
from pbem.report.model import Report, ReportTable

_NEAR = 5
"""Names that are suggested for an unknown one."""


def about(referee: Referee, seat: str, word: str, say: Catalogue) -> list[str]:
    """Return what a seat may know of everything that `word` names, a paragraph for each thing."""
    report = build(referee, seat, say.language, catalogue=say)
    found = things(word, say.names)
    if not found:
        near = [say.name(key) for key in _beginning(word, say.names)]
        key = "about.near" if near else "about.unknown"
        return [say.text(key, word=word, near=near)]
    told = [" ".join(parts) for parts in (list(_told(report, key, say)) for key in found) if len(parts) > 1]
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


def _told(report: Report, key: str, say: Catalogue) -> Iterator[str]:
    """Yield the name of a thing, then its text, and a sentence for each place in the report that tells of it."""
    yield f"{say.name(key)}{say.text('list.stop')}"
    if text := card_text(say, key):
        yield text
    rows: list[str] = []
    for sheet in report.sheets:
        for row, raw in zip(sheet.rows, sheet.raw, strict=True):
            if raw and key in (raw[0], say.names.printed.get(str(raw[0]))):
                rows += _row(sheet, row, say)
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


def _row(sheet: ReportTable, row: Sequence[str], say: Catalogue) -> Iterator[str]:
    """Yield the cells of a row that aren't empty, with their headings."""
    cells = [f"{column.label} {cell}" for column, cell in zip(sheet.columns[1:], row[1:], strict=True) if cell]
    if cells:
        yield say.text("about.row", table=sheet.title, cells=say.join(cells, "comma"))
