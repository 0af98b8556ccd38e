"""`Letter → Claim`: whose is it? An address on the seat's list *and* a code that only the seat's letters carry.

`From:` is text that anybody can write, so it proves nothing alone; a prompt code proves that the writer has a letter of
ours, and the two together are what a forger does not have. Where our own mail host stamps its verdict on a letter
(RFC 8601), a failure there counts as well; a success proves nothing more.
"""

from __future__ import annotations

import re

import msgspec

from pbem.kernel.words import fold
from pbem.orders.codes import same_code, tags_in
from pbem.orders.grammar import LIMITS, untouched
from pbem.orders.items import Block
from pbem.patterns import pattern
from pbem.post.inbox.values import Claim, Letter, Mail
from pbem.post.save_index import FUTURE, SaveIndex, codes_in_force, has_address, is_secret, time_of_code
from pbem.save import Save, SeatInfo

_READ = 20_000
"""Characters that are read of a stranger's letter."""

_RESULT = pattern(r"\b(dmarc|spf|dkim)\s*=\s*(\w+)", re.IGNORECASE)
_COMMENT = pattern(r"\([^()]*\)")

BROKEN = "broken"
"""Reason of a claim on a game whose save is here: it must wait, not be refused."""

SUBJECT = "subject"
"""Sign of an automatic mail that people write, too: such a letter counts if it holds orders with a right code."""

AHEAD = "ahead"
"""Reason of a claim that answers a question which is not open yet."""


# -- the letter as a whole -------------------------------------------------------------------------------------------


def doubt(letter: Letter, own: frozenset[str], authserv: str = "") -> Claim | None:
    """Why a letter is put aside, whatever stands in it; None if its blocks decide.

    `own` are the addresses that our letters come from, `authserv` the name by which our mail host signs its verdicts.
    """
    mail = letter.mail
    if letter.received.kind == "unreadable":
        return Claim(reason="unreadable", detail=letter.received.where)
    if letter.received.kind == "orders":
        return None
    if mail.automatic and mail.automatic != SUBJECT:
        return Claim(reason="automatic", detail=mail.automatic)
    if mail.sender is None:
        return Claim(reason="bad-sender", detail=", ".join(mail.problems))
    if mail.sender.casefold() in own:
        return Claim(reason="own")
    if "too_large" in mail.problems:
        return Claim(reason="undecodable", detail="too large")
    if authserv and _fails(mail, authserv):
        return Claim(reason="unproven", detail=f"{authserv} says that the sender's domain did not send it")
    return None


def _fails(mail: Mail, authserv: str) -> bool:
    """All fields of our own host count, the others came with the letter; of what they say of a proof the worst holds.

    A forger may have added one in our host's name that says better things.
    """
    worst: dict[str, int] = {}
    for field in mail.auth_results:
        host, _, found = field.partition(";")
        if (host.split() or [""])[0].casefold() == authserv.casefold():
            for method, rank in _results(found).items():
                worst[method] = min(rank, worst.get(method, _PASS))
    if worst.get("dmarc", _NONE) != _NONE:
        return worst["dmarc"] == _FAIL
    # Without DMARC a forwarder may break either proof; if both are broken, nothing speaks for the sender.
    return worst.get("spf") == _FAIL and worst.get("dkim") != _PASS


_FAIL, _NONE, _PASS = range(3)


def _results(field: str) -> dict[str, int]:
    """What one field says of each proof; of several signatures the best counts, of everything else the worst."""
    said: dict[str, list[int]] = {}
    for method, result in _RESULT.findall(_COMMENT.sub(" ", field)):
        rank = {"fail": _FAIL, "pass": _PASS}.get(result.casefold(), _NONE)
        said.setdefault(method.casefold(), []).append(rank)
    return {method: (max if method == "dkim" else min)(ranks) for method, ranks in said.items()}


# -- its blocks ------------------------------------------------------------------------------------------------------


def claims_of(letter: Letter, index: SaveIndex, game: str) -> list[Claim]:
    """A claim for each block of a letter, or one for the letter if it has none. `game` is the one it is read for."""
    if letter.received.kind == "orders":
        return [_of_file(block, index) for block in letter.blocks] or [
            Claim(reason="no-orders", detail=letter.nothing)
        ]
    if letter.vouched:
        return [Claim(block=block, seat=fold(block.seat), by_secret=True) for block in letter.blocks]
    claims = [_of_block(letter.mail, block, index, game) for block in letter.blocks]
    claims = claims or [_of_nothing(letter.mail, index, game)]
    return [_if_written(claim) for claim in claims] if letter.mail.automatic == SUBJECT else claims


