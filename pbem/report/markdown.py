"""A report as Markdown (GitHub tables), for wikis, forums and chat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.patterns import pattern
from pbem.report import text
from pbem.report.catalogue import Catalogue, of_reports
from pbem.report.model import Holding, Question, Report, Sheet

_MARKS = pattern(r"([\\`*_\[\]<>|#])")


def as_markdown(report: Report) -> str:
    """The whole report. What players wrote is escaped: it cannot become links or markup."""
    ui = of_reports(report.language)
    blocks = [
        _head(report, ui),
        _list(ui.text("report.news"), [said.text for said in report.news] or [ui.text("report.no_news")]),
        _questions(report, ui),
        _list("", report.notices),
        _list(ui.text("report.advance"), [*report.notes, *report.advance]),
        *(_hand(hand, ui) for hand in report.hands if hand.cards is not None),
        _counts(report, ui),
        *(_table(sheet) for sheet in report.sheets),
        _list("", [line for strip in report.strips for line in text.track(strip, ui, 10_000)]),
        [escape(ui.text("report.read", at=report.read))] if report.read else [],
    ]
    return "\n\n".join("\n".join(lines) for block in blocks if (lines := list(block))) + "\n"


def escape(words: str) -> str:
    """Words that mean nothing to Markdown."""
    return _MARKS.sub(r"\\\1", words).replace("\n", " ")


def _head(report: Report, ui: Catalogue) -> Iterator[str]:
    yield f"# {escape(text.title_of(report))}"
    yield ""
    lines = list(text.head(report, ui, 10_000))[1:]
    yield "  \n".join(map(escape, lines))


def _list(title: str, lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    if title:
        yield f"## {escape(title)}"
        yield ""
    for line in lines:
        yield f"- {escape(line)}"


def _questions(report: Report, ui: Catalogue) -> Iterator[str]:
    yield f"## {escape(ui.text('report.to_do'))}"
    yield ""
    if not report.questions:
        yield escape(text.nothing_to_do(report, ui))
        return
    for question in report.questions:
        yield from _question(question, ui)
    yield ""
    yield "  \n".join(map(escape, text.until(report.deadline, ui, 10_000)))


def _question(one: Question, ui: Catalogue) -> Iterator[str]:
    if one.answered:
        yield f"- {escape(ui.text('report.answered', q=one.q, prompt=one.prompt, answer=one.answer))}"
        return
    yield f"- **{one.q}.** {escape(one.prompt)}"
    for line in text.explained(one, ui):
        yield f"  - {escape(line)}"


def _hand(hand: Holding, ui: Catalogue) -> Iterator[str]:
    yield f"## {escape(ui.text('report.hand', seat=hand.owner, hand=hand.label, count=hand.count))}"
    yield ""
    for card in hand.cards or ():
        count = ui.text("report.copies", count=len(card.ids)) if len(card.ids) > 1 else ""
        more = "; ".join(filter(None, (card.note, card.text)))
        yield f"- **{escape(card.name)}**{escape(count)} (`{card.word}`){': ' + escape(more) if more else ''}"


def _counts(report: Report, ui: Catalogue) -> Iterator[str]:
    if others := text.unseen(report, ui):
        yield escape(others)


def _table(sheet: Sheet) -> Iterator[str]:
    yield f"## {escape(sheet.title)}"
    yield ""
    yield _row([column.label for column in sheet.columns])
    yield _row(["---:" if column.kind == "number" else "---" for column in sheet.columns], raw=True)
    for row in sheet.rows:
        yield _row(row)
    if sheet.note:
        yield ""
        yield escape(sheet.note)


def _row(cells: Sequence[str], *, raw: bool = False) -> str:
    return f"| {' | '.join(cells if raw else map(escape, cells))} |"
