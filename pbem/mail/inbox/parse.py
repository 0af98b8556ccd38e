"""Parsing of emails: their blocks, and the game and seat of each reply.

A reply names its game by the reply tag that it quotes. Without it, the Message-ID of our email that it answers counts
(In-Reply-To, References). Its orders are in `reply_orders`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import msgspec

from pbem.kernel.order_words import normalize_word
from pbem.kernel.rejections import RejectionReason
from pbem.lazy_regex import pattern
from pbem.mail.inbox.body_text import clean_text, decode_bytes
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.inbox.stages import DecodedEmail, Email, Received
from pbem.mail.outbox.mime_message import StoredEmails, answered_number, code_in, games_named
from pbem.mail.save_index import SaveIndex, codes_in_force, given, has_address, own_addresses
from pbem.orders.messages import say
from pbem.orders.parser import LIMITS, is_unchanged_form, read
from pbem.orders.replies import Tag, tags_in
from pbem.orders.replies.quotation import NUMBERED
from pbem.orders.reply_codes import same_code, with_line_breaks
from pbem.orders.syntax_tree import Comment, InfoRequest, OrderBlock, ReplyText
from pbem.save import Save, SeatInfo

_PROBLEMS_OF_FORMS = ("order_block.unchanged", "order_block.form")


def add_reply_blocks(email: Email, spans: Sequence[tuple[int, int]], index: SaveIndex, sent: StoredEmails) -> Email:
    """Add a block for each of our forms that an email quotes; `spans` are the lines already read as blocks."""
    mail = email.mail
    reply = ReplyText(mail.text, tuple(spans))
    if "dear_page" in mail.problems:
        return email
    forms = [block for block in email.blocks if _is_form(block)]
    blocks = [block for block in email.blocks if block not in forms]
    if blocks:
        for block in blocks:
            block.reply = reply
        return email
    for block in forms:
        block.problem, block.reply = None, msgspec.structs.replace(reply, form=True)
    found = _own(tags_in(mail.text), mail, index) or _answered(mail, index, sent, anybody=email.vouched)
    found = found or _by_plus_address(mail, index)
    if not found:
        return email
    if len(found) * mail.text.count("\n") > LIMITS.rows:
        return _too_long(email)
    return msgspec.structs.replace(email, blocks=tuple(_blocks(found, forms[:1], reply, index)))


def _of_new_address(mail: DecodedEmail, index: SaveIndex) -> OrderBlock | None:
    for _, save in index.marked("moving"):
        for seat in save.seats:
            moving = seat.told.moving
            if moving is None or moving.old or moving.address.casefold() != (mail.sender or "").casefold():
                continue
            if moving.code in mail.text:
                item = InfoRequest(line=1, text=f"address {moving.code}", what="address", value=moving.code)
                return OrderBlock(save.header.name, seat.id, moving.code, 1, 1, [item])
    return None


def _is_form(block: OrderBlock) -> bool:
    if block.problem is not None:
        return block.problem.key in _PROBLEMS_OF_FORMS
    return is_unchanged_form(block) and any(not isinstance(item, Comment) for item in block.items)


def _own(tags: Sequence[Tag], mail: DecodedEmail, index: SaveIndex) -> list[Tag]:
    """Return the tags of an email that are its writer's, one a seat: the current one if present."""
    own = [tag for tag in tags if _seat_of(tag.game, tag.seat, mail, index) is not None]
    chosen: dict[tuple[str, str], Tag] = {}
    for tag in own or tags:
        key = (normalize_word(tag.game), normalize_word(tag.seat))
        save = index.find(tag.game)
        current = save is not None and same_code(tag.code, codes_in_force(save, normalize_word(tag.seat)))
        if current or key not in chosen:
            chosen[key] = tag
    return list(chosen.values())


def _answered(mail: DecodedEmail, index: SaveIndex, sent: StoredEmails, *, anybody: bool = False) -> list[Tag]:
    """Return the tag of our email that a mail answers by its Message-ID; with `anybody`, also of other seats."""
    named = tuple(filter(None, (mail.in_reply_to, *mail.references)))
    reminded = [tag for email in sent.reminders(dict.fromkeys(named)) for tag in tags_in(email.texts[0])]
    if own := [tag for tag in reminded if _seat_of(tag.game, tag.seat, mail, index) is not None]:
        return [msgspec.structs.replace(tag, line=1, depth=0) for tag in own] if len(own) == 1 else []
    for game, name in games_named(named):
        seat, save = _seat_of(game, name, mail, index, anybody=anybody), index.find(game)
        if seat is None or save is None:
            continue
        number = answered_number(save, seat, named)
        code = code_in(sent, save, seat, number) if number else ""
        if code:
            return [Tag(save.header.name, seat.id, code, 1, 0)]
    return []


