"""Suggestions: a legal answer close to a rejected one, and the words in it that were not understood.

A suggestion is legal and is never executed without being sent. It never leaves out a word that may have meant
something: a name, a number, a condition, a "not".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import msgspec

from pbem.kernel.domain import Value
from pbem.kernel.domains import AnyText, Domain
from pbem.kernel.order_words import ExactNames, Names, normalize_word
from pbem.kernel.rejections import Rejection, RejectionReason
from pbem.lazy_regex import pattern
from pbem.orders.answer_vocabulary import AnswerVocabulary, likely_values
from pbem.orders.answer_words import NOT, joined_names, lexicon, runs, words_said
from pbem.orders.context import SeatQuestion, answer_line
from pbem.orders.parser import shortened
from pbem.orders.reply_form import with_card_names
from pbem.orders.statements import answer_words

_LABEL = pattern(r"(?:[-*+•–—]\s+)?(?:(?:question|q|no\.?|#|質問)?\s*(?P<q>\d+)\s*[.,)=:–—-]?\s+)?", re.IGNORECASE)
"""What people and mail programs put before an answer: a bullet, or the question's number."""

_AROUND = " .,;!?()\"'‘’`*_、。！？"
"""Signs that phones or habits put around an answer."""

_GAP = pattern(r"[\s,.;:!?、。！？()~〜^*]+")
"""What may separate an answer from words next to it."""

_WORD = pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)*")

_POLITE_END = pattern(
    r"(?:で|を|に)?\s*(?:どうか|よろしく)?\s*(?:お願い(?:(?:いた|致)?し)?ます|です|します|ください|下さい)$"
)
"""Polite words at the end of a Japanese sentence, without a blank before them."""

_APART = pattern(r"[\s,;=]+")
"""What separates the words of an answer."""

_MOST_HELPED = 4
"""Rejected lines of an email that get a suggestion: suggestions are slow, and nobody reads more."""
_LONGEST = 300
_MOST_WORDS = 12
_MOST_TYPOS = 4
_LOOKED_AT = 40
"""Answers that are tried as examples: each may be slow."""
_LONGEST_WAY = 100
_NO_WAYS = ("orders.contradiction", "negotiation.unread")
"""Reasons to reject a legal answer: there is no other answer to suggest."""
_MOST_WAYS = 4


def help_with(
    question: SeatQuestion, body: str, problem: RejectionReason, names: Names, before: int
) -> tuple[RejectionReason, str, list[str]]:
    """Return why an answer is rejected, the suggested line, else lines to copy; `before`: lines rejected so far."""
    if before >= _MOST_HELPED:
        return problem.under(question.rule), "", []
    problem, offer = explain_with_suggestion(question, body, problem, names)
    told = offer or problem.key in _NO_WAYS
    return problem, offer, [] if told else example_answers(question, body, names)


def explain_with_suggestion(
    question: SeatQuestion, body: str, problem: RejectionReason, names: Names
) -> tuple[RejectionReason, str]:
    """Return why `body` is rejected, and the suggested line; "" if no similar line is legal.

    `problem` is the domain's reason. If the answer is legal without some unneeded words next to it, they are
    the reason.
    """
    if len(body) > _LONGEST:
        return problem.under(question.rule), ""
    problem, better = _mended(question, body, problem.under(question.rule), names)
    better = with_card_names(question.domain, better, names)
    return problem, answer_line(question.q, better) if better else ""


def _mended(question: SeatQuestion, body: str, problem: RejectionReason, names: Names) -> tuple[RejectionReason, str]:
    """Try, in this order: without signs, without unneeded words, with names as one word, with other letters."""
    domain = question.domain
    if isinstance(domain, AnyText):
        return problem, ""
    bare = _without_label(body, question.q)
    if bare != body and (better := _legal(domain, bare, names)):
        return problem, better
    better, extra = _within(domain, bare, names)
    if better:
        return RejectionReason("orders.extra", {"word": extra}, question.rule), better
    for text in joined_names(bare):
        if better := _legal(domain, text, names):
            return problem, better
    return _respelt(domain, body, bare, problem, names)


