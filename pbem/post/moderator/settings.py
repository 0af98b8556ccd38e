"""The moderator's settings as he writes them (`grace=12`, `time_up.turn=default`, `days=mon,tue`)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from pbem import LANGUAGES
from pbem.clock.beacon import BadBeacon, beacon_of
from pbem.clock.timetable import WEEK
from pbem.post.headers import mail_to
from pbem.post.outbox import pictures
from pbem.report.cells import clean
from pbem.save import Save
from pbem.save.header_checks import PACES, POLICIES, YEAR, UnknownZone, known_zone


class SettingError(ValueError):
    """A setting that cannot be; the message says what can."""


def put(save: Save, name: str, value: str) -> None:
    """Put a setting into a save's rules of clock and post. Raises `SettingError`; then nothing is changed."""
    head, _, pace = name.partition(".")
    if head not in SETTINGS:
        raise SettingError(f"no setting '{head}'; settings: {', '.join(SETTINGS)}")
    paced = head in ("hours", "time_up")
    if paced != bool(pace) or (paced and pace not in PACES):
        many = f"write {head}.PACE=…; paces: {', '.join(PACES)}"
        raise SettingError(many if paced else f"write {head}=…")
    if head == "plays" and value and value not in [seat.id for seat in save.seats]:
        raise SettingError(f"no seat '{value}'; seats: {', '.join(seat.id for seat in save.seats)}")
    if head == "beacon" and value and save.dice.version < 2:
        raise SettingError(
            "the dice of this game were begun without what is answered: they take in no beacon"
        )
    holder: Any = save.clock if hasattr(save.clock, head) else save.post
    try:
        found = SETTINGS[head](value)
    except SettingError as error:
        raise SettingError(f"{name}: {error}") from None
    if head == "moderator" and save.post.sender.casefold() in map(str.casefold, found):
        raise SettingError(
            f"{name}: {save.post.sender} is the game's own address: what is written there comes back"
        )
    setattr(holder, head, {**getattr(holder, head), pace: found} if paced else found)


def _number(least: int, most: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        try:
            found = int(value)
        except ValueError:
            raise SettingError(f"'{value}' is not a whole number") from None
        if not least <= found <= most:
            raise SettingError(f"a number from {least} to {most}")
        return found

    return read


def _one_of(known: tuple[str, ...]) -> Callable[[str], str]:
    def read(value: str) -> str:
        if value not in known:
            raise SettingError(f"one of {', '.join(known)}")
        return value

    return read


def _list(one: Callable[[str], Any], *, empty: bool = True) -> Callable[[str], list[Any]]:
    def read(value: str) -> list[Any]:
        found = [one(part.strip()) for part in value.split(",") if part.strip()]
        if not found and not empty:
            raise SettingError("name at least one")
        return found

    return read


def _date(value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise SettingError(f"'{value}' is not a date like 2026-12-24") from None


def _zone(value: str) -> str:
    try:
        return known_zone(value)
    except UnknownZone as error:
        raise SettingError(str(error)) from None


def _word(value: str) -> str:
    if clean(value) != value or len(value.split()) > 1:
        raise SettingError("one word, or nothing")
    return value


def _address(value: str) -> str:
    try:
        return mail_to(value)
    except ValueError as error:
        raise SettingError(str(error)) from None


def _path(value: str) -> str:
    if clean(value) != value:
        raise SettingError("the name of a folder, or nothing")
    return value


def _notify(value: str) -> str:
    if value and urlsplit(value.removeprefix("ntfy+")).scheme in ("http", "https"):
        if clean(value) != value or " " in value or not urlsplit(value.removeprefix("ntfy+")).hostname:
            raise SettingError("an address like https://host/hook")
        return value
    if value and (clean(value) != value or Path(value).name != value or value.startswith((".", "-"))):
        raise SettingError("https://…, ntfy+https://…, or the name of a program that lies beside the save")
    return value


def _maps(value: str) -> str:
    word: str = _one_of(WORDS["maps"])(value)
    if word and not pictures.can_draw(LANGUAGES[0]):
        raise SettingError(
            "maps=png needs resvg and a font: pip install 'pbem[png]', PBEM_FONT='Family:/path/of/its.ttf'"
        )
    return word


def _beacon(value: str) -> str:
    try:
        return value and ":".join(map(str, msgspec.structs.astuple(beacon_of(value))))
    except BadBeacon as error:
        raise SettingError(str(error)) from None


WORDS: dict[str, tuple[str, ...]] = {
    "days": tuple(WEEK),
    "time_up": POLICIES,
    "language": tuple(LANGUAGES),
    "keep": ("", "raw"),
    "maps": ("", "png"),
}
"""The words that a setting may be, of those that have few."""

SETTINGS: dict[str, Callable[[str], Any]] = {
    "zone": _zone,
    "days": _list(_one_of(WORDS["days"]), empty=False),
    "quiet": _list(_date),
    "grid": _number(-1, 23),
    "least": _number(0, YEAR),
    "grace": _number(0, YEAR),
    "absent_after": _number(0, 99),
    "remind": _list(_number(1, YEAR)),
    "outage": _number(1, YEAR),
    "hours": _number(0, YEAR),
    "time_up": _one_of(WORDS["time_up"]),
    "moderator": _list(_address),
    "plays": str,
    "trusted": _word,
    "release": _number(-1, YEAR),
    "language": _one_of(WORDS["language"]),
    "keep": _one_of(WORDS["keep"]),
    "site": _path,
    "maps": _maps,
    "beacon": _beacon,
    "notify": _notify,
}
"""How each setting is read from text."""
