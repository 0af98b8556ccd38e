"""The orders in a reply: which of our emails it answers, what it is checked against, and which of its text counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from pbem.kernel.negotiation import ACCEPT, PROPOSE, terms_of
from pbem.kernel.order_words import ANSWER_WORDS, ExactNames, normalize_word, tokens
from pbem.kernel.rejections import Rejection, RejectionReason
from pbem.lazy_regex import pattern
from pbem.mail.inbox.authenticate import unread_of
from pbem.mail.inbox.body_text import html_to_text
from pbem.mail.inbox.stages import Claim, DecodedEmail, Email
from pbem.mail.outbox.mime_message import StoredEmail, StoredEmails, answered_number
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.save_index import PRESENT, asked_with, codes_in_force, given
from pbem.orders.context import ACTS, SeatQuestion, next_turn_of, question_of, with_next
from pbem.orders.parser import shortened
from pbem.orders.replies import (
    PendingDoubt,
    ReplyContext,
    ReplySignals,
    SentTexts,
    interpret_reply,
    with_surrounding_text,
)
from pbem.orders.replies.courtesies import limits, names_of, takes_back
from pbem.orders.replies.interpret import ReplyMeaning, answer_in_subject, asked_back
from pbem.orders.replies.quotation import comparison_key
from pbem.orders.reply_codes import same_code, with_line_breaks
from pbem.orders.syntax_tree import Answer, OrderBlock, ReplyText
from pbem.report.answer_lines import copied, said_for, spoken, told_of
from pbem.report.deciding import Decision, decision
from pbem.save import Save, SeatInfo, Session

if TYPE_CHECKING:
    from pbem.orders.likely_answers import LikelyAnswers
    from pbem.orders.suggestions import NearMiss


def resolve_reply(
    claim: Claim,
    email: Email,
    session: Session,
    sent: StoredEmails,
    own: frozenset[str],
    learned: Callable[[str], bool] | None = None,
) -> Claim:
    """Return a genuine claim on a reply with its orders, or why there are none; `learned` recognises known footers."""
    block = claim.block
    genuine = claim.seat and not claim.reason and email.received.kind == "mail"
    if block is None or block.problem is not None or not genuine:
        return claim
    answers = _number_answered(claim, email, session.save, sent)
    if session.referee.talk is not None:
        claim = msgspec.structs.replace(claim, answers=answers)
    if (reply := block.reply) is None:
        return claim
    seat = session.save.seat(claim.seat)
    block = msgspec.structs.replace(block, seat=seat.id)
    explicit = any(isinstance(item, Answer) for item in block.items) and not reply.form
    emails = [] if explicit else _emails_near(email.mail, session.save, seat, sent)
    judge = msgspec.structs.replace(
        judge_of(session, seat, email.mail, block, emails, own),
        learned=learned,
        doubt=_pending_doubt(seat, answers),
        to_player=answers in [stored.number for stored in emails if stored.press],
    )
    if email.vouched and asked_with(session.save, seat, block.code):
        judge = msgspec.structs.replace(judge, current=True)
    if block.items and not reply.form:
        block.items = with_surrounding_text(reply, block, judge)
        return msgspec.structs.replace(claim, block=block)
    meaning = _meaning(reply, block, judge, email.mail, lambda: (*emails, *sent.to(session.save, seat)))
    if not meaning.items and reply.form and not meaning.said:
        return claim  # the form came back without anything else: its contents count
    if not meaning.items:
        return _nothing(claim, meaning, judge, email.mail)
    block.items, block.problem = meaning.items, None
    return msgspec.structs.replace(claim, block=block, doubt=meaning.doubt, affirms=meaning.affirms)


def _meaning(
    reply: ReplyText,
    block: OrderBlock,
    judge: ReplyContext,
    mail: DecodedEmail,
    all_emails: Callable[[], Iterable[StoredEmail]],
) -> ReplyMeaning:
    """Return the meaning of a reply, which may quote an email of long ago, and whose page must say the same."""
    meaning = interpret_reply(reply, block, judge)
    if meaning.strange:
        ours = _ours(_texts_of(all_emails()), plain=mail.text.isascii())
        judge = msgspec.structs.replace(judge, ours=ours)
        meaning = interpret_reply(reply, block, judge)
    if not meaning.items and not meaning.said:
        meaning = answer_in_subject(mail.subject, judge) or meaning
    return _compared(meaning, mail, block, judge) if meaning.answers and mail.page is not None else meaning


def _emails_near(mail: DecodedEmail, save: Save, seat: SeatInfo, sent: StoredEmails) -> list[StoredEmail]:
    named = tuple(filter(None, (mail.in_reply_to, *mail.references)))
    number = answered_number(save, seat, named)
    answered = sent.email(save, seat, number) if number else None
    found = [*sent.reminders(named), *([answered] if answered is not None else ())]
    return [*found, *(email for email in islice(sent.to(save, seat), _NEAR) if email.number != number)]


_NEAR = 8
"""Emails back with which a reply is compared first."""


def _texts_of(emails: Iterable[StoredEmail]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for email in emails for text in email.texts))


def _pending_doubt(seat: SeatInfo, answers: int) -> PendingDoubt | None:
    doubt = seat.told.doubt
    if doubt is None:
        return None
    return PendingDoubt(doubt.q, doubt.word, doubt.lines, doubt.beside, answers in (doubt.letter, *doubt.again))


def _compared(found: ReplyMeaning, mail: DecodedEmail, block: OrderBlock, judge: ReplyContext) -> ReplyMeaning:
    """Return the meaning of a reply's text if its page says the same; else ask back."""
    shown = with_line_breaks(html_to_text(mail.page or ""))
    also = comparison_key(mail.text)
    page = interpret_reply(ReplyText(shown), block, msgspec.structs.replace(judge, also=also))
    whole, edited = comparison_key(shown), [comparison_key(item.text) for item in found.items]
    if page.answers == found.answers or (page.own == found.own and all(text in whole for text in edited)):
        return found
    said = page.said or next((line for line in shown.split("\n") if line.strip()), "") or "?"
    return asked_back(found, judge, said)