class NearMiss(msgspec.Struct, frozen=True):
    """A line that was meant as an answer but isn't legal: why, the suggested line, else lines to copy."""

    problem: RejectionReason
    offer: str = ""
    ways: Sequence[str] = ()


def near_miss(
    question: SeatQuestion | None, text: str, names: Names, check: Callable[[Value], object] = bool
) -> NearMiss | None:
    """Return the near miss of an answer that a line probably is; for a line with the question's number, always one.

    `check` raises `Rejection` for a value that isn't legal now.
    """
    if question is None:
        return None
    body = answer_words(text)
    surely = body.startswith(f"{question.q}: ")
    body = body.removeprefix(f"{question.q}: ")
    try:
        check(question.domain.parse(body, ExactNames(names)))
    except Rejection as refused:
        problem = refused.problem
        word = str(problem.args.get("word", ""))
        # the whole line isn't an answer, not its "the"; words around a comma are one word, without the blank
        if word.casefold() in lexicon().words["fillers"] or ("," in word and word not in body):
            problem = msgspec.structs.replace(problem, args={**problem.args, "word": shortened(body)}, near=())
        found = suggest(question, body, problem, names)
        if found is None and surely:
            found = NearMiss(*help_with(question, body, problem, names, 0))
        return found
    return None


def suggest(question: SeatQuestion, body: str, problem: RejectionReason, names: Names) -> NearMiss | None:
    """Return a near miss for a line that was probably meant as an answer, else None.

    A legal line is similar, or a legal answer begins with the same word or has all its words. `problem` is
    the domain's reason.
    """
    problem, offer = explain_with_suggestion(question, body, problem, names)
    if offer:
        return NearMiss(problem, offer)
    ways = example_answers(question, body, names)
    said = _words(_without_label(body, question.q))
    lines = [(way, _words(way.partition(": ")[2])) for way in ways]
    alike = [way for way, words in lines if said and (words[0] == said[0] or set(said) <= set(words))]
    return NearMiss(problem, "", alike) if alike else None


def _words(text: str) -> list[str]:
    return [normalize_word(word) for word in _APART.split(text) if word]


def example_answers(question: SeatQuestion, body: str, names: Names) -> list[str]:
    """Return a few lines that are legal answers, those with most words in common with `body` first."""
    domain = question.domain
    if isinstance(domain, AnyText):
        return []
    vocabulary, said = AnswerVocabulary(names), words_said(body[:_LONGEST])
    words = {normalize_word(word) for word in _WORD.findall(body[:_LONGEST])}
    found: dict[str, int] = {}
    for value in islice(likely_values(domain, said, vocabulary), _LOOKED_AT):
        text = with_card_names(domain, domain.text(value), names)
        if len(text) <= _LONGEST_WAY and _legal(domain, text, names):
            found.setdefault(text, len(words & {normalize_word(word) for word in _WORD.findall(text)}))
    best: list[str] = []
    for text in sorted(found, key=lambda text: (-found[text], len(text))):
        if not any(text.startswith(f"{shorter} ") for shorter in best):
            best.append(text)
    return [answer_line(question.q, text) for text in best[:_MOST_WAYS]]


def _stripped(body: str) -> str:
    bare = body.strip(_AROUND)
    return body.strip(_AROUND.replace('"', "")) if bare.count('"') % 2 else bare


def _legal(domain: Domain, body: str, names: Names) -> str:
    try:
        return domain.text(domain.parse(body, names)) if body else ""
    except Rejection:
        return ""


def _without_label(body: str, q: int) -> str:
    """Return the answer without its label and signs; a number is a label only if it is the question's."""
    label = _LABEL.match(body)
    return _stripped(body[label.end() :]) if label and label["q"] in (None, str(q)) else body


def _within(domain: Domain, body: str, names: Names) -> tuple[str, str]:
    """Return the complete answer within `body` and the unneeded words around it; ("", "") if there is none."""
    for start in _starts(body):
        for end in _ends(domain, body, start, names):
            better = _legal(domain, _stripped(body[start:end]), names)
            if better and {better} >= _answers(domain, body[end:], names):
                return better, " … ".join(filter(None, (body[:start].strip(_AROUND), body[end:].strip(_AROUND))))
    return "", ""


