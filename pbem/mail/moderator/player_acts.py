"""What players do themselves: be away, take more time, and set how their emails come.

Each request is one line of an email (`pbem.orders.player_words`). `players_may` says who decides it. None is refused
or delayed because of something that its writer must not know: who is late, who holds what, who has answered.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from pbem import LANGUAGES
from pbem.clock.policy import STEP, announce, overdue, paused, reserve, reserve_for
from pbem.clock.timetable import ONE_DAY
from pbem.kernel.rejections import Rejection, rejection
from pbem.mail.bots import EFFORT, player_returned, tell_all
from pbem.mail.moderator import function
from pbem.mail.moderator.actions import AFTER_THE_END, PlayerAct, player_act
from pbem.mail.moderator.clock_actions import instant_of
from pbem.mail.moderator.journal import ActionError, Actor, BadValue, deadlines, journal, tell, tell_moved
from pbem.mail.outbox.calendar import separate_email
from pbem.mail.outbox.email_parts import add_message
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.release import HOUR as DIGEST_HOUR
from pbem.mail.save_index import code_key, code_of
from pbem.mail.scheduler.needs import ASKED_FOR
from pbem.orders.receipt import PARTLY, REFUSED, Accepted, Receipt, Rejected
from pbem.orders.reply_codes import grouped_code, same_code
from pbem.save import AbsenceEntry, ExtensionEntry, ModeratorAction, SeatInfo, Session
from pbem.save.schema import NewAddress, PendingInfo
from pbem.save.settings import SettingError, UnknownZone, known_zone, may, own_reminders, quiet_hours
from pbem.save.settings import address as parsed_address
from pbem.timestamps import stamp

_HOUR = timedelta(hours=1)
Args = dict[str, str]
"""The values of the sentence in the receipt; `as` names another sentence than that of the act."""


def carry_out(session: Session, receipt: Receipt, at: datetime, sender: str = "") -> None:
    """Do what the accepted lines of a block ask for, and put into the receipt what became of each.

    `sender` is the address that the email came from, "" for a move file.
    """
    done: list[Accepted] = []
    for line in receipt.accepted:
        info = next((seat for seat in session.save.seats if seat.id == receipt.seat), None)  # another after a rewind
        act = player_act(line.text)
        if act is None or info is None or line.fate != "wish" or line.text not in receipt.wishes:
            done.append(line)
            continue
        receipt.wishes = [wish for wish in receipt.wishes if wish != line.text]
        value = line.text.removeprefix(act.key).strip()
        try:
            args = _decided(session, act, info, value, at, sender)
        except Rejection as refused:
            receipt.refused.append(Rejected(line.line, line.written or line.text, refused.problem))
        else:
            done.append(replace(line, fate=f"done.{_fate(act, args)}", args=args))
    if len(done) < len(receipt.accepted):
        receipt.verdict = PARTLY if done else REFUSED
        receipt.refused.sort(key=lambda rejected: rejected.line)
    receipt.accepted = done


def _fate(act: PlayerAct, args: Args) -> str:
    return args.pop("as", act.key.replace(" ", "_"))


def _decided(session: Session, act: PlayerAct, info: SeatInfo, value: str, at: datetime, sender: str) -> Args:
    """Do it, or ask the seats or the moderator who decide it. Raises `Rejection`."""
    rule = may(session.save, act.may) if act.may else "own"
    if session.save.header.over and act.may not in AFTER_THE_END:
        raise rejection("order_block.over")
    if sender and sender.casefold() in [known.address.casefold() for known in info.delegates]:
        raise rejection("request.delegate")
    if rule == "no":
        raise rejection("request.no")
    if rule == "moderator":
        if act.checks:
            act.check()(session, info, value, at)
        request = f"{act.key} {value}".strip()
        ask_moderator(info, request, at)
        noted(session, info, "request", at, text=request)
        return {"as": "request"}
    args: Args = act.work()(session, info, value, at)
    return args


def noted(
    session: Session, info: SeatInfo, what: str, at: datetime, told: Sequence[str] = (), **args: Any
) -> ModeratorAction:
    """Record in the save what a player has done; `told` are all who were notified, none if nobody else was."""
    save = session.save
    mine = f"{info.id}." if not told else "d"
    number = 1 + sum(action.id.startswith(mine) for action in save.actions)
    action = ModeratorAction(f"{mine}{number}", at, info.id, what, "", list(told) or [info.id], args)
    save.actions.append(action)
    save.header.unsent = True
    return action


def ask_moderator(info: SeatInfo, request: str, at: datetime) -> None:
    """Keep a request for the moderator's digest, with those that still wait."""
    sent = info.told
    waiting = sent.request.splitlines() if sent.requested and at - sent.requested < ASKED_FOR else []
    sent.request, sent.requested = "\n".join(dict.fromkeys([*waiting, request])), at


