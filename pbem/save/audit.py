"""Verify a save in full: the chain, the replay of the journal, and every open roll."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pbem.kernel.dice import Dice, Draw, RecordedDice
from pbem.kernel.game import Game, Setup
from pbem.kernel.referee import CheckpointRecord, Move, Referee
from pbem.save import checkpoints, files
from pbem.save.errors import ReplayFailed
from pbem.save.schema import Save
from pbem.save.session import Session


class AuditReport(msgspec.Struct, frozen=True):
    """The result: `moves` moves checked, the hash of the last, and the referee's hash."""

    moves: int
    head: str
    digest: str


def verify(path: str | Path, game: Game | Callable[[str], Game]) -> AuditReport:
    """Check the chain and the replay of a save. Raises a `SaveError` for the first fault."""
    save = files.load(path)
    session = Session.open(path, game)
    return AuditReport(save.header.n, save.header.head, _replayed(session, save, Path(path)))


def _replayed(session: Session, save: Save, path: Path) -> str:
    checkpoint = save.checkpoint
    assert checkpoint is not None
    marks: dict[tuple[int, int, int], CheckpointRecord] = {}

    def note(mark: CheckpointRecord) -> None:
        marks[mark.n, mark.q, mark.lines] = mark

    try:
        checkpoints.check(save.origin, save.moves)
        again = session.from_origin(save.moves, note)
    except ReplayFailed as error:
        raise error.at(path) from None
    mark = marks.get((checkpoint.n, checkpoint.q, checkpoint.lines))
    if mark is None:
        raise ReplayFailed("the journal has no checkpoint there", path=path, key="checkpoint")
    theirs = (checkpoint.epoch, checkpoint.counter, checkpoint.mix, checkpoint.ahead)
    if (mark.epoch, mark.counter, mark.mix, mark.ahead) != theirs:
        raise ReplayFailed("the journal leads to other dice", path=path, key="checkpoint.counter")
    state = session.game.state
    kept: Any = msgspec.convert(checkpoint.state, state)
    if msgspec.json.encode(kept) != msgspec.json.encode(msgspec.json.decode(mark.state, type=state)):
        raise ReplayFailed("the journal leads to another state", path=path, key="checkpoint.state")
    if again.digest() != session.referee.digest():
        raise ReplayFailed("the replay from the checkpoint leads to another state", path=path, key="checkpoint")
    return again.digest()


def played_again(
    game: Game, setup: Setup, moves: Sequence[Move], mark: CheckpointRecord | None = None
) -> tuple[Referee, list[Draw]]:
    """Play a game again from its set-up (or `mark`); return it and all draws in order. Raises what the rules raise."""
    dice = RecordedDice(bytes.fromhex(setup.seed))
    referee = Referee(game, setup, dice=dice)
    dice.move = lambda: referee.table.n
    referee.replay_from_start(moves, mark)
    return referee, dice.drawn


def rolled_again(session: Session) -> tuple[int, list[str]]:
    """Check the open rolls in the log; return their number and those that the seed doesn't give."""
    save, count, wrong = session.save, 0, list[str]()
    drawn = _drawn_again(session) if save.dice.version > 1 else None
    for line in session.lines(0):
        told, draw = line.args.get("dice"), line.args.get("draw")
        if not isinstance(told, list) or not isinstance(draw, int):
            continue
        count += 1
        if drawn is None:
            sides = line.args.get("sides", 6)
            known = told in told_by_seed(save.dice.seed, save.dice.epochs(), line.n, draw, len(told), sides)
        else:
            known = (line.n, draw, tuple(told)) in drawn
        if not known:
            wrong.append(f"move {line.n}, draw {draw}: {line.key} tells {told}")
    return count, wrong


def _drawn_again(session: Session) -> set[tuple[int, int, tuple[int, ...]]]:
    """Return the rolls of dice that depend on answers, by replaying the game."""
    mark, moves = checkpoints.cut(session.save, session.game, session.moves())
    drawn = played_again(session.game, session.setup, moves, mark)[1]
    return {(draw.n, draw.draw, tuple(draw.out)) for draw in drawn if draw.what == "roll"}


def told_by_seed(
    seed: str, epochs: Sequence[tuple[int, int]], n: int, draw: int, count: int, sides: int
) -> list[list[int]]:
    """Return what a roll after move n can have shown, by epoch: a rewind's epoch begins within a move's lines."""
    live = [0, *(epoch for since, epoch in epochs if since <= n)]
    return [list(Dice(bytes.fromhex(seed), epoch, draw - 1).roll(count, sides)) for epoch in live]
