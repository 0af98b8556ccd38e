"""Receipts of sealed answers: a salted commitment, with which a player can later prove what they had written.

A receipt doesn't contain the answer; `verify` compares it with a claimed answer. The few possible answers could be
guessed from a plain hash, so 128 random bits are hashed with it. The salt stays in the player's own file.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

from pbem import atomic_files
from pbem.file_locks import lock
from pbem.kernel.order_words import normalize_text
from pbem.tui.model.seat_view import ScreenLine, SeatView


@dataclass(frozen=True)
class Ballot:
    """A receipt. `moves` is the number of moves when it was given, `at` the time (ISO 8601)."""

    game: str
    seat: str
    q: int
    kind: str
    moves: int
    at: str
    salt: str
    commitment: str


def commit(desk: SeatView, q: int, seat: str, kind: str, text: str, at: str, salt: str = "") -> Ballot:
    """Return the receipt of an order text."""
    salt = salt or secrets.token_hex(16)
    digest = commitment(salt, desk.name, seat, q, text)
    return Ballot(desk.name, seat, q, kind, desk.moves, at, salt, digest)


def commitment(salt: str, game: str, seat: str, q: int, text: str) -> str:
    """Return SHA-256 (hex) over salt, game, seat, question and order text."""
    message = "\0".join((salt, game, seat, str(q), normalize_text(text)))
    return hashlib.sha256(message.encode()).hexdigest()


def verify(ballot: Ballot, text: str) -> bool:
    """Check if `text` is the order that this receipt was given for."""
    found = commitment(ballot.salt, ballot.game, ballot.seat, ballot.q, text)
    return hmac.compare_digest(found, ballot.commitment)


def counted(desk: SeatView, ballot: Ballot) -> list[ScreenLine]:
    """Return the log lines of the move that counted it: those that name the seat, in any language, else all."""
    later = [line for line in desk.log if line.n > ballot.moves]
    if not later or any(asked.q == ballot.q for asked in desk.asked):
        return []
    lines = [line for line in later if line.n == later[0].n]
    names = {ballot.seat, *desk.names.names.get(ballot.seat, {}).values()}
    return [line for line in lines if any(name in text for text in (line.en, line.ja) for name in names)] or lines


def file_of(path: Path) -> Path:
    """Return the file of receipts next to a save or view file."""
    return path.with_name(f"{path.stem}.receipts.toml")


def load(path: Path) -> list[Ballot]:
    """Return the receipts in a file, oldest first; [] if there is none."""
    if not path.is_file():
        return []
    data = tomllib.loads(path.read_text("utf-8"))
    return [Ballot(**kept) for kept in data.get("ballots", [])]


def keep(path: Path, ballot: Ballot) -> None:
    """Add a receipt, replacing one for the same question and seat. Only the owner may read the file."""
    import tomli_w

    with lock(path.with_name(f"{path.name}.lock")):
        same = ballot.game, ballot.seat, ballot.q
        kept = [other for other in load(path) if (other.game, other.seat, other.q) != same]
        text = tomli_w.dumps({"ballots": [asdict(other) for other in (*kept, ballot)]})
        atomic_files.replace(path, text.encode(), mode=0o600)
