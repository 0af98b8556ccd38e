"""Actions on seats: copy recipients, spectators, delegates, replacement players and bots."""

from __future__ import annotations

from pbem import LANGUAGES
from pbem.bot import Effort
from pbem.clock.policy import give_time
from pbem.mail.moderator.journal import (
    ActionError,
    Actor,
    BadValue,
    Unchanged,
    deadlines,
    everybody,
    journal,
    one_line,
    tell,
    tell_moved,
)
from pbem.mail.outbox.calendar import write_departure_email
from pbem.mail.outbox.email_parts import add_message
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.scheduler.reaching import UNASKED
from pbem.save import Delegate, ModeratorAction, Session
from pbem.save.schema import Spectator
from pbem.save.settings import UnknownZone, address, known_zone
from pbem.timestamps import moment, stamp


def _give_time(session: Session, action: ModeratorAction, seat: str) -> None:
    """Give a seat's new player the least time for open questions, and notify all of moved deadlines."""
    old = deadlines(session.save)
    give_time(session.save, seat, action.at)
    tell_moved(session, action, old)


def _tell_of(
    session: Session, action: ModeratorAction, words: str, seat: str, key: str = "seat", own: str = ""
) -> None:
    """Notify all of an action on a seat, which is `key` in the `words`; `own`: the words to the seat itself."""
    for player in session.save.seats:
        said = own if own and player.id == seat else words
        tell(session, action, said, [player.id], **{key: reader_of(session, player).say.name(seat)})


BRIEFING = 40
"""Lines of narration that a replacement player gets again."""


def add_cc(session: Session, author: Actor, seat: str, address: str) -> ModeratorAction:
    """Send copies of the seat's emails, without codes, to an address. All players are notified."""
    info, recipient = session.save.seat(seat), _address(session, address)
    if recipient in info.watchers:
        raise Unchanged(f"{recipient} already gets copies")
    info.watchers = [*info.watchers, recipient]
    action = journal(session, author, "watch", everybody(session), seat=seat)
    _tell_of(session, action, "action.cc.other", seat, own="action.cc")
    return action


def unwatch(session: Session, author: Actor, seat: str, address: str) -> ModeratorAction:
    """Stop the copies of a seat's emails to an address, and notify all. Raises `ActionError` if there are none."""
    info, recipient = session.save.seat(seat), _address(session, address)
    if recipient not in info.watchers:
        raise ActionError(f"{recipient} gets no copies of {seat}'s emails")
    info.watchers = [known for known in info.watchers if known != recipient]
    action = journal(session, author, "unwatch", everybody(session), seat=seat)
    _tell_of(session, action, "action.cc_removed", seat)
    return action


def add_spectator(session: Session, author: Actor, address: str, language: str = "", hours: int = 0) -> ModeratorAction:
    """Send a spectator the public news from now on, at most once in `hours`; all players are notified."""
    language = language or LANGUAGES[0]
    post, reader = session.save.post, _address(session, address)
    if any(onlooker.address == reader for onlooker in post.onlookers):
        raise ActionError(f"{reader} is already a spectator")
    press, lines = len(session.save.press), session.save.header.lines
    post.onlookers = [*post.onlookers, Spectator(reader, language, hours, seen=lines, press=press)]
    action = journal(session, author, "follow", everybody(session))
    tell(session, action, "action.spectator_added")
    return action


def remove_spectator(session: Session, author: Actor, address: str) -> ModeratorAction:
    """Stop the emails to a spectator. Raises `ActionError` if the address doesn't follow the game."""
    post, reader = session.save.post, _address(session, address)
    if all(onlooker.address != reader for onlooker in post.onlookers):
        raise ActionError(f"{reader} isn't a spectator of the game")
    post.onlookers = [onlooker for onlooker in post.onlookers if onlooker.address != reader]
    action = journal(session, author, "unfollow", everybody(session))
    tell(session, action, "action.spectator_removed")
    return action


def delegate(session: Session, author: Actor, seat: str, address: str, until: str) -> ModeratorAction:
    """Let another person play a seat until a time (ISO 8601)."""
    try:
        end = moment(until)
    except ValueError:
        raise BadValue(f"'{until}' isn't a time. Write one like 2026-12-24T18:00:00Z") from None
    if end <= author.now:
        raise ActionError("that time is in the past")
    info, found = session.save.seat(seat), _address(session, address)
    if any(known.address == found and known.until == end for known in info.delegates):
        raise Unchanged(f"{found} already plays {seat} until then")
    info.delegates.append(Delegate(found, author.now, end))
    action = journal(session, author, "delegate", everybody(session), seat=seat, until=stamp(end))
    for player in session.save.seats:
        reader = reader_of(session, player)
        words = "action.delegate.own" if player.id == seat else "action.delegate"  # both read the first one
        args = {"seat": reader.say.name(seat), "until": reader.when(end)}
        tell(session, action, words, [player.id], **args)
    _give_time(session, action, seat)
    return action