def _if_written(claim: Claim) -> Claim:
    """The claim of a mail whose subject looks automatic, if somebody wrote its block; a program copies our form."""
    block = claim.block
    written = block is not None and bool(block.items) and block.problem is None and not untouched(block)
    if claim.reason == BROKEN or (written and claim.reason in ("", AHEAD)):
        return claim
    return Claim(block=block, reason="automatic", detail=SUBJECT)


def _of_file(block: Block, index: SaveIndex) -> Claim:
    """Whoever can put files here is the moderator, so that a block needs no code; a stale one bounces."""
    if index.is_broken(block.game):
        return Claim(block=block, reason=BROKEN, detail="its save cannot be read")
    if index.find(block.game) is None:
        known = ", ".join(save.header.name for save in index.headers.values()) or "none"
        return Claim(
            block=block, reason="unknown-game", detail=f"there is no game '{block.game}' here; games: {known}"
        )
    return Claim(block=block, by_secret=not block.code)


def _of_nothing(mail: Mail, index: SaveIndex, game: str) -> Claim:
    """A letter without any block of orders."""
    tell = _writer(mail, index, game)
    if not tell:
        ours = [tag.game for tag in tags_in(mail.text[:_READ]) if index.find(tag.game) is not None]
        detail = f"and quotes a letter of {ours[0]}" if ours else "and holds no orders"
        return Claim(reason="unknown-sender", detail=detail)
    if max(map(len, (mail.text, *(file.text for file in mail.attachments)))) > LIMITS.letter:
        return Claim(reason="too-long", detail=f"{LIMITS.letter:,} characters", tell=tell)
    if "html_only" in mail.problems:
        return Claim(reason="html-only", tell=tell)
    if "encrypted" in mail.problems:
        return Claim(reason="undecodable", detail="encrypted", tell=tell)
    if "no_text" in mail.problems:
        return Claim(reason="no-text", detail=", ".join(mail.ignored[:4]), tell=tell)
    return Claim(reason="no-orders", tell=tell)


def _of_block(mail: Mail, block: Block, index: SaveIndex, game: str) -> Claim:
    """Whose block this is. The code decides between seats of one address; the named seat must be among them."""
    if index.is_broken(block.game):
        return Claim(block=block, reason=BROKEN, detail="its save cannot be read")
    save = index.find(block.game)
    if save is None:
        tell = _writer(mail, index, game)
        reason = "unknown-game" if tell else "unknown-sender"
        return Claim(block=block, reason=reason, detail=f"it says '{block.game}'", tell=tell)
    named = next((seat for seat in save.seats if fold(seat.id) == fold(block.seat)), None)
    his = [seat for seat in save.seats if has_address(seat, mail.sender or "")]
    if named is not None and named in his:
        return _of_code(save, named, block)
    # A code in force in the wrong hands: its seat gets a new one. Otherwise nobody is told: names are easy to guess.
    robbed = named.id if named is not None and _is_in_force(save, named, block.code) else ""
    coded = named is not None and _holds(save, named, block.code)
    claim = Claim(block=block, detail=f"for {named.id if named else block.seat}", robbed=robbed, coded=coded)
    if not his:
        return msgspec.structs.replace(claim, reason="unknown-sender")
    if named is not None:
        return msgspec.structs.replace(claim, reason="wrong-seat", tell=(his[0].id,))
    by_code = next((seat for seat in his if _holds(save, seat, block.code)), None)
    if by_code is None:
        return Claim(block=block, reason="unknown-seat", detail=f"it says '{block.seat}'", tell=(his[0].id,))
    return _of_code(save, by_code, block)


def _of_code(save: Save, seat: SeatInfo, block: Block) -> Claim:
    if not block.code:
        return Claim(block=block, reason="no-code", tell=(seat.id,))
    if is_secret(seat, block.code):
        return Claim(block=block, seat=seat.id, by_secret=True)
    given = time_of_code(save, seat, block.code)
    if not given:
        return Claim(block=block, reason="wrong-code", tell=(seat.id,))
    if given == FUTURE:
        return Claim(block=block, reason=AHEAD, tell=(seat.id,), coded=True)
    return Claim(block=block, seat=seat.id)


def _is_in_force(save: Save, seat: SeatInfo, code: str) -> bool:
    return is_secret(seat, code) or same_code(code, codes_in_force(save, seat.id))


def _holds(save: Save, seat: SeatInfo, code: str) -> bool:
    return bool(code) and (is_secret(seat, code) or time_of_code(save, seat, code) != "")


def _writer(mail: Mail, index: SaveIndex, game: str) -> tuple[str, ...]:
    """The first seat of a letter's writer in a game, () if he has none there."""
    save = index.headers.get(game)
    return tuple(seat.id for seat in (save.seats if save else ()) if has_address(seat, mail.sender or ""))[:1]
