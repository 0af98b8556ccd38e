"""How much press one seat may send another, and how much of it travels in the letter that asks.

Press is relayed whole or not at all. docs/player.md tells the limits in advance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

from pbem.kernel.problems import Problem
from pbem.save import Press, Save

DAY = timedelta(hours=24)
MESSAGES = 20
"""Messages that a seat may send another within a day."""
CHARACTERS = 24_000
"""Characters of them; a message to everybody counts for each."""
BESIDE_A_QUESTION = 8_000
"""Characters of press in the letter with the question. If there is more, all of it goes in letters of its own."""
LETTER = 60_000
"""Characters of press in one of those."""


def over_limit(save: Save, press: Press) -> Problem | None:
    """Why a message cannot be relayed today; None if it can."""
    others = [seat.id for seat in save.seats if seat.id != press.seat]
    since = press.at - DAY
    for to in press.to or others:
        sent = [
            letter
            for letter in save.press
            if letter.seat == press.seat and (not letter.to or to in letter.to) and letter.at > since
        ]
        size = sum(len(letter.text) for letter in sent) + len(press.text)
        if len(sent) >= MESSAGES or size > CHARACTERS:
            return Problem("press.day", {"to": to, "messages": MESSAGES, "characters": CHARACTERS})
    return None


def fits_beside_a_question(press: Sequence[Press]) -> bool:
    """Whether press is so little that it travels with what a seat is asked."""
    return sum(len(letter.text) for letter in press) <= BESIDE_A_QUESTION


def portions(press: Sequence[Press]) -> Iterator[list[Press]]:
    """Press for letters of its own, in its order."""
    portion: list[Press] = []
    size = 0
    for letter in press:
        if portion and size + len(letter.text) > LETTER:
            yield portion
            portion, size = [], 0
        portion.append(letter)
        size += len(letter.text)
    if portion:
        yield portion
