"""The records of a game in progress: moves, checkpoints, open questions, notes to a writer."""

from typing import Any

import msgspec

from pbem.kernel.domain import Value
from pbem.kernel.rejections import RejectionReason

CHOSEN, QUEUED, STANDING, SETTINGS = "chosen", "queue", "standing", "settings"
DEFAULT, DECIDED, BOT = "time", "moderator", "bot"
"""How an answer came about. `time`: the deadline expired, unlike a chosen answer; `bot`: a bot chose it."""


BEACON = "beacon"
"""The kind of a move that enters a value of a public beacon into the dice."""


AGREED = "agreed"
"""The kind of a move that ends the game by agreement of the players."""


class Move(msgspec.Struct, gc=False):
    """One entry of the journal. `q` is the question's number, `how` one of the constants above, `via` the email.

    `at` is text as received: the kernel reads no clock, and the hash chain is over this text.
    """

    n: int
    q: int
    seat: str
    kind: str
    answer: Value
    how: str = CHOSEN
    at: str = ""
    via: str = ""


class ChainedMove(Move, forbid_unknown_fields=True):
    """`[[moves]]` of a save: a move, and `hash`, the chain up to and including it (hex)."""

    hash: str = ""


class CheckpointRecord(msgspec.Struct):
    """A checkpoint: journal position, dice, number of log lines, and the state as JSON bytes.

    `mix` and `ahead` are what the dice have included (`pbem.kernel.dice`; "": the seed only).
    """

    n: int
    q: int
    epoch: int
    counter: int
    lines: int
    state: bytes
    mix: str = ""
    ahead: str = ""


class PendingQuestion(msgspec.Struct):
    """A question to one seat. `answered` is for that seat and the moderator only."""

    q: int
    seat: str
    kind: str
    rule: str
    pace: str
    about: dict[str, Any]
    secret: dict[str, Any]
    prompt: str
    default: Value | None
    sealed: bool
    answered: bool


class AdvanceNote(msgspec.Struct):
    """Something to report to a seat about its own advance orders; `key` is a message key."""

    seat: str
    key: str
    text: str = ""
    problem: RejectionReason | None = None
    letter: str = ""
    line: int = 0


class ReplayError(Exception):
    """The journal doesn't fit the rules: `n` is the first move that differs."""

    def __init__(self, n: int, why: str) -> None:
        super().__init__(f"move {n}: {why}")
        self.n = n
