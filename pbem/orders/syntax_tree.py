"""The syntax tree of an order block: one `Statement` each, as read, before any game has seen it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pbem.kernel.rejections import RejectionReason
from pbem.kernel.standing_orders import AskMe, Condition, clauses, order_prefix, shown_kind


class Statement(msgspec.Struct, kw_only=True):
    """A statement: its lines in the email (`line` to `last`, counted from 1) and its text as written."""

    line: int
    last: int = 0
    text: str = ""

    def rejected(self, problem: RejectionReason) -> RejectedStatement:
        """Return it as a statement that isn't executed."""
        return RejectedStatement(line=self.line, last=self.last, text=self.text, problem=problem)


class Answer(Statement):
    """`57: body`, `kind: body` or a bare body. `bold`: this line alone continues after surprises.

    `branch` is the result that the line before must have had (`if lost: body`).
    """

    body: str
    q: int = 0
    kind: str = ""
    bold: bool = False
    branch: str = ""

    def __str__(self) -> str:
        bold = "bold: " if self.bold else ""
        return f"{bold}{order_prefix(self.q, self.kind, self.branch)}{self.body}"


class StandingOrder(Statement):
    """`standing kind, kind: body if … unless … until …`; kind `*` is any window."""

    kinds: tuple[str, ...]
    body: str
    when: tuple[Condition, ...] = ()
    unless: tuple[Condition, ...] = ()
    until: tuple[Condition, ...] = ()

    def __str__(self) -> str:
        kinds = ", ".join(map(shown_kind, self.kinds))
        return f"standing {kinds}: {self.body}{clauses(self.when, self.unless, self.until)}"


class CancelOrder(Statement):
    """`cancel standing [kind]`; kind "" is all of them."""

    kind: str = ""

    def __str__(self) -> str:
        return f"cancel standing {shown_kind(self.kind)}".strip()


class AskOrder(Statement):
    """`ask kind: always|mine|never until …`; kind `*` is any window."""

    kind: str
    when: str
    until: tuple[Condition, ...] = ()

    def __str__(self) -> str:
        return str(AskMe("", self.kind, self.when, self.until))


class StopCondition(Statement):
    """`stop if cond, cond`: any one of them puts the lines that follow on hold."""

    stops: tuple[Condition, ...]

    def __str__(self) -> str:
        return f"stop if {', '.join(map(str, self.stops))}"


class KeywordCommand(Statement):
    """A command of one word: `bold`, `resume`, `clear`, `test`."""

    word: str

    def __str__(self) -> str:
        return self.word


class InfoRequest(Statement):
    """`send state`, `help`, `letters short`: a request, which changes nothing in the game."""

    what: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.what} {self.value}".strip()


class PressStatement(Statement):
    """`BEGIN PRESS to=…` … `END PRESS`. `to` are words as written, to be matched with seats."""

    to: tuple[str, ...]
    body: str

    def __str__(self) -> str:
        return f"BEGIN PRESS to={','.join(self.to)}\n{self.body}\nEND PRESS"


class Comment(Statement):
    """A line beginning with `//` or `#`."""

    def __str__(self) -> str:
        return self.text


class RejectedStatement(Statement):
    """A statement that isn't executed. `offer` is a suggestion, `body` the text of press.

    `ways` are lines to copy if there is no suggestion. `holds`: an answer or a stop condition, so that the
    lines below it aren't executed either.
    """

    problem: RejectionReason
    offer: str = ""
    body: str = ""
    ways: Sequence[str] = ()
    holds: bool = False

    def __str__(self) -> str:
        return self.text


class EmailRemark(msgspec.Struct):
    """A remark on the email as a whole: message key, arguments, line (0: the whole email)."""

    key: str
    args: dict[str, int | str] = {}
    line: int = 0


class ReplyText(msgspec.Struct, frozen=True):
    """The text of a reply that may hold answers without a block.

    `form`: its block is an unchanged reply form, which counts only if nothing else was written. `others` are
    the questions of other forms in the same email, `spans` its blocks, as first and last lines.
    """

    text: str
    spans: tuple[tuple[int, int], ...] = ()
    form: bool = False
    others: tuple[int, ...] = ()


class OrderBlock(msgspec.Struct):
    """`BEGIN ORDERS game seat code` … `END ORDERS`, or a seat's answers from a reply without one (`reply`).

    `line` and `last` are the lines it spans. `problem` is why it must not be executed at all. `ended` is
    False if END ORDERS was missing and the block was read up to a signature. `findings` are remarks on the
    email for its receipt.
    """

    game: str
    seat: str
    code: str
    line: int = 0
    last: int = 0
    items: list[Statement] = []
    problem: RejectionReason | None = None
    ended: bool = True
    findings: list[EmailRemark] = []
    reply: ReplyText | None = None


class ParsedEmail(msgspec.Struct):
    """All blocks of an email, also those that must not be executed, and remarks on the email."""

    blocks: list[OrderBlock] = []
    findings: list[EmailRemark] = []
