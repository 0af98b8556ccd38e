"""The moderator's actions as data: their fields and functions. Commands and the screen's form are made from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import msgspec

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


def _option(key: str, option: str, what: str, *, first: str = "", asks: Asks = "text") -> ActionField:
    return ActionField(key, asks, first, needed=False, option=option, help=what, on_screen=False)


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


SEAT = ActionField("seat", "seat")
ADDRESS = ActionField("address")
LANG = _option("language", "--lang en|ja", "Language of their emails")
ACTIONS = (
    ActionSpec(
        "extend",
        "clock_actions.extend",
        (
            ActionField("hours", "number", "24", option="--hours N", help="Hours to add"),
            _option(
                "question", "--question N", "Number of the question [default: the open one]", first="0", asks="number"
            ),
        ),
        "clock extend",
        """Give more hours to a question.""",
        (
            'pbem clock extend g1.toml --hours 24 --reason "Ben travels"',
            'pbem clock extend g1.toml --question 29 --hours 6 --reason "late question"',
        ),
    ),
    ActionSpec(
        "pause",
        "clock_actions.pause",
        (),
        "clock pause",
        """Stop the clock of a game.

        No deadline expires until you resume it. A moderator who plays can stop it for a week.""",
        ('pbem clock pause g1.toml --reason "holidays"', 'pbem clock pause g1.toml --reason "holidays" --dry-run'),
    ),
    ActionSpec(
        "unpause",
        "clock_actions.unpause",
        (),
        "clock resume",
        """Resume the clock of a game.

        Every deadline moves by the length of the pause.""",
        ("pbem clock resume g1.toml", 'pbem clock resume g1.toml --reason "we are back"'),
        free=True,
    ),
    ActionSpec(
        "time_up",
        "clock_actions.expire_question",
        (),
        "clock expire",
        """Apply the default answers now.

        Players who haven't answered the open question get their default answer, as after the deadline.""",
        ('pbem clock expire g1.toml --reason "all agreed"', "pbem clock expire g1.toml --dry-run"),
    ),
    ActionSpec(
        "absent",
        "clock_actions.absent",
        (
            SEAT,
            ActionField("from", option="--since DATE", help="First day, in the game's time zone"),
            ActionField("to", option="--until DATE", help="Last day"),
        ),
        "clock away",
        """Stop the clock of a player who is away.

        The other players see the new deadlines, not the cause.""",
        (
            "pbem clock away g1.toml black --since 2026-12-24 --until 2026-12-31",
            'pbem clock away g1.toml black --since 2026-12-24 --until 2026-12-24 --reason "flight"',
        ),
        "only the player reads it",
        free=True,
    ),
    ActionSpec(
        "present",
        "clock_actions.cancel_absence",
        (
            SEAT,
            _option("from", "--since DATE", "Only absences that end after this day"),
            _option("to", "--until DATE", "Only absences that begin before this day"),
        ),
        "clock back",
        """Cancel the absences of a player.

        Deadlines that were announced don't move earlier.""",
        ("pbem clock back g1.toml black", "pbem clock back g1.toml black --since 2026-12-30"),
        "only the player reads it",
        free=True,
        on_screen=False,
    ),
    ActionSpec(
        "release",
        "game_actions.release_emails",
        (
            ActionField(
                "seat", "seat", needed=False, option="--seat SEAT", help="Only the emails to this seat", on_screen=False
            ),
        ),
        "mail release",
        """Send the emails that are held back.

        The setting `release` holds them. `pbem mail preview` shows them.""",
        ("pbem mail release g1.toml", 'pbem mail release g1.toml --seat amber --reason "checked"'),
        "only the log has it",
        free=True,
    ),
    ActionSpec(
        "broadcast",
        "game_actions.broadcast",
        (ActionField("words", "long"),),
        "mail broadcast",
        """Write to all players of a game.""",
        ('pbem mail broadcast g1.toml "Back on Monday."', "pbem mail broadcast g1.toml - < notice.txt"),
        free=True,
    ),
    ActionSpec(
        "watch",
        "seat_actions.add_cc",
        (SEAT, ADDRESS),
        "seat cc add",
        """Send copies of a seat's emails to another person.

        The copies have no reply codes, so they can't be answered. All players are notified.""",
        (
            'pbem seat cc add g1.toml black eva@example.org --reason "Eva learns"',
            'pbem seat cc add g1.toml amber archive@example.org --reason "for the archive"',
        ),
    ),
    ActionSpec(
        "unwatch",
        "seat_actions.unwatch",
        (SEAT, ADDRESS),
        "seat cc remove",
        """Stop the copies to a person.""",
        (
            'pbem seat cc remove g1.toml black eva@example.org --reason "Eva asked for it"',
            'pbem seat cc remove g1.toml black eva@example.org --reason "agreed" --dry-run',
        ),
        on_screen=False,
    ),
    ActionSpec(
        "delegate",
        "seat_actions.delegate",
        (
            SEAT,
            ADDRESS,
            ActionField("until", option="--until TIME", help="Until then, such as 2026-06-01T18:00Z or 2026-06-01"),
        ),
        "seat delegate",
        """Let another person play a seat for a while.

        Both get the emails and can answer; the later answer counts. All players are notified.""",
        (
            'pbem seat delegate g1.toml black eva@example.org --until 2026-06-01T18:00Z --reason "Ben is away"',
            'pbem seat delegate g1.toml black eva@example.org --until 2026-06-01 --reason "holidays"',
        ),
    ),
    ActionSpec(
        "replace",
        "seat_actions.replace_player",
        (
            SEAT,
            ADDRESS,
            ActionField("name", needed=False, option="--name TEXT", help="Name of the new player"),
            _option("zone", "--timezone ZONE", "Time zone of the new player [default: that of the former player]"),
            LANG,
        ),
        "seat replace",
        """Give a seat to another player, for good.

        The new player gets a briefing. Reply codes of the former player stop working, and their emails go to
        quarantine. All players are notified.""",
        (
            'pbem seat replace g1.toml black eva@example.org --yes --reason "Ben has left"',
            'pbem seat replace g1.toml black eva@example.org --lang ja --reason "agreed" --dry-run',
        ),
        asks="Give {seat} to {address}, for good?",
    ),
    ActionSpec(
        "address",
        "seat_actions.set_address",
        (SEAT, ADDRESS),
        "seat address",
        """Write to another address of the same player.

        It takes the place of the first one, and the open question goes there again. All players are notified,
        without the address. For another player use `pbem seat replace`.""",
        (
            'pbem seat address g1.toml black ben@new.example --reason "the old one bounces"',
            'pbem seat address g1.toml black ben@new.example --reason "agreed" --dry-run',
        ),
        on_screen=False,
    ),
    ActionSpec(
        "grant",
        "player_acts.grant",
        (ActionField("request"),),
        "seat grant",
        """Do what a player asks you for.

        Write the request as your digest shows it. What needs the consent of the others is put to them.""",
        ('pbem seat grant g1.toml "end draw"', 'pbem seat grant g1.toml "more time 24" --reason "why not"'),
        "only the player reads it",
        free=True,
        on_screen=False,
    ),
    ActionSpec(
        "bot",
        "seat_actions.assign_bot",
        (
            SEAT,
            _option(
                "effort",
                "--effort EFFORT",
                "How hard the bot thinks: low, normal, high, or seconds such as 1s [default: normal]",
                first="normal",
            ),
        ),
        "seat bot on",
        """Let a bot play a seat until its player writes again.

        The bot knows what the seat knows. All players are notified.""",
        (
            'pbem seat bot on g1.toml black --reason "no answer for a week"',
            'pbem seat bot on g1.toml black --effort low --reason "no answer for a week"',
        ),
        on_screen=False,
    ),
    ActionSpec(
        "bot_off",
        "seat_actions.dismiss",
        (SEAT,),
        "seat bot off",
        """Stop the bot of a seat.""",
        (
            'pbem seat bot off g1.toml black --reason "Ben is back"',
            'pbem seat bot off g1.toml black --reason "agreed" --dry-run',
        ),
        on_screen=False,
    ),
    ActionSpec(
        "follow",
        "seat_actions.add_spectator",
        (
            ADDRESS,
            LANG,
            _option("every", "--every N", "Least hours between two emails [default: 0]", first="0", asks="number"),
        ),
        "spectators add",
        """Send the public news of a game to a spectator.

        The players are notified that there is a spectator, not who. `pbem tick` writes the emails.""",
        (
            "pbem spectators add g1.toml fan@example.org --every 24",
            "pbem spectators add g1.toml fan@example.jp --lang ja",
        ),
        free=True,
        on_screen=False,
    ),
    ActionSpec(
        "unfollow",
        "seat_actions.remove_spectator",
        (ADDRESS,),
        "spectators remove",
        """Stop the emails to a spectator.""",
        (
            "pbem spectators remove g1.toml fan@example.org",
            'pbem spectators remove g1.toml fan@example.jp --reason "asked for it"',
        ),
        free=True,
        on_screen=False,
    ),
    ActionSpec("set", "clock_actions.change_settings", (ActionField("settings", "words"),)),
    ActionSpec("correct", "game_actions.apply_correction", (ActionField("steps"),)),
    ActionSpec("rewind", "game_actions.rewind", (ActionField("n", "number"),)),
)
"""All actions, in the order in which the screen offers them."""
