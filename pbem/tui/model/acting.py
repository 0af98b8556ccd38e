"""What the moderator may do from the desk, as data: each deed with what it asks for. The screen only asks and shows.

The deeds are those of `pbem.post.moderator.actions`: journaled with author and reason, and told to those they concern.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pbem.save.session import Loader

if TYPE_CHECKING:
    from pbem.post.moderator.actions import Author
    from pbem.post.moderator.waiting import GameDesk
    from pbem.save import Deed, Session

Asks = Literal["seat", "text", "long"]


@dataclass(frozen=True)
class Field:
    """Something to be filled in: `key` names its words (`deed.field.<key>`), `first` stands there already."""

    key: str
    asks: Asks = "text"
    first: str = ""
    needed: bool = True


@dataclass(frozen=True)
class Doing:
    """A deed on offer; its words are `deed.<key>`."""

    key: str
    fields: tuple[Field, ...] = ()


SEAT = Field("seat", "seat")
OFFERED = (
    Doing("extend", (Field("hours", first="24"),)),
    Doing("pause"),
    Doing("unpause"),
    Doing("time_up"),
    Doing("absent", (SEAT, Field("from"), Field("to"))),
    Doing("release"),
    Doing("broadcast", (Field("words", "long"),)),
    Doing("watch", (SEAT, Field("address"))),
    Doing("delegate", (SEAT, Field("address"), Field("until"))),
    Doing("replace", (SEAT, Field("address"), Field("name", needed=False))),
    Doing("set", (Field("settings"),)),
    Doing("fiat", (Field("steps"),)),
    Doing("rewind", (Field("n"),)),
)
"""In the order of how often they are needed."""


class Refusal(ValueError):
    """A deed that cannot be done; the message says why."""


def offered(desk: GameDesk) -> list[Doing]:
    """The deeds that make sense now."""
    out = {"unpause"} if not desk.paused else {"pause"}
    if not desk.held:
        out.add("release")
    if desk.over or not desk.waiting:
        out |= {"extend", "time_up", "absent"}
    return [one for one in OFFERED if one.key not in out]


def do(
    path: Path,
    loader: Loader,
    key: str,
    filled: Mapping[str, str],
    *,
    by: str,
    reason: str,
    now: datetime,
) -> tuple[Deed, int]:
    """Do it; the deed as journaled, and how many letters were written. Raises `Refusal`, `SaveError`."""
    from pbem.kernel.problems import Refused
    from pbem.post.moderator.action import act
    from pbem.post.moderator.actions import Author, DeedError

    try:
        work = _work(key, filled)
        _, deed, report = act(path, Author(by, reason, now), work, game=loader)
    except (DeedError, Refused, Refusal) as error:
        raise Refusal(str(error)) from None
    except KeyError as error:
        raise Refusal(str(error.args[0])) from None
    return deed, report.posted


def _work(key: str, filled: Mapping[str, str]) -> Callable[[Session, Author], Deed]:
    from pbem.post.moderator import actions as deeds

    seat, address = filled.get("seat", ""), filled.get("address", "")
    plain: dict[str, Callable[[Session, Author], Deed]] = {
        "pause": deeds.pause,
        "unpause": deeds.unpause,
        "time_up": deeds.decide,
        "release": deeds.let_go,
        "absent": lambda s, a: deeds.absent(s, a, seat, filled["from"], filled["to"]),
        "broadcast": lambda s, a: deeds.broadcast(s, a, filled["words"]),
        "watch": lambda s, a: deeds.watch(s, a, seat, address),
        "delegate": lambda s, a: deeds.delegate(s, a, seat, address, filled["until"]),
        "replace": lambda s, a: deeds.replace(s, a, seat, address, filled.get("name", "")),
        "set": lambda s, a: deeds.change(s, a, filled["settings"].split()),
        "fiat": lambda s, a: deeds.correct(s, a, filled["steps"]),
    }
    if key in plain:
        return plain[key]
    number = _number(filled["hours" if key == "extend" else "n"])
    if key == "extend":
        return lambda s, a: deeds.extend(s, a, number)
    return lambda s, a: deeds.rewind(s, a, number)[0]


def _number(text: str) -> int:
    if not text.strip().isdecimal():
        raise Refusal(f"'{text}' is not a whole number")
    return int(text)


def facts(path: Path, now: datetime) -> tuple[GameDesk | None, Mapping[str, str]]:
    """What `pbem desk` says of this game, and of the folder: quarantine, outbox, heartbeat."""
    from pbem.post.moderator.waiting import desk

    found = desk([path], now=now)
    more = {
        "quarantine": str(found.quarantine),
        "outbox": str(found.unsent),
        "read": found.read,
        "cron": found.tick,
    }
    return (found.games[0] if found.games else None), more
