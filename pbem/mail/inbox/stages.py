"""The data of the pipeline, `Received → Email → Claim → Change → EmailOutcome`, and the results of a whole run.

Results are for the terminal, for JSON, and for the moderator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Literal, cast

import msgspec

from pbem import atomic_files
from pbem.orders.messages import explain
from pbem.orders.receipt import Receipt
from pbem.orders.replies.doubts import Doubt
from pbem.orders.syntax_tree import OrderBlock
from pbem.save import ProcessedEmail
from pbem.timestamps import stamp

Kind = Literal["mail", "orders", "unreadable", "missing"]

Fate = Literal["taken", "partly", "refused", "stale", "wrong", "tried", "quarantined", "postponed", "failed"]


class Received(msgspec.Struct, frozen=True):
    """One message as it is in its source.

    - `key` names it within the source and stays when the source grows. Maildir: the unique name without flags; mbox
      and standard input: a hash of the message; files: the file name.
    - `where` tells a person where to look.
    - `kind` is `mail`, `orders` (a move file: plain text from `BEGIN ORDERS` on), `unreadable` (a file that can't
      hold an email) or `missing` (can't be read now, see `why`). `raw` is empty for the last two.
    - `delivered` is the Unix time at which a Maildir received it, else None.
    - `half`: the last message of a mailbox, and its last line has no end; the rest may still be written.
    - `seat` is the seat whose screen wrote it: it acts for that seat alone, and with its code. `table` is how its
      player came to the live table; they see the result, so that no email brings a receipt.
    """

    key: str
    raw: bytes
    where: str
    kind: Kind = "mail"
    delivered: int | None = None
    seat: str = ""
    table: str = ""
    why: str = ""
    half: bool = False


class OrderFile(msgspec.Struct, frozen=True):
    """An attached text file that may hold orders: its bare file name (may be empty) and clean text."""

    name: str
    text: str


class DecodedEmail(msgspec.Struct, frozen=True, kw_only=True):
    """One decoded mail. Strings are clean single lines except `text`; missing values are empty or None.

    - `sender`, `reply_to` and `to` (To and Cc) are bare addresses, ASCII letters lower-cased. `sender` is None unless
      exactly one author is named unambiguously.
    - `date` is the sender's claim, `received` the time stamp of the topmost Received field, both as written; `at` is
      when our own host received it.
    - `automatic` is empty for a mail by a person, else the sign: `auto-submitted`, `precedence`, `list`, `bounce`,
      `report`, `calendar`, `autoreply`, `subject`.
    - `delivered_to` are the addresses to which our own hosts delivered it, newest first, as they say.
    - `auth_results` holds the Authentication-Results fields, topmost (our own host's) first.
    - `attachments` are order files; `ignored` names every other part that was not read.
    - `page` is the HTML of an email that has both text and page, "" if it is too long to be read.
    - `body_hash` is a SHA-256 over text and attachments.
    - `problems`, each once, in the order found: `too_large`, `too_deep`, `too_many_parts`, `too_many_headers`,
      `long_header`, `bad_header`, `bad_mime`, `unknown_charset`, `wrong_charset`, `html_only`, `dear_page`,
      `encrypted`, `no_text`, `no_sender`, `bad_sender`, `many_senders`, `empty`; `too_long`: its text isn't read.
    """

    message_id: str | None = None
    sender: str | None = None
    sender_name: str = ""
    reply_to: str | None = None
    to: tuple[str, ...] = ()
    delivered_to: tuple[str, ...] = ()
    subject: str = ""
    date: str = ""
    received: str = ""
    at: datetime | None = None
    in_reply_to: str | None = None
    references: tuple[str, ...] = ()
    automatic: str = ""
    auth_results: tuple[str, ...] = ()
    text: str = ""
    page: str | None = None
    attachments: tuple[OrderFile, ...] = ()
    ignored: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    body_hash: str = ""
    size: int = 0


class Email(msgspec.Struct, frozen=True, kw_only=True):
    """A mail or a move file with its order blocks; of an email to several games, the part for one of them.

    `number` is its place in the run. `last`: nothing that it waits for will come in this run. `vouched`: the
    moderator says whose it is, and its blocks name the seat. `coded`: a move file with a code, as players' programs
    write them. `nothing` says of a move file why it has no orders.
    """

    number: int
    received: Received
    mail: DecodedEmail
    blocks: tuple[OrderBlock, ...] = ()
    last: bool = False
    vouched: bool = False
    coded: bool = False
    nothing: str = ""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """Whose a block is, as far as its email proves it. `block` is None if the email as a whole is in doubt.

    - Without a `reason` it is genuine. `seat` is the writer's ("" in a move file: the block says it), `by_secret`
      means that no reply code was needed.
    - Otherwise `reason` (a key of `quarantine.REASONS`, or `broken`) says what is wrong.
    - `tell` are the seats whose address on file is notified of the quarantine. A sender is never answered only
      because a known name is in the email.
    - `robbed` is the seat whose code somebody else has used. `coded`: the block has a code that was given to its
      seat.
    - `answers` is the number of our email that it answers, 0 if unknown; `said` is its first line without an answer.
    - `doubt` is what its writer is asked back; `affirms`: it says yes to that.
    """

    block: OrderBlock | None = None
    seat: str = ""
    by_secret: bool = False
    reason: str = ""
    detail: str = ""
    tell: tuple[str, ...] = ()
    robbed: str = ""
    coded: bool = False
    answers: int = 0
    said: str = ""
    doubt: Doubt | None = None
    affirms: bool = False


class ExecutedBlock(msgspec.Struct, frozen=True):
    """An executed block: its receipt, as data and as text; `by_hand` if no email will bring it."""

    receipt: Receipt
    text: str
    by_hand: bool


class Change(msgspec.Struct, frozen=True):
    """The effects of the genuine blocks of an email on one game, and its entry in the save."""

    game: str
    parts: tuple[ExecutedBlock, ...]
    record: ProcessedEmail


_PUBLISHED = {
    "fate": "result",
    "why": "reason",
    "held": "quarantine_id",
    "accepted": "accepted_orders",
    "refused": "rejected_orders",
    "by_hand": "needs_forwarding",
}


class EmailOutcome(msgspec.Struct, kw_only=True, rename=_PUBLISHED):
    """The outcome of one email, or of its part for one seat.

    `where` is where it was found. `fate` is the verdict of the receipt (`taken`, `partly`, `refused`, `stale`,
    `wrong`, `tried`), `quarantined`, `postponed` (its save is damaged or locked: run again) or `failed` (a fault in
    the rules; nothing was changed), the last two explained by `why`. `accepted` and `refused` count lines; `receipt`
    is its text. `by_hand`: no email brings it to its writer, who has no address (the moderator, a seat played by move
    files).
    """

    where: str
    fate: Fate | str
    game: str = ""
    seat: str = ""
    why: str = ""
    held: str = ""
    accepted: int = 0
    refused: int = 0
    receipt: str = ""
    by_hand: bool = False


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


_REPORTED = {
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


class IngestReport(msgspec.Struct, kw_only=True, rename=_REPORTED):
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


# Messages that could not be read: since when, and what the moderators were notified of. Any of them may answer any game
# of the folder, so for a day no deadline of its games expires. Each run tries again, for a week.

HELD = timedelta(hours=24)
"""How long an unread message holds back the deadlines of all games."""

GIVE_UP = timedelta(days=7)
"""How long reading it is tried."""

PIPE = "-"
"""The source that is standard input."""

FIRST, GIVEN_UP = "first", "given_up"
"""The notices that moderators get."""


class Missing(msgspec.Struct):
    """A message that could not be read. `told` holds the last notice that the moderators got of it.

    `own`: it could be read, but a fault of the program prevents processing it; they are notified of that separately.
    """

    where: str
    why: str
    since: datetime
    told: str = ""
    own: bool = False


class Unread:
    """The unread messages of one folder of saves (`unread.json`), loaded on first use. Raises `OSError`."""

    def __init__(self, home: Path, now: datetime) -> None:
        self.path = home / "unread.json"
        self.now = now
        self._met: dict[str, dict[str, Missing]] = {}

    @cached_property
    def _load(self) -> dict[str, dict[str, Missing]]:
        return atomic_files.load(self.path, dict[str, dict[str, Missing]]) or {}

    def meet(self, source: str, key: str, where: str, why: str, *, own: bool = False) -> bool:
        """Record that a message of a source could not be read now; return False if it was given up."""
        missing = self._load.get(source, {}).get(key) or Missing(where, why, self.now, own=own)
        self._met.setdefault(source, {})[key] = missing
        missing.where, missing.why, missing.since = where, why, min(missing.since, self.now)
        return missing.told != GIVEN_UP

    @property
    def holds(self) -> bool:
        """Whether one that failed now, or waits with the mail server, holds back the deadlines of all games."""
        waiting = [*self._met.values(), self._load.get(PIPE, {})]
        return any(self.now - found.since < HELD for met in waiting for found in met.values())

    def piped(self, key: str, *, waits: bool) -> None:
        """Record the result of an email that a mail server handed in: if it `waits`, it comes again."""
        if waits:
            self.meet(PIPE, key, PIPE, "", own=True)
        elif PIPE in self._load:
            self._load[PIPE].pop(key, None)

    def read(self, source: str) -> None:
        """Drop the unread messages of a source that was read to its end, except those that failed again."""
        if source == PIPE:
            return
        self._load[source] = self._met.get(source, {})

    def untold(self) -> Iterator[tuple[str, str, list[Missing]]]:
        """Yield the notices that moderators are to get: a key, its permanent name, and the messages."""
        met = [message for found in self._met.values() for message in found.values() if not message.own]
        first = [message for message in met if not message.told]
        late = [message for message in met if self.now - message.since >= GIVE_UP]
        for key, news in ((FIRST, first), (GIVEN_UP, [message for message in late if message.told != GIVEN_UP])):
            if news:
                names = "\n".join(f"{message.where} {stamp(message.since)}" for message in news)
                yield key, f"unread {key} {names}", news

    def keep(self) -> None:
        for source, met in self._met.items():
            self._load.setdefault(source, {}).update(met)
        piped = self._load.get(PIPE, {}).items()
        lately = {key: message for key, message in piped if self.now - message.since < GIVE_UP}
        known = {source: found for source, found in {**self._load, PIPE: lately}.items() if found}
        if known:
            atomic_files.store(self.path, known)
        else:
            self.path.unlink(missing_ok=True)
