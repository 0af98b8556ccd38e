"""Prompt codes: eight hex digits that tie a letter to the question it answers, so that a stale reply is harmless.

Eight more may stand behind them, the beginning of the head that the letter told of: `3f9c-a1d2-07bb-1c4e`.
So an answer carries back what its writer has last seen, and nobody has to type it.
"""

from __future__ import annotations

import hmac
import unicodedata
from collections.abc import Iterable

LONGEST = 40
"""Signs of a code that are kept as written; a genuine one has at most nineteen."""


def prompt_code(secret: bytes, game: str, seat: str, epoch: int, q: int) -> str:
    """The code of question `q` for `seat`, e.g. `3f9c-a1d2`. `epoch` counts rewinds: codes of a lost branch die."""
    message = "\0".join((game, seat, str(epoch), str(q)))
    digest = hmac.digest(secret, message.encode(), "sha256").hex()
    return f"{digest[:4]}-{digest[4:8]}"


def prompt_codes(
    secret: bytes, game: str, seat: str, epoch: int, q: int, *, asked: bool, told: int = 0
) -> tuple[str, ...]:
    """The codes a letter of `seat` may carry now. `q` is the open question, `told` that of the seat's last letter.

    Who is asked must answer to the open question. Who is not may use the code of his last letter: nothing that
    concerned him has happened since.
    """
    numbers = (q,) if asked or not told or told == q else (q, told)
    return tuple(prompt_code(secret, game, seat, epoch, number) for number in numbers)


def plain_code(code: str) -> str:
    """A code as it is compared: lower case, without blanks and dashes of any kind, full-width letters made plain."""
    folded = unicodedata.normalize("NFKC", code).casefold()
    return "".join(sign for sign in folded if sign.isalnum())


def grouped_code(code: str) -> str:
    """A code as letters print it, in groups of four. What is too long for a code stays in one piece."""
    plain = plain_code(code)[:LONGEST]
    if len(plain) > 2 * _DIGITS:
        return plain
    return "-".join(plain[at : at + 4] for at in range(0, len(plain), 4))


def with_head(code: str, head: str) -> str:
    """A prompt code with the beginning of the head (hex) behind it."""
    return f"{code}-{head[:4]}-{head[4:_DIGITS]}" if head else code


def bare_code(code: str) -> str:
    """The prompt code alone, as it is compared."""
    plain = plain_code(code)
    return plain[:_DIGITS] if len(plain) == 2 * _DIGITS else plain


def head_of(code: str) -> str:
    """The beginning of the head that a written code carries, "" if it carries none."""
    plain = plain_code(code)
    return plain[_DIGITS:] if len(plain) == 2 * _DIGITS else ""


_DIGITS = 8


def same_code(written: str, codes: Iterable[str]) -> bool:
    """Whether `written`, with or without a head, is one of `codes`; a wrong code takes as long as a right one."""
    whole, bare = plain_code(written).encode(), bare_code(written).encode()
    found = False
    for code in codes:
        known = plain_code(code).encode()
        found |= hmac.compare_digest(whole, known) | hmac.compare_digest(bare, known)
    return found and bool(whole)
