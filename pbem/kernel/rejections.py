"""What is wrong with an answer, as data: a message key with arguments, the rule, and the nearest legal words.

`pbem.report` renders reasons in the reader's language; `str(problem)` is the English sentence, so that an exception
is readable on its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

import msgspec

from pbem.data_cache import messages
from pbem.lazy_regex import pattern

_FORM = pattern(r"(?<=\{)(\w+)[:?][^{}]*(?=\})")


@cache
def english_phrases() -> Mapping[str, str]:
    """Return the English messages of `pbem.report` as parts of a sentence, with plain placeholders."""
    texts = messages("pbem.report", "en")
    begun = {key: text if text[1:2].isupper() else text[:1].lower() + text[1:] for key, text in texts.items()}
    return {key: _FORM.sub(r"\1", text).removesuffix(".") for key, text in begun.items()}


class RejectionReason(msgspec.Struct, frozen=True):
    """One reason why an answer is rejected.

    `key` names the message, `args` fill it, `rule` is the rulebook section, `near` are legal words close to what was
    written, best first.
    """

    key: str
    args: dict[str, Any] = {}
    rule: str = ""
    near: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = english_phrases().get(self.key, self.key).format_map(_Lenient(self.args))
        if self.near:
            text += f" (legal: {', '.join(self.near)})"
        return f"{text} [{self.rule}]" if self.rule else text

    def beside(self, near: tuple[str, ...]) -> RejectionReason:
        """Return the same reason with legal words, unless it has some already."""
        return self if self.near or not near else msgspec.structs.replace(self, near=near)

    def under(self, rule: str) -> RejectionReason:
        """Return the same reason citing `rule`, unless it cites one already."""
        return self if self.rule or not rule else msgspec.structs.replace(self, rule=rule)


class Rejection(ValueError):
    """An answer was rejected; carries the `RejectionReason`."""

    def __init__(self, problem: RejectionReason) -> None:
        super().__init__(problem)  # rendered only when somebody reads it
        self.problem = problem


def because(key: str, rule: str, **args: object) -> RejectionReason:
    """Return why the rules bar something: a message key of the game after `no.`, the section, and its arguments."""
    return RejectionReason(f"no.{key}", dict(args), rule)


def rejection(key: str, *, rule: str = "", near: Iterable[str] = (), **args: Any) -> Rejection:
    """Build (not raise) a `Rejection` from its parts."""
    # Reasons are plain data: an `OrderWord` becomes a plain str.
    plain = {name: str(value) if isinstance(value, str) else value for name, value in args.items()}
    return Rejection(RejectionReason(key, plain, rule, tuple(map(str, near))))


def closest_words(word: str, words: Iterable[str]) -> tuple[str, ...]:
    """Return the legal words closest to `word`, best first; if nothing is close, the first few."""
    return _nearest(word, tuple(words))


@lru_cache(128)
def _nearest(word: str, pool: tuple[str, ...]) -> tuple[str, ...]:
    """Find close words; cached, because lines of several seats are tried as answers to one question."""
    from difflib import get_close_matches

    return tuple(get_close_matches(word, pool, n=4, cutoff=0.5) or pool[:8])


class _Lenient(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "{" + key + "}"
