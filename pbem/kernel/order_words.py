"""Words of an order line: tokens, quoting, and the names under which a player may call a thing.

Tokens are compared normalised: NFKC (full-width letters, circled numbers and half-width kana become plain), lower
case, with blanks, hyphens and underscores alike. Double quotes hold a word together. A quote inside quotes is
doubled, so that orders can be nested to any depth.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import lru_cache
from itertools import chain

from pbem.kernel.rejections import closest_words, rejection
from pbem.lazy_regex import pattern

_QUOTED = r'"(?:[^"]|"")*"'
_PIECE = pattern(rf'{_QUOTED}| ?[=,] ?|[^ "=,]+|"')
_TOKEN = pattern(rf'(?:{_QUOTED}| ?[=,] ?|[^ "=,]+|")+')
_WHOLE = pattern(_QUOTED)
_PLAIN = pattern(r'[\w+\-][^\s",;=]*')
_GLUE = pattern(r"[\s\-‐‒–—―−]+|(?<=[a-z\d])ー(?=[a-z\d])")
_DOTS = pattern("[・_]+")
_CARD_NUMBER = pattern(r"(?:no\.?_?)?(\d+)番|no\.?_?(\d+)")
_POLITE = pattern(r"(.*?)([いきぎしちにびみり])?ま(?:す|せん)")
_ENDINGS = dict(zip("いきぎしちにびみり", "うくぐすつぬぶむる", strict=True))
_NEGATED = dict(zip("いきぎしちにびみり", "わかがさたなばまら", strict=True))
_SENTENCE = frozenset("{=。.?")
_FIELDS = ("field.", "field_name.")
_LONGEST_NAME = 5

NONE_WORDS = ("none", "nothing", "なし", "-")
"""What a player may write for an empty list."""

CONDITIONS = ("unless", "after")
"""The words that begin a condition in a reply to a window."""

_RESERVED = frozenset((*NONE_WORDS, *CONDITIONS))


@lru_cache(maxsize=8192)
def normalize_word(word: str) -> str:
    """Normalise `word` for comparison: NFKC, lower case, blanks and hyphens as underscores.

    In Japanese, dots and blanks within a name don't count, and the number of a card is `#5`, however it is written.
    """
    if word.isidentifier() and word.isascii():  # most ids
        return word.lower()
    if word.isascii() and word[:1].isalnum() and word[-1:].isalnum():  # most English names
        plain = "_".join(word.lower().replace("-", " ").split())
        if not plain.startswith("no"):
            return plain
    plain = unicodedata.normalize("NFKC", word).strip().strip('"').casefold()
    if plain.isalpha() and not plain.islower():  # most Japanese names
        return plain
    plain = _GLUE.sub("_", plain)
    if plain.isascii() and plain[:2] != "no":
        return plain
    found = _CARD_NUMBER.fullmatch(plain)
    return f"#{found[1] or found[2]}" if found else _DOTS.sub(_joined, plain)


def _joined(found: re.Match[str]) -> str:
    """Return dots and blanks without those between Japanese signs, of which a dot is one.

    A pattern with all these signs takes 1.5 ms to compile.
    """
    run, text, begin, end = found[0], found.string, *found.span()
    first = 0 if _is_japanese(text[begin - 1 : begin]) else run.find("・") + 1 or len(run)
    last = len(run) if _is_japanese(text[end : end + 1]) else max(run.rfind("・"), 0)
    return run[:first] + run[last:] if first < last else run


def _is_japanese(sign: str) -> bool:
    return "\u3040" <= sign <= "\u30ff" or "\u4e00" <= sign <= "\u9fff"


def normalize_text(text: str) -> str:
    """Normalise `text` for storage: NFKC, straight quotes, single blanks."""
    plain = unicodedata.normalize("NFKC", text).replace("“", '"').replace("”", '"').replace("„", '"')
    return " ".join(plain.split())


class OrderWord(str):
    """A word of an order: the string is its meaning, `raw` how it was written, with quotes."""

    __slots__ = ("raw",)
    raw: str

    def __new__(cls, text: str, raw: str) -> OrderWord:
        word = super().__new__(cls, text)
        word.raw = raw
        return word


def raw_of(word: str) -> str:
    """Return how `word` was written; a bare string is quoted if necessary."""
    if isinstance(word, OrderWord):
        return word.raw
    return word if is_plain(word) else quote(word)


def is_plain(text: str) -> bool:
    """Check whether `text` can be one word without quotes."""
    return _PLAIN.fullmatch(text) is not None


def is_quoted(word: str) -> bool:
    """Check whether a word of an order was quoted as a whole."""
    return isinstance(word, OrderWord) and _WHOLE.fullmatch(word.raw) is not None


def quote(text: str) -> str:
    """Return `text` as one quoted word."""
    return '"' + text.replace('"', '""') + '"'


def is_single_quoted_word(text: str) -> bool:
    """Check whether order text is one quoted word and nothing else."""
    return _WHOLE.fullmatch(text) is not None


def tokens(text: str) -> list[str]:
    """Split an answer into words. `a = b` and `a , b` count as one word; double quotes hold a name with blanks."""
    return [OrderWord("".join(map(_plain, _PIECE.findall(raw))), raw) for raw in _TOKEN.findall(normalize_text(text))]


def _plain(piece: str) -> str:
    if piece[0] == '"':
        return piece[1:-1].replace('""', '"')
    return piece.strip(" ")


def parts(text: str, mark: str = ";") -> list[str]:
    """Split `text` at every `mark` outside quotes."""
    out, last = [], 0
    for found in re.finditer(rf"{_QUOTED}|{mark}", text):
        if found.group() == mark:
            out.append(text[last : found.start()].strip())
            last = found.end()
    return [*out, text[last:].strip()]


def option_word(option: object, options: Iterable[object]) -> str:
    """Return `option` as written: quoted if it could be read as something else, also with the next word."""
    word = str(option)
    if not is_plain(word) or word.casefold() in _RESERVED:
        return quote(word)
    start = normalize_word(word) + "_"
    longer = (str(other) for other in options)
    return quote(word) if any(len(o) > len(word) and normalize_word(o).startswith(start) for o in longer) else word


def listed_words(options: Iterable[object]) -> str | None:
    """Return options as one word with commas; None if the parser would read one of them in another way."""
    words = [str(option) for option in options]
    return ",".join(words) if all(is_plain(w) and w.casefold() not in _RESERVED for w in words) else None


ANSWER_WORDS = {
    "pass": ("パス",), "done": ("終了", "完了"), "propose": ("提案",), "accept": ("受諾", "承諾", "承認"),
    "withdraw": ("撤回",), "yes": ("はい",), "no": ("いいえ",),
}  # fmt: skip
"""Words of answers that every game has, with their Japanese forms."""

Said = tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]
"""The words that texts use for ids, and the ids by each of these words in its normalised forms."""


def said_in(texts: Sequence[Mapping[str, str]]) -> Said:
    """Return the words that messages have for ids and fields, also in the kinds of a field (`parley.fight`)."""
    said: dict[str, dict[str, None]] = {}
    keys = dict.fromkeys(chain(*texts))  # the same ones in each language
    parts = {key.partition(".")[2] for key in keys if key.startswith(_FIELDS)}
    parts |= {"word", "name", "field", "field_name"}
    split = [(key, word) for key in keys for prefix, _, word in (key.partition("."),) if prefix in parts]
    for table in texts:
        for key, word in split:
            if (text := table.get(key)) is not None and _SENTENCE.isdisjoint(text):
                said.setdefault(word, {})[text] = None
    return _by_word(said)


def _by_word(said: Mapping[str, Iterable[str]]) -> Said:
    ids: dict[str, list[str]] = {}
    for key, words in said.items():
        for form in (form for word in words for form in _forms_of(word)):
            ids.setdefault(normalize_word(form), []).append(key)
    return {key: tuple(words) for key, words in said.items()}, ids


class Names:
    """Ids and the other words for them: display names in each language, abbreviations, aliases.

    `names` maps id → language → display name; `aliases` maps id → further words. An alias of two ids is ambiguous and
    helps only if just one of the two is legal. `faces` maps the id of a physical piece → what is printed on it: equal
    pieces are interchangeable, so a face means the first legal one. `said` maps id → the words that our texts use for
    it; they count if nothing else has that name.
    """

    def __init__(
        self,
        names: Mapping[str, Mapping[str, str]] | None = None,
        aliases: Mapping[str, Iterable[str]] | None = None,
        faces: Mapping[str, str] | None = None,
        said: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        self.names = dict(names or {})
        self.aliases = {key: tuple(words) for key, words in (aliases or {}).items()}
        self.printed = dict(faces or {})
        self.faces = {key: normalize_word(face) for key, face in self.printed.items()}
        self._ids: dict[str, list[str]] = {}
        self._folded: dict[str, list[str]] | None = None
        self.silenced = False
        for key, by_language in self.names.items():
            for word in by_language.values():
                self._ids.setdefault(normalize_word(word), []).append(key)
        for table in (self.aliases, ANSWER_WORDS):
            for key, words in table.items():
                for word in words:
                    self._ids.setdefault(normalize_word(word), []).append(key)
        self.said, self._said = _by_word(said or {})

    def with_said(self, said: Said) -> Names:
        """Return the names with the words that our texts use, so that what we print can be written."""
        other = copy(self)
        other.said, other._said = said
        return other

    def _called(self, folded: str, options: Sequence[object]) -> list[object]:
        """Return the options with this name or alias, else those for which our texts use it."""
        forms = (folded, *plain_forms(folded))
        for table in (self._ids, self._said):
            ids = next((table[form] for form in forms if form in table), [])
            hits = [option for option in options if str(option) in ids] if ids else []
            if hits:
                return hits
        pieces = folded.split("/")
        return [o for o in options if self._is_path(pieces, str(o).split("/"))] if len(pieces) > 1 else []

    def _is_path(self, pieces: Sequence[str], ids: Sequence[str]) -> bool:
        """Check whether words between slashes name these ids: ティレニア海/ガレオン is tyrrhenian_sea/galleon."""
        return len(pieces) == len(ids) and all(
            piece == normalize_word(id_) or bool(self._called(piece, [id_]))
            for piece, id_ in zip(pieces, ids, strict=True)
        )

    def silent(self) -> Names:
        """Return the same names without suggestions, for checks only: finding near words is expensive."""
        other = copy(self)
        other.silenced = True
        return other

    def of(self, key: str, language: str = "en") -> str:
        """Return the display name of an id; the id itself if it has none."""
        by_language = self.names.get(key)
        if not by_language:
            return key
        return by_language.get(language) or by_language.get("en") or key

    def _by_id(self) -> dict[str, list[str]]:
        """Map ids by their normalised form; built at first use."""
        if self._folded is None:
            self._folded = {}
            for key in self.names:
                self._folded.setdefault(normalize_word(key), []).append(key)
        return self._folded

    def known(self, word: str) -> bool:
        """Check whether the word names anything in this game."""
        folded = normalize_word(word)
        return folded in self._ids or folded in self.faces.values() or folded in self._by_id()

    def meant(self, word: str) -> str | None:
        """Return the one id that `word` names in this game; None if there is none or more than one."""
        folded = normalize_word(word)
        literal = self._by_id().get(folded, [])
        ids = literal or list(dict.fromkeys(self._ids.get(folded) or self._said.get(folded, [])))
        return ids[0] if len(ids) == 1 else None

    def pick(self, word: str, options: Sequence[object]) -> object:
        """Return the one option meant by `word`: the exact id, a name or alias of it, or a unique beginning.

        Raises `Rejection` (`answer.ambiguous`, `answer.not_now`, `answer.unknown`) with near words; a near miss is
        never accepted.
        """
        found = self.exact(word, options)
        if found is not None:
            return found
        folded = normalize_word(word)
        hits = self._called(folded, options) or self._beginning(folded, options)
        # The first of equal pieces, in the order of the options.
        meant = list({self.faces.get(str(o), str(o)): o for o in reversed(hits)}.values())[::-1]
        if len(meant) == 1:
            return meant[0]
        if meant:
            raise rejection("answer.ambiguous", word=word, near=[str(o) for o in meant[:8]])
        if self.silenced:
            raise rejection("answer.unknown", word=word)
        key = "answer.not_now" if self.known(word) else "answer.unknown"
        raise rejection(key, word=word, near=closest_words(folded, [str(o) for o in options]))

    def exact(self, word: str, options: Sequence[object]) -> object | None:
        """Return the option whose id, name or alias is exactly `word`; None if there is none or more than one."""
        for option in options:
            if str(option) == word:
                return option
        folded = normalize_word(word)
        for option in options:
            if normalize_word(str(option)) == folded:
                return option
        for option in options if self.faces else ():
            if self.faces.get(str(option)) == folded:
                return option
        hits = self._called(folded, options)
        return hits[0] if len(hits) == 1 else None

    def _beginning(self, folded: str, options: Sequence[object]) -> list[object]:
        hits = []
        for option in options:
            if isinstance(option, int):  # "1" is not short for 10
                continue
            text = str(option)
            words = [normalize_word(text), *(normalize_word(w) for w in self.names.get(text, {}).values())]
            if folded and any(w.startswith(folded) for w in words):
                hits.append(option)
        return hits


def _forms_of(word: str) -> tuple[str, ...]:
    """Return a word, and the noun in a Japanese verb: 譲渡する, 譲渡."""
    noun = word.removesuffix("する")
    return (word,) if noun in ("", word) or noun.endswith(("に", "と", "を")) else (word, noun)


def plain_forms(word: str) -> tuple[str, ...]:
    """Return other forms of a Japanese verb: 譲渡します is 譲渡する or 譲渡, 取りません is 取らない."""
    if word.isascii():
        return ()
    for ending in ("します", "する"):
        noun = word.removesuffix(ending)
        if noun not in ("", word):
            return (f"{noun}する", noun, f"{noun}す")
    if "ま" not in word or (found := _POLITE.fullmatch(word)) is None:
        return ()
    if word.endswith("せん"):
        return tuple(f"{stem}ない" for stem in (found[1] + (found[2] or ""), found[1] + _NEGATED.get(found[2], "")))
    return (found[1] + (_ENDINGS[found[2]] if found[2] else "る"),)


class ExactNames(Names):
    """Names that accept no beginnings: for words that aren't marked as an answer."""

    def __init__(self, names: Names) -> None:
        vars(self).update(vars(names))

    def _beginning(self, folded: str, options: Sequence[object]) -> list[object]:
        return []


