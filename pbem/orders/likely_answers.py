"""Answers close to what somebody wrote: the one that a sentence points to, to be asked back, and examples.

A sentence is compared by its words with each answer: those of its order, the names of its ids in every language, and
what our email says about it. Endings of verbs and plurals don't count; neither do particles of Japanese. A number, or a
"not", has to belong to the answer. Words that mean the same are in `answer_words.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain, compress, islice, pairwise

from pbem.kernel.domains import Domain
from pbem.kernel.negotiation import ACCEPT
from pbem.kernel.order_words import Names
from pbem.lazy_regex import has_cjk, pattern
from pbem.orders.answer_vocabulary import IDS, TWICE, AnswerVocabulary, is_in, likely_values
from pbem.orders.answer_words import NOT, RUN, and_pairs, lexicon, pieces_of, runs, word_sequence, words_said

_MYSELF, _OPPONENT, _ALL, _STAY, _KEEP, _FIGHT = "myself", "opponent", "everyth", "stay", "keep", "fight"
_YES_OR_NO = pattern(
    r"(yes|yeah|yep|no|nope|nein|non|ja|oui|はい|いいえ)(?: thanks| thank you)?\s*[,.、。!:;–-]+\s*(?=\S)",
    re.IGNORECASE,
)
_EITHER = pattern(
    r"\b(?:or|oder|ou|either|all but|not yet|who(?:so)?ever|whichever|(?:any|every)(?:one|body|thing|where) but)\b"
    r"|または|もしくは|か、",
    re.IGNORECASE,
)
_CLAUSE = pattern(
    r"[、。,.!:;：（）()]+\s*|\s[–—-]+\s|\b(?:because|since|weil|denn|porque|parce que)\b"
    r"|ので|から(?=[^\s、。])|(?<=せず)に?|(?<=ずに)"
)
_REASON = pattern(r"\b(?:because|since|weil|denn|porque|parce que|perche|omdat)\b.*", re.DOTALL)
_AGAINST = pattern(r"\W*against\b")
"""Whom a vote denies, but whom most other acts are meant for."""
_ALONE = pattern(r"\b(?:alone|only|just|allein|nur|seule?|seulement|sol[oa])\b|だけ|のみ|単独")
_THEN = pattern(r"\b(?:then|danach|puis|luego|poi)\b|その後|次に")
_DISCARDS = pattern("discard|捨て")
_MORE = pattern(r"(?<=\w )nothing more")
_INITIAL = pattern(r"(?<![^\W\d_])([^\W\d_])(\d+|(?<=\d .)$)")
_SENTENCE = pattern(r"[^。!！]+[。!！]*")
_ABOUT = pattern(r"(?:さん|様|側|家|軍|公|伯|卿)?(?:のほう)?[がはも](?!い)")
_WANTED = pattern("[良好欲望]")
_NUMBER, _COUNTED = pattern(r"\d+"), pattern(r"([\w-]+)=\d")
_MOST_WORDS = 16
_MOST_TRIED = 300
_INSTEAD = {TWICE: "2", _STAY: "stop", "don": "stop", "liv": "interven", "attack": _FIGHT, "攻撃": _FIGHT}
_INSTEAD |= {"撤退": "退却", "退却": "撤退"}  # where no answer has them
_NOTHING = ("none", "pass", "no", "done", "stop", "end")
_LONG = 4


def _counted(order: str) -> list[str]:
    """Return the words of an order that stand before its numbers."""
    return words_said(" ".join(_COUNTED.findall(order)))


class LikelyAnswers:
    """The answers to an open question, by their words.

    `told` is what our email says about each that it lists, in its order: its face, then the rest. `asked` is the
    question, `around` are words near it, and `writer` the names of the seat: they mean nothing in an answer. Those of
    `others` do.
    `legal` returns the canonical text of a legal answer, "" for anything else; `takes_back` tells whether a text takes
    back, limits or asks, `limits` whether it surely does: a "not" may belong to a reason.
    """

    def __init__(
        self,
        domain: Domain,
        names: Names,
        told: Mapping[str, tuple[str, str]],
        asked: str,
        around: str,
        writer: str,
        others: str,
        legal: Callable[[str], str],
        takes_back: Callable[[str], bool],
        limits: Callable[[str], bool],
    ) -> None:
        self.domain, self.told, self.legal = domain, told, legal
        self.takes_back, self.limits = takes_back, limits
        self.words = AnswerVocabulary(names)
        self.faced = self._faced(told)
        self.listed = {order: self.faced[order] | ({*and_pairs(rest)} - {NOT}) for order, (_, rest) in told.items()}
        self.faces: dict[str, list[frozenset[str]]] = {}
        """The words for each answer of our email with an id, by the id."""
        for order, (face, _) in told.items():
            words = frozenset(words_said(face))
            for id_ in {*IDS.findall(order)}:
                self.faces.setdefault(id_, []).append(words)
        self.own = own = frozenset(words_said(writer))
        self._name_seats(names, {*words_said(others)} - own)
        self.named = frozenset[str]().union(*self.faced.values())
        self.denials: dict[frozenset[str], set[str]] = {}
        """The answers by each clause that says what they don't do."""
        self.done = {order: self._done(order) for order in told}
        """The words that our email says about each answer, without those of what it doesn't do."""
        self.asked = frozenset(words_said(asked)) - {NOT}
        common = {run for run in runs(asked) if run.islower() and self.named.isdisjoint(words_said(run))}
        acts = (run for run in runs(asked) if run in common or not (names.known(run) or run.isdigit()))
        self.acts = {word for run in acts for word in words_said(run)} - {NOT}
        """What the question names that isn't a name."""
        self.facts = {word for word in words_said(around) if word != NOT and not word.isdigit()} - self.asked
        self.around = own | self.asked | self.facts
        self.others = {*words_said(others)} - own - self.asked
        self.idle = own | self.asked - self.named

    def _faced(self, told: Mapping[str, tuple[str, str]]) -> dict[str, frozenset[str]]:
        """Return the words of each answer and its face, and "both" or "everything" for one that takes all there is."""
        faced = {order: self.words.of_order(order).union(and_pairs(face)) for order, (face, _) in told.items()}
        ids = {order: {*IDS.findall(order)} - {*_NOTHING} for order in told}
        for order, whole in ids.items():
            parts = [part for part in ids.values() if part and part < whole]
            faced[order] |= {TWICE} if len(parts) == 2 and parts[0] | parts[1] == whole else set()
            faced[order] |= {_ALL} if len(parts) > 1 and whole >= set().union(*ids.values()) else set()
        return faced

    def _name_seats(self, names: Names, others: set[str]) -> None:
        """Let "myself" and, if there is only one, "my opponent" stand for the seats that answers name."""
        mine, rivals = ([order for order, words in self.faced.items() if words & of_it] for of_it in (self.own, others))
        called = dict.fromkeys(mine, _MYSELF) | dict.fromkeys(rivals if len(rivals) == 1 else (), _OPPONENT)
        for order in filter(names.names.__contains__, called):
            self.faced[order] |= {called[order]}
            self.listed[order] |= {called[order]}

    def _done(self, order: str) -> frozenset[str]:
        """Return the words about an answer without those of what it doesn't do, and note these in `denials`."""
        clauses = [
            frozenset(and_pairs(clause))
            for clause in _CLAUSE.split(_MORE.sub("nothing", "、".join(self.told[order])))
            if clause
        ]
        for clause in clauses:
            if NOT in clause:
                self.denials.setdefault(frozenset(word for word in clause if " " not in word), set()).add(order)
        named = self.words.of_order(order)
        named -= {word for pair in named if pair.startswith(f"{NOT} ") for word in pair.split()[1:]}
        said = named.union(*(clause for clause in clauses if NOT not in clause))
        return self.listed[order] - (frozenset[str]().union(*clauses) - said)

    def meant_by(self, text: str) -> str:
        """Return the only answer that a sentence points to, with or without its reasons; "" if it doubts or limits."""
        text = text.casefold()
        keeps = _KEEP in self.asked and lexicon().words["losing"].isdisjoint(self.asked)
        drops = keeps and _DISCARDS.search(text) and {_KEEP, NOT}.isdisjoint(words_said(text))
        if drops or (_AGAINST.match(text) and "vot" not in self.asked):
            return ""
        if listed := self._item_by_item(text):
            return listed
        why = _REASON.search(text)
        if why is not None and not self.limits(text) and (found := self.meant_by(text[: why.start()])):
            return found
        for softened, words in lexicon().plain.items():
            text = softened.sub(words, text)
        told = "".join(part for part in _SENTENCE.findall(text) if not self._comments(part))
        ways = dict.fromkeys(
            (text, told or text, *(reason.sub("", told).strip() for reason in lexicon().reasons if told))
        )
        found_all = {*map(self._sentence_answer, ways)} - {""} if all(ways) else set()
        return found_all.pop() if len(found_all) == 1 else ""

    def _item_by_item(self, text: str) -> str:
        """Return the answer of several items, if each piece of a list names one by all of its words.

        Of "this, then that", where one is asked for, it is the first.
        """
        found = list(map(self._items, pieces_of(text)))
        items = [*chain(*found)] if all(found) else []
        if len(items) < 2 or _EITHER.search(text) or self.takes_back(text):
            return ""
        return self.legal(" ".join(items)) or (self.legal(items[0]) if _THEN.search(text) else "")

    def _items(self, piece: str) -> list[str]:
        """Return the item that a piece of a list names, as often as it says."""
        said = [word for word in word_sequence(piece) if word not in self.idle or any(map(str.isdigit, word))]
        said = [word for word in said if len(word) > 1 or not has_cjk(word) or self._in_lists(word)]  # stems of verbs
        numbers = {TWICE: 2} | {word: int(word) for word in said if word.isdigit()}
        said = [word for word in said if word != "x"]
        ways = [(numbers.get(said[0], 0), said[1:]), (numbers.get(said[-1], 0), said[:-1])] if said else []
        for count, words in (*ways, (1, said)) if sum(map(str.isdigit, said)) > 1 else ((1, said), *ways):  # "two 2 CP"
            items = [item for item in self.faced if " " not in item and {*words} <= self.faced[item]]
            if words and len(items) == 1 and 0 < count <= _MOST_WORDS:
                return items * count
        return []

    def _comments(self, sentence: str) -> bool:
        """Return whether a Japanese sentence tells about what it names (赤は強い) instead of using it."""
        known, strange = list[bool](), False
        for run in RUN.finditer(sentence) if has_cjk(sentence) else ():
            if any(map(self._in_lists, words_said(run[0]))) or self.words.names.known(run[0]):
                known.append((_ABOUT.match(sentence, run.end()) or RUN.match(sentence, run.end())) is not None)
            else:
                strange = strange or bool({*words_said(run[0])} - self.asked)
        return strange and bool(known) and all(known) and not (self.takes_back(sentence) or _WANTED.search(sentence))

    def _sentence_answer(self, text: str) -> str:
        """Return the only answer that a sentence without what softens it points to."""
        text = _INITIAL.sub(self._written_out, text)
        parts = [part for part in _CLAUSE.split(text) if part and part.strip()]
        exact = {part: self.legal(part.strip()) for part in parts}
        denies, found = lexicon().denied.search, self._clause_answer(text)
        if found and denies(text) is None:
            return found
        clauses = {part: exact[part] or self._clause_answer(part) for part in parts}
        done = {answer for part, answer in clauses.items() if exact[part] or denies(part) is None} - {""}
        if found and done <= {found}:
            return found
        found_all = done or {*clauses.values()} - {""}
        found = found_all.pop() if len(found_all) == 1 < len(clauses) else ""
        left = [part for part, answer in clauses.items() if answer != found]
        doubts = self._names_another if found in exact.values() else self._tells
        if found and not any(
            self.limits(part) or (doubts(part, found) and not self._rejects(part, found)) for part in left
        ):
            return found
        return "" if found_all else self._closest(text)

    def _respelt(self, word: str) -> str:
        """Return the only word of the answers that another word begins or is misspelt from, else that word."""
        from difflib import get_close_matches

        if len(word) < _LONG or word in self.named or word in self.around:
            return word
        known = [other for other in sorted(self.named) if other.isalpha()]
        begun = [other for other in known if other.startswith(word)]
        close = begun or get_close_matches(word, known, n=2, cutoff=0.8)
        return close[0] if len(close) == 1 else word

    def _rejects(self, text: str, found: str) -> bool:
        """Return whether a clause only says what isn't done, and names nothing of an answer."""
        said = words_said(text)
        alone = self.faced.get(found, frozenset()).isdisjoint(said)
        return NOT in said and alone and not has_cjk(text)

    def _closest(self, text: str) -> str:
        """Return the only answer with all the words of a text that some answers have, one of its order."""
        said = list(map(self._respelt, self._spoken_tokens(text)))
        if has_cjk(text) or NOT in said or _EITHER.search(text) or self.limits(text):
            return ""
        have = {word: [order for order, words in self.faced.items() if word in words] for word in said}
        telling = [word for word in said if 0 < len(have[word]) < len(self.faced)]
        left = [order for order in self.faced if all(order in have[word] for word in telling)]
        if (
            len(left) != 1
            or {*telling}.isdisjoint(self.words.of_order(left[0]) | {_MYSELF, _OPPONENT})
            or len(said) > _MOST_WORDS
        ):
            return ""
        return "" if self._tells(text, left[0]) else left[0]

    def _written_out(self, initial: re.Match[str]) -> str:
        """Return an initial before a number, as M4, or at the end, in words, if answers have only one word."""
        parted = [words.partition(" ") for words in self.named if words.startswith(initial[1])]
        begun = {"".join(words) for words in parted if words[2] and words[2] == initial[2]}
        begun = begun if initial[2] else {word for word, _, number in parted if number.isdigit()}
        least = min(begun, key=len, default=initial[0])
        return least if all(pair.startswith(least.split()[0]) for pair in begun) else initial[0]

    def _tells(self, text: str, found: str) -> bool:
        """Return whether a text has a number, or a name or a word of an answer that is no word of this one's.

        What isn't done tells nothing if it names something else.
        """
        own = self.asked | self.own | self.listed.get(found, frozenset())
        if lexicon().denied.search(text):
            other = {*words_said(text)} - self.idle - {NOT}
            known = {*filter(self._in_lists, other)}
            return not other or bool(known and known <= (self.faced.get(found) or self.words.of_order(found)))
        named = filter(self.words.names.known, runs(text))
        names = any(not {*words_said(name)} <= own for name in named)
        said = [word for word in words_said(text) if word not in own and word != NOT]
        return names or any(word.isdigit() or self._in_lists(word) for word in said)

    def _names_another(self, text: str, found: str) -> bool:
        """Return whether a text has a word of another answer, or a number where answers have some."""
        if lexicon().denied.search(text):
            return self._tells(text, found)
        others = [of_it for order, of_it in self.faced.items() if order != found]
        numbers = any(sign.isdigit() for order in self.told for sign in order)
        own = {NOT, *(word for word in self.faced.get(found, ()) if not word.isdigit())}
        words = [word for word in words_said(text) if word not in own and (numbers or not word.isdigit())]
        return any(word.isdigit() or any(is_in(word, of_it) for of_it in others) for word in words)

    def _spoken_tokens(self, text: str) -> list[str]:
        """Return the words of a text; one like "skip" that no answer of our email has is a "not"."""
        said = words_said(text)
        for word, other in _INSTEAD.items():
            if (
                word in said
                and not self._in_lists(word)
                and (other in self.named if other.isdigit() or other == _FIGHT else self._in_lists(other))
            ):
                said[said.index(word)] = other
        declining = {word for word in said if word in lexicon().words["declines"] and not self._in_lists(word)}
        losing = not has_cjk(text) and lexicon().words["losing"] & self.asked
        declining -= {_KEEP} if any(map(self._in_lists, said)) and not losing else set()
        if _STAY in said and self._in_lists(_STAY):  # "stay out", where one can "stay"
            return [word for word in said if word not in declining]
        return list(dict.fromkeys(NOT if word in declining else word for word in said))

    def _in_question(self, words: Iterable[str]) -> bool:
        return all(is_in(word, self.asked) for word in words)

    def _in_lists(self, word: str) -> bool:
        """Return whether our email has a word about an answer."""
        return any(is_in(word, of_it) for of_it in self.listed.values())

    def _clause_answer(self, text: str) -> str:
        if (first := _YES_OR_NO.match(text)) is not None:
            found, said = self._clause_answer(text[first.end() :]), self._clause_answer(first[1])
            return found if said in ("", found) or not self.legal(first[1]) else ""
        said_all = self._spoken_tokens(text)
        if not 0 < len(said_all) <= _MOST_WORDS:
            heads = [order for order in self.listed if not said_all and order.split()[0] in runs(text)]
            return heads[0] if len(heads) == 1 else ""
        rest = {*said_all} - self.asked or {*said_all}
        named = self._best(text, self.faced) if rest <= self.named else ""
        denials = self.denials.get(frozenset(said_all), set()) if len(said_all) > 1 else set()
        denied = NOT in said_all and self._in_question(word for word in said_all if word != NOT)
        named = (denied and self._by_question(said_all)) or (len(denials) == 1 and next(iter(denials))) or named
        listed = named or self._best(text, self.listed) or self._by_question(said_all) or self._by_head(text)
        listed = listed if named or NOT in said_all else self._by_name(said_all, listed)
        if said_all == [NOT] and " " in listed:
            return ""
        strange = [word for word in said_all if word not in {NOT, *self.own, *self.asked} and not self._in_lists(word)]
        rest = {*said_all} - self.idle
        whole = NOT in said_all or not listed or rest <= self.listed[listed]
        if (listed and whole and not strange) or (NOT in said_all and {*said_all} <= {NOT, *strange}):
            return listed if listed and not self._limits(text, listed, self.listed[listed]) else ""
        made: dict[str, frozenset[str]] = {}
        for value in islice(likely_values(self.domain, said_all, self.words), _MOST_TRIED):
            order = self.domain.text(value)
            made.setdefault(order, self.words.of_order(order) | self._usual(order))
        made |= self.listed
        partial = any(is_in(word, of_it) for word in strange for of_it in made.values())
        found = self._best(text, made) or ("" if partial else listed)
        found = listed if listed and not strange and (found in self.listed or not rest <= made[found]) else found
        return found if found and self.legal(found) and not self._limits(text, found, made[found]) else ""

    def _by_name(self, said: Sequence[str], found: str) -> str:
        """Return the answer that is found, unless only another one has a word that was said in its order or face."""
        telling = {word for word in said if not word.isdigit() and word not in self.asked}
        names = [order for order, words in self.faced.items() if telling & words]
        return found if not found or found in names or not names or len(names) > 1 else names[0]

    def _usual(self, order: str) -> frozenset[str]:
        """Return the words that our email says about each answer with a part of this one, if there are several."""
        found = frozenset[str]()
        for id_ in IDS.findall(order):
            said = self.faces.get(id_, [])
            found |= frozenset.intersection(*said) if len(said) > 1 else frozenset()
        return found

    def _best(self, text: str, answers: Mapping[str, frozenset[str]]) -> str:
        """Return the only one of some answers that all words belong to which belong to any, the plainest of several."""
        said, listed = self._spoken_tokens(text), answers is self.listed
        if NOT not in said:
            answers = {order: of_it & self.done.get(order, of_it) for order, of_it in answers.items()}
        exact = frozenset[str]().union(*answers.values())
        close = {word for word in said if word not in exact or len(word) == 1}

        spoken = [word for word in word_sequence(text) if word in exact] if not has_cjk(text) else []
        denied = {f"{a} {b}" for pair in pairwise(spoken) if pair[0] == NOT for a, b in (pair, reversed(pair))}

        def fits(word: str, of_it: frozenset[str]) -> bool:
            if word == NOT and denied and denied.isdisjoint(of_it):
                return False  # a "not" before another word than the answer's
            return word in of_it or (word in close and is_in(word, of_it))

        known = [word for word in said if any(fits(word, of_it) for of_it in answers.values())]
        foreign = [word for word in said if word not in known and word not in self.around]
        weighty = [word for word in foreign if len(word) > 1 or not has_cjk(word)]  # not the stem of a verb
        if not known or len(weighty) > len(known) or any(word == NOT or word.isdigit() for word in foreign):
            return ""
        if self.others & {*said} - {*known}:
            return ""
        telling = [word for word in known if not all(fits(word, of_it) for of_it in answers.values())]
        own = [word for word in telling if word not in self.idle]
        own = own or [word for word in telling if word not in self.asked and word in self.named]
        if listed and telling and not own:
            return ""
        fewest = own if listed else [word for word in own if word not in self.facts - self.others]
        parts = {word for word in own if word.isdigit() or (len(word) > 2 and any(word in name for name in self.named))}
        named = [word for word in own if word in (NOT, *parts, *self.named)]
        for needed in (known, own, fewest, named, [word for word in own if word not in self.acts]):
            left = [order for order, of_it in answers.items() if all(fits(word, of_it) for word in needed)]
            whole = has_cjk(text) or {*known} - self.around <= {*needed}
            left = left if NOT not in known or whole else []
            if left and needed and (found := self._plainest(left, text, answers, telling=bool(telling))):
                return found
        return ""

    def _plainest(self, fits: Sequence[str], text: str, answers: Mapping[str, frozenset[str]], *, telling: bool) -> str:
        """Return the only answer with most pairs of words that were said, and fewest parts that nobody named.

        Parts that our email has in several answers are usual. Without a `telling` word, only pairs tell answers apart.
        """
        said = self._spoken_tokens(text)
        pairs = {pair for pair in and_pairs(text) if " " in pair}
        if said[0].isdigit():  # each number stands before its word
            pairs = {" ".join(reversed(pair)) for pair in pairwise(word_sequence(text)) if pair[0].isdigit()}

        def place(order: str) -> tuple[int, int, int]:
            ids = [id_ for id_ in IDS.findall(order) if id_ not in _NOTHING and self.words.of(id_)]
            usual = {*order.split()[:-1][:1], *(id_ for id_ in ids if len(self.faces.get(id_, [])) > 1)}
            named = {id_ for id_ in ids if any(is_in(word, self.words.of(id_)) for word in said)}
            covered = sum(any(is_in(word, self.words.of(id_)) for id_ in named) for word in said)
            return len({*ids} - named - usual), -len(pairs & answers[order]), -covered

        places = {order: place(order) for order in fits}
        least = [order for order, found in places.items() if found == min(places.values())]
        parts = {order: {*IDS.findall(order)} - {*_NOTHING} for order in least}
        plain = (all(parts[order] <= parts[other] or other.startswith(order) for other in least) for order in least)
        least = [*compress(least, plain)] or least
        none = [order for order in least if {*_NUMBER.findall(order)} == {"0"}]
        if none and len({_NUMBER.sub("", order) for order in least}) == 1 and {*said}.isdisjoint(_counted(none[0])):
            least = none  # nothing was said of what can be counted
        if len({frozenset(parts[order]) for order in least}) == 1 < len(least) and TWICE not in said:
            least = self._in_order(least, said)
        alone = _ALONE.search(text) is not None and places[least[0]][0] == 0
        sure = telling or alone or len(answers) == 1 or (pairs & answers[least[0]])
        return least[0] if len(least) == 1 and sure else ""

    def _in_order(self, orders: Sequence[str], said: Sequence[str]) -> list[str]:
        """Return the shortest of orders with the same parts; of several, the one that has them as they were said."""

        def places(order: str) -> list[int]:
            words = map(self.words.of, IDS.findall(order))
            return [next((at for at, word in enumerate(said) if is_in(word, known)), 0) for known in words]

        least = [order for order in orders if len(order) == min(map(len, orders))]
        return [order for order in least if (found := places(order)) == sorted(found)] or least

    def _by_head(self, text: str) -> str:
        """Return the answer that begins with a word that was said, if no other answer begins with one of them."""
        heads = {order: words_said(order.split()[0]) for order in self.listed}
        said = [word for word in dict.fromkeys(chain(*heads.values())) if word in self._spoken_tokens(text)]
        if len(said) != 1 or len({*chain(*heads.values())}) == 1:
            return ""
        return self._best(text, {order: of_it for order, of_it in self.listed.items() if heads[order] == said})

    def _by_question(self, said: Sequence[str]) -> str:
        """Return the answer that does what a sentence names, or the only other one if it says that this isn't done.

        A yes alone is about the only offer; a yes or no, and other words of the question, about what it names.
        """
        refused = [NOT if word in lexicon().words["declines"] else word for word in said]
        said = refused if NOT not in said else said
        rest = [word for word in said if word not in (NOT, "yes")]
        if NOT in said and (found := self._nothing(rest)):
            return found
        if {*said} == {"yes"} and len(offers := [key for key in self.listed if key.startswith(f"{ACCEPT} ")]) == 1:
            return offers[0]
        if self._in_question(rest) and (not rest or any(is_in(word, self.acts) for word in rest)):
            does = {order: of_it for order, of_it in self.faced.items() if NOT not in of_it}
            named = [order for order, of_it in does.items() if of_it & self.asked]
            named = (len(named) > 1 and [order for order in named if does[order] & self.acts]) or named
            named = named or [order for order in does if len(does) == 1 < len(self.faced)]
        elif {NOT, "yes"} & {*said} and not any(word.isdigit() for word in rest):
            named = [order for order, of_it in self.listed.items() if any(is_in(word, of_it) for word in rest)]
            named = named if all(word in self.around or self._in_lists(word) for word in rest) else []
        else:
            return ""
        heads = {order.split()[0] for order in named}
        left = [order for order in self.listed if order.split()[0] not in heads] if NOT in said else named
        all_named = {order for order in self.listed if order not in left} == {*named}
        sure = NOT not in said or any(has_cjk(word[:1]) for word in rest)
        if not sure and all_named:  # and our email lists all answers
            most = len(self.told)
            sure = {*left} <= {*_NOTHING} or len([*islice(self.domain.options(), most + 1)]) <= most
        return left[0] if len(left) == 1 == len(heads) and sure else ""

    def _nothing(self, rest: Sequence[str]) -> str:
        """Return the only answer that does nothing, if a "not" before these words of it or of the question says so."""
        faces = {order: words_said(face) for order, (face, _) in self.told.items() if " " not in order}
        found = [order for order, face in faces.items() if order in _NOTHING or NOT in face]
        denied = len(found) == 1 and (
            self._in_question(rest)
            or (NOT in faces[found[0]] and {*rest} <= {*faces[found[0]]})
            or all(word in lexicon().words["undone"] and not self._in_lists(word) for word in rest)
            or (len(rest) < 3 and not any(has_cjk(word[:1]) or word.isdigit() or self._in_lists(word) for word in rest))
        )
        return found[0] if denied else ""

    def _limits(self, text: str, order: str, belongs: Collection[str]) -> bool:
        """Return whether other words of a sentence than those of an answer take it back or limit it."""
        if _EITHER.search(text):
            return True
        if has_cjk(text):
            for piece in _CLAUSE.split("、".join(self.told.get(order, ()))):
                text = text.replace(piece, "") if len(piece) > 1 else text
            return self.takes_back(lexicon().denied.sub("", text))
        for idiom, words in lexicon().idioms.items():
            text = idiom.sub(words, text)
        own = {*belongs, *self.asked, NOT}
        return any(self.limits(word) for word in text.split() if not {*self._spoken_tokens(word)} <= own)
