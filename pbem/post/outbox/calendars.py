"""Which calendar entries go with a letter: the seat's own deadline, and the end of the one that it had before.

What a seat was sent is kept in its `more`, so that an entry that it never got is not cancelled, and one that is
taken up again has a higher number. Titles name public things only.
"""

from __future__ import annotations

from pbem.clock.policy import moment
from pbem.post.headers import parse_address
from pbem.post.outbox.ical import Event, calendar
from pbem.post.outbox.message import host_of
from pbem.report.catalogue import messages
from pbem.save import Letter, PendingInfo, SeatInfo, Session

TOLD = "event"
"""Key of `SeatInfo.more`: the entry that the seat was sent last (`uid`, `due`, `q`, `sequence`, `on`)."""


def attach(session: Session, seat: SeatInfo, letter: Letter) -> None:
    """Put into `letter.more`: `calendar` (what the seat owes by when), `cancelled` (an entry that holds no longer)."""
    told, asked = dict(seat.more.get(TOLD, {})), _owed(session, seat)
    uid = _uid(session, seat, asked.q, letter.headers["From"]) if asked is not None else ""
    if told.get("on") and told["uid"] != uid:
        told.update(on=False, sequence=int(told["sequence"]) + 1)
        letter.more["cancelled"] = _entry(session, seat, told, letter)
    if asked is not None:
        again = told.get("uid") == uid
        sequence = int(told["sequence"]) if again else asked.moved
        if again and (told["due"] != asked.due or not told["on"]):
            sequence += 1
        told = {"uid": uid, "due": asked.due, "q": asked.q, "sequence": sequence, "on": True}
        letter.more["calendar"] = _entry(session, seat, told, letter)
    if told:
        seat.more[TOLD] = told


def take_back(session: Session, seat: SeatInfo, letter: Letter) -> None:
    """Cancel in `letter` the entry that the seat has, whatever is asked: it is no longer its player's."""
    told = dict(seat.more.pop(TOLD, {}))
    if told.get("on"):
        told.update(on=False, sequence=int(told["sequence"]) + 1)
        letter.more["cancelled"] = _entry(session, seat, told, letter)


def take_back_copy(session: Session, seat: SeatInfo, letter: Letter) -> None:
    """Cancel the seat's entry in `letter` to somebody who played for it until now; the seat keeps its own.

    The number is counted on, so that what the seat is sent of it later is newer for whoever plays for it again.
    """
    told = dict(seat.more.get(TOLD, {}))
    if told.get("on"):
        told["sequence"] = int(told["sequence"]) + 1
        seat.more[TOLD] = told
        letter.more["cancelled"] = _entry(session, seat, told | {"on": False}, letter)


def again(session: Session, seat: SeatInfo, home: str, at: str) -> Event | None:
    """The entry that the seat was sent for what it owes, for a reminder from `home`; None if it was sent none.

    The same entry under the same number, so that a calendar which has it changes nothing; if the deadline has moved
    since, it has the number that the next letter will give it. Changes nothing.
    """
    told, asked = dict(seat.more.get(TOLD, {})), _owed(session, seat)
    if asked is None or not told.get("on") or told["uid"] != _uid(session, seat, asked.q, home):
        return None
    if told["due"] != asked.due:
        told.update(due=asked.due, sequence=int(told["sequence"]) + 1)
    return _event(session, seat, told, home, at)


def _owed(session: Session, seat: SeatInfo) -> PendingInfo | None:
    """The seat's open question if it owes an answer by a time."""
    if seat.id not in session.referee.waiting():
        return None
    q = session.referee.q
    return next((one for one in session.save.pending if one.seat == seat.id and one.q == q and one.due), None)


def _uid(session: Session, seat: SeatInfo, q: int, home: str) -> str:
    save = session.save
    return f"{save.header.name}-{save.dice.epoch}-{q}-{seat.id}@{host_of(home)}"


def _entry(session: Session, seat: SeatInfo, told: dict[str, object], letter: Letter) -> str:
    return calendar(_event(session, seat, told, letter.headers["From"], letter.at))


def _event(session: Session, seat: SeatInfo, told: dict[str, object], home: str, at: str) -> Event:
    title = session.game.title.get(seat.language, session.game.title["en"])
    texts = messages("pbem.post", seat.language) or messages("pbem.post", "en")
    summary = texts["ical.summary"]
    for key, value in (("game", session.save.header.name), ("title", title), ("q", str(told["q"]))):
        summary = summary.replace(f"{{{key}:raw}}", value)
    return Event(
        uid=str(told["uid"]),
        due=moment(str(told["due"])),
        summary=summary,
        sequence=int(str(told["sequence"])),
        written=moment(at),
        organizer=parse_address(home) or "",
        cancelled=not told["on"],
    )
