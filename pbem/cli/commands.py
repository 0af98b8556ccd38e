"""The tree of commands. Help pages are listed from it; a command's file is imported only when it runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

import click

from pbem.cli.console import CommandFailed, Exit

SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Start": {
        "demo": ("demo", "Show one round of play"),
        "setup": ("setup", "Connect a mailbox and schedule `pbem run`"),
        "new": ("new", "Start a game"),
        "doctor": ("status", "Check mail, schedule, clock, disk and saves"),
        "docs": ("docs", "Read the documentation"),
    },
    "Play": {
        "play": ("play", "Play now, alone or at one keyboard"),
        "tui": ("tui", "Open a game in the terminal"),
        "live": ("live", "Play at a live table, by SSH or in a browser"),
        "check": ("orders", "Check orders before you send them"),
    },
    "Moderate": {
        "run": ("schedule", "Fetch mail, apply deadlines and send mail, once"),
        "fetch": ("mail", "Fetch and process new emails from an IMAP mailbox"),
        "ingest": ("mail", "Process emails and move files from files or folders"),
        "tick": ("schedule", "Send reminders and apply deadlines"),
        "send": ("mail", "Send the emails in the outbox"),
        "remind": ("schedule", "Show which reminders are due"),
        "status": ("status", "Show turn, open questions and deadlines"),
        "dashboard": ("moderator", "Show who is waited for and what needs you"),
        "questions": ("status", "List open questions with their reply forms"),
        "view": ("status", "Show a game as one seat sees it"),
        "config": ("", "List, get and set the settings of a game"),
        "clock": ("", "Pause, resume, extend and expire deadlines"),
        "seat": ("", "Replace, delegate, copy or automate a player"),
        "spectators": ("", "List, add and remove spectators"),
        "mail": ("", "Preview and release held emails, write to all players"),
        "quarantine": ("quarantine", "List, read, accept and discard quarantined emails"),
        "stats": ("status", "Show response times, dice and results"),
        "site": ("site", "Build public web pages"),
    },
    "Repair and upgrade": {
        "repair": ("", "Correct, rewind or reveal a game"),
        "upgrade": ("", "Check and apply new rules or components"),
        "backup": ("repair", "Write a copy of all games"),
        "restore": ("repair", "Restore games from a backup"),
    },
    "Trust": {
        "audit": ("repair", "Check a save: hash chain, replay and dice"),
        "bundle": ("bundle", "Write a file that anyone can verify"),
        "verify": ("bundle", "Verify bundles and emails, without a save"),
    },
    "Games and components": {
        "games": ("games", "List the games, or show one"),
        "pack": ("", "Correct and check component data"),
    },
    "Develop": {
        "dev": ("", "Test rules, lint games, fuzz, find leaks"),
        "completion": ("completion", "Print a shell completion script"),
    },
}
"""Section of `pbem --help` → command → its file ("": a group of `GROUPS`), and what it does."""

GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "setup": {
        "mail": ("setup", "Connect the mailbox of the games"),
        "test": ("setup", "Send an email to the games themselves, and wait for it"),
        "schedule": ("setup_schedule", "Schedule `pbem run`"),
        "defaults": ("setup", "Choose the defaults of new games"),
    },
    "config": {
        "list": ("moderator", "List the settings of a game"),
        "get": ("moderator", "Show one setting of a game"),
        "set": ("moderator", "Change settings of a game"),
    },
    "clock": {
        "pause": ("moderator", "Stop the clock of a game"),
        "resume": ("moderator", "Resume the clock of a game"),
        "extend": ("moderator", "Give more hours to a question"),
        "expire": ("moderator", "Apply the default answers now"),
        "away": ("moderator", "Stop the clock of a player who is away"),
        "back": ("moderator", "Cancel the absences of a player"),
    },
    "seat": {
        "replace": ("moderator", "Give a seat to another player, for good"),
        "address": ("moderator", "Write to another address of the same player"),
        "grant": ("moderator", "Do what a player asks you for"),
        "delegate": ("moderator", "Let another person play a seat for a while"),
        "cc": ("", "Add, remove and list the copy recipients of a seat"),
        "bot": ("", "Let a bot play a seat, or stop it"),
        "agreements": ("moderator", "List agreements that the rules don't enforce"),
    },
    "seat cc": {
        "add": ("moderator", "Send copies of a seat's emails to another person"),
        "remove": ("moderator", "Stop the copies to a person"),
        "list": ("moderator", "List who gets copies of a seat's emails"),
    },
    "seat bot": {
        "on": ("moderator", "Let a bot play a seat until its player writes again"),
        "off": ("moderator", "Stop the bot of a seat"),
    },
    "spectators": {
        "list": ("moderator", "List the spectators of a game"),
        "add": ("moderator", "Send the public news of a game to a spectator"),
        "remove": ("moderator", "Stop the emails to a spectator"),
    },
    "mail": {
        "preview": ("moderator", "Show the emails that are held back"),
        "release": ("moderator", "Send the emails that are held back"),
        "broadcast": ("moderator", "Write to all players of a game"),
    },
    "quarantine": {
        "list": ("quarantine", "List the quarantined emails that wait for a decision"),
        "show": ("quarantine", "Show a quarantined email, and why it is there"),
        "accept": ("quarantine", "Process quarantined emails: you vouch for their sender"),
        "discard": ("quarantine", "Discard quarantined emails for good"),
    },
    "repair": {
        "correct": ("repair", "Change the state of a game by hand"),
        "rewind": ("repair", "Take a game back to an earlier move"),
        "reveal": ("moderator", "Show all secrets of a game, and notify all players"),
        "accept-rollback": ("repair", "Go on with a save that is older than emails already sent"),
    },
    "upgrade": {
        "check": ("upgrade", "Replay games under the installed rules, and compare"),
        "apply": ("upgrade", "Move a game to the installed rules"),
        "components": ("upgrade", "Move a game to corrected components"),
    },
    "games": {
        "list": ("games", "List the games"),
        "show": ("games", "Show scenarios, seats and house rules of a game"),
    },
    "pack": {
        "new": ("pack", "Create a component pack without corrections"),
        "edit": ("pack", "Edit a component pack in the terminal"),
        "check": ("pack", "Check a component pack against the rules"),
        "diff": ("pack", "Show where two component packs differ"),
        "merge": ("pack", "Merge two component packs of one game"),
        "export": ("pack", "Export tables of facts as CSV for spreadsheets"),
        "import": ("pack", "Import CSV tables of facts into a component pack"),
    },
    "dev": {
        "test-rules": ("dev", "Run rule tests (TOML files), and play again what `dev fuzz --output` wrote"),
        "lint-game": ("dev", "List what a game doesn't provide yet"),
        "fuzz": ("dev", "Play random games and report crashes, dead ends and replay errors"),
        "leak-test": ("leaks", "Find secrets that a player can see"),
        "new-game": ("dev", "Write a small game of your own that can be played at once"),
    },
}
"""Group → its commands, as in `SECTIONS`."""

OLD = {
    "absent": "clock away",
    "agreements": "seat agreements",
    "broadcast": "mail broadcast",
    "cron": "setup schedule --print",
    "bundle export": "bundle",
    "bundle verify": "verify",
    "check-game": "dev lint-game",
    "desk": "dashboard",
    "export": "view --seat moderator --format state",
    "extend": "clock extend",
    "fiat": "repair correct",
    "fuzz": "dev fuzz",
    "leaks": "dev leak-test",
    "new-game": "dev new-game",
    "orders": "check",
    "orders check": "check",
    "pause": "clock pause",
    "preview": "mail preview",
    "prompts": "questions",
    "quarantine refuse": "quarantine discard",
    "quarantine release": "quarantine accept",
    "rehearse": "upgrade check",
    "release": "mail release",
    "report": "view",
    "reveal": "repair reveal",
    "rewind": "repair rewind",
    "set": "config set",
    "substitute": "seat replace",
    "time-up": "clock expire",
    "unpause": "clock resume",
    "watch": "spectators",
}
"""Names of commands before 0.2, for one release: their error names the new ones."""

ARGUMENTS = {
    "SAVE": "Save of a game (a file)",
    "FOLDER": "Folder of saves",
    "SEAT": "Seat, such as amber (`pbem status` lists them)",
    "ADDRESS": "Email address",
    "REQUEST": "What the player asks for, such as 'end draw'",
    "GAME": "Game, such as virgin_queen (`pbem games` lists them), or the folder of one",
    "VIEW": "Player file that came with an email",
    "FILE": "File to read",
    "SOURCE": "mbox, Maildir, folder of emails, email, move file (*.orders), or - for standard input",
    "PATH": "File or folder",
    "NAME": "Name; `list` shows all, where there is one",
    "NAME=VALUE": "Setting and its new value",
    "PATH=VALUE": "Place in the state, and its new value",
    "TEXT": "Text, in quotes; - reads it from standard input",
    "MOVE": "Number of the last move that stays",
    "ID": "Id of a quarantined email, or its first characters",
    "PACK": "Component pack (a file)",
    "OTHER": "A second component pack",
    "CSV": "CSV table, or a folder of them",
    "PAGE": "Page, such as moderator",
    "SHELL": "bash, zsh or fish",
}
"""What each argument is, by its metavar."""


class Page:
    """The help page of a command or group, which ends with examples."""

    examples: tuple[str, ...] = ()

    def shown_examples(self) -> tuple[str, ...]:
        return self.examples

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if lines := self.shown_examples():
            formatter.write("\nExamples:\n" + "".join(f"  {line}\n" for line in lines))


class Command(Page, click.Command):
    """A command whose help page explains its arguments."""

    def __init__(self, *args: Any, examples: tuple[str, ...] = (), **words: Any) -> None:
        super().__init__(*args, **words)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, ARGUMENTS[name]) for name in self.arguments(ctx)]
        if rows:
            with formatter.section("Arguments"):
                formatter.write_dl(rows)
        super().format_options(ctx, formatter)

    def arguments(self, ctx: click.Context) -> list[str]:
        """Return the metavars of the arguments: `[SAVE|FOLDER]...` has two."""
        params = [param for param in self.params if isinstance(param, click.Argument)]
        names = [name for param in params for name in re.split(r"[| ]", _metavar_name(param.make_metavar(ctx)))]
        return list(dict.fromkeys(names))

    def get_short_help_str(self, limit: int = 45) -> str:
        return (self.help or "").strip().partition(".\n")[0].removesuffix(".")


def _metavar_name(metavar: str) -> str:
    """Return a metavar without the signs for optional and repeated."""
    return metavar.replace("[", "").replace("]", "").replace("...", "").strip()


class Group(Page, click.Group):
    """A group of the table; its page is listed from there without importing its commands."""

    def __init__(self, *args: Any, path: str = "", **words: Any) -> None:
        super().__init__(*args, **words)
        self.path = path
        self.commands = Commands(path)  # type: ignore[assignment]  # click adds none to it

    def shown_examples(self) -> tuple[str, ...]:
        found = [command.examples for command in self.commands.values() if isinstance(command, Page)]
        return tuple(examples[0] for examples in found[:2] if examples)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, what) for name, (_, what) in GROUPS[self.path].items()])

    def get_short_help_str(self, limit: int = 45) -> str:
        return entry(self.path)[1]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; the error for an old name suggests the new one."""
        for count in (2, 1):
            typed = " ".join([*self.path.split(), *args])
            old = " ".join(typed.split()[:count])
            if len(old.split()) == count and old in OLD and (not self.path or count == 2):
                raise CommandFailed(f"`{old}` is now `{OLD[old]}`", Exit.USAGE, hint=f"pbem {OLD[old]} --help")
        return super().resolve_command(ctx, args)


