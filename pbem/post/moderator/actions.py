"""What the moderator does to a game outside its rules: each deed is journaled with author and reason, and told.

These functions change a session in memory; the caller commits and sends. Addresses never stand in what others are told.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from pbem.clock.policy import announce, moment, stamp
from pbem.clock.timetable import ONE_DAY, instant
from pbem.kernel.fiat import Fiat
from pbem.kernel.questions import MODERATOR
from pbem.post.clockwork.expiry import give_defaults
from pbem.post.headers import parse_address
from pbem.post.moderator.settings import SettingError, put
from pbem.post.outbox.drafts import add_text, add_words
from pbem.post.outbox.farewell import farewell
from pbem.post.outbox.reader import Reader, reader_of
from pbem.post.outbox.release import release
from pbem.post.outbox.wording import quoted
from pbem.save import Away, Deed, Delegate, Extra, Pause, Plan, Save, Session, take_back
from pbem.save.zones import UnknownZone, known_zone

BRIEFING = 40
"""Lines of narration that whoever takes over a seat is told again."""


class DeedError(ValueError):
    """A deed that cannot be done; the message says why."""


class Author(msgspec.Struct, frozen=True):
    """Who does it, why, and when."""

    by: str
    reason: str
    now: datetime


def journal(session: Session, author: Author, what: str, told: Sequence[str], **args: Any) -> Deed:
    """Write a deed down."""
    save = session.save
    deed = Deed(
        f"d{len(save.deeds) + 1}", stamp(author.now), author.by, what, author.reason, list(told), args
    )
    save.deeds.append(deed)
    save.header.unsent = True
    return deed


def tell(session: Session, deed: Deed, words: str, seats: Sequence[str] = (), **args: str) -> None:
    """Tell the seats of a deed (none named: all): what, by whom, why."""
    for seat in session.save.seats:
        if not seats or seat.id in seats:
            own = reader_of(session, seat)
            text = _head(own, deed.by) + "\n" + own.words(words, **args)
            text += "\n" + own.words("deed.reason", reason=deed.reason) if deed.reason else ""
            add_text(session.save, seat, f"deed.{deed.id}.{words}", text, deed.at)


def _head(own: Reader, by: str, words: str = "deed.head") -> str:
    """Who acts or speaks: the moderator, by name if he gave one."""
    return own.words(words, by=by) if by and by != MODERATOR else own.words(f"{words}.nameless")


def everybody(session: Session) -> list[str]:
    """All seats."""
    return [seat.id for seat in session.save.seats]


def extend(session: Session, author: Author, hours: int, q: int = 0) -> Deed:
    """Give more hours to the open question. Raises `DeedError` if it has no deadline."""
    save = session.save
    q = q or save.header.q
    if not any(one.q == q and one.due for one in save.pending):
        raise DeedError(f"question {q} is not open, or has no deadline")
    deed = journal(session, author, "extend", everybody(session), q=q, hours=hours)
    save.clock.extensions.append(Extra(deed.id, q, hours))
    announce(save)
    due = next(one.due for one in save.pending if one.q == q)
    for seat in save.seats:
        at = reader_of(session, seat).when(due)
        tell(session, deed, "deed.extend", [seat.id], q=str(q), hours=str(hours), at=at)
    return deed


def pause(session: Session, author: Author) -> Deed:
    """Stop the clock until further notice. Raises `DeedError` if it stands already."""
    if any(not one.until for one in session.save.clock.pauses):
        raise DeedError("the game is paused already")
    deed = journal(session, author, "pause", everybody(session))
    session.save.clock.pauses.append(Pause(deed.id, stamp(author.now), "", author.reason))
    tell(session, deed, "deed.pause")
    return deed


def unpause(session: Session, author: Author) -> Deed:
    """Let the clock run again; every deadline is later by the pause."""
    standing = [one for one in session.save.clock.pauses if not one.until]
    if not standing:
        raise DeedError("the game is not paused")
    for one in standing:
        one.until = stamp(author.now)
    deed = journal(session, author, "unpause", everybody(session))
    announce(session.save)
    tell(session, deed, "deed.unpause")
    return deed


def absent(session: Session, author: Author, seat: str, since: str, until: str) -> Deed:
    """A player is away: the clock of what is put to him stands from `since` to the end of `until`.

    Both are days of the game's zone (2026-12-24), or times (ISO 8601). The seat is told; others learn of a
    deadline that moved by it, and not why. Raises `DeedError`, KeyError for a seat that is none.
    """
    save = session.save
    save.seat(seat)
    begin, end = _instant(save, since), _instant(save, until, end=True)
    if not begin < end:
        raise DeedError("--from lies after --to")
    if end <= author.now:
        raise DeedError("that time has gone by")
    away = Away(seat, stamp(begin), stamp(end))
    if away in save.clock.absences:
        raise DeedError(f"{seat} is down as absent for that time already")
    save.clock.absences.append(away)
    return _absence(session, author, "absent", seat, away)


def present(session: Session, author: Author, seat: str, since: str = "", until: str = "") -> Deed:
    """Take a seat's absences back: all, or those that touch a stretch of time. No deadline moves earlier by it."""
    save = session.save
    save.seat(seat)
    begin = stamp(_instant(save, since)) if since else ""
    end = stamp(_instant(save, until, end=True)) if until else "9999"
    gone = [one for one in save.clock.absences if one.seat == seat and one.until > begin and one.since < end]
    if not gone:
        raise DeedError(f"no absence of {seat} to take back")
    save.clock.absences = [one for one in save.clock.absences if one not in gone]
    whole = Away(seat, min(one.since for one in gone), max(one.until for one in gone))
    return _absence(session, author, "present", seat, whole)


