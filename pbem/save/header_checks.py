"""Header checks beyond types: times, zones, languages, hours; seats and seeds that fit each other.

Most of a header may be edited by hand (save-format.md). A mistake is reported by key and line at reading, not later
as an error of a cron job.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pbem import LANGUAGES
from pbem.lazy_regex import clean, pattern
from pbem.save import settings
from pbem.save.key_positions import KeyFault, Steps
from pbem.save.schema import ClockSettings, DiceInfo, Save, SeatInfo
from pbem.save.settings import SettingError
from pbem.timestamps import stamp

NAME = pattern(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""A game's id in emails."""


def first_fault(save: Save) -> KeyFault | None:
    """Return the first fault of a header, None if there is none."""
    return next(_faults(save), None)


def _faults(save: Save) -> Iterator[KeyFault]:
    yield from _dice(save.dice)
    yield from _each(("game", "name"), _name, [save.header.name])
    if save.header.chain not in (1, 2):
        yield KeyFault(("game", "chain"), "the version of the chain is 1 or 2")
    yield from _time(("game", "created"), save.header.created)
    yield from _time(("game", "read"), save.header.read)
    ids = [seat.id for seat in save.seats]
    for at, seat in enumerate(save.seats):
        if seat.id in ids[:at]:
            yield KeyFault(("seats", at, "id"), f"'{seat.id}' is named twice")
        yield from _seat(("seats", at), seat)
    own = save.post.sender.casefold()
    for at, seat in enumerate(save.seats):
        if own and own in [address.casefold() for address in seat.addresses]:
            yield KeyFault(("seats", at, "addresses"), f"{own} is the game's own address: emails to it come back")
    yield from _clock(save.clock, ids)
    yield from _settings(save)
    for at, pending in enumerate(save.pending):
        if pending.seat not in ids and pending.seat != "moderator":
            yield KeyFault(("pending", at, "seat"), _no_seat(pending.seat, ids))
        yield from _each(("pending", at, "kind"), _name, [pending.kind])
        yield from _each(("pending", at, "pace"), settings.one_of(settings.PACES), [pending.pace])
        for name in ("since", "due", "put", "undelivered", "again", "refused"):
            yield from _time(("pending", at, name), getattr(pending, name))


def _dice(dice: DiceInfo) -> Iterator[KeyFault]:
    from pbem.kernel.dice import commitment

    try:
        seed = bytes.fromhex(dice.seed)
    except ValueError:
        yield KeyFault(("dice", "seed"), "not a hexadecimal number")
    else:
        if commitment(seed) != dice.commitment:
            yield KeyFault(("dice", "commitment"), "this is not the SHA-256 of the seed")
    if dice.version not in (1, 2):
        yield KeyFault(("dice", "version"), "the version of the dice is 1 or 2")
    for at, rewind in enumerate(dice.rewinds):
        if rewind.epoch != at + 1:
            yield KeyFault(("dice", "rewinds", at, "epoch"), f"epochs count the rewinds: this is {at + 1}")


def _seat(key: Steps, seat: SeatInfo) -> Iterator[KeyFault]:
    for name, read, values in (
        ("id", _name, [seat.id]),
        ("name", _line, [seat.name]),
        ("zone", settings.zone, [seat.zone]),
        ("language", settings.one_of(LANGUAGES), [seat.language]),
        ("addresses", settings.address, seat.addresses),
        ("watchers", settings.address, seat.watchers),
        ("understudy", settings.one_of(("", *settings.EFFORTS)), [seat.understudy]),
        ("attach", settings.one_of(("", "view", "nothing")), [seat.attach]),
        ("quiet", settings.quiet_hours, [seat.quiet]),
        ("reminders", settings.own_reminders, [seat.reminders]),
        ("bank", settings.SETTINGS["bank_hours"].one, [str(seat.bank)]),
    ):
        yield from _each((*key, name), read, values)
    if not settings.LETTERS.fullmatch(seat.letters):
        yield KeyFault((*key, "letters"), f"'{seat.letters}' isn't possible. Write full or digest HOUR")
    if seat.told.moving is not None:
        yield from _each((*key, "told", "moving", "address"), settings.address, [seat.told.moving.address])
    yield from _time((*key, "bot_until"), seat.bot_until)
    for at, delegate in enumerate(seat.delegates):
        yield from _each((*key, "delegates", at, "address"), settings.address, [delegate.address])
        yield from _time((*key, "delegates", at, "since"), delegate.since)
        yield from _time((*key, "delegates", at, "until"), delegate.until)


def _clock(clock: ClockSettings, ids: list[str]) -> Iterator[KeyFault]:
    for at, pause in enumerate(clock.pauses):
        yield from _time(("clock", "pauses", at, "since"), pause.since)
        yield from _time(("clock", "pauses", at, "until"), pause.until)
    for at, away in enumerate(clock.absences):
        if away.seat not in ids:
            yield KeyFault(("clock", "absences", at, "seat"), _no_seat(away.seat, ids))
        yield from _time(("clock", "absences", at, "since"), away.since)
        yield from _time(("clock", "absences", at, "until"), away.until)
    for at, extra in enumerate(clock.extensions):
        yield from _each(("clock", "extensions", at, "hours"), settings.SETTINGS["hours"].one, [str(extra.hours)])


def _settings(save: Save) -> Iterator[KeyFault]:
    """Yield faults that `pbem config set` would reject, and those of addresses that other commands write."""
    for part, holder in (("clock", save.clock), ("post", save.post)):
        for name, setting in settings.SETTINGS.items():
            if hasattr(holder, name):
                value = getattr(holder, name)
                for path, why in setting.faults(value):
                    yield KeyFault((part, name, *path), why)
                if why := settings.clash(save, name, value):
                    yield KeyFault((part, name), why)
    if save.post.sender:
        yield from _each(("post", "sender"), settings.address, [save.post.sender])
    for at, onlooker in enumerate(save.post.onlookers):
        yield from _each(("post", "onlookers", at, "address"), settings.address, [onlooker.address])
        yield from _each(("post", "onlookers", at, "language"), settings.one_of(LANGUAGES), [onlooker.language])


def _name(value: str) -> str:
    if not NAME.fullmatch(value):
        raise SettingError(f"'{value}' can't be written in an email: use a to z, digits, - . _")
    return value


def _line(value: str) -> str:
    if clean(value) != value or "\n" in value:
        raise SettingError("it has control characters: remove them")
    return value


def _each(key: Steps, read: settings.Reader, values: list[str]) -> Iterator[KeyFault]:
    for at, value in enumerate(values):
        try:
            read(value)
        except SettingError as error:
            yield KeyFault((*key, at) if key[-1] in ("addresses", "watchers") else key, str(error))


def _no_seat(seat: str, ids: list[str]) -> str:
    return f"'{seat}' isn't a seat; seats: {', '.join(ids)}"


def _time(key: Steps, at: datetime | None) -> Iterator[KeyFault]:
    if at is not None and not settings.counts(at):
        yield KeyFault(key, f"'{stamp(at)}' is too far in the past or future")
