"""`Change → EmailOutcome`, and the results of a whole run: for the terminal, for JSON, for the moderator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import cast

import msgspec

from pbem.mail.inbox.stages import Change, Claim, Email, EmailOutcome, Fate
from pbem.mail.quarantine import QuarantinedEmail
from pbem.orders.messages import explain

KEPT = 1000
"""How many emails of each direction a report names one by one: memory must not grow with the mailbox."""

AGAIN = ("postponed", "failed")
"""Fates of emails that another run may process; all of those are named."""


def outcomes_of(email: Email, change: Change) -> list[EmailOutcome]:
    """Return the outcomes of the executed blocks of an email."""
    return [
        EmailOutcome(
            where=email.received.where,
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


def quarantined_outcome(email: Email, claim: Claim, one: QuarantinedEmail) -> EmailOutcome:
    """Return the outcome of a quarantined email."""
    out = rejected_outcome(email, "quarantined", one.sentence(), claim)
    return msgspec.structs.replace(out, held=one.id)


def rejected_outcome(email: Email, fate: Fate, why: str, claim: Claim | None = None) -> EmailOutcome:
    """Return the outcome of an email, or of the block of a claim, that wasn't executed."""
    first = email.blocks[0] if email.blocks else None
    block = claim.block if claim is not None else first
    game, seat = (block.game, block.seat) if block else ("", "")
    return EmailOutcome(where=email.received.where, fate=fate, game=game, seat=seat, why=why)


class SentEmail(msgspec.Struct, kw_only=True):
    """An email that was sent. `file` is its place in the outbox; `text` its plain text (in a dry run only)."""

    game: str
    seat: str
    kind: str
    subject: str
    file: str
    text: str = ""


_PUBLISHED = {
    "posted": "sent_count",
    "known": "already_processed",
    "broken": "failed_saves",
    "moderator": "moderator_messages",
    "discreet": "secret_games",
}
RESULTS = {
    "taken": "accepted",
    "partly": "partial",
    "refused": "rejected",
    "stale": "outdated",
    "wrong": "invalid",
    "tried": "checked",
}
"""Fates as they are published; the others have the same name."""


class IngestReport(msgspec.Struct, kw_only=True, rename=_PUBLISHED):
    """The results of one inbox run.

    `emails` are the emails processed now, `sent` those sent: the first `KEPT` of each; `counts` (fate → number) and
    `posted` count all. `known` counts emails that earlier runs had processed. `broken` are saves that can't be used,
    with the reason; `moderator` are sentences for the moderator. `discreet` are games whose moderator plays: they
    aren't shown who wrote, and to whom.
    """

    emails: list[EmailOutcome] = []
    counts: dict[str, int] = {}
    sent: list[SentEmail] = []
    posted: int = 0
    known: int = 0
    broken: dict[str, str] = {}
    moderator: list[str] = []
    dry_run: bool = False
    discreet: list[str] = []

    def note(self, one: EmailOutcome) -> None:
        self.counts[one.fate] = self.counts.get(one.fate, 0) + 1
        if len(self.emails) < KEPT or one.fate in AGAIN:
            self.emails.append(one)

    def note_sent(self, one: SentEmail) -> None:
        self.posted += 1
        if len(self.sent) < KEPT:
            self.sent.append(one)

    @property
    def unnamed(self) -> int:
        return max(0, sum(self.counts.values()) - len(self.emails))

    @property
    def idle(self) -> bool:
        return not (self.emails or self.sent or self.broken)

    @property
    def incomplete(self) -> bool:
        """Whether something was left out that another run may process."""
        return bool(self.broken) or any(email.fate in AGAIN for email in self.emails)

    def shown(self) -> IngestReport:
        """Return the report for the moderator; games in which they play only show that something happened."""
        own = set(self.discreet)
        if not own:
            return self
        emails = [email for email in self.emails if email.game not in own]
        sent = [email for email in self.sent if email.game not in own]
        # The total would tell how many emails came in their game.
        counts = dict(Counter(email.fate for email in emails))
        return msgspec.structs.replace(self, emails=emails, counts=counts, sent=sent, posted=len(sent))

    def published(self) -> IngestReport:
        """Return what is shown, with the results as they are called in JSON."""
        shown, renamed = self.shown(), msgspec.structs.replace
        emails = [renamed(email, fate=RESULTS.get(email.fate, email.fate)) for email in shown.emails]
        counts = {RESULTS.get(fate, fate): count for fate, count in shown.counts.items()}
        return renamed(shown, emails=emails, counts=counts)


class RunLog:
    """The emails read and processed, and their results; `progress` gets the numbers processed and read."""

    def __init__(self, report: IngestReport, progress: Callable[[int, int], None]) -> None:
        self.report = report
        self.read = 0
        self.outcomes: list[tuple[int, EmailOutcome]] = []
        self._dealt = 0
        self._progress = progress

    def note(self, email: Email, outcomes: Iterable[EmailOutcome]) -> None:
        self.outcomes += [(email.number, outcome) for outcome in outcomes]

    def mark_postponed(self, emails: Sequence[Email], fate: Fate, why: str) -> None:
        for email in emails:
            self.note(email, [rejected_outcome(email, fate, why)])

    def count(self, emails: int) -> None:
        self.set_progress(self._dealt + emails)

    def set_progress(self, emails: int) -> None:
        self._dealt = min(max(emails, self._dealt), self.read)
        self._progress(self._dealt, self.read)

    def tell(self, dealt: int = 0) -> None:
        """Move the results to the report in the order of the mailbox; at least `dealt` emails are processed."""
        for _, outcome in sorted(self.outcomes, key=lambda numbered: numbered[0]):
            self.report.note(outcome)
        self.outcomes = []
        self.set_progress(dealt)
