"""Letters that cannot be trusted or read: a word to the address on file where it helps, then the quarantine."""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime

from pbem.post.game_pool import Transaction
from pbem.post.inbox.quarantine import Held, Quarantine
from pbem.post.inbox.values import Claim, Letter
from pbem.post.outbox.drafts import add_notice, add_words
from pbem.post.save_index import code_key, holder, is_secret
from pbem.report.cells import cut
from pbem.save import Intake


def held_id(letter: Letter) -> str:
    """The id of a letter in the quarantine: the same for every copy of it."""
    mail, parts = letter.mail, [letter.received.kind, letter.received.key]
    if mail.message_id is not None:
        parts = [mail.message_id, mail.sender or mail.sender_name, mail.subject, mail.body_hash]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:12]


def is_known(quarantine: Quarantine, letter: Letter) -> bool:
    """Whether a letter lies in the quarantine and need not be looked at again."""
    ident = held_id(letter)
    return quarantine.has(ident) and not quarantine.waits(ident)


def notify(work: Transaction, quarantine: Quarantine, letter: Letter, claim: Claim) -> None:
    """Draft a notice to the seats that should hear of a letter put aside, unless it was put aside before.

    Noted among the letters taken in, so that a run that died does not send it twice.
    """
    ident, save, at = held_id(letter), work.session.save, work.now
    if quarantine.has(ident):
        return
    if claim.robbed and claim.block is not None:
        _renew_code(work, claim.robbed, claim.block.code, ident)
    subject = cut(letter.mail.subject, 60)
    for seat in claim.tell:
        key = f"held:{ident}:{seat}"
        if work.knows(key):
            continue
        args = {"subject": subject, "detail": claim.detail}
        if add_notice(work.session, save.seat(seat), claim.reason, ident, at, **args):
            work.enter(Intake(key, "", "", seat, at, f"held:{claim.reason}"))


def _renew_code(work: Transaction, seat: str, code: str, ident: str) -> None:
    """Somebody else has used the code of a seat: it is void, and the seat's next letter brings a new one.

    Nothing else of that letter is passed on.
    """
    session, key = work.session, f"robbed:{ident}:{seat}"
    if work.knows(key):
        return
    save, at = session.save, work.now
    info = save.seat(seat)
    info.told.codes += 1
    if is_secret(info, code):
        info.secret = hmac.digest(code_key(save), f"secret {holder(save, seat)}".encode(), "sha256").hex()[
            :16
        ]
        add_words(session, info, "notice.secret", key, at, secret=info.secret)
    else:
        add_words(session, info, "notice.code", key, at)
    work.enter(Intake(key, "", "", seat, at, "held:code"))


def put_aside(quarantine: Quarantine, letter: Letter, claim: Claim, now: datetime) -> Held | None:
    """Put a letter into the quarantine; None if it lies there already."""
    mail, block = letter.mail, claim.block
    held = Held(
        id=held_id(letter),
        reason=claim.reason,
        at=now,
        sender=mail.sender or mail.sender_name,
        subject=mail.subject[:120],
        game=block.game[:60] if block else "",
        seat=block.seat[:60] if block else "",
        detail=claim.detail,
        where=letter.received.where,
        coded=claim.coded,
    )
    return held if quarantine.put(held, letter.received.raw) else None


def take_out(quarantine: Quarantine, letter: Letter) -> None:
    """Note that a letter that came too early has been taken in after all."""
    ident = held_id(letter)
    if quarantine.waits(ident):
        quarantine.settle(quarantine.find(ident), "released")
