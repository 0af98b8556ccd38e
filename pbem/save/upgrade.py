"""Upgrade a game to the installed rules: unchanged if the replay is the same, else from its checkpoint."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from pbem.kernel.game import Game
from pbem.kernel.journal import DECIDED, CheckpointRecord, Move
from pbem.kernel.negotiation import DONE
from pbem.kernel.pack import PackError
from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import Referee, components_of
from pbem.save import chain, checkpoints, files
from pbem.save.checkpoints import UPGRADE, RulesChange
from pbem.save.errors import NoUpgrade, PackMismatch, SaveError, SaveKeyError
from pbem.save.rewind import carry_over, taken_back
from pbem.save.schema import CheckpointInfo, Rewind, Save
from pbem.save.session import Loader, Session, found_game, replayed, setup_of
from pbem.save.upgrade_check import UpgradeCheck, rehearse
from pbem.timestamps import stamp

_MOST = 200
"""Answers within which the open question has to close."""


class RulesUpgrade(msgspec.Struct, kw_only=True):
    """The effect of an upgrade to the installed rules.

    `needed`: the save is pinned to other rules or components. `found.same`: nothing that has happened changes. Else
    play restarts at the checkpoint: after move `n`, with `undone` moves taken back and dice from `epoch`. `barred` is
    why even that is impossible, or "". `kept` is the copy of the file, "" before the upgrade.
    """

    found: UpgradeCheck
    needed: bool
    n: int = 0
    was_n: int = 0
    undone: int = 0
    epoch: int = 0
    barred: str = ""
    kept: str = ""


def plan(path: Path, game: Game | Loader, pack: dict[str, Any] | None = None) -> RulesUpgrade:
    """Return what an upgrade, or another `pack` of the moderator's, would do; changes nothing. Raises `SaveError`."""
    save = _with(files.load(path), pack)
    check = rehearse(path, game, pack)
    needed = check.rules[0] != check.rules[1] or check.pack_changed
    made = RulesUpgrade(found=check, needed=needed, n=save.header.n, was_n=save.header.n)
    if needed and not check.same:
        point = save.checkpoint
        assert point is not None
        made.n, made.undone, made.epoch = point.n, save.header.n - point.n, save.dice.epoch + 1
        try:
            _from_checkpoint(path, found_game(game, save), save, None)
        except SaveError as error:
            made.barred = error.why
    return made


def upgrade(
    path: Path,
    game: Game | Loader,
    at: datetime | None = None,
    *,
    from_checkpoint: bool = False,
    pack: dict[str, Any] | None = None,
) -> tuple[Session, RulesUpgrade]:
    """Pin a game to the installed rules, and to another `pack` of the moderator's if given.

    Call it with the save locked. The session is yet to be committed; a copy of the old file is kept. Raises
    `NoUpgrade` if there is nothing to do, or if the game would change and `from_checkpoint` is False; then nothing is
    changed.
    """
    planned = plan(path, game, pack)
    if not planned.needed:
        why = "the game is played under the installed rules already"
        why = why if pack is None else "the game is played with these components already"
        raise NoUpgrade(why, path=path, remedy="There is nothing to do.")
    if planned.barred:
        raise NoUpgrade(f"the game can't go on from its checkpoint: {planned.barred}", path=path)
    if planned.found.same:
        session = Session.open(path, game, pinned=False, pack=pack)
        header = session.save.header
        header.rules = session.game.rules
        header.pack_digest = components_of(session.game, session.setup.pack)[0]
    elif not from_checkpoint:
        raise NoUpgrade(
            f"the game would turn out differently: {planned.found.why or 'its journal does not fit these rules'}",
            path=path,
            remedy="Go on with the old version, or from its checkpoint: --from-checkpoint.",
        )
    else:
        save = _with(files.load(path), pack)
        session = _from_checkpoint(path, found_game(game, save), save, at)
    planned.kept = str(files.keep(path, f"before-upgrade-{planned.was_n}"))
    return session, planned


def _with(save: Save, pack: dict[str, Any] | None) -> Save:
    if pack is not None:
        save.header.pack = pack
    return save


def _from_checkpoint(path: Path, game: Game, save: Save, at: datetime | None) -> Session:
    """Restart the game at its checkpoint under `game`: later moves are taken back, the dice are new."""
    seen, header, old = files.fingerprint(path), save.header, save.checkpoint
    assert old is not None
    if header.over:
        raise NoUpgrade("the game is over", path=path)
    try:
        digest = components_of(game, header.pack)[0]
    except PackError as error:
        raise PackMismatch(str(error), key="game.pack") from None
    epoch = save.dice.epoch + 1
    origin = _origin(save, game, epoch)
    changed = taken_back(save, save.moves[: old.n], Rewind(old.n, epoch, at, header.n, header.head))
    for seat in changed.seats:
        seat.seen = min(seat.seen, old.lines)
    passed = RulesChange(header.rules, game.rules, header.pack_digest, digest, origin.digest)
    answer = msgspec.to_builtins(passed)
    move = Move(origin.n, origin.q, MODERATOR, UPGRADE, answer, DECIDED, stamp(at), "")
    seed, epochs = bytes.fromhex(save.dice.seed), changed.dice.epochs()
    before = changed.moves[-1].hash if changed.moves else chain.start(save)
    changed.moves += chain.extend(before, [move], seed, epochs, header.chain)
    changed.header = msgspec.structs.replace(
        header, rules=game.rules, pack_digest=digest, n=origin.n, head=changed.moves[-1].hash
    )
    changed.origin = origin
    setup, marks = setup_of(changed), list[CheckpointRecord]()
    mark = checkpoints.mark_in(origin, game, "checkpoint")
    _playable(replayed(game, setup, [], mark), path)
    referee = replayed(game, setup, [], mark, marks.append)
    carry_over(referee, save)
    session = Session(path, changed, referee, marks[-1], seen)
    session.sync(at)
    return session


def _origin(save: Save, game: Game, epoch: int) -> CheckpointInfo:
    """Return the checkpoint as the first under the new rules. Raises `SaveKeyError` if the state doesn't fit them."""
    point = save.checkpoint
    assert point is not None
    try:
        mark = checkpoints.mark_in(point, game, "checkpoint")
    except SaveKeyError as error:
        raise NoUpgrade(f"its state doesn't fit the new rules ({error.key}: {error.why})") from None
    fresh = msgspec.structs.replace(mark, n=mark.n + 1, epoch=epoch, counter=0)
    return checkpoints.point_of(fresh, game)


def _playable(referee: Referee, path: Path) -> None:
    """Raise `NoUpgrade` unless the state keeps the rules' invariants and the first question can be answered."""
    try:
        broken: Any = next(iter(referee.game.invariants(referee.table)), None)
        play_on(referee)
    except Exception as error:  # the rules meet an impossible state
        raise NoUpgrade(f"the rules stopped with an error: {error!r}", path=path) from error
    if broken is not None:
        raise NoUpgrade(str(broken), path=path)


def play_on(referee: Referee) -> None:
    """Answer the open question, in any legal way."""
    q = referee.q
    for _ in range(_MOST):
        if referee.over or referee.q != q or not referee.waiting():
            return
        seat = referee.waiting()[0]
        value = DONE if referee.talk is not None else referee.domain(seat).sample(lambda below: 0)
        referee.submit(seat, value)
