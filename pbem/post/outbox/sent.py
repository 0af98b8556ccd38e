"""The last letters to a seat, as they went out: what a reply copies from them is not its writer's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import msgspec

from pbem.orders.replies.tags import tags_in
from pbem.patterns import pattern
from pbem.post.outbox.maildir import Outbox
from pbem.post.outbox.message import letter_ident, texts_in
from pbem.post.save_index import code_key, code_of
from pbem.save import Save, SeatInfo

KEPT = 8
"""How many letters back a reply is compared with."""

_IDENT = pattern(r"<([^<>\s]+)\.([^<>\s.]+)\.(\d{1,7})\.([0-9a-f]{16})(?:c\d{1,3})?@([^<>\s@]+)>")


class SentLetter(msgspec.Struct, frozen=True):
    """A letter of ours: its text, its page as text, and the code in it."""

    number: int
    texts: tuple[str, ...]
    code: str = ""


class SentLetters:
    """Letters that lie in an outbox, sent or not, or wait in a save to be delivered."""

    def __init__(self, outbox: Outbox) -> None:
        self.outbox = outbox

    def to(self, save: Save, seat: SeatInfo) -> Iterator[SentLetter]:
        """The last letters to a seat, the newest first."""
        last = seat.told.letters
        for number in range(last, max(last - KEPT, 0), -1):
            found = self.letter(save, seat, number)
            if found is not None:
                yield found

    def letter(self, save: Save, seat: SeatInfo, number: int) -> SentLetter | None:
        """One letter; None if it is not there any more."""
        ident = f"{seat.id}.{number:04d}"
        waiting = next((letter for letter in save.outbox if letter.id == ident), None)
        if waiting is not None:
            texts = (waiting.body, _text_of(waiting.html)) if waiting.html else (waiting.body,)
            return _sent(number, texts, save.header.name, seat.id)
        digest = letter_ident(save.header.name, seat.id, number, code_key(save), "x").rpartition("@")[0]
        path = self.outbox.find(f"{save.header.name}.{ident}.{digest.rpartition('.')[2][:8]}")
        if path is None:
            return None
        return _sent(number, _texts_of(path), save.header.name, seat.id)


def _sent(number: int, texts: tuple[str, ...], game: str, seat: str) -> SentLetter:
    own = (tag for tag in tags_in(texts[0]) if (tag.game, tag.seat) == (game, seat))
    return SentLetter(number, texts, next((tag.code for tag in own), ""))


@lru_cache(maxsize=16)
def _texts_of(path: Path) -> tuple[str, ...]:
    """Text and page of a letter as it was written: a file of the outbox never changes."""
    text, page = texts_in(path.read_bytes())
    return (text, _text_of(page)) if page else (text,)


def _text_of(page: str) -> str:
    from pbem.post.inbox.page import text_of_page  # and the library's parser, which few letters need

    return text_of_page(page)


def letter_answered(save: Save, seat: SeatInfo, message_ids: tuple[str, ...]) -> int:
    """The number of the newest letter to a seat among Message-IDs that a mail names; 0 if there is none.

    Each id holds a keyed digest, so that nobody can name a letter that he has not got.
    """
    newest, key = 0, code_key(save)
    for message_id in message_ids:
        match = _IDENT.fullmatch(message_id)
        if match is None or match[1] != save.header.name or match[2] != seat.id:
            continue
        number = int(match[3])
        ident = letter_ident(match[1], match[2], number, key, match[5])
        if number <= seat.told.letters and ident == f"{match[1]}.{match[2]}.{number}.{match[4]}@{match[5]}":
            newest = max(newest, number)
    return newest


def games_named(message_ids: tuple[str, ...]) -> list[tuple[str, str]]:
    """Game and seat of each Message-ID that looks like one of ours, unproven."""
    found = [(match[1], match[2]) for message_id in message_ids if (match := _IDENT.fullmatch(message_id))]
    return list(dict.fromkeys(found))


def code_in(letters: SentLetters, save: Save, seat: SeatInfo, number: int) -> str:
    """The code that a letter carried; "" if that cannot be told any more."""
    found = letters.letter(save, seat, number)
    if found is not None and found.code:
        return found.code
    return code_of(save, seat.id, seat.told_q) if number == seat.told.letters and seat.told_q else ""
