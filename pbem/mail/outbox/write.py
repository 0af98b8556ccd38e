"""Emails after a run: news of each seat → a text → an email → the save's outbox.

A seat gets an email when it is asked, has written, or was written to; other news waits for that. It follows only from
what the seat may see and its settings: a sealed answer that doesn't close its question triggers no email. All seats
of the next question get theirs in one run, in the order of the seats.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TypeVar

from pbem.clock.policy import is_quiet, quiet_until
from pbem.lazy_regex import pattern
from pbem.mail.outbox import release
from pbem.mail.outbox.calendar import attach
from pbem.mail.outbox.email_parts import answered, is_seat, proof_of
from pbem.mail.outbox.mime_message import addressed, copies
from pbem.mail.outbox.press import News, fits_beside_a_question, log_since, news_for, portions
from pbem.mail.outbox.recipient import Recipient, reader_of
from pbem.mail.outbox.short_email import compose_email, opening_of, position_below, press_text, question_of, report_of
from pbem.mail.presence import here_and_left
from pbem.mail.save_index import code_of
from pbem.orders.receipt import Receipt
from pbem.orders.reply_form import form
from pbem.report import short_email as short
from pbem.report.build import visible_lines
from pbem.report.deciding import decision
from pbem.report.email_text import EmailText, cards_text, opening_text, position_text, possible_text
from pbem.report.short_email_html import page_of
from pbem.report.text import WHOLE, about, bullets
from pbem.save import EmailPart, OutboxEntry, Save, SeatInfo, Session
from pbem.save.settings import MAY, may

T = TypeVar("T")

VIEW = "view"
"""The setting `attach` of a seat that wants its view file with each email."""
_SIGNS = pattern(r"\W+")
LOG = 200
"""Lines of the narration that `send log` sends: the last ones."""


def apply_requests(session: Session, receipt: Receipt, key: str, at: datetime) -> None:
    """Keep a block's requests for separate emails, and set how the seat wants its emails."""
    save = session.save
    if not receipt.wishes or not is_seat(save, receipt.seat):
        return
    seat = save.seat(receipt.seat)
    for wish in dict.fromkeys(receipt.wishes):
        what, _, value = wish.partition(" ")
        if what == "letters":
            seat.letters = "" if value == "short" else value
        elif what == "attach":
            seat.attach = "" if value == "map" else value
        else:
            queue_request(save, seat, wish, key, at)


def queue_request(save: Save, seat: SeatInfo, wish: str, key: str, at: datetime) -> None:
    """Queue a request for a separate email, unless it is queued already."""
    if all(waiting.seat != seat.id or waiting.wish != wish for waiting in save.drafts):
        draft = EmailPart(f"{seat.id}.{key}.{_SIGNS.sub('-', wish)}", seat.id, "", at)
        draft.wish = wish
        save.drafts.append(draft)


def requested_email(session: Session, reader: Recipient, wish: str, sender: str, instead: str = "") -> EmailText:
    """Return the email that a seat has requested, or the text `instead`; its open question is at the top."""
    say = reader.say
    brief = question_of(session, reader, sender)
    is_about = wish.startswith(SEND_ABOUT)
    word = "about" if is_about else wish.rpartition(" ")[2]
    brief.subject = say.text(f"email.subject_{word}")
    if not instead:
        name = wish.removeprefix(SEND_ABOUT)
        told = about(session.referee, reader.seat.id, name, say) if is_about else _TEXTS[word](session, reader)
        instead = "\n\n".join(told)
    brief.also.append(position_below(instead, brief, say))
    return EmailText(short.subject_of(brief, say), short.text_of(brief, say), page_of(brief, say))


def _log(session: Session, reader: Recipient) -> Iterator[str]:
    lines = log_since(session, max(session.save.header.lines - LOG, 0))
    entries = [entry.text for entry in visible_lines(reader.say, lines, reader.seat.id)]
    yield "\n".join(bullets(entries, WHOLE))


def _why(session: Session, reader: Recipient) -> Iterator[str]:
    """Yield all facts of the open question, and what a beginner should know of it."""
    pending, say = session.referee.pending_to(reader.seat.id), reader.say
    if pending is None:
        yield say.text("word.nothing")
        return
    found = decision(session.referee, pending, say)
    yield "\n".join(bullets([*found.facts, *found.more], WHOLE))
    if say.has(guide := f"guide.{pending.kind}"):
        yield say.text(guide)


