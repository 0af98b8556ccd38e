"""Regular expressions that are compiled when they are first used: most runs of a command use few of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, AnyStr, cast

# Text for HTML and SVG.


def escape(text: str) -> str:
    """As `html.escape`, without its tables of entities: to import these takes a hundredth of what a letter costs."""
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#x27;")):
        text = text.replace(sign, entity)
    return text


class _Pattern:
    """Stands for a compiled pattern; what is asked of it is kept, so that it costs once."""

    def __init__(self, compiled: Callable[[], re.Pattern[Any]]) -> None:
        self._compiled = compiled

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._compiled(), name)
        setattr(self, name, value)
        return value


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, later. For names of a module whose methods are called; `re` itself takes none of these."""
    return cast("re.Pattern[AnyStr]", _Pattern(lambda: re.compile(text, flags)))


_CONTROL = pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """`text` without control characters (escape sequences) and without marks that turn the direction of writing."""
    return _CONTROL.sub("", text)
