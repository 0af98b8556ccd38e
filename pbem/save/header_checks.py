"""What the types cannot say of a header: times, zones, languages, hours; seats and seeds that fit each other.

Most of a header may be edited by hand (docs/save-format.md). A mistake is reported by key and line when the file is
read, not later as an error of a cron job.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

from pbem import LANGUAGES
from pbem.moments import stamp
from pbem.patterns import pattern
from pbem.save.locate import Fault, Steps
from pbem.save.schema import ClockPolicy, DiceInfo, PostPolicy, Save, SeatInfo

# Time zones by their IANA names: those that this machine's database, or else the package tzdata, knows.

_LINKS = ("localtime", "posixrules")
"""Files of many databases that name no zone: what they lead to is each machine's own."""


class UnknownZone(ValueError):
    """No time zone that this machine knows; the message says what to write, or to install, instead."""


def known_zone(name: str) -> str:
    """`name`, if `ZoneInfo` can be made of it here. Raises `UnknownZone`."""
    from zoneinfo import ZoneInfo

    try:
        if name not in _LINKS:
            return ZoneInfo(name).key
    except (LookupError, ValueError, OSError):  # not there; no name, or a file that is no zone; a folder
        pass
    raise UnknownZone(_refusal(name))


def _refusal(name: str) -> str:
    from zoneinfo import available_timezones

    known = available_timezones()  # reads hundreds of files: only after a slip
    # Places alone: Etc/GMT+2 is UTC-2, and CET no place where somebody lives.
    zones = sorted(zone for zone in known if ("/" in zone and not zone.startswith("Etc/")) or zone == "UTC")
    if not known:
        return f"'{name}' cannot be looked up: there are no time zones on this machine; install the package tzdata"
    near = _near(name, zones)
    if near:
        return f"'{name}' is not a time zone: write {' or '.join(near)}"
    return f"'{name}' is not a time zone like Europe/Berlin or UTC"


def _near(name: str, zones: list[str]) -> list[str]:
    """The zones of that name in other letters, or of that town; else those that are spelt much like it."""
    from difflib import get_close_matches

    folded = name.casefold().replace(" ", "_")
    same = [zone_name for zone_name in zones if zone_name.casefold() == folded]
    town = folded.rpartition("/")[2]
    return (
        same
        or [zone_name for zone_name in zones if zone_name.casefold().rpartition("/")[2] == town][:3]
        or get_close_matches(name, zones, n=2, cutoff=0.85)
    )


DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
PACES = ("turn", "reaction", "negotiation", "ballot")
POLICIES = ("wait", "grace", "default", "moderator", "bot")
YEAR = 24 * 366
"""The most hours that anything may last."""

