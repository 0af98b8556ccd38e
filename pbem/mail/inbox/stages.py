"""The data of the pipeline: `Received → Email → Claim → Change → EmailOutcome`. Values, no steps."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from pbem.orders.receipt import Receipt
from pbem.orders.replies.doubts import Doubt
from pbem.orders.syntax_tree import OrderBlock
from pbem.save import ProcessedEmail

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
