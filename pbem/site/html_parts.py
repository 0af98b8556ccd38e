"""Parts of pages: the frame of a page, lists, tables, the map, the plots. No script, nothing remote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from pbem import LANGUAGES
from pbem.data_cache import messages
from pbem.lazy_regex import escape
from pbem.report.model import Report, ReportTable
from pbem.report.scores_svg import scores_svg
from pbem.site.public_history import PublicHistory

LANGUAGE_NAMES = {"en": "English", "ja": "日本語"}


class PageMessages:
    """The messages of the pages in one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._texts = messages("pbem.site", language) or messages("pbem.site", LANGUAGES[0])

    def __call__(self, key: str, **args: object) -> str:
        """Return a message with its arguments, escaped for HTML."""
        return escape(self.plain(key, **args))

    def plain(self, key: str, **args: object) -> str:
        """Return a message with its arguments, not escaped."""
        said = self._texts[key]
        for name, value in args.items():
            said = said.replace(f"{{{name}}}", str(value))
        return said


class PageLink(msgspec.Struct):
    """A link of a page's head: target, text, and `rel` and language for programs. `here`: it is this page."""

    href: str
    text: str
    rel: str = ""
    language: str = ""
    here: bool = False


def page(
    words: PageMessages, title: str, main: Iterable[str], *, up: str, links: Sequence[PageLink], feed: str = ""
) -> str:
    """Return a page. `up` leads from it to the folder of the style sheet."""
    atom = f'<link rel="alternate" type="application/atom+xml" href="{feed}" title="Atom">\n' if feed else ""
    return (
        f'<!DOCTYPE html>\n<html lang="{words.language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{escape(title)}</title>\n<link rel="stylesheet" href="{up}style.css">\n{atom}</head>\n<body>\n'
        f'<a class="skip" href="#main">{words("page.skip")}</a>\n'
        f"<header>{navigation(words('page.nav'), links)}</header>\n"
        f'<main id="main" tabindex="-1">\n<h1>{escape(title)}</h1>\n'
        + "\n".join(main)
        + f"\n</main>\n<footer><p>{words('page.public')}</p></footer>\n</body>\n</html>\n"
    )


def navigation(label: str, links: Iterable[PageLink]) -> str:
    """Return links as a list with a name."""
    return f'<nav aria-label="{label}"><ul>{"".join(map(_link, links))}</ul></nav>'


def _link(one: PageLink) -> str:
    if one.here:
        return f'<li><span aria-current="page">{escape(one.text)}</span></li>'
    rel = f' rel="{one.rel}"' if one.rel else ""
    language = f' lang="{one.language}" hreflang="{one.language}"' if one.language else ""
    return f'<li><a href="{one.href}"{rel}{language}>{escape(one.text)}</a></li>'


def listed(lines: Iterable[str], kind: str = "ul") -> str:
    """Return lines as a list."""
    return f'<{kind} class="log">' + "".join(f"<li>{escape(line)}</li>" for line in lines) + f"</{kind}>"


def scrolled(label: str, inner: str, kind: str = "wide") -> str:
    """Return a scrolling region for content wider than the screen, usable by keyboard."""
    return f'<div class="{kind}" role="region" aria-label="{label}" tabindex="0">{inner}</div>'


_LONG = 8
"""Rows of a table that a page shows at once; a longer one opens with a tap."""


def table(sheet: ReportTable) -> str:
    """Return a table of the game. On a phone each row is a card."""
    kinds = [
        f' class="{column.kind}"' + (f' data-head="{escape(column.label)}"' if column.label else "")
        for column in sheet.columns
    ]
    heads = [
        f'<th scope="col"{kind}>{escape(column.label)}</th>' if column.label else f"<td{kind}></td>"
        for column, kind in zip(sheet.columns, kinds, strict=True)
    ]
    rows = [_row([escape(cell) for cell in row], kinds) for row in sheet.rows]
    note = f"<p>{escape(sheet.note)}</p>" if sheet.note else ""
    title = escape(sheet.title)
    whole = scrolled(title, _table("".join(heads), rows, title), "wide stacked") + note
    if len(rows) <= _LONG:
        return whole
    return f"<details><summary>{title} ({len(rows)})</summary>{whole}</details>"


def rows_of(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], *, caption: bool = True) -> str:
    """Return a table of cells in HTML. On a phone the cells of a long row are stacked."""
    cells = "".join(f'<th scope="col">{head}</th>' for head in heads)
    kinds = [f' data-head="{head}"' for head in heads]
    whole = _table(cells, [_row(row, kinds) for row in rows], title if caption else "")
    return scrolled(title, whole, "wide stacked" if len(heads) > 2 else "wide")


def _row(row: Sequence[str], kinds: Sequence[str]) -> str:
    first, *rest = row
    cells = "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(rest, kinds[1:], strict=True))
    return f'<tr><th scope="row">{first}</th>{cells}</tr>'


def _table(heads: str, rows: Sequence[str], caption: str) -> str:
    top = f"<caption>{caption}</caption>" if caption else ""
    return f"<table>{top}<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def plots(report: Report, told: PublicHistory, words: PageMessages) -> Iterator[str]:
    """Yield the history of the points, of the numbers of cards in each kind of hand, and of the losses."""
    names, owners = told.hand_names.get(words.language, {}), told.owners.get(words.language, {})
    courses = [(words.plain("game.scores"), report.history, report.seats)]
    courses += [
        (words.plain("game.cards", hand=names[key]), counts, report.seats) for key, counts in told.hands.items()
    ]
    courses.append((told.loss_names.get(words.language, ""), told.losses, list(owners.items())))
    for title, course, series in courses:
        if len(course) > 1:
            chart = scores_svg(msgspec.structs.replace(report, history=course, seats=series), title)
            yield f"<h2>{escape(title)}</h2>{scrolled(escape(title), chart)}"