def _number_answered(claim: Claim, email: Email, save: Save, sent: StoredEmails) -> int:
    seat, mail = save.seat(claim.seat), email.mail
    named = tuple(filter(None, (mail.in_reply_to, *mail.references)))
    found = answered_number(save, seat, named)
    code = claim.block.code if claim.block is not None else ""
    return found or max((stored.number for stored in sent.to(save, seat) if stored.code == code), default=0)


def _nothing(claim: Claim, found: ReplyMeaning, judge: ReplyContext, mail: DecodedEmail) -> Claim:
    """Return the claim of a reply without an answer, with the reason; its writer is notified of past questions too."""
    assert claim.block is not None
    if found.said and not judge.current:
        return claim
    if found.needless and not found.items:
        problem = RejectionReason("order_block.left" if judge.talk else "order_block.not_asked")
        return msgspec.structs.replace(claim, block=msgspec.structs.replace(claim.block, problem=problem))
    reason, detail = unread_of(mail)
    said = shortened(" ".join(found.said.split()))
    return msgspec.structs.replace(claim, reason=reason, detail=detail, tell=(claim.seat,), said=said)


def unproven_answer(session: Session, seat: SeatInfo, mail: DecodedEmail, own: frozenset[str]) -> tuple[str, bool]:
    """Return the answer to ask back in an email that doesn't prove its question ("": none); if it has the number."""
    reply = ReplyText(mail.text)
    block = OrderBlock(session.save.header.name, seat.id, "", 1, 1, reply=reply)
    judge = msgspec.structs.replace(judge_of(session, seat, mail, block, (), own), current=True)
    meaning = interpret_reply(reply, block, judge)
    answers = {(judge.legal(item.body), item.q) for item in meaning.items if isinstance(item, Answer)}
    answer, q = answers.pop() if len(meaning.items) == len(answers) == 1 else ("", 0)
    if not answer or q != judge.q:
        return "", False
    return f"{judge.q}: {answer}", bool(q) and meaning.items[0].text[:1].isdigit()


def judge_of(
    session: Session,
    seat: SeatInfo,
    mail: DecodedEmail,
    block: OrderBlock,
    emails: Iterable[StoredEmail],
    own: frozenset[str],
) -> ReplyContext:
    """Return the context in which a seat's reply is interpreted; `emails` are those that it may copy."""
    save = session.save
    question, pending = question_of(session.referee, seat.id), session.referee.pending_to(seat.id)
    when, number, fresh = given(save, seat, block.code)
    last = fresh and number == seat.told_q
    reader = reader_of(session, seat)
    asked = decision(session.referee, pending, reader.say) if pending is not None else None
    legal = legal_of(session, seat.id, question, spoken(asked) if asked is not None else {})
    game = save.header.name
    assert block.reply is not None
    return ReplyContext(
        q=question.q if question is not None else 0,
        talk=question is not None and question.talk,
        current=when == PRESENT or (last and same_code(block.code, codes_in_force(save, seat.id))),
        legal=legal,
        copied=lambda line: copied(asked, line) if asked is not None else "",
        likely=_likely(session, seat.id, question, asked, legal),
        act=_acts(session),
        near=_near(session, seat.id, question),
        ours=_ours(_texts_of(emails), plain=mail.text.isascii()),
        marks=ReplySignals(tuple(own), f"[{game}]", f"pbem {game}", (mail.sender or "", mail.sender_name, seat.name)),
        names=names_of(seat.name, mail.sender_name, (mail.sender or "").partition("@")[0]),
        others=block.reply.others,
        owes=question is not None and not (question.talk and question.answer),
        order=_is_order_of(session),
    )


