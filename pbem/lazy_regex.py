"""Regular expressions compiled at first use: most commands use few of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, AnyStr, cast

# Text for HTML and SVG.


def escape(text: str) -> str:
    """Escape text for HTML as `html.escape` does, without importing its tables of entities."""
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#x27;")):
        text = text.replace(sign, entity)
    return text


class _Pattern:
    """A stand-in for a compiled pattern. It caches the methods that are used."""

    def __init__(self, compiled: Callable[[], re.Pattern[Any]]) -> None:
        self._compiled = compiled

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._compiled(), name)
        setattr(self, name, value)
        return value


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern that compiles at first use. Call its methods; functions of `re` don't accept it."""
    return cast("re.Pattern[AnyStr]", _Pattern(lambda: re.compile(text, flags)))


def has_cjk(text: str, *, korean: bool = False) -> bool:
    """Return whether a text has kana or Chinese characters, or Korean ones if wanted.

    A pattern with these ranges takes 3 ms to compile.
    """
    return not text.isascii() and any(
        "\u3040" <= sign <= "\u30ff" or "\u3400" <= sign <= "\u9fff" or (korean and "\uac00" <= sign <= "\ud7af")
        for sign in text
    )


_CONTROL = pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """Remove control characters (escape sequences) and bidi marks from `text`."""
    return text if text.isprintable() else _CONTROL.sub("", text)
