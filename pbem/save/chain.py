"""The hash chain over the journal, so that nobody can rewrite history unnoticed.

hash_0 = SHA-256(JSON of the set-up); hash_n = SHA-256(hash_{n-1} in hex ‖ inner_n in hex)
inner_n = SHA-256(JSON of move n with a commitment instead of the answer, and the epoch after a rewind)
commitment = HMAC-SHA256(HMAC-SHA256(seed, "commit:n"), JSON of the answer)
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from pbem.save.errors import BrokenChain, Unwritable
from pbem.save.schema import CheckpointInfo, DiceInfo, Header, Save
from pbem.timestamps import stamp

if TYPE_CHECKING:
    from pbem.kernel.journal import ChainedMove, Move

VERSION = 2
"""The chain version of a new game. A game keeps its version; version 1 hashed the move's JSON with the link before."""

_ENCODER = msgspec.json.Encoder(order="deterministic")


def canonical(value: Any) -> bytes:
    """Serialise a TOML value as canonical JSON (RFC 8259). Raises `Unwritable` if it isn't Unicode."""
    try:
        return _ENCODER.encode(value)
    except (UnicodeEncodeError, TypeError) as error:
        raise Unwritable(f"can't be hashed: {error}") from None


def genesis(header: Header, seats: Iterable[str], dice: DiceInfo) -> str:
    """Return hash_0 (hex): the set-up without rules, components and addresses, which may change during the game."""
    setup: dict[str, Any] = {
        "commitment": dice.commitment,
        "created": stamp(header.created),
        "game": header.game,
        "name": header.name,
        "options": header.options,
        "scenario": header.scenario,
        "seats": list(seats),
    }
    if header.chain > 1:
        setup["chain"] = header.chain
    if dice.version > 1:
        setup["dice"] = {"nonces": dice.nonces, "version": dice.version}
    return hashlib.sha256(canonical(setup)).hexdigest()


def start(save: Save) -> str:
    """Return hash_0 of a save."""
    return genesis(save.header, [seat.id for seat in save.seats], save.dice)


def commitment(seed: bytes, n: int, answer: Any) -> str:
    """Return the commitment (hex) to the answer of move `n`: HMAC-SHA256 (RFC 2104, FIPS 180-4)."""
    own = hmac.digest(seed, b"commit:%d" % n, "sha256")
    return hmac.digest(own, canonical(answer), "sha256").hex()


def sealed_before(seed: bytes, seat: str, q: int, epoch: int, answer: Any) -> str:
    """Return the commitment (hex) to an answer given before its question was put to others."""
    own = hmac.digest(seed, f"before:{seat}:{q}:{epoch}".encode(), "sha256")
    return hmac.digest(own, canonical(answer), "sha256").hex()


def epoch_of(n: int, epochs: Iterable[tuple[int, int]]) -> int:
    """Return the epoch of the dice in which move `n` was made; `epochs` as in `Setup.epochs`."""
    return max((epoch for since, epoch in epochs if since < n), default=0)


def link(before: str, move: Move, sealed: str, epoch: int = 0, version: int = VERSION) -> str:
    """Return hash_n (hex) from hash_{n-1}, the move, the commitment to its answer, and the epoch of the dice."""
    public = _public(move, sealed, epoch)
    return joined(before, hashlib.sha256(public).hexdigest() if version > 1 else public)


def inner(move: Move, sealed: str, epoch: int = 0) -> str:
    """Return inner_n (hex): the move with its answer committed, to check links of moves that one must not know."""
    return hashlib.sha256(_public(move, sealed, epoch)).hexdigest()


def joined(before: str, move: str | bytes) -> str:
    """Return hash_n (hex) from hash_{n-1} and inner_n."""
    after = move.encode("ascii") if isinstance(move, str) else move
    return hashlib.sha256(before.encode("ascii") + after).hexdigest()


def _public(move: Move, sealed: str, epoch: int) -> bytes:
    public: dict[str, Any] = {
        "answer": sealed,
        "at": move.at,
        "how": move.how,
        "kind": move.kind,
        "n": move.n,
        "q": move.q,
        "seat": move.seat,
        "via": move.via,
    }
    if epoch:
        public["epoch"] = epoch
    return canonical(public)


def extend(
    before: str, moves: Iterable[Move], seed: bytes, epochs: Sequence[tuple[int, int]] = (), version: int = VERSION
) -> list[ChainedMove]:
    """Chain `moves` after the one whose hash is `before`; `epochs` as in `Setup.epochs`."""
    from pbem.kernel.journal import ChainedMove

    entries = []
    for move in moves:
        before = link(before, move, commitment(seed, move.n, move.answer), epoch_of(move.n, epochs), version)
        parts = (move.n, move.q, move.seat, move.kind, move.answer, move.how, move.at, move.via)
        entries.append(ChainedMove(*parts, before))
    return entries


def digest(checkpoint: CheckpointInfo) -> str:
    """Return the expected `checkpoint.digest`. The order of keys counts, because rules may depend on it."""
    bare = msgspec.structs.replace(checkpoint, digest="", journal="")
    return hashlib.sha256(msgspec.json.encode(bare)).hexdigest()


def journal(first: str, earlier: str, later: str = "") -> str:
    """Return the expected `checkpoint.journal`: the hash of hash_0 and the moves (the `earlier` ones cached)."""
    known = _of_earlier(first, earlier).copy()
    known.update(later.encode())
    return str(known.hexdigest())


@lru_cache(maxsize=1)
def _of_earlier(first: str, text: str) -> Any:  # hashlib has no public name for it
    known = hashlib.sha256(f"{first}\n".encode())
    known.update(text.encode())
    return known


def check(before: str, n: int, moves: Sequence[ChainedMove], save: Save) -> None:
    """Raise `BrokenChain` for the first of `moves` that doesn't follow hash `before` of move `n`, or the head."""
    seed, epochs, version = bytes.fromhex(save.dice.seed), save.dice.epochs(), save.header.chain
    for move in moves:
        n += 1
        key = f"moves[{n - 1}]"
        if move.n != n:
            raise BrokenChain(f"move {n} was expected here, but this is {move.n}", key=f"{key}.n", n=n)
        before = link(before, move, commitment(seed, n, move.answer), epoch_of(n, epochs), version)
        if move.hash != before:
            why = f"move {n} ({move.seat or 'all'}, {move.kind}) doesn't match its hash"
            if save.dice.rewinds:
                why += ", or the rewinds in [dice] were changed"
            if n == 1:
                why += ", or the set-up in [game], [[seats]] or [dice] was changed"
            raise BrokenChain(why, key=f"{key}.hash", n=n)
    if n != save.header.n:
        raise BrokenChain(f"the journal ends with move {n}, not {save.header.n}", key="game.n", n=n)
    if before != save.header.head:
        why = f"this is not the hash of move {n}" if n else "this does not fit the set-up in [game], [[seats]], [dice]"
        raise BrokenChain(why, key="game.head", n=n)
