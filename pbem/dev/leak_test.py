"""The no-leak law as a property: two worlds that differ only in what a seat X must not know are the same to X.

B is A with X's unknowns dealt again. Both are played in lockstep, and what X gets must be byte-equal, until a
line with `reveals` notifies X. When X sees other pieces, B is resampled and the pair starts again.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from random import Random
from time import perf_counter
from typing import Any, NoReturn

import msgspec

from pbem.dev.fuzz import LIMIT
from pbem.dev.leak_test_pairs import (
    End,
    Leaked,
    LeakTestResult,
    Pair,
    heard,
    hidden_field,
    may_reveal,
    public_part,
    secret_kinds,
    settings_of,
)
from pbem.dev.leak_test_setup import DealPair, SetUp, where_deals_are_made
from pbem.dev.observation import SeatObservation
from pbem.dev.random_game import Setting, answer_all, random_setup, sampler
from pbem.dev.resample_hidden import Pieces, Swap, differences, exchange_pieces
from pbem.dev.workers import map_parallel
from pbem.kernel.game import Game, Setup
from pbem.kernel.negotiation import ACCEPT, PROPOSE, OpenNegotiation, terms_of
from pbem.kernel.questions import Negotiate, Proposal
from pbem.kernel.referee import AdvanceNote, CheckpointRecord, PendingQuestion, Referee
from pbem.kernel.standing_orders import ALWAYS, NEVER, AdvanceOrder, AskMe, Branch, StandingRule
from pbem.kernel.table import LogLine

STEPS = 60
"""Number of answers after which a pair ends."""

MENDS = 60
"""Maximum number of resamplings of world B in one pair."""

_HURRIED = 12
"""On a part already played, everything that X gets is compared once in this many times."""

PER_GAME = 5
_TRIES = 8
_FACE_DOWN = 40
"""Random acts among which one with other face-down pieces is searched."""


class _Alike(Exception):
    """X was notified of sealed answers that differed."""


class _Mend(Exception):
    """X sees different pieces in B, or another seat plays in A what it doesn't hold in B."""

    def __init__(self, swaps: list[Swap]) -> None:
        super().__init__()
        self.swaps = swaps


def run(
    game: Game,
    pairs: int,
    seed: int = 0,
    *,
    seats: int | None = None,
    jobs: int = 1,
    cluster: str = "",
    progress: Callable[[LeakTestResult], None] | None = None,
    first: bool = False,
    number: int | None = None,
) -> LeakTestResult:
    """Play `pairs` pairs of worlds of random games (of `seats` players; None: every number in turn).

    With `jobs` or a `cluster` (`pbem.dev.workers`) the pairs are the same. `first` stops at the first leak. `number`
    plays only the game of this number, to its last pair. Raises `PairSkipped` for a number of players that the game
    doesn't have.
    """
    began = perf_counter()
    spread = jobs > 1 or bool(cluster)
    numbers = itertools.count() if number is None else [number]
    play = partial(_pairs, game, settings_of(game, seats), seed, spread)
    most = pairs if number is None else None
    with contextlib.closing(map_parallel(play, numbers, jobs=jobs, cluster=cluster)) as found:
        played = itertools.islice(itertools.chain.from_iterable(found), most)
        return LeakTestResult().collect(played, began, progress, first=first)


def _pairs(game: Game, settings: Sequence[Setting], seed: int, at_once: bool, number: int) -> Iterable[LeakTestResult]:
    """Return the result of each pair of the random game of a number: as they are played, or all `at_once`."""
    played = (_played(pair, number) for pair in _of_game(game, settings, seed, number))
    return [*played] if at_once else played


def _played(pair: Pair, number: int) -> LeakTestResult:
    pair.run()
    for leak in pair.result.leaks:
        leak.number = number
    return pair.result


def _of_game(game: Game, settings: Sequence[Setting], seed: int, number: int) -> Iterator[Pair]:
    """Yield a pair from the set-up, from a negotiation, and from each of a few checkpoints of a random game."""
    random = Random(f"leaks:{game.slug}:{seed}:{number}")
    setup = random_setup(game, random, *settings[number % len(settings)])
    marks: list[CheckpointRecord] = []
    # The fuzzer reports crashes; here the checkpoints before one are enough.
    with contextlib.suppress(Exception):
        _play_out(Referee.new(game, setup, ask_me=ALWAYS, on_mark=marks.append), random)
    yield SetUp(game, setup, Random(f"set-up:{game.slug}:{seed}:{number}"))
    about = Random(f"deals:{game.slug}:{seed}:{number}")
    if talks := where_deals_are_made(game, setup, marks, about):
        yield DealPair(game, setup, talks, about)
    for mark in random.sample(marks, min(PER_GAME, len(marks))):
        yield _Pair(game, setup, mark, Random(random.random()))


