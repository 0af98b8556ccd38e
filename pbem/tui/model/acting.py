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
from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from pbem.moments import moment

if TYPE_CHECKING:
    from pbem.post.inbox.quarantine import Held
    from pbem.post.moderator.overview import GameOverview
    from pbem.save import Save
    from pbem.save.session import Loader


# What lies on the moderator's desk besides questions: days with their deadlines, letters put aside, letters held.

AHEAD = 14
"""Days of the calendar."""


@dataclass(frozen=True)
class Day:
    """A day: what is due at which time (`15:00` → seats), and who is away."""

    on: date
    due: tuple[tuple[str, tuple[str, ...]], ...] = ()
    away: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing is to be told of it."""
        return not (self.due or self.away)


def calendar(save: Save, game: GameOverview, now: datetime, ahead: int = AHEAD) -> list[Day]:
    """The days from today (or from the oldest deadline that has passed) on, in the game's zone."""
    zone = ZoneInfo(save.clock.zone or "UTC")
    due: dict[date, dict[str, list[str]]] = {}
    for asked in game.waiting:
        if asked.due and asked.answered is not True:
            at = moment(asked.due).astimezone(zone)
            due.setdefault(at.date(), {}).setdefault(f"{at:%H:%M}", []).append(asked.seat)
    today = now.astimezone(zone).date()
    first = min([today, *due])
    if (today - first).days > ahead:  # long past: the day itself, then today
        days = [first, *(today + timedelta(days=n) for n in range(ahead))]
    else:
        days = [first + timedelta(days=n) for n in range((today - first).days + ahead)]
    return [
        Day(
            day,
            tuple((at, tuple(seats)) for at, seats in sorted(due.get(day, {}).items())),
            tuple(
                away.seat
                for away in save.clock.absences
                if away.since.astimezone(zone).date() <= day <= away.until.astimezone(zone).date()
            ),
        )
        for day in days
    ]


def put_aside(path: Path) -> Sequence[Held]:
    """The letters of the folder that wait for the moderator, likely players' first."""
    from pbem.post.inbox.quarantine import Heap, Quarantine
    from pbem.post.save_index import SaveIndex

    return Heap(Quarantine(path.parent / "quarantine").listed(), SaveIndex([path.parent])).letters


def letter_text(path: Path, held: Held) -> str:
    """A letter put aside, in full: why, from whom, what it says."""
    from pbem.post.inbox.mime import decode_mail
    from pbem.post.inbox.quarantine import Quarantine

    content = Quarantine(path.parent / "quarantine").raw(held)
    said = decode_mail(content).text if held.kind == "mail" else content.decode("utf-8", "replace")
    head = [
        held.sentence(),
        *(f"{key}: {getattr(held, key)}" for key in ("sender", "subject", "game", "seat", "at")),
    ]
    return "\n".join([*head, "", said])


def let_in(path: Path, held: Held, seat: str, now: datetime, loader: Loader) -> str:
    """Take a letter in after all; what came of it, in words. Raises `QuarantineError`."""
    from pbem.post.inbox.intake import Intake

    intake = Intake([path.parent], now=now, game=loader)
    intake.release(held.id, seat=seat)
    report = intake.finish()
    told = [outcome.receipt or outcome.why for outcome in report.letters]
    return "\n\n".join([*(line for line in told if line), *report.moderator, *report.broken.values()])


def turn_away(path: Path, held: Held) -> None:
    """Put a letter away for good. Raises `QuarantineError`."""
    from pbem.post.inbox.quarantine import Quarantine

    Quarantine(path.parent / "quarantine").settle(held, "refused")


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
    from pbem.post.moderator.journal import ActionError, Author, act

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
        raise Refusal(f"'{text}' isn't a whole number")
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
