"""What each seat is told after a run: one letter with its receipts, what is new, and what it must answer.

Who gets a letter, and what stands in it, follows from what that seat may see. A sealed answer that does not close its
question gives nobody news; when it closes, everybody asked hears of it in the same run, in the order of the seats.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from pbem.clock import heartbeat
from pbem.clock.policy import announce, stamp
from pbem.kernel.pack import Pack
from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import components_of
from pbem.kernel.table import Line
from pbem.orders import Receipt, form
from pbem.post.outbox.calendars import attach, take_back, take_back_copy
from pbem.post.outbox.message import NOBODY, host_of, letter_ident
from pbem.post.outbox.receipts import answered, kept
from pbem.post.outbox.wording import as_page, as_text
from pbem.post.save_index import code_key, code_of
from pbem.report import Catalogue, Frame, build, compose, opening, receipt_text
from pbem.report.catalogue import messages
from pbem.report.letter import NEWS, PHONE, RECEIPT, LetterText
from pbem.report.receipt import letters_html, letters_text
from pbem.save import Delegate, Letter, Save, Scores, SeatInfo, Session

DRAFT = "draft"
"""Kind of an outbox entry that is a part of a letter not yet written."""

UNSENT = "unsent"
"""Key of `Header.more`: something was taken in and its letters are still to be written or delivered."""

ASKS = "asks"
"""Key of `Letter.more`: the number of the question that this letter is the first to put to its seat."""

NEWCOMER = "newcomer"
"""Key of `SeatInfo.more`: who plays the seat has not yet read what a first letter tells of the game."""

NOTICES = 3
"""Notices on letters put aside that a seat gets before orders of its own are taken again: a guard against loops."""


# -- drafts ----------------------------------------------------------------------------------------------------------


def add_receipt(
    session: Session,
    receipt: Receipt,
    about: Frame,
    key: str,
    at: str,
    reply_to: str = "",
    subject: str = "",
    *,
    by_mail: bool = True,
) -> str:
    """Keep a receipt for the seat's next letter; returns its text as it stands now.

    `reply_to` is the id of the letter it answers, `subject` what that is about; else it is for orders that the
    moderator entered.
    """
    seat = session.save.seat(receipt.seat) if _is_seat(session.save, receipt.seat) else SeatInfo(receipt.seat)
    add_draft(session.save, seat, key, "", at, reply_to, kept(receipt, subject, by_mail=by_mail))
    return receipt_text(receipt, catalogue(session, seat), about)


def add_notice(session: Session, seat: SeatInfo, reason: str, key: str, at: str, **args: str) -> bool:
    """Tell a seat's address on file that a letter was put aside, unless it was told so too often in a row."""
    count = int(seat.more.get("notices", 0))
    if count >= NOTICES or f"notice.{reason}" not in messages("pbem.post", "en"):
        return False
    seat.more["notices"] = count + 1
    say = Own(session, seat)
    parts = [say.text("notice.head", subject=args.get("subject", "")).rstrip(" :：")]
    parts.append(say.text(f"notice.{reason}", **{"game": session.save.header.name, "seat": seat.id, **args}))
    if count + 1 == NOTICES:
        parts.append(say.text("notice.last"))
    add_draft(session.save, seat, key, "\n".join(parts), at, "")
    return True


def add_words(session: Session, seat: SeatInfo, words: str, key: str, at: str, **args: str) -> None:
    """Keep a message of the post (`words`, filled from `args`) for a seat's next letter; `key` makes it known again."""
    add_draft(session.save, seat, key, Own(session, seat).text(words, **args), at, "")


def add_draft(
    save: Save,
    seat: SeatInfo,
    key: str,
    text: str,
    at: str,
    reply_to: str,
    more: dict[str, Any] | None = None,
) -> None:
    """Keep a text for a seat's next letter. `reply_to` is the id of the letter it answers, "" if none.

    A receipt stands in `more` (`pbem.post.outbox.receipts`), for it is put into words when the letter is written.
    """
    headers = {"In-Reply-To": reply_to} if reply_to else {}
    text = text.rstrip("\n")
    draft = Letter(f"{seat.id}.{key}", seat.id, "", "", DRAFT, text, "", at, False, headers, more or {})
    save.outbox.append(draft)


