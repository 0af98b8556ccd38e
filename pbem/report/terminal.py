"""A report for a terminal, with Rich: the text report, with tables drawn. Imports Rich only when it is called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pbem.report import text
from pbem.report.catalogue import Catalogue
from pbem.report.model import Report, Sheet

if TYPE_CHECKING:
    from rich.console import RenderableType


def as_rich(report: Report) -> RenderableType:
    """Something that `rich.console.Console.print` draws. What players wrote is never read as markup."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    ui = Catalogue(None, language=report.language)

    def told(blocks: Iterable[Iterable[str]]) -> Iterator[RenderableType]:
        for block in blocks:
            first, *others = [*block] or [""]
            if first:
                lines = Text.assemble((first, "bold"), "".join(f"\n{line}" for line in others))
                yield Padding(lines, (0, 0, 1, 0))

    return Group(
        *told(
            (text.head(report, ui), text.news(report, ui), text.questions(report, ui), *text.own(report, ui))
        ),
        *map(table, report.sheets),
        *told(text.rest(report, ui)),
    )


def table(sheet: Sheet) -> RenderableType:
    """One table."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    drawn = Table(title=Text(sheet.title), title_justify="left", box=box.SIMPLE, caption=Text(sheet.note))
    for column in sheet.columns:
        drawn.add_column(Text(column.label), justify="right" if column.kind == "number" else "left")
    for row in sheet.rows:
        drawn.add_row(*map(Text, row))
    return drawn
