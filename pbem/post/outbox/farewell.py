"""Last letters to people who leave: they owe nothing more, and their calendars say so.

Such a letter has none of the seat's numbers, so that its bounce is not taken for one of a successor's.
"""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime

from pbem.moments import stamp
from pbem.post.outbox.addressing import addressed
from pbem.post.outbox.calendars import take_back, take_back_copy
from pbem.post.outbox.message import host_of
from pbem.post.outbox.reader import reader_of
from pbem.post.outbox.wording import as_text
from pbem.post.save_index import code_key
from pbem.save import Delegate, OutLetter, SeatInfo, Session


def farewell(session: Session, seat: SeatInfo, at: datetime) -> None:
    """Put a last letter to the player of a seat, and to those who play for it, into the outbox."""
    if not seat.addresses or not seat.told.letters:
        return
    for delegate in seat.delegates:
        letter = _last_letter(
            session, seat, delegate.address, at, "farewell", f"-{_mark(delegate.address, at)}"
        )
        take_back_copy(session, seat, letter)
    letter = _last_letter(session, seat, seat.addresses[0], at, "farewell")
    take_back(session, seat, letter)


def farewell_delegate(session: Session, seat: SeatInfo, delegate: Delegate, at: datetime) -> None:
    """The same to somebody whose time of playing for a seat is over."""
    if not seat.addresses:
        return  # there were no letters
    mark = f"-{_mark(delegate.address, at)}"
    letter = _last_letter(session, seat, delegate.address, at, "delegate.over", mark)
    take_back_copy(session, seat, letter)


def _mark(to: str, at: datetime) -> str:
    """What tells the last letters of one seat apart."""
    return hashlib.sha256(f"{to} {stamp(at)}".encode()).hexdigest()[:8]


def _last_letter(
    session: Session, seat: SeatInfo, to: str, at: datetime, words: str, mark: str = ""
) -> OutLetter:
    """A letter of these `words` of the post, put into the outbox. It belongs to no thread."""
    save, reads = session.save, reader_of(session, seat)
    letter = addressed(save, seat, [], "")
    letter.id, letter.of_play = f"{seat.id}.0000-farewell{seat.tenure}{mark}", False
    letter.at, letter.to, letter.thread = at, to, []
    secret = hmac.digest(code_key(save), f"farewell {letter.id}".encode(), "sha256").hex()[:16]
    letter.message_id = f"<{save.header.name}.{letter.id}.{secret}@{host_of(letter.sender)}>"
    text = reads.words(words, seat=reads.say.name(seat.id), game=save.header.name)
    letter.subject = reads.words("farewell.subject", game=save.header.name)
    letter.body = as_text(text) + "\n"
    save.outbox.append(letter)
    return letter
