"""How people say an answer: `answer_words.toml`, and the words of a sentence that mean something."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise

import msgspec

from pbem.data_cache import tables_of
from pbem.lazy_regex import has_cjk, pattern

RUN = pattern(
    r"[^\W\d_\u3040-\u30ff\u3400-\u9fff]+(?:'[^\W\d_]+)?|\d+|[\u30a1-\u30fa\u30fc-\u30ff]+|[\u3400-\u9fff々]+"
)
_PLAIN_RUN = pattern(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+")
_ENDINGS = ("ing", "ion", "ed", "s", "d", "e")
_IDLE = pattern(r"\bno\.?\s*(?=\d)|\bone(?=\W*$|[,.;:!])|[1一]票|\bthis (?:time|round|turn)\b")
_ACCENTS = pattern("[\u0300-\u036f]")
AND = "and|plus|und|et|y|e|en|och|og|i|oraz"
LISTED = pattern(rf"\s*(?:[,;]?\s+(?:{AND})\s+|[,;、・&+\n]|(?<=[\w)])\s?と(?=\S))\s*(?:and\s|と)?")
NOT = "¬"
"""The word for any denial."""
HIGHEST, LOWEST, LAST, MIDDLE = -3, -2, -1, 0
"""Places in our list that aren't counted from its first."""
_NUMBER = pattern(r"(?<=[^\W\d_])(?=\d)")
"""Between a name and its number: `オランダ1`."""
_LIST = pattern(r"(?<!\S)([^\W\d]\w* ?= ?)(.*?)(?=\s[^\W\d]\w* ?=|$)")
"""A field of an answer and its value: `place=Spain 1, Open 2`."""

_LISTS = ("yes", "no", "declines", "losing", "fillers", "polite", "weighty", "undone", "places", "counted")


class Lexicon(msgspec.Struct, frozen=True):
    """The words of `answer_words.toml`, of all languages; `words` are its plain lists."""

    words: Mapping[str, frozenset[str]]
    denied: re.Pattern[str]
    numbers: Mapping[str, str]
    alike: Mapping[str, str]
    idioms: Mapping[re.Pattern[str], str]
    plain: Mapping[re.Pattern[str], str]
    reasons: tuple[re.Pattern[str], ...]
    nth: re.Pattern[str]
    ordinals: Mapping[str, int]


@cache
def lexicon() -> Lexicon:
    """Return how people say an answer, read at the first use."""
    tables = tables_of("pbem", "orders")["answer_words"].values()
    for table in tables:
        table |= {key: folded(text) for key, text in table.items() if key in ("alike", *_LISTS)}
    words = {key: frozenset(word for table in tables for word in table.get(key, "").split()) for key in _LISTS}
    rows = [row.split() for table in tables for row in table["alike"].strip().split("\n")]
    return Lexicon(
        {**words, **{key: frozenset(map(_stem, words[key])) for key in ("declines", "losing")}},
        pattern("|".join(table["denied"] for table in tables if "denied" in table)),
        {word: str(n) for table in tables for n, word in enumerate(table.get("numbers", "").split(), 1)},
        {_stem(word): _stem(row[0]) for row in rows for word in row},
        {pattern(idiom): words for table in tables for idiom, words in table["idioms"]},
        {pattern(idiom): words for table in tables for idiom, words in table.get("plain", ())},
        tuple(pattern(reason) for table in tables for reason in table.get("reasons", ())),
        pattern("|".join(table["nth"] for table in tables if "nth" in table)),
        {
            word: place
            for table in tables
            for row in table.get("ordinals", "").strip().split("\n")
            for place, word in enumerate(row.split(), HIGHEST)
            if word != "_"
        },
    )


def words_said(text: str) -> list[str]:
    """Return the words of a text that mean something, without their endings; a "not" is one of them."""
    return list(dict.fromkeys(word_sequence(text)))


def word_sequence(text: str) -> Iterator[str]:
    """Yield the words of a text that mean something, in order, without their endings."""
    known = lexicon()
    plain = _IDLE.sub("", folded(text).replace("’", "'").replace("・", ""))
    for idiom, words in known.idioms.items():
        plain = idiom.sub(words, plain)
    if known.denied.search(plain):
        yield NOT
    for run in runs(known.denied.sub("", plain)):
        word, _, tail = run.partition("'")
        if word in known.words["no"] or tail == "t":
            yield NOT
        elif word in known.numbers:
            yield known.numbers[word]
        elif word in known.words["yes"]:
            yield "yes"
        elif word not in known.words["fillers"] and run != "let's":
            yield known.alike.get(stem := _stem(word), stem)


def runs(text: str) -> list[str]:
    """Return the alphabetic, numeric, katakana and Chinese runs in a text."""
    return (RUN if has_cjk(text) else _PLAIN_RUN).findall(text)


def pieces_of(text: str) -> list[str]:
    """Return the pieces of a list: "1 and 3" is 1, 3."""
    return [piece for piece in LISTED.split(text) if piece and piece.strip(" .!。")]


def and_pairs(*texts: str) -> Iterator[str]:
    """Yield the words of texts, and each pair of them that stand side by side."""
    for said in map(list, map(word_sequence, texts)):
        yield from said
        yield from map(" ".join, pairwise(said))


def folded(text: str) -> str:
    """Return a text in lower case without accents, as the words of the lexicon are."""
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text))).casefold()


def _stem(word: str) -> str:
    """Return a word without its ending, and without a small ッ, which many leave out of names."""
    if not word.isascii():
        word = word.replace("ッ", "")
    word = f"{word[:-3]}y" if len(word) > 5 and word.endswith("ies") else word
    while len(word) > 3 and (end := next(filter(word.endswith, _ENDINGS), "")) and len(word) > 2 + len(end):
        word = word[: -len(end)]
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word.isascii() else word


def joined_names(body: str) -> Iterator[str]:
    """Yield `body` with printed names as one word each: `Spain1`, and `place=Spain 1, Open 2`."""
    plain = body.replace("、", ", ")
    apart = _NUMBER.sub(" ", plain)
    several = _listed(apart, r",|\s+(?=\D)")
    yield from (variant for variant in (plain, apart, _listed(plain), _listed(apart), several) if variant != body)


def _listed(body: str, between: str = ",") -> str:
    if '"' in body or "=" not in body:
        return body

    def joined(found: re.Match[str]) -> str:
        names = ("_".join(name.split()) for name in re.split(between, found[2]) if name.strip())
        return found[1].replace(" ", "") + ",".join(names)

    return _LIST.sub(joined, body)