def _absence(session: Session, author: Author, what: str, seat: str, away: Away) -> Deed:
    """Journal it, announce deadlines anew, tell the seat what was done and the others that a deadline moved."""
    save = session.save
    old = {one.q: one.due for one in save.pending}
    announce(save)
    deed = journal(session, author, what, [seat], seat=seat, since=away.since, until=away.until)
    one = save.seat(seat)
    since, until = map(reader_of(session, one).when, (away.since, away.until))
    tell(session, deed, f"deed.{what}", [seat], since=since, until=until)
    _moved(session, deed, old)
    return deed


def _instant(save: Save, text: str, *, end: bool = False) -> datetime:
    """A day of the game's zone (its beginning, or its end) or a time, in UTC. Raises `DeedError`."""
    try:
        if len(text) > len("2026-12-24"):
            return moment(text)
        day = date.fromisoformat(text) + (ONE_DAY if end else timedelta())
        return instant(day, time(), ZoneInfo(save.clock.zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise DeedError(f"'{text}' is not a day like 2026-12-24") from None


def watch(session: Session, author: Author, seat: str, address: str) -> Deed:
    """Let somebody read along: he gets copies of the seat's letters, without codes."""
    info = session.save.seat(seat)
    info.watchers = list(dict.fromkeys([*info.watchers, _address(address)]))
    deed = journal(session, author, "watch", [seat], seat=seat)
    tell(session, deed, "deed.watch", [seat])
    return deed


def delegate(session: Session, author: Author, seat: str, address: str, until: str) -> Deed:
    """Let somebody play a seat until a time (ISO 8601)."""
    try:
        end = moment(until)
    except ValueError:
        raise DeedError(f"'{until}' is not a time like 2026-12-24T18:00:00Z") from None
    if end <= author.now:
        raise DeedError("that time has gone by")
    info = session.save.seat(seat)
    info.delegates.append(Delegate(_address(address), stamp(author.now), stamp(end)))
    deed = journal(session, author, "delegate", everybody(session), seat=seat, until=stamp(end))
    for one in session.save.seats:
        reader, words = reader_of(session, one), "deed.delegate"
        if one.id == seat:  # both of them read it
            words = "deed.delegate.own"
        tell(
            session, deed, words, [one.id],
            seat=reader.say.name(seat), until=reader.when(stamp(end)),
        )  # fmt: skip
    return deed


def replace(
    session: Session,
    author: Author,
    seat: str,
    address: str,
    name: str = "",
    *,
    zone: str = "",
    language: str = "",
) -> Deed:
    """Give a seat to somebody else for good: he is briefed, and all that his predecessor held is dead.

    `zone` (IANA) and `language` are the newcomer's; "" leaves them as they were. Raises `DeedError`.
    """
    save = session.save
    info, fresh, home = save.seat(seat), _address(address), _zone(zone) if zone else ""
    # What was written to him and not sent yet was not meant for the newcomer.
    save.outbox = [one for one in save.outbox if one.seat != seat]
    save.drafts = [one for one in save.drafts if one.seat != seat]
    farewell(session, info, stamp(author.now))
    info.addresses, info.name = [fresh], name
    info.zone, info.language = home or info.zone, language or info.language
    info.delegates, info.watchers, info.tenure = [], [], info.tenure + 1
    info.secret = secrets.token_hex(8) if info.secret else ""
    info.seen = max(0, min(info.seen, save.header.lines - BRIEFING))
    told = info.told
    told.first, told.last, told.notices, told.entry, told.newcomer = "", "", 0, None, True
    told.press = len(save.press)  # private press of the predecessor stays his
    deed = journal(session, author, "substitute", everybody(session), seat=seat)
    for one in save.seats:
        tell(session, deed, "deed.substitute", [one.id], seat=reader_of(session, one).say.name(seat))
    words = "deed.briefing.secret" if info.secret else "deed.briefing"
    add_words(session, info, words, f"deed.{deed.id}.briefing", deed.at, secret=info.secret)
    return deed


def broadcast(session: Session, author: Author, text: str) -> Deed:
    """A word of the moderator to everybody."""
    deed = journal(session, author, "broadcast", everybody(session), text=text)
    for seat in session.save.seats:
        words = "\n".join([_head(reader_of(session, seat), author.by, "deed.broadcast"), *quoted(text)])
        add_text(session.save, seat, f"deed.{deed.id}", words, deed.at)
    return deed


def reveal(session: Session, author: Author, what: str) -> Deed:
    """The moderator looks at what is secret, and everybody hears of it."""
    deed = journal(session, author, "reveal", everybody(session), subject=what)
    tell(session, deed, "deed.reveal", what=what)
    return deed


def decide(session: Session, author: Author) -> Deed:
    """Time is up by the moderator's decision: those who have not answered get their defaults."""
    if not session.referee.pending():
        raise DeedError("no question is open")
    q = session.referee.q
    deed = journal(session, author, "time-up", everybody(session), q=q)
    done, stuck = give_defaults(session, author.now)
    if not done and stuck:
        raise DeedError(f"question {q} has no default that is legal: answer it in a move file, or extend it")
    tell(session, deed, "deed.time-up", q=str(q))
    return deed


def correct(session: Session, author: Author, steps: str) -> Deed:
    """Correct the state by hand (`countries.england.status=3; …`). Raises `Refused` if an invariant would not hold.

    A path or value may be of hidden things (a hand), so players read the reason, not the steps; what each may know of
    the change stands in his position.
    """
    domain = Fiat(session.referee.table, session.game.invariants)
    values: Any = domain.parse(steps)
    session.referee.fiat(values, at=stamp(author.now), via=f"moderator: {author.reason}")
    said, n = domain.text(values), session.referee.n
    deed = journal(session, author, "fiat", everybody(session), steps=said, n=n)
    tell(session, deed, "deed.fiat")
    return deed


def rewind(session: Session, author: Author, n: int) -> tuple[Deed, Plan]:
    """Take the game back to after move `n`; the file as it was is kept. Raises `BadRewind`."""
    plan = take_back(session, n, stamp(author.now))
    deed = journal(session, author, "rewind", everybody(session), n=n, was=plan.was_n)
    tell(session, deed, "deed.rewind", n=str(n))
    return deed, plan


def let_go(session: Session, author: Author, seat: str = "") -> Deed:
    """Let the letters go that are held (to one seat, or all). Raises `DeedError` if there are none.

    A question that they were to put is put now: its time runs from now on, and everybody is told if that moves it.
    """
    save = session.save
    unasked = save.header.unasked
    count = release(save, seat)
    if not count:
        raise DeedError("no letter is held")
    deed = journal(session, author, "release", [], count=count)
    if unasked and not save.header.unasked:
        old = {one.q: one.due for one in save.pending}
        for one in save.pending:
            one.since = max(one.since, stamp(author.now))
        announce(save)
        _moved(session, deed, old)
    return deed


def change(session: Session, author: Author, settings: Sequence[str], *, earlier: bool = False) -> Deed:
    """Change rules of clock and post: `grace=12`, `time_up.turn=default`, `release=-1`. Raises `DeedError`.

    With `earlier` deadlines that were announced may move earlier by it, but never into the next `least` hours.
    """
    save = session.save
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals:
            raise DeedError(f"'{text}': write NAME=VALUE")
        try:
            put(save, name.strip(), value.strip())
        except SettingError as error:
            raise DeedError(str(error)) from None
    old = {one.q: one.due for one in save.pending}
    announce(save, earlier=earlier)
    soonest = stamp(author.now + timedelta(hours=save.clock.least))
    for one in save.pending:
        if old[one.q] and one.due and one.due < old[one.q]:
            one.due = max(one.due, min(soonest, old[one.q]))
    public = [one for one in settings if "@" not in one]
    deed = journal(session, author, "set", everybody(session), settings=list(settings), earlier=earlier)
    words = "deed.set.earlier" if earlier else "deed.set"
    tell(session, deed, words, settings="; ".join(public) or "-")
    _moved(session, deed, old)
    return deed


def _moved(session: Session, deed: Deed, old: dict[int, str]) -> None:
    """Tell everybody of the deadlines that a deed has moved or lifted; `old` are those before it, by question."""
    moved = {one.q: one.due for one in session.save.pending if one.due != old[one.q]}
    for seat in session.save.seats:
        own = reader_of(session, seat)
        for q, due in moved.items():
            if due:
                text = own.words("deed.moved", q=str(q), at=reader_of(session, seat).when(due))
            else:
                text = own.words("deed.lifted", q=str(q))
            add_text(session.save, seat, f"deed.{deed.id}.{q}.moved", text, deed.at)


def _zone(text: str) -> str:
    try:
        return known_zone(text)
    except UnknownZone as error:
        raise DeedError(str(error)) from None


def _address(text: str) -> str:
    found = parse_address(text.strip())
    if found is None:
        raise DeedError(f"'{text}' is not a mail address")
    return found
