"""`Change → Outcome`, and what came of a whole run: for the terminal, for JSON, for the moderator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import cast

import msgspec

from pbem.mail.inbox.stages import Change, Claim, Email, EmailOutcome, Fate
from pbem.mail.quarantine import QuarantinedEmail
from pbem.orders.messages import explain

KEPT = 1000
"""How many letters of each direction a report names one by one: memory must not grow with the mailbox."""

AGAIN = ("postponed", "failed")
"""Fates of letters that another run may take in; those are named however many there are."""


def outcomes_of(letter: Email, change: Change) -> list[EmailOutcome]:
    """What became of the blocks of a letter that were carried out."""
    return [
        EmailOutcome(
            where=letter.received.where,
            fate=cast("Fate", carried.receipt.verdict),
            game=change.game,
            seat=carried.receipt.seat,
            why=explain(carried.receipt.problem) if carried.receipt.problem is not None else "",
            receipt=carried.text,
            accepted=len(carried.receipt.accepted),
            refused=len(carried.receipt.refused),
            by_hand=carried.by_hand,
        )
        for carried in change.parts
    ]


def quarantined_outcome(letter: Email, claim: Claim, one: QuarantinedEmail) -> EmailOutcome:
    """What became of a letter that was put aside."""
    out = rejected_outcome(letter, "quarantined", one.sentence(), claim)
    return msgspec.structs.replace(out, held=one.id)


def rejected_outcome(letter: Email, fate: Fate, why: str, claim: Claim | None = None) -> EmailOutcome:
    """What became of a letter, or of the block of a claim, that was not carried out."""
    first = letter.blocks[0] if letter.blocks else None
    block = claim.block if claim is not None else first
    game, seat = (block.game, block.seat) if block else ("", "")
    return EmailOutcome(where=letter.received.where, fate=fate, game=game, seat=seat, why=why)


class SentEmail(msgspec.Struct, kw_only=True):
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

    letters: list[EmailOutcome] = []
    counts: dict[str, int] = {}
    sent: list[SentEmail] = []
    posted: int = 0
    known: int = 0
    broken: dict[str, str] = {}
    moderator: list[str] = []
    dry_run: bool = False
    discreet: list[str] = []

    def note(self, one: EmailOutcome) -> None:
        """Add what became of a letter."""
        self.counts[one.fate] = self.counts.get(one.fate, 0) + 1
        if len(self.letters) < KEPT or one.fate in AGAIN:
            self.letters.append(one)

    def note_sent(self, one: SentEmail) -> None:
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
        return bool(self.broken) or any(letter.fate in AGAIN for letter in self.letters)

    def shown(self) -> IngestReport:
        """The report as the moderator may see it: of games in which he plays, only that something happened."""
        own = set(self.discreet)
        if not own:
            return self
        letters = [letter for letter in self.letters if letter.game not in own]
        sent = [letter for letter in self.sent if letter.game not in own]
        # All of them would tell how many came in his game.
        counts = dict(Counter(letter.fate for letter in letters))
        return msgspec.structs.replace(self, letters=letters, counts=counts, sent=sent, posted=len(sent))


# What becomes of the letters of a run, told in the order of the mailbox.


class RunLog:
    """Letters read and dealt with, and what became of them; `progress` hears how many are dealt with, and read."""

    def __init__(self, report: IngestReport, progress: Callable[[int, int], None] | None = None) -> None:
        self.report = report
        self.read = 0
        self.outcomes: list[tuple[int, EmailOutcome]] = []
        self._dealt = 0
        self._progress = progress

    def note(self, letter: Email, outcomes: Iterable[EmailOutcome]) -> None:
        """Keep what became of a letter until it is told."""
        self.outcomes += [(letter.number, outcome) for outcome in outcomes]

    def mark_postponed(self, letters: Sequence[Email], fate: Fate, why: str) -> None:
        """Keep that letters were not taken in."""
        for letter in letters:
            self.note(letter, [rejected_outcome(letter, fate, why)])

    def count(self, letters: int) -> None:
        """So many more letters are dealt with."""
        self.set_progress(self._dealt + letters)

    def set_progress(self, letters: int) -> None:
        """So many letters are dealt with, of those that were read."""
        self._dealt = min(max(letters, self._dealt), self.read)
        if self._progress is not None:
            self._progress(self._dealt, self.read)

    def tell(self, dealt: int = 0) -> None:
        """Put what is kept into the report, in the order of the mailbox; `dealt` letters are dealt with at least."""
        for _, outcome in sorted(self.outcomes, key=lambda numbered: numbered[0]):
            self.report.note(outcome)
        self.outcomes = []
        self.set_progress(dealt)
