"""Bots at work: seats that a bot plays, and deadlines that a bot meets.

After `clock.absent_after` missed deadlines in a row, a bot plays a seat until its player writes again. The player is
warned one deadline earlier. All seats are notified when a bot takes over or leaves.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from pbem.clock.policy import announce, heard_from
from pbem.kernel.journal import BOT
from pbem.kernel.negotiation import DONE
from pbem.mail.outbox.email_parts import add_message
from pbem.mail.outbox.recipient import reader_of
from pbem.save import SeatInfo, Session
from pbem.timestamps import stamp

if TYPE_CHECKING:
    from pbem.bot import Position


def set_due(session: Session, now: datetime) -> None:
    """Let bots answer, then ask the new questions with their deadlines.

    Deadlines follow the game's clock (`pbem.clock.policy.announce`), counted from when this run sends its emails.
    Counted from the answer that opened the question, they would reveal its time.
    """
    bot_answer(session, now)
    session.sync(now + timedelta(hours=max(0, session.save.post.release)))
    announce(session.save)


EFFORT = "normal"
"""The default effort of a bot."""

MOST = 10_000
"""Answers in a row after which something is wrong."""


def bot_answer(session: Session, at: datetime) -> None:
    """Let bots answer until only people are asked. Changes memory only."""
    efforts = {seat.id: seat.understudy for seat in session.save.seats if seat.understudy}
    for _ in range(MOST) if efforts else ():
        seat = next((waiting_seat for waiting_seat in session.referee.waiting() if waiting_seat in efforts), None)
        if seat is None:
            break
        _answer(session, seat, efforts[seat], at)


def answer_missing(session: Session, at: datetime) -> bool:
    """Let a bot answer the open question for all missing seats; return whether any seat was missing."""
    referee, q = session.referee, session.referee.q
    players = {seat.id for seat in session.save.seats}
    missing = [seat for seat in referee.waiting() if seat in players]
    for seat in missing:
        if referee.q == q and seat in referee.waiting():
            _answer(session, seat, EFFORT, at, deals=False)
    return bool(missing)


def _answer(session: Session, seat: str, effort: str, at: datetime, *, deals: bool = True) -> None:
    """Answer for a seat; without `deals` the bot signs no proposals and leaves a negotiation."""
    from pbem.bot import Effort, choose  # only needed where a bot plays

    referee = session.referee
    silent = referee.talk is not None and not deals
    value = DONE if silent else choose(position_of(session), seat, Effort.named(effort))
    referee.submit(seat, value, BOT, stamp(at))


def position_of(session: Session) -> Position:
    """Return the position of a game for a bot; its last moves may lie before the save's checkpoint."""
    from pbem.bot.worlds import RECENT, Position

    recent = session.moves(max(0, session.referee.n - RECENT))
    return Position.of(session.referee, session.last_mark(), recent)


def missed_deadlines(session: Session, seats: Iterable[str], at: datetime) -> None:
    """Count a missed deadline of these seats; warn their players, or let a bot take over."""
    save = session.save
    limit = save.clock.absent_after
    late, heard = set(seats), heard_from(save)
    for seat in save.seats:
        if seat.id not in late or seat.understudy:
            continue
        seat.missed += 1
        seat.told.unheard = seat.id not in heard
        key = f"missed.{session.referee.q}.{seat.id}"
        if limit and seat.missed >= limit:
            seat.understudy = EFFORT
            tell_all(session, "bot.takes", seat, key, at)
        elif limit and seat.missed == limit - 1:
            add_message(session, seat, "bot.warning", key, at)


def player_returned(session: Session, seat: SeatInfo, at: datetime) -> None:
    """Reset the missed deadlines of a seat whose player wrote, and remove its bot."""
    seat.missed, seat.told.unheard = 0, False
    if seat.understudy:
        seat.understudy, seat.bot_until = "", None
        tell_all(session, "bot.leaves", seat, f"heard.{session.referee.q}.{seat.id}", at)


def tell_all(session: Session, words: str, about: SeatInfo, key: str, at: datetime) -> None:
    """Notify every seat of the bot of one."""
    for reader in session.save.seats:
        add_message(session, reader, words, key, at, who=reader_of(session, reader).say.name(about.id))
