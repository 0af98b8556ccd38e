"""Understudies at work: seats that a bot plays, deadlines that a bot meets, and the empty chair.

A seat that has missed `clock.absent_after` deadlines in a row is played by an understudy until its player writes again.
One deadline before that he is warned. Everybody is told when an understudy comes and goes.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from pbem.clock.policy import announce
from pbem.kernel.journal import BOT
from pbem.kernel.negotiation import DONE
from pbem.mail.outbox.email_parts import add_message
from pbem.mail.outbox.recipient import reader_of
from pbem.save import Scores, SeatInfo, Session
from pbem.timestamps import stamp

# What follows from a change of a game before it is stored: new questions are put, with their deadlines.


def set_due(session: Session, now: datetime) -> None:
    """Let understudies answer, then put the questions that are new, with their deadlines.

    They are asked now, and due when the game's clock says (`pbem.clock.policy.announce`). Counted from when the letters
    of this run go out, the same for all. Counted from the answer that opened the question, they would tell its time.
    """
    if any(seat.understudy for seat in session.save.seats):
        bot_answer(session, now)
    session.sync(now + timedelta(hours=max(0, session.save.post.release)))
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


EFFORT = "normal"
"""How hard an understudy thinks that nobody has chosen."""

MOST = 10_000
"""Answers in a row after which something is wrong."""


def bot_answer(session: Session, at: datetime | None = None) -> int:
    """Answer for the seats that understudies play until only people are asked. Returns how many answers were given.

    Changes the session in memory only.
    """
    efforts = {seat.id: seat.understudy for seat in session.save.seats if seat.understudy}
    given = 0
    while efforts and given < MOST:
        seat = next(
            (waiting_seat for waiting_seat in session.referee.waiting() if waiting_seat in efforts), None
        )
        if seat is None:
            break
        _answer(session, seat, efforts[seat], at)
        given += 1
    return given


def answer_missing(session: Session, at: datetime) -> bool:
    """Time is up: an understudy answers the open question for everybody who has not. False if nobody was missing."""
    referee, q = session.referee, session.referee.q
    players = {seat.id for seat in session.save.seats}
    missing = [seat for seat in referee.waiting() if seat in players]
    for seat in missing:
        if referee.q == q and seat in referee.waiting():
            _answer(session, seat, EFFORT, at, deals=False)
    return bool(missing)


def _answer(session: Session, seat: str, effort: str, at: datetime | None, *, deals: bool = True) -> None:
    """`deals`: it may sign proposals, else a negotiation is closed for the seat."""
    from pbem.bot import EFFORTS, Position, choose  # only where one plays

    referee = session.referee
    if referee.talk is not None and not deals:
        value = DONE
    else:
        value = choose(Position.of(referee, session.last_mark()), seat, EFFORTS[effort])
    referee.submit(seat, value, BOT, stamp(at))


def missed_deadlines(session: Session, seats: Iterable[str], at: datetime) -> None:
    """Count a missed deadline of these seats; warn them, or let an understudy take the chair."""
    save = session.save
    limit = save.clock.absent_after
    late = set(seats)
    for seat in save.seats:
        if seat.id not in late or seat.understudy:
            continue
        seat.missed += 1
        key = f"missed.{session.referee.q}.{seat.id}"
        if limit and seat.missed >= limit:
            seat.understudy = EFFORT
            tell_all(session, "understudy.takes", seat, key, at)
        elif limit and seat.missed == limit - 1:
            add_message(session, seat, "understudy.warning", key, at)


def player_returned(session: Session, seat: SeatInfo, at: datetime) -> None:
    """A letter of the seat's player was taken: he is there, and his understudy leaves."""
    seat.missed = 0
    if seat.understudy:
        seat.understudy = ""
        tell_all(session, "understudy.leaves", seat, f"heard.{session.referee.q}.{seat.id}", at)


def tell_all(session: Session, words: str, about: SeatInfo, key: str, at: datetime) -> None:
    """Tell every seat of the understudy of one."""
    for reader in session.save.seats:
        add_message(session, reader, words, key, at, who=reader_of(session, reader).say.name(about.id))
