"""Lines of a reply that say nothing about the game: greetings, closings, lines of devices, notices, banners.

The words are in `courtesies.toml`. Every word of such a line is known, or the whole line has a known shape: a word
somewhere in a sentence proves nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from pbem.data_cache import folder_of, toml_tables
from pbem.lazy_regex import pattern

_SMILES = pattern(r"(?:[:;]-?[)D]|\^\^|[\U0001F600-\U0001F60F\U0001F642\U0001F44B\U0001F64F\u263A\uFE0F\s])+")
_RULE = pattern(r"[-_=*~#+.·•─━‐―—－＿＝※\s]{2,}")
_WORD = pattern(r"[^\W_]+(?:[-'.&][^\W_]+)*")
_SIGNS = pattern(r"[^\w\s,.!'()\-:;^/]")
_LINK = pattern(r"<(?:https?|mailto):[^<>\s]*>|\(?https?://\S+|aka\.ms/\S+")
_MODEL = pattern(r"[a-z]{0,4}[-+]?\d+(?:\.\d+)?(?:[a-z]{0,3}|\+)|\d+\s?mini")
_CJK = pattern(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_BESIDE_KANA = pattern(r"(?<=[\u3040-\u30ff\u3400-\u9fff])\s+|\s+(?=[\u3040-\u30ff\u3400-\u9fff])")
_NAMED = pattern(r"(\w{1,10})(?:です|と申します|より)|\((?:iphone|ipad|android|スマホ|携帯)(?:より|から)?\)")
_SENTENCE = pattern(r"(?<=[.!])\s+|(?<=。)|\s[|]\s")
_QUESTION = pattern(r"\?|(?<!願いできます)(?<!願いできますでしょう)か[。.!]*$")
_LONGEST = 2_000
_FRAME = 30
"""Characters of the words behind an answer."""
_SIGNS_AROUND = " ,.!:、–-"


class _Tables(NamedTuple):
    """The lists of `courtesies.toml`, compiled."""

    words: Sequence[frozenset[str]]
    phrases: re.Pattern[str]
    device: re.Pattern[str]
    devices: frozenset[str]
    shapes: re.Pattern[str]
    banner: re.Pattern[str]
    banner_keys: frozenset[str]
    banner_words: Sequence[frozenset[str]]
    back: frozenset[str]
    back_signs: re.Pattern[str]
    limits: frozenset[str]
    limit_signs: re.Pattern[str]
    frames: tuple[re.Pattern[str], re.Pattern[str]]


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    raw = toml_tables((folder_of("pbem.orders", "replies") / "courtesies.toml").read_bytes())
    phrases = sorted({word for text in raw["phrases"].values() for word in text.split()}, key=len, reverse=True)
    begins, ends = (
        "|".join(re.escape(part) for line in raw["devices"][key].split("\n") for part in line.split("|") if part)
        for key in ("begins", "ends")
    )
    lists = raw["shapes"]
    banners, keys = lists.pop("banner"), frozenset(raw["banner"].pop("keys").split())
    return _Tables(
        [frozenset(text.split()) for text in raw["words"].values()],
        pattern(rf"(?:(?:{'|'.join(map(re.escape, phrases))})[\s。、,.!！~〜・]*)+"),
        pattern(rf"(?P<begin>{begins})(?:(?!\w)|(?<=[\u3040-\ufaff]))(?P<rest>.*)|(?P<stem>.*?)\s?(?:{ends})[.。]?"),
        frozenset(raw["devices"]["words"].split()),
        _any([shape for shapes in lists.values() for shape in shapes]),
        _any(banners),
        keys,
        [frozenset(text.split()) | keys for text in raw["banner"].values()],
        frozenset(raw["back"]["words"].split()),
        pattern(raw["back"]["signs"]),
        frozenset(raw["limits"]["words"].split()),
        pattern(raw["limits"]["signs"]),
        (
            pattern(rf"(?:(?:{'|'.join(raw['frames']['begins'])})[,.!、]?(?:(?<=[\u3001-\ufaff:])|(?=\s))\s*){{1,3}}"),
            pattern(rf"(?:(?:[\s,.!–-]+|(?=[\u3040-\ufaff]))(?:{'|'.join(raw['frames']['ends'])})){{1,3}}"),
        ),
    )


def _any(shapes: Sequence[str]) -> re.Pattern[str]:
    """Compile shapes; loops over words are possessive, so that no text takes long."""
    whole = "|".join(shapes).replace("))*", r")(?!\w))*+")
    return pattern(re.sub(r"\)\*(?!\+)", ")*+", whole))


def _fits(shapes: re.Pattern[str], text: str, words: Sequence[frozenset[str]] = ()) -> bool:
    """Return whether each sentence of a text has one of the shapes, or all its words in one of the lists."""
    plain = " ".join(_folded(text).split())
    parts = [part.strip(" .!,;:。、") for part in _SENTENCE.split(plain)]
    said = [part for part in parts if part and not _RULE.fullmatch(part)]
    return (
        0 < len(plain) <= _LONGEST
        and bool(said)
        and all(shapes.fullmatch(part) or _listed(part, words) for part in said)
    )


def _listed(text: str, lists: Sequence[frozenset[str]]) -> bool:
    words = _WORD.findall(text)
    return "?" not in text and any(all(word in known for word in words) for known in lists)


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'")
    return plain.strip().casefold().replace("i\u0307", "i")  # the Turkish capital


def words_of(text: str) -> list[str]:
    """Return the words of a text, folded for comparison."""
    return _WORD.findall(_folded(text))


def names_of(*texts: str) -> frozenset[str]:
    """Return the words of the writer's name, folded for comparison."""
    return frozenset(word for text in texts for word in words_of(text))


