"""The ways in which a line of a reply may write an answer: in quotes, in a list, with a number, with its label.

Signs around an answer and marks in front of it go, never words of it. Everything that our emails print as an answer is
read back in all of these ways.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence

from pbem.kernel.negotiation import PROPOSE
from pbem.lazy_regex import has_cjk, pattern
from pbem.orders.answer_words import (
    AND,
    HIGHEST,
    LAST,
    LISTED,
    LOWEST,
    MIDDLE,
    NOT,
    joined_names,
    lexicon,
    pieces_of,
    words_said,
)
from pbem.orders.replies.courtesies import asks, framed, is_courtesy, limits, takes_back, words_of
from pbem.orders.replies.quotation import SentTexts, comparison_key

_AROUND = "*\"'„_ "
_STOP = pattern(
    r"(?<=\S)(?:です|(?:です|で)?、?\s?(?:よろしく|宜しく)?お願い(?:(?:いた|致)?し)?ます|[にと](?:いた)?します"
    r"|を(?:選び|選択し|プレイし)ます|で|\s?입니다)[.!。]*$|[.!。]+$"
)
_SMILE = pattern(
    r"\s*(?:[:;]-?\)|\^\^|[\U0001F600-\U0001F604\U0001F60A\U0001F642\U0001F44D\U0001F64F\u2705\u2714\u2764\uFE0F"
    r"\U0001F3FB-\U0001F3FF])+\s*$"
)
_CLAUSE = pattern(r"[、。,.!:;]+\s*")
_ARROW = pattern(r"(?:[-*•·–‣◦▪]|/|→|➔|->|=>|☞)\s+(?=\S)|→|➔")
_PAIRS = {
    "“": "”“", "”": "”", "„": "“”", "‟": "”", "‘": "’", "’": "’", "‚": "‘’", "«": "»", "»": "«", "‹": "›", "›": "‹",
    "「": "」", "『": "』", "(": ")", "[": "]", "【": "】", '"': '"', "'": "'", "*": "*", "_": "_", "`": "`", "<": ">",
}  # fmt: skip
_DOUBLE = dict.fromkeys(map(ord, "“”„‟«»「」『』"), '"')
_SINGLE = dict.fromkeys(map(ord, "‘’‚‹›"), "'")
_NUMBER = (
    r"(?:#|no\.?|nr\.?|q\.?|re:?|(?:(?:my |the )?answer to |as for |for )?(?:question)?"
    r"|frage|pregunta|domanda|vraag|質問|問)?\s*"
    r"(?:no\.?\s*)?[(\[]?{q}\s*(?:番\s?)?(?:[:.)\]、=は]|->|→|is\b)\s*(?=\S)"
    r"|(?:質問|問|q|#|question )\s*{q}\s+(?=\S)"
)
_LABELLED = pattern(r"([^()]+?)\s?\((.+)\)")
_JOINED = pattern(rf"\s(?:[&+]|{AND})\s")
_ITEM = pattern(r"(?:^|[\s,;、。]|(?<=[\u3040-\u9fff]))\(?(\d{1,2})(?:[.)、]|(?:[枚番]目|つ目|位)[:はにが]?)\s*(?=\D)")
_DIGITS = pattern(r"\d+")
_SEVERAL = pattern(r"([2-9二三四五])(?:枚|つ|個|人|か所|ヶ所)(?![目め])")
_AGREEING = frozenset(("ok", "okay", "alright", "all", "sure", "yes", "yeah", "yep", "yup", "fine", "はい"))
_MOST_WORDS = 8
_DEEPEST = 3
_LONGEST = 400


def unquoted(body: str) -> str:
    """Return an answer without a full stop, quotation marks or asterisks around it; inner ones stay paired."""
    bare = _unstopped(body.strip(_AROUND)).strip(_AROUND)
    if '"' not in bare:
        return bare
    around = _AROUND.replace('"', "")
    return _unstopped(body.strip(around)).strip(around)


def _unstopped(text: str) -> str:
    return _STOP.sub("", text) if text.endswith((".", "!", "。", "す", "で", "다", "\n")) else text


def reading(
    legal: Callable[[str], str],
    ours: SentTexts,
    q: int = 0,
    copied: Callable[[str], str] = str,
    names: Collection[str] | None = (),
) -> Callable[[str], str]:
    """Wrap `legal` to read an answer to question `q` however it is written.

    A label in brackets is dropped if our email prints exactly this pair, or if the label means the same answer.
    `copied` returns the answer of a line that also tells what it means. `names` are the words of the writer's name: the
    answer may stand in a sentence that says nothing else, like "I choose …, please"; with None it may not.
    """

    def read(text: str) -> str:
        if not text:
            return ""
        if found := legal(text) or legal(unquoted(text)):
            return found
        if "?" in text or "~~" in text or len(text) > _LONGEST:
            return ""
        for form in dict.fromkeys(_forms(text, q)):
            if found := legal(form) or legal(copied(form)):
                return found
            labelled = _LABELLED.fullmatch(form)
            found = legal(labelled[1]) if labelled is not None else ""
            if labelled is not None and found and (ours.prints(form) or _is_same(labelled, found, legal)):
                return found
        return _in_sentence(_without_marks(text, q), legal, names) if names is not None else ""

    return read


def _in_sentence(text: str, legal: Callable[[str], str], names: Collection[str]) -> str:
    """Return the answer in a sentence whose other words, or clauses if they are Japanese, say nothing."""
    clauses = [part for part in _CLAUSE.split(text) if part.strip()] if not text.isascii() else []
    said = [part for part in clauses if not is_courtesy(part, names)]
    for sentence in (text, *(said if len(said) == 1 < len(clauses) else ())):
        before, inner, behind = framed(sentence)
        for form in dict.fromkeys((*_forms(inner, 0), *(_forms(sentence, 0) if sentence is not text else ()))):
            found, around = legal(form), words_of(f"{before} {behind}")
            agrees = found.startswith(f"{PROPOSE} ") and not _AGREEING.isdisjoint(around)  # rather to their offer
            if found and not agrees and all(legal(word) in ("", found) for word in around):
                return found
    return ""


def _is_same(labelled: re.Match[str], answer: str, legal: Callable[[str], str]) -> bool:
    """Return whether a label means the answer that it follows, or the last word of it."""
    label = "_".join(labelled[2].split())
    return answer in (legal(labelled[2]), legal(f"{labelled[1].rpartition(' ')[0]} {label}"))


def _placed(text: str, entries: Sequence[str]) -> str:
    """Return a text with the answers where our email has them: 二つ目, "1 and 3" or "the first two and Spain"."""
    pieces = pieces_of(text)
    found = [_named_there(piece, entries) for piece in pieces]
    numbers = any(piece.strip(" .").isdigit() for piece in pieces)  # of places, if all pieces are places
    if not (all(found) if numbers or len(found) < 2 else any(found)) or not (len(found) > 1 or has_cjk(text)):
        return text
    return "、".join(named or piece for named, piece in zip(found, pieces, strict=True))


def _named_there(text: str, entries: Sequence[str]) -> str:
    """Return a text with the answers in the place of which it names; "" if it names no place or one without answer."""
    known, plain = lexicon(), " ".join(unicodedata.normalize("NFKC", text).split()).strip(" .!。")
    found = known.nth.fullmatch(plain)
    if found is None:
        return "、".join(_at_place(f"option {plain}" if plain.isdigit() else plain, entries) or ())
    several = _SEVERAL.match(found[2])
    if found[1] in "上下" and several is None and len(entries) != 2:
        return ""
    place = known.ordinals[found[1]] if found[1] in known.ordinals else int(found[1])
    chosen = _chosen(place, int(known.numbers.get(several[1], several[1])) if several is not None else 1, entries)
    rest = found[2][several.end() :] if several is not None else found[2]
    return f"{'、'.join(chosen)} {rest}" if chosen else ""


def _chosen(place: int, count: int, entries: Sequence[str]) -> Sequence[str]:
    """Return so many answers from a place in our email (see `Lexicon.ordinals`); none if they aren't there."""
    if place in (HIGHEST, LOWEST):
        numbers = {int(number[0]): entry for entry in entries if (number := _DIGITS.search(entry)) is not None}
        alike = {_DIGITS.sub("", entry) for entry in entries}
        return [numbers[(max if place == HIGHEST else min)(numbers)]] if len(alike) == 1 < len(numbers) else []
    if place == MIDDLE:
        place = (len(entries) + 1) // 2 if len(entries) % 2 and len(entries) > 2 else len(entries) + 1
    found = entries[-count:] if place == LAST else entries[place - 1 : place - 1 + count]
    return found if len(found) == count and all(found) else []


