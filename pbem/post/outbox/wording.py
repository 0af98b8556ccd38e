"""What the post has to say, laid out: paragraphs, a line each, and quoted lines, which stay as they were written.

Drafts hold it so, and it is broken into lines only where it is read: for a phone's screen, or by the page itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from pbem.markup import escape
from pbem.report.cells import wrap
from pbem.report.letter import PHONE, pre

QUOTE = "|"
"""How a quoted line begins."""


def quoted(text: str) -> list[str]:
    """A player's text as it stands in a letter: each line marked, so that none is taken for an order."""
    return [f"{QUOTE} {line}".rstrip() for line in text.splitlines()]


def as_text(words: str, columns: int = PHONE) -> str:
    """Paragraphs in lines of at most `columns` cells; quoted lines as they are."""
    return "\n".join(
        line
        for part in words.split("\n")
        for line in ([part] if part.startswith(QUOTE) or not part else wrap(part, columns))
    )


def as_page(words: str) -> str:
    """The same as a part of a page."""
    return "\n".join(_parts(words))


def _parts(words: str) -> Iterator[str]:
    for is_quoted, lines in groupby(words.split("\n"), lambda line: line.startswith(QUOTE)):
        if is_quoted:
            yield pre("\n".join(lines))
        else:
            yield from (f"<p>{escape(line)}</p>" for line in lines if line)
