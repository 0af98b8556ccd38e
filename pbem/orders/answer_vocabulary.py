"""The words for the parts of an answer, and the answers of a question with the words that were said first."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice, zip_longest

from pbem.kernel.composite_domains import Series
from pbem.kernel.domain import Value
from pbem.kernel.domains import Amount, Choice, Domain, Form, Menu, Optional, Reply, Subset
from pbem.kernel.order_words import ANSWER_WORDS, Names
from pbem.lazy_regex import has_cjk, pattern
from pbem.orders.answer_words import and_pairs

IDS = pattern(r"[^\s=,;\"]+")
TWICE = "pair"
_FEW = 12
_LONG = 4


class AnswerVocabulary:
    """The words for ids: the ids themselves, their names, and the words of our texts for them."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.known: dict[str, frozenset[str]] = {}

    def of(self, id_: str) -> frozenset[str]:
        if id_ not in self.known:
            names = self.names
            said = chain(*(known.get(id_, ()) for known in (names.aliases, names.said, ANSWER_WORDS)))
            parts = [id_] if id_ in names.names else re.split("[-_/]", id_)
            said = chain(*(names.names.get(part, {}).values() for part in parts), said)
            texts = (re.sub("[-_/]", " ", id_), *said)
            initials = (
                "".join(word[0] for word in words)
                for text in texts
                if len(words := text.split()) > 2 and text.replace(" ", "").isalpha()
            )
            self.known[id_] = frozenset(and_pairs(*texts, *initials))
        return self.known[id_]

    def of_order(self, order: str) -> frozenset[str]:
        ids = IDS.findall(order)
        named = [id_ for id_ in ids if not id_.isdigit()]
        twice = {TWICE} if len({*named}) < len(named) else set[str]()
        return frozenset(and_pairs(order)).union(twice, *map(self.of, ids))

    def named(self, options: Sequence[Value], said: Collection[str]) -> list[Value]:
        """Return the options that share most words with what was said; [] if none does."""
        shared = [sum(is_in(word, self.of(str(option))) for word in said) for option in options]
        most = max(shared, default=0)
        return [option for option, count in zip(options, shared, strict=True) if most and count == most]


def is_in(word: str, known: Collection[str]) -> bool:
    """Return whether a word is known; Japanese ones may be parts of each other."""
    if word in known:
        return True
    if not has_cjk(word[:1]):
        return False
    if len(word) == 1:
        return any(other.startswith(word) for other in known)
    return any((len(other) > 1 or len(word) < _LONG) and (word in other or other in word) for other in known)


def likely_values(domain: Domain, said: Collection[str], words: AnswerVocabulary) -> Iterator[Value]:
    """Yield the answers of a domain, those with the words of `said` first; optional fields only if they are said."""
    match domain:
        case Reply():
            yield from likely_values(domain.inner, said, words)
        case Menu():
            heads = words.named(domain.words, said) or domain.words
            of_each = (_with_word(domain, word, said, words) for word in heads)
            yield from (value for row in zip_longest(*of_each) for value in row if value is not None)
        case Form():
            yield from _filled(domain, list(domain.fields), {}, said, words)
        case Optional():
            yield from likely_values(domain.domain, said, words)
        case Choice():
            yield from words.named(domain.listed, said)
            yield from domain.options()
        case Subset():
            named = [option for option in domain.listed if words.named([option], said)]
            yield from filter(domain.accepts, [named] if named else [])
            yield from domain.options()
        case Series() if isinstance(domain.each, Choice):
            named = [option for option in domain.each.listed if words.named([option], said)]
            yield from (value for value in (*([option] for option in named), named) if value and domain.accepts(value))
            yield from domain.options()
        case Amount():
            yield from (int(word) for word in said if word.isdigit() and domain.accepts(int(word)))
            yield from domain.options()
        case _:
            yield from domain.options()


def _with_word(menu: Menu, word: str, said: Collection[str], words: AnswerVocabulary) -> Iterator[Value]:
    domain = menu.entry(word)
    for inner in likely_values(domain, said, words) if domain is not None else (None,):
        yield menu.outer(word, domain, inner)


def _filled(
    form: Form, left: list[str], before: dict[str, Value], said: Collection[str], words: AnswerVocabulary
) -> Iterator[Value]:
    """Yield the answers of a form whose first fields are filled with `before`."""
    if not left:
        yield before
        return
    name, *rest = left
    domain = form.field(name, before)
    bare = domain.domain if isinstance(domain, Optional) else None
    called = bare is None or bool(words.of(name) & {*said})
    if domain is not None and (called or (bare is not None and _is_named(bare, said, words))):
        for value in islice(likely_values(domain, said, words), _FEW):
            yield from _filled(form, rest, {**before, name: value}, said, words)
    if domain is None or not called:
        yield from _filled(form, rest, before, said, words)


def _is_named(domain: Domain, said: Collection[str], words: AnswerVocabulary) -> bool:
    """Return whether a part of an answer is named, or its number."""
    if isinstance(domain, Amount):
        return any(word.isdigit() and domain.accepts(int(word)) for word in said)
    return isinstance(domain, Choice | Subset) and bool(words.named(domain.listed, said))