def board_of(session: Session, reader: Recipient) -> str:
    """Return the whole board as the seat may see it, as an SVG; "" if the game has none."""
    from pbem.report.map_svg import board  # few emails have one

    report = report_of(session, reader)
    title = f"{session.save.header.name}: {reader.say.text('email.subject_map')}"
    return board(report, title) if report.map else ""


def _help(session: Session, reader: Recipient) -> Iterator[str]:
    """Yield the whole question, what the seat may do itself, then the long form, which has no answer."""
    save, referee, say = session.save, session.referee, reader.say
    if possible := possible_text(report_of(session, reader)):
        yield possible
    rules = {act: may(save, act) for act in MAY}
    own = [say.text(f"may.{act}", rule=say.text(f"may.rule.{rule}")) for act, rule in rules.items() if rule != "no"]
    if own:
        yield "\n".join([say.text("may.head"), *bullets(own, WHOLE)])
    if not referee.over:
        yield say.text("email.long_form")
        code = code_of(save, reader.seat.id, referee.q)
        seat, name = reader.seat.id, save.header.name
        yield form(referee, seat, game=name, code=code, syntax=say.syntax, word=say.typed, blank=True).strip()


def _sheet(session: Session, reader: Recipient) -> list[str]:
    from pbem.report.viewfile import sheet_text

    return [sheet_text(session.referee, reader.seat.id, reader.say)]


_TEXTS: dict[str, Callable[[Session, Recipient], Iterable[str]]] = {
    "state": lambda session, reader: [position_text(report_of(session, reader), WHOLE)],
    "map": lambda session, reader: [
        reader.say.text("email.board" if report_of(session, reader).map else "email.no_board")
    ],
    "log": _log,
    "cards": lambda session, reader: [cards_text(report_of(session, reader)) or reader.say.text("word.nothing")],
    "sheet": _sheet,
    "why": _why,
    "rules": lambda session, reader: [opening_text(opening_of(session, reader), reader.say.language)],
    "bundle": lambda session, reader: [reader.say.text("email.bundle")],
    "help": _help,
}

SEND_BUNDLE = "send bundle"
SEND_MAP = "send map"
SEND_ABOUT = "send about "
_OF_PLAY = ("send state", SEND_MAP, "send log", "send cards", "send sheet", "send why", SEND_BUNDLE, SEND_ABOUT)
"""Requests that show the game: if emails are held back, they wait too."""


def write_emails(session: Session, now: datetime, sender: str = "") -> list[OutboxEntry]:
    """Turn drafts and news into emails in the save's outbox; changes memory only.

    A seat gets at most one, and separate emails for press that is too long for it. A seat without an address gets
    none: its news waits until it has one. So does that of a seat at the live table, until it has left.
    """
    save, written = session.save, list[OutboxEntry]()
    here, parting = here_and_left(session.path)
    reached = [seat for seat in save.seats if seat.addresses and seat.id not in here and not _waits(save, seat, now)]
    for seat in reached:
        news = news_for(session, seat, daily=seat.id in parting or release.is_due(seat, now))
        release.settle(seat, now, told=news.of_play)
        if news.goes:
            emails = [_outbox_entry(session, seat, news, now, sender), *_press(session, seat, news, now, sender)]
            written += [copy for outcome in emails for copy in (outcome, *copies(session, seat, outcome))]
            _record_sent(session, seat, news, seat.told.letters - len(emails) + 1)
        for draft in news.wishes:
            email = _wished(session, seat, draft, now, sender)
            written += [email, *copies(session, seat, email)]
        if not news:
            seat.seen = save.header.lines  # nothing of it was for this seat
    told = {seat.id for seat in reached}
    save.drafts = [draft for draft in save.drafts if draft.seat not in told and is_seat(save, draft.seat)]
    order = {seat.id: at for at, seat in enumerate(save.seats)}
    save.outbox = sorted([*save.outbox, *written], key=lambda email: order.get(email.seat, len(order)))
    return written


def _waits(save: Save, seat: SeatInfo, now: datetime) -> bool:
    """Return whether a seat's news waits for the end of its quiet hours; nobody who has just written is asleep."""
    awake = any(draft.seat == seat.id and (draft.receipt or draft.wish) for draft in save.drafts)
    seat.told.quiet = quiet_until(seat, now) if is_quiet(save, seat, now) and not awake else None
    return seat.told.quiet is not None


