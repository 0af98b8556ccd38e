"""The moderator's actions as data: their fields and functions. Commands and the screen's form are made from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from pbem.data_cache import tables_of
from pbem.mail.moderator import function

if TYPE_CHECKING:
    from pbem.save import ModeratorAction

Asks = Literal["seat", "text", "long", "number", "words"]
Reads = Literal["all players read it", "only the player reads it", "only the log has it"]


class BadField(ValueError):
    """An impossible value of a field; the message says why."""


class ActionField(msgspec.Struct, frozen=True):
    """A value to be filled in: `key` names its texts (`action.field.<key>`), `first` is its first value.

    `option` is its spelling on the command line, with the metavar (`--hours N`); "" for an argument.
    """

    key: str
    asks: Asks = "text"
    first: str = ""
    needed: bool = True
    option: str = ""
    help: str = ""
    on_screen: bool = True

    def read(self, text: str) -> Any:
        if self.asks == "number" and not text.strip().isdecimal():
            raise BadField(f"'{text}' isn't a whole number")
        return int(text) if self.asks == "number" else text.split() if self.asks == "words" else text


class ActionSpec(msgspec.Struct, frozen=True):
    """An action: its texts on the screen are `action.<key>`; `does` is `module.function`, called with the fields.

    `command` is the command made from it, `help` and `examples` its help page ("": the command is written out).
    `reads` says who reads its reason, `free` that it needs none, `asks` what the command asks before it acts.
    """

    key: str
    does: str
    fields: tuple[ActionField, ...] = ()
    command: str = ""
    help: str = ""
    examples: tuple[str, ...] = ()
    reads: Reads = "all players read it"
    free: bool = False
    asks: str = ""
    on_screen: bool = True

    def work(self, filled: Mapping[str, str]) -> Callable[..., ModeratorAction]:
        """Return the function that executes the action with these values. Raises `BadField`."""
        run = function(self.does)
        values = [field.read(filled.get(field.key, field.first)) for field in self.fields]
        if self.key == "rewind":
            return lambda session, author: run(session, author, *values)[0]
        return lambda session, author: run(session, author, *values)


class PlayerAct(msgspec.Struct, frozen=True):
    """What a player asks for themselves: `key` are its words, `does` a function of `player_acts` or `votes`.

    `may` is the part of `players_may` that says who decides it ("": nobody else has a say).
    """

    key: str
    does: str
    may: str = ""
    checks: str = ""

    def check(self) -> Callable[..., Any]:
        """Return the function that raises `Rejection` for what the moderator isn't to be asked."""
        return function(self.checks)

    def work(self) -> Callable[..., Any]:
        """Return the function that carries it out."""
        return function(self.does)


PLAYER_ACTS = (
    PlayerAct("away", "player_acts.away", "away"),
    PlayerAct("back", "player_acts.back"),
    PlayerAct("more time", "player_acts.more_time", "time"),
    PlayerAct("address", "player_acts.address", "address"),
    PlayerAct("timezone", "player_acts.timezone", "profile"),
    PlayerAct("language", "player_acts.language", "profile"),
    PlayerAct("quiet", "player_acts.quiet", "profile"),
    PlayerAct("reminders", "player_acts.reminders", "profile"),
    PlayerAct("bot", "player_acts.bot", "bot"),
    PlayerAct("letters digest", "player_acts.digest"),
    PlayerAct("take back", "votes.take_back", "take_back"),
    PlayerAct("end", "votes.end", "end"),
    PlayerAct("skip", "votes.skip", "skip", "votes.check_skip"),
    PlayerAct("replace", "votes.replace", "replace", "votes.replacement"),
    PlayerAct("agree", "votes.agree"),
    PlayerAct("refuse", "votes.refuse"),
)
"""What players may write, a line each."""

AFTER_THE_END = ("address", "profile", "")
"""What players may still ask for when the game is over, as parts of `players_may`."""


def player_act(request: str) -> PlayerAct | None:
    """Return the act that a request names, None if it names none."""
    return next((act for act in PLAYER_ACTS if f"{request} ".startswith(f"{act.key} ")), None)


@cache
def actions() -> tuple[ActionSpec, ...]:
    """Return all actions, in the order in which the screen offers them."""
    return msgspec.convert(tables_of("pbem.mail", "moderator")["actions"]["actions"], tuple[ActionSpec, ...])