def plus_game(mail: DecodedEmail, index: SaveIndex) -> Save | None:
    """Return the game that the address of delivery names: `pbem+g01@example.org`. It proves nothing."""
    own = own_addresses(index, "")
    for address in mail.delivered_to:
        local, _, host = address.casefold().rpartition("@")
        base, _, game = local.partition("+")
        home, save = f"{base}@{host}", index.find(game)
        if save is not None and save.post.sender.casefold() in ("", home):
            return save
        if home in own:
            return None
    return None


_MARK = pattern(r"\[([\w.-]{1,80})\]")


def game_named(mail: DecodedEmail, index: SaveIndex) -> Save | None:
    """Return the game that a mail's address of delivery or subject names. It proves nothing."""
    marked = (index.find(mark[1]) for mark in _MARK.finditer(mail.subject))
    return plus_game(mail, index) or next(filter(None, marked), None)


def _by_plus_address(mail: DecodedEmail, index: SaveIndex) -> list[Tag]:
    """Return a tag without a code for the seat of a mail's writer, if only its address of delivery names a game."""
    save = plus_game(mail, index) if mail.text.strip() and not mail.problems else None
    named = games_named(tuple(filter(None, (mail.in_reply_to, *mail.references))))
    if save is None or named:
        return []
    mine = [seat for seat in save.seats if has_address(seat, mail.sender or "", mail.at)]
    return [Tag(save.header.name, seat.id, "", 1, 0) for seat in mine[:1]]


def _seat_of(game: str, name: str, mail: DecodedEmail, index: SaveIndex, *, anybody: bool = False) -> SeatInfo | None:
    save = index.find(game)
    for seat in save.seats if save else ():
        named = normalize_word(seat.id) == normalize_word(name)
        if named and (anybody or has_address(seat, mail.sender or "", mail.at)):
            return seat
    return None


def _blocks(tags: Sequence[Tag], forms: Sequence[OrderBlock], reply: ReplyText, index: SaveIndex) -> list[OrderBlock]:
    numbers = [_number(tag, index) for tag in tags]
    found = []
    for at, tag in enumerate(tags):
        place = normalize_word(tag.game), normalize_word(tag.seat)
        same = [block for block in forms if (normalize_word(block.game), normalize_word(block.seat)) == place]
        block = same[0] if same else OrderBlock(tag.game, tag.seat, tag.code, tag.line, tag.line)
        others = tuple(number for no, number in enumerate(numbers) if no != at)
        block.reply = msgspec.structs.replace(reply, form=bool(same), others=others)
        found.append(block)
    return found


def _number(tag: Tag, index: SaveIndex) -> int:
    save = index.find(tag.game)
    if save is None:
        return 0
    named = (seat for seat in save.seats if normalize_word(seat.id) == normalize_word(tag.seat))
    return next((given(save, seat, tag.code)[1] for seat in named), 0)


NOWHERE = ""
"""The game of an email that isn't for any game here."""


def parse_message(received: Received, number: int = 0) -> Email:
    """Return the email in a message; its blocks aren't read yet, as most foreign mail has none."""
    if received.kind in ("unreadable", "missing"):
        return Email(number=number, received=received, mail=DecodedEmail())
    if received.kind == "orders":
        return _move_file(received, number)
    mail = decode_mail(received.raw)
    mail = msgspec.structs.replace(mail, text=with_line_breaks(mail.text))
    return Email(number=number, received=received, mail=mail)


def _move_file(received: Received, number: int) -> Email:
    """Read a move file: each block counts, as only the moderator can put files here."""
    text = clean_text(decode_bytes(received.raw, None)[0])
    reading = read(text, several=True)
    nothing = "; ".join(say(finding.key, finding.args) for finding in reading.findings)
    digest = hashlib.sha256(received.raw).hexdigest()
    return Email(
        number=number,
        received=received,
        mail=DecodedEmail(message_id=f"<{received.key}>", text=text, body_hash=digest),
        blocks=tuple(reading.blocks),
        coded=any(block.code for block in reading.blocks),
        nothing=nothing or "this file has no order block (BEGIN ORDERS … END ORDERS)",
    )


