"""The journal's entries. Apart from `schema`, because it needs the referee."""

from __future__ import annotations

from pbem.kernel.referee import Move


class Entry(Move, forbid_unknown_fields=True):
    """`[[moves]]`: a move, and `hash`, the chain up to and with it (hex)."""

    hash: str = ""


def entry(move: Move, digest: str) -> Entry:
    """`move` with its place in the chain."""
    return Entry(move.n, move.q, move.seat, move.kind, move.answer, move.how, move.at, move.via, digest)