# -- letters ---------------------------------------------------------------------------------------------------------


def write_letters(session: Session, now: datetime, sender: str = "") -> list[Letter]:
    """Turn drafts and news into letters in the save's outbox, at most one for each seat; changes memory only.

    A seat without an address gets none, and what it was to be told waits until it has one.
    """
    save, written = session.save, []
    for seat in save.seats:
        if not seat.addresses:
            continue
        letter = _letter(session, seat, now, sender)
        if letter is not None:
            written += [letter, *copies(session, seat, letter)]
        seat.seen = session.save.header.lines  # without a letter nothing of it was for this seat
    drafts = {seat.id for seat in save.seats if seat.addresses}
    kept = [
        one
        for one in save.outbox
        if one.kind != DRAFT or (one.seat not in drafts and _is_seat(save, one.seat))
    ]
    order = {seat.id: at for at, seat in enumerate(save.seats)}
    save.outbox = sorted([*kept, *written], key=lambda one: order.get(one.seat, len(order)))
    return written


def has_news(session: Session, seat: SeatInfo) -> bool:
    """Whether anything is new to a seat: a line it may read, a question, a proposal, press, a remark on its lines."""
    from pbem.post.outbox.press import new_press

    referee = session.referee
    if "letters" not in seat.more:
        return True
    asked = seat.id in referee.asked() and seat.told_q != referee.q
    rewound = seat.told_q == 0
    ended = referee.over and not seat.more.get("over", False)
    notes = any(note.seat == seat.id for note in referee.notes)
    lines = any(_may_read(line, seat.id) for line in session.lines(seat.seen))
    talk = _table(session, seat.id) not in ("", seat.more.get("talk", ""))
    return (
        asked
        or rewound
        or ended
        or notes
        or lines
        or talk
        or any(True for _ in new_press(session.save, seat))
    )


def _letter(session: Session, seat: SeatInfo, now: datetime, sender: str) -> Letter | None:
    from pbem.post.outbox.press import with_register

    save, referee = session.save, session.referee
    drafts = [one for one in save.outbox if one.kind == DRAFT and one.seat == seat.id]
    news = has_news(session, seat)
    if not drafts and not news:
        return None
    text = with_register(session, seat, _text(session, seat, drafts, news=news))
    letter = _addressed(save, seat, drafts, sender)
    letter.subject, letter.body, letter.html, letter.at = text.subject, text.text, text.html, stamp(now)
    if news:
        letter.more["news"] = True
    if seat.id in referee.asked() and seat.told_q != referee.q:
        letter.more[ASKS] = referee.q
    attach(session, seat, letter)
    _mark_told(session, seat, letter)
    return letter


def _text(session: Session, seat: SeatInfo, drafts: Sequence[Letter], *, news: bool) -> LetterText:
    """What a letter says: its drafts, receipts among them, press, and, if there is `news`, the state of the game."""
    from pbem.post.outbox.press import told_press

    save, referee, say = session.save, session.referee, catalogue(session, seat)
    first, over = "letters" not in seat.more, referee.over
    rewound = [Own(session, seat).text("rewound", n=str(referee.n))] if seat.told_q == 0 and not first else []
    said = [*rewound, *(one.body for one in drafts if one.body)]
    letters = answered(drafts, referee)
    receipts = [letters_text(letters, say, seat.zone, PHONE)] if letters else []
    pages = [letters_html(letters, say, seat.zone)] if letters else []
    press = list(told_press(session, seat))
    code = code_of(save, seat.id, referee.q)
    lines, about = session.lines(seat.seen), frame(session, seat)
    return compose(
        build(referee, seat.id, seat.language, lines=lines, frame=about, catalogue=say),
        form=""
        if over
        else form(referee, seat.id, game=save.header.name, code=code, syntax=say.syntax, word=say.typed),
        opening=opening(referee, _pack(session), seat.language) if first or NEWCOMER in seat.more else None,
        seed=save.dice.seed if over and not seat.more.get("over", False) else "",
        kind=NEWS if news or not letters else RECEIPT,
        receipt="\n\n".join([*map(as_text, said), *receipts, *map(as_text, press)]),
        receipt_html="\n".join([*map(as_page, said), *pages, *map(as_page, press)]),
    )


