"""The save: one readable TOML file per game, written atomically, hash-chained, resumed from its checkpoint.

Names are imported at first use, so that reading a header doesn't import the referee.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pbem.save.audit import AuditReport, rolled_again, verify
    from pbem.save.errors import (
        BrokenChain,
        GameNotInstalled,
        Locked,
        NoUpgrade,
        PackMismatch,
        ReplayFailed,
        Restored,
        RewindError,
        RulesMismatch,
        SaveChanged,
        SaveError,
        SaveExists,
        SaveKeyError,
        Truncated,
        Unreadable,
        Unwritable,
        WrongFormat,
    )
    from pbem.save.files import keep, load, load_header, locked, store
    from pbem.save.rewind import RevealedSince, RewindPlan, rewind_plan, take_back
    from pbem.save.schema import (
        FORMAT,
        AbsenceEntry,
        Agreement,
        CheckpointInfo,
        ClockSettings,
        Delegate,
        DiceInfo,
        EmailPart,
        ExtensionEntry,
        Header,
        MailSettings,
        ModeratorAction,
        OutboxEntry,
        Pause,
        PendingInfo,
        PressMessage,
        ProcessedEmail,
        Rewind,
        Save,
        Scores,
        SeatInfo,
        SentDoubt,
        SentEntry,
        SentState,
    )
    from pbem.save.session import Session

_ERRORS = (
    "SaveKeyError RewindError BrokenChain SaveChanged SaveExists Locked NoUpgrade PackMismatch "
    "ReplayFailed Restored RulesMismatch SaveError Truncated GameNotInstalled Unreadable Unwritable "
    "WrongFormat "
)
_SCHEMA = (
    "FORMAT Agreement AbsenceEntry CheckpointInfo ClockSettings Delegate DiceInfo EmailPart "
    "ExtensionEntry Header ProcessedEmail ModeratorAction OutboxEntry Pause PendingInfo MailSettings "
    "PressMessage Rewind Save Scores SeatInfo SentDoubt SentEntry SentState "
)
_WHERE = {
    **dict.fromkeys(_ERRORS.split(), "errors"),
    **dict.fromkeys(_SCHEMA.split(), "schema"),
    **dict.fromkeys(("keep", "load", "load_header", "locked", "store"), "files"),
    **dict.fromkeys(("RevealedSince", "RewindPlan", "rewind_plan", "take_back"), "rewind"),
    "Session": "session",
    **dict.fromkeys(("AuditReport", "rolled_again", "verify"), "audit"),
}

__all__ = [
    "FORMAT",
    "AbsenceEntry",
    "Agreement",
    "AuditReport",
    "BrokenChain",
    "CheckpointInfo",
    "ClockSettings",
    "Delegate",
    "DiceInfo",
    "EmailPart",
    "ExtensionEntry",
    "GameNotInstalled",
    "Header",
    "Locked",
    "MailSettings",
    "ModeratorAction",
    "NoUpgrade",
    "OutboxEntry",
    "PackMismatch",
    "Pause",
    "PendingInfo",
    "PressMessage",
    "ProcessedEmail",
    "ReplayFailed",
    "Restored",
    "RevealedSince",
    "Rewind",
    "RewindError",
    "RewindPlan",
    "RulesMismatch",
    "Save",
    "SaveChanged",
    "SaveError",
    "SaveExists",
    "SaveKeyError",
    "Scores",
    "SeatInfo",
    "SentDoubt",
    "SentEntry",
    "SentState",
    "Session",
    "Truncated",
    "Unreadable",
    "Unwritable",
    "WrongFormat",
    "keep",
    "load",
    "load_header",
    "locked",
    "rewind_plan",
    "rolled_again",
    "store",
    "take_back",
    "verify",
]


def __getattr__(name: str) -> Any:
    where = _WHERE.get(name)
    if where is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    found = getattr(importlib.import_module(f"{__name__}.{where}"), name)
    globals()[name] = found
    return found
