"""The settings of `[clock]` and `[post]` as text (`grace=12`, `time_up.turn=default`), and their legal values.

The same table checks what a command sets and what a save holds when it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any

import msgspec

from pbem import LANGUAGES
from pbem.lazy_regex import pattern

if TYPE_CHECKING:
    from pbem.save.schema import Save

# Time zones by their IANA names: from the system's database, else from the package tzdata.

_LINKS = ("localtime", "posixrules")
"""Files of many databases that are no zones: they point to the machine's own."""


class UnknownZone(ValueError):
    """This machine doesn't know the time zone; the message says what to write or to install."""


def known_zone(name: str) -> str:
    """Return `name` if `ZoneInfo` knows it here. Raises `UnknownZone`."""
    from zoneinfo import ZoneInfo

    try:
        if name not in _LINKS:
            return ZoneInfo(name).key
    except (LookupError, ValueError, OSError):  # missing; invalid name or file; a folder
        pass
    raise UnknownZone(_refusal(name))


def _refusal(name: str) -> str:
    from zoneinfo import available_timezones

    known = available_timezones()  # reads hundreds of files: only after an error
    # Places only: Etc/GMT+2 is UTC-2, and CET isn't a place.
    zones = sorted(zone for zone in known if ("/" in zone and not zone.startswith("Etc/")) or zone == "UTC")
    if not known:
        return f"'{name}' can't be looked up: this machine has no time zones; install the package tzdata"
    near = _near(name, zones)
    if near:
        return f"'{name}' isn't a time zone: write {' or '.join(near)}"
    return f"'{name}' isn't a time zone. Write one like Europe/Berlin or UTC"


def _near(name: str, zones: list[str]) -> list[str]:
    """Return the zones of that name in another case, or of that city; else those spelled similarly."""
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
"""The most hours of any setting."""
MAY = {
    "away": "own",
    "time": "own",
    "address": "own",
    "profile": "own",
    "bot": "own",
    "take_back": "own",
    "end": "consent",
    "skip": "moderator",
    "replace": "moderator",
}
"""What players may do themselves, and who decides it unless `players_may` says otherwise."""
DECIDES = ("own", "consent", "moderator", "no")
BY_VOTE = ("time", "take_back", "end", "skip", "replace")
"""What the other players can agree to; the rest concerns nobody else."""


class SettingError(ValueError):
    """The setting is invalid; the message says what is valid."""


def set_setting(save: Save, name: str, value: str) -> None:
    """Set one of a save's settings. Raises `SettingError`; then nothing is changed."""
    head, _, pace = name.partition(".")
    if head not in SETTINGS:
        raise SettingError(f"'{head}' isn't a setting; settings: {', '.join(SETTINGS)}")
    keys = SETTINGS[head].keys
    if bool(keys) != bool(pace) or (keys and pace not in keys):
        part = "PACE" if keys is PACES else "ACT"
        many = f"write {head}.{part}=…; {part.lower()}s: {', '.join(keys)}"
        raise SettingError(many if keys else f"write {head}=…")
    holder: Any = save.clock if hasattr(save.clock, head) else save.post
    found: Any = SETTINGS[head].value(name, value)
    if keys:
        found = {**getattr(holder, head), pace: found}
        if head == "players_may" and found[pace] == MAY.get(pace):
            del found[pace]  # as it is without
    if why := clash(save, head, found):
        raise SettingError(why)
    setattr(holder, head, found)


def clash(save: Save, name: str, value: Any) -> str:
    """Return why a setting contradicts the rest of the save, "" if it doesn't."""
    ids = [seat.id for seat in save.seats]
    if name == "players_may" and (odd := _odd_rule(value)):
        return odd
    if name == "plays" and value and value not in ids:
        return f"'{value}' isn't a seat; seats: {', '.join(ids)}"
    if name == "moderator" and save.post.sender.casefold() in map(str.casefold, value):
        return f"{name}: {save.post.sender} is the game's own address: emails to it come back"
    if name == "beacon" and value and save.dice.version < 2:
        return "the dice of this game don't depend on answers, so they can't use a beacon"
    return ""


