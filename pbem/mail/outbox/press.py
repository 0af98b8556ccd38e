"""Press: messages between seats, relayed under the names of seats; and returned messages.

Addresses, names of mail programs and the sender's clock never reach the other side. Only the text between BEGIN PRESS
and END PRESS does, stamped with the time at which we received it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

import msgspec

from pbem.kernel.referee import AdvanceNote, ReplayError
from pbem.kernel.rejections import RejectionReason
from pbem.kernel.table import LogLine
from pbem.lazy_regex import pattern
from pbem.mail.outbox.email_parts import add_message, add_text, drafts_for
from pbem.mail.outbox.recipient import Recipient, quoted, reader_of
from pbem.orders.receipt import PARTLY, REFUSED, TAKEN, AcceptedPress, Receipt, Rejected
from pbem.orders.syntax_tree import OrderBlock, PressStatement, RejectedStatement
from pbem.save import Agreement, EmailPart, PressMessage, Save, SeatInfo, Session
from pbem.save.errors import ReplayFailed

_PROPOSE = pattern(r"(?:agreement|約束)\s*[::]\s*(.*)", re.IGNORECASE)
_ANSWER = pattern(r"(sign|decline|withdraw|署名|拒否|撤回)\s+([\w.-]{1,80})\s*$", re.IGNORECASE)
_WORDS = {"署名": "sign", "拒否": "decline", "撤回": "withdraw"}
_MOST = 40
"""Agreements that a seat may propose in a game, counted by seat: the count reveals nothing about others."""


class AgreementNews(msgspec.Struct, frozen=True):
    """An event of an agreement to notify a seat of: message key, the agreement."""

    seat: str
    key: str
    id: str


def take(save: Save, press: PressMessage) -> list[AgreementNews]:
    """Enter a message that concerns the register into it; return the notices that follow."""
    first, _, rest = press.text.strip().partition("\n")
    if match := _PROPOSE.fullmatch(first.strip()):
        return _propose(save, press, "\n".join(part for part in (match[1].strip(), rest.strip("\n")) if part))
    if match := _ANSWER.fullmatch(first.strip()):
        word = match[1].casefold()
        return _answer(save, press, _WORDS.get(word, word), match[2], rest)
    return []


def _propose(save: Save, press: PressMessage, text: str) -> list[AgreementNews]:
    others = [seat.id for seat in save.seats if seat.id != press.seat and (not press.to or seat.id in press.to)]
    mine = sum(agreement.seat == press.seat for agreement in save.agreements)
    if not text.strip() or not others or mine >= _MOST:
        return [AgreementNews(press.seat, "agreement.none", "")]
    # Numbered per group of parties, so that the number reveals nothing of agreements between others.
    group = "-".join([press.seat, *others])
    count = sum(agreement.id.rpartition("-")[0] == group for agreement in save.agreements) + 1
    ident = f"{group}-{count}"
    signed = {press.seat: press.at}
    save.agreements.append(Agreement(ident, press.seat, others, text.strip(), press.at, signed))
    return [
        AgreementNews(press.seat, "agreement.proposed", ident),
        *(AgreementNews(seat, "agreement.offered", ident) for seat in others),
    ]


def _answer(save: Save, press: PressMessage, word: str, ident: str, rest: str) -> list[AgreementNews]:
    found = next((agreement for agreement in save.agreements if agreement.id.casefold() == ident.casefold()), None)
    parties = [found.seat, *found.to] if found is not None else []
    if found is None or press.seat not in parties:
        return [AgreementNews(press.seat, "agreement.unknown", ident[:80])]
    if found.withdrawn or (signed_by_all(found) and word != "withdraw"):
        return [AgreementNews(press.seat, "agreement.closed", found.id)]
    if word == "sign":
        if rest.strip() and _plain(rest) != _plain(found.text):
            return [AgreementNews(seat, "agreement.changed", found.id) for seat in parties]
        found.signed = {**found.signed, press.seat: press.at}
        key = "agreement.kept" if signed_by_all(found) else "agreement.signed"
        return [AgreementNews(seat, key, found.id) for seat in parties]
    found.withdrawn = press.seat
    return [AgreementNews(seat, "agreement.withdrawn", found.id) for seat in parties]


def signed_by_all(one: Agreement) -> bool:
    """Return whether all parties have signed."""
    return set(one.signed) >= {one.seat, *one.to}


def of_seat(save: Save, seat: str) -> Iterator[Agreement]:
    """Yield the agreements that a seat is a party to and that weren't withdrawn."""
    for agreement in save.agreements:
        if seat in (agreement.seat, *agreement.to) and not agreement.withdrawn:
            yield agreement


def _plain(text: str) -> str:
    """Return a text for comparison: line by line, without outer blanks and marks of quotation."""
    return "\n".join(line.strip(" |>\t") for line in text.strip().splitlines() if line.strip(" |>\t"))


DAY = timedelta(hours=24)
MESSAGES = 20
"""Messages that a seat may send another within a day."""
CHARACTERS = 24_000
"""Characters of them; a message to all counts for each."""
BESIDE_A_QUESTION = 8_000
"""Characters of press in the email with the question. If there is more, all of it goes in separate emails."""
LETTER = 60_000
"""Characters of press in a separate email."""


