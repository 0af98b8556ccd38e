"""Press: messages between seats, relayed under the names of seats; and what comes back unsent.

Addresses, names of mail programs, times of the sender's clock and the like never reach the other side: only the text
between BEGIN PRESS and END PRESS, stamped with the time at which we received it.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pbem.orders import Block, Receipt
from pbem.orders.items import PressItem
from pbem.post.outbox import agreements as promises
from pbem.post.outbox import letters
from pbem.post.outbox.wording import as_page, as_text, quoted
from pbem.report import LetterText
from pbem.report.times import when
from pbem.save import Press, Save, SeatInfo, Session


def take_press(session: Session, receipt: Receipt, block: Block) -> None:
    """Keep a block's press for those it is sent to; give back, text intact, what was not taken."""
    save = session.save
    for number, one in enumerate(receipt.press, 1):
        to = [] if one.to == ["all"] else list(one.to)
        press = Press(f"{receipt.via}.{number}", receipt.seat, one.text, to, receipt.at, receipt.via)
        save.press.append(press)
        _register(session, press, f"{receipt.via}.{number}")
    seat = next((info for info in save.seats if info.id == receipt.seat), None)
    taken = {one.line for one in receipt.press}
    for item in block.items if seat is not None and receipt.verdict != "tried" else ():
        if isinstance(item, PressItem) and item.line not in taken and seat is not None:
            words = letters.Own(session, seat).text("press.returned", to=", ".join(item.to)[:200])
            text = "\n".join([words, *quoted(item.body)])
            letters.add_draft(save, seat, f"{receipt.via}.{item.line:04d}.press", text, receipt.at, "")


def _register(session: Session, press: Press, key: str) -> None:
    for news in promises.take(session.save, press):
        seat = session.save.seat(news.seat)
        letters.add_words(session, seat, news.key, f"{key}.{news.seat}.promise", press.at, id=news.id)


def new_press(save: Save, seat: SeatInfo) -> Iterator[Press]:
    """The press a seat has not been given yet: to it, or to all; never its own."""
    for one in save.press[int(seat.more.get("press", 0)) :]:
        if one.seat != seat.id and (not one.to or seat.id in one.to):
            yield one


def told_press(session: Session, seat: SeatInfo) -> Iterator[str]:
    """Press as it stands in a letter, by names of seats, then how to answer it."""
    say, own, referee = letters.catalogue(session, seat), letters.Own(session, seat), session.referee
    writers: dict[str, None] = {}
    for one in new_press(session.save, seat):
        writers.setdefault(one.seat)
        to = [say.name(each) for each in one.to] or [own.text("press.all")]
        at = when(one.at, seat.zone, say) if one.at else ""
        head = own.text("press.from", by=say.name(one.seat), to=say.join(to), at=at)
        yield "\n".join([head, *quoted(one.text)])
    if writers and not referee.over:
        private = referee.game.talk_is_private(referee.table.state, [one.pace for one in referee.pending()])
        yield own.text("press.how", to=",".join(writers) if private else "all")


def register(session: Session, seat: SeatInfo) -> list[str]:
    """The agreements of a seat that do not bind: a title, then paragraphs and quoted lines."""
    say, own = letters.catalogue(session, seat), letters.Own(session, seat)
    lines: list[str] = []
    for one in promises.of_seat(session.save, seat.id):
        signed = say.join([say.name(who) for who in one.signed])
        missing = say.join([say.name(who) for who in one.to if who not in one.signed])
        key = "promise.line" if promises.kept(one) else "promise.open"
        lines += [own.text(key, id=one.id, signed=signed, missing=missing), *quoted(one.text)]
    return [own.text("promise.head"), *lines] if lines else []


def with_register(session: Session, seat: SeatInfo, letter: LetterText) -> LetterText:
    """The letter with the seat's agreements at its end."""
    from html import escape

    lines = register(session, seat)
    if not lines:
        return letter
    page = f"<h2>{escape(lines[0])}</h2>{as_page(chr(10).join(lines[1:]))}</body>"
    text = letter.text + "\n" + as_text("\n".join(lines)) + "\n"
    return msgspec.structs.replace(letter, text=text, html=letter.html.replace("</body>", page, 1))
