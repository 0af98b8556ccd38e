"""What can be wrong with a save. Errors name the file, the dotted key, the line where they can, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


class SaveError(Exception):
    """A save that cannot be read, written or continued; nothing has been changed.

    `code` is stable for programs and message catalogues, `why` says what is wrong, `remedy` what to do. `key` is the
    dotted key in the file (`seats[1].zone`), `line` its line (1 = first), "" and 0 where there is none. `n` is the move
    concerned, 0 if none.
    """

    code = "save"
    remedy = ""

    def __init__(
        self,
        why: str,
        *,
        path: str | Path = "",
        key: str = "",
        line: int = 0,
        n: int = 0,
        remedy: str = "",
    ) -> None:
        super().__init__(why)
        self.why = why
        self.path = str(path)
        self.key = key
        self.line = line
        self.n = n
        self.remedy = remedy or self.remedy

    def at(self, path: str | Path, line: int = 0) -> SaveError:
        """The same error, placed in a file."""
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

    code = "save.unreadable"
    remedy = (
        "If it was edited by hand, correct that line; the version before the last change is NAME.toml.bak."
    )


class Truncated(SaveError):
    """The end of the file is missing."""

    code = "save.truncated"
    remedy = "Restore the whole file from a copy, or use NAME.toml.bak, the version before the last change."


class WrongFormat(SaveError):
    """The save was written in a format that this version does not read."""

    code = "save.format"
    remedy = "Use the version of pbem that wrote it, or a newer one that still reads it."


class SaveKeyError(SaveError):
    """A key is unknown, missing, or holds a value of the wrong kind."""

    code = "save.key"
    remedy = "Correct that key (`pbem docs save-format` lists them all), or use NAME.toml.bak."


class BrokenChain(SaveError):
    """A move was changed after it was journaled, or the journal lacks one."""

    code = "save.chain"
    remedy = "Restore the save from a copy that `pbem audit` accepts; NAME.toml.bak is the version before."


class GameNotInstalled(SaveError):
    """The game of this save is not installed."""

    code = "save.game"
    remedy = "Install the package that has this game."


class RulesMismatch(SaveError):
    """The save is pinned to another version of the game's rules."""

    code = "save.rules"
    remedy = (
        "Play it on with the version of pbem it was begun with, or see what `pbem upgrade apply` says of it: "
        "`pbem docs changelog` names the rules that changed."
    )


class PackMismatch(SaveError):
    """The game's components are not those that the save is pinned to."""

    code = "save.pack"
    remedy = "Play it on with the version of the game it was begun with, or take back what was edited in [game.pack]."


class NoUpgrade(SaveError):
    """The game cannot pass to the installed rules, or not so."""

    code = "save.upgrade"
    remedy = "Play it on with the version of pbem it was begun with."


class ReplayFailed(SaveError):
    """The journal does not fit the rules, or does not lead to where the save says the game stands."""

    code = "save.replay"
    remedy = (
        "Run `pbem audit`; if the chain is whole, the rules have changed: use the version it was begun with."
    )


class Locked(SaveError):
    """Another process is writing this save."""

    code = "save.locked"
    remedy = "Try again when it has finished."


class SaveChanged(SaveError):
    """The file was changed by somebody else since it was opened, so writing would lose that change."""

    code = "save.changed"
    remedy = "Nothing was written: open the save again and repeat the command."


class SaveExists(SaveError):
    """There is a save of this name already."""

    code = "save.exists"
    remedy = "Choose another name, or move the old file away."


class Restored(SaveError):
    """The save is older than what letters have told: another one was put back in its place."""

    code = "save.restored"
    remedy = (
        "Put the newest save back. If it is lost, go on with this one: "
        "`pbem repair accept-rollback SAVE --reason ...`. All players are told."
    )


class RewindError(SaveError):
    """The game cannot be taken back to that move."""

    code = "save.rewind"
    remedy = "Choose the end of a whole question."


class Unwritable(SaveError):
    """A value cannot be written as TOML, or the file system refused the file."""

    code = "save.unwritable"
    remedy = "Nothing was written; the save is as it was."


def no_such_key(known: Iterable[str]) -> str:
    """What to say of a key that is not one of `known`."""
    return f"this key doesn't exist here; known: {', '.join(known) or 'none'}"