def _play_out(referee: Referee, random: Random) -> None:
    below = sampler(random)
    for _ in range(LIMIT):
        if referee.now is None:
            return
        answer_all(referee, below)


class _Pair(Pair):
    """Two worlds from one checkpoint, and the seat that must not tell them apart."""

    at_end = "mended too often"

    def __init__(self, game: Game, setup: Setup, mark: CheckpointRecord, random: Random) -> None:
        super().__init__(game, setup, mark, random.choice(setup.seats), random)
        self.secret = secret_kinds(game)
        self.told = (0, 0)
        self.free = False
        self.gone: list[tuple[str, Any, Any]] = []
        self.way: list[tuple[str, Any, Any]] = []

    def _play(self) -> None:
        """Play the pair, again after each resampling of B."""
        hidden = self.concealed()
        self.result.changed += hidden != self.mark.state
        self.pieces = Pieces(self.mark.state, hidden, self.concealed)
        seed = self.random.random()
        self.tried = {hidden}
        self.alike: set[int] = set()
        for _ in range(MENDS):
            self.hidden = hidden
            try:
                self._lockstep(hidden, Random(seed))
            except _Mend as mend:
                self.result.mends += 1
                hidden = exchange_pieces(hidden, mend.swaps)
                if hidden in self.tried:  # X sees pieces here that contradict what it sees later
                    raise End("mended in a circle") from None
                self.tried.add(hidden)
            except _Alike:
                self.result.mends += 1
                self.alike.add(self.differed)

    def _world(self, state: bytes) -> Referee:
        mark = msgspec.structs.replace(self.mark, state=state)
        return Referee.resume(self.game, self.setup, [], mark, ask_me=ALWAYS)

    # -- lockstep ------------------------------------------------------------------------------------------------------

    def _lockstep(self, hidden: bytes, random: Random) -> None:
        self.step, self.told, self.differed = "the checkpoint", (0, 0), 0
        # The last step before the restart, at which B was resampled, was only partly compared.
        self.gone, self.way = self.way[:-1], []
        self.a, self.b = self._world(self.mark.state), self._world(hidden)
        self.b.deal = "b"  # a fact that reads what is hidden differs
        self._secrets(self.a)
        self.below = sampler(random)
        self.observer = SeatObservation(self.game, self.seat, Random(random.random()))
        self._compare()
        for _ in range(STEPS):
            if self.a.now is None:
                raise End("over")
            q = self.a.q
            self.free = self.below(3) == 0
            waiting = list(self.a.waiting())
            random.shuffle(waiting)
            for seat in waiting:
                self._answer(seat)
                if self.a.q != q or self.a.now is None:
                    break
        raise End("steps")

    def _secrets(self, referee: Referee) -> None:
        """Send advance orders to one world only, for questions never asked: X must not notice."""
        for seat in self.setup.seats:
            if seat != self.seat:
                referee.queue.append(AdvanceOrder(seat, "pass", kind="never", branch=Branch("lost")))
                referee.queue.append(AdvanceOrder(seat, "pass", kind="never"))
                referee.standing.append(StandingRule(seat, "never", "pass"))
                referee.settings.append(AskMe(seat, "never", NEVER))
                referee.notes.append(AdvanceNote(seat, "advance.used", "pass"))

    def _answer(self, seat: str) -> None:
        a, b = self.a, self.b
        pending = next(p for p in a.pending() if p.seat == seat)
        self.step = f"{seat} {pending.kind} (question {a.q})"
        last = pending.sealed and len(a.waiting()) == 1
        mine, other = self._values(pending)
        alone = isinstance(a.now, Negotiate) and a.q not in self.alike and self._is_private(seat, mine)
        if alone and self.below(2) == 0:
            other = None
        by_email = seat == self.seat and self.below(2) > 0
        self.way.append((seat, mine, other))
        if mine != other:
            self.differed = a.q
        hurried = self.way == self.gone[: len(self.way)]
        self.result.steps += not hurried
        if by_email and not hurried:
            self._by_email(a.domain(seat).text(mine))
            return
        a.submit(seat, mine)
        if pending.sealed and not last and seat != self.seat and not hurried:
            self._compare()  # A is one answer ahead
        if other is not None:
            b.submit(seat, other)
        self._compare(hurried=hurried)

    def _is_private(self, seat: str, value: Any) -> bool:
        """Check that only A may have an act: X doesn't see it, and the negotiation closes the same."""
        talk = self.a.talk
        if talk is None or talk.request.public or not isinstance(value, dict):
            return False
        if value["do"] == PROPOSE:
            parties = {seat, *talk.request.parties(seat, terms_of(value))}
            return self.seat not in parties and talk.done.isdisjoint(parties)
        proposal = talk.open[value["id"]]
        if self.seat in proposal.parties:
            return False
        return value["do"] == ACCEPT and (
            talk.request.limit is None or not set(proposal.parties) <= {seat, *proposal.signed}
        )

    def _by_email(self, text: str) -> None:
        """Let the seat answer by email. The receipts must be alike."""
        receipts = [
            self.observer.receipt(world, [f"{world.q}: {text}", "never: nonsense"]) for world in (self.a, self.b)
        ]
        if not receipts[0].accepted:
            raise Leaked(
                "an order line that was legal is rejected", text, self.observer.receipt_text(self.a, receipts[0])
            )
        self._compare()
        one, other = (self.observer.receipt_text(self.a, receipt) for receipt in receipts)
        if one != other:
            raise Leaked("receipt for an answer", one, other)

    def _values(self, pending: PendingQuestion) -> tuple[Any, Any]:
        """Return an answer for each world: the same where both accept it, different ones where X can't see them."""
        seat = pending.seat
        free = pending.sealed and seat != self.seat
        mine, yours = self.a.domain(seat), self.b.domain(seat)
        alike = self.a.q in self.alike
        if free and self.free and not alike:
            return mine.sample(self.below), yours.sample(self.below)
        hides = seat != self.seat and not alike and (isinstance(self.a.now, Negotiate) or pending.kind in self.secret)
        values = []
        for _ in range(_TRIES):
            value = mine.sample(self.below)
            values.append(value)
            if not mine.accepts(value):  # a signature would conclude a deal that is impossible here
                continue
            other = self._in_secret(seat, value) if hides else None
            if other is None and seat != self.seat and not alike:
                other = self._face_down(seat, value)
            if other is None:
                other = self._same_proposal(value)
            if yours.accepts(other):
                return value, other
            if seat == self.seat:
                raise Leaked(f"{self.seat} may answer in A only", str(value), yours.syntax())
        for value in (pending.default, "done"):
            if value is not None and mine.accepts(value) and yours.accepts(value):
                return value, value
        if alike or not free:
            self._mend_for(values)
        if free:
            return mine.sample(self.below), yours.sample(self.below)
        raise End("parted")

    def _in_secret(self, seat: str, value: Any) -> Any:
        """Return another answer for world B that looks the same to X, or None."""
        yours = self.b.domain(seat)
        if not isinstance(self.a.now, Negotiate):
            return yours.sample(self.below)
        if not self._unseen(value):
            return None
        a, b = (msgspec.to_builtins(world.table.state) for world in (self.a, self.b))
        for _ in range(_TRIES):
            other = self.pieces.otherwise(value, a, b, self.random)
            if other is not None and yours.accepts(other) and self._looks_like(value, other):
                return other
        return None

    def _same_proposal(self, value: Any) -> Any:
        """Return the act about B's proposal that looks like A's, or None. Their numbers may differ."""
        a, b = self.a.talk, self.b.talk
        if a is None or b is None or not isinstance(value, dict) or "id" not in value:
            return value
        meant = _looks(a, a.open[value["id"]])
        ids = [key for key, proposal in b.open.items() if _looks(b, proposal) == meant]
        if not ids:
            return None
        return value if value["id"] in ids else value | {"id": ids[0]}

    def _face_down(self, seat: str, value: Any) -> Any:
        """Return the act with as many other pieces in the part that only its writer sees, or None."""
        field = hidden_field(self.game, value)
        if not field:
            return None
        yours, count = self.b.domain(seat), sum(value[field].values())
        for _ in range(_FACE_DOWN):
            other = yours.sample(self.below)
            if hidden_field(self.game, other) and sum(other[field].values()) == count:
                other = value | {field: other[field]}
                if other != value and yours.accepts(other):
                    return other
        return None

    def _unseen(self, value: Any) -> bool:
        """Check if pieces in this act are hidden from X: in terms, or in a deal with another seat."""
        talk = self.a.talk
        if not isinstance(value, dict) or talk is None:
            return False
        if value["do"] == PROPOSE:
            return talk.request.visible_terms is not None
        return value["do"] == ACCEPT and self.seat not in talk.open[value["id"]].parties

    def _looks_like(self, value: Any, other: Any) -> bool:
        """Check if two proposals have the same terms for readers who don't see all of them."""
        talk = self.a.talk
        if talk is None or value["do"] != PROPOSE:
            return True
        return bool(talk.visible_log(value) == talk.visible_log(other))

    def _mend_for(self, values: list[Any]) -> None:
        """Raise `_Mend` if exchanged pieces make one of these answers of another seat, legal in A, fit B."""
        a, b = (msgspec.to_builtins(world.table.state) for world in (self.a, self.b))
        for value in values:
            swaps = self.pieces.dealt(value, a, b, self.random)
            if not self.pieces.movable(swaps):
                continue
            hidden = exchange_pieces(self.hidden, swaps)
            if hidden not in self.tried and not self.game.invariants(self.scratch(hidden).table):
                raise _Mend(swaps)

    # -- comparing -----------------------------------------------------------------------------------------------------

    def _compare(self, *, hurried: bool = False) -> None:
        """Compare all that X gets, `hurried` always the log lines. Raises `Leaked`, `End` or `_Mend`."""
        told_a, told_b = self._news(self.a, 0), self._news(self.b, 1)
        self.told = (len(self.a.table.lines), len(self.b.table.lines))
        if told_a != told_b:
            self._differing_lines(told_a, told_b)
        if hurried and self.observer.random.randrange(_HURRIED):
            return
        difference = self.observer.difference(self.a, self.b)
        if difference is not None:
            raise Leaked(*difference)

    def _news(self, referee: Referee, world: int) -> list[tuple[LogLine, dict[str, Any]]]:
        return heard(referee.table.lines[self.told[world] :], self.seat)

    def _differing_lines(
        self, a: list[tuple[LogLine, dict[str, Any]]], b: list[tuple[LogLine, dict[str, Any]]]
    ) -> None:
        """Compare lines: the first that differs must be one that notifies X. Pieces that X drew are resampled."""
        for index in range(max(len(a), len(b))):
            one, other = a[index : index + 1], b[index : index + 1]
            if one and other and _same(one[0], other[0]):
                continue
            lines = [line for line, _ in (*one, *other)]
            told_to_all = len({public_part(line) for line in lines}) > 1
            if told_to_all and not may_reveal(self.game, *lines):
                # Before resampling: a line that all seats read can't be X's own draw.
                self._not_on_list(one, other)
            if one and other and one[0][0].key == other[0][0].key:
                swaps = list(differences(one[0][1], other[0][1])) if one[0][0].is_irreversible else []
                if self.pieces.movable(swaps):
                    raise _Mend(swaps)
            if may_reveal(self.game, *lines):
                if self.differed and self.differed not in self.alike:
                    raise _Alike
                raise End("learnt")
            self._not_on_list(one, other)

    @staticmethod
    def _not_on_list(one: Sequence[Any], other: Sequence[Any]) -> NoReturn:
        shown = [f"{line.key} {args}" for line, args in (*one, *other)]
        why = "a line of narration that is not marked 'reveals', or not on the list of what may be learnt"
        raise Leaked(why, shown[0], shown[-1])


def _looks(talk: OpenNegotiation, proposal: Proposal) -> tuple[Any, ...]:
    return proposal.by, proposal.parties, talk.shown(proposal)


def _same(one: tuple[LogLine, dict[str, Any]], other: tuple[LogLine, dict[str, Any]]) -> bool:
    (line, args), (line2, args2) = one, other
    return args == args2 and (line.key, line.rule, line.n) == (line2.key, line2.rule, line2.n)
