"""Whose letter is it? An address on the seat's list *and* a code that only the seat's letters carry; else quarantine.

`From:` is text that anybody can write, so it proves nothing alone; a prompt code proves that the writer has a letter of
ours, and the two together are what a forger does not have. Where our own mail host stamps its verdict on a letter
(RFC 8601), a failure there counts as well; a success proves nothing more.
"""

from __future__ import annotations

import re

import msgspec

from pbem.kernel.words import fold
from pbem.orders import LIMITS, Block
from pbem.post.inbox.mime import Letter
from pbem.post.save_index import FUTURE, SaveIndex, has_address, is_secret, time_of_code
from pbem.save import Save, SeatInfo

_RESULT = re.compile(r"\b(dmarc|spf|dkim)\s*=\s*(\w+)", re.IGNORECASE)
_COMMENT = re.compile(r"\([^()]*\)")


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What was found out about a letter or one of its blocks.

    `seat` is the writer's, "" if in doubt: then `reason` (a key of `quarantine.REASONS`) says why, and `tell` names
    the seats, as (game, seat), whose address on file should hear that a letter was put aside. Nobody who only wrote a
    known name into a letter is ever answered.
    """

    seat: str = ""
    reason: str = ""
    detail: str = ""
    tell: tuple[tuple[str, str], ...] = ()
    by_secret: bool = False


def of_letter(letter: Letter, own: frozenset[str], authserv: str = "") -> Verdict | None:
    """Why the whole letter is put aside, whatever stands in it; None if its blocks decide.

    `own` are the addresses that our letters come from, `authserv` the name by which our mail host signs its verdicts.
    """
    if letter.automatic:
        return Verdict(reason="automatic", detail=letter.automatic)
    if letter.sender is None:
        return Verdict(reason="bad-sender", detail=", ".join(letter.problems))
    if letter.sender.casefold() in own:
        return Verdict(reason="own")
    if "too_large" in letter.problems:
        return Verdict(reason="undecodable", detail="too large")
    if authserv and _fails(letter, authserv):
        return Verdict(reason="unproven", detail=f"{authserv} says that the sender's domain did not send it")
    return None


def _fails(letter: Letter, authserv: str) -> bool:
    """Only the topmost field counts, and only our own host's: the others came with the letter."""
    top = letter.auth_results[0] if letter.auth_results else ""
    host, _, found = top.partition(";")
    signed = host.split()[0].casefold() if host.split() else ""
    if signed != authserv.casefold():
        return False
    said: dict[str, set[str]] = {}
    for method, result in _RESULT.findall(_COMMENT.sub(" ", found)):
        said.setdefault(method.casefold(), set()).add(result.casefold())
    if "dmarc" in said and said["dmarc"] != {"none"}:
        return "fail" in said["dmarc"]
    # Without DMARC a forwarder may break either proof; if both are broken, nothing speaks for the sender.
    return "fail" in said.get("spf", ()) and "pass" not in said.get("dkim", ())


def of_empty(letter: Letter, index: SaveIndex) -> Verdict:
    """A letter without any block of orders."""
    known = [(save.header.name, seat.id) for save, seat in index.seats_of(letter.sender or "")]
    if not known:
        return Verdict(reason="unknown-sender", detail="and holds no orders")
    tell = tuple(known[:1])
    if max(map(len, (letter.text, *(file.text for file in letter.attachments)))) > LIMITS.letter:
        return Verdict(reason="too-long", detail=f"{LIMITS.letter:,} characters", tell=tell)
    if "html_only" in letter.problems:
        return Verdict(reason="html-only", tell=tell)
    if "encrypted" in letter.problems:
        return Verdict(reason="undecodable", detail="encrypted", tell=tell)
    if "no_text" in letter.problems:
        return Verdict(reason="no-text", detail=", ".join(letter.ignored[:4]), tell=tell)
    return Verdict(reason="no-orders", tell=tell)


def of_block(letter: Letter, block: Block, index: SaveIndex) -> Verdict:
    """Whose block this is. The code decides between seats of one address; the named seat must be among them."""
    sender = letter.sender or ""
    save = index.find(block.game)
    if save is None:
        known = [(other.header.name, seat.id) for other, seat in index.seats_of(sender)]
        reason = "unknown-game" if known else "unknown-sender"
        return Verdict(reason=reason, detail=f"it says '{block.game}'", tell=tuple(known[:1]))
    name = save.header.name
    named = next((seat for seat in save.seats if fold(seat.id) == fold(block.seat)), None)
    his = [seat for seat in save.seats if has_address(seat, sender)]
    if named is not None and named in his:
        return _of_code(save, named, block.code)
    # A right code in the wrong hands: the seat must hear of it. Otherwise nobody is told: names are easy to guess.
    robbed = named is not None and _holds(save, named, block.code)
    tell = ((name, named.id),) if robbed and named is not None else ()
    if not his:
        return Verdict(reason="unknown-sender", detail=f"for {block.seat}", tell=tell)
    if named is not None:
        return Verdict(reason="wrong-seat", detail=f"for {named.id}", tell=((name, his[0].id), *tell))
    by_code = next((seat for seat in his if _holds(save, seat, block.code)), None)
    if by_code is None:
        return Verdict(reason="unknown-seat", detail=f"it says '{block.seat}'", tell=((name, his[0].id),))
    return _of_code(save, by_code, block.code)


def _holds(save: Save, seat: SeatInfo, code: str) -> bool:
    return bool(code) and (is_secret(seat, code) or time_of_code(save, seat, code) != "")


def _of_code(save: Save, seat: SeatInfo, code: str) -> Verdict:
    tell = ((save.header.name, seat.id),)
    if not code:
        return Verdict(reason="no-code", tell=tell)
    if is_secret(seat, code):
        return Verdict(seat=seat.id, by_secret=True)
    given = time_of_code(save, seat, code)
    if not given:
        return Verdict(reason="wrong-code", tell=tell)
    if given == FUTURE:
        return Verdict(reason="ahead", tell=tell)
    return Verdict(seat=seat.id)