def over_limit(save: Save, press: PressMessage) -> RejectionReason | None:
    """Return why a message can't be relayed today; None if it can."""
    others = [seat.id for seat in save.seats if seat.id != press.seat]
    since = press.at - DAY
    for to in press.to or others:
        sent = [
            message
            for message in save.press
            if message.seat == press.seat and (not message.to or to in message.to) and message.at > since
        ]
        size = sum(len(message.text) for message in sent) + len(press.text)
        if len(sent) >= MESSAGES or size > CHARACTERS:
            return RejectionReason("press.day", {"to": to, "messages": MESSAGES, "characters": CHARACTERS})
    return None


def fits_beside_a_question(press: Sequence[PressMessage]) -> bool:
    """Return whether press is short enough for the email with the question."""
    return sum(len(message.text) for message in press) <= BESIDE_A_QUESTION


def portions(press: Sequence[PressMessage]) -> Iterator[list[PressMessage]]:
    """Yield the press for each separate email, in order."""
    portion: list[PressMessage] = []
    size = 0
    for message in press:
        if portion and size + len(message.text) > LETTER:
            yield portion
            portion, size = [], 0
        portion.append(message)
        size += len(message.text)
    if portion:
        yield portion


BEGINNING = 120
"""Characters of the beginning of an agreement that are shown if there are too many."""
RETURNED = 20_000
"""Characters of press in one email that are returned whole: as much as a message may have."""
BEGINNING_RETURNED = 1_000
"""Characters of the beginning of each further message that are returned."""


def store_press(session: Session, receipt: Receipt, block: OrderBlock, at: datetime) -> None:
    """Keep a block's press for its recipients; return rejected press in the receipt. `at`: when it came."""
    save = session.save
    for number, message in enumerate(list(receipt.press), 1):
        to = [] if message.to == ["all"] else list(message.to)
        press = PressMessage(f"{receipt.via}.{number}", receipt.seat, message.text, at, to, receipt.via)
        problem = over_limit(save, press)
        if problem is not None:
            _refuse(receipt, message, problem)
            continue
        save.press.append(press)
        for news in take(save, press):
            key = f"{press.id}.{news.seat}.agreement"
            add_message(session, save.seat(news.seat), news.key, key, press.at, id=news.id)
    seat = next((info for info in save.seats if info.id == receipt.seat), None)
    if seat is None or receipt.verdict == "tried":
        return
    taken, room = {message.line for message in receipt.press}, RETURNED
    for item in block.items:
        if isinstance(item, PressStatement | RejectedStatement) and item.body and item.line not in taken:
            head = item.text.partition("=")[2].strip() or item.text
            whom = ", ".join(item.to) if isinstance(item, PressStatement) else head
            words = reader_of(session, seat).words("press.returned", to=whom[:200])
            most = room if len(item.body) <= room else BEGINNING_RETURNED
            shown = item.body if len(item.body) <= most else f"{item.body[:most]}…"
            room = max(room - len(shown), 0)
            text = "\n".join([words, *quoted(shown)])
            add_text(save, seat, f"{receipt.via}.{item.line:04d}.press", text, at)


def _refuse(receipt: Receipt, press: AcceptedPress, problem: RejectionReason) -> None:
    receipt.press.remove(press)
    (line,) = (accepted for accepted in receipt.accepted if accepted.line == press.line)
    receipt.accepted.remove(line)
    receipt.refused.append(Rejected(line.line, line.text, problem))
    receipt.verdict = PARTLY if receipt.accepted else REFUSED


def new_press(save: Save, seat: SeatInfo) -> Iterator[PressMessage]:
    """Yield the press that a seat hasn't been given yet: to it, or to all; never its own."""
    for press in save.press[seat.told.press :]:
        if press.seat != seat.id and (not press.to or seat.id in press.to):
            yield press


def press_for_email(
    session: Session, reader: Recipient, press: Sequence[PressMessage], *, with_form: bool = True
) -> Iterator[str]:
    """Yield press as an email shows it, by names of seats; then how to answer it, if there is a form."""
    say, words, referee = reader.say, reader.words, session.referee
    for message in press:
        to = [say.name(each) for each in message.to] or [words("press.all")]
        at = reader.when(message.at)
        head = words("press.from", by=say.name(message.seat), to=say.join(to), at=at)
        yield "\n".join([head, *quoted(message.text)])
    if press and with_form and not referee.over:
        writers = dict.fromkeys(message.seat for message in press)
        private = referee.game.talk_is_private(referee.table.state, referee.paces())
        yield words("press.how", to=",".join(writers) if private else "all")


