"""The receipt of one block of orders, as plain data: what was taken and became of it, what was refused and why.

A receipt tells a seat nothing that it may not know: it is made from its own domain, its own lines and public facts.
Where a line went into a sealed question it says so and no more, whether or not that closed the question.
`pbem.report` renders it in the reader's language; `str(receipt)` is English.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from pbem.kernel.order_words import normalize_word
from pbem.kernel.rejections import RejectionReason
from pbem.orders.messages import explain, say
from pbem.orders.parser import may_continue
from pbem.orders.reply_codes import grouped_code
from pbem.orders.syntax_tree import Comment, OrderBlock, PressStatement, RejectedStatement, Statement

TAKEN, PARTLY, REFUSED, STALE, WRONG, TRIED = "taken", "partly", "refused", "stale", "wrong", "tried"
"""Verdicts: all lines taken; some; none; the code is old; another game or seat; only tried (`test`, offline)."""


class Accepted(msgspec.Struct):
    """A line that was taken. `text` is its canonical form, `written` what stood in the letter.

    `fate` says what became of it (message key `fate.<fate>`, filled from `args`): `answered`, `sealed`, `counted`,
    `superseded`, `acted`, `moot`, `waiting`, `used`, `held`, `stopped`, `behind`, `stale`, `checked`, `unsure`,
    `standing`, `asking`, `cancelled`, `stop`, `bold`, `resumed`, `cleared`, `voided`, `test`, `press`, `wish`.
    """

    line: int
    text: str
    fate: str
    args: dict[str, Any] = {}
    written: str = ""

    def __str__(self) -> str:
        return f"{self.line}: {self.text} -- {say('fate.' + self.fate, self.args)}"


class Rejected(msgspec.Struct):
    """A line that was refused: quoted as written, with the reason and, for a near miss, the whole line put right.

    An `offer` is legal as it stands, and is never carried out unasked. So are the `ways` to answer that are told where
    nothing near is legal.
    """

    line: int
    text: str
    problem: RejectionReason
    offer: str = ""
    ways: list[str] = []

    def __str__(self) -> str:
        meant = f" Did you mean: {self.offer}" if self.offer else ""
        return f'{self.line}: "{self.text}" -- {explain(self.problem)}{meant}'


class Remark(msgspec.Struct):
    """Something to say about the block as a whole: a message key with arguments."""

    key: str
    args: dict[str, Any] = {}
    line: int = 0

    def __str__(self) -> str:
        return say(self.key, self.args)


class AcceptedPress(msgspec.Struct):
    """Press to be relayed: `to` are seat ids, or `["all"]`. `line` is where it began."""

    to: list[str]
    text: str
    line: int = 0


class OpenQuestion(msgspec.Struct):
    """A question open to the seat after this block. `answer` is its own, as order text, "" if it owes one.

    `default` is what happens if time runs out, as order text, "" if the moderator decides. `syntax` says how to answer.
    """

    q: int
    kind: str
    rule: str
    pace: str
    prompt: str
    about: dict[str, Any] = {}
    secret: dict[str, Any] = {}
    sealed: bool = False
    answer: str = ""
    default: str = ""
    syntax: str = ""


class Receipt(msgspec.Struct):
    """What became of one block. `comments` are the lines that were read as comments, `form` those of them that came
    with the reply form and are not worth a word.

    `problem` is why the block as a whole was not executed (then `refused` is empty and nothing has changed).
    `replaced` are earlier lines of the seat that this block replaced. `queue`, `standing` and `settings` are all that
    is in force for the seat now, as order lines. `wishes` is what it wants to read.
    `digest` fingerprints the canonical block.
    """

    game: str
    seat: str
    verdict: str
    line: int = 0
    at: str = ""
    via: str = ""
    problem: RejectionReason | None = None
    accepted: list[Accepted] = []
    refused: list[Rejected] = []
    comments: list[int] = []
    form: list[int] = []
    remarks: list[Remark] = []
    replaced: list[str] = []
    press: list[AcceptedPress] = []
    wishes: list[str] = []
    open: list[OpenQuestion] = []
    queue: list[str] = []
    standing: list[str] = []
    settings: list[str] = []
    digest: str = ""

    def __str__(self) -> str:
        lines = [f"{self.game} {self.seat}: {self.verdict} ({self.digest})"]
        if self.problem is not None:
            lines.append(f"not executed: {explain(self.problem)}")
        lines += [str(verdict) for verdict in _in_order(self.accepted, self.refused)]
        lines += [str(remark) for remark in self.remarks]
        for question in self.open:
            state = (
                f"your answer so far: {question.answer}"
                if question.answer
                else f"open; answer: {question.syntax}"
            )
            lines.append(f"question {question.q} ({question.kind}, {question.rule}): {state}")
        return "\n".join(lines)


def _in_order(*lists: Sequence[Accepted | Rejected]) -> list[Accepted | Rejected]:
    return sorted((verdict for some in lists for verdict in some), key=lambda verdict: verdict.line)


def fingerprint(text: str) -> str:
    """Sixteen hex digits of SHA-256, in groups of four: short enough to read out, long enough to settle a dispute."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return "-".join(digest[i : i + 4] for i in range(0, 16, 4))


# The canonical text of a block, and its digest: equal for orders that mean the same, whatever their spelling.


def canonical(block: OrderBlock) -> str:
    """The block with one statement a line, keywords and blanks tidied; comments and what cannot be read are left out.

    It reads the same again.
    """
    head = " ".join(("BEGIN ORDERS", block.game, block.seat, grouped_code(block.code))).rstrip()
    lines: list[str] = []
    before: Statement | None = None
    for item in block.items:
        if isinstance(item, (RejectedStatement, Comment)):
            continue
        if before is not None and may_continue(before, item, lines[-1]):
            lines.append("")  # else they would look like one line that was broken
        lines.append(str(item))
        before = item
    return "\n".join([head, *lines, "END ORDERS", ""])


def digest(block: OrderBlock) -> str:
    """Sixteen hex digits over what a block says: its game, seat and statements, not its code or comments.

    For a block that was not carried out; of one that was, `digest_of` its receipt knows what its lines mean.
    """
    lines = [str(item) for item in block.items if not isinstance(item, Comment)]
    return fingerprint("\n".join([normalize_word(block.game), normalize_word(block.seat), *lines]))


def digest_of(receipt: Receipt, block: OrderBlock) -> str:
    """Sixteen hex digits over what a block means: its lines in canonical form, refused ones as written, press whole."""
    press = {item.line: str(item) for item in block.items if isinstance(item, PressStatement)}
    lines = [(accepted.line, press.get(accepted.line, accepted.text)) for accepted in receipt.accepted]
    lines += [(rejected.line, f"refused {normalize_word(rejected.text)}") for rejected in receipt.refused]
    said = [text for _, text in sorted(lines, key=lambda line: line[0])]
    return fingerprint("\n".join([normalize_word(receipt.game), receipt.seat, *said]))
