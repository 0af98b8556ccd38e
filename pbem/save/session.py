"""A game opened from its save: referee and save side by side, until `commit` writes them back together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from pbem import timestamps
from pbem.kernel.dice import commitment
from pbem.kernel.game import Game, Setup
from pbem.kernel.negotiation import OpenNegotiation
from pbem.kernel.pack import PackError
from pbem.kernel.referee import CheckpointRecord, Move, Referee, ReplayError, components_of
from pbem.kernel.rejections import Rejection
from pbem.kernel.table import LogLine
from pbem.save import chain, checkpoints, codec, files
from pbem.save.errors import (
    BrokenChain,
    GameNotInstalled,
    PackMismatch,
    ReplayFailed,
    RulesMismatch,
    SaveChanged,
    SaveError,
    SaveExists,
    SaveKeyError,
)
from pbem.save.header_checks import NAME
from pbem.save.key_positions import Steps, dotted, line_of, steps
from pbem.save.schema import FORMAT, ClockSettings, DiceInfo, Header, PendingInfo, Save, Scores, SeatInfo
from pbem.save.to_plain import plain
from pbem.save.toml_reader import typed

Loader = Callable[[str], Game]
"""Finds a game by its slug; raises LookupError if there is none."""


class Session:
    """One game in memory. `referee` plays, `save` holds what is around it (seats, clock, emails…).

    Change both freely; nothing reaches the file before `commit`. The rest is read-only; `opened` is the file's
    fingerprint when it was last read or written (None: no file yet).
    """

    def __init__(
        self,
        path: Path,
        save: Save,
        referee: Referee,
        mark: CheckpointRecord | None = None,
        opened: files.Fingerprint | None = None,
    ) -> None:
        self.path, self.opened, self.save, self.referee = path, opened, save, referee
        self.game, self.setup = referee.game, referee.setup
        self._mark = mark
        self._history: list[LogLine] = []
        referee.on_mark = self._note_mark

    # -- beginning ---------------------------------------------------------------------------------------------------

    @classmethod
    def create(
        cls,
        path: str | Path,
        game: Game,
        setup: Setup,
        seats: Sequence[SeatInfo] = (),
        *,
        name: str = "",
        clock: ClockSettings | None = None,
        at: datetime | None = None,
        sender: str = "",
        nonces: Mapping[str, str] | None = None,
    ) -> Session:
        """Create a game, played to its first question. The first `commit` writes the file.

        `seats` are those of `setup`, in its order (default: without names). `name` is the id in emails (default: the
        file's name), `at` the time of creation (default: now), `sender` the address of its emails. An empty
        `setup.seed` is drawn here. With `nonces` (by seat; {} if nobody gave one) the dice are of version 2, which
        depends on the answers. Raises `SaveExists`, `SaveKeyError`, `PackError`.
        """
        target = Path(path)
        if target.exists():
            raise SaveExists("a save of this name already exists", path=target)
        name = _checked_name(name or target.stem)
        setup, dice = _with_dice(setup, nonces)
        marks: list[CheckpointRecord] = []
        referee = Referee.new(game, setup, on_mark=marks.append)
        save = Save(
            header=_first_header(game, setup, name, at),
            seats=_seated(setup, seats),
            clock=clock or ClockSettings(hours=dict(game.default_hours)),
            dice=dice,
        )
        save.post.sender = sender
        save.header.head = chain.start(save)
        session = cls(target, save, referee, marks[-1])
        session._keep_scores()
        session.sync(at)
        return session

    @classmethod
    def open(
        cls, path: str | Path, game: Game | Loader, *, pinned: bool = True, pack: dict[str, Any] | None = None
    ) -> Session:
        """Open the game as committed, resumed from its checkpoint.

        `game` is the game, or a function that finds it by slug (`games.load`). With `pinned` False, other rules and
        components than the save's are allowed, for upgrade checks; `pack` then replaces its own corrections. Raises
        `SaveError`s; the file isn't changed. To keep others from writing until `commit`, hold `locked(path)`.
        """
        target = Path(path)
        seen = files.fingerprint(target)
        save = _read(target, game)
        if pack is not None:
            save.header.pack = pack
        try:
            session = cls._resumed(target, found_game(game, save), save, pinned)
            session._restore()
        except SaveError as error:
            error.at(target, line_of(files.read_text(target), steps(error.key)))
            raise
        session.opened = seen
        return session

    @classmethod
    def _resumed(cls, path: Path, game: Game, save: Save, pinned: bool) -> Session:
        header, checkpoint = save.header, save.checkpoint
        assert checkpoint is not None
        if pinned and header.rules != game.rules:
            why = f"the save was played under rules {header.rules}; these are {game.rules}"
            raise RulesMismatch(why, key="game.rules")
        setup = setup_of(save)
        try:
            digest = components_of(game, setup.pack)[0]
        except PackError as error:
            raise PackMismatch(str(error), key="game.pack") from None
        if pinned and digest != header.pack_digest:
            why = f"the components of {game.slug} are {digest[:16]}…, the save's {header.pack_digest[:16]}…"
            raise PackMismatch(why, key="game.pack_digest")
        mark = checkpoints.mark_in(checkpoint, game, "checkpoint")
        moves = save.moves if save.earlier_n else save.moves[checkpoint.n :]
        referee = replayed(game, setup, moves, mark)
        return cls(path, save, referee)

    def _restore(self) -> None:
        """Give the referee what the journal doesn't hold: open answers and advance orders."""
        referee, save = self.referee, self.save
        at = (referee.n, referee.q, referee.over)
        told = (save.header.n, save.header.q, save.header.over)
        if at != told:
            names = "move {}, question {}, over: {}"
            raise ReplayFailed(
                f"the save is at {names.format(*told)}, but its journal leads to {names.format(*at)}", key="game.q"
            )
        referee.queue, referee.standing = list(save.queue), list(save.standing)
        referee.settings, referee.notes = list(save.settings), list(save.notes)
        for index, move in enumerate(save.sealed):
            key: Steps = ("sealed", index)
            if move.q != referee.q or move.seat not in referee.asked() or referee.talk is not None:
                raise SaveKeyError(f"question {move.q} isn't open to {move.seat}", key=dotted(key))
            try:
                referee.check(move.seat, move.answer)
            except Rejection as refused:
                raise SaveKeyError(str(refused.problem), key=dotted((*key, "answer"))) from None
            referee.sealed[move.seat] = move
        if save.talk and referee.talk is None:
            raise SaveKeyError("no negotiation is open", key="talk[0]")
        for index, act in enumerate(save.talk):
            _act(referee.talk, act, index)

    # -- what is in it -----------------------------------------------------------------------------------------------

    def moves(self, since: int = 0) -> list[Move]:
        """Return the journal after move `since`. Of moves before the checkpoint, only those asked for are parsed."""
        save, referee = self.save, self.referee
        later = [*save.moves, *referee.moves[save.header.n - referee.base :]]
        return [*codec.earlier_moves(save, since), *later[max(since - save.earlier_n, 0) :]]

    def last_mark(self) -> CheckpointRecord:
        """Return the last checkpoint, taken since the game was opened or stored in the save."""
        if self._mark is not None:
            return self._mark
        point = self.save.checkpoint
        assert point is not None  # only an unplayed game has none
        return checkpoints.mark_of(point, typed(point.state, self.game.state, ("checkpoint", "state")))

    def lines(self, since: int = 0) -> list[LogLine]:
        """Return the log from line `since` on. Lines from before the checkpoint need one replay of the whole game."""
        base, told, first = self.referee.line_base, self.referee.table.lines, self.first_line
        if since >= base:
            return told[since - base :]
        if not self._history and first < base:
            again = self.from_origin(self.moves()[: self.referee.base])
            self._history = again.table.lines[: base - first]
            if len(self._history) < base - first:
                raise ReplayFailed(
                    f"the journal leads to {first + len(self._history)} lines before the checkpoint, not {base}",
                    path=self.path,
                    key="checkpoint.lines",
                )
        return [*self._history[max(since - first, 0) :], *told]

    @property
    def first_line(self) -> int:
        """The first log line available: 0 unless the game has changed to other rules."""
        return self.save.origin.lines if self.save.origin is not None else 0

    def from_origin(self, moves: Sequence[Move], on_mark: Callable[[CheckpointRecord], None] | None = None) -> Referee:
        """Return the game after `moves` (all of the journal), played from its origin. Raises `ReplayFailed`."""
        mark, rest = checkpoints.cut(self.save, self.game, moves)
        return replayed(self.game, self.setup, rest, mark, on_mark)

    # -- writing -----------------------------------------------------------------------------------------------------

    def sync(self, at: datetime | None = None) -> None:
        """Copy the referee into the save, in memory. `at` is when newly opened questions were put.

        `commit` calls it; call it earlier to set the deadlines of new questions (`save.pending`). Raises `Unwritable`
        for an answer or state outside TOML; then the save is unchanged.
        """
        save, referee, header = self.save, self.referee, self.save.header
        fresh, dice = referee.moves[header.n - referee.base :], save.dice
        new = chain.extend(header.head, fresh, bytes.fromhex(dice.seed), dice.epochs(), header.chain)
        if self._mark is not None:
            save.checkpoint = checkpoints.point_of(self._mark, self.game)
            self._mark = None
        save.moves.extend(new)
        header.head = new[-1].hash if new else header.head
        header.n, header.q, header.over = referee.n, referee.q, referee.over
        header.lines = referee.line_base + len(referee.table.lines)
        header.clock = facts(self.game.calendar(referee.table.state))
        header.result = facts(referee.result or {})
        if referee.over:
            self._keep_scores()
        save.queue, save.standing = list(referee.queue), list(referee.standing)
        save.settings, save.notes = list(referee.settings), list(referee.notes)
        # In the order of the question: the file must not show who answered first.
        save.sealed = [referee.sealed[seat] for seat in referee.asked() if seat in referee.sealed]
        save.talk = list(referee.talk.acts) if referee.talk is not None else []
        known = {(pending.q, pending.seat): pending for pending in save.pending}
        save.pending = [known.get((referee.q, seat)) or self._put(seat, at) for seat in referee.asked()]

    def _put(self, seat: str, at: datetime | None) -> PendingInfo:
        asked = self.referee.pending_to(seat)
        assert asked is not None  # it is among those asked
        return PendingInfo(asked.q, seat, asked.kind, asked.pace, at, None, asked.sealed)

    def commit(self, at: datetime | None = None, *, timeout: float = files.TIMEOUT) -> None:
        """Write the game to its file. Raises `SaveChanged`, `SaveExists`, `Locked`, `Unwritable`."""
        self.sync(at)
        with files.locked(self.path, timeout):
            self.check_unchanged()
            files.store(self.path, self.save)
            self.opened = files.fingerprint(self.path)

    def check_unchanged(self) -> None:
        """Raise `SaveChanged` or `SaveExists` if the file isn't the one that was opened."""
        now = files.fingerprint(self.path)
        if now == self.opened:
            return
        if self.opened is None:
            raise SaveExists("a save of this name already exists", path=self.path)
        what = "changed" if now is not None else "taken away"
        raise SaveChanged(f"the file was {what} since it was opened", path=self.path)

    def become(self, other: Session) -> None:
        """Take over the contents of `other`, a later session of the same file."""
        vars(self).update(vars(other))
        self.referee.on_mark = self._note_mark

    def _note_mark(self, mark: CheckpointRecord) -> None:
        self._mark = mark
        self._keep_scores()

    def _keep_scores(self) -> None:
        """Record the public points when a turn begins.

        Called only at the start, at checkpoints and at the end, so that the file doesn't show when it was written.
        """
        history, table = self.save.header.history, self.referee.table
        turn = self.game.calendar(table.state).get("turn")
        label = f"{turn}*" if self.referee.over else str(turn)
        if turn in (None, "") or (history and history[-1].label == label):
            return
        same = next((at for at, scores in enumerate(history) if scores.label == label), None)
        if same is not None:  # turns that were taken back
            del history[same + 1 :]
        elif points := dict(self.game.view(table, "").scores):
            history.append(Scores(label, points))


def _checked_name(name: str) -> str:
    if not NAME.fullmatch(name):
        why = f"the game can't be called '{name}' in letters: use letters, digits, - . _"
        raise SaveKeyError(why, remedy="Give the file that name, or the game the name of the file (pbem new --name).")
    return name


def _seated(setup: Setup, seats: Sequence[SeatInfo]) -> list[SeatInfo]:
    people = list(seats) or [SeatInfo(seat) for seat in setup.seats]
    if tuple(seat.id for seat in people) != tuple(setup.seats):
        raise SaveKeyError(f"the seats of this game are, in order: {', '.join(setup.seats)}", key="seats")
    return people


def _with_dice(setup: Setup, nonces: Mapping[str, str] | None) -> tuple[Setup, DiceInfo]:
    """Return a set-up with a seed (drawn if empty), and its dice: version 2 if there are nonces."""
    if not setup.seed:
        import secrets

        setup = msgspec.structs.replace(setup, seed=secrets.token_hex(32))
    dice = DiceInfo(setup.seed, commitment(bytes.fromhex(setup.seed)))
    if nonces is not None:
        dice.version, dice.nonces = 2, dict(nonces)
        setup = msgspec.structs.replace(setup, mix=dice.mix)
    return setup, dice


def _first_header(game: Game, setup: Setup, name: str, at: datetime | None) -> Header:
    return Header(
        format=FORMAT,
        name=name,
        game=game.slug,
        scenario=setup.scenario,
        rules=game.rules,
        pack_digest=components_of(game, setup.pack)[0],
        created=at or timestamps.now(),
        n=0,
        q=0,
        head="",
        options=dict(setup.options),
        pack=dict(setup.pack),
        chain=chain.VERSION,
    )


def setup_of(save: Save) -> Setup:
    """Return a save's set-up for the referee."""
    header, dice = save.header, save.dice
    return Setup(
        header.game,
        tuple(seat.id for seat in save.seats),
        dice.seed,
        header.scenario,
        header.options,
        header.pack,
        dice.epochs(),
        dice.mix,
    )


def _read(path: Path, game: Game | Loader) -> Save:
    """Read the save. If it was edited and its game isn't installed, report the latter first."""
    try:
        return files.load(path, recent=True)
    except BrokenChain:
        try:
            found_game(game, files.load_header(path))
        except GameNotInstalled as error:
            raise error.at(path, line_of(files.read_text(path), steps(error.key))) from None
        raise


def found_game(game: Game | Loader, save: Save) -> Game:
    """Return the game of a save. Raises `GameNotInstalled`."""
    slug = save.header.game
    if isinstance(game, Game):
        if game.slug != slug:
            raise GameNotInstalled(f"this is a save of '{slug}', not of '{game.slug}'", key="game.game")
        return game
    try:
        return game(slug)
    except LookupError as error:
        raise GameNotInstalled(str(error.args[0] if error.args else error), key="game.game") from None


def replayed(
    game: Game,
    setup: Setup,
    moves: Sequence[Move],
    mark: CheckpointRecord | None,
    on_mark: Callable[[CheckpointRecord], None] | None = None,
) -> Referee:
    """Return the referee after `moves`. Raises `ReplayFailed`."""
    try:
        return Referee.resume(game, setup, moves, mark, on_mark=on_mark)
    except ReplayError as error:
        raise ReplayFailed(str(error), key=f"moves[{error.n - 1}]", n=error.n) from None
    except Exception as error:  # the rules meet an impossible state or answer
        raise ReplayFailed(
            f"the rules stopped with an error: {error!r}", key="checkpoint.state" if mark else ""
        ) from error


def _act(talk: OpenNegotiation | None, act: Mapping[str, Any], index: int) -> None:
    assert talk is not None
    key = f"talk[{index}]"
    seat = act.get("seat")
    if seat not in talk.request.seats:
        raise SaveKeyError(f"'{seat}' isn't in this negotiation", key=key)
    value: Any = {name: item for name, item in act.items() if name != "seat"}
    if set(value) == {"do"}:
        value = value["do"]
    try:
        talk.domain(seat).check(value)
        talk.act(seat, value)
    except Rejection as refused:
        raise SaveKeyError(str(refused.problem), key=key) from None


def facts(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return public facts as tables, without unknown ones (None)."""
    told = {name: fact for name, fact in told.items() if fact is not None}
    kept: dict[str, Any] = plain(told, "game")
    return kept
