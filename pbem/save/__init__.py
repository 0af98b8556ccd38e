"""The TOML save: one readable file per game, written atomically, chained, resumed from its checkpoint.

Names are imported when they are first used, so that reading a header does not import the referee.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pbem.save.errors import (
        BadKey,
        BadRewind,
        BrokenChain,
        Changed,
        Exists,
        Locked,
        NoUpgrade,
        PackMismatch,
        ReplayFailed,
        Restored,
        RulesMismatch,
        SaveError,
        Truncated,
        UnknownGame,
        Unreadable,
        Unwritable,
        WrongFormat,
    )
    from pbem.save.files import keep, load, load_header, locked, store
    from pbem.save.moves import ChainedMove
    from pbem.save.proof import Verified, rolled_again, verify
    from pbem.save.rewind import Learnt, Plan, rewind_plan, take_back
    from pbem.save.schema import (
        FORMAT,
        Agreement,
        Away,
        CheckpointInfo,
        ClockPolicy,
        Delegate,
        DiceInfo,
        Draft,
        Extra,
        Header,
        Intake,
        ModeratorAction,
        OutLetter,
        Pause,
        PendingInfo,
        PostPolicy,
        Press,
        Rewind,
        Save,
        Scores,
        SeatInfo,
        SentEntry,
        Told,
    )
    from pbem.save.session import Session

_ERRORS = (
    "BadKey BadRewind BrokenChain Changed Exists Locked NoUpgrade PackMismatch ReplayFailed Restored RulesMismatch "
    "SaveError Truncated UnknownGame Unreadable Unwritable WrongFormat"
)
_SCHEMA = (
    "FORMAT Agreement Away CheckpointInfo ClockPolicy Delegate DiceInfo Draft Extra Header Intake "
    "ModeratorAction OutLetter Pause PendingInfo PostPolicy Press Rewind Save Scores SeatInfo SentEntry Told"
)
_WHERE = {
    **dict.fromkeys(_ERRORS.split(), "errors"),
    **dict.fromkeys(_SCHEMA.split(), "schema"),
    **dict.fromkeys(("keep", "load", "load_header", "locked", "store"), "files"),
    **dict.fromkeys(("Learnt", "Plan", "rewind_plan", "take_back"), "rewind"),
    "ChainedMove": "moves",
    "Session": "session",
    **dict.fromkeys(("Verified", "rolled_again", "verify"), "proof"),
}

__all__ = [
    "FORMAT",
    "Agreement",
    "Away",
    "BadKey",
    "BadRewind",
    "BrokenChain",
    "ChainedMove",
    "Changed",
    "CheckpointInfo",
    "ClockPolicy",
    "Delegate",
    "DiceInfo",
    "Draft",
    "Exists",
    "Extra",
    "Header",
    "Intake",
    "Learnt",
    "Locked",
    "ModeratorAction",
    "NoUpgrade",
    "OutLetter",
    "PackMismatch",
    "Pause",
    "PendingInfo",
    "Plan",
    "PostPolicy",
    "Press",
    "ReplayFailed",
    "Restored",
    "Rewind",
    "RulesMismatch",
    "Save",
    "SaveError",
    "Scores",
    "SeatInfo",
    "SentEntry",
    "Session",
    "Told",
    "Truncated",
    "UnknownGame",
    "Unreadable",
    "Unwritable",
    "Verified",
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
