"""A game passes to the rules that are installed: as it stands if they lead to the same, else from its checkpoint."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from pbem.kernel.game import Game
from pbem.kernel.journal import DECIDED, AdvanceNote, CheckpointRecord, Move
from pbem.kernel.negotiation import DONE
from pbem.kernel.pack import PackError
from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import Referee, components_of
from pbem.save import chain, checkpoints, files
from pbem.save.checkpoints import UPGRADE, RulesChange
from pbem.save.errors import NoUpgrade, PackMismatch, SaveError, SaveKeyError
from pbem.save.rewind import told_until
from pbem.save.schema import CheckpointInfo, Rewind, Save
from pbem.save.session import Loader, Session, found_game, replayed, setup_of
from pbem.save.upgrade_check import UpgradeCheck, rehearse
from pbem.timestamps import stamp

_MOST = 200
"""Answers after which the question that was open must have closed."""


class RulesUpgrade(msgspec.Struct, kw_only=True):
    """What passing to the installed rules means for a game.

    `needed`: it is pinned to others, or to other components. `found.same`: nothing that has happened changes. Else play
    is taken up at the checkpoint: after move `n`, so that `undone` moves are taken back and dice come from `epoch`.
    `barred`: why even that cannot be; "" if it can. `kept` is where the file was kept, "" before it is done.
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
    """What an upgrade would do, or another `pack` of the moderator's.

    The file is not touched. Raises `SaveError` if it cannot be read.
    """
    save = _with(files.load(path), pack)
    found = rehearse(path, game, pack)
    needed = found.rules[0] != found.rules[1] or found.pack_changed
    made = RulesUpgrade(found=found, needed=needed, n=save.header.n, was_n=save.header.n)
    if needed and not found.same:
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
    """Pin a game to the installed rules, and to another `pack` of the moderator's if one is given.

    The session is still to be committed, the file as it was is kept.

    To be called with the save locked. Raises `NoUpgrade` if there is nothing to do, or if another game would come of
    it and `from_checkpoint` is not given; then nothing is changed.
    """
    made = plan(path, game, pack)
    if not made.needed:
        why = "the game is played under the installed rules already"
        why = why if pack is None else "the game is played with these components already"
        raise NoUpgrade(why, path=path, remedy="There is nothing to do.")
    if made.barred:
        raise NoUpgrade(f"the game can't go on from its checkpoint: {made.barred}", path=path)
    if made.found.same:
        session = Session.open(path, game, pinned=False, pack=pack)
        header = session.save.header
        header.rules = session.game.rules
        header.pack_digest = components_of(session.game, session.setup.pack)[0]
    elif not from_checkpoint:
        raise NoUpgrade(
            f"the game would become another one: {made.found.why or 'its journal does not fit these rules'}",
            path=path,
            remedy="Go on with the old version, or from its checkpoint: --from-checkpoint.",
        )
    else:
        save = _with(files.load(path), pack)
        session = _from_checkpoint(path, found_game(game, save), save, at)
    made.kept = str(files.keep(path, f"before-upgrade-{made.was_n}"))
    return session, made


def _with(save: Save, pack: dict[str, Any] | None) -> Save:
    if pack is not None:
        save.header.pack = pack
    return save


def _from_checkpoint(path: Path, game: Game, save: Save, at: datetime | None) -> Session:
    """The game taken up at its checkpoint under `game`: later moves are taken back, the dice are new ones."""
    seen, header, old = files.fingerprint(path), save.header, save.checkpoint
    assert old is not None
    if header.over:
        raise NoUpgrade("the game is over", path=path)
    try:
        digest, components = components_of(game, header.pack)
    except PackError as error:
        raise PackMismatch(str(error), key="game.pack") from None
    epoch = save.dice.epoch + 1
    origin = _origin(save, game, epoch)
    changed = _taken_back(save, old.n, epoch, at)
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
    _playable(replayed(game, setup, [], mark, components), path)
    referee = replayed(game, setup, [], mark, components, marks.append)
    referee.standing, referee.settings = list(save.standing), list(save.settings)
    referee.notes = [
        AdvanceNote(queued.seat, "queue.rewound", queued.text, None, queued.letter, queued.line)
        for queued in save.queue
    ]
    referee.ask_again()
    session = Session(path, game, setup, components, changed, referee, marks[-1], seen)
    session.sync(at)
    return session


def _origin(save: Save, game: Game, epoch: int) -> CheckpointInfo:
    """The checkpoint as the first one under the new rules. Raises `BadKey` for a state that has no place in them."""
    point = save.checkpoint
    assert point is not None
    try:
        mark = checkpoints.mark_in(point, game, "checkpoint")
    except SaveKeyError as error:
        raise NoUpgrade(f"its state has another form ({error.key}: {error.why})") from None
    fresh = msgspec.structs.replace(mark, n=mark.n + 1, epoch=epoch, counter=0)
    return checkpoints.point_of(fresh, game)


def _taken_back(save: Save, n: int, epoch: int, at: datetime | None) -> Save:
    """The save after move `n`, as after a rewind: every open question is put again, nothing sent in advance holds."""
    point = save.checkpoint
    assert point is not None
    header = save.header
    switch = Rewind(n, epoch, at, header.n, header.head)
    return msgspec.structs.replace(
        save,
        seats=[
            msgspec.structs.replace(
                info, seen=min(info.seen, point.lines), told_q=0, told=told_until(info.told, n)
            )
            for info in save.seats
        ],
        dice=msgspec.structs.replace(save.dice, rewinds=[*save.dice.rewinds, switch]),
        pending=[],
        sealed=[],
        talk=[],
        queue=[],
        outbox=[letter for letter in save.outbox if not letter.of_play],
        moves=[*save.moves[:n]],
        earlier="",
        earlier_n=0,
    )


def _playable(referee: Referee, path: Path) -> None:
    """Raise `NoUpgrade` unless the state keeps the rules' invariants and the first question can be answered."""
    try:
        broken: Any = next(iter(referee.game.invariants(referee.table)), None)
        play_on(referee)
    except Exception as error:  # the rules met a state that they cannot have led to
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