def _at_place(text: str, entries: Sequence[str]) -> Sequence[str] | None:
    """Return what our email lists at a place, like "the last one" or "the first two"; None: no place is named."""
    known, words = lexicon(), words_of(framed(text)[1])
    said = [word for word in words if word not in known.words["places"]] or words[-1:]
    counted = not known.words["counted"].isdisjoint(words)
    numbers = [int(known.numbers.get(word, word)) for word in said if word in known.numbers or word.isdigit()]
    place = known.ordinals.get(said[0]) if said else None
    if place is None and counted and len(numbers) == len(said) == 1 and numbers[0]:
        place, numbers = numbers[0], [1]
    if place is None or len(said) != (1 if not numbers or said[0] not in known.ordinals else 2):
        return None
    found = _chosen(place, numbers[0] if numbers else 1, entries)
    return found if found or place not in (HIGHEST, LOWEST) else None  # "small" may be an answer


def meant_by(
    text: str, legal: Callable[[str], str], ours: SentTexts, likely: Callable[[str], str] = str, q: int = 0
) -> str:
    """Return the one answer that a sentence contains or points to, or whose printed label it is; "" if unsure."""
    bare = _without_marks(text, 0)
    if asks(text) or len(text) > _LONGEST:
        return ""
    label = legal(ours.labels.get(comparison_key(text.strip(" 。.!！")), ""))
    entries = [] if label else ours.entries(q)
    place = None if label else _at_place(text, entries)
    likeliest = likely(_placed(text, entries)) if place is None else " ".join(place)
    if (found := label or legal(likeliest)) or place is not None:
        return found
    declines = any(word in lexicon().words["declines"] and not legal(word) for word in words_of(text))
    if (
        declines
        or NOT in words_said(text)
        or _JOINED.search(text)
        or takes_back(text)
        or limits(text)
        or len(words_of(text)) > _MOST_WORDS
    ):
        return ""
    pieces = [word.strip(",.;:!()。、") for word in bare.split() if word.casefold() not in lexicon().words["fillers"]]
    runs = (pieces[a:b] for a in range(len(pieces)) for b in range(len(pieces), a, -1))
    found_all = list(dict.fromkeys(found for run in runs if (found := legal(" ".join(run)))))
    return found_all[0] if len(found_all) == 1 else ""


