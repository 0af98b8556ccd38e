"""Messages of the UI, time in words, and sorting and filtering of rows, lists and logs for all screens."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from rich.text import Text

from pbem import LANGUAGES
from pbem.data_cache import messages
from pbem.kernel.order_words import normalize_word
from pbem.lazy_regex import pattern
from pbem.report.messages import Catalogue
from pbem.report.text_width import width, wrap
from pbem.report.times import when

T = TypeVar("T")

# Messages of the UI itself, from `pbem/tui/locale/<language>.toml`; the game's own come from its catalogue.


class ScreenMessages:
    """The UI's messages in one language; English for an unknown language."""

    def __init__(self, language: str = "en", package: str = "pbem.tui") -> None:
        self.language = language if language in LANGUAGES else LANGUAGES[0]
        self._texts = messages(package, self.language)

    def __call__(self, key: str, **args: object) -> str:
        """Return the message with `{name}` replaced by arguments, or the key if there is none (tests forbid that)."""
        text = self._texts.get(key, key)
        for name, value in args.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    def has(self, key: str) -> bool:
        return key in self._texts


def matches(needle: str, texts: Iterable[str]) -> bool:
    """Check if every word of `needle` is in one of the texts, ignoring full-width forms and capitals."""
    if not needle.strip():
        return True
    hay = " ".join(normalize_word(text) for text in texts)
    return all(normalize_word(word) in hay for word in needle.split())


def fitting(needle: str, options: Iterable[T], texts_of: Callable[[T], tuple[str, str]]) -> list[T]:
    """Return the options that typed text means; `texts_of` gives the name and the id of one.

    Only the first of these classes that has an option counts: name or id equal to the text; a name that begins with
    it; a name in which each word of the text begins a word; an id that begins with it. Nothing is found inside words.
    """
    everything = list(options)
    typed = _folded(needle)
    if not typed:
        return everything
    named = []
    for option in everything:
        name, ident = texts_of(option)
        named.append((option, _folded(name), _folded(ident)))
    begins = typed.split()

    def by_words(name: str) -> bool:
        return all(any(word.startswith(begin) for word in _WORDS.findall(name)) for begin in begins)

    classes: tuple[Callable[[str, str], bool], ...] = (
        lambda name, ident: typed in (name, ident),
        lambda name, ident: name.startswith(typed),
        lambda name, ident: by_words(name),
        lambda name, ident: ident.startswith(typed),
    )
    for belongs in classes:
        found = [option for option, name, ident in named if belongs(name, ident)]
        if found:
            return found
    return []


_WORDS = pattern(r"[^\s,.;:()\[\]|/]+")
_GLUE = pattern(r"[\s_\u2010-\u2015-]+")
_ACCENTS = pattern(r"[\u0300-\u036f]")


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold()
    return _GLUE.sub(" ", unicodedata.normalize("NFC", _ACCENTS.sub("", plain))).strip()


def sort_key(raw: Any, text: str) -> tuple[int, float, str]:
    """Return the sort key of a cell: numbers by size, then words, then empty cells."""
    if isinstance(raw, bool):
        return (1, 0.0, "0" if raw else "1")
    if isinstance(raw, (int, float)):
        return (0, float(raw), "")
    return (1, 0.0, text.casefold()) if text else (2, 0.0, "")


def step(now: str, among: Sequence[str], by: int) -> str:
    """Return the value `by` places on, cyclically; the first if `now` isn't among them, "" if there is none."""
    if not among:
        return ""
    return among[(among.index(now) + by) % len(among)] if now in among else among[0]


# Time left, in words. The clock is a parameter, so tests and screenshots can stop it.


def countdown(due: datetime | None, now: datetime, words: ScreenMessages) -> str:
    """Return the time left until `due` as `2d 04:05`; "" without a deadline."""
    if due is None:
        return ""
    left = int((due - now).total_seconds())
    if left < 0:
        return words("time.past")
    days, rest = divmod(left, 86400)
    clock = f"{rest // 3600:02d}:{rest % 3600 // 60:02d}"
    return words("time.days", days=days, clock=clock) if days else words("time.left", clock=clock)


def until_or_left(due: datetime, now: datetime, zone: str, say: Catalogue, words: ScreenMessages) -> tuple[str, ...]:
    """Return the deadline in the reader's zone with the time left, then shorter texts for a narrow line."""
    left, at = countdown(due, now, words), local(due, zone, say)
    if due < now:
        return words("questions.late", at=at, left=left), words("time.past")
    short = at.partition(" (")[0]  # without the name of the zone
    return (*(words("questions.due", at=text, left=left) for text in (at, short)), words("status.left", left=left))


def local(at: datetime | None, zone: str, say: Catalogue) -> str:
    """Return a time in the reader's zone; "" for none."""
    return when(at, zone, say) if at is not None else ""


LEGIBLE = 16  # cells for the beginning of a text


def begun(text: str, cells: int) -> str:
    """Return a text or, with a mark, its whole words that fit; "" if hardly any does."""
    if width(text) <= cells:
        return text
    return f"{wrap(text, cells - 2)[0].rstrip(',;:、；：')} …" if cells >= LEGIBLE else ""


def unbroken(text: Text, cells: int) -> Text:
    """Break lines as `wrap` does, keeping styles: Rich breaks Japanese words, and before marks that begin no line."""
    if "\n" in text.plain:
        return Text("\n").join(unbroken(line, cells) for line in text.split("\n"))
    ends, at = [], 0
    for row in wrap(text.plain, cells)[:-1] if text.cell_len > cells else ():
        letters = len("".join(row.split()))
        while letters:
            letters -= not text.plain[at].isspace()
            at += 1
        ends.append(at)
    lines = text.divide(ends)
    return Text("\n").join(line[len(line) - len(line.plain.lstrip()) :] for line in lines)
