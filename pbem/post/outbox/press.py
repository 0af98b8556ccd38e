"""Press: messages between seats, relayed under the names of seats; and what comes back unsent.

Addresses, names of mail programs, times of the sender's clock and the like never reach the other side: only the text
between BEGIN PRESS and END PRESS, stamped with the time at which we received it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.orders import Block, Receipt
from pbem.orders.items import PressItem
from pbem.post.outbox import agreements
from pbem.post.outbox.drafts import add_text, add_words
from pbem.post.outbox.reader import Reader, reader_of
from pbem.post.outbox.wording import quoted
from pbem.save import Press, Save, SeatInfo, Session


def take_press(session: Session, receipt: Receipt, block: Block) -> None:
    """Keep a block's press for those it is sent to; give back, text intact, what was not taken."""
    save = session.save
    for number, one in enumerate(receipt.press, 1):
        to = [] if one.to == ["all"] else list(one.to)
        press = Press(f"{receipt.via}.{number}", receipt.seat, one.text, to, receipt.at, receipt.via)
        save.press.append(press)
        _register(session, press)
    seat = next((info for info in save.seats if info.id == receipt.seat), None)
    if seat is None or receipt.verdict == "tried":
        return
    taken = {one.line for one in receipt.press}
    for item in block.items:
        if isinstance(item, PressItem) and item.line not in taken:
            words = reader_of(session, seat).words("press.returned", to=", ".join(item.to)[:200])
            text = "\n".join([words, *quoted(item.body)])
            add_text(save, seat, f"{receipt.via}.{item.line:04d}.press", text, receipt.at)


def _register(session: Session, press: Press) -> None:
    """Enter a message among the agreements, and tell the parties."""
    for news in agreements.take(session.save, press):
        seat = session.save.seat(news.seat)
        add_words(session, seat, news.key, f"{press.id}.{news.seat}.agreement", press.at, id=news.id)


def new_press(save: Save, seat: SeatInfo) -> Iterator[Press]:
    """The press a seat has not been given yet: to it, or to all; never its own."""
    for one in save.press[seat.told.press :]:
        if one.seat != seat.id and (not one.to or seat.id in one.to):
            yield one


def told(session: Session, reader: Reader, press: Sequence[Press]) -> Iterator[str]:
    """Press as it stands in a letter, by names of seats, then how to answer it."""
    say, words, referee = reader.say, reader.words, session.referee
    for one in press:
        to = [say.name(each) for each in one.to] or [words("press.all")]
        at = reader.when(one.at) if one.at else ""
        head = words("press.from", by=say.name(one.seat), to=say.join(to), at=at)
        yield "\n".join([head, *quoted(one.text)])
    if press and not referee.over:
        writers = dict.fromkeys(one.seat for one in press)
        private = referee.game.talk_is_private(referee.table.state, [one.pace for one in referee.pending()])
        yield words("press.how", to=",".join(writers) if private else "all")


def register(session: Session, reader: Reader) -> list[str]:
    """The agreements of a seat that do not bind: a title, then paragraphs and quoted lines."""
    say, words = reader.say, reader.words
    lines: list[str] = []
    for one in agreements.of_seat(session.save, reader.seat.id):
        signed = say.join([say.name(who) for who in one.signed])
        missing = say.join([say.name(who) for who in one.to if who not in one.signed])
        key = "agreement.line" if agreements.signed_by_all(one) else "agreement.open"
        lines += [words(key, id=one.id, signed=signed, missing=missing), *quoted(one.text)]
    return [words("agreement.head"), *lines] if lines else []
