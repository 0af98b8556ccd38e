"""The parts of emails: the text itself, the full opening of the first email, and the position on request.

The short email is in `short_email` and `short_email_html`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import msgspec

from pbem.kernel.dice import commitment
from pbem.kernel.pack import Pack, load_pack, provenance
from pbem.kernel.referee import Referee
from pbem.lazy_regex import escape
from pbem.report import text
from pbem.report.messages import Catalogue, report_messages
from pbem.report.model import Report, ReportTable
from pbem.report.text_width import wrap

PHONE = 60
"""Cells of a line in the full texts."""
_MOST_FACTS = 12
_PRE = "white-space:pre-wrap;overflow-wrap:anywhere;font:inherit;font-size:16px;margin:8px 0"


class EmailText(msgspec.Struct):
    """An email ready to send: subject, plain text, HTML page, and the map in it (SVG)."""

    subject: str
    text: str
    html: str
    picture: str = ""


class GameFacts(msgspec.Struct):
    """The first email's facts: dice commitment, sources of components, values `corrected` by the moderator, options."""

    commitment: str
    facts: dict[str, int]
    reconstructed: list[str]
    corrected: list[str]
    options: list[str]


def opening(referee: Referee, pack: Pack, language: str = "en") -> GameFacts:
    """Return the facts of a game from its set-up, its pack and the options in force."""
    say = Catalogue(referee.game, referee.components, language, referee.names)
    known = provenance(pack)
    options = []
    for option in referee.game.options:
        value = option.value(referee.setup.options)
        said = option.text.get(say.language, option.text.get("en", option.id))
        options.append(f"{option.id} = {option.domain.text(value)}: {said} {say.rule(option.rule)}".strip())
    return GameFacts(
        commitment(bytes.fromhex(referee.setup.seed)),
        {tag: count for tag, count in known.total.items() if count},
        _facts(known.reconstructed),
        [*_changed(pack, load_pack(referee.game.package))] if known.moderator else [],
        options,
    )


def _facts(facts: Iterable[tuple[str, str, str]]) -> list[str]:
    """Count facts by table and field: `cards: copies (10), count (7)`."""
    counted: dict[str, dict[str, int]] = {}
    for table, _, field in facts:
        fields = counted.setdefault(table, {})
        fields[field] = fields.get(field, 0) + 1
    return [f"{t}: {', '.join(f'{f} ({n})' for f, n in fields.items())}" for t, fields in counted.items()]


def _changed(pack: Pack, published: Pack) -> Iterator[str]:
    """Yield the values that differ from the published pack: `cards.operations.zouche.ops: 2 → 1`."""
    from pbem.kernel.pack_draft import differences, sheets  # only first emails need it

    for place, name, then, now in differences(sheets(pack.tables), published.tables):
        yield f"{'.'.join((*place, name))}: {_as_words(then)} → {_as_words(now)}"


def _as_words(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _opening(start: GameFacts, ui: Catalogue) -> Iterator[str]:
    yield from wrap(ui.text("long_email.commitment"), text.WIDTH)
    yield start.commitment
    tags = [ui.text(f"long_email.tag.{tag}", count=count) for tag, count in start.facts.items()]
    if tags:
        yield from wrap(ui.text("long_email.components", tags=ui.join(tags, "comma")), text.WIDTH)
    for key, facts in (("reconstructed", start.reconstructed), ("corrected", start.corrected)):
        if facts:
            yield from wrap(ui.text(f"long_email.{key}"), text.WIDTH)
            yield from text.bullets(facts[:_MOST_FACTS], text.WIDTH)
    if start.options:
        yield from wrap(ui.text("long_email.options"), text.WIDTH)
        yield from text.bullets(start.options, text.WIDTH)


def _possible(report: Report, ui: Catalogue) -> Iterator[str]:
    due = [question for question in report.questions if not question.answered]
    if not due:
        return
    yield from text.heading(ui.text("long_email.possible"), PHONE)
    for question in due:
        yield from wrap(f"{question.q}: {ui.text('report.syntax', syntax=question.syntax)}", text.WIDTH)
        yield from text.words(question, ui, text.WIDTH)


def position_text(report: Report, columns: int = text.WIDTH) -> str:
    """Return the game as the reader may see it, as text, without columns that are printed on the board."""
    ui = report_messages(report.language)
    sheets = [ui.drawn.same("letter", sheet, partial(_unprinted, sheet)) for sheet in report.sheets]
    lean = msgspec.structs.replace(report, sheets=sheets)
    blocks: list[Iterable[str]] = [text.head(lean, ui, columns), *text.state(lean, ui, columns)]
    return joined(blocks)


def _unprinted(sheet: ReportTable) -> ReportTable:
    kept = [at for at, column in enumerate(sheet.columns) if not column.printed]
    if len(kept) == len(sheet.columns):
        return sheet
    columns = [sheet.columns[at] for at in kept]
    rows = [[row[at] for at in kept] for row in sheet.rows]
    raw = [[row[at] for at in kept] for row in sheet.raw]
    return msgspec.structs.replace(sheet, columns=columns, rows=rows, raw=raw)


def cards_text(report: Report) -> str:
    """Return the reader's cards and their texts."""
    ui = report_messages(report.language)
    return joined([text.hands(report, ui, text.WHOLE), text.card_texts(report, ui, text.WHOLE)])


def possible_text(report: Report) -> str:
    """Return every word of each open question, and how to write an answer."""
    ui = report_messages(report.language)
    return "\n".join(_possible(report, ui))


def news_text(report: Report, most: int | None = None, columns: int = PHONE) -> str:
    """Return the log lines one by one, with their rules; only the last `most` if given."""
    ui = report_messages(report.language)
    return "\n".join(text.news(report, ui, columns, most))


def opening_text(start: GameFacts, language: str) -> str:
    """Return the full opening of a game for the first email."""
    ui = report_messages(language)
    return "\n".join([*text.heading(ui.text("long_email.opening"), PHONE), *_opening(start, ui)])


def joined(blocks: Iterable[Iterable[str]]) -> str:
    """Join blocks of lines with an empty line between them."""
    return "\n\n".join("\n".join(lines) for block in blocks if (lines := list(block)))


def page_lines(lines: Sequence[str]) -> list[str]:
    """Return lines for a page, escaped: the first of a paragraph is its heading, unless it tells a fact."""
    around = zip(["", *lines], lines, [*lines[1:], ""], strict=False)
    heads = [not above and bool(below) and ": " not in line and "：" not in line for above, line, below in around]
    return [f"<b>{escape(line)}</b>" if head else escape(line) for line, head in zip(lines, heads, strict=True)]


def pre(lines: str) -> str:
    """Return a part of a page that keeps these lines, in HTML; long ones are broken on a phone."""
    return f'<pre style="{_PRE}">{lines}</pre>'
