"""A report as one HTML page: nothing remote, no script; the map and the scores are drawn inside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from pbem.lazy_regex import escape
from pbem.report import text
from pbem.report.map_svg import board, sides_of
from pbem.report.messages import Catalogue, report_messages
from pbem.report.model import Report, ReportHand, ReportQuestion, ReportTable
from pbem.report.scores_svg import colours, letters, scores_svg

STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; padding: 1rem; max-width: 60rem; }
h1 { font-size: 1.3rem; margin: 0; } h2 { font-size: 1.05rem; margin: 1.5rem 0 .3rem; }
h3 { font-size: 1rem; margin: .8rem 0 .2rem; } code { overflow-wrap: anywhere; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .15rem .6rem; border-bottom: 1px solid #8888; vertical-align: top; }
td.number, th.number { text-align: right; }
.wide { overflow-x: auto; } .soft { opacity: .8; } .due { font-weight: bold; }
pre { border: 1px solid #888; padding: .6rem; white-space: pre-wrap; overflow-wrap: anywhere; }
svg { width: 100%; height: auto; }
.side { display: inline-block; min-width: 1.6em; text-align: center; border: 1px solid #888; border-radius: .8em; }
"""


def as_html(report: Report) -> str:
    """Return the whole report as a page."""
    ui = report_messages(report.language)
    return page(report, [*head(report, ui), *news(report, ui), *questions(report, ui), *state(report, ui)])


def page(report: Report, parts: Sequence[str]) -> str:
    """Return a page around `parts`."""
    title = escape(text.title_of(report))
    top = (
        f'<!DOCTYPE html>\n<html lang="{report.language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n"
    )
    return top + "\n".join(parts) + "\n</body>\n</html>\n"


def head(report: Report, ui: Catalogue) -> Iterator[str]:
    """Yield title, reader, time in the game, and scores."""
    first, *rest = text.head(report, ui, 10_000)
    yield f"<h1>{escape(first)}</h1>"
    yield f"<p>{'<br>'.join(map(escape, rest))}</p>"


def listed(lines: Sequence[str]) -> str:
    """Return lines as a list."""
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"


def news(report: Report, ui: Catalogue) -> Iterator[str]:
    """Yield the log lines since the last email."""
    yield f"<h2>{escape(ui.text('report.news'))}</h2>"
    yield listed([said.text for said in report.news] or [ui.text("report.no_news")])


def questions(report: Report, ui: Catalogue) -> Iterator[str]:
    """Yield the questions to answer, and the deadline."""
    yield f"<h2>{escape(ui.text('report.to_do'))}</h2>"
    if not report.questions:
        yield f"<p>{escape(text.no_question_text(report, ui))}</p>"
        return
    for question in report.questions:
        yield from _question(question, ui)
    yield f'<p class="due">{"<br>".join(map(escape, text.until(report.deadline, ui, 10_000)))}</p>'


def _question(one: ReportQuestion, ui: Catalogue) -> Iterator[str]:
    if one.answered:
        yield f"<p>{escape(ui.text('report.answered', q=one.q, prompt=one.prompt, answer=one.answer))}</p>"
        return
    yield f"<p><strong>{one.q}.</strong> {escape(one.prompt)}</p>"
    yield listed([*text.explained(one, ui)])


def state(report: Report, ui: Catalogue) -> Iterator[str]:
    """Yield notices, advance orders, hands, the map, tables, tracks, and the score history."""
    if report.notices:
        yield listed(report.notices)
    if report.advance or report.notes:
        yield f"<h2>{escape(ui.text('report.advance'))}</h2>"
        yield listed([*report.notes, *report.advance])
    for hand in report.hands:
        if hand.cards is not None:
            yield from _hand(hand, ui)
    if others := text.unseen(report, ui):
        yield f"<p>{escape(others)}</p>"
    if report.map:
        yield from ui.drawn.same(f"map {report.map_note}", report.map, lambda: [*_map(report, ui)])
    for sheet in report.sheets:
        yield ui.drawn.same("page", sheet, partial(_table, sheet))
    if report.strips:
        yield listed([line for strip in report.strips for line in text.track(strip, ui, 10_000)])
    if report.history:
        title = ui.text("report.chart")
        yield f"<h2>{escape(title)}</h2>"
        yield scores_svg(report, title)
    if report.head:
        yield f'<p class="soft">{escape(ui.text("report.head", head=report.head, moves=report.moves))}</p>'
    if report.read:
        yield f'<p class="soft">{escape(ui.text("report.read", at=report.read))}</p>'


def _map(report: Report, ui: Catalogue) -> Iterator[str]:
    title = ui.text("report.map")
    yield f"<h2>{escape(title)}</h2>"
    yield board(report, title)
    yield legend(report)


def legend(report: Report) -> str:
    """Return the letters and colours of the sides on the map."""
    sides = sides_of(report.map)
    fill, letter = colours([side for side, _ in sides], report.colours), letters(sides, report.colours)
    shown = (
        f'<span class="side" style="border-bottom: .3em solid {fill[side]}">{escape(letter[side])}</span> '
        f"{escape(name)}"
        for side, name in sides
        if side
    )
    return f"<p>{' '.join(shown)} {escape(report.map_note)}</p>"


def _hand(hand: ReportHand, ui: Catalogue) -> Iterator[str]:
    yield f"<h2>{escape(ui.text('report.hand', seat=hand.owner, hand=hand.label, count=hand.count))}</h2>"
    items = []
    for card in hand.cards or ():
        count = ui.text("report.copies", count=len(card.ids)) if len(card.ids) > 1 else ""
        more = "<br>".join(escape(words) for words in (card.note, card.text) if words)
        items.append(
            f"<li><strong>{escape(card.name)}</strong>{escape(count)} <code>{escape(card.word)}</code>"
            f"{'<br>' + more if more else ''}</li>"
        )
    yield f"<ul>{''.join(items)}</ul>"


def _table(sheet: ReportTable) -> str:
    kinds = [f' class="{column.kind}"' for column in sheet.columns]
    heads = "".join(f'<th scope="col"{k}>{escape(c.label)}</th>' for c, k in zip(sheet.columns, kinds, strict=True))
    rows = []
    for first, *rest in sheet.rows:
        cells = "".join(f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(rest, kinds[1:], strict=True))
        rows.append(f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>')
    body = f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    note = [f"<p>{escape(sheet.note)}</p>"] if sheet.note else []
    return "\n".join([f"<h2>{escape(sheet.title)}</h2>", body, *note])
