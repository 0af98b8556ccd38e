"""A text becomes a letter: its number and place in the seat's thread, and the copies for those who read along."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import msgspec

from pbem.post.outbox.message import NOBODY, host_of, letter_ident
from pbem.post.save_index import code_key, code_of
from pbem.save import Draft, OutLetter, Save, SeatInfo, Session


def addressed(save: Save, seat: SeatInfo, answers: Sequence[Draft], sender: str) -> OutLetter:
    """An empty letter to a seat with its number and its place in the thread; `answers` are the drafts that it holds."""
    number = seat.told.letters + 1
    home = sender_of(save, sender)
    ident = letter_ident(save.header.name, seat.id, number, code_key(save), host_of(home))
    answered = [draft.reply_to for draft in answers if draft.reply_to]
    thread = [message_id for message_id in (seat.told.first, seat.told.last, *answered[-1:]) if message_id]
    return OutLetter(
        f"{seat.id}.{number:04d}",
        seat.id,
        seat.addresses[0],
        "",
        "receipt" if answers else "news",
        of_play=not answers,
        sender=home,
        message_id=f"<{ident}>",
        thread=list(dict.fromkeys(thread)),
    )


def copies(session: Session, seat: SeatInfo, letter: OutLetter) -> Iterator[OutLetter]:
    """The letter for those who read along: whoever plays for the seat gets it whole, watchers without its code."""
    code = code_of(session.save, seat.id, session.referee.q)
    people = [(delegate.address, False) for delegate in seat.delegates] + [
        (watcher, True) for watcher in seat.watchers
    ]
    ident, at, host = letter.message_id.partition("@")
    for number, (address, watching) in enumerate(people, 1):
        copy = msgspec.structs.replace(
            letter, id=f"{letter.id}-c{number}", to=address, message_id=f"{ident}c{number}{at}{host}"
        )
        if watching:
            # The id of a letter serves as its code: whoever only reads along must not learn it.
            key = code_key(session.save)
            copy.message_id = _veiled(letter.message_id, key)
            copy.thread = [_veiled(message_id, key) for message_id in letter.thread]
            copy.calendar = copy.cancelled = copy.view = ""  # what the seat owes is not his to answer
            copy.body, copy.html = letter.body.replace(code, "----"), letter.html.replace(code, "----")
        yield copy


def _veiled(ident: str, key: bytes) -> str:
    """A Message-ID that stands for another, and from which that cannot be told."""
    name = hashlib.blake2b(ident.encode(), key=key[:64], digest_size=16).hexdigest()
    return f"<{name}@{ident.rpartition('@')[2].rstrip('>')}>"


def sender_of(save: Save, sender: str) -> str:
    """The address that letters about a game come from."""
    return sender or save.post.sender or NOBODY