def _starts(body: str) -> Iterator[int]:
    yield 0
    at = 0
    for _ in range(_MOST_WORDS):
        word = _WORD.match(body, at)
        gap = _GAP.match(body, word.end()) if word is not None else None
        if word is None or gap is None or word.group().casefold() not in lexicon().words["polite"]:
            return
        at = gap.end()
        yield at


def _ends(domain: Domain, body: str, start: int, names: Names) -> Iterator[int]:
    """Yield where the answer may end, the longest first; only unneeded words follow."""
    if start:
        yield len(body)
    polite = _POLITE_END.search(body, start)
    if polite is not None:
        yield polite.start()
    last = len(body)
    for gap in reversed([*_GAP.finditer(body, start)][-_MOST_WORDS:]):
        word = body[gap.end() : last]
        if word and not _idle(domain, word, names):
            return
        last = gap.start()
        yield last


def _answers(domain: Domain, text: str, names: Names) -> set[str]:
    words = (word for word in _GAP.split(text) if word.casefold() not in lexicon().words["polite"])
    return {better for word in words if (better := _legal(domain, word, names))}


def _idle(domain: Domain, word: str, names: Names) -> bool:
    """Return whether a word surely doesn't change the answer, or is itself an answer."""
    if NOT in words_said(word):
        return False
    plain = word.casefold().replace("’", "'")
    if plain in lexicon().words["polite"] or _POLITE_END.fullmatch(word):
        return True
    if any(part == plain or (part in plain and not part.isascii()) for part in lexicon().words["weighty"]):
        return False
    try:
        domain.parse(word, names)
    except Rejection as refused:  # a misspelt answer isn't unneeded
        near = [normalize_word(word) for word in refused.problem.near]
        if not _WORD.fullmatch(word) or any(map(names.known, (word, *runs(word)))):
            return False
        from difflib import get_close_matches

        return not get_close_matches(normalize_word(word), near, n=1, cutoff=0.75)
    return True


def _respelt(
    domain: Domain, body: str, bare: str, problem: RejectionReason, names: Names
) -> tuple[RejectionReason, str]:
    """Return the reason, and the answer with misspelt words replaced by the closest legal ones.

    It is tried as written, then without polite words and signs around it.
    """
    better = _spelt(domain, body, problem, names)
    if better:
        return problem, better
    plain = _plain(bare)
    if plain not in ("", body):
        try:
            domain.parse(plain, names)
        except Rejection as refused:
            better = _spelt(domain, plain, refused.problem, names)
            return (refused.problem.under(problem.rule), better) if better else (problem, "")
    return problem, ""


def _plain(body: str) -> str:
    body = body[[*_starts(body)][-1] :]
    while True:
        polite = _POLITE_END.search(body)
        head, gap, last = body.rpartition(" ")
        if polite is not None and polite.start():
            body = body[: polite.start()].rstrip(_AROUND)
        elif gap and last.casefold() in lexicon().words["polite"]:
            body = head.rstrip(_AROUND)
        else:
            return body


def _spelt(domain: Domain, body: str, problem: RejectionReason, names: Names) -> str:
    for _ in range(_MOST_TYPOS):
        better = _replaced(body, problem)
        if better in ("", body):
            return ""
        body = better
        try:
            return domain.text(domain.parse(body, names))
        except Rejection as refused:
            problem = refused.problem
    return ""


def _replaced(body: str, problem: RejectionReason) -> str:
    word = str(problem.args.get("word", ""))
    if not word or problem.key == "answer.ambiguous" or not problem.key.startswith("answer."):
        return ""  # a rule names this word, so it isn't misspelt
    by_fold = {normalize_word(near): near for near in problem.near}
    from difflib import get_close_matches

    plain = normalize_word(word)
    longest = max(1, len(plain) // 3)
    near = [known for known in by_fold if abs(len(known) - len(plain)) <= longest or plain.startswith(known)]
    close = get_close_matches(plain, near if plain.isalpha() else by_fold, n=1, cutoff=0.6)
    at = body.casefold().find(word.casefold())
    if not close or at < 0:
        return ""
    return f"{body[:at]}{by_fold[close[0]]}{body[at + len(word) :]}"
