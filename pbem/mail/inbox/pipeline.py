"""The pipeline of an email: Received → Email → Claim → Change → EmailOutcome.

Each step is a function with plain data in and out. The others are in `parse` and `authenticate`; data and results
in `stages`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import msgspec

from pbem import atomic_files
from pbem.clock.policy import note_refused
from pbem.kernel.order_words import normalize_word
from pbem.mail.bots import player_returned, set_due
from pbem.mail.headers import parse_date
from pbem.mail.inbox.authenticate import BROKEN, NOT_OPEN_YET, claims_of, quarantine_reason
from pbem.mail.inbox.parse import with_order_blocks
from pbem.mail.inbox.reply_orders import resolve_reply, unproven_answer
from pbem.mail.inbox.stages import Change, Claim, Email, EmailOutcome, ExecutedBlock, outcomes_of, rejected_outcome
from pbem.mail.moderator import function
from pbem.mail.open_games import EARLY, Transaction
from pbem.mail.outbox.email_parts import UNCLEAR, add_receipt, forget_unclear, record_seen_head
from pbem.mail.outbox.mime_message import LOOP, StoredEmails
from pbem.mail.outbox.press import fingerprint, store_press
from pbem.mail.outbox.recipient import frame, reader_of
from pbem.mail.outbox.write import apply_requests
from pbem.mail.quarantine import Quarantine, notify, quarantine_id
from pbem.mail.save_index import PAST, SaveIndex, code_key, codes_in_force, given
from pbem.orders.apply import execute_block
from pbem.orders.parser import LIMITS
from pbem.orders.receipt import Receipt
from pbem.orders.replies import Doubt, doubt_word, fingerprint_of
from pbem.orders.syntax_tree import OrderBlock
from pbem.save import ProcessedEmail, Save, SeatInfo, SentDoubt, Session
from pbem.timestamps import aware, stamp


def change_of(
    session: Session, email: Email, claims: Sequence[Claim], key: str, now: datetime, *, receipts: bool
) -> Change:
    """Execute the blocks of an email on the game in order; `key` identifies the email later."""
    since = min((pending.since for pending in session.save.pending if pending.since), default=None)
    at = received_at(email, now, since)
    parts = tuple(_carried(session, email, claim, key, at, now, receipts=receipts) for claim in claims)
    seats = ",".join(dict.fromkeys(carried.receipt.seat for carried in parts))
    verdicts = ",".join(dict.fromkeys(carried.receipt.verdict for carried in parts))
    mail = email.mail
    record = ProcessedEmail(key, ident_of(email), mail.body_hash, seats, at, verdicts)
    return Change(session.save.header.name, parts, record)


def _carried(
    session: Session, email: Email, claim: Claim, key: str, at: datetime, now: datetime, *, receipts: bool
) -> ExecutedBlock:
    referee, save, block, mail = session.referee, session.save, claim.block, email.mail
    assert block is not None
    by_mail, place = email.received.kind == "mail", f"{key[:12]}.{block.line:04d}"
    named, via = claim.seat or normalize_word(block.seat), _way_of(session, email, key)
    codes = None if claim.by_secret else codes_in_force(save, named)
    q, shown = referee.q, receipts or not _info(save, named).addresses
    # Read before the answer is applied: its writer must not see whether it was the last one.
    about = frame(session, _info(save, named)) if shown else None
    player_returned(session, _info(save, named), at)
    before = referee.pending_to(named)
    # A question to one seat alone that isn't sealed: all see when it is answered.
    openly = before is not None and not before.sealed and referee.asked() == (named,)
    when, _, fresh = given(save, _info(save, named), block.code) if codes is not None else ("", 0, False)
    late = when == PAST and fresh  # for an older question of this game, which hasn't been rewound since
    receipt = execute_block(
        referee, block, game=save.header.name, codes=codes, seat=claim.seat, at=stamp(at), via=via, late=late,
        unread=unread(session, _info(save, named), claim.answers) if by_mail else (),
    )  # fmt: skip
    seat = _info(save, receipt.seat)
    _note_doubt(save, seat, claim, receipt, place, at, (by_mail and mail.sender) or "")
    asked = referee.pending_to(seat.id)
    if by_mail and receipt.refused and asked is not None and asked.q == q and not asked.answered:
        note_refused(save, q, seat.id, at)
    if receipt.open and receipt.open[0].q != q:
        set_due(session, now)
        about = frame(session, seat) if shown else None
    _keep_effects(session, email, claim, receipt, place, at, openly=openly)
    seat = _info(session.save, receipt.seat)  # another one after a rewind
    if not shown:
        return ExecutedBlock(receipt, "", by_hand=not seat.addresses)
    from pbem.report.receipt import receipt_text

    text = receipt_text(receipt, reader_of(session, seat).say, about)
    return ExecutedBlock(receipt, text, by_hand=not seat.addresses)


def _keep_effects(
    session: Session, email: Email, claim: Claim, receipt: Receipt, place: str, at: datetime, *, openly: bool
) -> None:
    """Keep what an executed block leaves besides the game's moves: head, press, requests, and its receipt."""
    save, block, mail = session.save, claim.block, email.mail
    assert block is not None
    seat, by_mail = _info(save, receipt.seat), email.received.kind == "mail"
    if receipt.accepted:
        answered = any(accepted.fate == "answered" for accepted in receipt.accepted)
        record_seen_head(session, seat, "" if claim.by_secret else block.code, at, openly=openly and answered)
    store_press(session, receipt, block, at)
    _grant(session, receipt, place, at, (by_mail and mail.sender) or "")
    if receipt.accepted:
        save = session.save  # another one after a rewind
        seat = _info(save, receipt.seat)
        seat.told.notices, seat.told.noticed = 0, None
        forget_unclear(save, seat.id)
    if not email.received.table:
        answers = (by_mail and mail.message_id) or ""
        add_receipt(session, receipt, place, at, answers, mail.subject, by_mail=by_mail)