NO_NAMES = Names()


class WordCursor:
    """A cursor over the words of one answer; each domain takes its words from it."""

    def __init__(self, words: Sequence[str], names: Names = NO_NAMES) -> None:
        self.words = list(words)
        self.names = names
        self.at = 0

    def __bool__(self) -> bool:
        return self.at < len(self.words)

    def peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self, what: str) -> str:
        """Take the next word; raises `Rejection` (`answer.missing`) if there is none."""
        if self.at >= len(self.words):
            raise rejection("answer.missing", what=what)
        self.at += 1
        return self.words[self.at - 1]

    def rest(self) -> str:
        """Take all that is left, as it was written."""
        left = " ".join(map(raw_of, self.words[self.at :]))
        self.at = len(self.words)
        return left

    def nothing(self) -> bool:
        """Take the word for an empty list, if that comes next."""
        found = raw_of(self.peek()).casefold() in NONE_WORDS
        self.at += found
        return found

    def apart(self) -> None:
        """Skip a comma, and cut the next name, which may be several words long, at its first one."""
        self._skip_commas()
        self._cut()
        if raw_of(self.peek()) == ",":  # already cut off the front of the name
            self._skip_commas()
            self._cut()

    def _skip_commas(self) -> None:
        while raw_of(self.peek()) == ",":
            self.at += 1

    def _cut(self) -> None:
        for at in range(self.at, min(self.at + _LONGEST_NAME, len(self.words))):
            word = self.words[at]
            if raw_of(word) == ",":
                return
            if "," in word and not is_quoted(word):
                pieces = [token for part in parts(raw_of(word), ",") for token in (*tokens(part), OrderWord(",", ","))]
                self.words[at : at + 1] = pieces[:-1]
                return

    def option(self, options: Sequence[object], what: str) -> object:
        """Take the option meant by the next words; a name may be several words long unless quoted."""
        if not self:
            raise rejection("answer.missing", what=what, near=[str(o) for o in options[:8]])
        run = self._run()
        for length in range(len(run), 1, -1):
            found = self.names.exact(" ".join(run[:length]), options)
            if found is not None:
                self.at += length
                return found
        found = self.names.pick(self.peek(), options)
        self.at += 1
        return found

    def equated(self, options: Sequence[object]) -> tuple[str, str, str]:
        """Take `name=word` and split it at its last `=`; three times "" if that doesn't come next."""
        before: list[str] = []
        for word in self.words[self.at : self.at + _LONGEST_NAME]:
            head, equals, rest = word.rpartition("=")
            if is_quoted(word) or (not equals and word == ","):
                break
            before.append(head if equals else word)
            if equals:
                name = " ".join(before)
                if len(before) > 1 and self.names.exact(name, options) is None:
                    break
                self.at += len(before)
                return name, equals, rest
        return "", "", ""

    def _run(self) -> list[str]:
        run: list[str] = []
        for word in self.words[self.at : self.at + _LONGEST_NAME]:
            if is_quoted(word) or word == ",":
                break
            run.append(word)
        return run

    def end(self) -> None:
        """Raise `Rejection` if any word is left."""
        if self:
            raise rejection("answer.surplus", word=" ".join(self.words[self.at :]))
