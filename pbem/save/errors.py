"""What can be wrong with a save. Errors name the file, the dotted key, the line if known, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


class SaveError(Exception):
    """A save that can't be read, written or continued; nothing was changed.

    `why` is the reason, `remedy` what to do. `key` is the dotted key in the file (`seats[1].zone`), `line` its line
    (1 = first), or "" and 0. `n` is the move concerned, or 0.
    """

    remedy = ""

    def __init__(
        self, why: str, *, path: str | Path = "", key: str = "", line: int = 0, n: int = 0, remedy: str = ""
    ) -> None:
        super().__init__(why)
        self.why = why
        self.path = str(path)
        self.key = key
        self.line = line
        self.n = n
        self.remedy = remedy or self.remedy

    def at(self, path: str | Path, line: int = 0) -> SaveError:
        """Return the same error with a path and line."""
        self.path = self.path or str(path)
        self.line = self.line or line
        return self

    def __str__(self) -> str:
        place = f"{self.path}, line {self.line}" if self.line else self.path
        what = f"{self.key}: {self.why}" if self.key else self.why
        text = f"{place}: {what}" if place else what
        stop = "" if text.endswith((".", "?", "!")) else "."
        return f"{text}{stop} {self.remedy}" if self.remedy else text


class Unreadable(SaveError):
    """The file is missing, not permitted, not UTF-8 or not TOML."""

    remedy = "If it was edited by hand, correct that line; the version before the last change is NAME.toml.bak."


class Truncated(SaveError):
    """The end of the file is missing."""

    remedy = "Restore the whole file from a copy, or use NAME.toml.bak, the version before the last change."


class WrongFormat(SaveError):
    """The save has a format that this version doesn't read."""

    remedy = "Use the version of pbem that wrote it, or a newer one that still reads it."


class SaveKeyError(SaveError):
    """A key is unknown, missing, or has a value of the wrong type."""

    remedy = "Correct that key (`pbem docs save-format` lists them all), or use NAME.toml.bak."


class BrokenChain(SaveError):
    """A move was changed after it was journaled, or the journal lacks one."""

    remedy = "Restore the save from a copy that `pbem audit` accepts; NAME.toml.bak is the version before."


class GameNotInstalled(SaveError):
    """The game of this save isn't installed."""

    remedy = "Install the package that has this game."


class RulesMismatch(SaveError):
    """The save is pinned to another version of the game's rules."""

    remedy = (
        "Play it on with the version of pbem it was begun with, or see what `pbem upgrade apply` says of it: "
        "`pbem docs changelog` names the rules that changed."
    )


class PackMismatch(SaveError):
    """The game's components differ from those that the save is pinned to."""

    remedy = "Play it on with the version of the game it was begun with, or take back what was edited in [game.pack]."


class NoUpgrade(SaveError):
    """The game can't be upgraded to the installed rules, or not in this way."""

    remedy = "Play it on with the version of pbem it was begun with."


class ReplayFailed(SaveError):
    """The journal doesn't fit the rules, or doesn't lead to the state in the save."""

    remedy = "Run `pbem audit`; if the chain is whole, the rules have changed: use the version it was begun with."


class Locked(SaveError):
    """Another process is writing this save."""

    remedy = "Try again when it has finished."


class SaveChanged(SaveError):
    """The file was changed by somebody else after it was opened; writing would lose that change."""

    remedy = "Nothing was written: open the save again and repeat the command."


class SaveExists(SaveError):
    """A save of this name exists already."""

    remedy = "Choose another name, or move the old file away."


class Restored(SaveError):
    """The save is older than what the emails said: an older copy was put back."""

    remedy = (
        "Put the newest save back. If it is lost, go on with this one: "
        "`pbem repair accept-rollback SAVE --reason ...`. All players are notified."
    )


class RewindError(SaveError):
    """The game can't be rewound to that move."""

    remedy = "Choose the end of a whole question."


class Unwritable(SaveError):
    """A value can't be written as TOML, or the file system rejected the file."""

    remedy = "Nothing was written; the save is as it was."


def no_such_key(known: Iterable[str]) -> str:
    """Return the reason for a key that isn't one of `known`."""
    return f"this key doesn't exist here; known: {', '.join(known) or 'none'}"
