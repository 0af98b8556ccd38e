"""One random game: played, replayed, and restarted at each of its checkpoints. An error is a `FuzzFailure`."""

from __future__ import annotations

import contextlib
import json
import traceback
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib import import_module
from itertools import chain, groupby
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from types import FrameType
from typing import Any

import msgspec

from pbem.kernel.domains import PASS, AnyText, Below, Budget, domain_from
from pbem.kernel.game import Game, Setup
from pbem.kernel.questions import MODERATOR, AskAll, Negotiate, Window
from pbem.kernel.referee import CheckpointRecord, Move, Referee, ReplayError
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import ALWAYS
from pbem.mail import bundle
from pbem.mail.verify_bundle import verify as verify_bundle
from pbem.save import SaveError, Session, rolled_again, verify

_LISTED = 50

Mind = Callable[[Referee, str], Any]
"""Return an answer to the question that is open to a seat."""

Setting = tuple[str, tuple[str, ...]]
"""A scenario and the seats that play it."""


class FuzzFailure(msgspec.Struct):
    """An error in a game. With `setup` and `moves` the game can be replayed to that point.

    `kind` is `crash`, `refused` (a sampled answer was rejected), `dead_end` (no answer to sample), `endless`,
    `invariant`, `writing` (an answer changes when written and parsed), `description`, `replay`, `checkpoint` or
    `audit`.
    """

    kind: str
    why: str
    game: str
    number: int
    setup: Setup
    moves: list[Move]
    trace: str = ""

    def __str__(self) -> str:
        where = f"game {self.number} ({len(self.setup.seats)} seats), after move {len(self.moves)}"
        last = f" ({self.moves[-1].seat} {self.moves[-1].kind})" if self.moves and self.moves[-1].seat else ""
        return f"{where}{last}: {self.kind}: {self.why}"


def said_of(error: BaseException, package: str) -> str:
    """Return an error in one line, with the place in the game it comes from, or of the game's function in use."""
    said = str(error) if isinstance(error, GameBroken) else f"{type(error).__name__}: {error}"
    frames: list[tuple[FrameType, int]] = []
    cause: BaseException | None = error
    while cause is not None:
        frames += reversed([*traceback.walk_tb(cause.__traceback__)])
        cause = cause.__cause__
    places = (place_of(frame.f_code.co_filename, line, package) for frame, line in frames)
    used = (place_of_function(value, package) for frame, _ in frames for value in frame.f_locals.values())
    return f"{next(filter(None, chain(places, used)), '')}{said}"


def place_of(file: str, line: int | None, package: str) -> str:
    """Return a place in the game's own code, such as `lanterns/__init__.py:53: `; "" for a file of somebody else's."""
    for home in map(Path, import_module(package).__path__):
        if Path(file).is_relative_to(home):
            return f"{Path(file).relative_to(home.parent)}:{line}: "
    return ""


def place_of_function(function: object, package: str) -> str:
    """Return the place where a function of the game is defined; "" for anything else."""
    code = getattr(function, "__code__", None)
    return place_of(code.co_filename, code.co_firstlineno, package) if code is not None else ""


def flaw_of(referee: Referee, seat: str) -> str:
    """Return what is wrong with the open question of a seat, with the file and line that ask it; "" if nothing is."""
    if not (flaw := _flaw_of(referee, seat)):
        return ""
    place, rule = "", referee.rules
    while frame := getattr(rule, "gi_frame", None):
        place = place_of(frame.f_code.co_filename, frame.f_lineno, referee.game.package) or place
        rule = rule.gi_yieldfrom
    return f"{place}{flaw}"