def farewell(session: Session, seat: SeatInfo, at: str) -> None:
    """Put a last letter to the player of a seat, and to those who play for it, into the outbox.

    They owe nothing more, and their calendars say so.
    """
    if not seat.addresses or "letters" not in seat.more:
        return
    for address in (one.address for one in seat.delegates):
        _last_letter(session, seat, address, at)
    _last_letter(session, seat, seat.addresses[0], at, own=True)


def farewell_delegate(session: Session, seat: SeatInfo, delegate: Delegate, at: str) -> None:
    """The same to somebody whose time of playing for a seat is over."""
    if seat.addresses:  # else there were no letters
        _last_letter(session, seat, delegate.address, at, words="delegate.over")


def _last_letter(
    session: Session, seat: SeatInfo, to: str, at: str, words: str = "farewell", *, own: bool = False
) -> None:
    """A letter that names none of the seat's, so that its bounce is not taken for one of his successor's.

    With `own` the seat's entry in calendars is at an end for good.
    """
    save, say = session.save, Own(session, seat)
    letter = _addressed(save, seat, [], "")
    who = "" if own else "-" + hashlib.sha256(f"{to} {at}".encode()).hexdigest()[:8]
    letter.id, letter.of_play, letter.at, letter.to = (
        f"{seat.id}.0000-farewell{seat.tenure}{who}",
        False,
        at,
        to,
    )
    mark = hmac.digest(code_key(save), f"farewell {letter.id}".encode(), "sha256").hex()[:16]
    host = host_of(letter.headers["From"])
    letter.headers |= {"Message-ID": f"<{save.header.name}.{letter.id}.{mark}@{host}>", "References": ""}
    text = say.text(words, seat=catalogue(session, seat).name(seat.id), game=save.header.name)
    letter.body = as_text(text) + "\n"
    letter.subject = say.text("farewell.subject", game=save.header.name)
    (take_back if own else take_back_copy)(session, seat, letter)
    save.outbox.append(letter)


def copies(session: Session, seat: SeatInfo, letter: Letter) -> Iterator[Letter]:
    """The letter for those who read along: whoever plays for the seat gets it whole, watchers without its code."""
    code = code_of(session.save, seat.id, session.referee.q)
    people = [(one.address, False) for one in seat.delegates] + [(one, True) for one in seat.watchers]
    for number, (address, watching) in enumerate(people, 1):
        ident, at, host = letter.headers["Message-ID"].partition("@")
        copy = msgspec.structs.replace(
            letter, id=f"{letter.id}-c{number}", to=address, headers=dict(letter.headers)
        )
        copy.headers["Message-ID"] = f"{ident}c{number}{at}{host}"
        if watching:
            # What the seat owes is not his to answer.
            copy.more = {key: one for key, one in letter.more.items() if key not in ("calendar", "cancelled")}
            copy.body, copy.html = letter.body.replace(code, "----"), letter.html.replace(code, "----")
        yield copy


def _addressed(save: Save, seat: SeatInfo, drafts: list[Letter], sender: str) -> Letter:
    """An empty letter to a seat with its number and its place in the thread."""
    number = int(seat.more.get("letters", 0)) + 1
    home = sender or str(save.header.more.get("from", "")) or NOBODY
    ident = letter_ident(save.header.name, seat.id, number, code_key(save), host_of(home))
    answered = [one.headers["In-Reply-To"] for one in drafts if "In-Reply-To" in one.headers]
    root, last = str(seat.more.get("root", "")), str(seat.more.get("last", ""))
    thread = dict.fromkeys([*([root] if root else []), *([last] if last else []), *answered[-1:]])
    headers = {"From": home, "Message-ID": f"<{ident}>", "References": " ".join(thread)}
    kind = "receipt" if drafts else "news"
    ident_here = f"{seat.id}.{number:04d}"
    return Letter(ident_here, seat.id, seat.addresses[0], "", kind, of_play=not drafts, headers=headers)