NAME = pattern(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""A game's id as letters carry it."""


def first_fault(save: Save) -> Fault | None:
    """The first fault of a header, None if there is none."""
    return next(_faults(save), None)


def _faults(save: Save) -> Iterator[Fault]:
    yield from _dice(save.dice)
    if not NAME.fullmatch(save.header.name):
        why = f"'{save.header.name}' cannot be written in a letter: use letters, digits, - . _"
        yield Fault(("game", "name"), why)
    if save.header.chain not in (1, 2):
        yield Fault(("game", "chain"), "the version of the chain is 1 or 2")
    yield from _time(("game", "created"), save.header.created)
    yield from _time(("game", "read"), save.header.read)
    ids = [seat.id for seat in save.seats]
    for at, seat in enumerate(save.seats):
        if seat.id in ids[:at]:
            yield Fault(("seats", at, "id"), f"'{seat.id}' stands here twice")
        yield from _seat(("seats", at), seat)
    own = save.post.sender.casefold()
    for at, seat in enumerate(save.seats):
        if own and own in [address.casefold() for address in seat.addresses]:
            yield Fault(
                ("seats", at, "addresses"),
                f"{own} is the game's own address: what is written there comes back",
            )
    yield from _clock(save.clock, ids)
    yield from _post(save.post, ids)
    for at, pending in enumerate(save.pending):
        if pending.seat not in ids and pending.seat != "moderator":
            yield Fault(("pending", at, "seat"), _no_seat(pending.seat, ids))
        for name in ("since", "due", "put", "undelivered", "again", "refused"):
            yield from _time(("pending", at, name), getattr(pending, name))


def _dice(dice: DiceInfo) -> Iterator[Fault]:
    from pbem.kernel.dice import commitment

    try:
        seed = bytes.fromhex(dice.seed)
    except ValueError:
        yield Fault(("dice", "seed"), "not a hexadecimal number")
    else:
        if commitment(seed) != dice.commitment:
            yield Fault(("dice", "commitment"), "this is not the SHA-256 of the seed")
    if dice.version not in (1, 2):
        yield Fault(("dice", "version"), "the version of the dice is 1 or 2")
    for at, rewind in enumerate(dice.rewinds):
        if rewind.epoch != at + 1:
            yield Fault(("dice", "rewinds", at, "epoch"), f"epochs count the rewinds: this is {at + 1}")


def _seat(key: Steps, seat: SeatInfo) -> Iterator[Fault]:
    yield from _zone((*key, "zone"), seat.zone)
    yield from _one_of((*key, "language"), seat.language, LANGUAGES)
    for at, delegate in enumerate(seat.delegates):
        yield from _time((*key, "delegates", at, "since"), delegate.since)
        yield from _time((*key, "delegates", at, "until"), delegate.until)


def _clock(clock: ClockPolicy, ids: list[str]) -> Iterator[Fault]:
    yield from _zone(("clock", "zone"), clock.zone)
    for pace, hours in clock.hours.items():
        yield from _one_of(("clock", "hours", pace), pace, PACES)
        yield from _within(("clock", "hours", pace), hours, 0, YEAR)
    for at, day in enumerate(clock.days):
        yield from _one_of(("clock", "days", at), day, DAYS)
    for at, text in enumerate(clock.quiet):
        yield from _date(("clock", "quiet", at), text)
    for pace, policy in clock.time_up.items():
        yield from _one_of(("clock", "time_up", pace), pace, PACES)
        yield from _one_of(("clock", "time_up", pace), policy, POLICIES)
    yield from _within(("clock", "grid"), clock.grid, -1, 23)
    for name, least in (("least", 0), ("grace", 0), ("outage", 1)):
        yield from _within(("clock", name), getattr(clock, name), least, YEAR)
    for at, hours in enumerate(clock.remind):
        yield from _within(("clock", "remind", at), hours, 1, YEAR)
    for at, pause in enumerate(clock.pauses):
        yield from _time(("clock", "pauses", at, "since"), pause.since)
        yield from _time(("clock", "pauses", at, "until"), pause.until)
    for at, away in enumerate(clock.absences):
        if away.seat not in ids:
            yield Fault(("clock", "absences", at, "seat"), _no_seat(away.seat, ids))
        yield from _time(("clock", "absences", at, "since"), away.since)
        yield from _time(("clock", "absences", at, "until"), away.until)
    for at, extra in enumerate(clock.extensions):
        yield from _within(("clock", "extensions", at, "hours"), extra.hours, 0, YEAR)


def _post(post: PostPolicy, ids: list[str]) -> Iterator[Fault]:
    if post.plays and post.plays not in ids:
        yield Fault(("post", "plays"), _no_seat(post.plays, ids))
    yield from _within(("post", "release"), post.release, -1, YEAR)
    yield from _one_of(("post", "language"), post.language, LANGUAGES)


def _no_seat(seat: str, ids: list[str]) -> str:
    return f"no seat '{seat}'; seats: {', '.join(ids)}"


def _one_of(key: Steps, value: str, known: tuple[str, ...]) -> Iterator[Fault]:
    if value not in known:
        yield Fault(key, f"'{value}' is none of {', '.join(known)}")


def _within(key: Steps, value: int, least: int, most: int) -> Iterator[Fault]:
    if not least <= value <= most:
        yield Fault(key, f"{value} is not a number from {least} to {most}")


def _date(key: Steps, text: str) -> Iterator[Fault]:
    try:
        fits = _counts(date.fromisoformat(text))
    except ValueError:
        fits = False
    if not fits:
        yield Fault(key, f"'{text}' is not a date like 2026-12-24")


def _time(key: Steps, at: datetime | None) -> Iterator[Fault]:
    if at is not None and not _counts(at):
        yield Fault(key, f"'{stamp(at)}' is too long ago, or too far away")


def _counts(day: date) -> bool:
    """Whether it is a day with years of room for what is counted from it."""
    return 1970 <= day.year <= 9000


def _zone(key: Steps, name: str) -> Iterator[Fault]:
    try:
        known_zone(name)
    except UnknownZone as error:
        yield Fault(key, str(error))