def replace_player(
    session: Session, author: Actor, seat: str, address: str, name: str = "", zone: str = "", language: str = ""
) -> ModeratorAction:
    """Give a seat to another player for good, with a briefing; the former codes and secret become void.

    `zone` (IANA) and `language` are the replacement player's; "" keeps the former ones. Raises `ActionError`.
    """
    import secrets

    save, fresh = session.save, _address(session, address)
    try:
        home = known_zone(zone) if zone else ""
    except UnknownZone as error:
        raise BadValue(str(error)) from None
    info = save.seat(seat)
    pairs = ((name, info.name), (home, info.zone), (language, info.language))
    if info.addresses == [fresh] and all(not new or new == before for new, before in pairs):
        raise Unchanged(f"{fresh} already plays {seat}")
    # Emails to the former player that weren't sent yet aren't meant for the replacement player.
    save.outbox = [email for email in save.outbox if email.seat != seat or "-farewell" in email.id]
    save.drafts = [draft for draft in save.drafts if draft.seat != seat]
    write_departure_email(session, info, author.now)
    info.addresses, info.name = [fresh], one_line(name, "the name")
    info.zone, info.language = home or info.zone, language or info.language
    info.delegates, info.watchers, info.tenure = [], [], info.tenure + 1
    info.secret = secrets.token_hex(8) if info.secret else ""
    info.seen = max(0, min(info.seen, save.header.lines - BRIEFING))
    sent = info.told
    sent.first, sent.last, sent.notices, sent.entry, sent.newcomer = "", "", 0, None, True
    sent.moving, sent.quiet, sent.request, info.quiet, info.reminders = None, None, "", "", ""
    sent.unheard = False
    sent.press = len(save.press)  # private press of the former player stays theirs
    info.told_q = UNASKED if any(pending.seat == seat for pending in save.pending) else info.told_q
    action = journal(session, author, "substitute", everybody(session), seat=seat)
    _tell_of(session, action, "action.substitute", seat)
    words = "action.briefing.secret" if info.secret else "action.briefing"
    add_message(session, info, words, f"action.{action.id}.briefing", action.at, secret=info.secret)
    _give_time(session, action, seat)
    return action


def set_address(session: Session, author: Actor, seat: str, address: str) -> ModeratorAction:
    """Write to another address of a seat's player, in place of the first one, and ask the open question there again."""
    save, fresh = session.save, _address(session, address)
    info = save.seat(seat)
    if info.addresses[:1] == [fresh]:
        raise Unchanged(f"{fresh} is the address of {seat} already")
    for email in save.outbox:
        email.to = fresh if email.seat == seat and [email.to] == info.addresses[:1] else email.to
    info.addresses = [fresh, *(known for known in info.addresses[1:] if known != fresh)]
    info.told.moving = None
    info.told_q = UNASKED if any(pending.seat == seat for pending in save.pending) else info.told_q
    action = journal(session, author, "address", everybody(session), seat=seat)
    _tell_of(session, action, "action.address", seat)
    return action


def assign_bot(session: Session, author: Actor, seat: str, effort: str) -> ModeratorAction:
    """Let a bot play the seat until its player writes again. Raises `ActionError`, KeyError for an unknown seat."""
    info = session.save.seat(seat)
    try:
        Effort.named(effort)
    except ValueError as error:
        raise BadValue(str(error)) from None
    if info.understudy == effort:
        raise ActionError(f"a bot already plays {seat}")
    info.understudy, info.bot_until = effort, None
    action = journal(session, author, "understudy", everybody(session), seat=seat, effort=effort)
    _tell_of(session, action, "bot.takes", seat, key="who")
    return action


def dismiss(session: Session, author: Actor, seat: str) -> ModeratorAction:
    """Stop the bot of a seat: its player is waited for again. Raises `ActionError` if no bot plays it."""
    info = session.save.seat(seat)
    if not info.understudy:
        raise ActionError(f"no bot plays {seat}")
    info.understudy, info.bot_until, info.missed = "", None, 0
    action = journal(session, author, "bot-off", everybody(session), seat=seat)
    _tell_of(session, action, "bot.leaves", seat, key="who")
    _give_time(session, action, seat)
    return action


def _address(session: Session, text: str) -> str:
    try:
        return address(text, [session.save.post.sender])
    except ValueError as error:
        raise BadValue(str(error)) from None
