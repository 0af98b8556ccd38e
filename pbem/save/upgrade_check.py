"""Replay a save under the installed rules: the game stays the same, or where it first differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from pbem.kernel.game import Game
from pbem.kernel.journal import CheckpointRecord, Move
from pbem.kernel.pack import PackError
from pbem.kernel.referee import Referee, components_of
from pbem.save import checkpoints, files
from pbem.save.errors import ReplayFailed, SaveError, SaveKeyError
from pbem.save.schema import Save
from pbem.save.session import Loader, found_game, replayed, setup_of

_PUBLISHED = {
    "plays": "moderator_plays",
    "same": "unchanged",
    "n": "first_different_move",
    "why": "reason",
    "theirs": "before",
    "ours": "after",
}


class UpgradeCheck(msgspec.Struct, kw_only=True, rename=_PUBLISHED):
    """The result. `same`: the journal leads to the same state and question.

    Else `n` is the first move that differs (0: only the final state does); `theirs` is what the save has there,
    `ours` the result of these rules. `plays`: the moderator has a seat and must not see answers and states.
    """

    name: str
    game: str
    moves: int
    rules: tuple[str, str]
    plays: bool = False
    pack_changed: bool = False
    same: bool = True
    n: int = 0
    why: str = ""
    theirs: str = ""
    ours: str = ""


def rehearse(path: Path, game: Game | Loader, pack: dict[str, Any] | None = None) -> UpgradeCheck:
    """Replay the journal of a save, also with another `pack`; changes nothing. Raises `SaveError`."""
    save = files.load(path)
    if pack is not None:
        save.header.pack = pack
    try:
        installed = found_game(game, save)
    except SaveError as error:
        raise error.at(path) from None
    header = save.header
    check = UpgradeCheck(
        name=header.name,
        game=header.game,
        moves=header.n,
        rules=(header.rules, installed.rules),
        plays=bool(save.post.plays),
    )
    setup = setup_of(save)
    try:
        digest = components_of(installed, setup.pack)[0]
    except PackError as error:
        return _other(check, 0, str(error), "its components", "components that contradict its corrections")
    check.pack_changed = digest != header.pack_digest
    marks: list[CheckpointRecord] = []

    def play(moves: list[Move]) -> Referee:
        mark, played = checkpoints.cut(save, installed, moves)
        return replayed(installed, setup, played, mark, marks.append)

    try:
        referee = play([*save.moves])
    except SaveKeyError as error:
        return _other(check, 0, "the state has another form", "as it was written", f"{error.key}: {error.why}")
    except ReplayFailed as error:
        return _differs(check, save, error, play)
    return _compared(check, save, installed, referee, marks)


def _differs(
    done: UpgradeCheck, save: Save, error: ReplayFailed, play: Callable[[list[Move]], Referee]
) -> UpgradeCheck:
    """Find the first move that these rules reject, and what they ask instead."""
    n = max(error.n, 1)
    move = save.moves[n - 1] if n <= len(save.moves) else None
    theirs = f"question {move.q}, {move.seat or 'all'} {move.kind}: {_plain(move.answer)}" if move else ""
    try:
        before = play([*save.moves[: n - 1]])
        asked = "; ".join(f"{question.seat} {question.kind}" for question in before.pending())
        ours = f"question {before.q}, asked are {asked}" if asked else "the game is over"
    except SaveError as worse:
        ours = worse.why
    return _other(done, n, error.why, theirs, ours)


def _compared(
    done: UpgradeCheck, save: Save, game: Game, referee: Referee, marks: list[CheckpointRecord]
) -> UpgradeCheck:
    header, point = save.header, save.checkpoint
    assert point is not None
    told = f"question {header.q}" + (", over" if header.over else "")
    comes = f"question {referee.q}" + (", over" if referee.over else "")
    if told != comes:
        return _other(done, 0, "the same answers lead to another game", told, comes)
    mark = next(
        (passed for passed in reversed(marks) if (passed.n, passed.q, passed.lines) == (point.n, point.q, point.lines)),
        None,
    )
    if mark is None:
        return _other(done, 0, "there is no checkpoint", f"move {point.n}, line {point.lines}", "none")
    ours = msgspec.json.decode(mark.state)
    try:
        theirs = msgspec.json.decode(msgspec.json.encode(msgspec.convert(point.state, game.state)))
    except msgspec.ValidationError as error:
        return _other(done, 0, "the state has another form", "as it was written", str(error))
    for place, a, b in _differences(theirs, ours, ""):
        return _other(done, 0, f"another state: {place}", _plain(a), _plain(b))
    dice = (point.epoch, point.counter)
    if dice != (mark.epoch, mark.counter):
        return _other(done, 0, "other dice", _plain(list(dice)), _plain([mark.epoch, mark.counter]))
    return done


def discreet(done: UpgradeCheck) -> UpgradeCheck:
    """Return the result without secrets, for a moderator who has a seat."""
    if done.plays and not done.same:
        done.why, done.theirs, done.ours = "what differs is not shown: you play in it", "", ""
    return done


def _other(done: UpgradeCheck, n: int, why: str, theirs: str, ours: str) -> UpgradeCheck:
    done.same, done.n, done.why, done.theirs, done.ours = False, n, why, theirs, ours
    return done


def _differences(a: Any, b: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(a, dict) and isinstance(b, dict):
        for key in [*a, *(key for key in b if key not in a)]:
            yield from _differences(a.get(key), b.get(key), f"{place}.{key}".strip("."))
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for at, (left, other) in enumerate(zip(a, b, strict=True)):
            yield from _differences(left, other, f"{place}[{at}]")
    elif a != b:
        yield place, a, b


def _plain(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 200 else text[:200] + "…"