def _grant(session: Session, receipt: Receipt, place: str, at: datetime, sender: str) -> None:
    """Do what a block asks for its seat, and keep its requests for emails: a player who writes isn't replaced."""
    if session.save.votes:
        function("votes.heard")(session, receipt.seat, at)
    if receipt.wishes:
        function("player_acts.carry_out")(session, receipt, at, sender)
        apply_requests(session, receipt, place, at)


_MOST_LEARNED = 8
_LEARNED_FOR = timedelta(days=180)


def _note_doubt(
    save: Save, seat: SeatInfo, claim: Claim, receipt: Receipt, place: str, at: datetime, address: str
) -> None:
    """Keep what the email of an `address` is asked back; after a yes, keep which text says nothing."""
    told, key = seat.told, code_key(save)
    if not address:
        return
    if claim.affirms and receipt.accepted and told.doubt is not None:
        known = {mark: when for mark, when in told.learned.items() if at - when < _LEARNED_FOR}
        known |= dict.fromkeys(told.doubt.learn, at)
        told.learned = dict(sorted(known.items(), key=lambda item: item[1])[-_MOST_LEARNED:])
    doubt, block = claim.doubt, claim.block
    if doubt is None and block is not None and block.reply is not None and not receipt.accepted:
        lines = list(dict.fromkeys(line.offer for line in receipt.refused))
        doubt = Doubt(lines) if len(lines) == 1 and lines[0] else None
    if doubt is None and _says_no_answer(receipt):
        return
    before, told.doubt = told.doubt, None
    if doubt is not None and receipt.problem is None and receipt.refused and receipt.open:
        now = SentDoubt(
            q=receipt.open[0].q,
            word=doubt_word(key, seat.id, place),
            letter=told.letters + 1,
            lines=doubt.lines,
            beside=doubt.beside,
            learn=[fingerprint_of(key, address, text) for text in doubt.learn],
        )
        # The yes to an earlier email still executes the same.
        if before is not None and (before.q, before.lines) == (now.q, now.lines):
            now.word, now.again = before.word, [before.letter, *before.again]
            now.learn = [mark for mark in now.learn or before.learn if mark in before.learn]
        told.doubt = now


def _says_no_answer(receipt: Receipt) -> bool:
    """Return whether an email has only requests and press, so that a question back to its writer stays open."""
    fates = {line.fate for line in receipt.accepted}
    return bool(fates) and fates <= {"wish", "press"} and not receipt.refused and receipt.problem is None


def learned_by(index: SaveIndex, address: str) -> Callable[[str], bool]:
    """Return a function that checks whether the player confirmed a text from this address as a footer or banner."""
    return lambda text: any(
        fingerprint_of(code_key(save), address, text) in seat.told.learned for save, seat in index.seats_of(address)
    )