def _outbox_entry(session: Session, seat: SeatInfo, news: News, now: datetime, sender: str) -> OutboxEntry:
    text = compose_email(session, reader_of(session, seat), news, sender)
    email = addressed(session.save, seat, news.drafts, sender)
    _fill(email, text, now)
    email.news = news.of_play and (not news.aside or _closed(session, news))
    email.asks = news.asks
    attach(session, seat, email)
    email.proof = proof_of(session, seat, news.lines)
    if seat.attach == VIEW:
        from pbem.mail.outbox.email_parts import view_text  # few seats want one

        email.view = _tried(lambda: view_text(session, seat)) or ""
    _count(seat, email)
    return email


def _wished(session: Session, seat: SeatInfo, draft: EmailPart, now: datetime, sender: str) -> OutboxEntry:
    """Return a requested email; if it can't be made, it says so."""
    email = addressed(session.save, seat, [draft], sender)
    reader = reader_of(session, seat)
    text = _tried(lambda: _made(session, reader, draft.wish, email, now, sender))
    if text is None:
        email.bundle = email.board = ""
        failed = reader.say.text("email.failed", wish=draft.wish)
        text = requested_email(session, reader, draft.wish, sender, failed)
    _fill(email, text, now)
    email.proof = proof_of(session, seat)
    email.of_play, email.news = False, draft.wish.startswith(_OF_PLAY)
    _count(seat, email)
    return email


def _made(session: Session, reader: Recipient, wish: str, email: OutboxEntry, now: datetime, sender: str) -> EmailText:
    if wish == SEND_BUNDLE:
        from pbem.mail.bundle import bundle, encode  # few emails have one

        email.bundle = encode(bundle(session, reader.seat.id, now)).decode()
    if wish == SEND_MAP:
        email.board = board_of(session, reader)
    return requested_email(session, reader, wish, sender)


def _tried(make: Callable[[], T]) -> T | None:
    """Return a requested part, None if it can't be made: other emails are not held up."""
    try:
        return make()
    except OSError:
        raise  # a fault of the machine is passed on
    except Exception:
        if os.environ.get("PBEM_DEBUG"):
            raise
        return None


def _closed(session: Session, news: News) -> bool:
    """Return whether a receipt reveals that play has gone on: it must not be ahead of emails that are held back."""
    emails, _ = answered(news.drafts, session.referee, news.notes)
    lines = (line for email in emails for receipt in email.receipts for line in receipt.accepted)
    return any(line.fate in ("answered", "counted", "used") for line in lines)


def _press(session: Session, seat: SeatInfo, news: News, now: datetime, sender: str) -> Iterator[OutboxEntry]:
    if fits_beside_a_question(news.press):
        return
    for portion in portions(news.press):
        email = addressed(session.save, seat, [], sender)
        _fill(email, press_text(session, reader_of(session, seat), portion), now)
        email.kind, email.of_play, email.news = "press", False, True
        _count(seat, email)
        yield email


def _fill(email: OutboxEntry, text: EmailText, now: datetime) -> None:
    email.subject, email.body, email.html, email.at = text.subject, text.text, text.html, now
    email.picture = text.picture


def _count(seat: SeatInfo, email: OutboxEntry) -> None:
    seat.told.letters += 1
    doubt = seat.told.doubt
    if doubt is not None and seat.told.letters > doubt.letter and f"yes%20{doubt.word}" in email.html:
        doubt.again = [*doubt.again, seat.told.letters]
    seat.told.first, seat.told.last = seat.told.first or email.message_id, email.message_id


def _record_sent(session: Session, seat: SeatInfo, news: News, number: int) -> None:
    """Record what the emails contain, so that it is sent once; the first of them has the number `number`."""
    referee, told = session.referee, seat.told
    seat.told_q = referee.q
    told.moves = session.save.header.n
    if news.aside:  # the rest waits, except the notes in the receipts
        _, left = answered(news.drafts, referee, news.notes)
        kept = {id(note) for note in left}
        referee.notes[:] = [note for note in referee.notes if note.seat != seat.id or id(note) in kept]
        return
    seat.seen = session.save.header.lines
    told.press = len(session.save.press)
    if news.proposals:
        told.proposals, told.proposed = news.proposals, number
    told.newcomer = False
    told.over = told.over or referee.over
    referee.notes[:] = [note for note in referee.notes if note.seat != seat.id]
