"""A mail that is HTML alone as text: a line for a line, each quotation marked by `>`. Bounded, never raising."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from pbem.patterns import pattern
from pbem.post.inbox.plain import clean_text

_DROPPED = frozenset({"script", "style", "head", "title", "template", "noscript", "svg"})
_BLOCK_NAMES = """
address article aside body center dd details div dl dt figure footer form h1 h2 h3 h4 h5 h6 header html li main nav
ol p pre section summary table tbody tfoot thead tr ul blockquote
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_DEEPEST = 20
_TAG = pattern(r"<[a-zA-Z/!]")
RULE = "_" * 20
"""A horizontal rule: mail programs draw it above a copied letter."""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self.line = ""
        self.depth = 0
        self.dropped = 0
        self.pre = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _DROPPED:
            self.dropped += 1
        elif tag == "br":
            self.feed_line(always=True)
        elif tag == "hr":
            self.feed_line()
            self.line = RULE
            self.feed_line()
        elif tag in ("td", "th"):
            self.line += " "
        elif tag in _BLOCKS:
            self.feed_line()
            self.depth += tag == "blockquote" and self.depth < _DEEPEST
            self.pre += tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if tag in _DROPPED:
            self.dropped = max(self.dropped - 1, 0)
        elif tag in _BLOCKS:
            self.feed_line()
            self.depth = max(self.depth - (tag == "blockquote"), 0)
            self.pre = max(self.pre - (tag == "pre"), 0)

    def handle_data(self, data: str) -> None:
        if self.dropped:
            return
        if not self.pre:
            self.line += re.sub(r"\s+", " ", data)
            return
        first, *others = data.split("\n")
        self.line += first
        for other in others:
            self.feed_line(always=True)
            self.line = other

    def feed_line(self, *, always: bool = False) -> None:
        """End the line; an empty one only counts where the page breaks it."""
        text = "-- " if self.line.replace("\xa0", " ") == "-- " else self.line.rstrip()
        text = text if self.pre else text.lstrip()
        if text or always:
            self.lines.append(">" * self.depth + (" " if self.depth and text else "") + text)
        self.line = ""


def text_of_page(page: str) -> str:
    """The text of an HTML page, as a mail program without HTML would show it."""
    if not _TAG.search(page):
        return clean_text(page)
    reader = _Reader()
    try:
        reader.feed(page)
        reader.close()
    except (AssertionError, ValueError):  # what the parser cannot go on with ends the text
        pass
    reader.feed_line()
    return clean_text("\n".join(reader.lines))
