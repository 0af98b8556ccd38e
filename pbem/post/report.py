"""What came of a run of the intake, as data: for the terminal, for JSON, for the moderator."""

from __future__ import annotations

from typing import Literal

import msgspec

Fate = Literal["taken", "partly", "refused", "stale", "wrong", "tried", "quarantined", "postponed", "failed"]


class Outcome(msgspec.Struct, kw_only=True):
    """What became of one letter, or of its part for one seat.

    `where` is where it was found. `fate` is the verdict of the receipt (`taken`, `partly`, `refused`, `stale`, `wrong`,
    `tried`), or `quarantined`, `postponed` (its save is damaged or locked: run again), `failed` (a fault in the rules;
    nothing was changed). `why` explains the latter; `accepted` and `refused` count lines; `receipt` is its text.
    """

    where: str
    fate: Fate
    game: str = ""
    seat: str = ""
    why: str = ""
    held: str = ""
    accepted: int = 0
    refused: int = 0
    receipt: str = ""


class Sent(msgspec.Struct, kw_only=True):
    """A letter that went out. `file` is its place in the outbox; `text` its plain text (on a dry run only)."""

    game: str
    seat: str
    kind: str
    subject: str
    file: str
    text: str = ""


class IngestReport(msgspec.Struct, kw_only=True):
    """A run of the intake.

    `letters` tells what was dealt with now; `known` counts letters that earlier runs had dealt with. `prompts` maps
    game → what is open now, as public as the letters say it. `broken` are saves that could not be used and why.
    `discreet` are games whose moderator plays: who wrote, and to whom, is not shown to him.
    """

    letters: list[Outcome] = []
    sent: list[Sent] = []
    known: int = 0
    broken: dict[str, str] = {}
    moderator: list[str] = []
    dry_run: bool = False
    discreet: list[str] = []

    @property
    def idle(self) -> bool:
        """Whether nothing at all happened."""
        return not (self.letters or self.sent or self.broken)

    @property
    def incomplete(self) -> bool:
        """Whether something was left out that another run may take in."""
        return bool(self.broken) or any(one.fate in ("postponed", "failed") for one in self.letters)

    def shown(self) -> IngestReport:
        """The report as the moderator may see it: of games in which he plays, only that something happened."""
        own = set(self.discreet)
        letters = [one for one in self.letters if one.game not in own]
        sent = [one for one in self.sent if one.game not in own]
        return msgspec.structs.replace(self, letters=letters, sent=sent)
