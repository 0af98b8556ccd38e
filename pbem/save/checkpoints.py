"""Checkpoints as the file has them and as the referee takes them; and the one at which a game passed to other rules.

Moves up to the origin were made under rules that are not installed: they are kept, and their chain is checked, but
play is only ever taken up after them. The move that stands there says what the state was, so that nobody changes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from pbem.kernel.journal import CheckpointRecord
from pbem.save import chain
from pbem.save.errors import BrokenChain
from pbem.save.schema import CheckpointInfo, Save
from pbem.save.to_plain import plain
from pbem.save.toml_reader import typed

if TYPE_CHECKING:
    from pbem.kernel.game import Game
    from pbem.kernel.journal import Move

UPGRADE = "new-rules"
"""The kind of the move with which a game passes to other rules. Its answer is `Passed` as a table."""


class RulesChange(msgspec.Struct, frozen=True):
    """The answer of that move: rules and components before and after, and the digest of the state that was kept."""

    was: str
    rules: str
    was_pack: str
    pack: str
    state: str


def mark_of(point: CheckpointInfo, state: Any) -> CheckpointRecord:
    """A checkpoint with its typed state, as the referee takes it."""
    text = msgspec.json.encode(state)
    return CheckpointRecord(
        point.n, point.q, point.epoch, point.counter, point.lines, text, point.mix, point.ahead
    )


def mark_in(point: CheckpointInfo, game: Game, section: str) -> CheckpointRecord:
    """The same of a section of the file. Raises `BadKey`, `BrokenChain`."""
    state: Any = typed(point.state, game.state, (section, "state"))
    if point.digest != chain.digest(point):
        raise BrokenChain(
            "the state was changed after it was written",
            key=f"{section}.digest",
            remedy="Undo the change. `pbem repair correct` corrects a state and enters the correction in the journal.",
        )
    return mark_of(point, state)


def point_of(mark: CheckpointRecord, game: Game) -> CheckpointInfo:
    """A checkpoint of the referee as the file has it. Raises `Unwritable`."""
    state = plain(msgspec.json.decode(mark.state, type=game.state), "checkpoint.state")
    point = CheckpointInfo(mark.n, mark.q, mark.epoch, mark.counter, mark.lines, "", state)
    point.mix, point.ahead = mark.mix, mark.ahead
    point.digest = chain.digest(point)
    return point


def cut(save: Save, game: Game, moves: Sequence[Move]) -> tuple[CheckpointRecord | None, list[Move]]:
    """Where play begins (None: at the set-up), and those of `moves` (from the journal's first) that are played."""
    if save.origin is None:
        return None, [*moves]
    return mark_in(save.origin, game, "origin"), [move for move in moves if move.n > save.origin.n]


def check(origin: CheckpointInfo | None, moves: Sequence[Move]) -> None:
    """Raise `BrokenChain` unless the origin is the state of which the journal says so."""
    last = next((move for move in reversed(moves) if move.kind == UPGRADE), None)
    told = last.answer["state"] if last is not None and isinstance(last.answer, dict) else ""
    if (last.n if last else 0) != (origin.n if origin else 0) or told != (origin.digest if origin else ""):
        raise BrokenChain("the journal has another state at the change of rules", key="origin")
