"""Checkpoints in the file's form and in the referee's, and the origin: the checkpoint of a rules upgrade.

Moves up to the origin were made under other rules: they are kept and their chain is checked, but they aren't
replayed. The upgrade's move holds the hash of the state, so that nobody can change it.
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
"""The kind of the move of a rules upgrade. Its answer is `RulesChange` as a table."""


class RulesChange(msgspec.Struct, frozen=True):
    """The answer of that move: rules and components before and after, and the hash of the state."""

    was: str
    rules: str
    was_pack: str
    pack: str
    state: str


def mark_of(point: CheckpointInfo, state: Any) -> CheckpointRecord:
    """Return a checkpoint with its typed state, for the referee."""
    text = msgspec.json.encode(state)
    return CheckpointRecord(point.n, point.q, point.epoch, point.counter, point.lines, text, point.mix, point.ahead)


def mark_in(point: CheckpointInfo, game: Game, section: str) -> CheckpointRecord:
    """Return a checkpoint from a section of the file, for the referee. Raises `SaveKeyError`, `BrokenChain`."""
    state: Any = typed(point.state, game.state, (section, "state"))
    if point.digest != chain.digest(point):
        raise BrokenChain(
            "the state was changed after it was written",
            key=f"{section}.digest",
            remedy="Undo the change. `pbem repair correct` corrects a state and enters the correction in the journal.",
        )
    return mark_of(point, state)


def point_of(mark: CheckpointRecord, game: Game) -> CheckpointInfo:
    """Return the referee's checkpoint in the file's form. Raises `Unwritable`."""
    state = plain(msgspec.json.decode(mark.state, type=game.state), "checkpoint.state")
    point = CheckpointInfo(mark.n, mark.q, mark.epoch, mark.counter, mark.lines, "", state)
    point.mix, point.ahead = mark.mix, mark.ahead
    point.digest = chain.digest(point)
    return point


def cut(save: Save, game: Game, moves: Sequence[Move]) -> tuple[CheckpointRecord | None, list[Move]]:
    """Return where play begins (None: at the set-up), and those of `moves` (all of the journal) played after it."""
    if save.origin is None:
        return None, [*moves]
    return mark_in(save.origin, game, "origin"), [move for move in moves if move.n > save.origin.n]


def check(origin: CheckpointInfo | None, moves: Sequence[Move]) -> None:
    """Raise `BrokenChain` unless the journal confirms the state of the origin."""
    last = next((move for move in reversed(moves) if move.kind == UPGRADE), None)
    state = last.answer["state"] if last is not None and isinstance(last.answer, dict) else ""
    if (last.n if last else 0) != (origin.n if origin else 0) or state != (origin.digest if origin else ""):
        raise BrokenChain("the journal has another state at the change of rules", key="origin")
