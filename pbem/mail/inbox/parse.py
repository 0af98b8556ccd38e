"""Replies without a block: which game and seat they are for, then what they say.

A reply names its game by the tag that it quotes, or by the Message-ID of the letter of ours that it answers
(In-Reply-To, References), for those who delete all else. What counts in it is settled by `pbem.orders.replies`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

import msgspec

from pbem.kernel.order_words import ExactNames, normalize_word
from pbem.kernel.rejections import Rejection, RejectionReason
from pbem.mail.inbox.authenticate import unread_of
from pbem.mail.inbox.body_text import clean_text, decode_bytes
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.inbox.stages import Claim, DecodedEmail, Email, Received
from pbem.mail.outbox.mime_message import SentLetter, SentLetters, code_in, games_named, letter_answered
from pbem.mail.save_index import PRESENT, SaveIndex, asked_with, codes_in_force, given, has_address
from pbem.orders.context import ACTS, SeatQuestion, question_of
from pbem.orders.messages import say
from pbem.orders.parser import LIMITS, is_unchanged_form, read
from pbem.orders.replies import (
    ReplyContext,
    ReplySignals,
    SentTexts,
    Tag,
    interpret_reply,
    tags_in,
    with_surrounding_text,
)
from pbem.orders.replies.interpret import ReplyMeaning
from pbem.orders.replies.sections import names_of
from pbem.orders.reply_codes import same_code
from pbem.orders.suggestions import NearMiss, suggest
from pbem.orders.syntax_tree import Answer, Comment, OrderBlock, ReplyText
from pbem.save import Save, SeatInfo, Session

_PROBLEMS_OF_FORMS = ("block.unchanged", "block.form")


# -- which game, which seat ------------------------------------------------------------------------------------------


Spans = Sequence[tuple[int, int]]


def add_reply_blocks(letter: Email, spans: Spans, index: SaveIndex, sent: SentLetters) -> Email:
    """The letter with what may stand in it without a block: a further block for each form of ours that it quotes.

    `spans` are the lines of its text that are read as blocks.
    """
    mail = letter.mail
    reply = ReplyText(mail.text, tuple(spans))
    if "dear_page" in mail.problems:
        return letter
    forms = [block for block in letter.blocks if _is_form(block)]
    blocks = [block for block in letter.blocks if block not in forms]
    if blocks:
        for block in blocks:
            block.reply = reply
        return letter
    for block in forms:
        block.problem, block.reply = None, msgspec.structs.replace(reply, form=True)
    found = _own(tags_in(mail.text), mail, index) or _answered(mail, index, sent, anybody=letter.vouched)
    if not found:
        return letter
    if len(found) * mail.text.count("\n") > LIMITS.rows:
        return _too_long(letter)
    return msgspec.structs.replace(letter, blocks=tuple(_blocks(found, forms[:1], reply, index)))


def _is_form(block: OrderBlock) -> bool:
    """Whether a block is a reply form as it was sent out."""
    if block.problem is not None:
        return block.problem.key in _PROBLEMS_OF_FORMS
    return is_unchanged_form(block) and any(not isinstance(item, Comment) for item in block.items)


def _own(tags: Sequence[Tag], mail: DecodedEmail, index: SaveIndex) -> list[Tag]:
    """The tags of a letter, one for a seat: its current one, if that is there. Those of its writer's seats, if any."""
    own = [tag for tag in tags if _seat_of(tag.game, tag.seat, mail, index) is not None]
    chosen: dict[tuple[str, str], Tag] = {}
    for tag in own or tags:
        key = (normalize_word(tag.game), normalize_word(tag.seat))
        save = index.find(tag.game)
        current = save is not None and same_code(tag.code, codes_in_force(save, normalize_word(tag.seat)))
        if current or key not in chosen:
            chosen[key] = tag
    return list(chosen.values())


def _answered(mail: DecodedEmail, index: SaveIndex, sent: SentLetters, *, anybody: bool = False) -> list[Tag]:
    """The tag of the letter of ours that a mail answers by its Message-ID: of its writer's seats, or of `anybody`'s."""
    named = tuple(filter(None, (mail.in_reply_to, *mail.references)))
    for game, name in games_named(named):
        seat, save = _seat_of(game, name, mail, index, anybody=anybody), index.find(game)
        if seat is None or save is None:
            continue
        number = letter_answered(save, seat, named)
        code = code_in(sent, save, seat, number) if number else ""
        if code:
            return [Tag(save.header.name, seat.id, code, 1, 0)]
    return []


