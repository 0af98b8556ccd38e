"""Actions on a game's clock: more time, pauses, absences, expired deadlines, settings of clock and mail."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

from pbem import LANGUAGES
from pbem.clock import heartbeat
from pbem.clock.policy import announce, overdue, paused
from pbem.clock.timetable import ONE_DAY, instant
from pbem.mail.moderator.journal import (
    ActionError,
    Actor,
    BadValue,
    Unchanged,
    deadlines,
    everybody,
    journal,
    tell,
    tell_moved,
)
from pbem.mail.outbox import map_picture
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.save_index import home_of
from pbem.mail.scheduler.reaching import Reach, standing
from pbem.mail.scheduler.tick_game import apply_default_answers
from pbem.save import AbsenceEntry, ExtensionEntry, ModeratorAction, Pause, Session
from pbem.save.settings import SettingError, set_setting
from pbem.timestamps import moment, stamp

_OWN_PAUSE = timedelta(days=7)
"""How long a moderator who plays may stop the clock."""

_OWN_HOURS = 24
"""How many hours a moderator who plays may add to a question; for more they ask the others, as a player does."""


def extend(session: Session, author: Actor, hours: int, q: int = 0) -> ModeratorAction:
    """Give more hours to the open question, from now if its deadline has passed. Raises `ActionError` without one."""
    save = session.save
    q = q or save.header.q
    if not any(pending.q == q and pending.due for pending in save.pending):
        raise ActionError(f"question {q} isn't open, or has no deadline")
    given = sum(more.hours for more in save.clock.extensions if more.q == q and not more.id.startswith("bank."))
    if save.post.plays and given + hours > _OWN_HOURS:
        own = f"you are a player: you can add {_OWN_HOURS} hours to a question"
        raise ActionError(f"{own}; ask the others for more by `more time N` in an email of your seat")
    action = journal(session, author, "extend", everybody(session), q=q, hours=hours)
    save.clock.extensions.append(ExtensionEntry(action.id, q, hours + overdue(save, q, author.now)))
    announce(save)
    due = next(pending.due for pending in save.pending if pending.q == q and pending.due)
    for seat in save.seats:
        at = reader_of(session, seat).when(due)
        tell(session, action, "action.extend", [seat.id], q=str(q), hours=str(hours), at=at)
    return action


def pause(session: Session, author: Actor) -> ModeratorAction:
    """Stop the clock until further notice. Raises `ActionError` if it is stopped already.

    A moderator who plays can stop it for a week, and has to wait a week before the next pause.
    """
    save = session.save
    if paused(save.clock, author.now):
        raise ActionError("the game is already paused")
    own = [pause for pause in save.clock.pauses if pause.reason != heartbeat.REASON]
    until = author.now + _OWN_PAUSE if save.post.plays else None
    if until and any(pause.until and author.now - pause.until < _OWN_PAUSE for pause in own):
        raise ActionError("you are a player: wait a week between two pauses")
    action = journal(session, author, "pause", everybody(session))
    save.clock.pauses.append(Pause(action.id, author.now, until, author.reason))
    announce(save)
    for seat in save.seats:
        at = {"at": reader_of(session, seat).when(until)} if until else {}
        tell(session, action, "action.pause.until" if until else "action.pause", [seat.id], **at)
    return action


def unpause(session: Session, author: Actor) -> ModeratorAction:
    """Start the clock again; every deadline is extended by the pause."""
    begun = [pause for pause in session.save.clock.pauses if pause.since <= author.now]
    standing = [pause for pause in begun if not pause.until or pause.until > author.now]
    if not standing:
        raise ActionError("the game isn't paused")
    for pause in standing:
        pause.until = author.now
    action = journal(session, author, "unpause", everybody(session))
    announce(session.save)
    tell(session, action, "action.resumed")
    return action


def absent(session: Session, author: Actor, seat: str, since: str, until: str) -> ModeratorAction:
    """Stop the clock of a player's questions from `since` to the end of `until`.

    Both are days of the game's zone (2026-12-24) or times (ISO 8601). The seat is notified; others learn of a
    deadline that moved, but not why. Raises `ActionError`, KeyError for an unknown seat.
    """
    save = session.save
    save.seat(seat)
    begin, end = instant_of(save.clock.zone, since), instant_of(save.clock.zone, until, end=True)
    if not begin < end:
        raise BadValue("--from is after --to")
    if end <= author.now:
        raise ActionError("that time is in the past")
    away = AbsenceEntry(seat, begin, end)
    if any(a.seat == seat and a.since <= begin and end <= a.until for a in save.clock.absences):
        raise ActionError(f"{seat} is already registered as absent for that time")
    save.clock.absences.append(away)
    return _absence(session, author, "absent", seat, away)


def cancel_absence(session: Session, author: Actor, seat: str, since: str = "", until: str = "") -> ModeratorAction:
    """Remove a seat's absences: all, or those that overlap a period. No deadline moves earlier."""
    save = session.save
    save.seat(seat)
    zone = save.clock.zone
    begin = instant_of(zone, since) if since else datetime.min.replace(tzinfo=UTC)
    end = instant_of(zone, until, end=True) if until else datetime.max.replace(tzinfo=UTC)
    gone = [away for away in save.clock.absences if away.seat == seat and away.until > begin and away.since < end]
    if not gone:
        raise ActionError(f"{seat} has no absence to cancel")
    save.clock.absences = [absence for absence in save.clock.absences if absence not in gone]
    whole = AbsenceEntry(seat, min(absence.since for absence in gone), max(absence.until for absence in gone))
    return _absence(session, author, "present", seat, whole)