def register(session: Session, reader: Recipient) -> list[str]:
    """Return the agreements of a seat that don't bind, below a title; if they are too long, the beginning of each."""
    say, words = reader.say, reader.words
    mine = list(of_seat(session.save, reader.seat.id))
    whole = sum(len(agreement.text) for agreement in mine) <= BESIDE_A_QUESTION
    lines: list[str] = []
    for agreement in mine:
        signed = say.join([say.name(who) for who in agreement.signed])
        missing = say.join([say.name(who) for who in agreement.to if who not in agreement.signed])
        shown = agreement.text if whole or len(agreement.text) <= BEGINNING else f"{agreement.text[:BEGINNING]}…"
        key = "agreement.line" if signed_by_all(agreement) else "agreement.open"
        lines += [words(key, id=agreement.id, signed=signed, missing=missing), *quoted(shown)]
    return [words("agreement.head"), *lines] if lines else []


FULL = "full"
"""The setting `letters` of a seat that wants all news at once."""

_READ = ("send", "help")
LAPSED = "proposal.lapsed"
_CALM = (
    "advance.used",
    "advance.skipped",
    "advance.spared",
    "advance.stale",
    "standing.used",
    "standing.expired",
    LAPSED,
)
"""Notes that need no action. All but `LAPSED` wait for the seat's next email."""


class News(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of the next email to a seat.

    - `first`: the seat has had no email yet. `rewound`: the game was rewound. `ended`: its end isn't announced yet.
    - `asks` is the question that the seat is asked for the first time (0: none), `lines` is the log that it may read.
    - `proposals` is a fingerprint of the proposals of the open negotiation, if they have changed.
    - `drafts` are receipts and messages that wait for it, `wishes` its requests.
    - `full`: the seat gets all news at once, with the position. `daily`: the hour of its daily digest has come, or it
      has left the live table.
    """

    first: bool
    rewound: bool
    ended: bool
    asks: int
    lines: Sequence[LogLine]
    notes: Sequence[AdvanceNote]
    proposals: str
    press: Sequence[PressMessage]
    drafts: Sequence[EmailPart]
    wishes: Sequence[EmailPart] = ()
    full: bool = False
    daily: bool = False

    @property
    def goes(self) -> bool:
        """Whether it is sent now. Narration, and notes that need no action, wait for the seat's next question."""
        if self.full or self.daily:
            return bool(self)
        events = self.first or self.rewound or self.ended or self.asks or self.proposals or self.press
        told = any(is_urgent(note) or note.key == LAPSED for note in self.notes)
        return bool(events or self.drafts or told)

    @property
    def aside(self) -> bool:
        return bool(self.drafts) and not self.full and not msgspec.structs.replace(self, drafts=()).goes

    @property
    def of_play(self) -> bool:
        """Whether there is news of the game, besides receipts and messages."""
        events = self.first or self.rewound or self.ended or self.asks
        return bool(events or self.lines or self.notes or self.proposals or self.press)

    def __bool__(self) -> bool:
        return self.of_play or bool(self.drafts)


def is_only_requests(draft: EmailPart) -> bool:
    """Return whether a receipt is for requests alone: the requested email is the receipt."""
    taken = draft.receipt.get("accepted", [])
    mere = bool(taken) and all(item["fate"] == "wish" and item["text"].startswith(_READ) for item in taken)
    return mere and draft.receipt.get("verdict") == TAKEN and not draft.receipt.get("remarks")


def is_urgent(note: AdvanceNote) -> bool:
    """Return whether a note on an advance order needs an action of its writer."""
    return note.problem is not None or note.key not in _CALM


def news_for(session: Session, seat: SeatInfo, *, daily: bool = False) -> News:
    """Collect the news of a seat. `daily`: all of it goes now."""
    referee, told = session.referee, seat.told
    seen = fingerprint(session, seat.id)
    return News(
        first=not told.letters,
        rewound=bool(told.letters) and seat.told_q == 0,
        ended=referee.over and not told.over,
        asks=referee.q if seat.id in referee.asked() and seat.told_q != referee.q else 0,
        lines=[line for line in log_since(session, seat.seen) if line.only is None or seat.id in line.only],
        notes=[note for note in referee.notes if note.seat == seat.id],
        proposals=seen if seen != told.proposals else "",
        press=list(new_press(session.save, seat)),
        drafts=[draft for draft in drafts_for(session.save, seat.id) if not (draft.wish or is_only_requests(draft))],
        wishes=[draft for draft in drafts_for(session.save, seat.id) if draft.wish],
        full=seat.letters == FULL or told.newcomer,
        daily=daily,
    )


def log_since(session: Session, line: int) -> Sequence[LogLine]:
    """Return the log from a line on; of a game begun under older rules, the part that is known."""
    try:
        return session.lines(line)
    except (ReplayFailed, ReplayError):
        return session.lines(max(line, session.referee.line_base))


def fingerprint(session: Session, seat: str) -> str:
    """Return a fingerprint of the proposals that a seat may see; "" if there are none or it doesn't take part."""
    talk = session.referee.talk
    if talk is None or seat not in session.referee.asked():
        return ""
    seen = [[p.id, sorted(p.signed), terms] for p, terms in talk.seen_by(seat)]
    if not seen:
        return ""
    return hashlib.sha256(msgspec.json.encode([session.referee.q, seen])).hexdigest()[:16]