def _seat_of(
    game: str, name: str, mail: DecodedEmail, index: SaveIndex, *, anybody: bool = False
) -> SeatInfo | None:
    """The seat of that name, if the mail's writer plays it or it may be `anybody`'s."""
    save = index.find(game)
    mine = (
        seat
        for seat in (save.seats if save else ())
        if normalize_word(seat.id) == normalize_word(name)
        and (anybody or has_address(seat, mail.sender or "", mail.at))
    )
    return next(mine, None)


def _blocks(
    tags: Sequence[Tag], forms: Sequence[OrderBlock], reply: ReplyText, index: SaveIndex
) -> list[OrderBlock]:
    """A block for each tag; the untouched form itself, where the tag is that of one."""
    numbers = [_number(tag, index) for tag in tags]
    found = []
    for at, tag in enumerate(tags):
        same = [
            block
            for block in forms
            if (normalize_word(block.game), normalize_word(block.seat))
            == (normalize_word(tag.game), normalize_word(tag.seat))
        ]
        block = same[0] if same else OrderBlock(tag.game, tag.seat, tag.code, tag.line, tag.line)
        others = tuple(number for no, number in enumerate(numbers) if no != at)
        block.reply = msgspec.structs.replace(reply, form=bool(same), others=others)
        found.append(block)
    return found


def _number(tag: Tag, index: SaveIndex) -> int:
    save = index.find(tag.game)
    seat = next(
        (
            info
            for info in (save.seats if save else ())
            if normalize_word(info.id) == normalize_word(tag.seat)
        ),
        None,
    )
    return given(save, seat, tag.code)[1] if save is not None and seat is not None else 0


# -- what it says ----------------------------------------------------------------------------------------------------


def resolve_reply(
    claim: Claim, letter: Email, session: Session, sent: SentLetters, own: frozenset[str]
) -> Claim:
    """A genuine claim on a reply, with the orders that stand in it; or the reason why it holds none."""
    block = claim.block
    if block is None or block.problem is not None or claim.reason or not claim.seat:
        return claim
    if letter.received.kind != "mail":
        return claim
    if session.referee.talk is not None:
        claim = msgspec.structs.replace(claim, answers=_number_answered(claim, letter, session.save, sent))
    if block.reply is None:
        return claim
    seat = session.save.seat(claim.seat)
    block = msgspec.structs.replace(block, seat=seat.id)
    reply = block.reply
    assert reply is not None
    explicit = any(isinstance(item, Answer) for item in block.items) and not reply.form
    named = (letter.mail.in_reply_to or "", *letter.mail.references)
    letters = () if explicit else (*sent.reminders(named), *sent.to(session.save, seat))
    judge = judge_of(session, seat, letter.mail, block, letters, own)
    if letter.vouched and asked_with(session.save, seat, block.code):
        judge = msgspec.structs.replace(judge, current=True)
    if block.items and not reply.form:
        block.items = with_surrounding_text(reply, block, judge)
        return msgspec.structs.replace(claim, block=block)
    found = interpret_reply(reply, block, judge)
    if not found.items and reply.form and not found.said:
        return claim  # the form came back with nothing else: it says what it shows
    if not found.items:
        return _nothing(claim, found, judge, letter.mail)
    block.items, block.problem = found.items, None
    return msgspec.structs.replace(claim, block=block)


def _number_answered(claim: Claim, letter: Email, save: Save, sent: SentLetters) -> int:
    """The number of our letter that a mail answers: by the ids that it names, else by its code."""
    seat, mail = save.seat(claim.seat), letter.mail
    named = tuple(filter(None, (mail.in_reply_to, *mail.references)))
    found = letter_answered(save, seat, named)
    code = claim.block.code if claim.block is not None else ""
    return found or max(
        (letter_sent.number for letter_sent in sent.to(save, seat) if letter_sent.code == code), default=0
    )


def _nothing(claim: Claim, found: ReplyMeaning, judge: ReplyContext, mail: DecodedEmail) -> Claim:
    """A reply that answers nothing: its writer is told why; of what is past, that it is."""
    if found.said and not judge.current:
        assert claim.block is not None
        return claim
    reason, detail = unread_of(mail)
    return msgspec.structs.replace(claim, reason=reason, detail=detail, tell=(claim.seat,))


