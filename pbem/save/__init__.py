"""The save: one readable TOML file per game, written atomically, hash-chained, resumed from its checkpoint.

Names are imported at first use, so that reading a header doesn't import the referee.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pbem.save.audit import *  # noqa: F403
    from pbem.save.errors import *  # noqa: F403
    from pbem.save.files import *  # noqa: F403
    from pbem.save.rewind import *  # noqa: F403
    from pbem.save.schema import *  # noqa: F403
    from pbem.save.session import *  # noqa: F403

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


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    found = getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
    globals()[name] = found
    return found
