"""What came of a run of the intake, as data: for the terminal, for JSON, for the moderator."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import msgspec

Fate = Literal["taken", "partly", "refused", "stale", "wrong", "tried", "quarantined", "postponed", "failed"]

KEPT = 1000
"""How many letters of each direction a report names one by one: memory must not grow with the mailbox."""

AGAIN = ("postponed", "failed")
"""Fates of letters that another run may take in; those are named however many there are."""


class Outcome(msgspec.Struct, kw_only=True):
    """What became of one letter, or of its part for one seat.

    `where` is where it was found. `fate` is the verdict of the receipt (`taken`, `partly`, `refused`, `stale`, `wrong`,
    `tried`), or `quarantined`, `postponed` (its save is damaged or locked: run again), `failed` (a fault in the rules;
    nothing was changed). `why` explains the latter; `accepted` and `refused` count lines; `receipt` is its text.
    `by_hand`: no letter will bring it to its writer, who has no address (the moderator, a seat played by move files).
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
    by_hand: bool = False


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

    `letters` tells what was dealt with now, `sent` what went out: the first `KEPT` of each, `counts` (fate → number)
    and `posted` count all. `known` counts letters that earlier runs had dealt with. `broken` are saves that could not
    be used and why; `moderator` are sentences for him.
    `discreet` are games whose moderator plays: who wrote, and to whom, is not shown to him.
    """

    letters: list[Outcome] = []
    counts: dict[str, int] = {}
    sent: list[Sent] = []
    posted: int = 0
    known: int = 0
    broken: dict[str, str] = {}
    moderator: list[str] = []
    dry_run: bool = False
    discreet: list[str] = []

    def note(self, one: Outcome) -> None:
        """Add what became of a letter."""
        self.counts[one.fate] = self.counts.get(one.fate, 0) + 1
        if len(self.letters) < KEPT or one.fate in AGAIN:
            self.letters.append(one)

    def note_sent(self, one: Sent) -> None:
        """Add a letter that went out."""
        self.posted += 1
        if len(self.sent) < KEPT:
            self.sent.append(one)

    @property
    def unnamed(self) -> int:
        """How many letters were dealt with beyond those in `letters`."""
        return max(0, sum(self.counts.values()) - len(self.letters))

    @property
    def idle(self) -> bool:
        """Whether nothing at all happened."""
        return not (self.letters or self.sent or self.broken)

    @property
    def incomplete(self) -> bool:
        """Whether something was left out that another run may take in."""
        return bool(self.broken) or any(one.fate in AGAIN for one in self.letters)

    def shown(self) -> IngestReport:
        """The report as the moderator may see it: of games in which he plays, only that something happened."""
        own = set(self.discreet)
        if not own:
            return self
        letters = [one for one in self.letters if one.game not in own]
        sent = [one for one in self.sent if one.game not in own]
        counts = dict(
            Counter(one.fate for one in letters)
        )  # all of them would tell how many came in his game
        return msgspec.structs.replace(self, letters=letters, counts=counts, sent=sent, posted=len(sent))
