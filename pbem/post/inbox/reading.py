"""`Received → Letter`: a mail is decoded, a move file is read; then its blocks, and the games they are for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import msgspec

from pbem.kernel.problems import Problem
from pbem.kernel.words import fold
from pbem.orders.grammar import LIMITS, read
from pbem.orders.items import Block
from pbem.orders.messages import say
from pbem.post.inbox.mime import decode_mail
from pbem.post.inbox.plain import clean_text, decode_bytes
from pbem.post.inbox.replies import with_reply
from pbem.post.inbox.values import Letter, Mail, Received
from pbem.post.outbox.sent import SentLetters
from pbem.post.save_index import SaveIndex

NOWHERE = ""
"""The game of a letter that is for none that is here."""


def letter_of(received: Received, number: int = 0) -> Letter:
    """The letter in a message; of a mail the blocks are not read yet, since most of what is not for us has none."""
    if received.kind == "unreadable":
        return Letter(number=number, received=received, mail=Mail())
    if received.kind == "orders":
        return _move_file(received, number)
    return Letter(number=number, received=received, mail=decode_mail(received.raw))


def _move_file(received: Received, number: int) -> Letter:
    """Whoever can put files here is the moderator: each block counts."""
    text = clean_text(decode_bytes(received.raw, None)[0])
    reading = read(text, several=True)
    nothing = "; ".join(say(finding.key, finding.args) for finding in reading.findings)
    return Letter(
        number=number,
        received=received,
        mail=Mail(
            message_id=f"<{received.key}>", text=text, body_hash=hashlib.sha256(received.raw).hexdigest()
        ),
        blocks=tuple(reading.blocks),
        nothing=nothing or "no block from BEGIN ORDERS to END ORDERS in this file",
    )


def with_blocks(letter: Letter, index: SaveIndex, sent: SentLetters, most: int = LIMITS.letter) -> Letter:
    """A mail with its blocks of orders: of its text, then of its order files; without reply forms that came along.

    What stands in a reply without a block becomes one, to be settled when its game is open (`replies`).

    A mailbox may be read while a letter is being written into it. If the letter ends in the middle of a line or of its
    MIME structure, a block without END ORDERS is half a block, and is refused. If fewer characters than a letter may
    have are to be read, `most` says how many.
    """
    mail = letter.mail
    cut = not letter.received.raw.endswith(b"\n") and not letter.vouched
    texts = [mail.text, *(file.text for file in mail.attachments)]
    readings = [read(text[:most] if most < LIMITS.letter else text) for text in texts]
    blocks = [block for reading in readings for block in reading.blocks]
    for block in blocks:
        if not block.ended and (cut or "bad_mime" in mail.problems):
            block.problem = Problem("block.cut")
    kept = [block for block in blocks if block.problem is None or block.problem.key != "block.form"]
    if kept:  # what is to be said of a part without orders of its own is said with the others
        kept[0].findings += [
            finding for reading in readings if not reading.blocks for finding in reading.findings
        ]
    whole = msgspec.structs.replace(letter, blocks=tuple(kept), mail=_half(mail) if cut else mail)
    if cut or most < LIMITS.letter:
        return whole
    spans = [(block.line, block.last) for block in readings[0].blocks]
    return with_reply(whole, spans, index, sent)


def _half(mail: Mail) -> Mail:
    """A mail that was cut off. It may read like the whole one, which is still to come and must not pass for known."""
    return msgspec.structs.replace(
        mail, body_hash=hashlib.sha256(f"{mail.body_hash} cut".encode()).hexdigest()
    )


def vouched(letter: Letter, seat: str, index: SaveIndex, sent: SentLetters) -> Letter:
    """A letter whose writer the moderator knows: its blocks for a game and seat that are here.

    `seat` says whose they are, "" if they say it themselves.
    """
    letter = with_blocks(msgspec.structs.replace(letter, vouched=True), index, sent)
    known = []
    for block in letter.blocks:
        block.seat = seat or block.seat
        save = index.find(block.game)
        if save is not None and any(info.id == fold(block.seat) for info in save.seats):
            known.append(block)
    return msgspec.structs.replace(letter, blocks=tuple(known))


def by_game(letter: Letter, index: SaveIndex) -> Iterator[tuple[str, Letter]]:
    """The letter's part for each game that is here, by the game's name; `NOWHERE` if there is none.

    A block for a game that is not here goes with the first part; a letter without any that is here to its writer's
    first game.
    """
    parts: dict[str, list[Block]] = {}
    strays: list[Block] = []
    for block in letter.blocks:
        name = fold(block.game)
        (parts.setdefault(name, []) if name in index.headers else strays).append(block)
    if not parts:
        first = next(index.seats_of(letter.mail.sender or ""), None)
        yield (fold(first[0].header.name) if first is not None else NOWHERE), letter
        return
    for number, (name, blocks) in enumerate(parts.items()):
        yield name, msgspec.structs.replace(letter, blocks=(*blocks, *(() if number else strays)))