def _near(session: Session, seat: str, question: SeatQuestion | None) -> Callable[[str], NearMiss | None]:
    def near(text: str) -> NearMiss | None:
        from pbem.orders.suggestions import near_miss  # a reply that is an answer doesn't need it

        return near_miss(question, text, session.referee.names, lambda value: session.referee.check(seat, value))

    return near


def _likely(
    session: Session, seat: str, question: SeatQuestion | None, asked: Decision | None, legal: Callable[[str], str]
) -> Callable[[str], str]:
    """Return what finds the only answer that the words of a line point to ("": none); made when a line needs it."""
    if question is None or asked is None:
        return lambda line: ""
    names = session.referee.names

    @cache
    def known() -> LikelyAnswers:
        from pbem.orders.likely_answers import LikelyAnswers  # an exact answer doesn't need it

        players = {
            player: " ".join(names.of(player, language) for language in ("en", "ja"))
            for player in session.referee.table.seats
        }
        own = players.pop(seat)
        return LikelyAnswers(
            question.domain,
            names,
            told_of(asked),
            f"{question.q} {asked.prompt}",
            " ".join((*asked.facts, *asked.more)),
            own,
            " ".join(players.values()),
            legal,
            takes_back,
            limits,
        )

    signed = _signed_instead(session, seat, asked)

    def likely(line: str) -> str:
        answer = known().meant_by(line)
        return answer if _PROPOSES.search(line.casefold()) else signed.get(answer, answer)

    return likely


_PROPOSES = pattern("propos|offer|suggest|biete|schlage|提案|持ちかけ")


def _signed_instead(session: Session, seat: str, asked: Decision) -> dict[str, str]:
    """Return the signature to use for each listed proposal that its partner has already made to the seat."""
    talk = session.referee.talk
    made = [] if talk is None else [offer for offer in talk.open.values() if seat in offer.parties]
    return {
        option.order: f"{ACCEPT} {offer.id}"
        for option in asked.options
        for offer in made
        if isinstance(option.value, dict)
        and option.value.get("partner") == offer.by
        and {**option.value, "partner": seat} == {"do": PROPOSE, **terms_of(offer.terms)}
    }


@lru_cache(maxsize=16)
def _ours(texts: tuple[str, ...], *, plain: bool) -> SentTexts:
    """Cache the texts, as a seat may write several times between two of our emails."""
    return SentTexts(texts, plain=plain)


def legal_of(
    session: Session, seat: str, question: SeatQuestion | None, said: Mapping[str, str] | None = None
) -> Callable[[str], str]:
    """Return a function from a text to the canonical answer to the open question ("": none); `said`: as spoken."""
    referee = session.referee
    names = ExactNames(referee.names.silent())

    @cache
    def later() -> SeatQuestion | None:
        return next_turn_of(referee, seat)

    @lru_cache(maxsize=256)  # each line of a reply is looked at several times
    def legal(text: str) -> str:
        if question is None:
            return ""
        for words in filter(None, (text, said_for(said or {}, text))):
            try:
                value = question.domain.parse(_plain_words(words), names)
                referee.check(seat, value)
            except Rejection:
                continue
            return question.domain.text(value)
        return with_next(_plain_words(text), legal, later, names)

    return legal


def _plain_words(text: str) -> str:
    from pbem.orders.statements import answer_words

    return answer_words(text)


def _acts(session: Session) -> Callable[[str], bool]:
    """Return a function that checks whether the first word of a line is an act of a negotiation."""
    names = session.referee.names

    def act(text: str) -> bool:
        first = _plain_words(text).split(" ", 1)[0]
        return bool(first) and names.exact(first, ACTS) is not None

    return act


def _is_order_of(session: Session) -> Callable[[str], bool]:
    """Return a function that checks whether a line consists of numbers and words of the game, and isn't prose."""
    names = session.referee.names

    def known(word: str) -> bool:
        return word.isdigit() or normalize_word(word) in ANSWER_WORDS or names.known(word)

    def order(text: str) -> bool:
        words = tokens(_plain_words(text))
        return bool(words) and all("=" in word or all(map(known, word.split(","))) for word in words)

    return order
