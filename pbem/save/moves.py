"""The journal's entries. Separate from `schema`, because they need the referee."""

from __future__ import annotations

from pbem.kernel.referee import Move


class ChainedMove(Move, forbid_unknown_fields=True):
    """`[[moves]]`: a move, and `hash`, the chain up to and including it (hex)."""

    hash: str = ""


def chained(move: Move, digest: str) -> ChainedMove:
    """Return `move` with its hash."""
    return ChainedMove(move.n, move.q, move.seat, move.kind, move.answer, move.how, move.at, move.via, digest)