def judge_of(
    session: Session,
    seat: SeatInfo,
    mail: DecodedEmail,
    block: OrderBlock,
    letters: Iterable[SentLetter],
    own: frozenset[str],
) -> ReplyContext:
    """What a reply of a seat is weighed against. `letters` are those that it may copy."""
    save = session.save
    question = question_of(session.referee, seat.id)
    game = save.header.name
    assert block.reply is not None
    return ReplyContext(
        q=question.q if question is not None else 0,
        talk=question is not None and question.talk,
        current=_is_current(save, seat, block.code),
        legal=legal_of(session, seat.id, question),
        act=_acts(session),
        near=_near_of(session, seat.id, question),
        ours=_ours(tuple(text for letter in letters for text in letter.texts), plain=mail.text.isascii()),
        marks=ReplySignals(
            tuple(own), f"[{game}]", f"pbem {game}", (mail.sender or "", mail.sender_name, seat.name)
        ),
        names=names_of(seat.name, mail.sender_name, (mail.sender or "").partition("@")[0]),
        others=block.reply.others,
    )


@lru_cache(maxsize=16)
def _ours(texts: tuple[str, ...], *, plain: bool) -> SentTexts:
    """Kept, for a seat may write several times between two letters of ours."""
    return SentTexts(texts, plain=plain)


def _is_current(save: Save, seat: SeatInfo, code: str) -> bool:
    """Whether a code is that of the open question, so that an answer need not name it."""
    when, number, fresh = given(save, seat, code)
    return when == PRESENT or (
        fresh and number == seat.told_q and same_code(code, codes_in_force(save, seat.id))
    )


def legal_of(session: Session, seat: str, question: SeatQuestion | None) -> Callable[[str], str]:
    """What a text is as an answer to the question open to a seat, canonical; "" if it is none. No word may be cut."""
    referee = session.referee
    names = ExactNames(referee.names.silent())

    @lru_cache(maxsize=256)  # a line of a reply is looked at more than once
    def legal(text: str) -> str:
        if question is None or not text:
            return ""
        try:
            value = question.domain.parse(_plain_words(text), names)
            referee.check(seat, value)
        except Rejection:
            return ""
        return question.domain.text(value)

    return legal


def _near_of(session: Session, seat: str, question: SeatQuestion | None) -> Callable[[str], NearMiss | None]:
    """What to say of a line that was probably meant as an answer to the question open to a seat."""
    referee = session.referee

    def near(text: str) -> NearMiss | None:
        if question is None:
            return None
        body = _plain_words(text)
        try:
            referee.check(seat, question.domain.parse(body, ExactNames(referee.names)))
        except Rejection as refused:
            return suggest(question, body, refused.problem, referee.names)
        return None

    return near


def _plain_words(text: str) -> str:
    from pbem.orders.statements import answer_words

    return answer_words(text)


def _acts(session: Session) -> Callable[[str], bool]:
    """What looks like an act of a negotiation: its first word is one."""
    names = session.referee.names

    def act(text: str) -> bool:
        first = _plain_words(text).split(" ", 1)[0]
        return bool(first) and names.exact(first, ACTS) is not None

    return act


# `Received → Letter`: a mail is decoded, a move file is read; then its blocks, and the games they are for.

NOWHERE = ""
"""The game of a letter that is for none that is here."""


def parse_message(received: Received, number: int = 0) -> Email:
    """The letter in a message; of a mail the blocks are not read yet, since most of what is not for us has none."""
    if received.kind in ("unreadable", "missing"):
        return Email(number=number, received=received, mail=DecodedEmail())
    if received.kind == "orders":
        return _move_file(received, number)
    return Email(number=number, received=received, mail=decode_mail(received.raw))


def _move_file(received: Received, number: int) -> Email:
    """Whoever can put files here is the moderator: each block counts."""
    text = clean_text(decode_bytes(received.raw, None)[0])
    reading = read(text, several=True)
    nothing = "; ".join(say(finding.key, finding.args) for finding in reading.findings)
    return Email(
        number=number,
        received=received,
        mail=DecodedEmail(
            message_id=f"<{received.key}>", text=text, body_hash=hashlib.sha256(received.raw).hexdigest()
        ),
        blocks=tuple(reading.blocks),
        coded=any(block.code for block in reading.blocks),
        nothing=nothing or "this file has no order block (BEGIN ORDERS … END ORDERS)",
    )