def _way_of(session: Session, email: Email, key: str) -> str:
    """Return how a move came, as the journal keeps it; with the email's hash if the game keeps deciding emails."""
    if email.received.table:
        return f"table:{key[:16]}/{email.received.table}"
    via = f"{email.received.kind}:{key[:16]}"
    if email.received.kind == "mail" and session.save.post.keep:
        via += f":{keep_raw(session, email)}"
    return via


def unread(session: Session, seat: SeatInfo, answers: int) -> list[str]:
    """Return proposals that the seat's email number `answers` didn't mention (0: unknown)."""
    talk = session.referee.talk
    if talk is None or seat.id not in session.referee.asked():
        return []
    behind = 0 < answers < seat.told.proposed
    if not behind and fingerprint(session, seat.id) == seat.told.proposals:
        return []
    seen = [proposal for proposal, _ in talk.seen_by(seat.id)]
    return [proposal.id for proposal in seen if seat.id in proposal.parties and seat.id not in proposal.signed]


def keep_raw(session: Session, email: Email) -> str:
    """Store a mail as it came, with its signatures, in the folder next to the save; return its SHA-256 (hex)."""
    raw = email.received.raw
    digest = hashlib.sha256(raw).hexdigest()
    folder = session.path.with_suffix(".d") / "letters"
    for place in (folder.parent, folder):
        place.mkdir(mode=0o700, exist_ok=True)
    target = folder / f"{digest}.eml"
    if not target.exists():
        atomic_files.replace(target, raw, 0o600)
    return digest


def key_of(email: Email, claims: Sequence[Claim]) -> str:
    """Return the key of an email: its id (else its sender and time), its content, the prompts it answers."""
    blocks = [claim.block for claim in claims if claim.block is not None]
    parts = [
        email.mail.message_id or _sent(email),
        email.mail.body_hash,
        *(f"{normalize_word(block.game)} {normalize_word(block.seat)} {block.code}" for block in blocks),
        *(["vouched"] if email.vouched else []),
    ]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def _sent(email: Email) -> str:
    """Return sender and time of an email without a Message-ID: the same text may be sent twice on purpose."""
    mail = email.mail
    times = [mail.date, mail.received] if mail.date or mail.received else [str(email.received.delivered or "")]
    return "\0".join([mail.sender or "", *times])


def ident_of(email: Email) -> str:
    """Return the Message-ID of an email, or its replacement if there is none."""
    sent = hashlib.sha256(_sent(email).encode("utf-8", "replace")).hexdigest()[:24]
    return email.mail.message_id or f"~{sent}"


_AHEAD = timedelta(days=30)
"""How long before its question an answer may have been sent."""


def received_at(email: Email, now: datetime, since: datetime | None = None) -> datetime:
    """Return when our mail host or the Maildir received an email, never the sender's clock.

    Odd dates are limited: none is after now, or long before the open question was asked (`since`). An email sent
    before its question keeps its time, so that a mailbox read in one run gives the same chain as in several.
    """
    moment = now
    if email.received.delivered:
        moment = datetime.fromtimestamp(email.received.delivered, UTC)
    elif email.mail.received:
        try:
            moment = parse_date(email.mail.received)
        except (ValueError, TypeError, OverflowError):
            moment = now
    moment = min(aware(moment).replace(microsecond=0), now)
    return since if since is not None and (moment < since - _AHEAD or now < since) else moment


def _info(save: Save, seat: str) -> SeatInfo:
    return next((info for info in save.seats if info.id == seat), None) or SeatInfo(seat)


STRANGERS = 20_000
"""Characters of each text that are read of an unknown sender's email: it is quarantined in any case."""


class EmailResult(msgspec.Struct):
    """The result of an email, or of its part for one game.

    `aside` is why it is quarantined, `taken` whether blocks of it count (so that it leaves the quarantine), `known`
    whether an earlier run processed it. `early` is the part that waits for its question.
    """

    email: Email
    outcomes: list[EmailOutcome] = []
    aside: Claim | None = None
    taken: bool = False
    known: bool = False
    early: Email | None = None