def _mark_told(session: Session, seat: SeatInfo, letter: Letter) -> None:
    """Remember what the letter tells, so that it is told once. Its code is that of the open question, asked or not."""
    save, referee = session.save, session.referee
    seat.told_q = referee.q
    ident = letter.headers["Message-ID"]
    seat.more["letters"] = int(seat.more.get("letters", 0)) + 1
    seat.more.setdefault("root", ident)
    seat.more["last"] = ident
    seat.more["press"] = len(save.press)
    talk = _table(session, seat.id)
    if talk:
        seat.more["talk"] = talk
    seat.more.pop(NEWCOMER, None)
    if referee.over:
        seat.more["over"] = True
    referee.notes[:] = [note for note in referee.notes if note.seat != seat.id]


# -- what a seat may see ---------------------------------------------------------------------------------------------


def frame(session: Session, seat: SeatInfo) -> Frame:
    """What a report says of save, clock and mail. Of the players it names the reader alone."""
    save = session.save
    asked = [one for one in save.pending if one.q == session.referee.q and seat.id in (one.seat, MODERATOR)]
    due = min((one.due for one in asked if one.due), default="")
    name = {seat.id: seat.name} if seat.name else {}
    head = save.header.head
    code = code_of(save, seat.id, session.referee.q)
    history = [(one.label, one.points) for one in save.header.history]
    read = max(save.header.read, heartbeat.load(session.path.parent).read)
    return Frame(
        save.header.name, code, due, save.clock.zone, seat.zone, head, name, history,
        read=read, language=seat.language,
    )  # fmt: skip


def catalogue(session: Session, seat: SeatInfo) -> Catalogue:
    """The game's messages in the seat's language."""
    referee = session.referee
    return Catalogue(session.game, referee.components, seat.language, referee.names)


def set_due(session: Session, now: datetime) -> None:
    """Put the questions that are new: asked now, due when the game's clock says (`pbem.clock.policy.announce`).

    Counted from when the letters of this run go out, for all alike: not from the answer that opened the question, whose
    time is nobody's business.
    """
    session.sync(stamp(now + timedelta(hours=max(0, session.save.post.release))))
    announce(session.save)
    keep_scores(session)


def keep_scores(session: Session) -> None:
    """Note the public points when a turn has begun, for the chart in reports."""
    header, game = session.save.header, session.game
    turn = header.clock.get("turn")
    label = str(turn) if turn is not None else ""
    if not label or (header.history and header.history[-1].label == label and not header.over):
        return
    points = dict(game.view(session.referee.table, "").scores)
    if header.over:
        label = f"{label}*"
    if points and not (header.history and header.history[-1].label == label):
        header.history.append(Scores(label, points))


def _may_read(line: Line, seat: str) -> bool:
    return line.only is None or seat in line.only


def _table(session: Session, seat: str) -> str:
    """A fingerprint of the proposals that a seat may see; "" if there are none or it does not take part."""
    talk = session.referee.talk
    if talk is None or seat not in session.referee.asked():
        return ""
    seen = [[p.id, sorted(p.signed), terms] for p, terms in talk.seen_by(seat)]
    if not seen:
        return ""
    return hashlib.sha256(msgspec.json.encode([session.referee.q, seen])).hexdigest()[:16]


def _pack(session: Session) -> Pack:
    return components_of(session.game, session.save.header.pack)[0]


def _is_seat(save: Save, seat: str) -> bool:
    return any(one.id == seat for one in save.seats)


class Own:
    """The post's own messages in a seat's language."""

    def __init__(self, session: Session, seat: SeatInfo) -> None:
        self._say = Catalogue(session.game, session.referee.components, seat.language, session.referee.names)
        self._texts = messages("pbem.post", self._say.language) or messages("pbem.post", "en")

    def text(self, key: str, **args: str) -> str:
        """A message with its arguments put in as they are."""
        said = self._texts[key]
        for name, value in args.items():
            said = said.replace(f"{{{name}}}", value).replace(f"{{{name}:raw}}", value)
        return said