def _forms(text: str, q: int) -> Iterator[str]:
    """Yield the text without what surrounds an answer, then with plain quotes and its names as a list."""
    if listed := enumerated(text):
        yield listed
    bare = _without_marks(text, q)
    plain = bare.translate(_DOUBLE).translate(_SINGLE)
    yield from (bare, plain)
    if len(plain) > 2 and plain[0] == plain[-1] == '"':
        yield plain[1:-1].strip()
    yield from joined_names(plain)
    listed = LISTED.sub(", ", plain)
    for form in (listed, listed.replace(",", " ")):
        yield form
        yield from joined_names(form)


def enumerated(text: str) -> str:
    """Return the items of a text like "1. York 2. Warwick" as a list; "" for any other text."""
    if not any(f"1{sign}" in text for sign in ".)、枚番つ位"):
        return ""
    before, *found = _ITEM.split(text)
    numbers, items = found[::2], [item.strip(" ,;、。.") for item in found[1::2]]
    counts = len(items) > 1 and numbers == [str(no) for no in range(1, len(items) + 1)]
    return ", ".join(items) if counts and not before.strip() and all(items) else ""


def _without_marks(text: str, q: int) -> str:
    """Return a text without marks and the question's number before it, signs in pairs around it, a stop behind it."""
    bare = text.strip()
    number = pattern(_NUMBER.format(q=q), re.IGNORECASE) if q and str(q) in text else None
    for _ in range(_DEEPEST):
        before = bare
        found = number.match(bare) if number is not None else None
        bare = bare[found.end() :] if found else bare
        bare = _ARROW.sub("", bare, count=1) if not found and not bare[:1].isalnum() and _ARROW.match(bare) else bare
        bare = _unstopped(bare if bare[-1:].isalnum() else _SMILE.sub("", bare)).strip()
        for mark in ("**", "__"):
            bare = bare[2:-2].strip() if len(bare) > 4 and bare.startswith(mark) and bare.endswith(mark) else bare
        inner = bare[1:-1]
        if len(bare) > 2 and bare[-1] in _PAIRS.get(bare[0], "") and not {bare[0], bare[-1]} & set(inner):
            bare = inner.strip()
        if bare == before:
            break
    return bare
