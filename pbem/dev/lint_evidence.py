"""Findings about decisions: kinds of questions without evidence, facts that read what is hidden, texts that mislead.

Some come from the texts of a game, some from the questions of random games: facts under several dealings of what
the seat must not know, the name of each answer, and the email that would ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import msgspec

from pbem import LANGUAGES
from pbem.data_cache import messages
from pbem.kernel.evidence import Evidence, Look, Meaning
from pbem.kernel.game import Game
from pbem.kernel.order_words import ANSWER_WORDS, NONE_WORDS
from pbem.kernel.referee import PendingQuestion, Referee
from pbem.orders.reply_form import short_form
from pbem.report.answer_lines import said_as
from pbem.report.deciding import Option, evidence_of
from pbem.report.merge_lines import words_in
from pbem.report.messages import Catalogue
from pbem.report.question_text import EmailQuestion, asked_of
from pbem.report.short_email import FIRST, ShortEmail, text_of

Finding = tuple[str, str, str]
"""Where, what, and what to do about it."""

OTHERS = ("manual",)
"""Kinds of questions that the kernel asks."""
WORDS = 130
"""Words of an email with a question."""
_FACT, _NOTE, _FACTS = 12, 8, 6
"""Words of a fact, of what follows from an answer, and the main facts of a question."""
_DEALS = ("again", "and again", "")
"""How many dealings of what is hidden have to give the same facts."""
_ANSWERS = 12
"""Answers whose meaning is compared under all dealings."""
_DUE = datetime(2026, 5, 3, 12, tzinfo=UTC)
_HOLE = re.compile(r"\{[^{}]*\}")
_NUMBER = {
    "en": re.compile(
        r"[0-9]|\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundred)\b", re.IGNORECASE
    ),
    "ja": re.compile(r"[0-9０-９]|[一二三四五六七八九十百]+(?:枚|個|回|つ|人|点|隻|部隊|ターン|ラウンド)"),
}
_GRAMMAR = re.compile(r"[=`<>]|\.\.\.|…")
_ID = re.compile(r"\b[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*\b(?!=)")


# -- the texts ---------------------------------------------------------------------------------------------------------


def in_texts(game: Game) -> Iterator[Finding]:
    """Yield kinds without evidence or a text, and prompts and facts with numbers of their own."""
    kinds = [kind for kind in game.question_kinds if kind not in OTHERS]
    for kind in kinds:
        known = game.evidence.get(kind)
        if known is None or not (known.facts or known.means or known.likely or known.none):
            yield f"question {kind}", "has no evidence", 'Evidence((FACT, …)), or Evidence(none="why none is needed")'
    for kind in game.evidence.keys() - {*game.question_kinds}:
        yield "evidence", f"'{kind}' isn't a kind of question", f"question_kinds has {', '.join(kinds)}"
    for language in LANGUAGES:
        texts, where = messages(game.package, language), f"locale/{language}.toml"
        for kind in kinds:
            for key in (f"title.{kind}", f"guide.{kind}"):
                if not any(known.partition("@")[0] == key for known in texts):
                    yield where, f'no "{key}"', "what the decision is about, and what it turns on"
        for key, text in texts.items():
            yield from ((where, f'"{key}" {what}', why) for what, why in _wrong(key, text, language))


def _wrong(key: str, text: str, language: str) -> Iterator[tuple[str, str]]:
    head, plain = key.partition(".")[0], _HOLE.sub("X ", text)
    if head in ("ask", "fact", "title"):
        if number := _NUMBER[language].search(plain):
            yield (f"has a number of its own: '{number[0]}'", "a card or the moderator may change it: use an argument")
        if grammar := _GRAMMAR.search(plain):
            yield f"holds '{grammar[0]}'", "the form says how to write an answer"
    if head == "fact" and words_in(plain) > _FACT:
        yield f"has {words_in(plain)} words", f"a fact has {_FACT} at most"


# -- a question --------------------------------------------------------------------------------------------------------


def in_question(referee: Referee, question: PendingQuestion, says: Mapping[str, Catalogue]) -> Iterator[Finding]:
    """Yield what is wrong with the facts, the answers and the email of an open question."""
    if question.kind in OTHERS:
        return
    yield from _hidden(referee, question)
    for language, say in says.items():
        asked = asked_of(referee, question.seat, say)
        if asked is not None:
            where = f"locale/{language}.toml"
            yield from ((where, what, why) for what, why in _faces(asked, question.kind, say))
            yield from ((f"question {question.kind}", f"{what} ({language})", why) for what, why in _email(asked, say))
            for word in _untranslated_ids(asked, say) if language == "ja" else ():
                what = f"question {question.kind} names '{word}' without its Japanese name"
                yield where, what, "the face of an answer says it: {answer}, or a field"


def _hidden(referee: Referee, question: PendingQuestion) -> Iterator[Finding]:
    """Yield the facts that differ if what the seat must not know is dealt otherwise, and facts that are too many."""
    known, where = evidence_of(referee, question.kind), f"question {question.kind}"
    if not (known.facts or known.means or known.likely):
        return
    domain, first = referee.domain(question.seat), None
    answers = list(islice((domain.inner if hasattr(domain, "inner") else domain).options(), _ANSWERS))
    for referee.deal in _DEALS:
        told = dict(_evidence_items(known, referee.look(question.seat), answers))
        first = first or told
        for name in first.keys() | told.keys():
            if first.get(name) != told.get(name):
                yield (where, f"its {name} tells what is hidden from the seat", "read the view, or public fields")
    main = [fact for fact in known.told(referee.look(question.seat)) if fact.main]
    if len(main) > _FACTS:
        yield where, f"has {len(main)} main facts", f"{_FACTS} fit into an email: main=False for the others"


def _evidence_items(known: Evidence[Any], look: Look[Any], answers: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield what evidence says in a world, by the name of the function that says it."""
    for build in known.facts:
        yield f"fact '{_name(build)}'", [msgspec.to_builtins(fact) for fact in build(look)]
    if known.means is not None:
        yield (
            f"meaning '{_name(known.means)}'",
            [msgspec.to_builtins(_meaning(known.means, look, answer)) for answer in answers],
        )
    if known.likely is not None:
        yield f"likely answers '{_name(known.likely)}'", list(known.likely(look))


