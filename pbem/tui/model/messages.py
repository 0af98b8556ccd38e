"""Sorting and filtering of rows, lists and logs: one rule for all screens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pbem import LANGUAGES
from pbem.kernel.order_words import normalize_word
from pbem.report.messages import messages

# The words of the UI itself, from `pbem/tui/locale/<language>.toml`; the game's own come from its catalogue.


class ScreenMessages:
    """The UI's messages in one language; English stands in for a language that there is not."""

    def __init__(self, language: str = "en", package: str = "pbem.tui") -> None:
        self.language = language if language in LANGUAGES else LANGUAGES[0]
        self._texts = messages(package, self.language)

    def __call__(self, key: str, **args: object) -> str:
        """The message with `{name}` replaced by arguments; the key itself if there is none (a test forbids that)."""
        text = self._texts.get(key, key)
        for name, value in args.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    def has(self, key: str) -> bool:
        """Whether there is such a message."""
        return key in self._texts


def matches(needle: str, texts: Iterable[str]) -> bool:
    """Whether every word of `needle` is in one of the texts; full-width letters and capitals do not matter."""
    if not needle.strip():
        return True
    hay = " ".join(normalize_word(text) for text in texts)
    return all(normalize_word(word) in hay for word in needle.split())


def sort_key(raw: Any, text: str) -> tuple[int, float, str]:
    """A cell's place in a column: numbers first, by size, then words, then empty cells."""
    if isinstance(raw, bool):
        return (1, 0.0, "0" if raw else "1")
    if isinstance(raw, (int, float)):
        return (0, float(raw), "")
    return (1, 0.0, text.casefold()) if text else (2, 0.0, "")


def step(now: str, among: Sequence[str], by: int) -> str:
    """The one `by` places on, round the end; the first if `now` is not among them, "" if there is none."""
    if not among:
        return ""
    return among[(among.index(now) + by) % len(among)] if now in among else among[0]
