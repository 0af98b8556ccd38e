"""What a block of orders consists of: one `Item` per statement, as read, before any game has looked at it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pbem.kernel.problems import Problem
from pbem.kernel.standing import AskMe, Condition, Standing, address, shown_kind


class Item(msgspec.Struct, kw_only=True):
    """A statement: the lines of the letter it stood on (`line` to `last`, counted from 1) and its text as written."""

    line: int
    last: int = 0
    text: str = ""


class Answer(Item):
    """`57: body`, `kind: body` or a bare body. `bold` if this line alone is to play on past surprises.

    `branch` is what must have come of the line before (`if lost: body`).
    """

    body: str
    q: int = 0
    kind: str = ""
    bold: bool = False
    branch: str = ""

    def __str__(self) -> str:
        bold = "bold: " if self.bold else ""
        return f"{bold}{address(self.q, self.kind, self.branch)}{self.body}"


class StandingOrder(Item):
    """`standing kind: body if … unless … until …`; kind `*` is any window."""

    kind: str
    body: str
    when: tuple[Condition, ...] = ()
    unless: tuple[Condition, ...] = ()
    until: tuple[Condition, ...] = ()

    def __str__(self) -> str:
        return str(Standing("", self.kind, self.body, self.when, self.unless, self.until))


class CancelOrder(Item):
    """`cancel standing [kind]`; kind "" is all of them."""

    kind: str = ""

    def __str__(self) -> str:
        return f"cancel standing {shown_kind(self.kind)}".strip()


class AskOrder(Item):
    """`ask kind: always|mine|never until …`; kind `*` is any window."""

    kind: str
    when: str
    until: tuple[Condition, ...] = ()

    def __str__(self) -> str:
        return str(AskMe("", self.kind, self.when, self.until))


class Brake(Item):
    """`stop if cond, cond`: any one of them holds the lines that follow."""

    stops: tuple[Condition, ...]

    def __str__(self) -> str:
        return f"stop if {', '.join(map(str, self.stops))}"


class Word(Item):
    """A command of one word: `bold`, `resume`, `clear`, `test`."""

    word: str

    def __str__(self) -> str:
        return self.word


class Wish(Item):
    """`send state`, `help`, `letters short`: what the seat wants to read. It changes nothing in the game."""

    what: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.what} {self.value}".strip()


class PressItem(Item):
    """`BEGIN PRESS to=…` … `END PRESS`. `to` are words as written, to be matched with seats."""

    to: tuple[str, ...]
    body: str

    def __str__(self) -> str:
        return f"BEGIN PRESS to={','.join(self.to)}\n{self.body}\nEND PRESS"


class Comment(Item):
    """A line beginning with `//` or `#`."""

    def __str__(self) -> str:
        return self.text


class Bad(Item):
    """A statement that is not carried out. `offer` is the line that was probably meant, `body` the text of press.

    `ways` are lines to copy where no single one was probably meant. `holds`: an answer or a brake, so that the lines
    behind it are not carried out either.
    """

    problem: Problem
    offer: str = ""
    body: str = ""
    ways: Sequence[str] = ()
    holds: bool = False

    def __str__(self) -> str:
        return self.text


class Finding(msgspec.Struct):
    """Something to say about the letter as a whole: message key, arguments, line (0: the whole letter)."""

    key: str
    args: dict[str, int | str] = {}
    line: int = 0


class ReplyText(msgspec.Struct, frozen=True):
    """The text of a reply in which answers may stand without a block.

    `form`: its block is a reply form as it was sent out, which counts only if nothing else was written. `others` are
    the questions of other forms in the same letter, `spans` its blocks, as first and last lines.
    """

    text: str
    spans: tuple[tuple[int, int], ...] = ()
    form: bool = False
    others: tuple[int, ...] = ()


class Block(msgspec.Struct):
    """`BEGIN ORDERS game seat code` … `END ORDERS`, or what a reply without one says for a seat (`reply`).

    `line` and `last` are the lines it spans. `problem` is why it must not be executed at all. `ended` is False if
    END ORDERS was missing and the block was read up to a signature. `findings` are what its receipt says of the letter.
    """

    game: str
    seat: str
    code: str
    line: int = 0
    last: int = 0
    items: list[Item] = []
    problem: Problem | None = None
    ended: bool = True
    findings: list[Finding] = []
    reply: ReplyText | None = None


class Reading(msgspec.Struct):
    """All blocks of a letter, also those that must not be executed, and what else is to be said about it."""

    blocks: list[Block] = []
    findings: list[Finding] = []