def forget_request(info: SeatInfo, request: str) -> None:
    """Take a request out of the moderator's digest."""
    info.told.request = "\n".join(line for line in info.told.request.splitlines() if line != request)


def grant(session: Session, author: Actor, request: str) -> ModeratorAction:
    """Do what players have asked the moderator for, as if they decided it; they read what a receipt would say.

    What needs the other players' consent is put to them. Raises `ActionError`, `Rejection`.
    """
    asked = [info for info in session.save.seats if request in info.told.request.splitlines()]
    act = player_act(request)
    if act is None or not asked:
        raise ActionError(f"no player waits for that: {request}")
    action = journal(session, author, "granted", [info.id for info in asked], request=request)
    for seat in [info.id for info in asked]:
        info = session.save.seat(seat)  # another one after a rewind
        forget_request(info, request)
        args = act.work()(session, info, request.removeprefix(act.key).strip(), author.now)
        say = reader_of(session, info).say
        tell(
            session,
            action,
            "action.granted",
            [info.id],
            done=say.text(f"receipt.result.done.{_fate(act, args)}", **args),
        )
    return action


AWAY_DAYS = 21
"""Days a year that a player may be away without asking anybody."""


def away(session: Session, info: SeatInfo, value: str, at: datetime) -> Args:
    """Stop the clock of the seat's questions for some days, a day from now at the earliest."""
    save = session.save
    first, _, last = value.removeprefix("until ").partition(" to ")
    try:
        since = instant_of(info.zone, first) if not value.startswith("until") else at
        until = instant_of(info.zone, last or first, end=True)
    except BadValue:
        raise rejection("request.date", word=first if not last else value) from None
    # Nobody leaves a question that they have seen.
    soonest = at + ONE_DAY + _HOUR - timedelta(seconds=1)
    since = max(since, soonest.replace(minute=0, second=0, microsecond=0))
    if since >= until:
        raise rejection("request.too_soon")
    # Days of the last year, and those to come, count.
    absences = [absence for absence in save.clock.absences if absence.seat == info.id]
    lately = [absence for absence in absences if at - absence.until < 365 * ONE_DAY]
    left = AWAY_DAYS - sum(-(-(absence.until - absence.since) // ONE_DAY) for absence in lately)
    days = -(-(until - since) // ONE_DAY)
    if days > left:
        raise rejection("request.too_long", left=max(left, 0), most=AWAY_DAYS)
    save.clock.absences.append(AbsenceEntry(info.id, since, until))
    return _absence(session, info, "absent", since, until, at)


def back(session: Session, info: SeatInfo, value: str, at: datetime) -> Args:
    """End the absences of the seat; deadlines that were announced stay."""
    clock = session.save.clock
    ended = [absence for absence in clock.absences if absence.seat == info.id and absence.until > at]
    if not ended:
        raise rejection("request.not_away")
    for absence in ended:
        absence.until = at
    clock.absences = [absence for absence in clock.absences if absence.since < absence.until]
    return _absence(session, info, "present", at, at, at)


def _absence(session: Session, info: SeatInfo, what: str, since: datetime, until: datetime, at: datetime) -> Args:
    """Announce the deadlines again; others read of those that moved, and not why."""
    old = deadlines(session.save)
    announce(session.save)
    action = noted(session, info, what, at, since=stamp(since), until=stamp(until))
    tell_moved(session, action, old)
    when = reader_of(session, info).when
    return {"since": when(since), "until": when(until)}


def bot(session: Session, info: SeatInfo, value: str, at: datetime) -> Args:
    """Let a bot play the seat until the end of a day; an email of its player ends it before."""
    try:
        until = instant_of(info.zone, value, end=True)
    except BadValue:
        raise rejection("request.date", word=value) from None
    if until <= at:
        raise rejection("request.past", word=value)
    info.understudy, info.bot_until = EFFORT, until
    noted(session, info, "bot", at, [seat.id for seat in session.save.seats], until=stamp(until))
    tell_all(session, "bot.takes", info, f"bot.{info.id}.{stamp(at)}", at)
    return {"until": reader_of(session, info).when(until)}


def more_time(session: Session, info: SeatInfo, value: str, at: datetime) -> Args:
    """Give more hours to the seat's open question, from its reserve."""
    hours, left = int(value), reserve(session.save, info)
    asked = next((row for row in session.save.pending if row.seat == info.id and row.due), None)
    if asked is None or asked.due is None:
        raise rejection("request.no_deadline")
    if hours < 1:
        raise rejection("request.hours")
    if paused(session.save.clock, at):
        raise rejection("request.stopped")
    if hours > left or may(session.save, "time") == "consent":
        args: Args = function("votes.more_time")(session, info, asked.q, hours, at)
        return args
    info.bank += hours
    lengthen(session, asked.q, hours + overdue(session.save, asked.q, at), [info], "more-time", at)
    due = next(row.due for row in session.save.pending if row.q == asked.q and row.due)
    return {"q": str(asked.q), "at": reader_of(session, info).when(due), "left": str(left - hours)}


def lengthen(session: Session, q: int, hours: int, payers: Sequence[SeatInfo], what: str, at: datetime) -> None:
    """Move a question's deadline, and notify all of the new one, not of who has paid for it."""
    save = session.save
    old = deadlines(save)
    actions = [noted(session, payer, what, at, q=q, hours=hours) for payer in payers]
    count = sum(extension.q == q for extension in save.clock.extensions)
    save.clock.extensions.append(ExtensionEntry(f"bank.{q}.{count + 1}", q, hours))
    announce(save)
    tell_moved(session, actions[0], old)


def spend(session: Session, now: datetime) -> bool:
    """Move a deadline that has passed by hours of the reserves of all who are late; return False if none has any."""
    save, some, missing = session.save, False, session.referee.waiting()

    def is_late(row: PendingInfo) -> bool:
        return row.due is not None and row.due <= now and row.seat in missing and reserve_for(save, row) > 0

    while late := {row.seat for row in save.pending if is_late(row)}:
        payers = [info for info in save.seats if info.id in late]
        for info in payers:
            info.bank += STEP
            key, left = f"bank.{session.referee.q}.{info.bank}", str(reserve(save, info))
            add_message(session, info, "bank.spent", key, now, hours=str(STEP), left=left)
        lengthen(session, session.referee.q, STEP, payers, "bank", now)
        some = True
    return some


def timezone(session: Session, info: SeatInfo, value: str, at: datetime) -> Args:
    """Set the zone in which the seat reads times."""
    try:
        info.zone = known_zone(value)
    except UnknownZone:
        raise rejection("request.timezone", near=("timezone Europe/Berlin", "timezone UTC")) from None
    return _profile(session, info, at, "timezone", info.zone)


def language(session: Session, info: SeatInfo, value: str, at: datetime) -> Args:
    """Set the language of the seat's emails."""
    if value.casefold() not in LANGUAGES:
        raise rejection("request.language", near=[f"language {word}" for word in LANGUAGES])
    info.language = value.casefold()
    return _profile(session, info, at, "language", info.language)


def quiet(session: Session, info: SeatInfo, value: str, at: datetime) -> Args:
    """Set the hours of the day in which the seat gets no emails."""
    try:
        info.quiet = quiet_hours("" if value == "off" else value)
    except SettingError:
        raise rejection("request.quiet", near=("quiet 22-07",)) from None
    return {**_profile(session, info, at, "quiet", info.quiet), **({} if info.quiet else {"as": "quiet_off"})}


def reminders(session: Session, info: SeatInfo, value: str, at: datetime) -> Args:
    """Set how long before a deadline the seat is reminded."""
    try:
        info.reminders = own_reminders("" if value == "on" else value)
    except SettingError:
        raise rejection("request.reminders", near=("reminders 48 4",)) from None
    shown = info.reminders or "on"
    _profile(session, info, at, "reminders", shown)
    return {
        "value": shown.replace(" ", ", "),
        "as": {"off": "reminders_off", "on": "reminders_on"}.get(shown, "reminders"),
    }


def digest(session: Session, info: SeatInfo, value: str, at: datetime) -> Args:
    """Send the seat its news once a day, at an hour of its day; like `letters short`, nobody else sees it."""
    hour = int(value or DIGEST_HOUR)
    if hour > 23:
        raise rejection("request.digest", near=("digest 7",))
    info.letters = f"digest {hour}"  # not noted: how others read their email is nobody's business
    return {"value": str(hour)}


def _profile(session: Session, info: SeatInfo, at: datetime, what: str, value: str) -> Args:
    noted(session, info, "profile", at, setting=what, value=value)
    return {"value": value}


_CODE_FOR, _STOP_FOR = timedelta(days=7), timedelta(hours=24)
_MOST_TRIES = 3


def address(session: Session, info: SeatInfo, value: str, at: datetime) -> Args:
    """Ask a new address for a code, take the code that came back from it, or keep the former address."""
    if value == "keep":
        return _keep_address(session, info, at)
    if "@" not in value:
        return _confirm_address(session, info, value, at)
    save, moving = session.save, info.told.moving
    try:
        fresh = parsed_address(value, [save.post.sender])
    except SettingError:
        raise rejection("request.address") from None
    if fresh in info.addresses[:1]:
        raise rejection("request.same_address", address=fresh)
    tries = moving.tries + 1 if moving is not None else 1
    if tries > _MOST_TRIES or (moving is not None and moving.old):
        raise rejection("request.tries")
    since = moving.at if moving is not None else at
    text = f"address {info.id} {info.tenure} {fresh} {stamp(at)}"
    code = grouped_code(hmac.digest(code_key(save), text.encode(), "sha256").hex()[:8])
    info.told.moving = NewAddress(fresh, code, since, at + _CODE_FOR, tries=tries)
    mark = f"address{len(save.actions)}"
    separate_email(session, info, fresh, at, "address.check", mark, "address.subject", code=code)
    noted(session, info, "address", at)
    return {"address": fresh, "until": reader_of(session, info).when(at + _CODE_FOR)}


def _confirm_address(session: Session, info: SeatInfo, code: str, at: datetime) -> Args:
    moving = info.told.moving
    if moving is None or moving.old or not same_code(code, (moving.code,)) or at >= moving.until:
        raise rejection("request.code")
    moving.old = info.addresses[0] if info.addresses else ""
    moving.until = at + _STOP_FOR
    kept = [known for known in info.addresses if known.casefold() != moving.address.casefold()]
    info.addresses = [moving.address, *kept]
    if moving.old:
        tag = f"[{session.save.header.name} {info.id} {code_of(session.save, info.id)}]"
        mark = f"moved{len(session.save.actions)}"
        words = {"address": moving.address, "tag": tag}
        separate_email(session, info, moving.old, at, "address.moved", mark, "address.subject", **words)
    else:
        info.told.moving = None
    noted(session, info, "address", at)
    return {"as": "address_moved", "address": moving.address, "until": reader_of(session, info).when(moving.until)}


def _keep_address(session: Session, info: SeatInfo, at: datetime) -> Args:
    moving = info.told.moving
    if moving is None or at >= moving.until:
        raise rejection("request.no_address")
    if moving.old:
        info.addresses = [moving.old, *(a for a in info.addresses if a not in (moving.address, moving.old))]
    info.told.moving = None
    noted(session, info, "address", at)
    return {"as": "address_kept", "address": info.addresses[0] if info.addresses else ""}


def end_terms(session: Session, now: datetime) -> bool:
    """Give up former addresses and codes, and dismiss bots, whose time is over; return False if there are none."""
    some = False
    for info in session.save.seats:
        moving = info.told.moving
        if moving is not None and moving.until <= now:
            info.addresses = [known for known in info.addresses if known != moving.old]
            info.told.moving, some = None, True
        if info.bot_until is not None and info.bot_until <= now:
            player_returned(session, info, now)
            some = True
    return some
