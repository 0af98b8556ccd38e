"""What the moderator may do from the desk, as data: each action with what it asks for. The screen only asks and shows.

The actions are those of `pbem.post.moderator`: journaled with author and reason, and told to those they concern.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pbem.save.session import Loader

if TYPE_CHECKING:
    from pbem.post.moderator.journal import Author
    from pbem.post.moderator.overview import GameOverview
    from pbem.save import ModeratorAction, Session

Asks = Literal["seat", "text", "long"]


@dataclass(frozen=True)
class Field:
    """Something to be filled in: `key` names its words (`action.field.<key>`), `first` stands there already."""

    key: str
    asks: Asks = "text"
    first: str = ""
    needed: bool = True


@dataclass(frozen=True)
class Doing:
    """An action on offer; its words are `action.<key>`."""

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
    """An action that cannot be done; the message says why."""


def offered(game: GameOverview) -> list[Doing]:
    """The actions that make sense now."""
    out = {"unpause"} if not game.paused else {"pause"}
    if not game.held:
        out.add("release")
    if game.over or not game.waiting:
        out |= {"extend", "time_up", "absent"}
    return [doing for doing in OFFERED if doing.key not in out]


def do(
    path: Path,
    loader: Loader,
    key: str,
    filled: Mapping[str, str],
    *,
    by: str,
    reason: str,
    now: datetime,
) -> tuple[ModeratorAction, int]:
    """Do it; the action as journaled, and how many letters were written. Raises `Refusal`, `SaveError`."""
    from pbem.kernel.problems import Refused
    from pbem.post.moderator.action import act
    from pbem.post.moderator.journal import ActionError, Author

    try:
        work = _work(key, filled)
        _, action, report = act(path, Author(by, reason, now), work, game=loader)
    except (ActionError, Refused, Refusal) as error:
        raise Refusal(str(error)) from None
    except KeyError as error:
        raise Refusal(str(error.args[0])) from None
    return action, report.posted


def _work(key: str, filled: Mapping[str, str]) -> Callable[[Session, Author], ModeratorAction]:
    from pbem.post.moderator import on_clock, on_game, on_letters, on_seats

    seat, address = filled.get("seat", ""), filled.get("address", "")
    plain: dict[str, Callable[[Session, Author], ModeratorAction]] = {
        "pause": on_clock.pause,
        "unpause": on_clock.unpause,
        "time_up": on_clock.end_time,
        "release": on_letters.release_letters,
        "absent": lambda s, a: on_clock.absent(s, a, seat, filled["from"], filled["to"]),
        "broadcast": lambda s, a: on_letters.broadcast(s, a, filled["words"]),
        "watch": lambda s, a: on_seats.watch(s, a, seat, address),
        "delegate": lambda s, a: on_seats.delegate(s, a, seat, address, filled["until"]),
        "replace": lambda s, a: on_seats.substitute(s, a, seat, address, filled.get("name", "")),
        "set": lambda s, a: on_clock.change_settings(s, a, filled["settings"].split()),
        "fiat": lambda s, a: on_game.correct(s, a, filled["steps"]),
    }
    if key in plain:
        return plain[key]
    number = _number(filled["hours" if key == "extend" else "n"])
    if key == "extend":
        return lambda s, a: on_clock.extend(s, a, number)
    return lambda s, a: on_game.rewind(s, a, number)[0]


def _number(text: str) -> int:
    if not text.strip().isdecimal():
        raise Refusal(f"'{text}' is not a whole number")
    return int(text)


def facts(path: Path, now: datetime) -> tuple[GameOverview | None, Mapping[str, str]]:
    """What `pbem desk` says of this game, and of the folder: quarantine, outbox, heartbeat."""
    from pbem.post.moderator.overview import overview

    found = overview([path], now=now)
    more = {
        "quarantine": str(found.quarantine),
        "outbox": str(found.unsent),
        "read": found.read,
        "cron": found.tick,
    }
    return (found.games[0] if found.games else None), more
