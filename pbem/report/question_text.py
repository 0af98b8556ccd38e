"""A question as the short email asks it, in few words, and its possible answers.

Everything follows from the seat's own domain and from the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import msgspec

from pbem.kernel.domains import PASS, WAIT, Choice, Domain, EarlyAnswer, Form, Menu, Reply
from pbem.kernel.questions import Window
from pbem.kernel.referee import PendingQuestion, Referee
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import Condition, StandingRule
from pbem.lazy_regex import pattern
from pbem.report.build import current_answer, offers
from pbem.report.messages import Catalogue
from pbem.report.text_width import cut, width

MORE = "…"
_FEW = 8
"""Up to so many answers are listed one by one."""
_NAMED = 5
"""Up to so many answers of several words are listed with names."""
_LONG = 78
"""Cells of the longest syntax that is shown whole."""
_EXAMPLE = 100
_PROMPT = 150
"""Cells of a prompt without a short form: as many of its sentences as fit."""
_SENTENCE = pattern(r".+?(?:[.?!](?=\s|$)|[。？！]|$)\s*", re.DOTALL)
_TITLE = pattern(r"[:?.;,](?=\s|$)|\s\(|\s\[|[。？：、（]")
_BARE = pattern(r"\d+(?: \d+)+")
_FIRST = 5
_THEN = 400
"""Cells of the lines that may follow in the same email."""


class AnswerHint(msgspec.Struct, frozen=True):
    """A possible answer: the text, and whether it is a whole answer (otherwise how to write one)."""

    text: str
    whole: bool


class EmailQuestion(msgspec.Struct, kw_only=True):
    """A question to the reader of an email.

    `title` is public and is in the subject, or `kind`, the kind of question, where the title is too long.
    `details` are the possible answers, from the fullest to the shortest version: an email uses the first that
    fits. `likely` are whole answers as they are written, with ids. `answer` is the seat's own so far,
    `default` counts without an answer ("": the moderator decides). `then` are further lines of the same turn
    that the reply may add.
    """

    q: int
    title: str
    prompt: str
    details: list[list[str]]
    likely: list[str]
    example: str
    default: str
    answer: str
    sealed: bool
    offers: list[str] = []
    then: list[str] = []
    kind: str = ""


def asked_of(referee: Referee, seat: str, say: Catalogue) -> EmailQuestion | None:
    """Return the question open to a seat, answered or not; None if there is none."""
    pending = referee.pending_to(seat)
    if pending is None:
        return None
    domain = referee.domain(seat)
    inner = domain.inner if isinstance(domain, Reply) else domain
    most, *fewer = (list(dict.fromkeys(_ways(inner, say, detail))) for detail in (2, 1, 0))
    ways = [_all_named(most, say), most, _unnamed(most), *fewer]
    prompt = short_prompt(pending, say)
    if isinstance(domain, EarlyAnswer):
        ways = [[*level, AnswerHint(WAIT, True)] for level in ways]
        prompt += " " + say.text("email.early")
    return EmailQuestion(
        q=pending.q,
        title=title_of(pending, say),
        kind=_capital(say.label(f"kind.{pending.kind}")),
        prompt=prompt,
        details=[[say.syntax(way.text) if not way.whole else way.text for way in level] for level in ways],
        likely=_likely(ways[0], say.faced(domain.default_text(pending.default))),
        example="" if all(way.whole for way in ways[0]) else _example(inner, say),
        default=say.faced(domain.default_text(pending.default)),
        answer=say.faced(current_answer(referee, pending)),
        sealed=pending.sealed,
        offers=[
            say.text("email.offer", id=offer.id, by=offer.by, signed=offer.signed, terms=offer.terms)
            for offer in offers(referee, seat, say)
        ],
        then=[*_following(referee, pending, say), *_standing_line(referee, pending, say)],
    )


def _following(referee: Referee, pending: PendingQuestion, say: Catalogue) -> Iterator[str]:
    for kind, domain in referee.game.likely_next(
        referee.table.private_copy(), pending.seat, pending.kind
    ).items():
        for detail in (1, 0):
            ways = [say.syntax(way.text) if not way.whole else way.text for way in _ways(domain, say, detail)]
            told = " / ".join(dict.fromkeys(ways))
            if width(told) <= _THEN:
                break
        yield say.text("email.then", kind=say.label(f"kind.{kind}"), ways=cut(told, _THEN))


def _standing_line(referee: Referee, pending: PendingQuestion, say: Catalogue) -> Iterator[str]:
    """Yield the standing order that answers such questions for the rest of the turn."""
    turn = referee.game.calendar(referee.table.state).get("turn")
    domain = referee.domain(pending.seat)
    value = PASS if isinstance(referee.now, Window) else domain.default_text(pending.default)
    if turn is not None and value and (isinstance(referee.now, Window) or domain.stands):
        until = (Condition("turn", ">=", str(turn + 1)),)
        yield say.text(
            "email.standing", line=str(StandingRule(pending.seat, pending.kind, value, until=until))
        )


# -- what is asked -----------------------------------------------------------------------------------------------------


def short_prompt(pending: PendingQuestion, say: Catalogue) -> str:
    """Return the prompt in the words of `<prompt>.short`, or its first sentences."""
    args = {"seat": pending.seat, **pending.about, **pending.secret}
    short = f"{pending.prompt}.short"
    if say.has(short):
        return say.text(short, args)
    said = ""
    for sentence in _SENTENCE.findall(say.text(pending.prompt, args)):
        if said and width(said) + width(sentence) > _PROMPT:
            break
        said += sentence
    return cut(said.strip(), 2 * _PROMPT)


def title_of(pending: PendingQuestion, say: Catalogue) -> str:
    """Return the question in a few public words, for a subject that is shown on locked screens.

    It is the beginning of the prompt; private parts of a question (`secret`) never appear in it.
    """
    if pending.secret:
        return _capital(say.label(f"kind.{pending.kind}"))
    args = {"seat": pending.seat, **pending.about}
    if say.has(f"{pending.prompt}.title"):
        return say.text(f"{pending.prompt}.title", args)
    said = say.text(pending.prompt, args)
    found = _TITLE.search(said, _FIRST)
    title = said[: found.start()] if found else said
    mere = title == say.name(pending.seat)  # the reader knows who is asked
    return _capital(say.label(f"kind.{pending.kind}") if mere else title)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# -- how to answer -----------------------------------------------------------------------------------------------------


def _ways(domain: Domain, say: Catalogue, detail: int) -> Iterator[AnswerHint]:
    """Yield the possible answers: with `detail` 2 each if they are few, with 1 the syntax, with 0 only its word."""
    if isinstance(domain, Menu):
        for word in domain.words:
            yield from _entry(domain, word, say, detail)
    elif (few := _few(domain, say.faced, 1 if isinstance(domain, Form) and not detail else _FEW)) is not None:
        yield from (_whole(domain, value, say) for value in few)
    elif isinstance(domain, Choice):
        listed = list(dict.fromkeys(say.faced(domain.text(option)) for option in domain.listed))
        most = (len(listed), 2 * _FEW, _FEW)[2 - detail]
        yield from (AnswerHint(_named(word, say, domain.what), True) for word in listed[:most])
        if most < len(listed):
            yield AnswerHint(MORE, False)
    else:
        yield AnswerHint(domain.syntax() if width(domain.syntax()) <= _LONG or detail else MORE, False)


def _entry(menu: Menu, word: str, say: Catalogue, detail: int) -> Iterator[AnswerHint]:
    cost = menu.cost(word) if menu.cost is not None else 0
    for way in _written(menu, word, say, detail):
        yield AnswerHint(f"{way.text} ({say.text('email.cost', count=cost)})", way.whole) if cost else way


def _written(menu: Menu, word: str, say: Catalogue, detail: int) -> Iterator[AnswerHint]:
    inner = menu.entry(word)
    if inner is None:
        yield AnswerHint(_named(menu.text(word), say), True)
        return
    few = _few(inner, say.faced, _FEW if detail == 2 else 1)
    if few is not None:
        written = [
            (menu.text(menu.outer(word, inner, value)), inner.text(value), _spelled(inner, value))
            for value in few
        ]
        yield from (
            AnswerHint(_named(say.faced(text.replace(bare, keyed)), say), True)
            for text, bare, keyed in written
        )
        return
    syntax = inner.syntax()
    yield AnswerHint(f"{word} {syntax}" if detail and width(syntax) <= _LONG else f"{word} {MORE}", False)


def _few(domain: Domain, printed: Callable[[str], str], most: int = _FEW) -> list[object] | None:
    """Return all answers if there are at most `most`, else None."""
    if isinstance(domain, Choice):  # one of equal cards
        faces = {printed(domain.text(word)): word for word in reversed(domain.listed)}
        found = list(reversed(faces.values()))
    else:
        found = list(islice(domain.options(), most + 1))
    return found if 0 < len(found) <= most else None


def _whole(domain: Domain, value: object, say: Catalogue) -> AnswerHint:
    what = domain.what if isinstance(domain, Choice) else ""
    return AnswerHint(_named(say.faced(_spelled(domain, value)), say, what), True)


def _spelled(domain: Domain, value: object) -> str:
    """Return an answer as it is written; bare numbers of a form get their keys, to tell them apart."""
    text = domain.text(value)
    if isinstance(domain, Form) and isinstance(value, dict) and _BARE.fullmatch(text):
        return " ".join(f"{key}={number}" for key, number in value.items())
    return text


def _named(text: str, say: Catalogue, what: str = "") -> str:
    return say.typed(text, what) if " " not in text else text


def _all_named(ways: Sequence[AnswerHint], say: Catalogue) -> list[AnswerHint]:
    """Return few answers of several words, each with the names in which they differ."""
    long = [way for way in ways if way.whole and " " in way.text and " (" not in way.text]
    if len(ways) > _NAMED or not long:
        return list(ways)
    names = {way.text: say.names_in(way.text) for way in long}
    common = set.intersection(*map(set, names.values())) if len(names) > 1 else set()
    told = {text: [name for name in found if name not in common] for text, found in names.items()}
    return [
        AnswerHint(f"{way.text} ({say.join(told[way.text], 'comma')})", True) if told.get(way.text) else way
        for way in ways
    ]


def _unnamed(ways: Sequence[AnswerHint]) -> list[AnswerHint]:
    return [AnswerHint(way.text.partition(" (")[0], True) if way.whole else way for way in ways]


def _likely(ways: Sequence[AnswerHint], default: str) -> list[str]:
    """Return the whole answers, as many as there are buttons for."""
    found = [way.text.partition(" (")[0] for way in ways if way.whole]
    return list(dict.fromkeys([*found[:_FEW], *([default] if default else [])]))[:_FEW]


def _plain(n: int) -> int:
    """Choose the first option, and nothing optional."""
    return int(n == 2)


def _example(domain: Domain, say: Catalogue) -> str:
    """Return one legal answer that shows how a longer one is written; "" if it would be long."""
    parts: Sequence[str] = domain.words if isinstance(domain, Menu) else ("",)
    for word in parts:
        inner = domain.entry(word) if isinstance(domain, Menu) else domain
        if inner is None or not isinstance(inner, Form | Domain):
            continue
        try:
            text = say.faced(f"{word} {_spelled(inner, inner.sample(_plain))}".strip())
        except (Rejection, LookupError, ValueError):
            continue
        if _few(inner, say.faced) is None and width(text) <= _EXAMPLE:
            return text
    return ""
