"""The words that a text must have before a pattern of `courtesies.toml` compiles: none of them is missing."""

from __future__ import annotations

import re._constants as kinds  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import pytest

from pbem.data_cache import tables_of

RAW = tables_of("pbem.orders", "replies")["courtesies"]
OTHER, BEGIN = "\0", "\1"


def parts(text: str) -> list[str]:
    return [part for line in text.split("\n") for part in line.split("|") if part]


def without(parsed: Iterable[Any], words: Collection[str], before: Collection[str] = ("",)) -> set[str]:
    """Return the beginnings of texts that fit a pattern and have none of the words."""
    left = set(before)
    for kind, value in parsed:
        left = {text for text in _longer(kind, value, words, left) if not any(word in text for word in words)}
    return left


def _longer(kind: Any, value: Any, words: Collection[str], left: set[str]) -> set[str]:
    if kind is kinds.LITERAL:
        return {text + chr(value) for text in left}
    if kind is kinds.IN and all(inner is kinds.LITERAL for inner, _ in value):
        return {text + chr(sign) for text in left for _, sign in value}
    if kind is kinds.BRANCH:
        return {text for branch in value[1] for text in without(branch, words, left)}
    if kind is kinds.SUBPATTERN:
        return without(value[3], words, left)
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
        least, most, inner = value
        if most == 1:
            return (left if least == 0 else set()) | without(inner, words, left)
        return {text + OTHER for text in (left if least == 0 else without(inner, words, left))}
    return left if kind in (kinds.ASSERT, kinds.ASSERT_NOT, kinds.AT) else {text + OTHER for text in left}


def check(patterns: Sequence[str], words: Sequence[str], before: str = "") -> None:
    for pattern in patterns:
        assert not without(parser.parse(pattern), words, [before]), pattern


@pytest.mark.parametrize("name", RAW["keys"])
def test_what_fits_a_shape_has_one_of_its_words(name: str) -> None:
    check(RAW["shapes"][name], parts(RAW["keys"][name]))


def test_what_stands_before_an_answer_begins_with_a_known_word() -> None:
    check(RAW["frames"]["begins"], [BEGIN + word for word in parts(RAW["frames"]["starts"])], BEGIN)


def test_what_stands_behind_an_answer_are_words_and_no_patterns() -> None:
    assert not [words for words in RAW["frames"]["ends"] if set(words) & set("()[]{}?*+|\\^$.")]
