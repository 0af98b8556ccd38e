"""Which commands there are: `pbem --help` is written from this table, and a command's file is imported when it runs."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module

import click

TABLE = {
    "games": ("games", "List the games, or show one."),
    "new": ("begin", "Begin GAME: the save and the first letters."),
    "pack": ("pack", "The facts of your own box: corrected, confirmed, checked."),
    "bundle": (
        "bundle",
        "A file from which a stranger can verify all that its reader may know: `pbem bundle SAVE`.",
    ),
    "verify": (
        "bundle",
        "Verify LETTERS (mbox, Maildir, messages) against each other and a bundle; needs no save.",
    ),
    "ingest": ("mail", "Letters and move files in, letters out."),
    "fetch": ("mail", "Read what is new in an IMAP mailbox, as pbem ingest does."),
    "send": ("mail", "Send the letters in the outbox."),
    "tick": ("clock", "Do what is due: reminders, deadlines, grace, outages."),
    "remind": (
        "clock",
        "Show which reminders are due: a secret, since they tell who has not answered.",
    ),
    "site": ("site", "Static pages of the games for those who look on: public knowledge only."),
    "run": ("cron", "Read mail, do what time brings, send letters."),
    "cron": ("cron", "Print what starts `pbem run` by itself: a crontab, systemd units, or a launchd job."),
    "desk": ("moderator", "Who blocks whom, since when, and what waits for you."),
    "extend": ("moderator", "Give more hours to the open question."),
    "pause": ("moderator", "Stop the clock of a game until `pbem unpause`."),
    "unpause": ("moderator", "Let the clock run again."),
    "absent": ("moderator", "SEAT is away: the clock of what is put to it stands."),
    "time-up": ("moderator", "Decide that time is up: whoever has not answered gets his default."),
    "substitute": ("moderator", "Somebody else for SEAT: to read along, for a while, or for good."),
    "watch": ("watch", "Who follows a game from outside: list, add, remove."),
    "broadcast": ("moderator", "Write TEXT to everybody in the game."),
    "set": ("moderator", "Change rules of clock and post."),
    "reveal": ("moderator", "Show everything, as the moderator may see it."),
    "preview": (
        "moderator",
        "The letters that are held for you to look at (release=-1, or hours), as they will go out.",
    ),
    "release": ("moderator", "Send the letters that are held (release=-1 or hours)."),
    "agreements": ("moderator", "The register of agreements that do not bind."),
    "status": ("look", "Where the games stand."),
    "stats": (
        "stats",
        "Figures of games: time per seat, rounds, points, dice against expectation, results per seat.",
    ),
    "prompts": ("look", "Open questions, with codes and reply forms."),
    "report": ("look", "What one seat may see, in any format."),
    "orders": ("orders", "Check orders without sending them."),
    "rewind": ("repair", "Take the game back to after move N."),
    "restore": (
        "repair",
        "Play on from a save that is older than what letters have told: the newest is lost.",
    ),
    "audit": ("repair", "Prove a save: chain, dice, replay."),
    "fiat": ("repair", "Correct the state by hand."),
    "rehearse": ("versions", "Play live games again under the installed rules, before you upgrade."),
    "upgrade": ("versions", "Play a game on under the installed rules."),
    "export": ("versions", "A game for tools of your own: its state and public facts as JSON."),
    "quarantine": ("quarantine", "Letters put aside: list, show, release, refuse."),
    "check": ("trial", "Run conformance cases (TOML files or folders)."),
    "new-game": (
        "check_game",
        "Write a game of your own that plays at once: the tutorial game, called NAME.",
    ),
    "check-game": (
        "check_game",
        "Say what GAME still lacks: defaults, checkpoints, secrets, kinds of questions, texts.",
    ),
    "fuzz": ("trial", "Play games at random, or by understudies, looking for faults: each GAME, or all."),
    "leaks": ("leaks", "Play GAME in pairs of worlds that differ in what one player may not know."),
    "docs": ("docs", "List the pages of the docs, or show PAGE."),
    "demo": ("demo", "A whole example in a temporary folder."),
    "completion": ("completion", "Print the completion script for SHELL."),
    "tui": ("tui", "Play in the terminal: the map, your hand, your questions, press, ballots, the log."),
    "play": ("play", "Play GAME at this screen, or go on with a SAVE of such a game."),
}
"""Name of a command → the file of its group, what it does. The first sentence of its help, word for word."""


class Commands(MutableMapping[str, click.Command]):
    """The commands by name, each imported when it is asked for."""

    def __init__(self) -> None:
        self._loaded: dict[str, click.Command] = {}
        self._known = dict.fromkeys(TABLE)

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._known:
            raise KeyError(name)
        if name not in self._loaded:
            file, _ = TABLE[name]
            for command in import_module(f"pbem.cli.{file}").COMMANDS:
                self._loaded.setdefault(command.name, command)
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._known[name] = None
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)