def parse_email(
    email: Email, index: SaveIndex, quarantine: Quarantine, own: frozenset[str], authserv: str, sent: StoredEmails
) -> EmailResult:
    """Read the blocks of an email; it is `aside` or `known` if they don't matter."""
    received = email.received
    if received.kind == "mail" and quarantine.has(ident := quarantine_id(email)) and not quarantine.waits(ident):
        return EmailResult(email, known=True)
    if (email.mail.message_id or "").startswith(f"<{LOOP}") and (email.mail.sender or "").casefold() in own:
        return EmailResult(email, known=True)  # a test of our own
    aside = quarantine_reason(email, own, authserv)
    if aside is not None:
        return EmailResult(email, aside=aside)
    if received.kind == "orders":
        return EmailResult(email)
    stranger = next(index.seats_of(email.mail.sender or "", email.mail.at), None) is None
    return EmailResult(with_order_blocks(email, index, sent, STRANGERS if stranger else LIMITS.email))


def process_email(
    email: Email,
    index: SaveIndex,
    quarantine: Quarantine,
    work: Transaction,
    own: frozenset[str],
    sent: StoredEmails,
    *,
    receipts: bool,
) -> EmailResult:
    """Process an email for one game: execute genuine blocks, notify of doubtful ones. Changes only `work`.

    A processed mail is recognised before it is checked: its question may be closed by now.
    """
    by_mail = email.received.kind == "mail" and not email.vouched
    if by_mail and work.knows_mail(email.mail, ident_of(email)):
        return EmailResult(email, known=True)
    claims = claims_of(email, index, work.game)
    learned = learned_by(index, email.mail.sender or "")
    genuine, out = sort_claims(
        email, [resolve_reply(claim, email, work.session, sent, own, learned) for claim in claims]
    )
    if genuine:
        key = key_of(email, genuine)
        # Blocks of an accepted email that counted when it came don't count again.
        before = msgspec.structs.replace(email, vouched=False)
        out.known = work.knows(key) or (email.vouched and work.knows(key_of(before, genuine)))
        if not out.known:
            change = change_of(work.session, email, genuine, key, work.now, receipts=receipts)
            if out.early is not None:
                change.record.verdict += f",{EARLY}"
            work.enter(change.record)
            out.outcomes += outcomes_of(email, change)
    if out.aside is not None:
        asked = _ask_which(work, index, email, out.aside, own)
        notify(work, quarantine, email, asked or out.aside)
    return out


def _ask_which(work: Transaction, index: SaveIndex, email: Email, claim: Claim, own: frozenset[str]) -> Claim | None:
    """Ask back an answer that doesn't prove which question it is for; return its notice, None if it isn't clear.

    It is clear if no other question is open to its writer in any game, or if it has the number of only this one.
    """
    if claim.block is not None or claim.reason not in UNCLEAR or len(claim.tell) != 1:
        return None
    session, mail = work.session, email.mail
    seat = session.save.seat(claim.tell[0])
    mine = index.seats_of(mail.sender or "", mail.at)
    asked = [pending.q for save, info in mine for pending in save.pending if pending.seat == info.id]
    line, numbered = unproven_answer(session, seat, mail, own)
    clear = len(asked) == 1 or (numbered and asked.count(session.referee.q) == 1)
    if not line or not clear or seat.told.doubt is not None:
        return None
    word = doubt_word(code_key(session.save), seat.id, key_of(email, ())[:12])
    seat.told.doubt = SentDoubt(q=session.referee.q, word=word, letter=seat.told.letters + 1, lines=[line])
    return msgspec.structs.replace(claim, reason="no-question", said="")


def sort_claims(email: Email, claims: Sequence[Claim]) -> tuple[list[Claim], EmailResult]:
    """Return the claims to execute, and the results of the others."""
    genuine = [claim for claim in claims if not claim.reason]
    out, doubtful, early = EmailResult(email, taken=bool(genuine)), list[Claim](), list[OrderBlock]()
    for claim in claims:
        if claim.reason == BROKEN:
            out.outcomes.append(rejected_outcome(email, "postponed", claim.detail, claim))
        elif claim.reason == NOT_OPEN_YET and claim.block is not None and not email.last:
            early.append(claim.block)
        elif claim.reason and email.received.kind == "orders":
            out.outcomes.append(rejected_outcome(email, "wrong", claim.detail, claim))
        elif claim.reason == "unknown-game" and genuine:
            # Their email: the receipt says that this block is wrong, unless it is for a game in another folder.
            if claim.tell:
                genuine.append(msgspec.structs.replace(genuine[0], block=claim.block))
        elif claim.reason:
            doubtful.append(claim)
    if doubtful:
        out.aside = doubtful[0]
    if early:
        out.early = msgspec.structs.replace(email, blocks=tuple(early))
    return genuine, out