def _flaw_of(referee: Referee, seat: str) -> str:
    kind = next((pending.kind for pending in referee.pending() if pending.seat == seat), "?")
    request = type(referee.now).__name__
    if seat not in referee.setup.seats:
        return f"{request} '{kind}': no seat '{seat}' plays; seats: {', '.join(referee.setup.seats)}"
    if isinstance(referee.now, AskAll) and (asked := referee.now.asks[seat].seat) != seat:
        return f"{request} '{kind}': the question under '{seat}' is one to {asked}"
    with contextlib.suppress(Exception):  # an error of the game's own code is reported with its line
        domain = referee.domain(seat)
        if isinstance(referee.now, Window) and not domain.accepts(PASS):
            return f"{request} '{kind}': the domain of {seat} does not accept pass"
        if referee.talk is not None:
            for key, form in referee.talk.signable(seat)[0].items():
                if next(form.options(), None) is None:
                    why = "raise Refused (refuse(KEY)) if this seat can't sign"
                    return f"{request} '{kind}': `signing_domain` gives {seat} no option for {key}; {why}"
        if next(domain.options(), None) is None:
            return f"{request} '{kind}': no option for {seat}, who may write {domain.syntax() or 'nothing'}"
    return ""


class GameBroken(Exception):
    """Raised inside a game; becomes a `FuzzFailure`."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(why)
        self.kind = kind


def no_sample(referee: Referee, seat: str, error: Exception) -> GameBroken:
    """Return the error for a question without an answer to sample."""
    kind = next((pending.kind for pending in referee.pending() if pending.seat == seat), "?")
    said = said_of(error, referee.game.package)
    return GameBroken("dead_end", flaw_of(referee, seat) or f"{seat} has no answer to '{kind}': {said}")


def random_setup(game: Game, random: Random, scenario: str, seats: tuple[str, ...]) -> Setup:
    """Return a set-up with a random seed and random options."""
    below = sampler(random)
    options = {option.id: option.domain.sample(below) for option in game.options}
    return Setup(game.slug, seats, random.randbytes(32).hex(), scenario, game.with_defaults(options))


def sampler(random: Random) -> Below:
    """Return a fast source of choices. For a hundred options it is uniform to about one part in ten million."""
    bits = random.getrandbits

    def below(n: int) -> int:
        try:
            return bits(30) % n
        except ZeroDivisionError:
            raise ValueError("a choice without options") from None

    return below


def answer_all(referee: Referee, below: Below) -> list[tuple[str, Any, bytes]]:
    """Answer at random until the question is closed; return its kind, each answer, and its bytes when given."""
    given = []
    q = referee.q
    for seat in referee.waiting():
        domain = referee.domain(seat)
        try:
            value = domain.sample(below)
        except Exception as error:
            raise no_sample(referee, seat, error) from error
        given.append((referee.pending()[0].kind, value, msgspec.json.encode(value)))
        try:
            referee.submit(seat, value)
        except Rejection:
            if referee.talk is None:
                raise
        if referee.q != q or referee.now is None:
            break
    return given


class RandomGame:
    """One random game: played, replayed, and restarted at each of its checkpoints."""

    def __init__(self, game: Game, setup: Setup, number: int, random: Random, limit: int) -> None:
        self.game, self.setup, self.number = game, setup, number
        self.below = sampler(random)
        self.limit = limit
        self.decisions = 0
        self.moves: list[Move] = []
        self.digest = ""
        self.marks: list[CheckpointRecord] = []
        self.failure: FuzzFailure | None = None
        self.referee: Referee | None = None
        self.mind: Mind | None = None

    def fail(self, kind: str, why: str, trace: str = "") -> None:
        moves = list(self.referee.moves) if self.referee is not None else list(self.moves)
        self.failure = FuzzFailure(kind, why, self.game.slug, self.number, self.setup, moves, trace)

    # -- live --------------------------------------------------------------------------------------------------------

    def play(self, careful: bool) -> float:
        began = process_time()
        try:
            marks: list[CheckpointRecord] = []
            on_mark = marks.append if self.mind is not None else None
            referee = self.referee = Referee.new(self.game, self.setup, ask_me=ALWAYS, on_mark=on_mark)
            if careful:
                self._play_with_care(referee)
            else:
                self._play(referee)
        except GameBroken as broken:
            self.fail(broken.kind, str(broken))
            return 0.0
        except Exception as error:  # any crash of the rules is a finding
            self.fail("crash", said_of(error, self.game.package), traceback.format_exc())
            return 0.0
        seconds = process_time() - began
        self.moves, self.digest = referee.moves, referee.digest()
        return seconds

    def compare(self, twin: RandomGame) -> None:
        """Copy the failure of the same game played in a careful copy. Both need to end the same way."""
        if twin.failure is not None:
            self.failure = twin.failure
        elif self.failure is None and twin.digest != self.digest:
            self.fail("crash", "the same answers led to another game in the careful copy")

    def _play(self, referee: Referee) -> None:
        below, submit, domain_of = self.below, referee.submit, referee.domain
        decisions, limit, mind = 0, self.limit, self.mind
        while referee.now is not None:
            q = referee.q
            for seat in referee.waiting():
                domain = domain_of(seat)
                try:
                    value = domain.sample(below) if mind is None else mind(referee, seat)
                except Exception as error:
                    raise no_sample(referee, seat, error) from error
                decisions += 1
                try:
                    submit(seat, value)
                except Rejection as refused:
                    self._refused(referee, seat, value, refused)
                if referee.q != q or referee.now is None:
                    break
            if decisions > limit:
                raise GameBroken("endless", f"no end after {decisions} decisions")
        self.decisions = decisions

    def _refused(self, referee: Referee, seat: str, value: Any, refused: Rejection) -> None:
        """Report a rejected sample. Only a negotiation may reject one: deals may exclude each other."""
        if not isinstance(referee.now, Negotiate):
            raise GameBroken("refused", f"{seat}: {value!r}: {refused}")

    # -- live, with every answer checked -------------------------------------------------------------------------------

    def _play_with_care(self, referee: Referee) -> None:
        self._invariants(referee)
        while referee.now is not None:
            q = referee.q
            for seat in referee.waiting():
                self._one_with_care(referee, seat)
                if referee.q != q or referee.now is None:
                    break
            self._invariants(referee)
            if self.decisions > self.limit:
                raise GameBroken("endless", f"no end after {self.decisions} decisions")

    def _one_with_care(self, referee: Referee, seat: str) -> None:
        domain = referee.domain(seat)
        before = referee.digest()
        pending = next((p for p in referee.pending() if p.seat == seat and not p.answered), None)
        if pending is None:
            raise GameBroken("crash", f"{seat} is missing, but no question is pending for it")
        if self.game.question_kinds and pending.kind not in self.game.question_kinds:
            raise GameBroken("description", f"{seat} is asked '{pending.kind}', which is not among the game's kinds")
        try:
            value = domain.sample(self.below)
        except Exception as error:
            raise no_sample(referee, seat, error) from error
        self._written(referee, seat, value)
        described = domain_from(json.loads(json.dumps(domain.describe(Budget()))))
        if not isinstance(described, AnyText) and not described.accepts(value):
            raise GameBroken("description", f"{seat} {pending.kind}: {value!r} is not in the described domain")
        if pending.default is not None and not domain.accepts(pending.default):
            raise GameBroken("refused", f"{seat} {pending.kind}: the default {pending.default!r} isn't a legal answer")
        for option, _ in zip(domain.options(), range(_LISTED), strict=False):
            if not domain.accepts(option):
                raise GameBroken("refused", f"{seat} {pending.kind}: the option {option!r} is rejected")
        viewers = ("", MODERATOR, *referee.table.seats)
        msgspec.json.encode(self.game.view(referee.table, viewers[self.decisions % len(viewers)]))
        if referee.digest() != before:
            raise GameBroken("crash", f"{seat} {pending.kind}: looking at the question changed the game")
        self.decisions += 1
        try:
            referee.submit(seat, value)
        except Rejection as refused:
            self._refused(referee, seat, value, refused)

    def _written(self, referee: Referee, seat: str, value: Any) -> None:
        """Check that the text written for an answer is parsed as the same answer."""
        domain = referee.domain(seat)
        text = domain.text(value)
        try:
            again = domain.parse(text, referee.names)
        except Rejection as refused:
            raise GameBroken(
                "writing", f"{seat}: {value!r} is written '{text}', which is rejected: {refused}"
            ) from None
        if again != value:
            raise GameBroken("writing", f"{seat}: {value!r} is written '{text}', which reads as {again!r}")

    def _invariants(self, referee: Referee) -> None:
        problems = self.game.invariants(referee.table)
        if problems:
            raise GameBroken("invariant", "; ".join(map(str, problems[:3])))

    # -- replay --------------------------------------------------------------------------------------------------------

    def replay(self) -> float:
        """Replay for speed (return its seconds), then with marks and invariants at every position."""
        began = process_time()
        try:
            again = Referee.resume(self.game, self.setup, self.moves)
        except Exception as error:
            self.fail("replay", said_of(error, self.game.package), traceback.format_exc())
            return 0.0
        seconds = process_time() - began
        if again.digest() != self.digest:
            self.fail("replay", "the journal replays to another state")
            return seconds
        try:
            self._marked_replay()
        except GameBroken as broken:
            self.fail(broken.kind, str(broken))
        return seconds

    def _marked_replay(self) -> None:
        referee = self.referee = Referee.resume(self.game, self.setup, [], on_mark=self.marks.append)
        self._invariants(referee)
        for _, answers in groupby(self.moves, lambda move: move.q):
            referee.replay([*answers])
            self._invariants(referee)
        table = Referee(self.game, self.setup).table
        for mark in self.marks:
            table.state = msgspec.json.decode(mark.state, type=self.game.state)
            problems = self.game.invariants(table)
            if problems:
                raise GameBroken("invariant", f"at move {mark.n}: " + "; ".join(map(str, problems[:3])))

    def audit(self) -> None:
        """Check the finished game as a player can: audit the save, and verify bundles as a third party."""
        try:
            wrong = audit_failures(self.game, self.setup, self.moves)
        except Exception as error:  # an error of the game: its result, its view
            self.fail("crash", said_of(error, self.game.package), traceback.format_exc())
            return
        if wrong:
            self.fail("audit", "; ".join(wrong[:3]))

    # -- restart at checkpoints ----------------------------------------------------------------------------------------

    def restart(self) -> None:
        """Replay from each checkpoint to the next: same snapshot. Replay from the last one: same end."""
        for mark, following in zip(self.marks, [*self.marks[1:], None], strict=True):
            why = self._restart(mark, following)
            if why:
                self.fail("checkpoint", f"restart at move {mark.n}: {why}")
                return

    def _restart(self, mark: CheckpointRecord, following: CheckpointRecord | None) -> str:
        end = len(self.moves) if following is None else following.n
        seen: list[CheckpointRecord] = []
        try:
            referee = Referee.resume(self.game, self.setup, self.moves[mark.n : end], mark, on_mark=seen.append)
        except ReplayError as error:
            return str(error)
        except Exception as error:
            return said_of(error, self.game.package)
        if following is None:
            return "" if referee.digest() == self.digest else "another end"
        if following not in seen:
            return f"the checkpoint at move {following.n} differs or is missing"
        return ""


# What a player can check of a finished game: `audit` of its save, and `bundle verify` of its files.

AT = datetime(2026, 1, 1, 12, tzinfo=UTC)


def audit_failures(game: Game, setup: Setup, moves: Sequence[Move]) -> list[str]:
    """Finish the game with these moves and return the failures of audit and verification (honest games: none)."""
    with TemporaryDirectory() as folder:
        session = saved(Path(folder) / "game.toml", game, setup, moves)
        try:
            verify(session.path, game)
        except SaveError as error:
            return [f"audit: {error}"]
        wrong = [f"audit: {line}" for line in rolled_again(session)[1]]
        for reader in ("", setup.seats[0]):
            made = bundle.bundle(session, reader, AT)
            found = verify_bundle(bundle.decode(bundle.encode(made)), lambda slug: game)
            wrong += [f"bundle for {reader or 'the public'}: {line}" for line in found.wrong]
        return wrong


def saved(path: Path, game: Game, setup: Setup, moves: Sequence[Move]) -> Session:
    """Return the save of the game, played in one run of the mail."""
    first = Session.create(path, game, setup, at=AT, nonces={} if setup.mix else None)
    marks: list[CheckpointRecord] = []
    referee = Referee.resume(game, setup, moves, on_mark=marks.append)
    session = Session(path, first.save, referee, marks[-1])
    session.commit(AT)
    return session
