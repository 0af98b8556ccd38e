"""Reports: what one seat may read, as letter, text, Markdown, HTML, JSON, and as a file for its own programs.

`build` makes a `Report` out of a referee; every format draws that and nothing else.

    report = build(referee, "spain", "en", lines=lines, frame=Frame(name="vq-07", due="2031-03-06T18:00:00Z"))
    print(as_text(report))

Formats: `as_text`, `as_markdown`, `as_html`, `as_json`. Letters: `brief`, `brief_page`, `receipt_text`. A file
for a player's own programs: `view_file`. Words: `Catalogue`.
"""

from pbem import LANGUAGES
from pbem.report.build import build
from pbem.report.catalogue import Catalogue
from pbem.report.data import as_json, plain
from pbem.report.html import as_html
from pbem.report.letter import LetterText, Opening, opening
from pbem.report.markdown import as_markdown
from pbem.report.model import Frame, Report
from pbem.report.receipt import receipt_text
from pbem.report.text import as_text
from pbem.report.viewfile import view_file

__all__ = [
    "LANGUAGES",
    "Catalogue",
    "Frame",
    "LetterText",
    "Opening",
    "Report",
    "as_html",
    "as_json",
    "as_markdown",
    "as_text",
    "build",
    "opening",
    "plain",
    "receipt_text",
    "view_file",
]
