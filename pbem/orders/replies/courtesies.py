"""Lines of a reply that say nothing about the game: greetings, closings, lines of devices, notices, banners.

The words are in `courtesies.toml`. Every word of such a line is known, or the whole line has a known shape: a word
somewhere in a sentence proves nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache

import msgspec

from pbem.data_cache import tables_of
from pbem.lazy_regex import has_cjk, pattern

_SMILES = pattern(r"(?:[:;]-?[)D]|\^\^|[\U0001F600-\U0001F60F\U0001F642\U0001F44B\U0001F64F\u263A\uFE0F\s])+")
_RULE = pattern(r"[-_=*~#+.·•─━‐―—－＿＝※\s]{2,}")
_WORD = pattern(r"[^\W_]+(?:[-'.&][^\W_]+)*")
_SIGNS = pattern(r"[^\w\s,.!'()\-:;^/]")
_LINK = pattern(r"<(?:https?|mailto):[^<>\s]*>|\(?https?://\S+|aka\.ms/\S+")
_MODEL = pattern(r"[a-z]{0,4}[-+]?\d+(?:\.\d+)?(?:[a-z]{0,3}|\+)|\d+\s?mini")
_BESIDE_KANA = pattern(r"(?<=[\u3040-\u30ff\u3400-\u9fff])\s+|\s+(?=[\u3040-\u30ff\u3400-\u9fff])")
_NAMED = pattern(r"(\w{1,10})(?:です|と申します|より)|\((?:iphone|ipad|android|スマホ|携帯)(?:より|から)?\)")
_SENTENCE = pattern(r"(?<=[.!])\s+|(?<=。)|\s[|]\s")
_QUESTION = pattern(r"\?|(?<!願いできます)(?<!願いできますでしょう)か[。.!]*$")
_LONGEST = 2_000
_FRAME = 30
"""Characters of the words behind an answer."""
_SIGNS_AROUND = " ,.!:、–-"


_Shapes = Sequence[tuple[tuple[str, ...], re.Pattern[str]]]
"""Patterns, each with words of which one is in every text that it fits; () if there are none."""


class _Tables(msgspec.Struct, frozen=True):
    """The lists of `courtesies.toml`, compiled."""

    words: Sequence[frozenset[str]]
    phrases: Sequence[str]
    device_begins: tuple[str, ...]
    device_ends: tuple[str, ...]
    devices: frozenset[str]
    shapes: _Shapes
    banner: _Shapes
    banner_keys: frozenset[str]
    banner_words: Sequence[frozenset[str]]
    back: frozenset[str]
    back_signs: re.Pattern[str]
    limits: frozenset[str]
    limit_signs: re.Pattern[str]
    frame_begins: tuple[tuple[str, ...], re.Pattern[str]]
    frame_ends: tuple[tuple[str, ...], re.Pattern[str]]


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    raw = tables_of("pbem.orders", "replies")["courtesies"]
    shapes = {name: (_parts(raw["keys"].get(name, "")), _any(some)) for name, some in raw["shapes"].items()}
    banner, keys, frames = shapes.pop("banner"), frozenset(raw["banner"].pop("keys").split()), raw["frames"]
    return _Tables(
        [frozenset(text.split()) for text in raw["words"].values()],
        [word for text in raw["phrases"].values() for word in text.split()],
        _parts(raw["devices"]["begins"]),
        _parts(raw["devices"]["ends"]),
        frozenset(raw["devices"]["words"].split()),
        list(shapes.values()),
        [banner],
        keys,
        [frozenset(text.split()) | keys for text in raw["banner"].values()],
        frozenset(raw["back"]["words"].split()),
        pattern(raw["back"]["signs"]),
        frozenset(raw["limits"]["words"].split()),
        pattern(raw["limits"]["signs"]),
        (
            _parts(frames["starts"]),
            pattern(rf"(?:(?:{'|'.join(frames['begins'])})[,.!、]?(?:(?<![\x00-9;-\u052f–])|(?=\s))\s*){{1,3}}"),
        ),
        (
            tuple(frames["ends"]),
            pattern(rf"(?:(?:[\s,.!–-]+|(?![\x00-\u052f]))(?:{'|'.join(map(re.escape, frames['ends']))})){{1,3}}"),
        ),
    )


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part for line in text.split("\n") for part in line.split("|") if part)


def _any(shapes: Sequence[str]) -> re.Pattern[str]:
    """Compile shapes; loops over words are possessive, so that no text takes long."""
    whole = "|".join(shapes).replace("))*", r")(?!\w))*+")
    return pattern(re.sub(r"\)\*(?!\+)", ")*+", whole))


def _fits(shapes: _Shapes, text: str, words: Sequence[frozenset[str]] = ()) -> bool:
    """Return whether each sentence of a text has one of the shapes, or all its words in one of the lists."""
    plain = " ".join(_folded(text).split())
    parts = [part.strip(" .!,;:。、") for part in _SENTENCE.split(plain)]
    said = [part for part in parts if part and not _RULE.fullmatch(part)]
    return (
        0 < len(plain) <= _LONGEST
        and bool(said)
        and all(_has_shape(shapes, part) or _listed(part, words) for part in said)
    )


def _has_shape(shapes: _Shapes, text: str) -> bool:
    """Return whether a pattern fits; one whose words aren't there isn't compiled."""
    return any((not keys or any(key in text for key in keys)) and shape.fullmatch(text) for keys, shape in shapes)


def _listed(text: str, lists: Sequence[frozenset[str]]) -> bool:
    words = _WORD.findall(text)
    return "?" not in text and any(all(word in known for word in words) for known in lists)


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'")
    return plain.strip().casefold().replace("i\u0307", "i")  # the Turkish capital


def _unlinked(text: str) -> str:
    return _LINK.sub("", text) if ":" in text or "aka.ms/" in text else text


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
    if has_cjk(spoken, korean=True):
        rest = _NAMED.sub(lambda found: "" if found[1] is None or found[1] in names else found[0], spoken)
        for name in sorted((name for name in names if has_cjk(name, korean=True)), key=len, reverse=True):
            rest = rest.replace(name, " ")
        return not rest.strip(" 。、,.!") or _is_filled(rest.strip(" 。、,."), tables.phrases)
    words = _WORD.findall(spoken)
    if not words or _SIGNS.search(spoken):
        return False
    return any(all(word in known or word in names for word in words) for known in tables.words)


def _is_filled(text: str, phrases: Sequence[str]) -> bool:
    """Return whether phrases fill a text, with signs behind them."""
    ends = {0}
    for at, sign in enumerate(text):
        if at in ends:
            ends |= {at + len(phrase) for phrase in phrases if text.startswith(phrase, at)}
            ends |= {at + 1} if at and (sign.isspace() or sign in "。、,.!！~〜・") else set()
    return len(text) in ends


def _is_device(plain: str) -> bool:
    tables = _tables()
    bare = _unlinked(plain.replace("](", " "))
    bare = (_BESIDE_KANA.sub("", bare) if has_cjk(bare) else bare).strip(" []().*※")
    rest = _beside_device(bare, tables) if len(bare) <= 120 else None
    if rest is None:
        return False
    said = [re.sub(r"^[dl]'", "", word).rstrip(".") for word in re.findall(r"[^\s,;:()|/[\]]+", rest)]
    return all(_is_device_name(word, tables.devices) for word in said)


def _beside_device(text: str, tables: _Tables) -> str | None:
    """Return what follows the words with which a line of a device begins, or precedes those with which it ends."""
    for begin in filter(text.startswith, tables.device_begins):
        rest = text[len(begin) :]
        if not (rest[:1].isalnum() or rest[:1] == "_") or "\u3040" <= begin[-1] <= "\ufaff":
            return rest
    whole = text[:-1] if text.endswith((".", "。")) else text
    stems = (said[: -len(end)] for said in (text, whole) for end in tables.device_ends if said.endswith(end))
    return min(stems, key=len, default=None)


def _is_device_name(word: str, known: Collection[str]) -> bool:
    """Return whether a word names a device; words without blanks between them are taken apart."""
    if word in known or _MODEL.fullmatch(word) or not word.strip("-–—·™®©!"):
        return True
    if not has_cjk(word, korean=True):
        return False
    for part in sorted(
        (word_known for word_known in known if len(word_known) > 1 or has_cjk(word_known, korean=True)),
        key=len,
        reverse=True,
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
    plain = _folded(text)
    return ("?" in plain or "か" in plain) and _QUESTION.search(_unlinked(plain)) is not None


def framed(text: str) -> tuple[str, str, str]:
    """Return a text as words like "my answer is", what stands between, and words like "please"."""
    plain = _folded(text).rstrip(" .!。")
    if len(plain) > _LONGEST:
        return "", "", ""
    (starts, begins), (words, ends) = _tables().frame_begins, _tables().frame_ends
    found = begins.match(plain) if plain.startswith(starts) else None
    start = found.end() if found is not None else 0
    first = max(len(plain) - _FRAME, start + 1) if plain.endswith(words) else len(plain)
    stop = next((at for at in range(first, len(plain)) if ends.fullmatch(plain, at)), len(plain))
    return plain[:start].strip(_SIGNS_AROUND), plain[start:stop].strip(), plain[stop:].strip(_SIGNS_AROUND)
