"""What the intake must know of a letter: its blocks, its keys, when it came, which codes are in force."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from pbem.clock.policy import stamp
from pbem.kernel.problems import Problem
from pbem.kernel.words import fold
from pbem.orders import Block, prompt_codes, read
from pbem.post.inbox.identify import Verdict
from pbem.post.inbox.mime import Letter
from pbem.post.inbox.sources import Received
from pbem.post.save_index import code_key, holder
from pbem.save import Save, SeatInfo, Session


def written_blocks(letter: Letter, *, cut: bool = False) -> list[Block]:
    """The order blocks of a letter: of its text, then of its order files; without reply forms that came along.

    A mailbox may be read while a letter is being written into it. If the letter ends in the middle of a line (`cut`) or
    of its MIME structure, a block without END ORDERS is half a block, and is refused.
    """
    readings = [read(letter.text), *(read(file.text) for file in letter.attachments)]
    blocks = [block for reading in readings for block in reading.blocks]
    for block in blocks:
        if not block.ended and (cut or "bad_mime" in letter.problems):
            block.problem = Problem("block.cut")
    kept = [block for block in blocks if block.problem is None or block.problem.key != "block.form"]
    if (
        kept
    ):  # a part of the letter without orders of its own: what is to be said of it is said with the others
        kept[0].findings += [one for reading in readings if not reading.blocks for one in reading.findings]
    return kept


def intake_key(letter: Letter, blocks: list[tuple[Block, Verdict]], *, vouched: bool = False) -> str:
    """What makes a letter the same letter: its id (else its sender), its content, and the prompts it answers."""
    codes = [f"{fold(one.game)} {fold(one.seat)} {one.code}" for one, _ in blocks]
    parts = [
        letter.message_id or letter.sender or "",
        letter.body_hash,
        *codes,
        *(["vouched"] if vouched else []),
    ]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def held_id(received: Received, letter: Letter | None) -> str:
    """The id of a letter in the quarantine: the same for every copy of it."""
    if letter is None or letter.message_id is None:
        parts = [received.kind, received.key]
    else:
        parts = [letter.message_id, letter.sender or letter.sender_name, letter.subject, letter.body_hash]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:12]


def codes_of(session: Session, seat: str) -> tuple[str, ...]:
    """The prompt codes in force for a seat."""
    save, referee = session.save, session.referee
    told = save.seat(seat).told_q if has_seat(save, seat) else 0
    key, name, epoch = code_key(save), save.header.name, save.dice.epoch
    return prompt_codes(
        key, name, holder(save, seat), epoch, referee.q, asked=seat in referee.asked(), told=told
    )


def info(save: Save, seat: str) -> SeatInfo:
    """What the save knows of a seat; the moderator and mistyped seats are nobody's."""
    return next((one for one in save.seats if one.id == seat), None) or SeatInfo(seat)


def has_seat(save: Save, seat: str) -> bool:
    """Whether the game has a seat of that id."""
    return any(one.id == seat for one in save.seats)


def received_at(received: Received, letter: Letter, now: datetime) -> str:
    """When a letter was received: by our own mail host's stamp or the Maildir, never by the sender's clock."""
    moment = now
    if received.delivered:
        moment = datetime.fromtimestamp(received.delivered, UTC)
    elif letter.received:
        try:
            moment = parsedate_to_datetime(letter.received)
        except (ValueError, TypeError, OverflowError):
            moment = now
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return stamp(min(moment, now))
