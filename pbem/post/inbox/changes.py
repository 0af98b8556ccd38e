"""`Claim → Change`: the genuine blocks of a letter are carried out on one game, and their receipts drafted."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime

from pbem import small_files
from pbem.kernel.words import fold
from pbem.moments import aware, stamp
from pbem.orders.apply import apply
from pbem.post.deadlines import set_due
from pbem.post.headers import parse_date
from pbem.post.inbox.values import Carried, Change, Claim, Letter
from pbem.post.outbox.drafts import add_receipt
from pbem.post.outbox.news import fingerprint
from pbem.post.outbox.press import take_press
from pbem.post.outbox.proof import note_seen
from pbem.post.outbox.reader import frame, reader_of
from pbem.post.outbox.wishes import take_wishes
from pbem.post.save_index import PAST, codes_in_force, given
from pbem.post.understudies import heard
from pbem.report.receipt import receipt_text
from pbem.save import Intake, Save, SeatInfo, Session


def change_of(
    session: Session,
    letter: Letter,
    claims: Sequence[Claim],
    key: str,
    now: datetime,
    *,
    receipts: bool = True,
) -> Change:
    """Carry out the blocks of a letter on the game, one after the other. `key` makes the letter known again.

    `receipts`: put each receipt into words; without, only those that no letter brings.
    """
    at = received_at(letter, now)
    parts = tuple(_carried(session, letter, claim, key, at, now, receipts=receipts) for claim in claims)
    seats = ",".join(dict.fromkeys(carried.receipt.seat for carried in parts))
    verdicts = ",".join(dict.fromkeys(carried.receipt.verdict for carried in parts))
    mail = letter.mail
    record = Intake(key, mail.message_id or "", mail.body_hash, seats, at, verdicts)
    return Change(session.save.header.name, parts, record)


def _carried(
    session: Session, letter: Letter, claim: Claim, key: str, at: datetime, now: datetime, *, receipts: bool
) -> Carried:
    """Carry out one block, keep its press and its receipt for the letters of the run."""
    referee, save, block, mail = session.referee, session.save, claim.block, letter.mail
    assert block is not None
    by_mail = letter.received.kind == "mail"
    named = claim.seat or fold(block.seat)
    codes = None if claim.by_secret else codes_in_force(save, named)
    q, shown = referee.q, receipts or not _info(save, named).addresses
    # Taken before the answer goes in: whether it was the last one must not show in what its writer reads.
    about = frame(session, _info(save, named)) if shown else None
    heard(session, _info(save, named), at)
    via = f"{letter.received.kind}:{key[:16]}"
    if by_mail and save.post.keep:
        via += f":{keep_raw(session, letter)}"
    openly = _asked_openly(session, named)
    late = codes is not None and _is_late(save, named, block.code)
    receipt = apply(
        referee, block, game=save.header.name, codes=codes, seat=claim.seat, at=stamp(at), via=via, late=late,
        unread=unread(session, _info(save, named), claim.answers) if by_mail else (),
    )  # fmt: skip
    seat = _info(save, receipt.seat)
    if receipt.open and receipt.open[0].q != q:
        set_due(session, now)
        about = frame(session, seat) if shown else None
    if receipt.accepted:
        answered = any(accepted.fate == "answered" for accepted in receipt.accepted)
        note_seen(session, seat, "" if claim.by_secret else block.code, at, openly=openly and answered)
    take_press(session, receipt, block, at)
    take_wishes(session, receipt, f"{key[:12]}.{block.line:04d}", at)
    if receipt.accepted:
        seat.told.notices, seat.told.noticed = 0, None
    place, reply_to = f"{key[:12]}.{block.line:04d}", (mail.message_id or "") if by_mail else ""
    add_receipt(session, receipt, place, at, reply_to, mail.subject, by_mail=by_mail)
    text = receipt_text(receipt, reader_of(session, seat).say, about) if shown else ""
    return Carried(receipt, text, by_hand=not seat.addresses)


def unread(session: Session, seat: SeatInfo, answers: int) -> list[str]:
    """Proposals to a seat that it has not been told of in its letter number `answers` (0: that is not known)."""
    talk = session.referee.talk
    if talk is None or seat.id not in session.referee.asked():
        return []
    behind = 0 < answers < seat.told.proposed
    if not behind and fingerprint(session, seat.id) == seat.told.proposals:
        return []
    seen = [proposal for proposal, _ in talk.seen_by(seat.id)]
    return [
        proposal.id for proposal in seen if seat.id in proposal.parties and seat.id not in proposal.signed
    ]


def _is_late(save: Save, seat: str, code: str) -> bool:
    """Whether a code was given to the seat for an older question of this game, which has not been rewound since."""
    when, _, fresh = given(save, _info(save, seat), code)
    return when == PAST and fresh


def keep_raw(session: Session, letter: Letter) -> str:
    """Keep a mail as it came, with its signatures, in the folder beside the save; returns its SHA-256 (hex)."""
    raw = letter.received.raw
    digest = hashlib.sha256(raw).hexdigest()
    folder = session.path.with_suffix(".d") / "letters"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = folder / f"{digest}.eml"
    if not target.exists():
        small_files.replace(target, raw)
    return digest


def _asked_openly(session: Session, seat: str) -> bool:
    """Whether an open question waits for that seat alone: everybody sees when it is answered."""
    asked = session.referee.pending_to(seat)
    return asked is not None and not asked.sealed and session.referee.asked() == (seat,)


def key_of(letter: Letter, claims: Sequence[Claim]) -> str:
    """What makes a letter the same letter: its id (else its sender and when), its content, the prompts it answers."""
    blocks = [claim.block for claim in claims if claim.block is not None]
    parts = [
        letter.mail.message_id or _sent(letter),
        letter.mail.body_hash,
        *(f"{fold(block.game)} {fold(block.seat)} {block.code}" for block in blocks),
        *(["vouched"] if letter.vouched else []),
    ]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def _sent(letter: Letter) -> str:
    """Who wrote a letter without a Message-ID, and when: who changes his mind twice may send the same text twice."""
    mail = letter.mail
    times = (
        [mail.date, mail.received] if mail.date or mail.received else [str(letter.received.delivered or "")]
    )
    return "\0".join([mail.sender or "", *times])


def received_at(letter: Letter, now: datetime) -> datetime:
    """When a letter was received: by our own mail host's stamp or the Maildir, never by the sender's clock."""
    moment = now
    if letter.received.delivered:
        moment = datetime.fromtimestamp(letter.received.delivered, UTC)
    elif letter.mail.received:
        try:
            moment = parse_date(letter.mail.received)
        except (ValueError, TypeError, OverflowError):
            moment = now
    return min(aware(moment).replace(microsecond=0), now)


def _info(save: Save, seat: str) -> SeatInfo:
    """What the save knows of a seat; the moderator and mistyped seats are nobody's."""
    return next((info for info in save.seats if info.id == seat), None) or SeatInfo(seat)