def with_order_blocks(email: Email, index: SaveIndex, sent: StoredEmails, most: int = LIMITS.email) -> Email:
    """Return a mail with the order blocks of its text and order files, without our untouched reply forms.

    A reply's text without a block becomes a block, to be interpreted once its game is open (`resolve_reply`).

    A mailbox may be read while an email is being written into it. If the email ends within a line or its MIME
    structure, a block without END ORDERS is incomplete and rejected. `most` is the number of characters to read, if
    fewer than usual.
    """
    mail = email.mail
    if "too_large" in mail.problems:
        return email
    texts = [mail.text, *(file.text for file in mail.attachments)]
    if max(map(len, texts)) > LIMITS.email or sum(text.count("\n") for text in texts) > LIMITS.rows:
        return _too_long(email)
    if (confirmed := _of_new_address(mail, index)) is not None:
        return msgspec.structs.replace(email, blocks=(confirmed,))
    cut = email.received.half and not email.vouched
    readings = [read(text[:most] if most < LIMITS.email else text) for text in texts]
    blocks = [block for reading in readings for block in reading.blocks]
    ragged = not email.received.raw.endswith(b"\n") and not email.vouched
    for block in blocks:
        if not block.ended and (ragged or "bad_mime" in mail.problems):
            block.problem = RejectionReason("order_block.cut")
    kept = [block for block in blocks if block.problem is None or block.problem.key != "order_block.form"]
    if kept:  # problems of a part without orders of its own are reported with the others
        kept[0].findings += [finding for reading in readings if not reading.blocks for finding in reading.findings]
    whole = msgspec.structs.replace(email, blocks=tuple(kept), mail=_half(mail) if cut else mail)
    if most < LIMITS.email and not kept:
        # Which of our emails an unknown sender answers; their text isn't read.
        tags = _own(tags_in(mail.text[:most]), mail, index) or _answered(mail, index, sent, anybody=True)
        blocks = [OrderBlock(tag.game, tag.seat, tag.code, tag.line, tag.line) for tag in tags[:1]]
        return msgspec.structs.replace(whole, blocks=tuple(blocks))
    if cut or most < LIMITS.email:
        return whole
    spans = [(block.line, block.last) for block in readings[0].blocks]
    return add_reply_blocks(whole, spans, index, sent)


def _too_long(email: Email) -> Email:
    mail = msgspec.structs.replace(email.mail, problems=(*email.mail.problems, "too_long"))
    return msgspec.structs.replace(email, mail=mail, blocks=())


def _half(mail: DecodedEmail) -> DecodedEmail:
    """Return a cut-off mail with another hash: the whole one is still to come and must not count as known."""
    return msgspec.structs.replace(mail, body_hash=hashlib.sha256(f"{mail.body_hash} cut".encode()).hexdigest())


def with_trusted_sender(email: Email, seat: str, index: SaveIndex, sent: StoredEmails) -> Email:
    """Return an email that the moderator vouches for, with its blocks for seats here; `seat`: whose they are."""
    email = with_order_blocks(msgspec.structs.replace(email, vouched=True), index, sent)
    known = []
    for block in email.blocks:
        block.seat = seat or block.seat
        save = index.find(block.game)
        if save is not None and any(info.id == normalize_word(block.seat) for info in save.seats):
            known.append(block)
    return msgspec.structs.replace(email, blocks=tuple(known))


def strangers(email: Email, index: SaveIndex) -> list[str]:
    """Return the seats that an accepted email names, if there are several and not all are its sender's."""
    named = {(normalize_word(block.game), normalize_word(block.seat)) for block in email.blocks}
    his = {
        (normalize_word(save.header.name), normalize_word(seat.id))
        for save, seat in index.seats_of(email.mail.sender or "", email.mail.at)
    }
    return sorted({seat for _, seat in named}) if len(named) > 1 and named - his else []


def by_game(email: Email, index: SaveIndex) -> Iterator[tuple[str, Email]]:
    """Return the email's part for each game that is here, by the game's name; `NOWHERE` if there is none.

    A block for an unknown game goes with the first part. An email without any known game goes to the game in its
    subject, to one that waits for its writer, or to their first.
    """
    parts: dict[str, list[OrderBlock]] = {}
    strays: list[OrderBlock] = []
    for block in email.blocks:
        name = normalize_word(block.game)
        (parts.setdefault(name, []) if name in index.headers else strays).append(block)
    if not parts:
        mine = list(index.seats_of(email.mail.sender or "", email.mail.at))
        named = game_named(email.mail, index)
        asked = [(save, row.q) for save, seat in mine for row in save.pending if row.seat == seat.id]
        said = NUMBERED.match(email.mail.text.lstrip())
        waiting = sorted(asked, key=lambda row: said is None or int(said[1]) != row[1])
        order = [*(save for save, _ in mine if save is named), *(save for save, _ in (*waiting, *mine))]
        yield (normalize_word(order[0].header.name) if order else NOWHERE), email
        return
    for number, (name, blocks) in enumerate(parts.items()):
        yield name, msgspec.structs.replace(email, blocks=(*blocks, *(() if number else strays)))
