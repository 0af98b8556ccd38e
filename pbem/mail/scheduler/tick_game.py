"""The clock events of one game, in one transaction: outages, ended delegations, expired deadlines."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from pbem.clock import heartbeat
from pbem.clock.policy import BOT, announce, give_time
from pbem.mail import bots
from pbem.mail.moderator import function
from pbem.mail.outbox.calendar import write_delegation_end_email
from pbem.mail.outbox.email_parts import add_message, add_text
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.scheduler import due, reaching
from pbem.mail.scheduler.due import beacon_round, is_expired, over
from pbem.mail.scheduler.reaching import standing
from pbem.mail.scheduler.tick_run import TickRun
from pbem.orders.context import drop_expired
from pbem.save import Save, Session
from pbem.timestamps import stamp

_NOTICED = timedelta(hours=1)
"""Players aren't notified of shorter extensions of a deadline."""


def pause_for_outages(run: TickRun, session: Session) -> bool:
    """Stop the clock for every gap, and notify all whose deadline it moves; return False if there is none."""
    save = session.save
    gaps, wrong = heartbeat.unapplied(save, run.heart), heartbeat.mistaken(save, run.heart)
    if not gaps and not wrong:
        return False
    save.clock.pauses = [pause for pause in save.clock.pauses if pause not in wrong]
    before = {pending.q: pending.due for pending in save.pending}
    heartbeat.pause_for_gaps(save, gaps)
    announce(save)
    moved = [pending.due - old for pending in save.pending if pending.due and (old := before[pending.q])]
    if not gaps or max(moved, default=timedelta()) < _NOTICED:
        return True
    since, until = min(gap.since for gap in gaps), max(gap.until for gap in gaps)
    for seat in save.seats:
        when = reader_of(session, seat).when
        args = {"since": when(since), "until": when(until)}
        add_message(session, seat, "outage", f"outage.{stamp(until)}", run.now, **args)
    line = f"no deadline counted from {stamp(since)} to {stamp(until)} (outage); everybody is notified"
    run.done.outages.append(f"{save.header.name}: {line}")
    return True


def settle_requests(run: TickRun, session: Session) -> bool:
    """End votes whose time is over, and give up former addresses; return False if there are none."""
    if not due.settles(session.save, run.now):
        return False
    moved = function("player_acts.end_terms")(session, run.now)
    return bool(function("votes.settle")(session, run.now) or moved)


def spend_reserves(run: TickRun, session: Session) -> bool:
    """Let the reserves of late players move a deadline that has passed; return False if nothing moves."""
    if not due.takes_reserve(session.save, run.heart, run.now) or run.reach.missing(session.save, run.now):
        return False
    return bool(function("player_acts.spend")(session, run.now))


def apply_timeouts(run: TickRun, session: Session) -> bool:
    """Give defaults if the deadline has expired; return False if nothing changed."""
    if not is_expired(session.save, run.heart, run.now) or run.reach.missing(session.save, run.now):
        return False
    done, stuck = apply_default_answers(session, run.now)
    name = session.save.header.name
    run.done.time_up += [f"{name}: question {q}: time ran out" for q in done]
    if stuck:
        run.done.moderator.append(f"{name}: question {session.referee.q} has no default: please decide")
    return bool(done)


def apply_default_answers(session: Session, now: datetime) -> tuple[list[int], tuple[str, ...]]:
    """Give missing seats the default or a bot's answer, in memory; return questions and seats without one."""
    referee, at = session.referee, now
    stuck: tuple[str, ...]
    late = [pending.seat for pending in referee.pending() if not pending.answered]
    policies = session.save.clock.time_up
    if any(policies.get(pending.pace) == BOT for pending in referee.pending()):
        q, stuck = referee.q, ()
        done = [q] if bots.answer_missing(session, at) else []
        for seat in session.save.seats:
            if done and seat.id in late:
                add_message(session, seat, "timeout.bot", f"time.{q}", at, q=str(q))
    else:
        done, stuck = _defaults(session, at)
    bots.missed_deadlines(session, late, at)
    drop_expired(referee)
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
            text = reader_of(session, seat).say.faced(answer)
            add_message(session, seat, "timeout.default", f"time.{question.q}", at, q=str(question.q), answer=text)
    changed = before != (referee.n, len(referee.sealed), referee.q)
    return ([q] if changed else []), stuck


def reaches(run: TickRun, session: Session) -> bool:
    """Stop the time of a question that hasn't reached all its seats; return False if nothing changes."""
    return reaching.settle(session, run.reach, run.now)


def end_delegations(run: TickRun, session: Session) -> bool:
    """Remove delegates whose time is over, and notify their seats; return False if there are none."""
    at, some = run.now, False
    for seat in session.save.seats:
        gone = over(seat, run.now)
        if gone:
            for delegate in gone:
                write_delegation_end_email(session, seat, delegate, at)
            seat.delegates = [delegate for delegate in seat.delegates if delegate not in gone]
            add_message(session, seat, "delegate.ended", f"delegate.{gone[0].until}", at)
            _tell_moved(session, give_time(session.save, seat.id, at), at)
            some = True
    return some


def _tell_moved(session: Session, moved: dict[int, datetime], now: datetime) -> None:
    for seat in session.save.seats if moved else ():
        reader = reader_of(session, seat)
        for q, at in moved.items():
            text = reader.words("action.moved", q=str(q), at=reader.when(at))
            add_text(session.save, seat, f"moved.{q}.{stamp(now)}", text, now)


def has_round(run: TickRun, save: Save) -> bool:
    """Return whether that round has been handed in; if it is missing, notify the moderator."""
    wanted = beacon_round(save, run.now)
    if wanted and wanted not in run.rounds:
        day = run.now.date().isoformat()
        run.done.moderator.append(
            f"{save.header.name}: round {wanted} of the beacon, for {day}, is missing: give it with --beacon"
        )
    return wanted in run.rounds


def add_round_of_day(run: TickRun, session: Session) -> bool:
    """Enter the round of the day; return False if there is none to enter."""
    save = session.save
    wanted = beacon_round(save, run.now)
    if wanted not in run.rounds:
        return False
    value = {"beacon": save.post.beacon, **msgspec.to_builtins(run.rounds[wanted])}
    session.referee.add_beacon_round(value, stamp(run.now))
    save.dice.beacon = wanted
    return True


def tick_game(run: TickRun, path: Path) -> None:
    """Apply the clock events of a game."""
    save, heart, now = run.header(path), run.heart, run.now
    beacon = has_round(run, save)
    if (
        beacon
        or due.stands(save, heart, run.reach, now)
        or due.delegate_expired(save, now)
        or due.settles(save, now)
        or due.takes_reserve(save, heart, now)
        or due.is_expired(save, heart, now)
    ):
        with run.opened(path) as session:
            steps = (add_round_of_day, pause_for_outages, reaches, end_delegations, settle_requests)
            changed = [step(run, session) for step in (*steps, spend_reserves, apply_timeouts)]
            if any(changed):
                run.store(session)
    since = standing(run.header(path))
    if since is not None:
        q = run.header(path).header.q
        line = f"question {q} has not reached everybody: its clock is stopped since {stamp(since)}"
        run.done.moderator.append(f"{save.header.name}: {line}")
    if due.waits_for_mail(run.header(path), heart, now):
        read = f"the last complete reading of its mail: {stamp(heart.read_of(save.header.name)) or 'never'}"
        run.done.moderator.append(
            f"{save.header.name}: the deadline has expired, but nothing is done before mail is read ({read})"
        )
