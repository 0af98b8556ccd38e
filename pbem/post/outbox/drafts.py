"""Parts of a seat's next letter, kept in the save until the letters of the run are written: receipts and messages."""

from __future__ import annotations

from datetime import datetime, timedelta

from pbem.orders.receipt import Receipt
from pbem.post.inbox.plain import clean_line
from pbem.post.outbox.reader import reader_of
from pbem.post.outbox.receipts import kept
from pbem.report.catalogue import messages
from pbem.save import Draft, Save, SeatInfo, Session

NOTICES = 3
"""Notices on letters put aside that a seat gets before orders of its own are taken again: a guard against loops."""

NOTICED_FOR = timedelta(days=7)
"""After so long it gets notices again: else a forger could use them up for ever."""


def add_receipt(
    session: Session,
    receipt: Receipt,
    key: str,
    at: datetime,
    reply_to: str = "",
    subject: str = "",
    *,
    by_mail: bool = True,
) -> None:
    """Keep a receipt for the seat's next letter.

    `reply_to` is the id of the letter it answers, `subject` what that is about; else it is for orders that the
    moderator entered.
    """
    save = session.save
    seat = save.seat(receipt.seat) if is_seat(save, receipt.seat) else SeatInfo(receipt.seat)
    draft = Draft(f"{seat.id}.{key}", seat.id, "", at, reply_to, kept(receipt))
    draft.subject, draft.entered = clean_line(subject, 200), not by_mail
    save.drafts.append(draft)


def add_notice(session: Session, seat: SeatInfo, reason: str, key: str, at: datetime, **args: str) -> bool:
    """Tell a seat's address on file that a letter was put aside, unless it was told so too often in a row."""
    told, now = seat.told, at
    if told.noticed is None or now - told.noticed >= NOTICED_FOR:
        told.notices, told.noticed = 0, now
    if told.notices >= NOTICES or f"notice.{reason}" not in messages("pbem.post", "en"):
        return False
    told.notices += 1
    words = reader_of(session, seat).words
    parts = [words("notice.head", subject=args.get("subject", "")).rstrip(" :：")]
    parts.append(words(f"notice.{reason}", **{"game": session.save.header.name, "seat": seat.id, **args}))
    if told.notices == NOTICES:
        parts.append(words("notice.last"))
    add_text(session.save, seat, key, "\n".join(parts), at)
    return True


def add_words(session: Session, seat: SeatInfo, words: str, key: str, at: datetime, **args: str) -> None:
    """Keep a message of the post (`words`, filled from `args`) for a seat's next letter; `key` makes it known again."""
    add_text(session.save, seat, key, reader_of(session, seat).words(words, **args), at)


def add_text(save: Save, seat: SeatInfo, key: str, text: str, at: datetime) -> None:
    """Keep a text for a seat's next letter."""
    save.drafts.append(Draft(f"{seat.id}.{key}", seat.id, text.rstrip("\n"), at))


def drafts_for(save: Save, seat: str) -> list[Draft]:
    """What waits for a seat's next letter, oldest first."""
    return [draft for draft in save.drafts if draft.seat == seat]


def is_seat(save: Save, seat: str) -> bool:
    """Whether the game has a seat of that id: the moderator is none."""
    return any(info.id == seat for info in save.seats)