def with_order_blocks(letter: Email, index: SaveIndex, sent: SentLetters, most: int = LIMITS.letter) -> Email:
    """A mail with its blocks of orders: of its text, then of its order files; without reply forms that came along.

    What stands in a reply without a block becomes one, to be settled when its game is open (`replies`).

    A mailbox may be read while a letter is being written into it. If the letter ends in the middle of a line or of its
    MIME structure, a block without END ORDERS is half a block, and is refused. If fewer characters than a letter may
    have are to be read, `most` says how many.
    """
    mail = letter.mail
    if "too_large" in mail.problems:
        return letter
    texts = [mail.text, *(file.text for file in mail.attachments)]
    if max(map(len, texts)) > LIMITS.letter or sum(text.count("\n") for text in texts) > LIMITS.rows:
        return _too_long(letter)
    cut = not letter.received.raw.endswith(b"\n") and not letter.vouched
    readings = [read(text[:most] if most < LIMITS.letter else text) for text in texts]
    blocks = [block for reading in readings for block in reading.blocks]
    for block in blocks:
        if not block.ended and (cut or "bad_mime" in mail.problems):
            block.problem = RejectionReason("block.cut")
    kept = [block for block in blocks if block.problem is None or block.problem.key != "block.form"]
    if kept:  # what is to be said of a part without orders of its own is said with the others
        kept[0].findings += [
            finding for reading in readings if not reading.blocks for finding in reading.findings
        ]
    whole = msgspec.structs.replace(letter, blocks=tuple(kept), mail=_half(mail) if cut else mail)
    if most < LIMITS.letter and not kept:
        # Which letter of ours a stranger answers; what they say is not read.
        tags = _own(tags_in(mail.text[:most]), mail, index) or _answered(mail, index, sent, anybody=True)
        blocks = [OrderBlock(tag.game, tag.seat, tag.code, tag.line, tag.line) for tag in tags[:1]]
        return msgspec.structs.replace(whole, blocks=tuple(blocks))
    if cut or most < LIMITS.letter:
        return whole
    spans = [(block.line, block.last) for block in readings[0].blocks]
    return add_reply_blocks(whole, spans, index, sent)


def _too_long(letter: Email) -> Email:
    """A letter that isn't read, so that its writer is told."""
    mail = letter.mail
    return msgspec.structs.replace(
        letter, mail=msgspec.structs.replace(mail, problems=(*mail.problems, "too_long")), blocks=()
    )


def _half(mail: DecodedEmail) -> DecodedEmail:
    """A mail that was cut off. It may read like the whole one, which is still to come and must not pass for known."""
    return msgspec.structs.replace(
        mail, body_hash=hashlib.sha256(f"{mail.body_hash} cut".encode()).hexdigest()
    )


def with_trusted_sender(letter: Email, seat: str, index: SaveIndex, sent: SentLetters) -> Email:
    """A letter whose writer the moderator knows: its blocks for a game and seat that are here.

    `seat` says whose they are, "" if they say it themselves.
    """
    letter = with_order_blocks(msgspec.structs.replace(letter, vouched=True), index, sent)
    known = []
    for block in letter.blocks:
        block.seat = seat or block.seat
        save = index.find(block.game)
        if save is not None and any(info.id == normalize_word(block.seat) for info in save.seats):
            known.append(block)
    return msgspec.structs.replace(letter, blocks=tuple(known))


def strangers(letter: Email, index: SaveIndex) -> list[str]:
    """The seats that a released letter names, if they are several and not all its sender's: whose is it?"""
    named = {(normalize_word(block.game), normalize_word(block.seat)) for block in letter.blocks}
    his = {
        (normalize_word(save.header.name), normalize_word(seat.id))
        for save, seat in index.seats_of(letter.mail.sender or "", letter.mail.at)
    }
    return sorted({seat for _, seat in named}) if len(named) > 1 and named - his else []


def by_game(letter: Email, index: SaveIndex) -> Iterator[tuple[str, Email]]:
    """The letter's part for each game that is here, by the game's name; `NOWHERE` if there is none.

    A block for a game that is not here goes with the first part; a letter without any that is here to its writer's
    first game.
    """
    parts: dict[str, list[OrderBlock]] = {}
    strays: list[OrderBlock] = []
    for block in letter.blocks:
        name = normalize_word(block.game)
        (parts.setdefault(name, []) if name in index.headers else strays).append(block)
    if not parts:
        first = next(index.seats_of(letter.mail.sender or "", letter.mail.at), None)
        yield (normalize_word(first[0].header.name) if first is not None else NOWHERE), letter
        return
    for number, (name, blocks) in enumerate(parts.items()):
        yield name, msgspec.structs.replace(letter, blocks=(*blocks, *(() if number else strays)))