class Main(Group):
    """`pbem` itself: its page has sections, and the options of all commands at the end."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write nothing more: the introduction has the examples."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        wide = max(len(name) for names in SECTIONS.values() for name in names)
        for section, commands in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(name.ljust(wide), what) for name, (_, what) in commands.items()])
        click.Command.format_options(self, ctx, formatter)


def entry(path: str) -> tuple[str, str]:
    """Return the file of a command or group ("": none of its own), and what it does. Raises KeyError."""
    group, _, name = path.rpartition(" ")
    return (GROUPS[group] if group else _TOP)[name]


_TOP = {name: found for commands in SECTIONS.values() for name, found in commands.items()}


MADE: dict[str, click.Command] = {}  # the commands and groups of the files that are imported, by their full names


class Commands(Mapping[str, click.Command]):
    """The commands of a group by name, each imported when it is asked for."""

    def __init__(self, path: str = "") -> None:
        self._path = path
        self._loaded: dict[str, click.Command] = {}
        self._known = tuple(GROUPS[path] if path else _TOP)

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._known:
            raise KeyError(name)
        if name not in self._loaded:
            path = f"{self._path} {name}".strip()
            file, what = entry(path)
            if file:
                import_module(f"pbem.cli.{file}")
                self._loaded[name] = MADE[path]
            else:
                self._loaded[name] = Group(name, path=path, help=f"{what}.", no_args_is_help=True)
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def every_command(path: str = "") -> Iterator[str]:
    """Yield the full names of all commands, without groups."""
    for name in GROUPS[path] if path else _TOP:
        full = f"{path} {name}".strip()
        yield from every_command(full) if full in GROUPS else (full,)


def command(path: str, *examples: str) -> Callable[[Callable[..., Any]], Command]:
    """Make a function the command of this full name; examples not beginning with `pbem` are what follows the name."""
    lines = tuple(text if text.startswith("pbem") else f"pbem {path} {text}" for text in examples)

    def register(function: Callable[..., Any]) -> Command:
        made = click.command(path.rpartition(" ")[2], cls=Command, examples=lines)(function)
        MADE[path] = made
        return made

    return register


def group(path: str, cls: type[Group] = Group) -> Callable[[Callable[..., Any]], Group]:
    """Make a function a group that does something without a command, too."""

    def register(function: Callable[..., Any]) -> Group:
        MADE[path] = made = click.group(path, cls=cls, path=path, invoke_without_command=True)(function)
        return made

    return register
