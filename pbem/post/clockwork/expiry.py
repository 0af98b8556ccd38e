"""Time that is up: whoever has not answered gets the default, as the game's clock says or as its moderator decides."""

from __future__ import annotations

from datetime import datetime

from pbem.clock.policy import BOT
from pbem.moments import stamp
from pbem.orders.in_force import sweep
from pbem.post import understudies
from pbem.post.clockwork.due import is_up
from pbem.post.clockwork.run import Run
from pbem.post.outbox.drafts import add_words
from pbem.post.outbox.reader import reader_of
from pbem.save import Session


def time_runs_out(run: Run, session: Session) -> bool:
    """Give defaults if time is up; False if nothing changed by it."""
    if not is_up(session.save, run.heart, run.now):
        return False
    done, stuck = give_defaults(session, run.now)
    name = session.save.header.name
    run.done.time_up += [f"{name}: question {q}: time ran out" for q in done]
    if stuck:
        run.done.moderator.append(f"{name}: question {session.referee.q} has no default: it is yours")
    return bool(done)


def give_defaults(session: Session, now: datetime) -> tuple[list[int], tuple[str, ...]]:
    """Give every missing seat its default, or an understudy's answer where the clock says so; changes memory only.

    Returns the questions, and the seats without a default.
    """
    referee, at = session.referee, now
    stuck: tuple[str, ...]
    late = [pending.seat for pending in referee.pending() if not pending.answered]
    policies = session.save.clock.time_up
    if any(policies.get(pending.pace) == BOT for pending in referee.pending()):
        q, stuck = referee.q, ()
        done = [q] if understudies.answer_missing(session, at) else []
        for seat in session.save.seats:
            if done and seat.id in late:
                add_words(session, seat, "time.understudy", f"time.{q}", at, q=str(q))
    else:
        done, stuck = _defaults(session, at)
    understudies.missed(session, late, at)
    sweep(referee)
    return done, stuck


def _defaults(session: Session, at: datetime) -> tuple[list[int], tuple[str, ...]]:
    referee, q = session.referee, session.referee.q
    lost = []
    for pending in referee.pending():
        seat = next((info for info in session.save.seats if info.id == pending.seat), None)
        if seat is not None and not pending.answered and referee.talk is None:
            lost.append((seat, pending, referee.domain(pending.seat).default_text(pending.default)))
    before = referee.n, len(referee.sealed), q
    stuck = referee.time_up(stamp(at))
    for seat, question, answer in lost:
        if seat.id not in stuck:
            said = reader_of(session, seat).say.faced(answer)
            add_words(session, seat, "time.up", f"time.{question.q}", at, q=str(question.q), answer=said)
    changed = before != (referee.n, len(referee.sealed), referee.q)
    return ([q] if changed else []), stuck
