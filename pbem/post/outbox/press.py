"""Press: messages between seats, relayed under the names of seats; and what comes back unsent.

Addresses, names of mail programs, times of the sender's clock and the like never reach the other side: only the text
between BEGIN PRESS and END PRESS, stamped with the time at which we received it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from pbem.kernel.problems import Problem
from pbem.orders.items import Bad, Block, PressItem
from pbem.orders.receipt import PARTLY, REFUSED, PressLetter, Receipt, Rejected
from pbem.post.outbox import agreements
from pbem.post.outbox.drafts import add_text, add_words
from pbem.post.outbox.press_limits import BESIDE_A_QUESTION, over_limit
from pbem.post.outbox.reader import Reader, reader_of
from pbem.post.outbox.wording import quoted
from pbem.save import Press, Save, SeatInfo, Session

BEGINNING = 120
"""Characters of an agreement by which it is told where there are too many."""
RETURNED = 20_000
"""Characters of press of one letter that come back whole: as much as a message may have."""
BEGINNING_RETURNED = 1_000
"""Characters by which the messages beyond that come back."""


def take_press(session: Session, receipt: Receipt, block: Block, at: datetime) -> None:
    """Keep a block's press for those it is sent to; give back what was not taken, and say so in the receipt.

    `at` is when their letter came.
    """
    save = session.save
    for number, letter in enumerate(list(receipt.press), 1):
        to = [] if letter.to == ["all"] else list(letter.to)
        press = Press(f"{receipt.via}.{number}", receipt.seat, letter.text, at, to, receipt.via)
        problem = over_limit(save, press)
        if problem is not None:
            _refuse(receipt, letter, problem)
            continue
        save.press.append(press)
        _register(session, press)
    seat = next((info for info in save.seats if info.id == receipt.seat), None)
    if seat is None or receipt.verdict == "tried":
        return
    taken, room = {letter.line for letter in receipt.press}, RETURNED
    for item in block.items:
        if isinstance(item, PressItem | Bad) and item.body and item.line not in taken:
            head = item.text.partition("=")[2].strip() or item.text
            whom = ", ".join(item.to) if isinstance(item, PressItem) else head
            words = reader_of(session, seat).words("press.returned", to=whom[:200])
            most = room if len(item.body) <= room else BEGINNING_RETURNED
            shown = item.body if len(item.body) <= most else f"{item.body[:most]}…"
            room = max(room - len(shown), 0)
            text = "\n".join([words, *quoted(shown)])
            add_text(save, seat, f"{receipt.via}.{item.line:04d}.press", text, at)


def _refuse(receipt: Receipt, press: PressLetter, problem: Problem) -> None:
    """Take a message out of the receipt's accepted lines."""
    receipt.press.remove(press)
    (line,) = (accepted for accepted in receipt.accepted if accepted.line == press.line)
    receipt.accepted.remove(line)
    receipt.refused.append(Rejected(line.line, line.text, problem))
    receipt.verdict = PARTLY if receipt.accepted else REFUSED


def _register(session: Session, press: Press) -> None:
    """Enter a message among the agreements, and tell the parties."""
    for news in agreements.take(session.save, press):
        seat = session.save.seat(news.seat)
        add_words(session, seat, news.key, f"{press.id}.{news.seat}.agreement", press.at, id=news.id)


def new_press(save: Save, seat: SeatInfo) -> Iterator[Press]:
    """The press a seat has not been given yet: to it, or to all; never its own."""
    for press in save.press[seat.told.press :]:
        if press.seat != seat.id and (not press.to or seat.id in press.to):
            yield press


def told(
    session: Session, reader: Reader, press: Sequence[Press], *, with_form: bool = True
) -> Iterator[str]:
    """Press as it stands in a letter, by names of seats; then how to answer it, if there is a form."""
    say, words, referee = reader.say, reader.words, session.referee
    for letter in press:
        to = [say.name(each) for each in letter.to] or [words("press.all")]
        at = reader.when(letter.at)
        head = words("press.from", by=say.name(letter.seat), to=say.join(to), at=at)
        yield "\n".join([head, *quoted(letter.text)])
    if press and with_form and not referee.over:
        writers = dict.fromkeys(letter.seat for letter in press)
        private = referee.game.talk_is_private(referee.table.state, referee.paces())
        yield words("press.how", to=",".join(writers) if private else "all")


def register(session: Session, reader: Reader) -> list[str]:
    """The agreements of a seat that do not bind: a title, then paragraphs and quoted lines.

    If they are too long to stand beside a question, each is told by its beginning: whole, it came as press.
    """
    say, words = reader.say, reader.words
    mine = list(agreements.of_seat(session.save, reader.seat.id))
    whole = sum(len(agreement.text) for agreement in mine) <= BESIDE_A_QUESTION
    lines: list[str] = []
    for agreement in mine:
        signed = say.join([say.name(who) for who in agreement.signed])
        missing = say.join([say.name(who) for who in agreement.to if who not in agreement.signed])
        shown = (
            agreement.text if whole or len(agreement.text) <= BEGINNING else f"{agreement.text[:BEGINNING]}…"
        )
        key = "agreement.line" if agreements.signed_by_all(agreement) else "agreement.open"
        lines += [words(key, id=agreement.id, signed=signed, missing=missing), *quoted(shown)]
    return [words("agreement.head"), *lines] if lines else []