def is_courtesy(text: str, names: Collection[str] = ()) -> bool:
    """Return whether a line says nothing about the game; `names` are the words of its writer's name."""
    plain = _folded(text)
    if not plain or _RULE.fullmatch(plain) or _SMILES.fullmatch(text.strip()):
        return True
    if asks(text) or len(plain) > _LONGEST:
        return False
    return _is_polite(plain, names) or _is_device(plain) or has_known_shape(plain)


def _is_polite(plain: str, names: Collection[str]) -> bool:
    tables = _tables()
    spoken = _SMILES.sub(" ", plain).strip(" *")
    if _CJK.search(spoken):
        rest = _NAMED.sub(lambda found: "" if found[1] is None or found[1] in names else found[0], spoken)
        for name in sorted((name for name in names if _CJK.search(name)), key=len, reverse=True):
            rest = rest.replace(name, " ")
        return not rest.strip(" 。、,.!") or tables.phrases.fullmatch(rest.strip(" 。、,.")) is not None
    words = _WORD.findall(spoken)
    if not words or _SIGNS.search(spoken):
        return False
    return any(all(word in known or word in names for word in words) for known in tables.words)


def _is_device(plain: str) -> bool:
    tables = _tables()
    bare = _BESIDE_KANA.sub("", _LINK.sub("", plain.replace("](", " "))).strip(" []().*※")
    found = tables.device.fullmatch(bare)
    if found is None or len(bare) > 120:
        return False
    said = [
        re.sub(r"^[dl]'", "", word).rstrip(".")
        for word in re.findall(r"[^\s,;:()|/[\]]+", found["rest"] or found["stem"] or "")
    ]
    return all(_is_known(word, tables.devices) for word in said)


def _is_known(word: str, known: Collection[str]) -> bool:
    """Return whether a word names a device; words without blanks between them are taken apart."""
    if word in known or _MODEL.fullmatch(word) or not word.strip("-–—·™®©!"):
        return True
    if not _CJK.search(word):
        return False
    for part in sorted(
        (word_known for word_known in known if len(word_known) > 1 or _CJK.match(word_known)), key=len, reverse=True
    ):
        word = word.replace(part, " ")
    return all(_MODEL.fullmatch(part) or part in "のでからよりへ用에서에로은는용" for part in word.split())


def has_known_shape(text: str) -> bool:
    """Return whether a text is, from its first word to its last, a notice or a contact line."""
    return _fits(_tables().shapes, text)


def is_banner(text: str) -> bool:
    """Return whether a text is what a gateway writes into emails that come from outside."""
    tables = _tables()
    named = not tables.banner_keys.isdisjoint(words_of(text))
    return _fits(tables.banner, text, tables.banner_words if named else ())


def takes_back(text: str) -> bool:
    """Return whether a text may take back or limit an answer, or asks something."""
    tables = _tables()
    return bool(tables.back_signs.search(_folded(text)) or tables.back & set(words_of(text)))


def limits(text: str) -> bool:
    """Return whether a text limits an answer, waits or asks; unlike one with a "not", it isn't only a reason."""
    tables = _tables()
    return asks(text) or bool(tables.limit_signs.search(_folded(text)) or tables.limits & set(words_of(text)))


def asks(text: str) -> bool:
    """Return whether a text is a question."""
    return _QUESTION.search(_LINK.sub("", _folded(text))) is not None


def framed(text: str) -> tuple[str, str, str]:
    """Return a text as words like "my answer is", what stands between, and words like "please"."""
    plain = _folded(text).rstrip(" .!。")
    if len(plain) > _LONGEST:
        return "", "", ""
    begins, ends = _tables().frames
    found = begins.match(plain)
    start = found.end() if found is not None else 0
    stops = (at for at in range(max(len(plain) - _FRAME, start + 1), len(plain)) if ends.fullmatch(plain, at))
    stop = next(stops, len(plain))
    return plain[:start].strip(_SIGNS_AROUND), plain[start:stop].strip(), plain[stop:].strip(_SIGNS_AROUND)
