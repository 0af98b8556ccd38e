"""Words of an order line: tokens, and the names under which a player may call a thing.

Order tokens are compared folded: NFKC (full-width letters, circled numbers, half-width kana become plain), lower case,
with blanks, hyphens and underscores alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from pbem.kernel.problems import Problem, Refused, nearest, refuse

_TOKEN = re.compile(r'"[^"]*"|[^\s"]+(?:"[^"]*")?')
_TIGHT = re.compile(r"\s*([=,])\s*")
_GLUE = re.compile(r"[\s\-]+")
_LONGEST_NAME = 5


def fold(word: str) -> str:
    """`word` as it is compared: NFKC, lower case, blanks and hyphens as underscores."""
    return _GLUE.sub("_", unicodedata.normalize("NFKC", word).strip().strip('"').casefold())


def tokens(text: str) -> list[str]:
    """The words of an answer. `a = b` and `a , b` count as one word; double quotes hold a name with blanks."""
    tidy = _TIGHT.sub(r"\1", unicodedata.normalize("NFKC", text).replace("“", '"').replace("”", '"'))
    return [token.replace('"', "") for token in _TOKEN.findall(tidy)]


class Names:
    """Ids and the other words for them: display names in each language, abbreviations, aliases.

    `names` maps id → language → display name; `aliases` maps id → further words. An alias used by two ids is
    ambiguous and helps only where just one of the two is legal. `faces` maps the id of a physical piece → what is
    printed on it: equal pieces are interchangeable, so a face means the first of them that is legal.
    """

    def __init__(
        self,
        names: Mapping[str, Mapping[str, str]] | None = None,
        aliases: Mapping[str, Iterable[str]] | None = None,
        faces: Mapping[str, str] | None = None,
    ) -> None:
        self.names = dict(names or {})
        self.aliases = {key: tuple(words) for key, words in (aliases or {}).items()}
        self.printed = dict(faces or {})
        self.faces = {key: fold(face) for key, face in self.printed.items()}
        self._ids: dict[str, list[str]] = {}
        for key, by_language in self.names.items():
            for word in by_language.values():
                self._ids.setdefault(fold(word), []).append(key)
        for key, words in self.aliases.items():
            for word in words:
                self._ids.setdefault(fold(word), []).append(key)

    def of(self, key: str, language: str = "en") -> str:
        """The display name of an id; the id itself if it has none."""
        by_language = self.names.get(key)
        if not by_language:
            return key
        return by_language.get(language) or by_language.get("en") or key

    def known(self, word: str) -> bool:
        """Whether the word names anything at all in this game."""
        folded = fold(word)
        return (
            folded in self._ids
            or folded in self.faces.values()
            or any(fold(key) == folded for key in self.names)
        )

    def pick(self, word: str, options: Sequence[object]) -> object:
        """The one option meant by `word`: the exact id, a name or alias of it, or a unique beginning.

        Raises `Refused` (`answer.ambiguous`, `answer.not_now`, `answer.unknown`), offering near words; a near miss is
        never taken.
        """
        found = self.exact(word, options)
        if found is not None:
            return found
        folded = fold(word)
        meant = list(
            {self.faces.get(str(o), str(o)): o for o in reversed(self._beginning(folded, options))}.values()
        )
        if len(meant) == 1:
            return meant[0]
        if meant:
            raise refuse("answer.ambiguous", word=word, near=[str(o) for o in meant[:8]])
        key = "answer.not_now" if self.known(word) else "answer.unknown"
        raise Refused(Problem(key, {"word": word}, "", nearest(folded, [str(o) for o in options])))

    def exact(self, word: str, options: Sequence[object]) -> object | None:
        """The option whose id, name or alias is exactly `word`; None if there is none or more than one."""
        folded = fold(word)
        for option in options:
            if fold(str(option)) == folded:
                return option
        for option in options if self.faces else ():
            if self.faces.get(str(option)) == folded:
                return option
        ids = self._ids.get(folded)
        if not ids:
            return None
        hits = [option for option in options if str(option) in ids]
        return hits[0] if len(hits) == 1 else None

    def _beginning(self, folded: str, options: Sequence[object]) -> list[object]:
        hits = []
        for option in options:
            text = str(option)
            words = [fold(text), *(fold(w) for w in self.names.get(text, {}).values())]
            if folded and any(w.startswith(folded) for w in words):
                hits.append(option)
        return hits


NO_NAMES = Names()


class Reader:
    """A cursor over the words of one answer; domains take from it what is theirs."""

    def __init__(self, words: Sequence[str], names: Names = NO_NAMES) -> None:
        self.words = list(words)
        self.names = names
        self.at = 0

    def __bool__(self) -> bool:
        return self.at < len(self.words)

    def peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self, what: str) -> str:
        """The next word; `answer.missing` if there is none."""
        if self.at >= len(self.words):
            raise refuse("answer.missing", what=what)
        self.at += 1
        return self.words[self.at - 1]

    def option(self, options: Sequence[object], what: str) -> object:
        """The option meant by the next words; a name may be several words long."""
        if not self:
            raise refuse("answer.missing", what=what, near=[str(o) for o in options[:8]])
        for length in range(min(_LONGEST_NAME, len(self.words) - self.at), 1, -1):
            found = self.names.exact(" ".join(self.words[self.at : self.at + length]), options)
            if found is not None:
                self.at += length
                return found
        found = self.names.pick(self.peek(), options)
        self.at += 1
        return found

    def end(self) -> None:
        """Nothing may be left over."""
        if self:
            raise refuse("answer.surplus", word=" ".join(self.words[self.at :]))