Reader = Callable[[str], Any]
"""Parses one value. Raises `SettingError`."""


def may(save: Save, act: str) -> str:
    """Return who decides what players ask for: `own`, `consent`, `moderator` or `no`."""
    return save.clock.players_may.get(act, MAY[act])


def _odd_rule(rules: dict[str, str]) -> str:
    """Return why a rule for what players may do is impossible; "" if none is."""
    for act, rule in rules.items():
        if rule == "consent" and act not in BY_VOTE:
            return f"{act} concerns nobody else: write own, moderator or no"
        if rule == "own" and MAY.get(act, "own") != "own":
            return f"{act} concerns the other players: write consent, moderator or no"
    return ""


class Setting(msgspec.Struct, frozen=True):
    """How a setting is parsed, and its meaning; `many`: it is a list, which may be empty only if `empty`.

    `keys`: it has a value for each of them.
    """

    one: Reader
    many: bool = False
    empty: bool = True
    help: str = ""
    keys: tuple[str, ...] = ()

    def value(self, name: str, text: str) -> Any:
        """Parse a moderator's text; a list is separated by commas. Raises `SettingError`."""
        try:
            if not self.many:
                return self.one(text)
            found = [self.one(part.strip()) for part in text.split(",") if part.strip()]
        except SettingError as error:
            raise SettingError(f"{name}: {error}") from None
        if not found and not self.empty:
            raise SettingError(f"{name} is empty: name at least one")
        return found

    def faults(self, value: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield what is wrong with a value in a save, with its path."""
        parts = value.items() if isinstance(value, dict) else enumerate(value) if self.many else [(None, value)]
        for step, part in parts:
            try:
                if isinstance(value, dict):
                    one_of(self.keys)(str(step))
                self.one(str(part))
            except SettingError as error:
                yield () if step is None else (step,), str(error)


def _number(least: int, most: int) -> Reader:
    def read(value: str) -> int:
        try:
            found = int(value)
        except ValueError:
            raise SettingError(f"'{value}' isn't a whole number") from None
        if not least <= found <= most:
            raise SettingError(f"'{found}' isn't a number from {least} to {most}")
        return found

    return read


def one_of(known: tuple[str, ...]) -> Reader:
    """Return a reader of one of these words."""

    def read(value: str) -> str:
        if value not in known:
            raise SettingError(f"'{value}' isn't one of {', '.join(known)}")
        return value

    return read


def counts(day: date) -> bool:
    """Check whether a date leaves years of room for date arithmetic."""
    return 1970 <= day.year <= 9000


def _date(value: str) -> str:
    try:
        day = date.fromisoformat(value)
    except ValueError:
        day = date.min
    if not counts(day):
        raise SettingError(f"'{value}' isn't a date. Write one like 2026-12-24")
    return day.isoformat()


def zone(value: str) -> str:
    """Parse the name of a time zone."""
    try:
        return known_zone(value)
    except UnknownZone as error:
        raise SettingError(str(error)) from None


def allowed(name: str) -> str:
    """Return where `name` in a save may lead, by the moderator's PBEM_ALLOW: a path, a web address, or ""."""
    import os
    import shlex

    for entry in shlex.split(os.environ.get("PBEM_ALLOW", ""), posix=os.name != "nt"):
        place = Path(entry)
        if place.is_absolute() and place.name == name:
            return entry
        if "://" in entry and (name == entry or name.startswith(f"{entry.rstrip('/')}/")):
            return name
    return ""


def _word(value: str) -> str:
    if not value.isprintable() or len(value.split()) > 1:
        raise SettingError("more than one word: write one, or nothing")
    return value


_LOCAL_PART = pattern(r"""[^\s@<>"(),:;\\\[\]]{1,64}""")
_DOMAIN = pattern(r"[^\W_](?:[^\W_]|-)*(?:\.[^\W_](?:[^\W_]|-)*)*\.?|\[[0-9A-Fa-f:.IPVipv]{3,60}\]")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def parse_address(text: str) -> str | None:
    """Return one bare address with its ASCII letters in lower case, or None unless it is plainly `local@domain`.

    Quoted local parts, routes, blanks, control and invisible characters are rejected: cleaning must never turn a
    look-alike into a known address. An internationalised domain is returned in ASCII (`xn--…`), so that both forms
    are equal.
    """
    local, at, domain = text.partition("@")
    if not (at and _LOCAL_PART.fullmatch(local) and _DOMAIN.fullmatch(domain) and text.isprintable()):
        return None
    if len(text) > 254:
        return None
    plain = domain.removesuffix(".").translate(_LOWER)
    ascii_domain = plain if plain.isascii() else _a_label(plain)
    return f"{local.translate(_LOWER)}@{ascii_domain}" if ascii_domain else None


def _a_label(domain: str) -> str:
    """Convert an internationalised domain to ASCII; "" if another spelling would give the same (`ß`, full width)."""
    lower = domain.lower()
    try:
        encoded = lower.encode("idna")
        return encoded.decode("ascii") if encoded.decode("idna") == lower else ""
    except UnicodeError:
        return ""


def address(value: str, own: Iterable[str] = ()) -> str:
    """Parse a deliverable address, not one of our `own`, nor with `-` first: mail programs read that as an option."""
    found = None if value.startswith("-") else parse_address(value.strip())
    if found is None:
        raise SettingError(f"'{value}' isn't an email address like anna@example.org")
    if not found.isascii():
        raise SettingError(f"'{value}' has characters before the @ that email doesn't allow: use a to z")
    if found.casefold() in {other.casefold() for other in own}:
        raise SettingError(f"{found} is the game's own address: emails to it come back")
    return found


def _folder(value: str) -> str:
    """Parse a folder below the save's; where links lead is checked when pages are written."""
    paths = (PurePosixPath(value), PureWindowsPath(value))
    if not value.isprintable() or any(path.anchor or ".." in path.parts for path in paths):
        raise SettingError(
            "not allowed: write a folder below that of the save, or nothing; "
            "for others set PBEM_ALLOW (pbem docs moderator)"
        )
    return value


def _notify(value: str) -> str:
    web = value.removeprefix("ntfy+")
    if web.startswith(("http://", "https://")):
        if not value.isprintable() or " " in value or not _host(web):
            raise SettingError("not an address: write one like https://host/hook")
    elif value and (not value.isprintable() or value.startswith((".", "-")) or set("/\\:") & set(value)):
        raise SettingError(
            "not allowed: write https://…, ntfy+https://…, or the name of a program in PBEM_ALLOW (pbem docs moderator)"
        )
    return value


def _host(address: str) -> str:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(address)
        return parts.hostname or "" if parts.port != 0 else ""
    except ValueError:  # invalid port or bracket
        return ""


BEACON = pattern(r"([0-9a-f]{64}):(\d{9,11}):(\d{1,5})")
"""The pattern of `CHAIN:GENESIS:PERIOD`."""


def _beacon(value: str) -> str:
    match = BEACON.fullmatch(value)
    if value and (match is None or not int(match[3])):
        raise SettingError("not a beacon: write CHAIN:GENESIS:PERIOD, the hash of the chain and two numbers of seconds")
    return f"{match[1]}:{int(match[2])}:{int(match[3])}" if match else ""


_LONGEST_QUIET = 12


def quiet_hours(value: str) -> str:
    """Parse the hours of a seat without emails (`22-07`), at most twelve; "" for none."""
    first, dash, last = value.partition("-")
    if not value:
        return ""
    if not dash or not all(hour.isascii() and hour.isdigit() and int(hour) < 24 for hour in (first, last)):
        raise SettingError(f"'{value}' isn't a range of hours. Write one like 22-07")
    if not 0 < (int(last) - int(first)) % 24 <= _LONGEST_QUIET:
        raise SettingError(f"'{value}' isn't 1 to {_LONGEST_QUIET} hours long")
    return f"{int(first):02}-{int(last):02}"


def own_reminders(value: str) -> str:
    """Parse the hours before a deadline at which a seat is reminded (`48 4`), or `off`; "": as in the game."""
    if value in ("", "off"):
        return value
    hours = {_number(1, YEAR)(word) for word in value.split()}
    if len(hours) > _MOST_REMINDERS:
        raise SettingError(f"more than {_MOST_REMINDERS} reminders")
    return " ".join(map(str, sorted(hours, reverse=True)))


_MOST_REMINDERS = 4
EFFORTS = ("low", "normal", "high")
"""How hard a bot may think."""
LETTERS = pattern(r"(full|digest( ([01]?\d|2[0-3]))?)?")
"""How a seat's emails may be written."""

WORDS: dict[str, tuple[str, ...]] = {
    "days": DAYS,
    "players_may": DECIDES,
    "time_up": POLICIES,
    "language": LANGUAGES,
    "keep": ("", "raw"),
    "maps": ("", "png"),
}
"""The words of settings that have few values."""

SETTINGS: dict[str, Setting] = {
    "zone": Setting(zone, help="Time zone of the game, such as Europe/Berlin"),
    "days": Setting(one_of(DAYS), many=True, empty=False, help="Weekdays on which the clock runs"),
    "quiet": Setting(_date, many=True, help="Dates on which the clock is stopped"),
    "grid": Setting(_number(-1, 23), help="Hour of the day at which deadlines fall. -1: any full hour"),
    "least": Setting(_number(0, YEAR), help="Hours that everybody gets at least"),
    "grace": Setting(_number(0, YEAR), help="Hours between the deadline and the default answer"),
    "absent_after": Setting(_number(0, 99), help="Missed deadlines in a row after which a bot plays. 0: never"),
    "remind": Setting(_number(1, YEAR), many=True, help="Hours before the deadline at which reminders go out"),
    "outage": Setting(_number(1, YEAR), help="Hours without mail or cron after which deadlines move"),
    "hours": Setting(_number(0, YEAR), help="Hours to answer a question of this pace. 0: no deadline", keys=PACES),
    "time_up": Setting(
        one_of(POLICIES), help="What happens at the deadline: wait, grace, default, moderator or bot", keys=PACES
    ),
    "bank_hours": Setting(_number(0, YEAR), help="Hours that each player has in reserve for late answers"),
    "players_may": Setting(
        one_of(DECIDES), help="Who decides what players ask for: own, consent, moderator or no", keys=tuple(MAY)
    ),
    "moderator": Setting(address, many=True, help="Addresses of the moderator"),
    "plays": Setting(str, help="Seat that the moderator plays. Empty: none"),
    "trusted": Setting(_word, help="Mail host whose Authentication-Results count"),
    "release": Setting(_number(-1, YEAR), help="Hours before news goes out. -1: you release it"),
    "language": Setting(one_of(LANGUAGES), help="Language of emails to the moderator"),
    "keep": Setting(one_of(WORDS["keep"]), help="raw: keep the emails that decide the game"),
    "site": Setting(_folder, help="Folder of the game's public pages"),
    "maps": Setting(one_of(WORDS["maps"]), help="png: show the map in emails"),
    "beacon": Setting(_beacon, help="Public beacon that is mixed into the dice"),
    "notify": Setting(_notify, help="Address or program that gets public events"),
}
"""How each setting is parsed, and its meaning."""


def shown(save: Save) -> dict[str, str]:
    """Return a save's settings as text for `set_setting`; `hours` and `time_up` by pace."""
    values: dict[str, str] = {}
    for name in SETTINGS:
        value = getattr(save.clock if hasattr(save.clock, name) else save.post, name)
        value = list(DAYS) if name == "days" and not value else value  # empty: all
        if isinstance(value, dict):
            usual = {"time_up": dict.fromkeys(PACES, POLICIES[0]), "players_may": MAY}.get(name, {})
            values |= {f"{name}.{pace}": str(word) for pace, word in {**usual, **value}.items()}
        else:
            values[name] = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return values
