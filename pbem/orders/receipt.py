"""The receipt of one order block, as plain data: accepted lines and their results, rejected lines and why.

A receipt holds only what the seat may know: its own domain, its own lines and public facts. A line for a
sealed question is reported as sealed, whether or not it closed the question. `pbem.report` puts it into words.
"""

import hashlib
from typing import Any

import msgspec

from pbem.kernel.order_words import normalize_word
from pbem.kernel.rejections import RejectionReason
from pbem.orders.syntax_tree import Comment, OrderBlock, PressStatement

_NEEDLESS = ("order_block.left", "order_block.not_asked")
"""Problems of a block without which all is well: its seat has nothing to answer."""

TAKEN, PARTLY, REFUSED, STALE, WRONG, TRIED = "taken", "partly", "refused", "stale", "wrong", "tried"
"""Verdicts: all lines accepted; some; none; the code is old; another game or seat; only tried (`test`, offline)."""


class Accepted(msgspec.Struct):
    """An accepted line. `text` is its canonical form, `written` the text in the email.

    `fate` says what became of it (message key `receipt.result.<fate>`, filled from `args`): `answered`, `sealed`,
    `counted`, `superseded`, `acted`, `moot`, `waiting`, `used`, `skipped`, `spared`, `held`, `changed`, `stopped`,
    `behind`, `stale`, `checked`, `unsure`, `standing`, `asking`, `cancelled`, `stop`, `bold`, `resumed`, `cleared`,
    `voided`, `test`, `press`, `wish`; `done.<act>` what the seat has done for itself.
    """

    line: int
    text: str
    fate: str
    args: dict[str, Any] = {}
    written: str = ""


class Rejected(msgspec.Struct):
    """A rejected line, quoted as written, with the reason and, for a near miss, a suggestion.

    The suggestion (`offer`) is legal, and is never executed without being sent. The same holds for `ways`:
    example answers for a line without a suggestion.
    """

    line: int
    text: str
    problem: RejectionReason
    offer: str = ""
    ways: list[str] = []


class Remark(msgspec.Struct):
    """A remark on the block as a whole: a message key with arguments."""

    key: str
    args: dict[str, Any] = {}
    line: int = 0


class AcceptedPress(msgspec.Struct):
    """Press to be relayed: `to` are seat ids, or `["all"]`. `line` is its first line."""

    to: list[str]
    text: str
    line: int = 0


class OpenQuestion(msgspec.Struct):
    """A question open to the seat after this block. `answer` is its own, as order text, "" if none is given.

    `default` is what happens when the deadline expires, as order text, "" if the moderator decides. `syntax`
    says how to answer.
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
    """The results of one block.

    `problem` is why the block as a whole was not executed; then `refused` is empty and nothing has changed.
    `comments` are the numbers of comment lines, `form` those that came with the reply form and aren't
    reported. `replaced` are earlier lines of the seat that this block replaced. `queue`, `standing` and
    `settings` are all that is in force for the seat now, as order lines. `wishes` are its requests. `digest`
    is a hash of the canonical block.
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

    @property
    def needless(self) -> bool:
        return self.problem is not None and self.problem.key in _NEEDLESS


def fingerprint(text: str) -> str:
    """Return sixteen hex digits of SHA-256 in groups of four: short enough to read out in a dispute."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return "-".join(digest[i : i + 4] for i in range(0, 16, 4))


def digest(block: OrderBlock) -> str:
    """Return a hash of what a block says: its game, seat and statements, without code and comments.

    For a block that was not executed; for an executed one `digest_of` also knows what its lines mean.
    """
    lines = [str(item) for item in block.items if not isinstance(item, Comment)]
    return fingerprint("\n".join([normalize_word(block.game), normalize_word(block.seat), *lines]))


def digest_of(receipt: Receipt, block: OrderBlock) -> str:
    """Return a hash of what a block means: accepted lines in canonical form, rejected ones as written, press whole."""
    press = {item.line: str(item) for item in block.items if isinstance(item, PressStatement)}
    lines = [(accepted.line, press.get(accepted.line, accepted.text)) for accepted in receipt.accepted]
    lines += [(rejected.line, f"refused {normalize_word(rejected.text)}") for rejected in receipt.refused]
    said = [text for _, text in sorted(lines, key=lambda line: line[0])]
    return fingerprint("\n".join([normalize_word(receipt.game), receipt.seat, *said]))
