"""Time zones by their IANA names: those that this machine's database, or else the package tzdata, knows."""

from __future__ import annotations

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

    zones = sorted(available_timezones().difference(_LINKS))  # reads hundreds of files: only after a slip
    if not zones:
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
