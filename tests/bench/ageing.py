"""A game made older than it is: what a save costs late in a long game."""

from __future__ import annotations

import msgspec

from pbem.save import Session, chain, store


def grow(session: Session, age: int) -> None:
    """Make the journal before the checkpoint so much longer that the game is `age` moves old, with a sound chain.

    The file is written; the session is not to be played on.
    """
    save, own = session.save, session.moves()
    point = save.checkpoint
    assert point is not None
    before, tail = own[: point.n], own[point.n :]
    moves = [before[n % len(before)] for n in range(age - len(tail))] + tail
    numbered = [msgspec.structs.replace(move, n=n) for n, move in enumerate(moves, 1)]
    save.header.head = chain.start(save)
    dice = save.dice
    save.moves = chain.extend(save.header.head, numbered, bytes.fromhex(dice.seed), dice.epochs())
    save.earlier, save.earlier_n = "", 0
    for seat in save.seats:
        seat.told.moves += age - save.header.n
    save.header.head, save.header.n, point.n = save.moves[-1].hash, age, age - len(tail)
    point.digest = chain.digest(point)
    store(session.path, save)
