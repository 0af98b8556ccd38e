"""The save: one readable TOML file per game, written atomically, hash-chained, resumed from its checkpoint.

Names are imported at first use, so that reading a header doesn't import the referee.
"""

# mypy: implicit-reexport
# ruff: noqa: F401, I001 - the names are for others, several in a line

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the same names as in `_NAMES`
    # fmt: off
    from pbem.save.audit import AuditReport, rolled_again, verify
    from pbem.save.errors import (
        BrokenChain, GameNotInstalled, Locked, NoUpgrade, PackMismatch, ReplayFailed, Restored, RewindError,
        RulesMismatch, SaveChanged, SaveError, SaveExists, SaveKeyError, Truncated, Unreadable, Unwritable, WrongFormat,
    )
    from pbem.save.files import keep, load, load_header, locked, store
    from pbem.save.rewind import RevealedSince, RewindPlan, rewind_plan, take_back
    from pbem.save.schema import (
        FORMAT, AbsenceEntry, Agreement, CheckpointInfo, ClockSettings, Delegate, DiceInfo, EmailPart, ExtensionEntry,
        Header, MailSettings, ModeratorAction, OutboxEntry, Pause, PendingInfo, PressMessage, ProcessedEmail, Rewind,
        Save, Scores, SeatInfo, SentDoubt, SentEntry, SentState,
    )
    from pbem.save.session import Session
    # fmt: on

_NAMES = {
    "errors": (
        "BrokenChain GameNotInstalled Locked NoUpgrade PackMismatch ReplayFailed Restored RewindError RulesMismatch "
        "SaveChanged SaveError SaveExists SaveKeyError Truncated Unreadable Unwritable WrongFormat"
    ),
    "schema": (
        "FORMAT AbsenceEntry Agreement CheckpointInfo ClockSettings Delegate DiceInfo EmailPart ExtensionEntry Header "
        "MailSettings ModeratorAction OutboxEntry Pause PendingInfo PressMessage ProcessedEmail Rewind Save Scores "
        "SeatInfo SentDoubt SentEntry SentState"
    ),
    "files": "keep load load_header locked store",
    "rewind": "RevealedSince RewindPlan rewind_plan take_back",
    "session": "Session",
    "audit": "AuditReport rolled_again verify",
}
_WHERE = {name: place for place, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:  # type checkers would accept any name

    def __getattr__(name: str) -> Any:
        if name not in _WHERE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        found = getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
        globals()[name] = found
        return found