def _meaning(means: Any, look: Look[Any], answer: Any) -> Meaning | None:
    meaning: object = means(look, answer)
    if not isinstance(meaning, Meaning | None):
        raise TypeError(f"`means` returned {type(meaning).__name__}: it must return a Meaning or None")
    return meaning


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", getattr(getattr(function, "func", None), "__name__", "?")))


def _faces(asked: EmailQuestion, kind: str, say: Catalogue) -> Iterator[tuple[str, str]]:
    """Yield answers without a name in words, and those with the name of something else."""
    for option in asked.decision.options:
        for key in _nameless(option, kind, say):
            yield f'no "{key}"', "what people say instead of the word"
        if not option.named and (other := _other(option, say)):
            yield (f"the face of '{option.order}' ({kind}) is the name of '{other}'", "say what the answer does")
    given = [option for option in asked.decision.options if "give" in _parts(option)]
    for do in sorted({option.value["do"] for option in given if sum(option.face == o.face for o in given) > 1}):
        yield f'"face.{kind}.{do}" is the same for several answers', "say what the signer adds: {give}"
    for way in asked.decision.ways:
        key = f"face.{kind}.{way.word}"
        if way.word and not (way.face or say.has(key)) and len(say.names.names.get(way.word, ())) < len(LANGUAGES):
            yield f'no "{key}"', "what people say instead of the word"


def _parts(option: Option) -> Mapping[str, Any]:
    return option.value if isinstance(option.value, Mapping) else {}


def _nameless(option: Option, kind: str, say: Catalogue) -> Iterator[str]:
    if not option.named:
        return
    value = option.value
    if isinstance(value, Mapping) and "do" not in value:  # told in the names of its parts
        yield from [f"face.{kind}"] * (say.language == "ja" and _ID.search(option.face) is not None)
    elif isinstance(value, Mapping) and len(say.names.names.get(value["do"], ())) < len(LANGUAGES):
        yield f"face.{kind}.{value['do']}"
    for word in value if isinstance(value, list) else [value]:
        parts = word.split("/") if isinstance(word, str) else []  # a thing within another: `naples/galley`
        if any(len(say.names.names.get(part, ())) < len(LANGUAGES) for part in parts):
            yield f"face.{kind}.{word}"


def _other(option: Option, say: Catalogue) -> str:
    if not isinstance(option.value, str):
        return ""
    said = said_as(option.face)
    same = (key for key in say.names.names if said_as(say.name(key)) == said)
    found = next(same, "")
    return found if found and say.name(option.value) != say.name(found) else ""


def _email(asked: EmailQuestion, say: Catalogue) -> Iterator[tuple[str, str]]:
    form, text = _email_text(asked, say)
    lines = text.splitlines()
    if lines.index(form[0]) >= FIRST:
        yield (f"asks in {lines.index(form[0])} lines", f"the form comes within {FIRST}: shorter facts and faces")
    if words_in(text) > WORDS and not asked.offers:
        yield f"asks in {words_in(text)} words", f"an email has {WORDS} at most"
    if "<" in text:
        yield "has a placeholder that is not in words", "field_name.<name> names it"


def _email_text(asked: EmailQuestion, say: Catalogue) -> tuple[Sequence[str], str]:
    form = short_form(asked.q, "lint", "seat", "0000-0000")
    return form, text_of(ShortEmail(name="lint", asked=asked, due=_DUE, form_lines=form), say)


def _untranslated_ids(asked: EmailQuestion, say: Catalogue) -> set[str]:
    """Return ids whose Japanese name isn't in the text, except for words with a face and quoted answers."""
    form, whole = _email_text(asked, say)
    lines = re.sub(r"-\n *|\n *-", "-", whole.partition(f"\n{form[0]}\n")[0]).splitlines()
    text = "".join("".join(lines).split())
    known = {
        option.order.split()[0].strip('"') for option in asked.decision.options if not option.named and option.order
    }
    known |= {*ANSWER_WORDS, *NONE_WORDS, *(way.word for way in asked.decision.ways), *_ID.findall(asked.answer)}
    found = {word for line in lines for word in _ID.findall(line)} & say.names.names.keys()
    return {word for word in found - known if "".join(say.name(word).split()) not in text}