def _absence(session: Session, author: Actor, what: str, seat: str, away: AbsenceEntry) -> ModeratorAction:
    save = session.save
    old = deadlines(save)
    announce(save)
    action = journal(session, author, what, [seat], seat=seat, since=stamp(away.since), until=stamp(away.until))
    since, until = map(reader_of(session, save.seat(seat)).when, (away.since, away.until))
    words = "action.absence_cancelled" if what == "present" else "action.absent"
    tell(session, action, words, [seat], since=since, until=until)
    tell_moved(session, action, old)
    return action


def instant_of(zone: str, text: str, *, end: bool = False) -> datetime:
    """Return a day of a zone (its beginning, or its end) or a time as UTC. Raises `BadValue`."""
    try:
        if len(text) > len("2026-12-24"):
            return moment(text)
        day = date.fromisoformat(text) + (ONE_DAY if end else timedelta())
        return instant(day, time(), ZoneInfo(zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadValue(f"'{text}' isn't a day. Write one like 2026-12-24") from None


def _check_reached(session: Session, now: datetime) -> None:
    save = session.save
    stands = standing(save) is not None
    unasked = Reach(home_of([session.path])).missing(save, now).items()
    named = [f"{seat} ({why or 'the email has not left'})" for seat, why in unasked if why or stands]
    if named:
        raise ActionError(
            f"question {session.referee.q} hasn't reached {', '.join(named)}, so their defaults can't count: "
            "correct the address, replace the player, or answer for them in a move file"
        )


def expire_question(session: Session, author: Actor) -> ModeratorAction:
    """Expire the open question by decision of the moderator: missing seats get their defaults."""
    if not session.referee.pending():
        raise ActionError("no question is open")
    q = session.referee.q
    _check_reached(session, author.now)
    action = journal(session, author, "time-up", everybody(session), q=q)
    done, stuck = apply_default_answers(session, author.now)
    if not done and stuck:
        raise ActionError(f"question {q} has no legal default: answer it in a move file, or extend it")
    if not done:
        raise Unchanged(f"all have answered question {q}")
    tell(session, action, "action.expired", q=str(q))
    return action


def change_settings(
    session: Session, author: Actor, settings: Sequence[str], *, earlier: bool = False
) -> ModeratorAction:
    """Change settings of clock and mail: `grace=12`, `time_up.turn=default`, `release=-1`. Raises `ActionError`.

    With `earlier` announced deadlines may move earlier, but never into the next `least` hours.
    """
    save = session.save
    rules = msgspec.json.encode([save.clock, save.post])
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals:
            raise BadValue(f"'{text}': write NAME=VALUE")
        try:
            set_setting(save, name.strip(), value.strip())
        except SettingError as error:
            raise BadValue(str(error)) from None
    if save.post.maps and not map_picture.can_draw(LANGUAGES[0]):
        needs = "the extra `png` (pbem docs install) and a font: PBEM_FONT='Family:/path/of/its.ttf'"
        raise BadValue(f"maps=png needs {needs}")
    old = deadlines(save)
    announce(save, earlier=earlier)
    soonest = author.now + timedelta(hours=save.clock.least)
    for pending in save.pending:
        before = old[pending.q]
        if before and pending.due and pending.due < before:
            pending.due = max(pending.due, min(soonest, before))
    if msgspec.json.encode([save.clock, save.post]) == rules and deadlines(save) == old:
        raise Unchanged("the settings already have these values")
    public = [setting for setting in settings if "@" not in setting]
    action = journal(session, author, "set", everybody(session), settings=list(settings), earlier=earlier)
    tell(session, action, "action.set.earlier" if earlier else "action.set", settings="; ".join(public) or "-")
    tell_moved(session, action, old)
    return action
